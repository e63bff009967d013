/**
 * The one way from an amount of an asset to what it counts for: a sum in the desk's unit of account.
 *
 * Invariant: what has no price counts for nothing known, which denies; never for zero.
 *
 * Source: decision 0091.
 */
import { faultKind, ok, type Result } from "../../contract/index.ts";
import { max, notional, notionalOf, price, quantity, type Value } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { counted } from "../model/account-usage.ts";
import { quotesOf } from "./order-value.ts";

const BOOK_DEPTH = 20;

/**
 * At the highest of what the book quotes and what was traded last: never less than it would cost to get it back. A book with one
 * side alone gives no price, as anybody may stand there with any.
 * @returns undefined without a price
 */
export async function valueIn(context: DeskContext, asset: string, amount: string): Promise<Result<Value | undefined>> {
  const { unit } = context;
  if (asset === unit) return ok(counted(notional(amount), unit));
  const { venue, clock } = context.parts;
  const symbol = `${asset}/${unit}`;
  const book = await venue.orderbook(symbol, BOOK_DEPTH);
  if (!book.ok) return faultKind(book.fault.code) === "unknown_market" ? ok(undefined) : book;
  const { bid, ask } = quotesOf({ tick: book.value.tick, atMs: clock.now() });
  if (bid === undefined || ask === undefined) return ok(undefined);
  const tickers = await venue.tickers([symbol]);
  if (!tickers.ok) return tickers;
  const last = tickers.value.find((each) => each.symbol === symbol)?.last ?? undefined;
  const best = [ask, ...(last === undefined ? [] : [price(last)])].reduce(max, bid);
  return ok(counted(notionalOf(best, quantity(amount)), unit));
}
