/**
 * The archive of ended orders: the file `archive.db` of an exchange's directory, a SQLite database. Entry point: `ArchiveFile`.
 *
 * Invariants: orders are numbered in the order in which they were archived, and never change; a snapshot says how many of them it
 * leaves out and the id of the last, and what the file has beyond them is cut off when an exchange starts from that snapshot, as these
 * orders are in the snapshot or the journal. So the journal alone decides what there is. Source: decision 0027.
 */
import { existsSync } from "node:fs";
import type { FillRecord, OrderRecord } from "../../model/index.ts";
import { readFill, readOrder, type Written } from "../snapshot/record-rows.ts";
import type {
  ArchivedFill,
  EndedOrder,
  FillScope,
  OrderArchive,
  OrderScope,
  PlacedOrder,
  SettlementEnd,
} from "../state/order-archive.ts";
import { type ArchiveDatabase, bytesCell, numberCell, openArchiveDatabase } from "./archive-database.ts";
import { type Conditions, fillConditions, orderConditions, type Value } from "./archive-query.ts";
import { type ArchiveMark, archivePath } from "./journal-files.ts";
import { DamagedJournalError } from "./record-file.ts";
import { decodeLines, encodeLine, type Fields } from "./record-line.ts";

/** "hoar", in the header of the file: another program's database is never touched. */
const APPLICATION_ID = 0x686f6172;
const VERSION = 1;
/** Rows that are read at once, at first and at most. */
const [FIRST_ROWS, MOST_ROWS] = [32, 1024];

const SCHEMA = `
CREATE TABLE orders (
  number INTEGER PRIMARY KEY,
  order_id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  position INTEGER NOT NULL,
  symbol TEXT NOT NULL,
  state TEXT NOT NULL,
  userref TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  line BLOB NOT NULL
) STRICT;
CREATE INDEX orders_by_time ON orders (account, created_at, position, updated_at, symbol, state);
CREATE INDEX orders_by_userref ON orders (account, userref, created_at, position) WHERE userref IS NOT NULL;
CREATE TABLE fills (
  account TEXT NOT NULL,
  trade_seq INTEGER NOT NULL,
  number INTEGER NOT NULL,
  symbol TEXT NOT NULL,
  time INTEGER NOT NULL,
  line BLOB NOT NULL,
  PRIMARY KEY (account, trade_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX fills_by_time ON fills (account, time, trade_seq, symbol);
CREATE INDEX fills_of_order ON fills (number);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${VERSION};`;

/** A row of `fills`. */
interface StoredFill {
  readonly fill: Written<FillRecord>;
  readonly settlement: SettlementEnd | null;
}

/** Rows in order. */
interface List {
  readonly columns: string;
  /** The columns that order the rows; the second is unique in its account. */
  readonly key: readonly [string, string];
  readonly oldestFirst?: boolean | undefined;
}

export class ArchiveFile implements OrderArchive {
  readonly #path: string;
  readonly #database: ArchiveDatabase;
  #mark: ArchiveMark | undefined;
  /** The largest id there is: that of a new order, as ids rise with time, is beyond it and need not be looked for. */
  #largestId = "";

  private constructor(path: string, database: ArchiveDatabase, mark: ArchiveMark | undefined) {
    this.#path = path;
    this.#database = database;
    this.#mark = mark;
  }

  /**
   * Opens the archive of a directory as it was at a snapshot, or begins one.
   * @param mark as the snapshot has it; undefined where it leaves nothing to an archive
   * @throws DamagedJournalError when the file is not the archive that the snapshot counts on.
   */
  static async open(dir: string, mark: ArchiveMark | undefined): Promise<ArchiveFile> {
    const path = archivePath(dir);
    if (mark !== undefined && !existsSync(path))
      throw new DamagedJournalError(`${path}: the archive of ${mark.orders} ended orders is missing`);
    try {
      const archive = new ArchiveFile(path, await openArchiveDatabase(path), mark);
      try {
        archive.#prepare(mark);
      } catch (error) {
        archive.close();
        throw error;
      }
      return archive;
    } catch (error) {
      throw damagedArchive(path, error);
    }
  }

  get mark(): ArchiveMark | undefined {
    return this.#mark;
  }

