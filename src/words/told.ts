/**
 * Owns the Korean of what the desk says to whoever asks, in English, as one text for every reader: why a person is asked, and what it warns of. A
 * sentence that is not known here is shown as the desk gives it.
 */
import { PAIR, withParticle } from "./particle.ts";

/** Says how the reader reads what stands in a sentence. */
interface Reading {
  readonly won: (sum: string) => string;
  /** The name of a state. */
  readonly state: (name: string) => string;
}

type Korean = string | ((found: readonly string[], reading: Reading) => string);
export type Row = readonly [RegExp, Korean];

const SIDES: Readonly<Record<string, string>> = { buy: "매수", sell: "매도" };

/** For a pattern: a sum as it is shown, "₩1,000" or "100 USDT", or an amount of a coin. */
export const SUM = String.raw`\S+?(?: [A-Z0-9]{1,15})?`;

/** Say "more" for a sum where there is no price to value it by. */
const REASONS: readonly Row[] = [
  [
    new RegExp(String.raw`^the order counts for more, more than (\S+) (${SUM})$`),
    "주문 금액(값을 매길 시세 없음)이 승인 기준($1) $2보다 큽니다",
  ],
  [
    new RegExp(String.raw`^the order counts for (${SUM}), more than (\S+) (${SUM})$`),
    "주문 금액 $1이(가) 승인 기준($2) $3보다 큽니다",
  ],
  [
    new RegExp(String.raw`^it comes to more, more than (\S+) (${SUM})$`),
    "금액(값을 매길 시세 없음)이 승인 기준($1) $2보다 큽니다",
  ],
  [
    new RegExp(String.raw`^it comes to (${SUM}), more than (\S+) (${SUM})$`),
    "금액 $1이(가) 승인 기준($2) $3보다 큽니다",
  ],
  [
    new RegExp(
      String.raw`^what is paid is worth (${SUM}), and the bill is (${SUM}): further apart than price_collar_pct (\S+)$`,
    ),
    "내는 자산의 값 $1이(가) 청구 금액 $2와 price_collar_pct $3%보다 더 차이 납니다",
  ],
  [
    /^policy\.toml names no beneficiaries who get money without a person$/,
    "사람의 승인 없이 돈을 받을 수 있는 수취인이 policy.toml에 없습니다",
  ],
  [/^mode is (\S+): a person approves .+$/, "설정(mode = $1)에 따라 모두 사람이 승인합니다"],
  [
    /^it sells what is held and goes over (.+)$/,
    ([limits = ""]) =>
      `가지고 있는 코인을 팔면서 다음 한도를 넘습니다: ${limits.replaceAll(" and ", ", ").replaceAll(/ \(([^()]+) of ([^()]+)\)/g, " $2 (이 주문까지 $1)")}`,
  ],
  [
    /^it would lock away coins that open plans protect \((.+)\), and leaves them too few$/,
    "진행 중인 예약($1)이 보호하는 코인이 주문에 묶여, 보호할 코인이 모자라게 됩니다",
  ],
  [
    /^nobody else (buys|sells) in the book, so that the price of the market is not known$/,
    ([side]) => `호가에 다른 사람의 ${side === "buys" ? "매수" : "매도"} 주문이 없어 시세를 알 수 없습니다`,
  ],
  [
    /^more than (\d+) own orders are open, so that it is not known what of the book others make$/,
    "내 미체결 주문이 $1건을 넘어 다른 사람의 호가를 가려낼 수 없습니다",
  ],
  [
    new RegExp(
      String.raw`^the best prices of others, (${SUM}) and (${SUM}), are (\S+) % apart, further than price_collar_pct (\S+)$`,
    ),
    "다른 사람의 최우선 호가 $1과 $2의 차이가 $3%로, price_collar_pct $4%보다 큽니다",
  ],
];

