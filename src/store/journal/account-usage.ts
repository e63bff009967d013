/**
 * Owns what an account has in use: the figures that budgets are held against, read from the intents themselves, so that no
 * counter can go astray.
 *
 * Invariants: sums are exact, however large; what is read inside a write transaction stays true until that ends; after the clock
 * was set back things count longer, never shorter.
 */
import type { AccountUsage, Settled } from "../../desk/index.ts";
import { type Bindable, numberCell, type Statements, textCell, type Work } from "../sql/statement.ts";
import { StoreInvariantError } from "../sql/store-error.ts";

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Each part fits one partial index with all it needs in it; see `migrations.ts`. */
const USAGE = `SELECT
  (SELECT CAST(coalesce(sum(held_krw), 0) AS TEXT) FROM intents
    WHERE account = ? AND held_live = 1 AND rowid <> ?) AS open_krw,
  (SELECT count(*) FROM intents WHERE account = ? AND held_live = 1 AND rowid <> ?) AS open_orders,
  (SELECT CAST(coalesce(sum(held_krw), 0) AS TEXT) FROM intents
    WHERE account = ? AND held_at_ms > ? AND held_live = 0 AND held_krw > 0 AND rowid <> ?) AS settled_krw,
  (SELECT count(*) FROM intents
    WHERE account = ? AND sent_at_ms > ? AND sent_at_ms IS NOT NULL AND rowid <> ?) AS last_minute,
  (SELECT min(sent_at_ms) FROM intents
    WHERE account = ? AND sent_at_ms > ? AND sent_at_ms IS NOT NULL AND rowid <> ?) AS first_sent_at_ms`;

/** No row has it. */
export const NO_ROW = 0;

/** @param exceptRow row id of an intent that does not count, as it is the one that asks. */
export function* readUsage(
  { get }: Statements,
  account: string,
  atMs: number,
  exceptRow = NO_ROW,
): Work<Pick<AccountUsage, "usage" | "firstSentAtMs">> {
  const values: Bindable[] = [account, exceptRow, account, exceptRow];
  const minuteMs = atMs - MINUTE_MS;
  values.push(account, atMs - DAY_MS, exceptRow, account, minuteMs, exceptRow, account, minuteMs, exceptRow);
  const row = yield* get(USAGE, values);
  if (row === undefined) throw new StoreInvariantError("a sum has no row");
  const openKrw = textCell(row, "open_krw");
  const usage = {
    dayKrw: String(BigInt(openKrw) + BigInt(textCell(row, "settled_krw"))),
    openKrw,
    openOrders: numberCell(row, "open_orders"),
    lastMinute: numberCell(row, "last_minute"),
  };
  return row["first_sent_at_ms"] === null ? { usage } : { usage, firstSentAtMs: numberCell(row, "first_sent_at_ms") };
}

/** More than this many orders are seldom waited for, and every order that leaves reads them. */
const SETTLED_MAX = 100;
/** In the order of its index. */
const SETTLED = `SELECT held_at_ms, held_krw FROM intents
  WHERE account = ? AND held_at_ms > ? AND held_live = 0 AND held_krw > 0 ORDER BY held_at_ms LIMIT ${SETTLED_MAX}`;

export function* readSettled({ all }: Statements, account: string, atMs: number): Work<readonly Settled[]> {
  return (yield* all(SETTLED, [account, atMs - DAY_MS])).map((row) => ({
    krw: String(numberCell(row, "held_krw")),
    atMs: numberCell(row, "held_at_ms"),
  }));
}

/** An amount as it is bound. Larger ones than a number holds exactly are a mistake: there is not that much KRW. */
export function wholeKrw(text: string): number {
  const krw = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN; // not money: refused unless exact
  if (!Number.isSafeInteger(krw)) throw new StoreInvariantError(`"${text}" is no whole amount of KRW up to 2^53 - 1`);
  return krw;
}

/** First and last millisecond of what happened since a moment. After a clock that was set back since, what lies ahead happened before. */
export function sentWithin(sinceMs: number, nowMs: number): readonly [number, number] {
  return sinceMs <= nowMs ? [sinceMs, nowMs] : [nowMs, Number.MAX_SAFE_INTEGER];
}
