/**
 * The terms of a basket: shares that come to all of it, and the orders that bring the assets there, reckoned once.
 *
 * Invariant: the shares that are named are together exactly 100 %, so that a slip is found.
 *
 * Source: decision 0123.
 */
import { quoted } from "../../../contract/index.ts";
import { Fraction, PLAIN_DECIMAL } from "../../../decimal/index.ts";
import type { BasketLeft } from "../../model/plan.ts";
import type { PlanRequest } from "../../model/plan-report.ts";
import { basketOf } from "./basket.ts";
import type { KindTerms, PlanFacts, Reading } from "./plan-request.ts";

/** Coins of one basket: each is asked for its book. */
const COINS_MAX = 20;
const NAME = /^[A-Z0-9]{1,15}$/;
const HUNDRED = Fraction.of("100");

/** The coins that a request names, as far as they can be such: what is wrong with the rest is said when it is read. */
export function coinsNamed({ weights = {} }: Pick<PlanRequest, "weights">, quote: string): readonly string[] {
  return Object.keys(weights)
    .filter((asset) => asset !== quote && NAME.test(asset))
    .slice(0, COINS_MAX);
}

export function rebalanceTerms(
  { weights: given = {} }: PlanRequest,
  { basket, policy: { unit } }: PlanFacts,
  reading: Reading,
): KindTerms | undefined {
  const weights = weightsOf(given, unit, reading);
  if (weights === undefined) return undefined;
  if (basket === undefined) throw new Error("a basket is made with its markets");
  const made = basketOf(weights, basket);
  if (made === undefined) {
    const unquoted = basket.assets.filter(({ quotes: { bid, ask } }) => bid === undefined && ask === undefined);
    const symbols = unquoted.map(({ market }) => market.symbol).join(", ");
    return reading.wrong("weights", `nobody else quotes ${symbols} now, so that what the plan comes to is not known`);
  }
  const { quote } = basket;
  const warnings = [
    ...(weights[quote] === undefined
      ? [`${quote} is not named: it is not counted, and no more is bought than sells bring`]
      : []),
    ...made.left.map(leftText),
    "only the assets that are named are touched: others are left, and not counted",
  ];
  if (made.orders.length > 0) return { terms: { kind: "rebalance", weights, quote, ...made }, warnings };
  const left = made.left.map(leftText).join("; ");
  return reading.wrong(
    "weights",
    left === ""
      ? "the assets are at these shares already: nothing is to be traded"
      : `nothing of it can be traded now: ${left}`,
  );
}

const WHY: Readonly<Record<BasketLeft["why"], string>> = {
  small: "what it would take is less than its market takes",
  halted: "its market takes no orders now",
  locked: "coins of it are in open orders",
};

/** Without a full stop. */
function leftText({ asset, why }: BasketLeft): string {
  return `${asset} is left as it is, or in part: ${WHY[why]}`;
}

function weightsOf(
  given: Readonly<Record<string, string>>,
  quote: string,
  reading: Reading,
): Readonly<Record<string, string>> | undefined {
  const read: Record<string, string> = {};
  for (const [asset, text] of Object.entries(given)) {
    if (!NAME.test(asset))
      return reading.wrong("weights", `weights name assets such as "BTC"; got ${quoted(asset, 40)}`);
    const percent = text.slice(0, -1);
    if (!text.endsWith("%") || !PLAIN_DECIMAL.test(percent) || Fraction.of(percent).cmp(HUNDRED) > 0)
      return reading.wrong("weights", `the share of ${asset} is written as "50%"; got ${quoted(text, 40)}`);
    read[asset] = percent;
  }
  const coins = Object.keys(read).filter((asset) => asset !== quote).length;
  if (coins === 0 || coins > COINS_MAX)
    return reading.wrong("weights", `weights name from one to ${COINS_MAX} coins beside ${quote}`);
  const sum = Object.values(read).reduce((all, percent) => all.plus(Fraction.of(percent)), Fraction.ZERO);
  if (sum.cmp(HUNDRED) === 0) return read;
  const comesTo = `the shares come to ${sum.rounded(8, "half_even")} %, and have to be exactly 100 %`;
  if (read[quote] !== undefined || sum.cmp(HUNDRED) > 0) return reading.wrong("weights", comesTo);
  const rest = HUNDRED.minus(sum).rounded(8, "half_even");
  return reading.wrong("weights", `${comesTo}: give "${quote}":"${rest}%" too, where the rest is to be ${quote}`);
}
