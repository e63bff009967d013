/**
 * Owns the Korean of why the policy denies what was asked for, each sentence of its rules with what would pass. A sentence that is not known here
 * is undefined, so that the meaning of the code is said in its place.
 */
import { withParticles } from "./particle.ts";
import { filled, SUM } from "./told.ts";

type Found = readonly string[];
type Row = readonly [sentence: RegExp, korean: string | ((found: Found) => string)];

const NAMES: Readonly<Record<string, string>> = {
  live: "실거래",
  sandbox: "모의",
  account: "계좌",
  environment: "거래 환경",
  symbol: "마켓",
  side: "매매 방향",
  buy: "매수",
  sell: "매도",
  nothing: "없음",
  none: "없음",
  halted: "거래 정지",
  delisting: "거래 지원 종료 예정",
  limit: "지정가",
  market: "시장가",
  pin: "PIN",
  passkey: "패스키",
  client: "확인 창(client)",
  done: "완료",
  expired: "기간 만료",
  replaced: "교체됨",
  denied: "승인 거부",
  lapsed: "무효",
};
const named = (word: string): string => NAMES[word] ?? word;
const MORE = / and (\d+) more/g;

const STANDS: readonly Row[] = [
  [/^is not there any more$/, "더 이상 없습니다"],
  [/^is waiting for a person$/, "사람의 확인을 기다리고 있습니다"],
  [/^is paused$/, "일시 정지되어 있습니다"],
  [/^is canceled$/, "취소되었습니다"],
  [/^is (\w+)$/, ([state = ""]) => `지금 진행 중이 아닙니다(${named(state)})`],
  [/^has gone on without it$/, "이미 다음으로 넘어갔습니다"],
  [/^was approved by nobody$/, "승인되지 않았습니다"],
  [/^has come to its end$/, "기간이 끝났습니다"],
];

const OF_THE_DESK: readonly Row[] = [
  [
    /^this order was made for (\w+) and would go to (\w+)$/,
    ([made = "", to = ""]) => `${named(made)}용으로 만든 주문인데 ${named(to)} 계좌로 나가게 됩니다.`,
  ],
  [
    /^it was made for (\w+), and this is (\w+)$/,
    ([made = "", to = ""]) => `${named(made)}용으로 만든 요청인데 여기는 ${named(to)}입니다.`,
  ],
  [
    /^trading was halted at (an unknown time|\S+) by ("(?:[^"\\]|\\.)*")(?:, who gave as reason ("(?:[^"\\]|\\.)*"))?$/,
    ([at = "", by = "", why]) =>
      `거래가 정지되어 있습니다(${at === "an unknown time" ? "시각 모름" : at}, 정지한 쪽: ${by}${why === undefined ? "" : `, 이유: ${why}`}).`,
  ],
  [/^mode is read-only, so no order is placed$/, "조회 전용(mode = read-only)이라 주문을 내지 않습니다."],
  [/^the policy is read-only$/, "조회 전용(mode = read-only)입니다."],
  [
    /^hoga was never tried with a real key of ([^:]+)$/,
    "$1에서는 실제 키로 hoga를 써 본 적이 아직 없어, 조회만 하고 주문은 내지 않습니다.",
  ],
  [
    /^(\S+) is not among the markets allowed, which are (.+)$/,
    ([symbol = "", markets = ""]) =>
      `${symbol}은(는) 허용된 마켓이 아닙니다. 허용된 마켓: ${markets.replaceAll(MORE, " 외 $1개")}.`,
  ],
  [
    /^(\S+) is quoted in (\w+) and this profile counts in (\w+), so no limit can be held against the order$/,
    "$1의 가격은 $2 기준인데 이 프로필은 $3 기준으로 계산하므로, 주문을 한도와 비교할 수 없습니다.",
  ],
  [
    /^(\S+) is (\w+) and takes no new orders(; cancels still work)?$/,
    ([symbol = "", status = "", cancels]) =>
      `${symbol}은(는) 지금 새 주문을 받지 않습니다(${named(status)}).${cancels === undefined ? "" : " 취소는 됩니다."}`,
  ],
  [/^type (\w+) is not allowed$/, ([type = ""]) => `주문 유형(type) ${named(type)}은(는) 허용되지 않습니다.`],
  [/^time_in_force (\w+) is not allowed$/, "유효 조건(time_in_force) $1은(는) 허용되지 않습니다."],
];

