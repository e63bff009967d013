/**
 * Owns how far this database is known to have come, and which one stood in its place last, kept outside of it: a database that is behind its
 * mark was put back from a copy, and one that does not go on from the last one of its place has forgotten all that was sent, denied and spent.
 *
 * Entry points: `findContinuity` at the opening, `keepMark` for every commit that is on disk.
 * Invariants: a mark is never ahead of what is on disk, so it raises no false alarm after a power cut; one that cannot be written only
 * notices less; a database that was found to be a copy goes on under an identity of its own, so the original is not disturbed, and its log
 * says which ones it goes on from.
 *
 * Owns the small files outside of every data directory that tell how far each store has come, by its id, and which one stood last at each place, by
 * the hash of the place.
 *
 * Invariant: what cannot be read or written is as if it were not there: without a mark less is noticed, and nothing else depends on it.
 *
 * Source: decision 0025, decision 0066.
 */

import { createHash } from "node:crypto";
import { closeSync, constants, lstatSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Connection } from "../sql/connection.ts";
import { lenientTextCell, type Statements, textCell, type Work } from "../sql/statement.ts";
import { StoreInvariantError } from "../sql/store-error.ts";
import type { AuditWriter } from "./audit.ts";
import { type ChainHead, isOnTheWay, readHead } from "./audit-chain.ts";

/**
 * `older`: more had been written than there is. `moved`: it is another file than it was, and nothing tells how far that one has come. `gone`:
 * there is none where there was one, or another that does not go on from it.
 */
export interface Restored {
  readonly why: "older" | "moved" | "gone";
  /** Rows of the log that the mark knows of; as many as there are where there is no mark. */
  readonly rowsBefore: number;
  readonly rowsNow: number;
  /** Goes on with it, under a new identity. Whoever does it first counts, of several processes. */
  accept(atMs: number): Promise<void>;
}

export interface Continuity {
  readonly restored: Restored | undefined;
  /** Identifies it; another one once it was found to have been put back and goes on. */
  readonly storeId: string;
  /** Tells how far the log has come for certain; undefined of a database that was put back. */
  readonly newest: ChainHead | undefined;
  /** Since when marks vouch for it without a gap, Unix milliseconds. */
  vouchedSinceMs(): number;
  /** Connections of this process that commit to the disk tell how far the log has come. */
  readonly keep: (head: ChainHead) => void;
  close(): void;
}

interface Identity {
  readonly storeId: string;
  readonly place: string;
}

interface Parts {
  /** Undefined of a schema on a server. */
  readonly path: string | undefined;
  /** Says where it stands: whoever opens this again expects the same one there. */
  readonly standsAt: string;
  /** The id of the one that the data directory is known to have. */
  readonly known?: string | undefined;
  /** Outside of the data directory, or it is put back with it and tells nothing. */
  readonly markDir: string;
  readonly randomBytes: (size: number) => Buffer;
  readonly audit: AuditWriter;
  readonly nowMs: number;
  /** Says that the database was made just now where one had been. */
  readonly isGone?: boolean;
}

const ID_BYTES = 16;
const READ = "SELECT store_id, place FROM identity";
const SAVE = `INSERT INTO identity (id, store_id, place) VALUES (1, ?, ?)
  ON CONFLICT (id) DO UPDATE SET store_id = excluded.store_id, place = excluded.place`;

export async function findContinuity(connection: Connection, parts: Parts): Promise<Continuity> {
  const { path, markDir, randomBytes, standsAt, known: expected } = parts;
  const file = new MarkFiles(markDir);
  // Before the identity: whoever goes on with one that was put back moves both, the identity first.
  const stood = [...new Set([file.storeAt(standsAt), expected])].filter((each) => each !== undefined);
  const place = path === undefined ? await connection.single(schemaIn) : placeOf(path);
  const known = await connection.single(identityIn);
  let identity = known ?? (await connection.transaction((now) => begin(now, newIdentity(randomBytes, place))));
  const found = await connection.single((statements) => judge(statements, identity, { place, stood, parts, file }));
  const mark = found === undefined && isOutside(parts) ? file.read(identity.storeId) : undefined;
  file.sinceMs = mark?.sinceMs ?? parts.nowMs;
  let newest: ChainHead | undefined;
  if (found === undefined) {
    if (identity.place !== place) await connection.transaction(({ run }) => run(SAVE, [identity.storeId, place]));
    // Where there is a mark it stays: the head may be of rows that a power cut can still take.
    newest = file.read(identity.storeId) ?? (await connection.single(readHead));
    file.standsAt(standsAt, identity.storeId);
  }
  const accept = async (atMs: number): Promise<void> => {
    const before = identity.storeId;
    const next = newIdentity(randomBytes, place);
    identity = await connection.transaction(function* (statements) {
      const current = yield* identityIn(statements);
      if (current === undefined) throw new StoreInvariantError("the store has no identity");
      if (current.storeId !== before || found === undefined) return current;
      const { why, rowsBefore, rowsNow } = found;
      const succeeds = [...new Set([before, ...stood])];
      const detail = { why, rows_before: rowsBefore, rows_now: rowsNow, succeeds };
      yield* parts.audit.write(statements, { event: "restored", account: "", detail }, atMs);
      yield* statements.run(SAVE, [next.storeId, next.place]);
      return next;
    });
    file.sinceMs = atMs;
    file.write(identity.storeId, await connection.single(readHead));
    file.standsAt(standsAt, identity.storeId);
  };
  return {
    restored: found && { ...found, accept },
    get storeId() {
      return identity.storeId;
    },
    newest,
    vouchedSinceMs: () => file.sinceMs,
    keep: (head) => file.write(identity.storeId, head),
    close: () => file.close(),
  };
}

