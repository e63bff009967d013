/**
 * Owns the ledger of fills: what an account executed, each fill once, how far it has been read from the venue, what it was seen to hold that the
 * fills do not explain, and marks: what was computed from these up to a time.
 *
 * Invariants: a page of fills and the progress made with it are one transaction; a fill that is kept never changes; `done_to_ms` never falls.
 * Two processes that read at once keep the same fills, and the progress of either is true: what it leads past is kept, by the one who wrote it.
 * After a power cut the last pages may be missing, and the progress with them. A fill that comes in behind a mark, or a balance, takes it away in its own
 * transaction; who computes a mark meanwhile finds another revision, and cannot keep it.
 *
 * Source: decision 0028, decision 0059.
 */
import { setImmediate } from "node:timers/promises";
import type {
  BalanceSighting,
  FilledVolume,
  FillLedger,
  LedgerFill,
  LedgerMark,
  LedgerProgress,
  LedgerStep,
  UnreadSpan,
} from "../../desk/index.ts";
import type { Connection } from "../sql/connection.ts";
import { numberCell, type Row, type Statements, textCell, type Work } from "../sql/statement.ts";
import { resultOf, StoreInvariantError } from "../sql/store-error.ts";

const KEEP = `INSERT INTO fills
  (account, trade_id, order_id, symbol, side, price, volume, value, fee, fee_currency, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (account, trade_id, order_id) DO NOTHING`;
/** A late fill is counted in its row. */
const KNOWN = "INSERT INTO fill_progress (account) VALUES (?) ON CONFLICT (account) DO NOTHING";
const BEGIN = `INSERT INTO fill_progress (account, pass_from_ms, pass_newest_ms, pass_cursor) VALUES (?, ?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET pass_from_ms = excluded.pass_from_ms, pass_newest_ms = excluded.pass_newest_ms,
  pass_cursor = excluded.pass_cursor`;
const END = `INSERT INTO fill_progress (account, done_to_ms, whole_at_ms) VALUES (?, ?, ?) ON CONFLICT (account) DO UPDATE SET
  done_to_ms = CASE WHEN fill_progress.done_to_ms >= excluded.done_to_ms OR excluded.done_to_ms IS NULL
    THEN fill_progress.done_to_ms ELSE excluded.done_to_ms END,
  whole_at_ms = coalesce(excluded.whole_at_ms, fill_progress.whole_at_ms),
  pass_from_ms = NULL, pass_newest_ms = NULL, pass_cursor = NULL`;
/** Of two processes that find the same one at once, the first was the sooner. */
const KEEP_UNREAD = `INSERT INTO unread_spans (account, from_ms, to_ms) VALUES (?, ?, ?)
  ON CONFLICT (account, from_ms) DO NOTHING`;
const UNREAD = "SELECT from_ms, to_ms FROM unread_spans WHERE account = ? ORDER BY from_ms";
const PROGRESS =
  "SELECT done_to_ms, whole_at_ms, seen_ms, pass_from_ms, pass_newest_ms, pass_cursor, revision FROM fill_progress WHERE account = ?";
/** Numbers of trades are texts; of two in one millisecond the shorter came first. */
const pageSql = (
  which: string,
): string => `SELECT trade_id, order_id, symbol, side, price, volume, value, fee, fee_currency, at_ms
  FROM fills WHERE account = ? AND at_ms >= ? AND (at_ms > ? OR (length(trade_id), trade_id, order_id) > (length(?), ?, ?)) ${which}
  ORDER BY at_ms, length(trade_id), trade_id, order_id LIMIT ?`;
const EVERY_FILL = pageSql("");
const BOUGHT = pageSql("AND symbol = ? AND side = 'buy'");
/** Asked together: as many values as a statement may well have. */
const ORDERS_AT_ONCE = 100;
const VOLUMES = `SELECT order_id, volume FROM fills WHERE account = ? AND order_id IN (${Array(ORDERS_AT_ONCE).fill("?").join(", ")})`;
const NEWEST = "SELECT max(at_ms) AS at_ms FROM fills WHERE account = ?";
const REVISE = "UPDATE fill_progress SET revision = revision + 1 WHERE account = ?";
const TAKE_MARKS = "DELETE FROM fill_marks WHERE account = ? AND to_ms >= ?";
const SIGHTINGS = "SELECT asset, total, at_ms, since_ms FROM balance_sightings WHERE account = ? ORDER BY at_ms, asset";
const KEEP_SIGHTING = `INSERT INTO balance_sightings (account, asset, at_ms, since_ms, total) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (account, at_ms, asset) DO NOTHING`;
const SEEN = `INSERT INTO fill_progress (account, seen_ms) VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET
  seen_ms = excluded.seen_ms`;
