/**
 * The Korean of what an exchange has not, as the desk says it of an order before anything is sent: each sentence of `checkCard`, and of several the
 * whole. A sentence that is not known here is undefined.
 */
type Row = readonly [sentence: RegExp, korean: string];

const SIDES: Readonly<Record<string, string>> = { buy: "매수", sell: "매도" };
const TYPES: Readonly<Record<string, string>> = { limit: "지정가", market: "시장가" };

const LACKS: readonly Row[] = [
  [
    /^(.+) takes a market (\w+) as an amount of (\w+): give quote_amount in place of base_volume$/,
    "$1에서는 시장가 $2를 $3 금액으로 냅니다. base_volume 대신 quote_amount를 적으십시오.",
  ],
  [
    /^(.+) takes a market (\w+) as coins: give base_volume in place of quote_amount$/,
    "$1에서는 시장가 $2를 코인 수량으로 냅니다. quote_amount 대신 base_volume을 적으십시오.",
  ],
  [
    /^(.+) has no (\w+) for (\w+) (buy|sell) orders: it takes (.+)$/,
    "$1에는 $3 $4 주문에 $2가 없습니다. 쓸 수 있는 것: $5.",
  ],
  [/^(.+) has no (\w+) for (\w+) orders: it takes (.+)$/, "$1에는 $3 주문에 $2가 없습니다. 쓸 수 있는 것: $4."],
  [/^(.+) has no post-only orders: leave it out$/, "$1에는 post-only 주문이 없습니다. 빼십시오."],
  [/^(.+) has no (\w+) orders$/, "$1에는 $2 주문이 없습니다."],
];
const NOTHING_SENT = ". Nothing was sent.";

/** @returns undefined unless every part of it is such a sentence */
export function koreanLack(message: string): { readonly meaning: string } | undefined {
  const isSaid = message.endsWith(NOTHING_SENT);
  const parts = (isSaid ? message.slice(0, -NOTHING_SENT.length) : message).split("; ").map(koreanOf);
  if (parts.includes(undefined)) return undefined;
  return { meaning: [...parts, ...(isSaid ? ["보낸 것은 없습니다."] : [])].join(" ") };
}

function koreanOf(sentence: string): string | undefined {
  for (const [pattern, korean] of LACKS) {
    const found = pattern.exec(sentence);
    if (found !== null) return korean.replace(/\$(\d)/g, (_, at: string) => named(found[Number(at)] ?? "")); // not money: a place
  }
  return undefined;
}

function named(word: string): string {
  return SIDES[word] ?? TYPES[word] ?? word;
}
