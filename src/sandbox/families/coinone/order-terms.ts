/**
 * Reads an order as Coinone's clients send it, and makes the exchange's command of it. Entry points: `readTerms`, `placeFields`.
 *
 * Invariant: nothing is changed here; an order is refused for the first reason of these: market, side, type, missing fields, price, quantity
 * or amount, total.
 */
import { z } from "zod";
import type { PlaceCommand, Units } from "../../model/index.ts";
import { SETTLEMENT_MODE } from "../../venue-kit/order-commands.ts";
import { type ListedMarket, unitAt } from "../../venue-kit/won-markets.ts";
import { floorTo, readDecimal, worthOf } from "./amounts.ts";
import type { OrderNote, PrivateCall, Sized } from "./coinone-call.ts";
import { marketIn, optional, pairFields } from "./fields.ts";
import { marketOrder } from "./market-order.ts";
import { AMOUNT_UNIT, FEE_RATE, MAX_PRICE, MAX_QTY, MAX_TOTAL, qtyUnit } from "./market-rules.ts";
import { type CoinoneError, refuse } from "./outcome.ts";

export const placeFields = z.strictObject({
  ...pairFields,
  side: z.string(),
  type: z.string(),
  price: optional(z.string()),
  qty: optional(z.string()),
  amount: optional(z.string()),
  post_only: optional(z.boolean()),
  limit_price: optional(z.string()),
  trigger_price: optional(z.string()),
  user_order_id: optional(z.string()),
});

type Sent = z.infer<typeof placeFields>;

export interface Terms {
  readonly ok: true;
  readonly command: PlaceCommand;
  readonly note: Partial<OrderNote>;
}

/** @param orderId of the order, if it is taken */
export function readTerms(call: PrivateCall, sent: Sent, orderId: string): Terms | CoinoneError {
  const market = marketIn(call, sent);
  if ("ok" in market) return market;
  const side = sent.side === "BUY" ? "buy" : sent.side === "SELL" ? "sell" : undefined;
  if (side === undefined) return refuse(107);
  const sized = sizedOf(call, market, side, sent);
  if (!sized.ok) return sized;
  const command: PlaceCommand = {
    type: "place",
    orderId,
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    symbol: market.symbol,
    side,
    ...sized.sizes,
    whenCrossing: "cancel",
    userref: sent.user_order_id ?? null,
    settlementMode: SETTLEMENT_MODE,
  };
  return { ok: true, command, note: sized.note };
}

function sizedOf(
  call: PrivateCall,
  market: ListedMarket,
  side: PlaceCommand["side"],
  sent: Sent,
): Sized | CoinoneError {
  switch (sent.type) {
    case "LIMIT":
      return limitSizes(market, sent);
    case "MARKET":
      return marketSizes(call, market, side, sent);
    default:
      return refuse(166);
  }
}

function limitSizes(
  market: ListedMarket,
  { price: sentPrice, qty: sentQty, post_only: postOnly }: Sent,
): Sized | CoinoneError {
  if (sentPrice === undefined) return refuse(161);
  if (sentQty === undefined) return refuse(162);
  if (postOnly === undefined) return refuse(163);
  const price = readPrice(market, sentPrice);
  if (!price.ok) return price;
  const qty = readQty(market, sentQty);
  if (!qty.ok) return qty;
  if (worthOf(price.units, qty.units) > MAX_TOTAL) return refuse(307);
  const sizes = { price: price.units, volume: qty.units, amount: null, timeInForce: "GTC", postOnly } as const;
  return { ok: true, sizes: { orderType: "limit", ...sizes }, note: {} };
}

function marketSizes(
  call: PrivateCall,
  market: ListedMarket,
  side: PlaceCommand["side"],
  { qty: sentQty, amount: sentAmount, limit_price: sentLimit }: Sent,
): Sized | CoinoneError {
  if (side === "buy" && sentAmount === undefined) return refuse(165);
  if (side === "sell" && sentQty === undefined) return refuse(162);
  const size = side === "buy" ? readAmount(market, sentAmount ?? "") : readQty(market, sentQty ?? "");
  if (!size.ok) return size;
  if (side === "buy" && availableOf(call, market.quote) < size.units + worthOf(size.units, FEE_RATE))
    return refuse(103);
  const limit = sentLimit === undefined ? undefined : readDecimal(sentLimit);
  if (sentLimit !== undefined && (limit === undefined || limit.units === 0n)) return refuse(105);
  const book = call.service.exchange.book(market.symbol, BOOK_DEPTH);
  return marketOrder({ market, side, size: size.units, limit: limit?.units, book });
}

/** Deeper than an order of the largest amount reaches. */
const BOOK_DEPTH = 1_000;

function availableOf({ service, key }: PrivateCall, asset: string): Units {
  return service.exchange.balances(key.accountId).find((held) => held.asset === asset)?.available ?? 0n;
}

type Read = { readonly ok: true; readonly units: Units } | CoinoneError;

function readPrice({ tickBands }: ListedMarket, text: string): Read {
  const price = readDecimal(text);
  if (price === undefined) return refuse(105);
  const { units, isCut } = price;
  if (units >= MAX_PRICE || (units < unitAt(tickBands, 0n) && !isCut)) return refuse(308);
  return isCut || units % unitAt(tickBands, units) !== 0n ? refuse(310) : { ok: true, units };
}

/** What is below the market's unit is cut off. */
function readQty(market: ListedMarket, text: string): Read {
  const qty = readDecimal(text);
  if (qty === undefined) return refuse(305);
  const units = floorTo(qty.units, qtyUnit(market));
  return units < market.minVolume || units > MAX_QTY ? refuse(309) : { ok: true, units };
}

function readAmount({ minNotional }: ListedMarket, text: string): Read {
  const amount = readDecimal(text);
  if (amount === undefined) return refuse(107);
  const units = floorTo(amount.units, AMOUNT_UNIT);
  if (units < minNotional) return refuse(306);
  return units > MAX_TOTAL ? refuse(307) : { ok: true, units };
}