type Finding = Omit<Restored, "accept">;

interface Evidence {
  readonly place: string;
  /** The ids of those that stood here last. */
  readonly stood: readonly string[];
  readonly parts: Parts;
  readonly file: MarkFiles;
}

function* judge(
  statements: Statements,
  { storeId, place: was }: Identity,
  evidence: Evidence,
): Work<Finding | undefined> {
  const { place, stood, parts, file } = evidence;
  // Before the head: another process of this directory may go on, and move both, while the head is on its way here.
  const mark = file.read(storeId);
  const { count: rowsNow } = yield* readHead(statements);
  if (parts.isGone === true) return { why: "gone", rowsBefore: rowsNow, rowsNow };
  if (mark !== undefined && (mark.count > rowsNow || !(yield* isOnTheWay(statements, mark))))
    return { why: "older", rowsBefore: mark.count, rowsNow };
  const ids = stood.every((each) => each === storeId) ? [storeId] : yield* idsOf(statements, storeId);
  const lost = stood.find((each) => !ids.includes(each));
  if (lost !== undefined) return { why: "gone", rowsBefore: file.read(lost)?.count ?? rowsNow, rowsNow };
  const isVouched = mark !== undefined && isOutside(parts);
  return isVouched || isSamePlace(was, place) ? undefined : { why: "moved", rowsBefore: rowsNow, rowsNow };
}

/** A mark inside the data directory was put back with it. */
function isOutside({ path, markDir }: Parts): boolean {
  return path === undefined || !isInside(markDir, dirname(path));
}

function* identityIn({ get }: Statements): Work<Identity | undefined> {
  const row = yield* get(READ, []);
  return row && { storeId: textCell(row, "store_id"), place: textCell(row, "place") };
}

const SUCCESSIONS = "SELECT CAST(detail AS BLOB) AS detail FROM audit WHERE event = 'restored'";

/** Its own id, and those of all that it goes on from. */
function* idsOf({ all }: Statements, storeId: string): Work<readonly string[]> {
  const rows = yield* all(SUCCESSIONS, []);
  return [storeId, ...rows.flatMap((row) => succeededIn(lenientTextCell(row, "detail")))];
}

