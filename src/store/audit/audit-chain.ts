/**
 * Owns how the entries of the audit log hang together: each is hashed with the hash of the one before, and the head holds
 * count and hash of the last, so that a change, a gap and a missing end are all found.
 *
 * Invariants: hash = SHA-256(hash before + canonical JSON of the row without its hashes), hex; before the first stand 64
 * zeros. An entry and its head are written in one transaction. Who can write the whole file can also make a whole new chain:
 * that only shows against a head hash that was noted elsewhere.
 */
import { hash } from "node:crypto";
import { bytesTextCell, numberCell, type Row, type Statements, type Work } from "../sql/statement.ts";
import { StoreInvariantError } from "../sql/store-error.ts";

export const GENESIS_HASH = "0".repeat(64);

/** An entry as its row holds it. */
export interface ChainedEntry {
  /** Integers as decimal text where they are read back to be checked, as a changed one may outgrow a number. */
  readonly seq: number | string;
  readonly atMs: number | string;
  readonly account: string;
  readonly event: string;
  readonly intentId: string | null;
  readonly orderId: string | null;
  /** Canonical JSON. */
  readonly detail: string;
}

export interface ChainHead {
  /** Counts entries. */
  readonly count: number;
  /** Numbers the last entry. */
  readonly seq: number;
  readonly hash: string;
}

const INSERT = `INSERT INTO audit (seq, at_ms, account, event, intent_id, order_id, detail, prev_hash, hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const READ_HEAD = "SELECT count, seq, CAST(hash AS BLOB) AS hash FROM audit_head WHERE id = 1";
/** With the hash that one of the entries has now. */
const READ_HEAD_BESIDE = READ_HEAD.replace(
  " FROM",
  ", (SELECT CAST(hash AS BLOB) AS hash FROM audit WHERE seq = ?) AS known FROM",
);
const SAVE_HEAD = "UPDATE audit_head SET count = ?, seq = ?, hash = ? WHERE id = 1";

/** @param hashes are added as members of their own, as an export shows them. */
export function entryText(entry: ChainedEntry, hashes?: { readonly prevHash: string; readonly hash: string }): string {
  const { seq, atMs, account, event, intentId, orderId, detail } = entry;
  const text = JSON.stringify;
  const [hash, prevHash] =
    hashes === undefined ? ["", ""] : [`"hash":${text(hashes.hash)},`, `"prev_hash":${text(hashes.prevHash)},`];
  return (
    `{"account":${text(account)},"at_ms":${atMs},"detail":${detail},"event":${text(event)},${hash}` +
    `"intent_id":${text(intentId)},"order_id":${text(orderId)},${prevHash}"seq":${seq}}`
  );
}

export function entryHash(prevHash: string, entry: ChainedEntry): string {
  return hash("sha256", prevHash + entryText(entry));
}

export function* readHead({ get }: Statements): Work<ChainHead> {
  return headIn(yield* get(READ_HEAD, []));
}

/** Reads the head, and tells whether the log was at another head once: see `isOnTheWay`. */
export function* readHeadBeyond(
  { get }: Statements,
  { seq, hash }: ChainHead,
): Work<{ readonly head: ChainHead; readonly isBeyond: boolean }> {
  const row = yield* get(READ_HEAD_BESIDE, [seq]);
  const head = headIn(row);
  const isBeyond = seq === 0 || (row !== undefined && row["known"] !== null && bytesTextCell(row, "known") === hash);
  return { head, isBeyond };
}

function headIn(row: Row | undefined): ChainHead {
  if (row === undefined) throw new StoreInvariantError("the audit log has no head");
  return { count: numberCell(row, "count"), seq: numberCell(row, "seq"), hash: bytesTextCell(row, "hash") };
}

const HASH_AT = "SELECT CAST(hash AS BLOB) AS hash FROM audit WHERE seq = ?";

/** Tells whether the log was at this head once: another row there, or none, means that it was put back to an earlier one. */
export function* isOnTheWay({ get }: Statements, { seq, hash }: ChainHead): Work<boolean> {
  if (seq === 0) return true;
  const row = yield* get(HASH_AT, [seq]);
  return row !== undefined && bytesTextCell(row, "hash") === hash;
}

/** The newest head that is known to be on disk. */
export interface KeptHead {
  readonly newest: ChainHead | undefined;
  readonly keep: (head: ChainHead) => void;
}

/** @param note told of each */
export function keptHead(note: (head: ChainHead) => void): KeptHead {
  let newest: ChainHead | undefined;
  return {
    get newest() {
      return newest;
    },
    keep: (head) => {
      // Of two that end at the same moment the earlier may come last.
      if (newest === undefined || head.count > newest.count) newest = head;
      note(head);
    },
  };
}

export type NumberedEntry = ChainedEntry & { readonly seq: number };

function headAfter(head: ChainHead, entry: NumberedEntry): ChainHead {
  return { count: head.count + 1, seq: entry.seq, hash: entryHash(head.hash, entry) };
}

/** What the failure of a write means. */
type Meaning = (error: unknown) => unknown;

/** Adds an entry behind `head`. @returns the new head, which is still to be saved. */
export function* chainEntry(
  { put }: Statements,
  head: ChainHead,
  entry: NumberedEntry,
  meaning?: Meaning,
): Work<ChainHead> {
  const after = headAfter(head, entry);
  const { seq, atMs, account, event, intentId, orderId, detail } = entry;
  const row = [seq, atMs, account, event, intentId, orderId, detail, head.hash, after.hash];
  // A trigger can make a statement do nothing without an error.
  yield* put(INSERT, row, 1, meaning);
  return after;
}

export function* saveHead({ put }: Statements, { count, seq, hash }: ChainHead, meaning?: Meaning): Work<void> {
  yield* put(SAVE_HEAD, [count, seq, hash], 1, meaning);
}
