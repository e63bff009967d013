/**
 * What another exchange's answer tells of orders, fills, balances and markets, in the house's words: whatever its fields are called, an adapter says
 * what each is, and all else is done here.
 *
 * Invariant: what is not told, or cannot be read, is null or left out: nothing is made up, and nothing thrown.
 */
import type { Accounts, Candle, Fill, Order, Orderbook, PublicTrade, Ticker } from "../contract/index.ts";
import { defined } from "../contract/index.ts";
import { notional, notionalOf, price, quantity, quantityFor } from "../decimal/index.ts";
import { average, exactly, isZero, notMore, positive, signed, wire } from "./shown-number.ts";

/** A number as the exchange writes it, where it tells one. */
type Text = string | null | undefined;

export interface ToldOrder extends Pick<Order, "orderId" | "symbol" | "side" | "state" | "created_at"> {
  readonly isLimit: boolean;
  readonly price: Text;
  readonly volume: Text;
  /** Of a market buy, in the quote. */
  readonly amount: Text;
  readonly userref: Text;
  /** Read already, as the state follows from them: of the order's volume, and of its value. */
  readonly executed: string;
  readonly value: string | undefined;
  /** Both follow from the others where they are not told. */
  readonly remaining?: Text;
  readonly average?: Text;
  /** Of the whole order, in the quote. */
  readonly fee?: Text;
  readonly updated_at?: string | undefined;
}

export function shownOrder({ isLimit, executed, value, ...told }: ToldOrder): Order {
  const { orderId, symbol, side, state, userref, created_at, updated_at } = told;
  const [volume, fee] = [wire(told.volume), wire(told.fee)];
  const each = isZero(executed)
    ? undefined
    : (wire(told.average) ?? (value === undefined ? undefined : average(value, executed)));
  return {
    ...{ uuid: orderId, orderId, txid: [orderId], symbol, side, type: isLimit ? "limit" : "market" },
    ...{ price: (isLimit ? wire(told.price) : undefined) ?? null, volume: volume ?? null },
    ...{ amount: (isLimit ? undefined : wire(told.amount)) ?? null, executed_volume: executed },
    remaining_volume: volume === undefined ? null : (wire(told.remaining) ?? notMore(volume, executed)),
    ...{ avg_price: each ?? null, state, reject_reason: null, userref: userref ?? null, created_at },
    ...defined({ executed_value: value, fee, updated_at }),
    ...(fee !== undefined && { fee_currency: symbol.split("/")[1] ?? "" }),
  };
}

/** Whether what is left of a market buy's amount buys nothing any more, at the price that it has paid. */
export function buysNothing(amount: string, value: string, executed: string): boolean {
  const left = notional(amount).minus(notional(value));
  if (left.isNegative() || left.isZero()) return true;
  return !isZero(executed) && quantityFor(left, price(average(value, executed)), 8, "down").isZero();
}

/** What a volume is worth at a price; both are numbers. */
export function worth(each: string, volume: string): string {
  return exactly(notionalOf(price(exactly(each)), quantity(exactly(volume))).toString());
}

interface ToldFill extends Pick<Fill, "trade_id" | "orderId" | "symbol" | "side" | "time"> {
  readonly price: string;
  readonly qty: string;
  readonly value?: Text;
  readonly fee: Text;
  /** The quote's, where it is not told. */
  readonly feeCurrency: Text;
  readonly isTaker: boolean | null | undefined;
}

export function shownFill({ price: each, qty, value, fee, feeCurrency, isTaker, ...told }: ToldFill): Fill {
  return {
    ...{ ...told, userref: null, price: exactly(each), volume: exactly(qty), value: wire(value) ?? worth(each, qty) },
    ...{ fee: wire(fee) ?? "0", fee_currency: feeCurrency?.toUpperCase() ?? told.symbol.split("/")[1] ?? "" },
    ...(wire(fee) === undefined && { fee_exact: false }),
    ...(isTaker != null && { liquidity: isTaker ? ("taker" as const) : ("maker" as const) }),
  };
}

const ASSET = /^[A-Z0-9]{1,15}$/;

/** @param held by orders and by whatever else. @returns nothing for what cannot be read; a name of other letters cannot be traded */
export function shownBalance(currency: string, free: string, ...held: readonly Text[]): Accounts["balances"] {
  const asset = currency.toUpperCase();
  const [available, ...parts] = [free, ...held].map((text) => wire(text ?? "0", "down"));
  if (available === undefined || parts.includes(undefined) || !ASSET.test(asset)) return [];
  const locked = parts.reduce((sum, part) => sum.plus(quantity(part ?? "0")), quantity("0"));
  return [{ asset, total: quantity(available).plus(locked).toString(), available, locked: locked.toString() }];
}

type Figure = "last" | "open" | "high" | "low" | "volume" | "quoteVolume" | "change" | "changeRate" | "bid" | "ask";

export function shownTicker(symbol: string, told: Partial<Readonly<Record<Figure, Text>>>, time: string): Ticker {
  const shown = (text: Text): string | null => wire(text) ?? null;
  return {
    ...{ symbol, last: shown(told.last), open: shown(told.open), high: shown(told.high), low: shown(told.low) },
    ...{ volume: wire(told.volume) ?? "0", quote_volume: wire(told.quoteVolume) ?? "0" },
    ...{ change: signed(told.change) ?? null, change_rate: signed(told.changeRate) ?? null },
    ...{ best_bid: positive(told.bid) ?? null, best_ask: positive(told.ask) ?? null, time },
  };
}

type Levels = readonly { readonly price: string; readonly qty: string }[];

/** Without levels of nothing. @param seq the number of its state: the time, where an exchange tells none */
export function shownBook(
  { symbol, seq, time }: Pick<Orderbook, "symbol" | "seq" | "time">,
  { bids, asks }: { readonly bids: Levels; readonly asks: Levels },
  depth: number,
): Orderbook {
  const side = (levels: Levels): [string, string][] =>
    levels
      .slice(0, depth)
      .map((each): [string, string] => [exactly(each.price), exactly(each.qty)])
      .filter(([, size]) => !isZero(size));
  return { symbol, seq, tick: { buys: side(bids), asks: side(asks) }, time };
}

export function shownTrade(
  known: Pick<PublicTrade, "trade_id" | "symbol" | "side" | "time">,
  { price: each, qty }: Levels[number],
): PublicTrade {
  return { ...known, price: exactly(each), volume: exactly(qty) };
}

type Prices = Pick<Candle, "open" | "high" | "low" | "close">;

export function shownPrices({ open, high, low, close }: Prices): Prices {
  return { open: exactly(open), high: exactly(high), low: exactly(low), close: exactly(close) };
}
