/** Tells what an order would do against a book, and what it takes from the balance: pure arithmetic, no request. */
import { type Market, ORDER_TRAITS } from "../../contract/index.ts";
import {
  MAX_FRACTION_DIGITS,
  type Notional,
  notional,
  notionalOf,
  type Price,
  price,
  type Quantity,
  quantity,
  quantityFor,
  rate,
} from "../../decimal/index.ts";
import type { Estimate, ExpectedCosts } from "../model/estimate.ts";
import type { OrderRequest } from "../model/intent.ts";
import type { JudgedBook } from "../model/policy.ts";
import type { BookView } from "../model/reports.ts";
import { estimateFill, type FillAnswer } from "./order-value.ts";

/** Shows what the order would meet in the book, whether or not it may take it. */
export interface OrderEstimate {
  readonly met: FillAnswer;
  readonly estimate: Estimate;
}

/** @param available of the asset that the order takes */
export function estimateOrder(
  market: Market,
  request: OrderRequest,
  book: Pick<BookView, "tick" | "best_bid" | "best_ask" | "mid">,
  available: string,
): OrderEstimate {
  const met = expectedFill(market, request, book);
  const fill = letThrough(request, met);
  const needed =
    request.side === "buy" ? figure(cashNeeded(market, request, fill), "up") : coinsNeeded(request, fill).toString();
  const estimate: Estimate = {
    expected_volume: fill.volume.toString(),
    expected_value: figure(fill.value, "half_even"),
    expected_avg_price: fill.averagePrice?.toString() ?? null,
    expected_fee: fill.fee.toString(),
    ...costsOf(market, request, fill),
    break_even_price: null,
    slippage_pct: fill.slippage === undefined ? null : percent(fill.slippage.toString()),
    resting_volume: restingVolume(request, fill).toString(),
    needed,
    needed_asset: neededAsset(market, request),
    available,
    best_bid: book.best_bid,
    best_ask: book.best_ask,
    mid: book.mid,
  };
  return { met, estimate };
}

export function expectedCosts(market: Market, request: OrderRequest, book: Pick<JudgedBook, "tick">): ExpectedCosts {
  return costsOf(market, request, letThrough(request, expectedFill(market, request, book)));
}

/** Leaves what the exchange lets execute at once of what it would meet. */
function letThrough(request: OrderRequest, met: FillAnswer): FillAnswer {
  const refused = (request.post_only === true && !met.volume.isZero()) || (isFillOrKill(request) && !met.complete);
  return refused ? { ...met, ...NOTHING } : met;
}

function costsOf(market: Market, request: OrderRequest, fill: FillAnswer): ExpectedCosts {
  const resting =
    request.price === undefined ? notional("0") : notionalOf(price(request.price), restingVolume(request, fill));
  // As the exchange takes it.
  const makerFee = notional(figure(resting.scale(rate(market.maker_fee_rate)), "down"));
  const [value, fees] = [fill.value.plus(resting), fill.fee.plus(makerFee)];
  const isBuy = request.side === "buy";
  return {
    taker_fee: fill.fee.toString(),
    maker_fee: makerFee.toString(),
    fee_currency: market.quote,
    total: isBuy ? figure(value.plus(fees), "up") : null,
    proceeds: isBuy ? null : figure(value.minus(fees), "down"),
  };
}

const ONE = price("1");

/** What a price and a volume make has more digits than any of ours: of what is paid it is rounded up, of what is got down. */
function figure(value: Notional, mode: "up" | "down" | "half_even"): string {
  return quantityFor(value, ONE, MAX_FRACTION_DIGITS, mode).toString();
}

/** Names what the order takes from. */
export function neededAsset(market: Market, { side }: OrderRequest): string {
  return side === "buy" ? market.quote : market.base;
}

/** Stands for an order that is taken whole or not at all, or that may only rest, when it cannot. */
const NOTHING = {
  volume: quantity("0"),
  value: notional("0"),
  fee: notional("0"),
  averagePrice: undefined,
  slippage: undefined,
};

function isFillOrKill(request: OrderRequest): boolean {
  return request.time_in_force === "FOK";
}

/** Tells what it would take from the book, whether or not it is let. */
export function expectedFill(market: Market, request: OrderRequest, book: Pick<JudgedBook, "tick">): FillAnswer {
  return estimateFill({
    side: request.side,
    levels: request.side === "buy" ? book.tick.asks : book.tick.buys,
    ...(request.base_volume === undefined ? {} : { volume: quantity(request.base_volume) }),
    ...(request.quote_amount === undefined ? {} : { amount: notional(request.quote_amount) }),
    ...(request.price === undefined ? {} : { limit: price(request.price) }),
    volumeDecimals: market.volume_decimals,
    takerFeeRate: rate(market.taker_fee_rate),
  });
}

function restingVolume(request: OrderRequest, fill: FillAnswer): Quantity {
  const rests = ORDER_TRAITS[request.type].mayRest && (request.time_in_force ?? "GTC") === "GTC";
  if (!rests || request.base_volume === undefined) return quantity("0");
  return quantity(request.base_volume).minus(fill.volume);
}

/** What of the quote a buy takes at most: the venue holds price × volume with the larger fee until it fills. */
export function cashNeeded(market: Market, request: OrderRequest, fill: FillAnswer): Notional {
  const maker = rate(market.maker_fee_rate);
  const taker = rate(market.taker_fee_rate);
  const value = heldValue(request, fill);
  return value.plus(value.scale(maker.gt(taker) ? maker : taker));
}

function heldValue(request: OrderRequest, fill: FillAnswer): Notional {
  if (request.quote_amount !== undefined) return notional(request.quote_amount);
  const limit: Price | undefined = request.price === undefined ? undefined : price(request.price);
  return limit === undefined || request.base_volume === undefined
    ? fill.value
    : notionalOf(limit, quantity(request.base_volume));
}

export function coinsNeeded(request: OrderRequest, fill: FillAnswer): Quantity {
  return request.base_volume === undefined ? fill.volume : quantity(request.base_volume);
}

/** A rate as percent with at most 4 decimals, shown not calculated with. */
function percent(ratio: string): string {
  return notional("100")
    .scale(rate(ratio.slice(0, ratio.indexOf(".") + 9)))
    .toString();
}
