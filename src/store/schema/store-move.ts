/**
 * Owns the move of a store from a file to an empty schema of a server: every row but who stands in a lane's line, and that nothing was lost on
 * the way.
 *
 * Invariants: the file is in use by nobody else until the move is over, and is out of the way afterwards, so that no process goes on with it by
 * mistake. The rows are written in one transaction, with the kill switch on; it is as it was in the file once the rows were read back, are the same
 * by count and digest, and the log is whole. A move that breaks off in between leaves the file as it was and a schema on which nobody trades.
 *
 * Source: decision 0037.
 */
import { createHash } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { verifyChain } from "../audit/audit-check.ts";
import { SCHEMA_PLACE } from "../audit/high-water-mark.ts";
import { rewrite } from "../journal/order-journal.ts";
import type { Connection } from "../sql/connection.ts";
import { type FileConnection, openConnection } from "../sql/driver.ts";
import { serverAddress } from "../sql/postgres-address.ts";
import { openServer } from "../sql/postgres-driver.ts";
import { type Bindable, bytesTextCell, numberCell, type Row, textCell } from "../sql/statement.ts";
import { StoreError } from "../sql/store-error.ts";
import { migrate } from "./migrations.ts";

export interface MovedStore {
  readonly from: string;
  /** Names the file as it is called now. */
  readonly keptAs: string;
  readonly to: string;
  readonly rows: number;
  /** Identifies it, here as there. */
  readonly storeId: string | undefined;
  /** Ends the audit log. */
  readonly head: { readonly count: number; readonly hash: string };
}

interface Parts {
  readonly path: string;
  readonly url: string;
  readonly nowMs: number;
  /** Whose store it is, if not the operator's. */
  readonly tenant: string | undefined;
}

/** Not moved as they are: the schema's own, who waits in line, where the store is, whether trading is halted. */
const APART = ["schema_version", "lane_line", "identity", "brake"];
const PAGE = 200;
const MOVING = "hoga store migrate has not ended: what is here may not be whole.";

/** @throws StoreError where the file is in use or damaged, the schema is not empty, or what arrived is not what left */
export async function move({ path, url, nowMs, tenant }: Parts): Promise<MovedStore> {
  if (!existsSync(path)) {
    const fix = "Look at HOGA_HOME. Where nothing was kept yet there is nothing to move: just set HOGA_STORE_URL.";
    throw new StoreError("unwritable", `There is no store ${path}.`, fix);
  }
  const source = await openConnection(path, { journal: "wal", durability: "full", isStore: true, random: Math.random });
  let target: Connection | undefined;
  try {
    await migrate(source, nowMs);
    await takeAlone(source);
    ({ durable: target } = await openServer(serverAddress(url, tenant), Math.random));
    await migrate(target, nowMs);
    const moved = await carryOver(source, target, nowMs);
    const keptAs = `${path}.moved`;
    source.close();
    renameSync(path, keptAs);
    return { from: path, keptAs, to: target.path, ...moved };
  } finally {
    source.close();
    target?.close();
  }
}

/** Leaving the write-ahead log takes the file for oneself: it fails while any other connection is open. */
async function takeAlone(source: FileConnection): Promise<void> {
  try {
    await source.single(({ get }) => get("PRAGMA journal_mode=DELETE", []), { busyMs: 0 });
    await source.exec("PRAGMA locking_mode=EXCLUSIVE");
    await rewrite(source);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "busy")) throw error;
    const fix = "Stop every hoga process of this data directory (hoga serve, assistants), then do it again.";
    throw new StoreError("busy", `The store ${source.path} is in use by another process.`, fix, error);
  }
}

