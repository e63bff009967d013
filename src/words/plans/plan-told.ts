/** Owns the Korean of what the desk says of plans, in English as one text for every reader: why a person is asked, what it warns of, why a plan stands as it does. */
import { koreanFault } from "../fault-words.ts";
import { withParticle } from "../particle.ts";
import { koreanReasons, type Row, SUM } from "../told.ts";

/** Why an asset of a basket is left, as it is said of that alone. */
const LEFT: Readonly<Record<string, string>> = {
  "what it would take is less than its market takes": "최소 주문 금액 미만",
  "its market takes no orders now": "거래 정지",
  "coins of it are in open orders": "미체결 주문에 묶임",
};

const BOOK_SIDES: Readonly<Record<string, string>> = { buys: "매수", sells: "매도", "buys or sells": "매수·매도" };

const HINDERED: Readonly<Record<string, string>> = {
  "Its price has come, and no order of it could leave": "발동 가격에 도달했지만 주문을 내지 못했습니다.",
  "Its time has come, and no order of it could leave": "주문할 시각이 되었지만 주문을 내지 못했습니다.",
  "It could not be sent in time": "제때 주문을 내지 못했습니다.",
  "What it waits for cannot be read": "조건을 확인하는 데 필요한 정보를 불러오지 못하고 있습니다.",
};

const OVER: Readonly<Record<string, string>> = {
  executed: "체결",
  "not filled": "체결 없음",
  missed: "놓침",
  denied: "한도에 걸림",
  rejected: "거래소 거부",
  "never placed": "주문 안 됨",
  "left out": "건너뜀",
};

/** "2 executed". */
function overCount(text: string): string {
  const [, count = "", what = ""] = /^(\d+) (.+)$/.exec(text) ?? [];
  return `${OVER[what] ?? what} ${count}회`;
}

function leftWords(left: string | undefined, asTheyAre: string | undefined): readonly string[] {
  return [
    ...(left === undefined ? [] : [`체결되지 않고 남은 것은 ${left}입니다.`]),
    ...(asTheyAre === undefined ? [] : [`그대로 둔 자산: ${asTheyAre}.`]),
  ];
}

const DONE_TO_PLANS: Readonly<Record<string, string>> = {
  Canceled: "취소",
  Paused: "일시 정지",
  "Started again": "다시 시작",
};

