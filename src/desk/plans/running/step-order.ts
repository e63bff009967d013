/**
 * The order of a turn or a piece, and until when it may be taken.
 *
 * Invariants: what a piece with a limit could not fill goes to the next one, which is never more than two pieces, nor more than the limits let one order be; what
 * was missed, denied or never sent goes to none; no price is beyond the limit, and an amount at its order's price is never more than it.
 *
 * Source: decision 0106; decision 0111.
 */
import {
  amountDecimals,
  type CreateOrderBody,
  type Fault,
  type Market,
  ok,
  type Result,
} from "../../../contract/index.ts";
import {
  Fraction,
  max,
  min,
  notional,
  notionalOf,
  type Price,
  price,
  quantity,
  rate,
  roundToTick,
} from "../../../decimal/index.ts";
import type { DeskContext } from "../../core/context.ts";
import { judgedMarket } from "../../market/judged-market.ts";
import { quotesOf } from "../../market/order-value.ts";
import { withoutOwn } from "../../market/own-orders.ts";
import { executedAtMost } from "../../model/account-usage.ts";
import type { IntentRecord } from "../../model/intent.ts";
import { isAtVenue, isLive } from "../../model/intent-state.ts";
import type { PlanRecord, PlanStep, RebalanceTerms, RecurringTerms, SlicesTerms } from "../../model/plan.ts";
import type { JudgedBook, PlanRules, Policy } from "../../model/policy.ts";
import { tickBandsOf } from "../../risk/order-proposals.ts";
import { collarEdge } from "../../risk/policy-rules.ts";
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

/** What the price of an order with a limit goes by, beside the limit. */
export interface MarketNow {
  /** Of others. */
  readonly book: JudgedBook;
  /** How far the policy lets a price go. */
  readonly edge: Price | undefined;
}

/** A buy for an amount may be at this much more than the book asks for it: the book moves until it arrives, and what it is sized by too high is not spent. */
const ROOM = rate("1.003");

/** @returns undefined where an order of it has no limit: nothing is asked then */
export async function marketNow(
  context: DeskContext,
  { symbol, side, limitPrice }: RecurringTerms | SlicesTerms,
  market: Market,
  policy: Policy,
): Promise<Result<MarketNow | undefined>> {
  if (limitPrice === undefined) return ok(undefined);
  const judged = await judgedMarket(context, symbol, policy);
  if (!judged.ok) return judged;
  const { ownOrders, tradedPrice } = judged.value;
  const book = withoutOwn(judged.value.book, ownOrders === "too many" ? [] : ownOrders);
  return ok({ book, edge: collarEdge({ side, market }, { quotes: quotesOf(book), tradedPrice }, policy) });
}

/** @param now undefined where it is not known: then a price is the limit */
export function orderOf(
  terms: RecurringTerms | SlicesTerms,
  size: string,
  { market, now }: { readonly market: Market; readonly now?: MarketNow | undefined },
): Omit<CreateOrderBody, "userref"> {
  const { symbol, side, limitPrice } = terms;
  const sized = "quoteAmount" in terms.size ? { amount: size } : { volume: size };
  if (limitPrice === undefined) return { symbol, side, type: "market", ...sized };
  const at = priceNow(market, price(limitPrice), { side, ...sized }, now);
  return { symbol, side, type: "limit", price: at.toString(), time_in_force: "IOC", ...sized };
}

/**
 * The limit, but for a market that is better by more than the collar: the policy would refuse it there, so the price is the furthest that it lets through. Where
 * nobody sells or buys within that, the limit is left for the policy to judge, as that may pass.
 */
function priceNow(
  market: Market,
  limit: Price,
  { side, amount }: Pick<CreateOrderBody, "side" | "amount">,
  now: MarketNow | undefined,
): Price {
  if (now === undefined) return limit;
  const { book, edge } = now;
  const { bid, ask } = quotesOf(book);
  if (side === "sell") return edge !== undefined && bid?.gte(edge) === true ? max(limit, edge) : limit;
  const highest = edge !== undefined && ask?.lte(edge) === true ? min(limit, edge) : limit;
  const asked = amount === undefined ? undefined : askedFor(amount, market, book);
  return asked === undefined ? highest : min(highest, asked);
}

/** The price at which the book has all of an amount, and a little room; undefined where it has less. */
function askedFor(amount: string, market: Market, { tick: { asks } }: JudgedBook): Price | undefined {
  let there = quantity("0");
  for (const [at, volume] of asks) {
    there = there.plus(quantity(volume));
    if (notionalOf(price(at), there).gte(notional(amount)))
      return roundToTick(tickBandsOf(market), price(at).scale(ROOM), "up");
  }
  return undefined;
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