const OF_PRICES: readonly Row[] = [
  [
    /^the order book of (\S+) is (\d+) ms old, more than book_max_age_ms (\d+)$/,
    "$1 호가가 $2 ms 전의 것이라 한도(book_max_age_ms) $3 ms보다 오래되었습니다.",
  ],
  [
    /^the order book of (\S+) is (\d+) ms ahead of the clock, more than book_max_age_ms (\d+)$/,
    "$1 호가의 시각이 이 컴퓨터의 시계보다 $2 ms 앞서, 한도(book_max_age_ms) $3 ms를 넘습니다.",
  ],
  [
    /^no book of (\S+) with a price to value the order by was seen$/,
    "주문 금액을 계산할 수 있는 $1 호가를 찾지 못했습니다.",
  ],
  [
    /^price (.+?) is (\S+) % (above|below) (the book's mid|the book's only best price|the middle of the last trades) (.+), further than price_collar_pct (\S+)$/,
    ([asked, percent, where, by = "", at, limit]) =>
      `가격 ${asked}은(는) ${REFERENCES[by]} ${at}보다 ${percent}% ${where === "above" ? "높아" : "낮아"}, 한도(price_collar_pct) ${limit}%를 넘습니다.`,
  ],
  [
    /^the order would trade (\S+) % from (the book's mid|the book's only best price|the middle of the last trades) (.+) on average, further than price_collar_pct (\S+)$/,
    ([percent, by = "", at, limit]) =>
      `예상 평균 체결가가 ${REFERENCES[by]} ${at}에서 ${percent}% 벗어나, 한도(price_collar_pct) ${limit}%를 넘습니다.`,
  ],
  [/^the book of (\S+) as seen holds (.+) for this order of (.+)$/, "$1 호가에는 $2뿐인데, 이 주문은 $3입니다."],
  [
    /^the order would move (\S+) % from the best price (.+) on average, more than max_slippage_pct (\S+)$/,
    "예상 평균 체결가가 최우선 호가 $2에서 $1% 벗어나, 한도(max_slippage_pct) $3%를 넘습니다.",
  ],
  [/^a protection sells by a limit order$/, "보호 예약은 지정가로만 팝니다."],
  [/^price (.+) is below the floor (.+) of the plan$/, "가격 $1은(는) 예약의 매도 하한 $2보다 낮습니다."],
  [
    /^it would sell (.+), and (.+) is free, as other orders are taking the rest$/,
    "$1을(를) 팔아야 하는데, 나머지는 다른 주문에 묶여 있어 지금 매도 가능 수량은 $2입니다.",
  ],
  [
    /^nobody else buys on (\S+), so that no price is known to be near the market$/,
    "$1 호가창에 다른 사람의 매수 호가가 없어 시세를 알 수 없습니다.",
  ],
  [
    /^price (.+) is further below the best bid of others, (.+), than protective_slippage_pct (\S+)$/,
    "가격 $1은(는) 다른 사람의 최우선 매수호가 $2보다 한도(protective_slippage_pct) $3 넘게 낮습니다.",
  ],
];

const REFERENCES: Readonly<Record<string, string>> = {
  "the book's mid": "호가 중간가",
  "the book's only best price": "한쪽에만 있는 최우선 호가",
  "the middle of the last trades": "최근 체결가의 중간값",
};