const OF_THE_BOOK: readonly Row[] = [
  [
    /^The book does not hold the whole size, only (.+); the remainder would expire unfilled\.$/,
    "호가에 물량이 모자라 $1만 체결되고, 나머지는 체결되지 않은 채 끝납니다.",
  ],
  [
    /^The book is thin for this size: the average price would be (.+), (\S+) from the best\.$/,
    "이 수량에 비해 호가가 얇습니다. 평균 체결가는 $1(으)로, 최우선 호가와 $2 차이 납니다.",
  ],
  [
    /^The book holds (\S+) of (.+) at (.+) or better, so an? (\w+) order would expire unfilled\.$/,
    "$3 또는 더 좋은 가격의 호가가 $2 가운데 $1뿐이어서, $4 주문은 체결되지 않고 끝납니다.",
  ],
  [
    /^The book holds (\S+) of (.+) at (.+) or better; the rest of an IOC order would expire\.$/,
    "$3 또는 더 좋은 가격의 호가가 $2 가운데 $1뿐입니다. IOC 주문의 나머지는 체결되지 않고 끝납니다.",
  ],
  [
    /^The price (.+) is (\S+) above the best ask of (.+)\. Make sure that no digit is wrong\.$/,
    "가격 $1은(는) 최우선 매도호가 $3보다 $2 높습니다. 자릿수가 맞는지 확인하십시오.",
  ],
  [
    /^The price (.+) is (\S+) below the best bid of (.+)\. Make sure that no digit is wrong\.$/,
    "가격 $1은(는) 최우선 매수호가 $3보다 $2 낮습니다. 자릿수가 맞는지 확인하십시오.",
  ],
  [/^The price (.+) is (\S+) above what was last traded at, (.+)\.$/, "가격 $1은(는) 최근 체결가 $3보다 $2 높습니다."],
  [/^The price (.+) is (\S+) below what was last traded at, (.+)\.$/, "가격 $1은(는) 최근 체결가 $3보다 $2 낮습니다."],
  [
    /^An own (buy|sell) order at (.+) is in the way: .+ Cancel or move that one first\.$/,
    ([side = "", price = ""]) =>
      `내 ${SIDES[side]} 주문(${price})이 앞에 있습니다. 거래소는 자기 주문끼리의 거래를 허용하지 않아, 이 주문은 거기서 끝납니다. 그 주문을 먼저 취소하거나 옮기십시오.`,
  ],
  [
    /^It leaves (.+), too little to be sold by itself: (\S+) takes at least (.+)\. To sell all, base_volume "100%"\.$/,
    '$1이(가) 남는데, 이것만 따로 팔 수는 없습니다($2 최소 $3). 모두 팔려면 base_volume "100%"로 하십시오.',
  ],
  [
    /^The account is left with (.+), too little to be sold by itself: (\S+) takes at least (.+)\.$/,
    "계좌에 $1이(가) 남았는데, 이것만 따로 팔 수는 없습니다($2 최소 $3).",
  ],
];

const OF_THE_EXCHANGE: readonly Row[] = [
  [
    /^(.+) does not check orders in advance: this preview is hoga's own\.$/,
    "$1에서는 주문을 미리 확인받을 수 없습니다. 이 미리보기는 hoga가 직접 따져 본 것입니다.",
  ],
  [
    /^hoga was never tried with a real key of (.+): what it does there is proved in tests alone\.$/,
    "$1에서는 실제 키로 hoga를 써 본 적이 아직 없습니다. 동작은 테스트로만 확인했습니다.",
  ],
];

