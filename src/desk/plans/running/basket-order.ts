/**
 * The order of a step of a basket, as of now.
 *
 * Invariants: a sell is no more than is free; buys begin when no sell is left to come, and cost together, with their fees, no more than what came in and
 * what was planned from cash, less what is to stay; each is less by the same where less came in.
 *
 * Source: decision 0123.
 */
import {
  amountDecimals,
  type CreateOrderBody,
  type Market,
  type Order,
  ok,
  type Result,
} from "../../../contract/index.ts";
import { Fraction, quantity } from "../../../decimal/index.ts";
import type { DeskContext } from "../../core/context.ts";
import type { IntentRecord } from "../../model/intent.ts";
import type { PlanStep, PlanTerms, RebalanceTerms } from "../../model/plan.ts";
import { largerFee, leastAmount, leastVolume } from "../../risk/order-proposals.ts";

interface BasketNow {
  readonly market: Market;
  /** Of the coin to sell, of the quote currency to buy: what is free. */
  readonly available: string;
  /** The plan's intents. */
  readonly children: readonly IntentRecord[];
  /** The larger fee of each market that is bought on. */
  readonly feeOf: (symbol: string) => string;
}

/** `nothing`: what could be traded is less than the market takes. */
export type BasketAct = { readonly order: Omit<CreateOrderBody, "userref"> } | { readonly nothing: string };

const ONE = Fraction.of("1");

/** The same by what the exchange says of the account now. */
export async function basketActNow(
  context: DeskContext,
  terms: RebalanceTerms,
  step: PlanStep,
  { market, children }: Pick<BasketNow, "market" | "children">,
): Promise<Result<BasketAct>> {
  const { parts } = context;
  const accounts = await parts.venue.accounts();
  if (!accounts.ok) return accounts;
  const fees = new Map<string, string>();
  for (const { symbol, side } of terms.orders) {
    if (side === "sell") continue;
    const bought = await context.market(symbol, "proposed");
    if (!bought.ok) return bought;
    fees.set(symbol, largerFee(bought.value).toString());
  }
  const asset = step.side === "sell" ? market.base : market.quote;
  const available = accounts.value.balances.find((each) => each.asset === asset)?.available ?? "0";
  return ok(basketAct(terms, step, { market, available, children, feeOf: (symbol) => fees.get(symbol) ?? "0" }));
}

/** What of it was left from the start, as a sentence. */
export function leftOver(terms: PlanTerms): readonly string[] {
  if (terms.kind !== "rebalance" || terms.left.length === 0) return [];
  const left = terms.left.map(({ asset }) => asset).join(", ");
  return [`Left as they are: ${left}.`];
}

export function basketAct(terms: RebalanceTerms, { step }: Pick<PlanStep, "step">, now: BasketNow): BasketAct {
  const own = terms.orders[step - 1];
  if (own === undefined) throw new Error("a step of a basket is one of its orders");
  const { symbol, side, size } = own;
  if ("volume" in size) {
    const volume = sellNow(size.volume, now);
    if (volume !== undefined) return { order: { symbol, side, type: "market", volume } };
    return { nothing: "Too few of its coins are free: less than its market takes." };
  }
  const amount = buyNow(terms, size.quoteAmount, now);
  if (amount !== undefined) return { order: { symbol, side, type: "market", amount } };
  return { nothing: "Too little came in, or is free, to buy what its market takes." };
}

function sellNow(planned: string, { market, available }: BasketNow): string | undefined {
  const decimals = market.volume_decimals;
  const free = quantity(Fraction.of(available).rounded(decimals, "down"));
  const volume = free.lt(quantity(planned)) ? free : quantity(planned);
  return volume.lt(leastVolume(market, undefined)) || volume.isZero() ? undefined : volume.toString();
}

function buyNow(terms: RebalanceTerms, planned: string, now: BasketNow): string | undefined {
  const { market, available, children, feeOf } = now;
  const whole = terms.orders.reduce(
    (sum, { symbol, size }) => ("quoteAmount" in size ? sum.plus(withFee(size.quoteAmount, feeOf(symbol))) : sum),
    Fraction.ZERO,
  );
  const budget = broughtBy(terms, children).plus(Fraction.of(terms.fromCash)).minus(Fraction.of(terms.toCash));
  if (budget.cmp(Fraction.ZERO) <= 0) return undefined;
  const wanted = Fraction.of(planned);
  const scaled = budget.cmp(whole) < 0 ? wanted.share(budget, whole) : wanted;
  // Somebody may have spent it meanwhile.
  const free = Fraction.of(available).share(ONE, ONE.plus(Fraction.of(largerFee(market).toString())));
  const amount = (free.cmp(scaled) < 0 ? free : scaled).rounded(amountDecimals(market.quote), "down");
  const isTaken = Fraction.of(amount).cmp(Fraction.of(leastAmount(market, undefined).toString())) >= 0;
  return isTaken && /[1-9]/.test(amount) ? amount : undefined;
}

function withFee(amount: string, fee: string): Fraction {
  return Fraction.of(amount).times(ONE.plus(Fraction.of(fee)));
}

/** What the sells have brought, behind their fees; nothing of what the exchange has not said. */
export function broughtBy({ quote }: Pick<RebalanceTerms, "quote">, children: readonly IntentRecord[]): Fraction {
  return seenOf(children, "sell").reduce((sum, order) => {
    const fee = order.fee !== undefined && order.fee_currency === quote ? Fraction.of(order.fee) : Fraction.ZERO;
    return sum.plus(Fraction.of(order.executed_value ?? "0")).minus(fee);
  }, Fraction.ZERO);
}

export function seenOf(children: readonly IntentRecord[], side: Order["side"]): readonly Order[] {
  return children.flatMap(({ body }) => (body.order.side === side ? (body.seen ?? []) : []));
}
