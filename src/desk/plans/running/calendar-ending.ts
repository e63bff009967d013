/**
 * What the end of an order does to a plan that goes by the calendar: it is told, and the plan goes on with its next turn or piece.
 *
 * Source: decision 0111.
 */
import { defined } from "../../../contract/index.ts";
import { averagePrice, notional, quantity } from "../../../decimal/index.ts";
import { executedAtMost } from "../../model/account-usage.ts";
import type { IntentRecord } from "../../model/intent.ts";
import type { PlanStep, RebalanceTerms } from "../../model/plan.ts";
import type { AuditDetail } from "../../model/submission.ts";
import { executedOf } from "../../risk/executed.ts";
import { broughtBy, seenOf } from "./basket-order.ts";
import type { EndedStep, StepEnding } from "./step-ending.ts";
import type { CalendarTerms } from "./step-order.ts";

const PRICE_DECIMALS = 8;

export function afterCalendar({ step, intent, to }: EndedStep): StepEnding {
  const type = to === "done" ? "plan.step_done" : "plan.step_missed";
  const why = intent.body.fault?.message;
  const body = { state: to, ...stepBody(step), ...executedBody(intent), ...defined({ why }) };
  return { notices: [{ type, key: String(step.step), body }] };
}

/** What all orders of a plan have come to, and of pieces what is left of the whole. */
export function sumsOf(terms: CalendarTerms, children: readonly IntentRecord[]): AuditDetail {
  if (terms.kind === "rebalance") return basketSums(terms, children);
  const { kind, size } = terms;
  const seen = children.flatMap(({ body }) => body.seen ?? []);
  const volume = executedOf(children);
  const value = seen.reduce((sum, order) => sum.plus(executedAtMost(order)), notional("0"));
  const sums = { volume: volume.toString(), value: value.toString() };
  if (kind === "recurring") return sums;
  const left = "quoteAmount" in size ? notional(size.quoteAmount).minus(value) : quantity(size.volume).minus(volume);
  return { ...sums, left: left.toString() };
}

/** What sells have brought behind their fees, what buys have cost before theirs, and what was left from the start. */
function basketSums(terms: RebalanceTerms, children: readonly IntentRecord[]): AuditDetail {
  const spent = seenOf(children, "buy").reduce((sum, order) => sum.plus(executedAtMost(order)), notional("0"));
  const brought = broughtBy(terms, children).rounded(PRICE_DECIMALS, "down");
  return { brought, spent: spent.toString(), left: terms.left.map(({ asset }) => asset) };
}

/** Which step it is, as it is told. */
export function stepBody({ step, label, symbol, side }: Pick<PlanStep, "step" | "label" | "symbol" | "side">) {
  return { step, ...defined({ label: label ?? undefined }), symbol, side };
}

function executedBody({ orderId, userref, body: { seen } }: IntentRecord): AuditDetail {
  const named = { userref, ...defined({ order_id: orderId ?? undefined }) };
  if (seen === undefined) return named;
  const [volume, value] = [quantity(seen.executed_volume), executedAtMost(seen)];
  if (volume.isZero()) return named;
  const average = averagePrice(value, volume, PRICE_DECIMALS, "up").toString();
  return { ...named, volume: volume.toString(), value: value.toString(), average_price: average };
}
