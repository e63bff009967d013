/**
 * Owns how far this database is known to have come, kept outside of it: a database that is behind its mark was put back from a copy, and has
 * forgotten what was sent, denied and spent since.
 *
 * Entry points: `findContinuity` at the opening, `keepMark` for every commit that is on disk.
 * Invariants: a mark is never ahead of what is on disk, so it raises no false alarm after a power cut; one that cannot be written only
 * notices less; a database that was found to be a copy goes on under an identity of its own, so the original is not disturbed.
 *
 * Source: decision 0025.
 */
import { closeSync, constants, lstatSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { AuditWriter } from "./audit.ts";
import { type ChainHead, isOnTheWay, readHead } from "./audit-chain.ts";
import type { Connection } from "./connection.ts";
import { type Statements, textCell, type Work } from "./statement.ts";
import { StoreInvariantError } from "./store-error.ts";

/**
 * `older`: more had been written than there is. `moved`: it is another file than it was, and nothing tells how far that one has come. `gone`:
 * there is none, where there was one.
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
  /** How far the log has come for certain; undefined of a database that was put back. */
  readonly newest: ChainHead | undefined;
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
  /** Outside of the data directory, or it is put back with it and tells nothing. */
  readonly markDir: string;
  readonly randomBytes: (size: number) => Buffer;
  readonly audit: AuditWriter;
  /** Whether the database was made just now where one had been. */
  readonly isGone?: boolean;
}

const ID_BYTES = 16;
/** Nor does a pipe in a file's place keep anybody waiting. */
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Of a mark, so that a shorter one overwrites a longer one. */
const SIZE = 160;
const READ = "SELECT store_id, place FROM identity";
const SAVE = `INSERT INTO identity (id, store_id, place) VALUES (1, ?, ?)
  ON CONFLICT (id) DO UPDATE SET store_id = excluded.store_id, place = excluded.place`;

export async function findContinuity(connection: Connection, parts: Parts): Promise<Continuity> {
  const { path, markDir, randomBytes } = parts;
  const place = path === undefined ? await connection.single(schemaIn) : placeOf(path);
  const known = await connection.single(identityIn);
  let identity = known ?? (await connection.transaction((now) => begin(now, newIdentity(randomBytes, place))));
  const file = new MarkFile(markDir);
  const found = await connection.single((statements) => judge(statements, identity, { place, parts, file }));
  let newest: ChainHead | undefined;
  if (found === undefined) {
    if (identity.place !== place) await connection.transaction(({ run }) => run(SAVE, [identity.storeId, place]));
    // Where there is a mark it stays: the head may be of rows that a power cut can still take.
    newest = file.read(identity.storeId) ?? (await connection.single(readHead));
  }
  const accept = async (atMs: number): Promise<void> => {
    const before = identity.storeId;
    const next = newIdentity(randomBytes, place);
    identity = await connection.transaction(function* (statements) {
      const current = yield* identityIn(statements);
      if (current === undefined) throw new StoreInvariantError("the store has no identity");
      if (current.storeId !== before || found === undefined) return current;
      const { why, rowsBefore, rowsNow } = found;
      const detail = { why, rows_before: rowsBefore, rows_now: rowsNow };
      yield* parts.audit.write(statements, { event: "restored", account: "", detail }, atMs);
      yield* statements.run(SAVE, [next.storeId, next.place]);
      return next;
    });
    file.write(identity.storeId, await connection.single(readHead));
  };
  return {
    restored: found && { ...found, accept },
    newest,
    keep: (head) => file.write(identity.storeId, head),
    close: () => file.close(),
  };
}

type Finding = Omit<Restored, "accept">;

interface Evidence {
  readonly place: string;
  readonly parts: Parts;
  readonly file: MarkFile;
}

function* judge(
  statements: Statements,
  { storeId, place: was }: Identity,
  evidence: Evidence,
): Work<Finding | undefined> {
  const { place, parts, file } = evidence;
  // Before the head: another process of this directory may go on, and move both, while the head is on its way here.
  const mark = file.read(storeId);
  const { count: rowsNow } = yield* readHead(statements);
  if (parts.isGone === true) return { why: "gone", rowsBefore: rowsNow, rowsNow };
  if (mark !== undefined && (mark.count > rowsNow || !(yield* isOnTheWay(statements, mark))))
    return { why: "older", rowsBefore: mark.count, rowsNow };
  // A mark inside the data directory was put back with it.
  const isPutBack = parts.path !== undefined && isInside(parts.markDir, dirname(parts.path));
  const isVouched = mark !== undefined && !isPutBack;
  return isVouched || isSamePlace(was, place) ? undefined : { why: "moved", rowsBefore: rowsNow, rowsNow };
}

function* identityIn({ get }: Statements): Work<Identity | undefined> {
  const row = yield* get(READ, []);
  return row && { storeId: textCell(row, "store_id"), place: textCell(row, "place") };
}

/** Of a database that has none: new, or of a version that kept none. */
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

/** One small file for each database, overwritten in place. What cannot be read or written is as if it were not there. */
class MarkFile {
  readonly #dir: string;
  #open: { readonly storeId: string; readonly file: number } | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  read(storeId: string): ChainHead | undefined {
    try {
      const { count, seq, hash } = JSON.parse(textAt(this.#path(storeId))) as Partial<ChainHead>;
      const isMark = Number.isSafeInteger(count) && Number.isSafeInteger(seq) && typeof hash === "string";
      return isMark ? ({ count, seq, hash } as ChainHead) : undefined;
    } catch {
      return undefined;
    }
  }

  write(storeId: string, { count, seq, hash }: ChainHead): void {
    try {
      writeSync(this.#fileOf(storeId), `${JSON.stringify({ count, seq, hash }).padEnd(SIZE - 1)}\n`, 0);
    } catch {
      // Without a mark less is noticed, and nothing else depends on it.
    }
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.file);
    this.#open = undefined;
  }

  #fileOf(storeId: string): number {
    if (this.#open?.storeId === storeId) return this.#open.file;
    this.close();
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const file = openSync(this.#path(storeId), constants.O_RDWR | constants.O_CREAT | NO_LINK, 0o600);
    this.#open = { storeId, file };
    return file;
  }

  #path(storeId: string): string {
    return join(this.#dir, `${storeId}.mark`);
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
    close: () => connection.close(),
    transaction: async (work, limit) => {
      let head: ChainHead | undefined;
      const value = await connection.transaction(function* (statements) {
        const before = audit.head;
        const done = yield* work(statements);
        head = audit.head === before ? undefined : audit.head;
        return done;
      }, limit);
      if (head !== undefined) keep(head);
      return value;
    },
  };
}