function succeededIn(detail: string): readonly string[] {
  try {
    const { succeeds } = JSON.parse(detail) as { readonly succeeds?: unknown };
    return Array.isArray(succeeds) ? succeeds.filter((each) => typeof each === "string") : [];
  } catch (error) {
    // A row that was changed says nothing; that it was is for `verify` to tell.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** The ids of a store that may be another program's, or none at all; nothing is made. */
export async function idsIn(connection: Connection): Promise<readonly string[]> {
  return connection.single(function* (statements) {
    const tables = (yield* statements.all(connection.catalog.tables, [])).map((row) => textCell(row, "name"));
    if (!tables.includes("identity") || !tables.includes("audit")) return [];
    const identity = yield* identityIn(statements);
    return identity === undefined ? [] : yield* idsOf(statements, identity.storeId);
  });
}

/** Begins one for a database that has none: new, or of a version that kept none. */
function* begin(statements: Statements, identity: Identity): Work<Identity> {
  const current = yield* identityIn(statements);
  if (current !== undefined) return current;
  yield* statements.run(SAVE, [identity.storeId, identity.place]);
  return identity;
}

function newIdentity(randomBytes: Parts["randomBytes"], place: string): Identity {
  return { storeId: randomBytes(ID_BYTES).toString("hex"), place };
}

/** Which file it is: a copy is another one, also under the same name. The time of birth, as numbers of files are used again. */
function placeOf(path: string): string {
  const { ino, birthtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
  // Where the system knows no birth, Node gives the last change or nothing.
  return birthtimeNs === 0n || birthtimeNs === ctimeNs ? `${ino}` : `${ino} ${birthtimeNs}`;
}

/** Which schema it is. */
export const SCHEMA_PLACE = "SELECT current_schema()::regnamespace::oid::text AS place";

/** A schema that was dropped and made again, from a backup, has another number. */
function* schemaIn({ get }: Statements): Work<string> {
  const row = yield* get(SCHEMA_PLACE, []);
  if (row === undefined) throw new StoreInvariantError("the store has no schema");
  return textCell(row, "place");
}

function isSamePlace(one: string, other: string): boolean {
  const [[ino, born], [otherIno, otherBorn]] = [one.split(" "), other.split(" ")];
  return ino === otherIno && (born === undefined || otherBorn === undefined || born === otherBorn);
}

function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !/^([a-z]:|[\\/])/i.test(way);
}

/** The connection; after each commit of its own the log's new head is told. What was rolled back is not. */
export function keepMark(connection: Connection, audit: AuditWriter, keep: (head: ChainHead) => void): Connection {
  return {
    get path() {
      return connection.path;
    },
    get closed() {
      return connection.closed;
    },
    catalog: connection.catalog,
    single: (...given) => connection.single(...given),
    waitingMs: () => connection.waitingMs(),
    close: () => connection.close(),
    transaction: async (work, limit) => {
      let head: ChainHead | undefined;
      const value = await connection.transaction(function* (statements) {
        const done = yield* work(statements);
        head = audit.headOf(statements);
        return done;
      }, limit);
      if (head !== undefined) keep(head);
      return value;
    },
  };
}

/** Sizes a file, so that a shorter text overwrites a longer one. */
const SIZE = 192;
const HASH_LETTERS = 32;
/** Nor does a pipe in a file's place keep anybody waiting. */
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Marks how far it has come; one that an older version wrote does not say since when. */
interface Mark extends ChainHead {
  readonly sinceMs?: number;
}

export class MarkFiles {
  /** Written with each mark: since when there was one at every start. Unix milliseconds. */
  sinceMs = 0;
  readonly #dir: string;
  /** The one that every commit writes stays open. */
  #open: { readonly storeId: string; readonly file: number } | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Reads how far it had come. */
  read(storeId: string): Mark | undefined {
    const { count, seq, hash, sinceMs } = this.#members(markOf(storeId));
    const isMark = Number.isSafeInteger(count) && Number.isSafeInteger(seq) && typeof hash === "string";
    const since = Number.isSafeInteger(sinceMs) ? { sinceMs } : {};
    return isMark ? ({ count, seq, hash, ...since } as Mark) : undefined;
  }

  write(storeId: string, { count, seq, hash }: ChainHead): void {
    try {
      writeText(this.#fileOf(storeId), { count, seq, hash, sinceMs: this.sinceMs } satisfies Mark);
    } catch {
      // See the invariant.
    }
  }

  /** The id of the store that stood there last. */
  storeAt(place: string): string | undefined {
    const { store_id: storeId } = this.#members(placeFile(place));
    return typeof storeId === "string" ? storeId : undefined;
  }

  standsAt(place: string, storeId: string): void {
    if (this.storeAt(place) === storeId) return;
    try {
      const file = this.#opened(placeFile(place));
      try {
        writeText(file, { store_id: storeId });
      } finally {
        closeSync(file);
      }
    } catch {
      // See the invariant.
    }
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.file);
    this.#open = undefined;
  }

  #members(name: string): Readonly<Record<string, unknown>> {
    try {
      const found: unknown = JSON.parse(textAt(join(this.#dir, name)));
      return typeof found === "object" && found !== null ? (found as Readonly<Record<string, unknown>>) : {};
    } catch {
      return {};
    }
  }

  #fileOf(storeId: string): number {
    if (this.#open?.storeId === storeId) return this.#open.file;
    this.close();
    const file = this.#opened(markOf(storeId));
    this.#open = { storeId, file };
    return file;
  }

  #opened(name: string): number {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    return openSync(join(this.#dir, name), constants.O_RDWR | constants.O_CREAT | NO_LINK, 0o600);
  }
}

/** Not through a link, as it is not written through one. */
function textAt(path: string): string {
  const file = openSync(path, constants.O_RDONLY | NO_LINK);
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

const markOf = (storeId: string): string => `${storeId}.mark`;

/** A hash, as a place is a path or an address, of any length and with any letters. */
function placeFile(place: string): string {
  return `${createHash("sha256").update(place).digest("hex").slice(0, HASH_LETTERS)}.place`;
}

function writeText(file: number, members: object): void {
  writeSync(file, `${JSON.stringify(members).padEnd(SIZE - 1)}\n`, 0);
}