  /** Adds orders, all or none. They outlive the process, and a failure of the machine after `sync`. */
  add(orders: readonly EndedOrder[]): void {
    let number = this.#mark?.orders ?? 0;
    const last = orders.at(-1);
    if (last === undefined) return;
    this.#writing(() =>
      this.#database.transaction(() => {
        for (const order of orders) {
          number += 1;
          this.#insert(number, order);
        }
      }),
    );
    this.#mark = { orders: number, last: last.record.orderId };
    for (const { record } of orders) if (record.orderId > this.#largestId) this.#largestId = record.orderId;
  }

  /** Everything added is on disk when this returns. */
  sync(): void {
    this.#writing(() => void this.#database.all("PRAGMA wal_checkpoint(PASSIVE)"));
  }

  close(): void {
    this.#database.close();
  }

  has(orderId: string): boolean {
    if (orderId > this.#largestId) return false;
    return this.#database.all("SELECT number FROM orders WHERE order_id = ?", [orderId]).length > 0;
  }

  order(orderId: string): PlacedOrder | undefined {
    const [row] = this.#database.all("SELECT created_at, position, line FROM orders WHERE order_id = ?", [orderId]);
    return row && this.#placed(row);
  }

  *orders(accountId: string, scope: OrderScope): Iterable<PlacedOrder> {
    const conditions = orderConditions(accountId, scope);
    const list = {
      columns: "created_at, position, line FROM orders",
      key: ["created_at", "position"],
      ...scope,
    } as const;
    for (const row of this.#inOrder(list, conditions)) yield this.#placed(row);
  }

  countOrders(accountId: string, scope: OrderScope): number {
    return this.#count("orders", orderConditions(accountId, scope));
  }

  *fills(accountId: string, scope: FillScope): Iterable<FillRecord> {
    const conditions = fillConditions(accountId, scope);
    const isByTime = scope.from !== undefined || scope.to !== undefined;
    const key = isByTime ? (["time", "trade_seq"] as const) : (["trade_seq", "trade_seq"] as const);
    const list = { columns: "time, trade_seq, line FROM fills", key, ...scope };
    for (const row of this.#inOrder(list, conditions)) yield this.#storedFill(row).fill;
  }

  countFills(accountId: string, scope: FillScope): number {
    return this.#count("fills", fillConditions(accountId, scope));
  }

  fillsOf(orderId: string): readonly FillRecord[] {
    const rows = this.#database.all(
      "SELECT fills.line FROM orders JOIN fills USING (number) WHERE order_id = ? ORDER BY trade_seq",
      [orderId],
    );
    return rows.map((row) => this.#storedFill(row).fill);
  }

  settlement(accountId: string, tradeSeq: number): SettlementEnd | undefined {
    const [row] = this.#database.all("SELECT line FROM fills WHERE account = ? AND trade_seq = ?", [
      accountId,
      tradeSeq,
    ]);
    return (row && this.#storedFill(row).settlement) ?? undefined;
  }

  #writing(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw new Error(`${this.#path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }

  /** Makes the file ours, and has in it what the mark says. */
  #prepare(mark: ArchiveMark | undefined): void {
    const database = this.#database;
    database.exec("PRAGMA busy_timeout = 1000; PRAGMA synchronous = NORMAL");
    const pragma = (name: string): unknown => Object.values(database.all(`PRAGMA ${name}`)[0] ?? {})[0];
    const [id, version, isNew] = [
      pragma("application_id"),
      pragma("user_version"),
      database.all("SELECT count(*) AS tables FROM sqlite_schema")[0]?.["tables"] === 0,
    ];
    if (isNew && id === 0) database.transaction(() => database.exec(SCHEMA));
    else if (id !== APPLICATION_ID) throw new Error("it is not an archive of orders");
    else if (version !== VERSION) throw new Error(`file version ${String(version)}, this program reads ${VERSION}`);
    database.all("PRAGMA journal_mode = WAL");
    if (pragma("quick_check(1)") !== "ok") throw new Error("the file is damaged");
    const [found] = database.all("SELECT ifnull(max(number), 0) AS newest, count(*) AS orders FROM orders");
    const [newest, orders] = [numberCell(found, "newest"), numberCell(found, "orders")];
    const expected = mark?.orders ?? 0;
    if (newest !== orders || orders < expected)
      throw new Error(`${orders} orders are in the archive, and ${expected} should be`);
    if (mark !== undefined && !this.#isNumbered(mark)) throw new Error("it is the archive of another exchange");
    if (orders > expected)
      database.transaction(() => {
        database.run("DELETE FROM fills WHERE number > ?", [expected]);
        database.run("DELETE FROM orders WHERE number > ?", [expected]);
      });
    // As bytes, not as text.
    const [largest] = database.all("SELECT CAST(max(order_id) AS BLOB) AS id FROM orders");
    this.#largestId = expected === 0 ? "" : bytesCell(largest, "id").toString();
  }

  #isNumbered({ orders, last }: ArchiveMark): boolean {
    const [row] = this.#database.all("SELECT number FROM orders WHERE order_id = ?", [last]);
    return row?.["number"] === orders;
  }

  #insert(number: number, { position, record, fills }: EndedOrder): void {
    const { orderId, accountId, symbol, state, userref, createdAt, updatedAt } = record;
    this.#database.run("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [
      ...[number, orderId, accountId, position, symbol, state, userref, createdAt, updatedAt],
      encodeLine(record, amountsAsText),
    ]);
    for (const { fill, settlement } of fills)
      this.#database.run("INSERT INTO fills VALUES (?, ?, ?, ?, ?, ?)", [
        ...[accountId, fill.tradeSeq, number, fill.symbol, fill.time],
        encodeLine({ fill, settlement } satisfies ArchivedFill, amountsAsText),
      ]);
  }

  *#inOrder({ columns, key: [time, place], oldestFirst = false }: List, given: Conditions): Iterable<Fields> {
    const [direction, beyond] = oldestFirst ? ["ASC", ">"] : ["DESC", "<"];
    let [more, values]: [string, Value[]] = ["", []];
    for (let size = FIRST_ROWS; ; size = Math.min(size * 4, MOST_ROWS)) {
      const rows = this.#database.all(
        `SELECT ${columns} WHERE ${given.text}${more} ORDER BY ${time} ${direction}, ${place} ${direction} LIMIT ?`,
        [...given.values, ...values, size],
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < size) return;
      more = ` AND ${time} ${beyond}= ? AND ${place} ${beyond} ?`;
      values = [numberCell(last, time), numberCell(last, place)];
    }
  }

  #count(table: string, { text, values }: Conditions): number {
    const [row] = this.#database.all(`SELECT count(*) AS count FROM ${table} WHERE ${text}`, values);
    return numberCell(row, "count");
  }

  #placed(row: Fields): PlacedOrder {
    return new ArchivedOrder(numberCell(row, "position"), () => readOrder(this.#decode<Written<OrderRecord>>(row)));
  }

  #storedFill(row: Fields): { readonly fill: FillRecord; readonly settlement: SettlementEnd | null } {
    const { fill, settlement } = this.#decode<StoredFill>(row);
    return { fill: readFill(fill), settlement };
  }

  #decode<T>(row: Fields): T {
    const [line] = decodeLines(bytesCell(row, "line"));
    if (line?.value === undefined) throw new DamagedJournalError(`${this.#path}: a damaged record`);
    return line.value as T;
  }
}

/** An order whose record is read when it is looked at, as most of those that a page skips are not. */
class ArchivedOrder implements PlacedOrder {
  readonly position: number;
  readonly #read: () => OrderRecord;

  constructor(position: number, read: () => OrderRecord) {
    this.position = position;
    this.#read = read;
  }

  get record(): OrderRecord {
    return this.#read();
  }
}

/** For `encodeLine`: a record is written as `Written` says, without a copy of it. */
function amountsAsText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** A disk that is full, or fails, says nothing about the file. */
function damagedArchive(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DamagedJournalError || "errno" in error) return error;
  const code = "code" in error ? String(error.code) : "";
  // The last is of the file beside it that SQLite needs.
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE")
    return Object.assign(new Error(`${path}: ${error.message}`, { cause: error }), { code: "ENOSPC" });
  if (/^SQLITE_(IOERR|BUSY|CANTOPEN|READONLY)/.test(code)) return error;
  return new DamagedJournalError(`${path}: ${error.message}`, { cause: error });
}