export const PLANS_TOLD: readonly Row[] = [
  [
    /^No hoga server of this profile runs, and until one does nobody watches: a person starts it with `(.+)`, or for good with `(.+)`\.$/,
    "이 프로필의 hoga 서버가 꺼져 있어, 켜질 때까지 아무도 시세를 감시하지 않습니다. `$1` 명령으로 켜거나, `$2` 명령으로 늘 켜 두십시오.",
  ],
  [
    /^The same was asked for at (\S+): this is that plan, and no second one was made\. With another note it is a plan of its own\.$/,
    "$1에 같은 예약을 이미 요청하셨습니다. 새로 만들지 않고 그 예약을 보여 드립니다. 하나 더 하려면 메모를 다르게 적으십시오.",
  ],
  [
    /^(Canceled|Paused|Started again) by (a person|the assistant)\.$/,
    ([done = "", who]) => `${who === "a person" ? "사람이" : "어시스턴트가"} ${DONE_TO_PLANS[done]}했습니다.`,
  ],
  [/^Trading was halted\.$/, "거래가 정지되었습니다."],
  [/^All orders were canceled\.$/, "전체 주문을 취소했습니다."],
  [
    /^Plans that may buy stand still until a person resumes them: (.+)\.$/,
    "매수할 수 있는 예약은 사람이 다시 시작할 때까지 멈춰 있습니다: $1.",
  ],
  [
    /^Plans that protect coins go on, as canceling orders takes no protection away: (.+)\.$/,
    "코인을 보호하는 예약은 주문을 취소해도 해제되지 않고 그대로 작동합니다: $1.",
  ],
  [
    /^Plans that may buy, or wait for a person, could not be stopped: look with list_plans\. ?(.*)$/,
    "매수할 수 있거나 승인을 기다리는 예약을 멈추지 못했습니다. 예약 목록을 확인하십시오. $1",
  ],
  [
    /^Open plans protect these coins \((.+?)\), and this sell leaves them too few(?:: (.+) of (.+?))?\.?$/,
    ([plans, free = "", needed = ""]) =>
      `진행 중인 예약(${plans})이 이 코인을 보호하고 있는데, 이 매도를 하면 보호할 코인이 모자랍니다.${free === "" ? "" : ` 보호할 ${needed} 가운데 ${free}만 남습니다.`}`,
  ],
  [
    /^Plans cannot be read, though none are shown\. ?(.*)$/,
    "예약을 읽지 못했습니다. 보이지 않아도 있을 수 있습니다. $1",
  ],
  [/^The plan is \S+ already\. Nothing was changed\.$/, "예약이 이미 그 상태입니다. 바뀐 것은 없습니다."],
  [
    /^a person approves every plan that may trade \(approve is always\)$/,
    "주문을 낼 수 있는 예약은 모두 사람이 승인합니다(approve = always)",
  ],
  [/^a person approves every plan that may trade$/, "주문을 낼 수 있는 예약은 모두 사람이 승인합니다"],
  [
    /^it takes the place of a protection \(stop_removal is ask\)$/,
    "지금 작동하는 보호 예약을 대신합니다(stop_removal = ask)",
  ],
  [/^it takes a protection away \(stop_removal is ask\)$/, "보호 예약을 해제합니다(stop_removal = ask)"],
  [/^a person starts a plan again where money may be real$/, "실거래에서는 예약을 사람이 다시 시작합니다"],
  [
    new RegExp(`^it comes to (${SUM}) at worst, more than (${SUM}) that may begin without one$`),
    "최악의 경우 $1(으)로, 승인 없이 시작할 수 있는 $2보다 큽니다",
  ],
  [
    /^A person would have to approve it: (.+)\.$/,
    // Its sums are said with the whole.
    ([why = ""], { state }) =>
      `사람의 승인이 필요합니다: ${koreanReasons(why, { state, won: (sum) => `₩${sum}` }, PLANS_TOLD)}.`,
  ],
  [/^Trading is halted, so that it would be refused now\.$/, "거래가 정지되어 있어 지금 요청하면 거절됩니다."],
  [
    /^(\S+) is not named: it is not counted, and no more is bought than sells bring\.?$/,
    "$1 비중을 정하지 않아 계산에 넣지 않으며, 매도 대금만큼만 매수합니다.",
  ],
  [
    /^(\S+) is left as it is, or in part: (.+?)\.?$/,
    ([asset = "", why = ""]) => `그대로 두거나 일부만 맞추는 자산: ${asset}(${LEFT[why] ?? why}).`,
  ],
  [
    /^[Oo]nly the assets that are named are touched: others are left, and not counted\.?$/,
    "비중을 정한 자산만 거래합니다. 나머지는 그대로 두고 계산에도 넣지 않습니다.",
  ],
  [
    /^A person is asked about it already; they are not asked twice\.$/,
    "이미 승인을 요청해 두었습니다. 다시 요청하지 않습니다.",
  ],
  [
    /^An order of it is still under way: cancel that too, if it is not wanted\.$/,
    "이 예약이 낸 주문이 아직 처리 중입니다. 원하지 않으면 그 주문도 취소하십시오.",
  ],
  [
    /^Its order may still be at the exchange: while a hoga server runs it is canceled again until it is gone\.$/,
    "이 예약이 낸 주문이 아직 거래소에 있을 수 있습니다. hoga 서버가 켜져 있는 동안 없어질 때까지 다시 취소합니다.",
  ],
  [
    /^This plan does not wait for approval any more; nothing was changed now\.$/,
    "이 예약은 더 이상 승인을 기다리지 않습니다. 이번에 바뀐 것은 없습니다.",
  ],
  [/^Nobody approved this plan in time\. Nothing was sent\.$/, "승인 기한이 지났습니다. 보낸 주문은 없습니다."],
  [
    /^A person has denied this plan\. Nothing was sent\.$/,
    "사람이 이 예약의 승인을 거부했습니다. 보낸 주문은 없습니다.",
  ],
  [
    /^The market has reached the trigger since it was asked for: .+ Nothing was sent\.$/,
    "승인을 요청한 뒤 시세가 발동 가격에 도달했습니다. 보낸 주문은 없습니다. 아직 원하면 직접 주문하십시오.",
  ],
  [
    new RegExp(
      String.raw`^The market has fallen since it was asked for: its stop would begin at (${SUM}), where its floor (${SUM}) lets it sell nothing\. Nothing was sent\.$`,
    ),
    "승인을 요청한 뒤 시세가 내려, 지금 시작하면 발동 가격 $1이(가) 매도 하한 $2보다 높지 않아 팔 수 없습니다. 보낸 주문은 없습니다.",
  ],
  [
    /^[Hh]ow far the market ordinarily moves could not be read\.?$/,
    "평소 시세가 얼마나 움직이는지 확인하지 못했습니다.",
  ],
  [
    new RegExp(
      String.raw`^[Oo]rdinary movement will trigger it: ${SUM} is (${SUM}) from the market, which lately moved (${SUM}) in an ordinary minute\.?$`,
    ),
    "평소의 시세 변동만으로 발동할 것입니다. 발동 가격까지 $1 남았는데, 최근 시세는 1분에 보통 $2씩 움직였습니다.",
  ],
  [
    new RegExp(String.raw`^[Nn]othing is bought while the market is above limit_price: the best ask is (${SUM})\.?$`),
    "시세가 limit_price보다 높은 동안에는 사지 않습니다. 현재 최우선 매도호가는 $1입니다.",
  ],
  [
    new RegExp(String.raw`^[Nn]othing is sold while the market is below limit_price: the best bid is (${SUM})\.?$`),
    "시세가 limit_price보다 낮은 동안에는 팔지 않습니다. 현재 최우선 매수호가는 $1입니다.",
  ],
  [
    /^Stops whose order rests stand still where that was canceled too, and protect nothing until a person starts them again: (.+)\.$/,
    "지정가 주문을 걸어 둔 손절 예약은 그 주문도 함께 취소되었다면 사람이 다시 시작할 때까지 멈춰 있으며, 그동안 코인을 보호하지 않습니다: $1.",
  ],
  [
    /^[Ii]ts orders sell (.+) in all, and (.+) is free now: one that comes when too little is free is refused, and told\.?$/,
    "이 예약이 파는 수량은 모두 $1인데, 지금 매도 가능 수량은 $2입니다. 주문할 때 수량이 모자라면 그 주문은 거절되며, 그때 알려 드립니다.",
  ],
  [
    new RegExp(
      String.raw`^[Ii]ts orders cost (${SUM}) in all, fees in, and (${SUM}) is free now: one that comes when too little is free is refused, and told\.?$`,
    ),
    "이 예약에는 수수료를 포함해 모두 $1이(가) 드는데, 지금 주문 가능 금액은 $2입니다. 주문할 때 금액이 모자라면 그 주문은 거절되며, 그때 알려 드립니다.",
  ],
  [
    /^Canceled by (a person|the assistant)\. It ends as soon as its order has\.$/,
    ([who]) =>
      `${who === "a person" ? "사람이" : "어시스턴트가"} 취소했습니다. 이 예약이 낸 주문이 끝나는 대로 예약도 끝납니다.`,
  ],
  [
    /^It waits for order (\S+) to end, and protects nothing before\.$/,
    "매수 주문 $1이(가) 끝나기를 기다립니다. 그 전에는 아무것도 보호하지 않습니다.",
  ],
  [/^Order (\S+) has ended and bought nothing\.( Nothing was sent\.)?$/, "매수 주문 $1이(가) 체결 없이 끝났습니다."],
  [
    /^Order (\S+) has ended and bought (.+), less than can be sold\.$/,
    "매수 주문 $1이(가) 끝났습니다. 체결 수량 $2은(는) 팔 수 있는 최소 수량보다 적습니다.",
  ],
  [
    /^Of (.+) that order (\S+) has bought other plans protect (.+) already: this one begins with the rest\.$/,
    "매수 주문 $2(으)로 산 $1 가운데 $3은(는) 다른 예약이 이미 보호하고 있어, 나머지 수량으로 시작했습니다.",
  ],
  [
    /^Other plans protect the (.+) that order (\S+) has bought: .+$/,
    "매수 주문 $2(으)로 산 $1은(는) 다른 예약이 모두 보호하고 있습니다. 그 예약을 취소하고 이 예약을 다시 시작하거나, 이 예약을 취소하십시오.",
  ],
  [
    /^Order (\S+) was executed so low that the stop would lie below the lowest price that was approved: .+$/,
    "매수 주문 $1이(가) 너무 낮게 체결되어, 손절 가격이 승인된 최저 가격보다 낮아집니다. 예약을 새로 만드십시오.",
  ],
  [
    /^The journal does not know order (\S+) any more\.$/,
    "hoga의 기록에서 매수 주문 $1을(를) 더 이상 찾을 수 없습니다.",
  ],
  [/^All of it was sold\.$/, "모두 매도했습니다."],
  [/^Nothing is left to sell\.$/, "매도할 수량이 남아 있지 않습니다."],
  [
    /^Its end has come\.(?: (.+) is left\.)?(?: Left as they are: (.+)\.)?$/,
    ([left, asTheyAre]) => ["예약 기간이 끝났습니다.", ...leftWords(left, asTheyAre)].join(" "),
  ],
  [/^Its end has come; (.+) was not sold\.$/, "예약 기간이 끝났습니다. 팔리지 않은 수량은 $1입니다."],
  [
    /^(Its \w+ has come, and no order of it could leave|What it waits for cannot be read|It could not be sent in time) \((E.+?)\)\.(.*)$/,
    ([what = "", code = "", said = ""]) => {
      const message = said.trim();
      // It is known whole, and says more than its code.
      if (/[가-힣]\.$/.test(message)) return `${HINDERED[what]} ${message}`;
      const { meaning } = koreanFault(code, message);
      return `${HINDERED[what]} ${meaning}${message === "" ? "" : ` (${message})`}`;
    },
  ],
  [/^The market is below its floor, so nothing is sold\.$/, "시세가 매도 하한보다 낮아 팔지 않고 있습니다."],
  [
    /^Nobody else (buys|sells|buys or sells) on (\S+), so nothing comes of it until somebody does\.$/,
    ([what = "", symbol]) =>
      `${symbol} 호가창에 다른 사람의 ${BOOK_SIDES[what]} 호가가 없습니다. 호가가 나올 때까지 이 예약은 작동하지 않습니다.`,
  ],
  [
    /^Its order was canceled\.(?: (.+) is left\.)?$/,
    ([left = ""]) => `이 예약이 낸 주문이 취소되었습니다.${left === "" ? "" : ` 남은 수량은 ${left}입니다.`}`,
  ],
  [
    /^Its order has expired at the exchange\. (.+) is left\.$/,
    "이 예약이 낸 주문이 거래소에서 만료되었습니다. 남은 수량은 $1입니다.",
  ],
  [
    /^Its order was filled; (.+) was not free to sell\.$/,
    "이 예약이 낸 주문은 모두 체결되었지만, 매도 가능 수량이 모자라 $1은(는) 팔지 못했습니다.",
  ],
  [
    /^(\d+) orders have sold (.+) in all, and (.+) is left: nobody bought it within the limits of the plan\.$/,
    "매도 주문을 $1번 내서 모두 $2을(를) 팔았고, $3이(가) 남았습니다. 이 예약이 허용하는 가격에 사려는 주문이 더 없었습니다.",
  ],
  [/^The exchange refused its order\.(.*)$/, "거래소가 이 예약의 주문을 거부했습니다.$1"],
  [
    /^The file of limits(?: \(policy\.toml\))? cannot be read, so no order of it may leave\.(.*)$/,
    "한도 파일(policy.toml)을 읽을 수 없어 이 예약의 주문을 내지 않습니다.$1",
  ],
  [
    /^Another order has the name of its next one\.$/,
    "이 예약의 다음 주문에 쓸 이름(userref)을 이미 다른 주문이 쓰고 있습니다.",
  ],
  [
    /^(.+) that it would sell is locked in open orders?(.*): cancel that, and start the plan again\.$/,
    ([volume = "", ids = ""]) =>
      `매도할 ${withParticle(volume, "이(가)")} 미체결 주문${ids.trim() === "" ? "" : `(${ids.trim()})`}에 묶여 있습니다. 그 주문을 취소한 뒤 예약을 다시 시작하십시오.`,
  ],
  [
    /^Its process ended before it was sent\. Nothing was sent\.$/,
    "주문을 보내기 전에 hoga가 꺼졌습니다. 보낸 주문은 없습니다.",
  ],
  [
    /^The exchange already has an order under userref (\S+) \(order_id (\S+), \S+\), which the journal does not know\. Nothing was sent\.$/,
    "거래소에 userref $1 주문(주문 번호 $2)이 이미 있는데 hoga의 기록에는 없습니다. 이번에 보낸 주문은 없습니다.",
  ],
  [/^Left as they are: (.+)\.$/, "그대로 둔 자산: $1."],
  [
    /^Too few of its coins are free: less than its market takes\.$/,
    "매도 가능 수량이 최소 주문 기준에 못 미쳐 팔지 않았습니다.",
  ],
  [
    /^Too little came in, or is free, to buy what its market takes\.$/,
    "매도 대금이나 주문 가능 금액이 최소 주문 기준에 못 미쳐 사지 않았습니다.",
  ],
  [
    /^Nobody knows whether (.+) took its order (\S+), and .+ can never prove that it did not: nothing else of the plan is sent, and hoga goes on looking\.$/,
    "$1에 주문 $2이(가) 접수되었는지 알 수 없고, 접수되지 않았다는 사실도 그 거래소에서는 확인할 수 없습니다. 이 예약의 다른 주문은 내지 않으며, hoga가 계속 확인합니다.",
  ],
  [/^Nobody looked after it in time\.$/, "제때 처리한 hoga 서버가 없어 주문하지 못했습니다."],
  [/^It could not be sent in time\.(.*)$/, "제때 주문을 내지 못했습니다.$1"],
  [
    /^The limits that have denied its order would let it leave now: start the plan again, or cancel it\.$/,
    "주문을 막았던 한도에 더 이상 걸리지 않습니다. 예약을 다시 시작하거나 취소하십시오.",
  ],
  [
    /^Something inside hoga itself failed each time that it was to sell\. What it was is in the log of the server\.$/,
    "매도하려 할 때마다 hoga 내부에서 오류가 났습니다. 자세한 내용은 서버 로그에 있습니다.",
  ],
  [/^Its end has come: (\S+)\. Nothing was sent\.$/, "예약 기간이 이미 끝났습니다($1). 보낸 주문은 없습니다."],
  [
    /^Plan (\S+), whose place it was to take, has ended\. Nothing was sent\.$/,
    "대신하려던 기존 예약 $1이(가) 이미 끝났습니다. 보낸 주문은 없습니다.",
  ],
  [
    /^It waits without what it was asked by\. Nothing was sent\.$/,
    "무엇을 승인하는 것인지 기록이 남아 있지 않습니다. 보낸 주문은 없습니다.",
  ],
  [
    new RegExp(
      String.raw`^It comes to (${SUM}) at worst now and came to (${SUM}) when it was asked for: .+ Nothing was sent\.$`,
    ),
    "최악의 경우 금액이 승인을 요청할 때의 $2에서 $1(으)로 늘어, 허용된 변동폭(approval_drift_pct)을 넘었습니다. 보낸 주문은 없습니다.",
  ],
  [/^None of its turns is left\. Nothing was sent\.$/, "남은 회차가 없습니다. 보낸 주문은 없습니다."],
  [/^The question was withdrawn by the call that asked it\.$/, "승인을 요청한 쪽에서 요청을 철회했습니다."],
  [
    /^All (\d+) are over: ([^.]+)\.(?: (.+) is left\.)?(?: Left as they are: (.+)\.)?$/,
    ([all = "", counts = "", left, asTheyAre]) => {
      const over = `${all}회를 모두 마쳤습니다(${counts.split(", ").map(overCount).join(", ")}).`;
      return [over, ...leftWords(left, asTheyAre)].join(" ");
    },
  ],
  [
    /^What became of its order (\S+) has not been known for ten minutes: .+$/,
    "주문 $1의 결과가 10분 동안 확인되지 않습니다.",
  ],
];