async function carryOver(
  source: Connection,
  target: Connection,
  nowMs: number,
): Promise<Pick<MovedStore, "rows" | "head" | "storeId">> {
  const log = await verifyChain(source);
  if (!log.ok && log.what !== "restored")
    throw notMoved(source.path, "Its audit log is not whole: see hoga audit verify.");
  const tables = await tablesOf(source);
  // Before it is locked: what is read then stays true, as nobody else has the file.
  const read = await digestOf(source, tables);
  await write(source, target, tables, nowMs);
  const arrived = await digestOf(target, tables);
  const [different] = tables.filter(({ name }) => read.get(name)?.digest !== arrived.get(name)?.digest);
  if (different !== undefined) throw notMoved(target.path, `The rows of ${different.name} are not what they were.`);
  const verdict = await verifyChain(target);
  if (verdict.ok !== log.ok || verdict.count !== log.count)
    throw notMoved(target.path, "Its audit log did not arrive whole.");
  await restoreSwitch(source, target);
  const [head] = await rowsOf(source, "SELECT count, CAST(hash AS BLOB) AS hash FROM audit_head");
  if (head === undefined) throw notMoved(source.path, "Its audit log has no head.");
  const rows = [...read.values()].reduce((sum, table) => sum + table.rows, 0);
  const [identity] = await rowsOf(source, "SELECT store_id FROM identity");
  const storeId = identity && textCell(identity, "store_id");
  return { rows, storeId, head: { count: numberCell(head, "count"), hash: bytesTextCell(head, "hash") } };
}

interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly isText: boolean }[];
  /** Orders it, to be read in pages. */
  readonly key: readonly string[];
  /** The column that the server numbers. */
  readonly numbered: string | undefined;
}

const LISTED = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
const COLUMNS = "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid";

async function tablesOf(source: Connection): Promise<readonly Table[]> {
  const tables: Table[] = [];
  for (const row of await rowsOf(source, LISTED)) {
    const [name, sql] = [textCell(row, "name"), textCell(row, "sql")];
    if (APART.includes(name)) continue;
    const info = await rowsOf(source, COLUMNS, [name]);
    const columns = info.map((each) => ({ name: textCell(each, "name"), isText: each["type"] === "TEXT" }));
    const keyed = info
      .filter((each) => numberCell(each, "pk") > 0)
      .sort((a, b) => numberCell(a, "pk") - numberCell(b, "pk"));
    const isNumbered = !sql.includes("WITHOUT ROWID") && keyed[0]?.["type"] !== "INTEGER";
    const numbered = isNumbered ? "rowid" : sql.includes("AUTOINCREMENT") ? String(keyed[0]?.["name"]) : undefined;
    tables.push({
      name,
      numbered,
      columns: isNumbered ? [{ name: "rowid", isText: false }, ...columns] : columns,
      key: isNumbered ? ["rowid"] : keyed.map((each) => textCell(each, "name")),
    });
  }
  return tables;
}

async function rowsOf(from: Connection, sql: string, values: readonly Bindable[] = []): Promise<readonly Row[]> {
  return from.single(({ all }) => all(sql, values));
}

/** Reads by the same statements at both ends, which put texts in the same order: byte by byte. */
async function* pagesOf(
  from: Connection,
  { name, columns, key }: Table,
): AsyncGenerator<readonly (readonly Bindable[])[]> {
  const shown = columns.map((column) =>
    column.isText ? `CAST(${column.name} AS BLOB) AS ${column.name}` : column.name,
  );
  const order = key.map((each) => `${name}.${each}`).join(", ");
  const [select, end] = [`SELECT ${shown.join(", ")} FROM ${name}`, `ORDER BY ${order} LIMIT ${PAGE}`];
  for (let after: readonly Bindable[] | undefined; ; ) {
    const behind = `WHERE (${order}) > (${key.map(() => "?").join(", ")})`;
    const page = await rowsOf(from, `${select} ${after === undefined ? "" : behind} ${end}`, after ?? []);
    if (page.length === 0) return;
    const rows = page.map((row) => columns.map((column) => cellOf(row, column)));
    yield rows;
    const last = rows.at(-1) ?? [];
    const values = new Map(columns.map((column, index) => [column.name, last[index] ?? null]));
    after = key.map((column) => values.get(column) ?? null);
    if (page.length < PAGE) return;
  }
}

