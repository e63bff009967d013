/**
 * The order of a turn or a piece, and until when it may be taken.
 *
 * Invariants: what a piece with a limit could not fill goes to the next one, which is never more than two pieces, nor more than the limits let one order be; what
 * was missed, denied or never sent goes to none.
 *
 * Source: decision 0106; decision 0111.
 */
import { amountDecimals, type CreateOrderBody, type Fault, type Market } from "../../../contract/index.ts";
import { Fraction, notional, quantity } from "../../../decimal/index.ts";
import { executedAtMost } from "../../model/account-usage.ts";
import type { IntentRecord } from "../../model/intent.ts";
import { isAtVenue, isLive } from "../../model/intent-state.ts";
import type { PlanRecord, PlanStep, RebalanceTerms, RecurringTerms, SlicesTerms } from "../../model/plan.ts";
import type { PlanRules } from "../../model/policy.ts";
import { carried, intervalMs, isMissed, piecesOf } from "../terms/slicing.ts";

/** Of those that a calendar, or their beginning, makes due. */
export type CalendarTerms = RecurringTerms | SlicesTerms | RebalanceTerms;

export type OfCalendar = PlanRecord & { readonly terms: CalendarTerms };

/** So long a step of a basket may be late; buys that come behind sells as long again. */
const BASKET_LATE_MS = 5 * 60_000;

export function isOfCalendar(plan: PlanRecord): plan is OfCalendar {
  const { kind } = plan.terms;
  return kind === "recurring" || kind === "slices" || kind === "rebalance";
}

export function symbolsOf(terms: CalendarTerms): readonly string[] {
  return terms.kind === "rebalance" ? terms.orders.map(({ symbol }) => symbol) : [terms.symbol];
}

/** Tells whether its time is over. @param exchangeMs the exchange's time, Unix milliseconds */
export function isLate(
  terms: CalendarTerms,
  { step, side, dueAtMs }: Pick<PlanStep, "step" | "side" | "dueAtMs">,
  exchangeMs: number,
  { lateMs }: Pick<PlanRules, "lateMs">,
): boolean {
  if (dueAtMs === null) return true;
  if (terms.kind === "recurring") return exchangeMs - dueAtMs > lateMs;
  if (terms.kind === "rebalance") {
    const isBehind = side === "buy" && terms.orders.some((order) => order.side === "sell");
    return exchangeMs - dueAtMs > (isBehind ? 2 : 1) * BASKET_LATE_MS;
  }
  return isMissed({ step, dueAtMs, size: "" }, exchangeMs, intervalMs(terms.durationMs, terms.count));
}

/** How large the order of a turn or a piece is, in the unit of its plan's size. */
export interface StepSize {
  /** By itself. */
  readonly own: string;
  /** With what the piece before could not fill. */
  readonly carrying: string;
}

/** @param children the plan's intents @throws where the plan has no such step */
export function sizeOf(
  terms: RecurringTerms | SlicesTerms,
  step: number,
  market: Market,
  children: readonly IntentRecord[],
): StepSize {
  const whole = "quoteAmount" in terms.size ? terms.size.quoteAmount : terms.size.volume;
  if (terms.kind === "recurring") return { own: whole, carrying: whole };
  const { count, durationMs, limitPrice } = terms;
  const decimals = sizeDecimals(terms, market);
  const own = piecesOf(whole, { count, decimals, fromMs: 0, durationMs })[step - 1]?.size;
  if (own === undefined) throw new Error("a step of a plan is one of its pieces");
  const before = children.find(({ plan }) => plan?.step === step - 1);
  if (limitPrice === undefined || before === undefined) return { own, carrying: own };
  return { own, carrying: carried(own, unfilledOf(before), decimals).size };
}

function sizeDecimals({ size }: RecurringTerms | SlicesTerms, market: Market): number {
  return "quoteAmount" in size ? amountDecimals(market.quote) : market.volume_decimals;
}

export function orderOf(terms: RecurringTerms | SlicesTerms, size: string): Omit<CreateOrderBody, "userref"> {
  const { symbol, side, limitPrice } = terms;
  const sized = "quoteAmount" in terms.size ? { amount: size } : { volume: size };
  if (limitPrice === undefined) return { symbol, side, type: "market", ...sized };
  return { symbol, side, type: "limit", price: limitPrice, time_in_force: "IOC", ...sized };
}

/**
 * A piece that is denied for what it carries, with as much of that as one order may be, else without.
 * @param denied why @returns undefined where it carries nothing
 */
export function lessCarried(
  terms: RecurringTerms | SlicesTerms,
  { own, carrying }: StepSize,
  denied: Pick<Fault, "rule" | "figure" | "limit">,
  market: Market,
): StepSize | undefined {
  const [least, whole] = [Fraction.of(own), Fraction.of(carrying)];
  if (whole.cmp(least) <= 0) return undefined;
  const { rule, figure, limit } = denied;
  if (rule !== "order_size" || figure === undefined || limit === undefined) return { own, carrying: own };
  // An amount counts for itself, coins for what they are worth at that moment.
  const may = "quoteAmount" in terms.size ? Fraction.of(limit) : whole.share(Fraction.of(limit), Fraction.of(figure));
  const most = may.rounded(sizeDecimals(terms, market), "down");
  const isBetween = Fraction.of(most).cmp(least) > 0 && Fraction.of(most).cmp(whole) < 0;
  return { own, carrying: isBetween ? most : own };
}

/** What was asked for and not executed, in the unit of the plan's size; nothing of an order that was never at the exchange. */
export function unfilledOf({ state, body: { order, sizing, seen } }: IntentRecord): string {
  if (!isAtVenue(state) || isLive(state) || seen === undefined) return "0";
  const amount = sizing?.asked === "quote_amount" ? sizing.given : order.amount;
  if (amount !== undefined) {
    const left = notional(amount).minus(executedAtMost(seen));
    return left.gt(notional("0")) ? left.toString() : "0";
  }
  return quantity(order.volume ?? "0")
    .minus(quantity(seen.executed_volume))
    .toString();
}