const MARK = `SELECT to_ms, count, state FROM fill_marks WHERE account = ? AND kind = ? AND to_ms <= ?
  ORDER BY to_ms DESC LIMIT 1`;
/** There is one of them, the newest, besides those that last. */
const TAKE_NEWEST = "DELETE FROM fill_marks WHERE account = ? AND kind = ? AND is_lasting = 0";
const KEEP_MARK = `INSERT INTO fill_marks (account, kind, to_ms, count, is_lasting, state) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (account, kind, to_ms) DO NOTHING`;

export function createFillLedger(connection: Connection): FillLedger {
  return {
    keep: (account, fills, step) =>
      resultOf(connection.transaction((statements) => keepPage(statements, { account, fills, step }))),
    progress: (account) => resultOf(connection.single(({ get }) => get(PROGRESS, [account])).then(progressOf)),
    unread: (account) =>
      resultOf(connection.single(({ all }) => all(UNREAD, [account])).then((rows) => rows.map(spanOf))),
    page: (account, { after: { atMs, tradeId, orderId }, limit, bought }) => {
      const place = [account, atMs, atMs, tradeId, tradeId, orderId];
      const [sql, values] = bought === undefined ? [EVERY_FILL, place] : [BOUGHT, [...place, bought]];
      const read = connection.single(({ all }) => all(sql, [...values, limit]));
      return resultOf(read.then((rows) => pageOf(rows, limit)));
    },
    volumes: (account, orderIds) =>
      resultOf(connection.single((statements) => volumesOf(statements, account, orderIds))),
    sightings: (account) =>
      resultOf(connection.single(({ all }) => all(SIGHTINGS, [account])).then((rows) => rows.map(sightingOf))),
    keepSightings: (account, sightings, seenMs) =>
      resultOf(connection.transaction((statements) => keepSightings(statements, { account, sightings, seenMs }))),
    mark: (account, kind, toMs) =>
      resultOf(connection.single(({ get }) => get(MARK, [account, kind, toMs])).then((row) => markOf(kind, row))),
    keepMark: (account, mark, { revision, isLasting }) =>
      resultOf(connection.transaction((statements) => keepMark(statements, { account, mark, revision, isLasting }))),
  };
}

interface Kept {
  readonly account: string;
  readonly fills: readonly LedgerFill[];
  readonly step: LedgerStep | undefined;
}

function* keepPage({ run, get }: Statements, { account, fills, step }: Kept): Work<number> {
  const newest = optionalNumberCell(yield* get(NEWEST, [account]), "at_ms") ?? -1;
  let added = 0;
  let firstMs = Number.MAX_SAFE_INTEGER;
  for (const { tradeId, orderId, symbol, side, price, volume, value, fee, feeCurrency, atMs } of fills) {
    const amounts = [price, volume, value, fee, feeCurrency];
    const { changes } = yield* run(KEEP, [account, tradeId, orderId, symbol, side, ...amounts, atMs]);
    added += changes;
    if (changes > 0) firstMs = Math.min(firstMs, atMs);
  }
  if (step === undefined) yield* run(KNOWN, [account]);
  else if ("pass" in step) yield* run(BEGIN, [account, step.pass.fromMs, step.pass.newestMs, step.pass.cursor]);
  else {
    yield* run(END, [account, step.doneToMs ?? null, step.wholeAtMs ?? null]);
    if (step.unread !== undefined) yield* run(KEEP_UNREAD, [account, step.unread.fromMs, step.unread.toMs]);
  }
  if (firstMs <= newest) {
    yield* run(REVISE, [account]);
    yield* run(TAKE_MARKS, [account, firstMs]);
  }
  return added;
}