const OF_SUMS: readonly Row[] = [
  [
    new RegExp(String.raw`^the order counts for (${SUM}), larger than (\S+) (${SUM})$`),
    "주문 금액 $1이(가) 1회 주문 한도($2) $3보다 큽니다.",
  ],
  [
    /^orders sent within the last minute: (\d+), and max_orders_per_minute is (\d+)$/,
    "최근 1분 동안 주문을 $1건 냈고, 한도(max_orders_per_minute)는 $2건입니다.",
  ],
  [/^orders open: (\d+), and max_open_orders is (\d+)$/, "미체결 주문이 $1건이고, 한도(max_open_orders)는 $2건입니다."],
  [
    new RegExp(
      String.raw`^open orders count for (${SUM}) and this one for (${SUM}), together more than (\S+) (${SUM})$`,
    ),
    "미체결 주문 $1에 이 주문 $2을(를) 더하면 미체결 한도($3) $4보다 큽니다.",
  ],
  [
    new RegExp(
      String.raw`^orders of the last 24 hours count for (${SUM}) and this one for (${SUM}), together more than (\S+) (${SUM})$`,
    ),
    "최근 24시간의 주문 $1에 이 주문 $2을(를) 더하면 하루 한도($3) $4보다 큽니다.",
  ],
  [
    new RegExp(
      String.raw`^orders of the last 24 hours and the (${SUM}) that (.+) (?:has|have) set aside for the next count for (${SUM}) and this one for (${SUM}), together more than (\S+) (${SUM})$`,
    ),
    ([aside, plans = "", used, value, setting, limit]) =>
      `최근 24시간의 주문과 예약(${plans.replaceAll(MORE, " 외 $1건")})이 앞으로 24시간 몫으로 미리 잡아 둔 ${aside}을(를) 합한 ${used}에 이 주문 ${value}을(를) 더하면 하루 한도(${setting}) ${limit}보다 큽니다.`,
  ],
  [/^what was lost today cannot be counted now$/, "오늘 손실을 지금 계산할 수 없습니다."],
  [
    new RegExp(String.raw`^(${SUM}) were lost today, fees and what is held included, and (\S+) is (${SUM})$`),
    "오늘 손실(수수료와 보유 자산의 평가 손익 포함)이 $1이고, 한도($2)는 $3입니다.",
  ],
  [
    /^what was sent in the last 24 hours was counted in (.+) and this profile counts in (\w+), so no limit can be held against both$/,
    ([were = "", unit]) =>
      `최근 24시간에 보낸 것은 ${were === "several units" ? "여러 화폐" : were}(으)로 계산되었는데 이 프로필은 ${unit}(으)로 계산하므로, 둘을 합해 한도와 비교할 수 없습니다.`,
  ],
];

const OF_PLANS: readonly Row[] = [
  [
    /^this plan was approved by nobody, which holds on practice alone$/,
    "사람이 승인하지 않은 예약입니다. 승인 없는 예약은 모의 거래에서만 유효합니다.",
  ],
  [
    /^the policy does not take approval by (\w+) any more$/,
    ([way = ""]) => `정책(approve_by)이 더 이상 ${named(way)} 승인을 받지 않습니다.`,
  ],
  [
    /^the plan (?:(\S+) )?of this order (.+)$/,
    ([id, stands = ""]) =>
      `이 주문의 예약${id === undefined ? "" : ` ${id}`}은(는) ${saidBy(STANDS, stands) ?? stands}.`,
  ],
  [
    /^order (\d+) of the plan was approved for (\w+)(?: (\S+))?, not for (\w+)(?: (\S+))?$/,
    ([step, side = "", symbol = "", other = "", otherSymbol = ""]) => {
      const approved = [symbol, named(side)].join(" ").trim();
      const found = `이 주문은 ${[otherSymbol, named(other)].join(" ").trim()}입니다.`;
      if (side === "nothing") return `예약에는 승인된 ${step}번째 주문이 없는데, ${found}`;
      return `예약의 ${step}번째 주문은 ${approved}(으)로 승인되었는데, ${found}`;
    },
  ],
  [
    /^the plan was approved for (account|environment|symbol|side) (\S+), not for (\S+)$/,
    ([what = "", approved = "", given = ""]) =>
      `예약이 승인된 ${named(what)}은(는) ${named(approved)}인데, 이 주문은 ${named(given)}입니다.`,
  ],
  [
    /^(plans|alerts) open: (\d+), and (\w+) is (\d+)$/,
    ([what, open, setting, limit]) =>
      `열려 있는 ${what === "alerts" ? "알림이" : "예약이"} ${open}건이고, 한도(${setting})는 ${limit}건입니다.`,
  ],
  [
    new RegExp(`^the plan counts for (${SUM}) at worst, more than (${SUM}) that one plan may$`),
    "예약 금액이 최악의 경우 $1(으)로, 예약 한 건의 한도 $2보다 큽니다.",
  ],
  [
    new RegExp(`^an order of it counts for (${SUM}), more than (${SUM}) that one order may$`),
    "예약의 주문 하나가 $1(으)로, 1회 주문 한도 $2보다 큽니다.",
  ],
  [
    new RegExp(
      `^its busiest 24 hours count for (${SUM}) and (${SUM}) are used or set aside for other plans, more than (${SUM}) in all$`,
    ),
    "이 예약이 가장 많이 쓰는 24시간의 금액 $1에 이미 썼거나 다른 예약이 잡아 둔 $2을(를) 더하면 하루 한도 $3보다 큽니다.",
  ],
  [
    new RegExp(`^the plan would protect (${SUM}) and (${SUM}) is held(?:, of which open plans protect (${SUM}))?$`),
    ([volume, held, others]) =>
      `예약이 보호할 수량은 ${volume}인데 가지고 있는 것은 ${held}입니다${others === undefined ? "" : `(이 가운데 ${others}은(는) 다른 예약이 보호하고 있습니다)`}.`,
  ],
  [/^plan (\S+) begins with order (\S+) already$/, "예약 $1이(가) 이미 주문 $2(으)로 시작하게 되어 있습니다."],
  [/^order (\d+) of a plan that was approved for (\d+)$/, "주문 $2건까지 승인된 예약의 $1번째 주문입니다."],
  [/^the plan ended at (\S+)$/, "예약 기간이 $1에 끝났습니다."],
  [
    new RegExp(`^with this order the plan comes to (.+), more than the (${SUM}) that were approved$`),
    ([sum = "", approved]) =>
      UNKNOWN.includes(sum)
        ? `이 주문까지 더한 값을 알 수 없어 승인된 ${approved} 이내인지 확인하지 못했습니다.`
        : `이 주문까지 더하면 예약의 합계가 ${sum}(으)로, 승인된 ${approved}을(를) 넘습니다.`,
  ],
  [
    new RegExp(`^this order counts for (.+), more than the (${SUM}) that were approved$`),
    ([sum = "", approved]) =>
      UNKNOWN.includes(sum)
        ? `주문 금액을 계산할 수 없어 승인된 ${approved} 이내인지 확인하지 못했습니다.`
        : `주문 금액 ${sum}이(가) 승인된 ${approved}보다 큽니다.`,
  ],
  [new RegExp(`^the plan was approved for prices from (${SUM}) up$`), "예약은 $1 이상의 가격으로만 승인되었습니다."],
  [new RegExp(`^the plan was approved for prices up to (${SUM})$`), "예약은 $1 이하의 가격으로만 승인되었습니다."],
];
const UNKNOWN = ["a volume that is not known", "what cannot be valued"];