function cellOf(row: Row, { name, isText }: Table["columns"][number]): Bindable {
  return isText && row[name] !== null ? bytesTextCell(row, name) : (row[name] ?? null);
}

async function digestOf(
  from: Connection,
  tables: readonly Table[],
): Promise<ReadonlyMap<string, { readonly rows: number; readonly digest: string }>> {
  const found = new Map<string, { readonly rows: number; readonly digest: string }>();
  for (const table of tables) {
    const hash = createHash("sha256");
    let rows = 0;
    for await (const page of pagesOf(from, table)) {
      rows += page.length;
      hash.update(`${JSON.stringify(page)}\n`);
    }
    found.set(table.name, { rows, digest: hash.digest("hex") });
  }
  return found;
}

async function write(source: Connection, target: Connection, tables: readonly Table[], nowMs: number): Promise<void> {
  const pages: { readonly table: Table; readonly rows: readonly (readonly Bindable[])[] }[] = [];
  for (const table of tables) for await (const rows of pagesOf(source, table)) pages.push({ table, rows });
  const [identity] = await rowsOf(source, "SELECT store_id FROM identity");
  await target.transaction(function* ({ run, get }) {
    for (const { name } of tables) {
      const found = yield* get(`SELECT count(*) AS count FROM ${name}`, []);
      const isOurs = name === "audit_head";
      if (found === undefined || numberCell(found, "count") > (isOurs ? 1 : 0)) throw notEmpty(target.path);
    }
    if ((yield* get("SELECT 1 AS found FROM brake", [])) !== undefined) throw notEmpty(target.path);
    yield* run("DELETE FROM audit_head", []);
    for (const { table, rows } of pages) {
      const names = table.columns.map((column) => column.name);
      const marks = `(${names.map(() => "?").join(", ")})`;
      const sql = `INSERT INTO ${table.name} (${names.join(", ")}) VALUES ${rows.map(() => marks).join(", ")}`;
      yield* run(sql, rows.flat());
    }
    for (const { name, numbered } of tables) {
      if (numbered === undefined) continue;
      const next = `SELECT setval(pg_get_serial_sequence(?, ?), max(${numbered})) AS next FROM ${name}`;
      yield* get(next, [name, numbered]);
    }
    if (identity !== undefined) {
      const place = yield* get(SCHEMA_PLACE, []);
      yield* run("DELETE FROM identity", []);
      const values = [textCell(identity, "store_id"), place === undefined ? "" : textCell(place, "place")];
      yield* run("INSERT INTO identity (id, store_id, place) VALUES (1, ?, ?)", values);
    }
    yield* run("INSERT INTO brake (id, reason, engaged_by, at_ms) VALUES (1, ?, 'hoga', ?)", [MOVING, nowMs]);
  });
}

/** On where it was on before, and off where it was off. */
async function restoreSwitch(source: Connection, target: Connection): Promise<void> {
  const columns = "CAST(reason AS BLOB) AS reason, CAST(engaged_by AS BLOB) AS engaged_by, at_ms";
  const [record] = await rowsOf(source, `SELECT ${columns} FROM brake`);
  await target.transaction(function* ({ run }) {
    yield* run("DELETE FROM brake", []);
    if (record === undefined) return;
    const values = [bytesTextCell(record, "reason"), bytesTextCell(record, "engaged_by"), numberCell(record, "at_ms")];
    yield* run("INSERT INTO brake (id, reason, engaged_by, at_ms) VALUES (1, ?, ?, ?)", values);
  });
}

function notEmpty(path: string): StoreError {
  const fix = "Name another schema (?schema=…). Where a move broke off, drop that schema first; the file is as it was.";
  return new StoreError("unwritable", `There is something in the store ${path} already. Nothing was moved.`, fix);
}

function notMoved(path: string, why: string): StoreError {
  const fix =
    "The file is as it was, and still the store where HOGA_STORE_URL is not set. Drop the schema before the next attempt.";
  return new StoreError("damaged", `The store was not moved. ${path}: ${why}`, fix);
}
