/**
 * Proposes what would fit in place of a value that does not: computed, shown to a person, and never applied by itself.
 *
 * Invariants: a price is on its tick and a size on its step; a proposed size is within the funds with the fee, and not below the
 * market's minimum.
 *
 * Tells why the venue would refuse an order by the book and the balance as they are now, with proposals where a value that fits can be computed.
 *
 * Source: service.md#market, service.md#order-request; decision 0031.
 */
import {
  amountDecimals,
  type BookLevel,
  checkFault,
  type Fault,
  type FaultCode,
  type Market,
  ORDER_TRAITS,
  type Proposal,
  type Side,
} from "../../contract/index.ts";
import {
  formatAmount,
  max,
  type Notional,
  notional,
  notionalOf,
  type Price,
  price,
  type Quantity,
  quantity,
  quantityFor,
  type Rate,
  rate,
  roundToStep,
  roundToTick,
  type TickBand,
} from "../../decimal/index.ts";
import { cashNeeded, coinsNeeded, type OrderEstimate } from "../market/order-estimate.ts";
import { estimateFill, type FillAnswer } from "../market/order-value.ts";
import type { OrderRequest } from "../model/intent.ts";
import type { JudgedBook } from "../model/policy.ts";
import type { BookView } from "../model/reports.ts";

const ONE = price("1");
/** No two prices are nearer. */
const LEAST = price("0.00000001");

/** A market's tick bands as exact numbers. */
export function tickBandsOf(market: Market): readonly TickBand[] {
  return market.tick_bands.map((band) => ({ from: price(band.from_price), tick: price(band.tick_size) }));
}

/** Both neighbours of a price that is between two ticks, the nearer one first; nothing costs nothing. */
export function pricesOnTick(market: Market, given: Price, text: string): readonly Proposal[] {
  const bands = tickBandsOf(market);
  const [below, above] = [roundToTick(bands, given, "down"), roundToTick(bands, given, "up")];
  const nearest = roundToTick(bands, given, "half_even");
  const neighbours = nearest.eq(below) ? [below, above] : [above, below];
  return neighbours
    .filter((at) => !at.isZero())
    .map((at, index) => {
      const which = index === 0 ? "nearest price" : at.lt(given) ? "next price below" : "next price above";
      return {
        field: "price",
        given: text,
        proposed: at.toString(),
        reason: `${which} on the tick of ${market.symbol}`,
      };
    });
}

/** The price nearest to `best`, that of the other side, at which an order still rests. */
export function restingPrice(market: Market, side: Side, best: string, given: string): readonly Proposal[] {
  const bands = tickBandsOf(market);
  const at =
    side === "buy"
      ? roundToTick(bands, price(best).minus(LEAST), "down")
      : roundToTick(bands, price(best).plus(LEAST), "up");
  if (at.isZero()) return [];
  const reason = `the ${side === "buy" ? "highest" : "lowest"} price that rests now`;
  return [{ field: "price", given, proposed: at.toString(), reason }];
}

/** The least that the market takes. @param at the order's price; without one, by volume alone */
export function leastVolume(market: Market, at: Price | undefined): Quantity {
  const least = quantity(market.min_volume);
  if (at === undefined || at.isZero()) return least;
  return max(least, quantityFor(notional(market.min_notional), at, market.volume_decimals, "up"));
}

/** The least amount that pays for what the market takes, in steps of the quote where it has a price. */
export function leastAmount(market: Market, at: Price | undefined): Notional {
  const least = notional(market.min_notional);
  if (at === undefined || at.isZero()) return least;
  return notional(
    quantityFor(notionalOf(at, leastVolume(market, at)), ONE, amountDecimals(market.quote), "up").toString(),
  );
}

/** The least that the market takes, in place of less. */
export function raisedVolume(market: Market, given: string, at: Price | undefined): readonly Proposal[] {
  return [raised(market, "base_volume", given, leastVolume(market, at), at)];
}

export function raisedAmount(market: Market, given: string, at: Price | undefined): readonly Proposal[] {
  return [raised(market, "quote_amount", given, leastAmount(market, at), at)];
}

function raised(
  { symbol, quote }: Market,
  field: Proposal["field"],
  given: string,
  least: Quantity | Notional,
  at?: Price,
): Proposal {
  const reason = `the least that ${symbol} takes${at === undefined ? "" : ` at ${formatAmount(at, quote)}`}`;
  return { field, given, proposed: least.toString(), reason };
}

/** Leaves what of an amount is for coins when its fee is paid out of it, in steps of the quote currency. */
export function withoutFee(amount: Notional, fee: Rate, quote: string): Notional {
  return notional(quantityFor(amount, ONE.scale(rate("1").plus(fee)), amountDecimals(quote), "down").toString());
}

/** The most coins that an amount pays at this price, with the fee. */
export function payableVolume(market: Market, funds: Notional, at: Price, fee: Rate): Quantity {
  return quantityFor(funds, at.scale(rate("1").plus(fee)), market.volume_decimals, "down");
}

/** The larger fee, as an order that may rest can pay either. */
export function largerFee(market: Market): Rate {
  return max(rate(market.maker_fee_rate), rate(market.taker_fee_rate));
}

/**
 * The largest size that the funds allow; nothing where the market takes no order as small.
 * @param levels of the book's other side, best first
 */
export function sizeWithin(
  market: Market,
  request: OrderRequest,
  available: string,
  levels: readonly BookLevel[],
): readonly Proposal[] {
  const { side, base_volume, quote_amount } = request;
  const field = base_volume === undefined ? "quote_amount" : "base_volume";
  const most =
    field === "base_volume"
      ? mostVolume(market, request, available, levels)
      : mostAmount(market, side, available, levels);
  const [best] = levels[0] ?? [];
  const at = request.price ?? best;
  const least =
    field === "base_volume"
      ? leastVolume(market, at === undefined ? undefined : price(at))
      : quantity(market.min_notional);
  if (most.lt(least)) return [];
  const asset = side === "buy" ? market.quote : market.base;
  const reason = `what the available ${available} ${asset} ${side === "buy" ? "pay, with the fee" : "bring"}`;
  return [{ field, given: base_volume ?? quote_amount ?? "", proposed: most.toString(), reason }];
}

function mostVolume(market: Market, request: OrderRequest, available: string, levels: readonly BookLevel[]): Quantity {
  if (request.side === "sell") return roundToStep(quantity(available), market.volume_decimals, "down");
  const funds = notional(available);
  if (request.price !== undefined) return payableVolume(market, funds, price(request.price), largerFee(market));
  return fillOf(market, "buy", levels, { amount: withoutFee(funds, rate(market.taker_fee_rate), market.quote) }).volume;
}

function mostAmount(market: Market, side: Side, available: string, levels: readonly BookLevel[]): Quantity {
  const taker = rate(market.taker_fee_rate);
  const most =
    side === "buy"
      ? withoutFee(notional(available), taker, market.quote)
      : withoutFee(fillOf(market, "sell", levels, { volume: quantity(available) }).value, rate("0"), market.quote);
  return quantity(most.toString());
}

function fillOf(
  market: Market,
  side: Side,
  levels: readonly BookLevel[],
  size: { readonly volume: Quantity } | { readonly amount: Notional },
): FillAnswer {
  const { volume_decimals: volumeDecimals } = market;
  return estimateFill({ side, levels, ...size, volumeDecimals, takerFeeRate: rate("0") });
}

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
