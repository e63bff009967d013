/**
 * What the end of an order does to a plan that goes by the calendar: it is told, and the plan goes on with its next turn or piece, but where that could not
 * leave either.
 *
 * Source: decision 0111; decision 0130.
 */
import { defined, type Fault } from "../../../contract/index.ts";
import {
  averagePrice,
  Fraction,
  formatAmount,
  type Notional,
  notional,
  type Quantity,
  quantity,
} from "../../../decimal/index.ts";
import { mayPass } from "../../execution/place-child.ts";
import { executedAtMost } from "../../model/account-usage.ts";
import type { IntentRecord } from "../../model/intent.ts";
import type { PlanRecord, PlanStep, RebalanceTerms, SlicesTerms } from "../../model/plan.ts";
import type { AuditDetail } from "../../model/submission.ts";
import type { NewNotice } from "../../ports/notices.ts";
import { executedOf, executedValue, leftOf } from "../../risk/executed.ts";
import { broughtBy, leftOver, seenOf } from "./basket-order.ts";
import { asksForKey } from "./hindrances.ts";
import type { EndedStep, StepEnding } from "./step-ending.ts";
import { type CalendarTerms, unfilledOf } from "./step-order.ts";

const PRICE_DECIMALS = 8;
const NOTHING = notional("0");

export function afterCalendar(ended: EndedStep): StepEnding {
  const { plan, step, intent, to } = ended;
  if (plan.state === "active") {
    const stopped = stoppedBy(ended);
    if (stopped !== undefined) return stopped;
  }
  const type = to === "done" ? "plan.step_done" : "plan.step_missed";
  const why = intent.body.fault?.message;
  const carried = to === "nothing" && isCarried(ended) ? true : undefined;
  const body = { state: to, ...stepBody(step), ...executedBody(intent), ...defined({ carried, why }) };
  return { notices: [{ type, key: String(step.step), body }] };
}

/** What its limit kept from executing is tried with the next piece. */
function isCarried({ plan: { terms }, step: { step }, intent }: EndedStep): boolean {
  const hasNext = terms.kind === "slices" && terms.limitPrice !== undefined && step < terms.count;
  return hasNext && !quantity(unfilledOf(intent)).isZero();
}

/** Denied for good where its request was numbered, as the limits were others by then; or refused for the key, as the next would be. */
function stoppedBy({ plan, step, intent, to }: EndedStep): StepEnding | undefined {
  const { fault, order } = intent.body;
  if (fault === undefined) return undefined;
  const isDenied = to === "denied" && !goesOn(plan, fault) && !mayPass(fault);
  if (!isDenied && !(to === "rejected" && asksForKey(fault))) return undefined;
  const { userref: _, ...asked } = order;
  const denied = isDenied ? { denied: { step: step.step, order: asked } } : {};
  return {
    planTo: "attention",
    progress: { ...plan.progress, why: fault.message, ...denied },
    notices: [deniedNotice(plan, step, fault)],
  };
}

/** What another day has anew. */
const OF_A_DAY: readonly (string | undefined)[] = ["day_budget", "day_loss"];

/** Tells whether other steps may leave where one was denied: a basket's are orders of another kind, a regular order's next has another day. */
export function goesOn({ terms: { kind } }: Pick<PlanRecord, "terms">, { rule }: Pick<Fault, "rule">): boolean {
  return kind === "rebalance" || (kind === "recurring" && OF_A_DAY.includes(rule));
}

/** The plan waits for a person, as its step could not leave. */
export function deniedNotice(
  { version }: Pick<PlanRecord, "version">,
  step: Parameters<typeof stepBody>[0],
  { message: why, rule }: Pick<Fault, "message" | "rule">,
): NewNotice {
  const body = { state: "attention", ...stepBody(step), why, ...defined({ rule }) };
  return { type: "plan.attention", key: String(version + 1), body };
}

const OVER: readonly (readonly [PlanStep["state"], string])[] = [
  ["done", "executed"],
  ["nothing", "not filled"],
  ["missed", "missed"],
  ["denied", "denied"],
  ["rejected", "rejected"],
  ["not_placed", "never placed"],
  ["skipped", "left out"],
];

/** What became of all steps of a plan, none of which is left to come. */
export function overWhy(steps: readonly Pick<PlanStep, "state">[]): string {
  const counted = OVER.flatMap(([state, word]) => {
    const count = steps.filter((step) => step.state === state).length;
    return count === 0 && state !== "done" ? [] : [`${count} ${word}`];
  });
  return `All ${steps.length} are over: ${counted.join(", ")}.`;
}

/** What of the whole is left, as a sentence; of a basket what was left from the start. Less than a hundredth of a piece is what sizes are cut to their steps by. */
export function leftSaid(terms: CalendarTerms, children: readonly IntentRecord[]): readonly string[] {
  if (terms.kind !== "slices") return leftOver(terms);
  const left = leftOfPieces(terms, children);
  const whole = "quoteAmount" in terms.size ? terms.size.quoteAmount : terms.size.volume;
  const cut = Fraction.of(whole).share(Fraction.of("1"), Fraction.of(String(terms.count * 100)));
  const [base = "", quote = ""] = terms.symbol.split("/");
  if (Fraction.of(left.toString()).cmp(cut) < 0) return [];
  return [`${formatAmount(left, "quoteAmount" in terms.size ? quote : base)} is left.`];
}

function leftOfPieces({ size }: SlicesTerms, children: readonly IntentRecord[]): Notional | Quantity {
  if ("volume" in size) return leftOf(size.volume, children);
  const [all, spent] = [notional(size.quoteAmount), executedValue(children)];
  return spent.gte(all) ? NOTHING : all.minus(spent);
}

/** What all orders of a plan have come to, and of pieces what is left of the whole. */
export function sumsOf(terms: CalendarTerms, children: readonly IntentRecord[]): AuditDetail {
  if (terms.kind === "rebalance") return basketSums(terms, children);
  const sums = { volume: executedOf(children).toString(), value: executedValue(children).toString() };
  return terms.kind === "recurring" ? sums : { ...sums, left: leftOfPieces(terms, children).toString() };
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
