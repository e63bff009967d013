/**
 * Tells what a market lately traded at: the middle of its public trades, those of the account left out.
 *
 * Invariants: the middle is by volume, so that it takes as much volume as everybody else's to bend it; what may be a trade of the account is
 * left out; trades that are long past say nothing.
 *
 * Source: decision 0023.
 */
import type { CreateOrderBody, PublicTrade, Result, Side } from "../../contract/index.ts";
import { ok } from "../../contract/index.ts";
import { type Price, price, priceText, type Quantity, quantity } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { OwnIntent } from "../model/intent.ts";
import { JUDGED_TRADES } from "../ports/market-stream.ts";
import { staysFresh } from "./current-book.ts";
import { grouped } from "./own-orders.ts";

/** A trade before that says nothing of the price now. */
export const RECENT_MS = 10 * 60_000;
/** Our clock, and that of the venue as it was measured, differ by no more from one step to the next. */
const CLOCK_SLACK_MS = 5_000;
/** From when a request is numbered until the venue has it, with that slack. */
const SENT_WITHIN_MS = 20_000;
/** From when the venue has an order until all that it meets at once is printed. */
const MATCHED_WITHIN_MS = 1_000;

/** @returns undefined where the stream has none that are recent enough */
export function followedTrades(
  { parts: { clock, stream } }: DeskContext,
  symbol: string,
  maxAgeMs: number,
): readonly PublicTrade[] | undefined {
  const followed = stream?.trades(symbol);
  return followed !== undefined && staysFresh(followed, clock.now(), maxAgeMs) ? followed.trades : undefined;
}

/** The last public trades: from the stream where it is live and recent, else from the venue. */
export async function currentTrades(
  context: DeskContext,
  symbol: string,
  maxAgeMs: number,
): Promise<Result<readonly PublicTrade[]>> {
  const followed = followedTrades(context, symbol, maxAgeMs);
  return followed === undefined ? context.parts.venue.trades(symbol, JUDGED_TRADES) : ok(followed);
}

/** When it is, by our clock, and how far the venue's is ahead of it. Milliseconds. */
interface Now {
  readonly nowMs: number;
  readonly offsetMs: number;
}

/**
 * Half of the volume was traded at this price or lower.
 * @param own orders of the account that are open, may be, or have executed something lately
 * @returns undefined where nobody else has traded lately
 */
export function tradedPrice(
  trades: readonly PublicTrade[],
  own: readonly OwnIntent[],
  { nowMs, offsetMs }: Now,
): Price | undefined {
  const fromMs = nowMs + offsetMs - RECENT_MS;
  const ownIn = new Map<string, OwnTrading>();
  let total = quantity("0");
  const prints: Print[] = [];
  for (const trade of trades) {
    const { symbol } = trade;
    const print = printOf(trade);
    if (print.atMs < fromMs) continue;
    const ours = ownIn.get(symbol) ?? ownTradingIn(symbol, own, { fromMs, offsetMs });
    ownIn.set(symbol, ours);
    if (mayBeOwn(print, ours)) continue;
    prints.push(print);
    total = total.plus(print.volume);
  }
  let passed = quantity("0");
  for (const { at, volume } of prints.sort((a, b) => a.at.cmp(b.at))) {
    passed = passed.plus(volume);
    if (!volume.isZero() && passed.plus(passed).gte(total)) return at;
  }
  return undefined;
}

/**
 * The newest trade that is not one of the account.
 * @param trades newest first, as every venue tells them: their times go back when its clock does
 */
export function newestOfOthers(
  trades: readonly PublicTrade[],
  own: OwnTrading,
): { readonly price: Price; readonly atMs: number } | undefined {
  for (const trade of trades) {
    const print = printOf(trade);
    if (!mayBeOwn(print, own)) return { price: print.at, atMs: print.atMs };
  }
  return undefined;
}

interface Print extends Pick<PublicTrade, "side"> {
  readonly atMs: number;
  readonly at: Price;
  readonly volume: Quantity;
}

/** The stream shows one trade to many orders. */
const printsRead = new WeakMap<PublicTrade, Print>();