/** What would pass, as it stands behind the colon: several, with commas between them. */
const REMEDIES: readonly Row[] = [
  [/^preview it again in the profile it is meant for/, "이 주문을 낼 프로필에서 미리보기를 다시 하십시오."],
  [/^cancels still work, and only a person lifts it/, "취소는 되며, 정지는 사람만 풀 수 있습니다."],
  [/^look only/, "조회만 하십시오."],
  [/^or a person changes mode in policy\.toml/, "주문하려면 사람이 policy.toml의 mode를 바꿔야 합니다."],
  [/^it reads there, and places nothing/, ""],
  [/^choose one of these/, "이 가운데에서 고르십시오."],
  [/^or a person adds it to (\w+) in policy\.toml/, "아니면 사람이 policy.toml의 $1에 추가해야 합니다."],
  [/^choose a market quoted in (\w+)/, "$1 마켓을 고르십시오."],
  [/^wait until it trades again; cancels still work/, "거래가 다시 시작될 때까지 기다리십시오. 취소는 됩니다."],
  [
    /^ask again, and see with get_desk_status whether the exchange answers and the clock is right/,
    "다시 요청하고, 거래소가 응답하는지와 시계가 맞는지 확인하십시오.",
  ],
  [/^look with get_orderbook, and place it when there is one/, "호가를 확인하고, 호가가 있을 때 주문하십시오."],
  [/^choose a nearer price/, "시세에 더 가까운 가격을 고르십시오."],
  [/^make it smaller or shorter/, "금액이나 기간을 줄이십시오."],
  [/^make each smaller/, "한 번에 주문하는 금액을 줄이십시오."],
  [/^make it smaller, or begin it later/, "금액을 줄이거나 나중에 시작하십시오."],
  [
    new RegExp(`^cancel one of these first and make it at most (${SUM})$`),
    "그 예약 가운데 하나를 먼저 취소하고, $1 이하로 줄이십시오.",
  ],
  [/^(?:or )?cancel one of these first/, "그 예약 가운데 하나를 먼저 취소하십시오."],
  [/^cancel that/, "그 예약을 취소하십시오."],
  [
    /^or name (?:it in replaces|in replaces the one that it takes the place of)/,
    "아니면 replaces에 대신할 예약을 적으십시오.",
  ],
  [/^a plan that protects is made of coins that are there/, "보호 예약은 이미 가지고 있는 코인으로 만듭니다."],
  [/^make it smaller(?=(, (?:or )?use)?)/, ([other]) => `주문을 ${other === undefined ? "줄이십시오." : "줄이거나"}`],
  [/^(?:or )?use a limit order/, "지정가로 주문하십시오."],
  [/^it is tried again when somebody does/, "매수 호가가 나오면 다시 시도합니다."],
  [/^it is tried again by what they leave/, "그 주문들이 끝나면 남은 수량으로 다시 시도합니다."],
  [
    /^make it at most (₩\d(?:[\d,]*\d)?(?:\.\d+)?|\S+ \w+)(?=(, (?:wait|(?:or )?cancel|pause))?)/,
    ([size, other]) => `${size} 이하로 ${other === undefined ? "줄이십시오." : "줄이거나,"}`,
  ],
  [/^no smaller size passes now/, "지금은 주문을 더 줄여도 낼 수 없습니다."],
  [/^wait until (\S+Z), when enough of the budget is free/, "하루 한도에 여유가 충분히 생기는 $1까지 기다리십시오."],
  [/^wait until after (\S+Z)/, "$1 이후에 다시 주문하십시오."],
  [/^wait until (\S+Z)/, "$1까지 기다리십시오."],
  [
    /^do not wait, as it counts for more than the budget of a day/,
    "하루 한도보다 큰 주문이라 기다려도 낼 수 없습니다.",
  ],
  [/^cancel what is no longer needed/, "필요 없는 것을 취소하십시오."],
  [/^pause or cancel what is not wanted of that/, "원하지 않는 예약을 일시 정지하거나 취소하십시오."],
  [
    /^cancel what is open of it and wait until the rest is a day old(?:, at (\S+Z))?/,
    ([at]) =>
      `아직 끝나지 않은 것은 취소하고, 나머지는 보낸 지 하루가 지날 때까지${at === undefined ? "" : `(${at})`} 기다리십시오.`,
  ],
  [/^or use the profile that it was sent in/, "아니면 그것을 보낸 프로필을 쓰십시오."],
  [/^until the day is over only sells of what is held pass/, "오늘은 가지고 있는 코인의 매도만 됩니다."],
  [/^trading is halted, and a person lifts that/, "거래가 정지되었으며, 정지는 사람만 풀 수 있습니다."],
  [
    /^use ([\w, ]+?)(?=, or a person|$)/,
    ([types = ""]) =>
      `쓸 수 있는 것: ${types.replaceAll(MORE, " 외 $1개").replaceAll(/\b(?:limit|market)\b/g, named)}.`,
  ],
  [/^or a person raises the limit in policy\.toml/, "한도는 사람이 policy.toml에서 올릴 수 있습니다."],
];

