/**
 * The order of a turn or a piece, and until when it may be taken.
 *
 * Invariants: what a piece with a limit could not fill goes to the next one, which is never more than two pieces; what was missed, denied or never sent goes to none.
 *
 * Source: decision 0106; decision 0111.
 */
import { amountDecimals, type CreateOrderBody, type Market } from "../../../contract/index.ts";
import { notional, quantity } from "../../../decimal/index.ts";
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

/** @param children the plan's intents @returns undefined where the plan has no such piece */
export function orderOf(
  terms: RecurringTerms | SlicesTerms,
  step: number,
  market: Market,
  children: readonly IntentRecord[],
): Omit<CreateOrderBody, "userref"> | undefined {
  const { symbol, side, limitPrice } = terms;
  const size = terms.kind === "recurring" ? wholeOf(terms) : pieceOf(terms, step, market, children);
  if (size === undefined) return undefined;
  const sized = "quoteAmount" in terms.size ? { amount: size } : { volume: size };
  if (limitPrice === undefined) return { symbol, side, type: "market", ...sized };
  return { symbol, side, type: "limit", price: limitPrice, time_in_force: "IOC", ...sized };
}

function wholeOf({ size }: RecurringTerms | SlicesTerms): string {
  return "quoteAmount" in size ? size.quoteAmount : size.volume;
}

function pieceOf(
  terms: SlicesTerms,
  step: number,
  market: Market,
  children: readonly IntentRecord[],
): string | undefined {
  const { count, durationMs, limitPrice } = terms;
  const decimals = "quoteAmount" in terms.size ? amountDecimals(market.quote) : market.volume_decimals;
  const piece = piecesOf(wholeOf(terms), { count, decimals, fromMs: 0, durationMs })[step - 1];
  const before = children.find(({ plan }) => plan?.step === step - 1);
  if (piece === undefined || limitPrice === undefined || before === undefined) return piece?.size;
  return carried(piece.size, unfilledOf(before), decimals).size;
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