function printOf(trade: PublicTrade): Print {
  const read = printsRead.get(trade);
  if (read !== undefined) return read;
  const { side, time, price: at, volume } = trade;
  const print = { side, atMs: Date.parse(time), at: price(at), volume: quantity(volume) };
  printsRead.set(trade, print);
  return print;
}

/** When an order may have traded, by the clock of the venue, Unix milliseconds. */
interface Life {
  readonly order: CreateOrderBody;
  /** The most that one trade of it may be; undefined where that is not known. */
  readonly most: string | undefined;
  /** The same as a number, from when it is first compared: of few in a thousand it is. */
  mostRead: Quantity | undefined;
  readonly fromMs: number;
  /** It has met the book by then, and takes nothing any more. */
  readonly takenMs: number;
  readonly untilMs: number;
}

/** The orders of the account in a market, so that each trade is held against the few that it may be of: an account may have a thousand. */
export interface OwnTrading {
  /** Keyed by side and limit: what rests trades at its own price. */
  readonly resting: ReadonlyMap<string, readonly Life[]>;
  /** Those that may have taken something within the time that counts. */
  readonly taking: readonly Life[];
}

/** Puts what has no limit nowhere: it does not rest. */
const placeOf = (side: Side, limit: string | undefined): string =>
  limit === undefined ? side : `${side} ${priceText(limit)}`;

/** @param fromMs trades before are of no use; `offsetMs`: how far the clock of the venue is ahead of ours */
export function ownTradingIn(
  symbol: string,
  own: readonly OwnIntent[],
  { fromMs, offsetMs }: { readonly fromMs: number; readonly offsetMs: number },
): OwnTrading {
  const lives = own.filter(({ body }) => body.order.symbol === symbol).map((intent) => lifeOf(intent, offsetMs));
  return {
    resting: grouped(lives, ({ order }) => placeOf(order.side, order.price)),
    taking: lives.filter(({ takenMs }) => takenMs >= fromMs),
  };
}

/** Exact where the venue has shown the order; else by the time that it was sent. */
function lifeOf({ sentAtMs, isLive, updatedAtMs, body: { order, seen } }: OwnIntent, offsetMs: number): Life {
  // What an open order has executed by now is not known; of one that has ended it is.
  const most = isLive ? order.volume : seen?.executed_volume;
  if (seen !== undefined) {
    const fromMs = Date.parse(seen.created_at);
    const endedMs = seen.updated_at === undefined ? updatedAtMs + offsetMs : Date.parse(seen.updated_at);
    const untilMs = isLive ? Number.POSITIVE_INFINITY : endedMs;
    return { order, most, mostRead: undefined, fromMs, takenMs: fromMs + MATCHED_WITHIN_MS, untilMs };
  }
  const fromMs = (sentAtMs ?? updatedAtMs) + offsetMs - CLOCK_SLACK_MS;
  const untilMs = isLive ? Number.POSITIVE_INFINITY : updatedAtMs + offsetMs + CLOCK_SLACK_MS;
  return { order, most, mostRead: undefined, fromMs, takenMs: fromMs + SENT_WITHIN_MS, untilMs };
}

/** Tells whether the trade may be one of the account: taken by an order when it arrived, or made by one at its own price later. */
function mayBeOwn(print: Print, { resting, taking }: OwnTrading): boolean {
  const { side, at, atMs } = print;
  const made = resting.get(placeOf(side === "buy" ? "sell" : "buy", at.toString()));
  return (
    made?.some((life) => isWithin(print, life)) === true ||
    taking.some(
      (life) => life.order.side === side && atMs <= life.takenMs && isWithin(print, life) && reaches(print, life),
    )
  );
}

function isWithin({ atMs, volume }: Print, life: Life): boolean {
  if (atMs < life.fromMs || atMs > life.untilMs) return false;
  if (life.most === undefined) return true;
  life.mostRead ??= quantity(life.most);
  return !volume.gt(life.mostRead);
}

/** Tells whether the limit of an order that takes allows for the price. */
function reaches({ at }: Print, { order: { side, price: limit } }: Life): boolean {
  return limit === undefined || (side === "buy" ? at.lte(price(limit)) : at.gte(price(limit)));
}