const FINDINGS: readonly Row[] = [...OF_THE_DESK, ...OF_PRICES, ...OF_SUMS, ...OF_PLANS];
const NOTHING_SENT = ". Nothing was sent.";

/** @param more that only some desks say. @returns undefined unless the whole of it is known */
export function koreanDenial(message: string, more: readonly Row[] = []): string | undefined {
  const isSaid = message.endsWith(NOTHING_SENT);
  const [finding, remedies] = splitAt(isSaid ? message.slice(0, -NOTHING_SENT.length) : message);
  const rows = [...FINDINGS, ...more];
  const found = saidBy(rows, finding) ?? saidBy(rows, `${finding.charAt(0).toLowerCase()}${finding.slice(1)}`);
  const passes = remedies === undefined ? [] : remediesIn(remedies);
  if (found === undefined || passes === undefined) return undefined;
  return [found, ...passes, ...(isSaid ? ["보낸 것은 없습니다."] : [])].filter((each) => each !== "").join(" ");
}

/** What breaks a rule, and what would pass. A colon may stand within the first. */
function splitAt(said: string): readonly [string, string?] {
  for (let at = said.indexOf(": "); at >= 0; at = said.indexOf(": ", at + 1))
    if (REMEDIES.some(([pattern]) => pattern.test(said.slice(at + 2)))) return [said.slice(0, at), said.slice(at + 2)];
  return [said];
}

function remediesIn(text: string): readonly string[] | undefined {
  const said: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const row = REMEDIES.find(([pattern]) => pattern.test(rest));
    const found = row?.[0].exec(rest);
    if (row === undefined || !found) return undefined;
    said.push(korean(row[1], found));
    rest = rest.slice(found[0].length).replace(/^, /, "");
  }
  return said;
}

function saidBy(rows: readonly Row[], sentence: string): string | undefined {
  for (const [pattern, said] of rows) {
    const found = pattern.exec(sentence);
    if (found !== null) return korean(said, found);
  }
  return undefined;
}

function korean(said: Row[1], found: readonly string[]): string {
  return typeof said === "string" ? filled(said, found) : withParticles(said(found.slice(1)));
}