const OF_THE_SAME_ORDER: readonly Row[] = [
  [
    /^An order just like this one was placed (\d+) s ago, userref (\S+) \((\w+)\)\. Place this one only if a second one is wanted\.$/,
    ([seconds = "", userref = "", name = ""], { state }) =>
      `똑같은 주문을 ${seconds}초 전에 냈습니다(userref ${userref}, ${state(name)}). 하나 더 원할 때만 내십시오.`,
  ],
  [
    /^The same order already waits for approval; no second one was made\.$/,
    "똑같은 주문이 이미 승인을 기다립니다. 하나 더 만들지 않았습니다.",
  ],
  [
    /^The same order was sent before as userref (\S+), and nobody may have heard of it: to place this would be answered with that one\.$/,
    "똑같은 주문을 전에 보냈고(userref $1), 아무도 그 결과를 듣지 못했을 수 있습니다. 이 주문을 내면 그 주문으로 답합니다.",
  ],
  [
    /^The same order was sent before as userref (\S+), and nobody may have heard of it: this is that one\. No second order was placed\.$/,
    "똑같은 주문을 전에 보냈고(userref $1), 아무도 그 결과를 듣지 못했을 수 있습니다. 이것이 그 주문이며, 하나 더 내지 않았습니다.",
  ],
  [
    /^The same order is already approved and may be about to be sent as userref (\S+), and has no answer yet\. Nothing was sent now\.$/,
    "똑같은 주문이 이미 승인되어 곧 나갈 수 있고(userref $1) 아직 응답이 없습니다. 이번에는 보내지 않았습니다.",
  ],
  [
    /^The same order was sent before as userref (\S+), and has no answer yet\. Nothing was sent now\.$/,
    "똑같은 주문을 전에 보냈고(userref $1) 아직 응답이 없습니다. 이번에는 보내지 않았습니다.",
  ],
  [
    /^An order with userref (\S+) was requested before; this is that order, nothing was sent\.$/,
    "userref $1의 주문은 전에 요청되었습니다. 이것이 그 주문이며, 이번에는 보내지 않았습니다.",
  ],
  [
    /^It was asked for before; this is that one, nothing was sent now\.$/,
    "전에 요청된 것입니다. 이것이 그것이며, 이번에는 보내지 않았습니다.",
  ],
];

const OF_APPROVALS: readonly Row[] = [
  [
    /^This \w+ does not wait for approval any more; nothing was sent now\.$/,
    "더는 승인을 기다리지 않습니다. 이번에는 아무것도 보내지 않았습니다.",
  ],
  [/^The form was dismissed without an answer, so it still waits\. .+$/, "답 없이 창이 닫혀서 아직 승인을 기다립니다."],
  [
    /^The client brought no answer that can be read, so it still waits\. .+$/,
    "읽을 수 있는 답이 오지 않아 아직 승인을 기다립니다.",
  ],
  [
    /^The press of the ticket's button is no approval, as the order is not what the ticket showed\.(.*)$/,
    ([more = ""]) =>
      `티켓에 보인 주문과 달라서, 단추를 누른 것은 승인이 아닙니다.${
        more.includes("another reason")
          ? " 승인이 필요한 이유가 바뀌었습니다."
          : more.includes("moved")
            ? " 그사이 시세가 approval_drift_pct보다 많이 움직였습니다."
            : ""
      }`,
  ],
  [
    /^The call that asked for (?:this order|it) was withdrawn after it had been sent, so it counts as sent\..*$/,
    "요청이 취소되기 전에 이미 보냈으므로 보낸 것으로 칩니다. 원하지 않으면 취소하십시오.",
  ],
  [
    /^A person had said that this order was not placed; the exchange shows it\.$/,
    "들어가지 않았다고 사람이 정했던 주문이 거래소에 있습니다.",
  ],
  [
    /^Another process settled it meanwhile; nothing was changed here\.$/,
    "그사이 다른 프로세스가 처리했습니다. 여기서 바뀐 것은 없습니다.",
  ],
  [/^Not withdrawn, and may still be approved: (.+)$/, "철회하지 못했고 아직 승인될 수 있습니다: $1"],
  [
    /^A person approved it at this very moment: (.+)\. Look what became of it\.$/,
    "바로 이때 사람이 승인했습니다: $1. 어떻게 되었는지 확인하십시오.",
  ],
  [
    /^What waits for a person could not be withdrawn, and may still be approved\. (.+)$/,
    "승인을 기다리는 것을 철회하지 못했고 아직 승인될 수 있습니다. $1",
  ],
];