function* volumesOf({ all }: Statements, account: string, orderIds: readonly string[]): Work<FilledVolume[]> {
  const found: FilledVolume[] = [];
  for (let at = 0; at < orderIds.length; at += ORDERS_AT_ONCE) {
    const some = Array.from({ length: ORDERS_AT_ONCE }, (_, index) => orderIds[at + index] ?? null);
    for (const row of yield* all(VOLUMES, [account, ...some]))
      found.push({ orderId: textCell(row, "order_id"), volume: textCell(row, "volume") });
  }
  return found;
}

interface Seen {
  readonly account: string;
  readonly sightings: readonly BalanceSighting[];
  readonly seenMs: number;
}

function* keepSightings({ run }: Statements, { account, sightings, seenMs }: Seen): Work<void> {
  yield* run(SEEN, [account, seenMs]);
  for (const { asset, total, atMs, sinceMs } of sightings)
    yield* run(KEEP_SIGHTING, [account, asset, atMs, sinceMs ?? null, total]);
  if (sightings.length === 0) return;
  yield* run(REVISE, [account]);
  yield* run(TAKE_MARKS, [account, Math.min(...sightings.map(({ atMs }) => atMs))]);
}

interface KeptMark {
  readonly account: string;
  readonly mark: LedgerMark;
  readonly revision: number;
  readonly isLasting: boolean;
}

function* keepMark({ run, get }: Statements, { account, mark, revision, isLasting }: KeptMark): Work<void> {
  const { kind, toMs, count, state } = mark;
  const progress = yield* get(PROGRESS, [account]);
  if (progress === undefined || numberCell(progress, "revision") !== revision) return;
  yield* run(TAKE_NEWEST, [account, kind]);
  yield* run(KEEP_MARK, [account, kind, toMs, count, isLasting ? 1 : 0, state]);
}

async function pageOf(rows: readonly Row[], limit: number): Promise<readonly LedgerFill[]> {
  // Another page follows, and the process has more to do than this.
  if (rows.length === limit) await setImmediate();
  return rows.map(fillOf);
}

function markOf(kind: string, row: Row | undefined): LedgerMark | undefined {
  if (row === undefined) return undefined;
  return { kind, toMs: numberCell(row, "to_ms"), count: numberCell(row, "count"), state: textCell(row, "state") };
}

function progressOf(row: Row | undefined): LedgerProgress {
  if (row === undefined)
    return { doneToMs: undefined, wholeAtMs: undefined, seenMs: undefined, pass: undefined, revision: 0 };
  return {
    doneToMs: optionalNumberCell(row, "done_to_ms"),
    wholeAtMs: optionalNumberCell(row, "whole_at_ms"),
    seenMs: optionalNumberCell(row, "seen_ms"),
    revision: numberCell(row, "revision"),
    pass:
      row["pass_cursor"] === null
        ? undefined
        : {
            fromMs: numberCell(row, "pass_from_ms"),
            newestMs: numberCell(row, "pass_newest_ms"),
            cursor: textCell(row, "pass_cursor"),
          },
  };
}

function optionalNumberCell(row: Row | undefined, column: string): number | undefined {
  return row === undefined || row[column] === null ? undefined : numberCell(row, column);
}

function fillOf(row: Row): LedgerFill {
  return {
    tradeId: textCell(row, "trade_id"),
    orderId: textCell(row, "order_id"),
    symbol: textCell(row, "symbol"),
    side: sideOf(textCell(row, "side")),
    price: textCell(row, "price"),
    volume: textCell(row, "volume"),
    value: textCell(row, "value"),
    fee: textCell(row, "fee"),
    feeCurrency: textCell(row, "fee_currency"),
    atMs: numberCell(row, "at_ms"),
  };
}

function spanOf(row: Row): UnreadSpan {
  return { fromMs: numberCell(row, "from_ms"), toMs: numberCell(row, "to_ms") };
}

function sightingOf(row: Row): BalanceSighting {
  return {
    asset: textCell(row, "asset"),
    total: textCell(row, "total"),
    atMs: numberCell(row, "at_ms"),
    sinceMs: optionalNumberCell(row, "since_ms"),
  };
}

function sideOf(text: string): LedgerFill["side"] {
  if (text === "buy" || text === "sell") return text;
  throw new StoreInvariantError("a fill's row holds no side");
}
