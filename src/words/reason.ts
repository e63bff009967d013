/**
 * Owns the Korean of the desk's reasons to ask a person, which it gives in English, as one text for every reader. A reason that is
 * not known here is shown as the desk gives it.
 */

type Won = (text: string) => string;

/** Each with the figures that it was given. */
const REASONS: readonly (readonly [RegExp, (figures: readonly string[], won: Won) => string])[] = [
  [
    /^the order counts for (\S+) KRW, more than approval_over_krw (\S+)$/,
    ([value = "", limit = ""], won) =>
      `주문 금액 ${wonOrMore(value, won)}이 승인 기준(approval_over_krw) ${won(limit)}보다 큽니다`,
  ],
  [
    /^it comes to (\S+) KRW, more than (\S+) (\S+)$/,
    ([value = "", setting = "", limit = ""], won) =>
      `금액 ${wonOrMore(value, won)}이 승인 기준(${setting}) ${won(limit)}보다 큽니다`,
  ],
  [
    /^policy\.toml names no beneficiaries who get money without a person$/,
    () => "사람의 승인 없이 돈을 받을 수 있는 수취인이 policy.toml에 없습니다",
  ],
  [/^mode is (\S+): a person approves .+$/, ([mode = ""]) => `설정(mode = ${mode})에 따라 모두 사람이 승인합니다`],
  [
    /^it sells what is held and goes over (.+)$/,
    ([limits = ""]) => `가지고 있는 코인을 팔면서 다음 한도를 넘습니다: ${limits.replaceAll(" and ", ", ")}`,
  ],
  [
    /^nobody else (buys|sells) in the book, so that the price of the market is not known$/,
    ([side]) => `호가에 다른 사람의 ${side === "buys" ? "매수" : "매도"} 주문이 없어 시세를 알 수 없습니다`,
  ],
  [
    /^more than (\d+) own orders are open, so that it is not known what of the book others make$/,
    ([count = ""]) => `내 미체결 주문이 ${count}건을 넘어 다른 사람의 호가를 가려낼 수 없습니다`,
  ],
  [
    /^the best prices of others, (\S+) and (\S+), are (\S+) % apart, further than price_collar_pct (\S+)$/,
    ([bid = "", ask = "", apart = "", collar = ""], won) =>
      `다른 사람의 최우선 호가 ${won(bid)}과 ${won(ask)}의 차이가 ${apart}%로, price_collar_pct ${collar}%보다 큽니다`,
  ],
];

/** Where there is no price to value it by, the desk says "more". */
function wonOrMore(value: string, won: Won): string {
  return /^\d/.test(value) ? won(value) : "(값을 매길 시세 없음)";
}

export function koreanReason(why: string, won: Won): string {
  return why
    .split("; ")
    .map((reason) => {
      for (const [pattern, said] of REASONS) {
        const found = pattern.exec(reason);
        if (found !== null) return said(found.slice(1), won);
      }
      return reason;
    })
    .join("; ");
}
