/** Owns the Korean of what the desk says of plans, in English as one text for every reader: why a person is asked, what it warns of, why a plan stands as it does. */
import { koreanFault } from "../fault-words.ts";
import type { Row } from "../told.ts";

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

export const PLANS_TOLD: readonly Row[] = [
  [
    /^a person approves every plan that may trade \(approve is always\)$/,
    "주문을 낼 수 있는 예약은 모두 사람이 승인합니다(approve = always)",
  ],
  [/^a person approves every plan that may trade$/, "주문을 낼 수 있는 예약은 모두 사람이 승인합니다"],
  [
    /^it takes the place of a protection \(stop_removal is ask\)$/,
    "지금 작동하는 보호 예약을 대신합니다(stop_removal = ask)",
  ],
  [/^it takes a protection away \(stop_removal is ask\)$/, "보호 예약을 없앱니다(stop_removal = ask)"],
  [/^a person starts a plan again where money may be real$/, "실제 돈이 걸린 예약은 사람이 다시 시작합니다"],
  [
    /^it comes to (\S+) at worst, more than (\S+) that may begin without one$/,
    "최대 $1으로, 승인 없이 시작할 수 있는 $2보다 큽니다",
  ],
  [/^A person would have to approve it: (.+)\.$/, "사람의 승인이 필요합니다."],
  [
    /^A person is asked about it already; they are not asked twice\.$/,
    "이미 사람에게 물어 두었습니다. 다시 묻지 않습니다.",
  ],
  [
    /^An order of it is still under way: cancel that too, if it is not wanted\.$/,
    "이 예약이 낸 주문이 아직 남아 있습니다. 원하지 않으면 그 주문도 취소하십시오.",
  ],
  [
    /^This plan does not wait for approval any more; nothing was changed now\.$/,
    "이 예약은 더 이상 승인을 기다리지 않습니다. 이번에 바뀐 것은 없습니다.",
  ],
  [/^Nobody approved this plan in time\. Nothing was sent\.$/, "기한 안에 승인하지 않았습니다. 보낸 주문은 없습니다."],
  [/^A person has denied this plan\. Nothing was sent\.$/, "사람이 이 예약을 거절했습니다. 보낸 주문은 없습니다."],
  [
    /^The market has reached the trigger since it was asked for: .+ Nothing was sent\.$/,
    "물어본 뒤에 시세가 이미 기준 가격에 닿았습니다. 보낸 주문은 없으니, 필요하면 바로 주문하십시오.",
  ],
  [/^[Hh]ow far the market ordinarily moves could not be read\.?$/, "평소 시세가 얼마나 움직이는지 읽지 못했습니다"],
  [
    /^[Oo]rdinary movement will trigger it: \S+ is (\S+) from the market, which lately moved (\S+) in an ordinary minute\.?$/,
    "평소 움직임만으로도 발동할 수 있습니다. 기준 가격까지 $1인데, 최근 1분에 보통 $2씩 움직였습니다",
  ],
  [
    /^[Nn]othing is bought while the market is above limit_price: the best ask is (\S+?)\.?$/,
    "시세가 limit_price보다 높은 동안에는 사지 않습니다(최우선 매도호가 $1)",
  ],
  [
    /^[Nn]othing is sold while the market is below limit_price: the best bid is (\S+?)\.?$/,
    "시세가 limit_price보다 낮은 동안에는 팔지 않습니다(최우선 매수호가 $1)",
  ],
  [
    /^(?:Canceled|Paused) by (a person|the assistant)\. It ends as soon as its order has\.$/,
    "취소했습니다. 남은 주문이 끝나는 대로 예약도 끝납니다.",
  ],
  [
    /^It waits for order (\S+) to end, and protects nothing before\.$/,
    "매수 주문 $1이(가) 끝나기를 기다립니다. 그 전에는 아무것도 보호하지 않습니다.",
  ],
  [/^Order (\S+) has ended and bought nothing\.( Nothing was sent\.)?$/, "매수 주문 $1이(가) 체결 없이 끝났습니다."],
  [
    /^Order (\S+) has ended and bought (.+), less than can be sold\.$/,
    "매수 주문 $1이(가) 끝났고, 체결된 $2은(는) 팔 수 있는 최소 수량보다 적습니다.",
  ],
  [
    /^Order (\S+) was executed so low that the stop would lie below the lowest price that was approved: .+$/,
    "매수 주문 $1이(가) 너무 낮게 체결되어, 손절 가격이 승인받은 최저 가격 아래에 놓입니다. 예약을 새로 만드십시오.",
  ],
  [/^The journal does not know order (\S+) any more\.$/, "기록에서 매수 주문 $1을(를) 더 이상 찾을 수 없습니다."],
  [/^All of it was sold\.$/, "모두 팔았습니다."],
  [/^Nothing is left to sell\.$/, "팔 물량이 남아 있지 않습니다."],
  [/^Its end has come; (.+) was not sold\.$/, "예약 기간이 끝났습니다. 팔리지 않고 남은 수량은 $1입니다."],
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
    "매도 주문을 $1번 내서 $2을(를) 팔았고, $3이(가) 남았습니다. 이 예약이 허용하는 가격에는 매수 호가가 더 없었습니다.",
  ],
  [/^The exchange refused its order\.(.*)$/, "거래소가 이 예약의 주문을 받지 않았습니다.$1"],
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
      `팔아야 할 ${volume}이(가) 미체결 주문${ids.trim() === "" ? "" : `(${ids.trim()})`}에 묶여 있습니다. 그 주문을 취소한 뒤 예약을 다시 시작하십시오.`,
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
    "매도 가능한 수량이 마켓의 최소 주문보다 적어 팔지 않았습니다.",
  ],
  [
    /^Too little came in, or is free, to buy what its market takes\.$/,
    "매도 대금이나 쓸 수 있는 금액이 마켓의 최소 주문에 못 미쳐 사지 않았습니다.",
  ],
  [
    /^Nobody knows whether (.+) took its order (\S+), and .+ can never prove that it did not: nothing else of the plan is sent, and hoga goes on looking\.$/,
    "$1에 주문 $2이(가) 접수되었는지 확인되지 않습니다. $1은(는) 접수되지 않았음을 증명할 수 없어, 이 예약의 다른 주문은 내지 않고 hoga가 계속 확인합니다.",
  ],
  [/^Nobody looked after it in time\.$/, "예정 시각에 작동하던 hoga가 없어 지나갔습니다."],
  [/^It could not be sent in time\.(.*)$/, "제때 주문을 내지 못했습니다.$1"],
  [
    /^Its turn has come, and its order could not leave yet \((E.+?)\)\. (.+)$/,
    ([code = "", message = ""]) =>
      `주문할 시각이 되었지만 아직 주문을 내지 못했습니다. ${koreanFault(code, message).meaning} (${message})`,
  ],
  [
    /^The limits that have denied its order would let it leave now: start the plan again, or cancel it\.$/,
    "주문을 막았던 한도에 더 이상 걸리지 않습니다. 예약을 다시 시작하거나 취소하십시오.",
  ],
  [
    /^Something inside hoga itself failed each time that it was to sell\. What it was is in the log of the server\.$/,
    "매도하려고 할 때마다 hoga 내부에서 오류가 났습니다. 자세한 내용은 서버 로그에 있습니다.",
  ],
  [/^Its end has come: (\S+)\. Nothing was sent\.$/, "예약 기간이 이미 끝났습니다($1). 보낸 주문은 없습니다."],
  [
    /^Plan (\S+), whose place it was to take, has ended\. Nothing was sent\.$/,
    "대신하려던 예약 $1이(가) 이미 끝났습니다. 보낸 주문은 없습니다.",
  ],
  [
    /^It waits without what it was asked by\. Nothing was sent\.$/,
    "무엇을 승인하는지 기록이 남아 있지 않습니다. 보낸 주문은 없습니다.",
  ],
  [
    /^It comes to (\S+) at worst now and came to (\S+) when it was asked for: .+ Nothing was sent\.$/,
    "최악의 경우 금액이 물어볼 때의 $2에서 $1으로 늘어 approval_drift_pct를 넘었습니다. 보낸 주문은 없습니다.",
  ],
  [/^None of its turns is left\. Nothing was sent\.$/, "남은 회차가 없습니다. 보낸 주문은 없습니다."],
  [/^The question was withdrawn by the call that asked it\.$/, "물어본 쪽에서 요청을 거두었습니다."],
  [
    /^All (\d+) are over: ([^.]+)\.(?: Left as they are: (.+)\.)?$/,
    ([all = "", counts = "", left = ""]) =>
      `${all}회를 모두 마쳤습니다(${counts.split(", ").map(overCount).join(", ")}).${left === "" ? "" : ` 그대로 둔 자산: ${left}.`}`,
  ],
  [
    /^What became of its order (\S+) has not been known for ten minutes: .+$/,
    "주문 $1이 어떻게 되었는지 10분 동안 확인되지 않습니다.",
  ],
];
