/**
 * A market order within its limit price. The exchange knows no bound of a market order, so it is asked for what the bound leaves of the book.
 * Entry point: `marketOrder`.
 *
 * Invariant: nothing is traded beyond the limit price, and never for more than the amount.
 */
import { type BookRecord, ONE, type PlaceCommand, type Units } from "../../model/index.ts";
import { type ListedMarket, unitAt } from "../../venue-kit/won-markets.ts";
import { floorTo, worthOf } from "./amounts.ts";
import type { CutShort, Sized } from "./coinone-call.ts";
import { qtyUnit } from "./market-rules.ts";

export interface MarketAsked {
  readonly market: ListedMarket;
  readonly side: PlaceCommand["side"];
  /** The amount of a buy, the quantity of a sell. */
  readonly size: Units;
  readonly limit: Units | undefined;
  readonly book: BookRecord;
}

const AT_MARKET = { orderType: "market", price: null, timeInForce: "GTC", postOnly: false } as const;
const AT_LIMIT = { orderType: "limit", amount: null, timeInForce: "IOC", postOnly: false } as const;

export function marketOrder(asked: MarketAsked): Sized {
  const { side, size, limit } = asked;
  const isMarket = true;
  if (side === "sell") {
    if (limit === undefined)
      return { ok: true, sizes: { ...AT_MARKET, volume: size, amount: null }, note: { isMarket } };
    const note = {
      isMarket,
      limitPrice: limit,
      cutShort: cutShortOf(asked.book.buys, (price) => price >= limit),
    } as const;
    return { ok: true, sizes: { ...AT_LIMIT, price: onUnit(asked.market, limit, "up"), volume: size }, note };
  }
  const byAmount = { ...AT_MARKET, volume: null, amount: size };
  if (limit === undefined) return { ok: true, sizes: byAmount, note: { isMarket } };
  return boundBuy(asked, limit, byAmount);
}

/** As a buy for an amount where the book up to the limit has that much, else of all that it has. */
function boundBuy({ market, size, book }: MarketAsked, limit: Units, byAmount: Sized["sizes"]): Sized {
  const within = book.asks.filter(([price]) => price <= limit);
  const value = within.reduce((sum, [price, qty]) => sum + worthOf(price, qty), 0n);
  if (value >= size) return { ok: true, sizes: byAmount, note: { isMarket: true, limitPrice: limit } };
  const cutShort = cutShortOf(book.asks, (price) => price <= limit);
  const note = { isMarket: true, limitPrice: limit, amount: size, cutShort } as const;
  const depth = within.reduce((sum, [, qty]) => sum + qty, 0n);
  const price = onUnit(market, limit, "down");
  const affordable = price === 0n ? 0n : floorTo((size * ONE) / price, qtyUnit(market));
  // A limit order for more than is there takes all of it, and may be small; it holds no more than the amount.
  if (affordable >= depth) return { ok: true, sizes: { ...AT_LIMIT, price, volume: affordable }, note };
  return { ok: true, sizes: { ...AT_MARKET, volume: depth, amount: null }, note };
}

function cutShortOf(levels: BookRecord["asks"], isWithin: (price: Units) => boolean): CutShort {
  return levels.some(([price]) => !isWithin(price)) ? "CANCELED_LIMIT_PRICE_EXCEED" : "CANCELED_NO_ORDER";
}

/** The price unit at or before a bound, which need not be on one. */
function onUnit({ tickBands }: ListedMarket, bound: Units, direction: "up" | "down"): Units {
  const unit = unitAt(tickBands, bound);
  const down = floorTo(bound, unit);
  return direction === "down" || down === bound ? down : down + unit;
}
