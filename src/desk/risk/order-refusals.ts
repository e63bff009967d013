/**
 * Why the venue would refuse an order by the book and the balance as they are now, with proposals where a value that fits can be computed.
 *
 * Source: service.md#order-request; decision 0031.
 */
import {
  checkFault,
  type Fault,
  type FaultCode,
  type Market,
  ORDER_TRAITS,
  type Proposal,
} from "../../contract/index.ts";
import { formatAmount, notional, notionalOf, price, quantity } from "../../decimal/index.ts";
import type { FillAnswer } from "../market/fill-estimate.ts";
import { cashNeeded, coinsNeeded, type OrderEstimate } from "../market/order-estimate.ts";
import type { OrderRequest } from "../model/intent.ts";
import type { JudgedBook } from "../model/policy.ts";
import type { BookView } from "../model/reports.ts";
import { raisedVolume, restingPrice, sizeWithin } from "./order-proposals.ts";

export function refusalsOf(
  market: Market,
  request: OrderRequest,
  book: Pick<BookView, "tick">,
  { met, estimate }: OrderEstimate,
): readonly Fault[] {
  const { base_volume, quote_amount, side } = request;
  const levels = side === "buy" ? book.tick.asks : book.tick.buys;
  const [best] = levels[0] ?? [];
  const refusals: Fault[] = [];
  const matching = postOnlyRefusal(market, request, book, met);
  if (matching !== undefined) refusals.push(matching);
  const small = tooSmall(market, request, best);
  if (small !== undefined) refusals.push(small);
  const { available, needed, needed_asset } = estimate;
  if (isShort(market, request, met, available ?? "0")) {
    const field = base_volume === undefined ? "quote_amount" : "base_volume";
    const [cost, funds] = [needed, available ?? "0"].map((sum) => formatAmount(notional(sum), needed_asset));
    const fee = side === "buy" ? " with the fee" : "";
    const message = `${field} ${base_volume ?? quote_amount ?? ""} needs ${cost}${fee}, available is ${funds}`;
    const proposals = sizeWithin(market, request, available ?? "0", levels);
    refusals.push(refused("EOrder:Insufficient funds", field, message, proposals));
  }
  return refusals;
}

/** A post-only order that would match at once. */
export function postOnlyRefusal(
  market: Market,
  { post_only, side, price: limit = "" }: OrderRequest,
  { tick }: Pick<JudgedBook, "tick">,
  met: FillAnswer,
): Fault | undefined {
  const [best] = (side === "buy" ? tick.asks : tick.buys)[0] ?? [];
  if (post_only !== true || met.volume.isZero() || best === undefined) return undefined;
  const message = `price ${formatAmount(price(limit), market.quote)} would match at once at ${formatAmount(price(best), market.quote)}, and a post-only order may only rest`;
  return refused("EOrder:Post only order", "price", message, restingPrice(market, side, best, limit));
}

/** All that faults propose. */
export function proposalsOf(faults: readonly Fault[]): readonly Proposal[] {
  return faults.flatMap(({ proposals = [] }) => proposals);
}

function refused(code: FaultCode, field: string, message: string, proposals: readonly Proposal[]): Fault {
  return checkFault(code, { field, message, ...(proposals.length > 0 && { proposals }) });
}

/** A market order by volume is valued at the best price of the other side. */
function tooSmall(market: Market, { type, base_volume }: OrderRequest, best: string | undefined): Fault | undefined {
  if (ORDER_TRAITS[type].isPriced || base_volume === undefined || best === undefined) return undefined;
  const at = price(best);
  const value = notionalOf(at, quantity(base_volume));
  if (value.gte(notional(market.min_notional))) return undefined;
  const message = `base_volume ${base_volume} is worth ${formatAmount(value, market.quote)} at ${formatAmount(at, market.quote)}, below the minimum of ${formatAmount(notional(market.min_notional), market.quote)}`;
  return refused("EOrder:Order minimum not met", "base_volume", message, raisedVolume(market, base_volume, at));
}

/** Judges by what the venue requires of each kind of order: for a market buy the cost of what it would fill, not the most it could take. */
function isShort(market: Market, request: OrderRequest, met: FillAnswer, available: string): boolean {
  if (request.side === "sell") return quantity(available).lt(coinsNeeded(request, met));
  const cash = notional(available);
  if (ORDER_TRAITS[request.type].isPriced) return cash.lt(cashNeeded(market, request, met));
  return cash.lt(met.value.plus(met.fee)) || cash.lt(notional(request.quote_amount ?? "0"));
}
