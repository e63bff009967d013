/**
 * Owns how figures of results are shown in text, for models: what `amount` leaves to be said.
 */

import { quoted } from "../../contract/index.ts";
import { formatPercent, type Rate } from "../../decimal/index.ts";
import { shortAmount as amount } from "../../words/index.ts";

/** A figure with its asset, computed won shortened; and what is sent as it is, a price or a size, with all digits. */
export { amount as exactAmount, assetsOf } from "../../words/index.ts";
export { amount };

/** The same, or a word for what is not there. */
export function amountOr(text: string | null, asset: string, none: string): string {
  return text === null ? none : amount(text, asset);
}

/** Rules whose figure and limit are sums in the unit of account. */
const SUM_RULE = /^(order_size|size|open_exposure|day_loss|(\w+_)?day_budget)$/;

/** A figure or limit of a rule of the policy, in its unit. */
export function limitFigure(rule: string, figure: string, unit: string): string {
  return SUM_RULE.test(rule) && /^\d/.test(figure) ? amount(figure, unit) : figure;
}

/** "No open orders", "1 open order", "2 open orders". */
export function counted(count: number, noun: string): string {
  return `${count === 0 ? "No" : count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A rate as shown everywhere: "0.050%". */
export function percent(ratio: Rate): string {
  return formatPercent(ratio, 3);
}

export function isPositive(text: string | null): text is string {
  return text !== null && !text.startsWith("-") && /[1-9]/.test(text);
}

/** The canonical symbol, with the caller's own spelling where it was another. */
export function marketNamed(canonical: string, typed: string | undefined): string {
  return typed === undefined || typed === canonical ? canonical : `${canonical} (you wrote ${quoted(typed)})`;
}
