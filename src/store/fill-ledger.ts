/**
 * Owns the ledger of fills: what an account executed, each fill once, and how far it has been read from the venue.
 *
 * Invariants: a page of fills and the progress made with it are one transaction; a fill that is kept never changes; `done_to_ms` never falls.
 * Two processes that read at once keep the same fills, and the progress of either is true: what it leads past is kept, by the one who wrote it.
 * After a power cut the last pages may be missing, and the progress with them.
 *
 * Source: decision 0028.
 */
import type { FillLedger, LedgerFill, LedgerProgress, LedgerStep } from "../desk/index.ts";
import type { Connection } from "./connection.ts";
import { numberCell, type Row, textCell } from "./statement.ts";
import { resultOf, StoreInvariantError } from "./store-error.ts";

const KEEP = `INSERT INTO fills
  (account, trade_id, order_id, symbol, side, price, volume, value, fee, fee_currency, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (account, trade_id, order_id) DO NOTHING`;
const BEGIN = `INSERT INTO fill_progress (account, pass_from_ms, pass_newest_ms, pass_cursor) VALUES (?, ?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET pass_from_ms = excluded.pass_from_ms, pass_newest_ms = excluded.pass_newest_ms,
  pass_cursor = excluded.pass_cursor`;
const END = `INSERT INTO fill_progress (account, done_to_ms, whole_at_ms) VALUES (?, ?, ?) ON CONFLICT (account) DO UPDATE SET
  done_to_ms = CASE WHEN fill_progress.done_to_ms >= excluded.done_to_ms OR excluded.done_to_ms IS NULL
    THEN fill_progress.done_to_ms ELSE excluded.done_to_ms END,
  whole_at_ms = coalesce(excluded.whole_at_ms, fill_progress.whole_at_ms),
  pass_from_ms = NULL, pass_newest_ms = NULL, pass_cursor = NULL`;
const PROGRESS =
  "SELECT done_to_ms, whole_at_ms, pass_from_ms, pass_newest_ms, pass_cursor FROM fill_progress WHERE account = ?";
/** Numbers of trades are texts; of two in one millisecond the shorter came first. */
const FILLS = `SELECT trade_id, order_id, symbol, side, price, volume, value, fee, fee_currency, at_ms FROM fills
  WHERE account = ? AND at_ms >= ? ORDER BY at_ms, length(trade_id), trade_id, order_id`;

export function createFillLedger(connection: Connection): FillLedger {
  const keep = (account: string, fills: readonly LedgerFill[], step: LedgerStep): Promise<number> =>
    connection.transaction(function* ({ run }) {
      let added = 0;
      for (const { tradeId, orderId, symbol, side, price, volume, value, fee, feeCurrency, atMs } of fills) {
        const amounts = [price, volume, value, fee, feeCurrency];
        added += (yield* run(KEEP, [account, tradeId, orderId, symbol, side, ...amounts, atMs])).changes;
      }
      if ("pass" in step) yield* run(BEGIN, [account, step.pass.fromMs, step.pass.newestMs, step.pass.cursor]);
      else yield* run(END, [account, step.doneToMs ?? null, step.wholeAtMs ?? null]);
      return added;
    });
  return {
    keep: (...page) => resultOf(keep(...page)),
    progress: (account) => resultOf(connection.single(({ get }) => get(PROGRESS, [account])).then(progressOf)),
    fills: (account, fromMs = 0) =>
      resultOf(connection.single(({ all }) => all(FILLS, [account, fromMs])).then((rows) => rows.map(fillOf))),
  };
}

function progressOf(row: Row | undefined): LedgerProgress {
  if (row === undefined) return { doneToMs: undefined, wholeAtMs: undefined, pass: undefined };
  return {
    doneToMs: row["done_to_ms"] === null ? undefined : numberCell(row, "done_to_ms"),
    wholeAtMs: row["whole_at_ms"] === null ? undefined : numberCell(row, "whole_at_ms"),
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

function sideOf(text: string): LedgerFill["side"] {
  if (text === "buy" || text === "sell") return text;
  throw new StoreInvariantError("a fill's row holds no side");
}