const OF_CANCELS: readonly Row[] = [
  [
    /^The order named was moved: this is what stood in its place, userref (\S+)\.$/,
    "정정된 주문입니다. 그 자리에 있던 주문(userref $1)의 결과입니다.",
  ],
  [
    /^A change of it, userref (\S+), was about to be placed and was withdrawn\.$/,
    "곧 나갈 정정 주문(userref $1)을 철회했습니다.",
  ],
  [
    /^How (\d+) orders that are no longer open ended is not known\.$/,
    "더는 미체결이 아닌 주문 $1건이 어떻게 끝났는지 알 수 없습니다.",
  ],
  [
    /^Userref (\S+) may still be placed: look with get_order\. ?(.*)$/,
    "userref $1의 주문은 아직 나갈 수 있습니다. 조회하십시오. $2",
  ],
  [/^Orders without an answer could not be listed\. (.+)$/, "응답이 없는 주문의 목록을 읽지 못했습니다. $1"],
  [
    /^The halt could not be stored, so no other process obeys it\. (.+)$/,
    "정지를 저장하지 못해 다른 프로세스는 따르지 않습니다. $1",
  ],
  [
    new RegExp(
      String.raw`^Trading was halted: (${SUM}) were lost today, and (max_day_loss_\w+) is (${SUM})\. What was open is canceled\.$`,
    ),
    "거래를 정지했습니다. 오늘 손실이 $1이고 한도($2)는 $3입니다. 미체결 주문은 취소했습니다.",
  ],
];

const OF_RECORDS: readonly Row[] = [
  [/^This step could not be recorded in the audit log\. (.+)$/, "이 단계를 감사 기록에 남기지 못했습니다. $1"],
  [/^What became of this \w+ could not be stored: (.+)$/, "어떻게 되었는지 저장하지 못했습니다. $1"],
];

const OF_HOLDINGS: readonly Row[] = [
  [
    /^(\S+ \S+) that had no known cost were sold in the period: what that earned is not known, and in no profit\.$/,
    "매입가를 모르는 $1을(를) 이 기간에 팔았습니다. 그 손익은 알 수 없어 어떤 손익에도 넣지 않았습니다.",
  ],
  [/^(\S+) has no price in KRW: it is in no value\.$/, "$1은(는) 원화 시세가 없어 평가 금액에 넣지 않았습니다."],
  [
    /^Fees were paid in (\S+), for which their fills have no price in KRW: they are in no figure\.$/,
    "$1(으)로 낸 수수료는 체결 때의 원화 시세가 없어 어디에도 넣지 않았습니다.",
  ],
  [
    /^The balances moved while they were read: ask again for figures of one moment\.$/,
    "읽는 동안 잔고가 움직였습니다. 한 시점의 숫자를 보려면 다시 조회하십시오.",
  ],
  [
    /^(\S+) left the account without a fill, and was traded meanwhile: .+ it counts as gone at (\S+), and .+$/,
    "$1이(가) 체결 없이 계좌에서 나갔고 그사이 거래도 있었습니다. 어느 거래의 앞인지 뒤인지 알 수 없어 $2에 나간 것으로 치며, 원가와 손익도 그에 따릅니다.",
  ],
  [
    /^Deposits and withdrawals of before (\S+) are not known: .+$/,
    "$1 이전의 입출금은 알 수 없어, 그때 있던 것을 그 전의 모든 날에 있던 것으로 칩니다.",
  ],
  [
    /^What came or went without a fill between (\S+) and (\S+) counts from then on: .+$/,
    "$1에서 $2 사이에 체결 없이 들어오거나 나간 것은, 어느 날인지 알 수 없어 그때부터 칩니다.",
  ],
  [
    /^(No totals yet|Cost and profit are not known yet): the trades are still being read from the exchange, behind all other calls \((\d+) so far(?:, back to (\S+))?\)\. Ask again\.$/,
    ([what = "", count = "", back]) =>
      `${what === "No totals yet" ? "합계는" : "원가와 손익은"} 아직 알 수 없습니다. 거래소에서 체결 내역을 읽는 중입니다(지금까지 ${count}건${back === undefined ? "" : `, ${back}까지`}). 다시 조회하십시오.`,
  ],
  [/^No totals: (.+)$/, "합계가 없습니다: $1"],
  [
    /^Trades are not known of this time: (.+)\. The exchange lists those of the last (\S+) hours alone, and .+$/,
    ([spans = "", hours = ""]) =>
      `다음 기간의 체결은 알 수 없습니다: ${spans.replace(/before (\S+Z)/, "$1 이전").replaceAll(" to ", " ~ ")}. 거래소가 최근 ${hours}시간의 체결만 알려 주는데 그 안에 조회하지 못했습니다. 어떤 금액에도 들어 있지 않습니다.`,
  ],
  [
    /^Trades before (\S+) may be missing from the list, and are in the totals as far as hoga has read them: the exchange lists those of the last (\S+) hours alone\.$/,
    "$1 이전의 체결은 목록에 없을 수 있고, 합계에는 hoga가 읽은 만큼 들어 있습니다. 거래소가 최근 $2시간의 체결만 알려 줍니다.",
  ],
];

const OF_THE_DESK: readonly Row[] = [
  [
    /^Until the exchange has named the account, nothing is known of .+$/,
    "거래소가 계좌를 알려 줄 때까지는 응답이 없거나 승인을 기다리는 주문, 한도, 취소 타이머를 알 수 없습니다. 보이지 않아도 있을 수 있습니다.",
  ],
  [
    /^Orders without an answer or waiting for a person, and limits, cannot be read, though none are shown\. (.+)$/,
    "응답이 없거나 승인을 기다리는 주문과 한도를 읽지 못했습니다. 보이지 않아도 있을 수 있습니다. $1",
  ],
  [/^No order leaves now\. (.+)$/, "지금은 주문이 나가지 않습니다. $1"],
  [/^Whether trading is halted cannot be read\. (.+)$/, "거래가 정지되어 있는지 읽지 못했습니다. $1"],
  [
    /^(What was lost today cannot be counted|The loss of the day has reached its limit)\. (No order passes|Only sells of what is held pass)\. ?(.*)$/,
    ([what = "", passes = "", more = ""]) =>
      `${what.startsWith("What") ? "오늘 손실을 셀 수 없습니다." : "오늘 손실이 한도에 닿았습니다."} ${
        passes.startsWith("No") ? "어떤 주문도 나가지 않습니다." : "가지고 있는 것의 매도만 됩니다."
      } ${more}`.trim(),
  ],
];

const DONE_TO_PLANS: Readonly<Record<string, string>> = {
  Canceled: "취소",
  Paused: "일시 정지",
  "Started again": "다시 시작",
};

const OF_PLANS: readonly Row[] = [
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
];

const SAID: readonly Row[] = [
  ...REASONS,
  ...OF_THE_BOOK,
  ...OF_THE_EXCHANGE,
  ...OF_THE_SAME_ORDER,
  ...OF_APPROVALS,
  ...OF_CANCELS,
  ...OF_RECORDS,
  ...OF_HOLDINGS,
  ...OF_THE_DESK,
  ...OF_PLANS,
];

/** A sentence of the desk. @param more that only some desks say */
export function koreanTold(sentence: string, reading: Reading, more: readonly Row[] = []): string {
  for (const [pattern, korean] of [...SAID, ...more]) {
    const found = pattern.exec(sentence);
    if (found === null) continue;
    const said = typeof korean === "string" ? filled(korean, found) : korean(found.slice(1), reading);
    return withSums(said.trim(), reading);
  }
  return sentence;
}

/** Each sum in won as its reader reads it. */
export function withSums(text: string, { won }: Pick<Reading, "won">): string {
  return text.replaceAll(/₩(\d[\d,]*(?:\.\d+)?)/g, (_, sum: string) => won(sum.replaceAll(",", "")));
}

/** "$1" is what was found first, and takes its particle. */
const PLACE = new RegExp(String.raw`\$(\d)${PAIR}`, "g");

export function filled(korean: string, found: readonly string[]): string {
  return korean.replace(
    PLACE,
    (_, at: string, pair?: string) => withParticle(found[Number(at)] ?? "", pair), // not money: a place
  );
}

/** Why a person is asked, of which there may be several reasons. @param more as of `koreanTold` */
export function koreanReasons(why: string, reading: Reading, more: readonly Row[] = []): string {
  return why
    .split("; ")
    .map((reason) => koreanTold(reason, reading, more))
    .join("; ");
}
