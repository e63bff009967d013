/**
 * The store of all processes: the real one over one database in memory, cleared between schedules. Every process has connections of
 * its own that can die with it and fail as a disk does.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IntentBody, IntentState, TransferBody, TransferState } from "../../src/desk/index.ts";
import { createAudit } from "../../src/store/audit/audit.ts";
import { keptHead } from "../../src/store/audit/audit-chain.ts";
import { type Continuity, findContinuity, keepMark } from "../../src/store/audit/high-water-mark.ts";
import { type Restored, type Store, StoreError } from "../../src/store/index.ts";
import { createFillLedger } from "../../src/store/journal/fill-ledger.ts";
import { createNotices } from "../../src/store/journal/notices.ts";
import { createOrderJournal } from "../../src/store/journal/order-journal.ts";
import { createPlanBook } from "../../src/store/journal/plan-book.ts";
import { haltPlans } from "../../src/store/journal/plan-stops.ts";
import { createTransferJournal } from "../../src/store/journal/transfer-journal.ts";
import { createLane } from "../../src/store/lane/lane.ts";
import { createSeal } from "../../src/store/people/seal.ts";
import { createKillSwitch } from "../../src/store/safety/kill-switch.ts";
import { createTimers } from "../../src/store/safety/timers.ts";
import { migrate } from "../../src/store/schema/migrations.ts";
import type { Connection, WaitLimit } from "../../src/store/sql/connection.ts";
import { openConnection } from "../../src/store/sql/driver.ts";
import type { Bindable, Row, Statements, Work } from "../../src/store/sql/statement.ts";
import type { Draw } from "./draw.ts";
import type { Point, StoreTrouble } from "./plan.ts";
import type { SimProcess } from "./process.ts";
import { ModelServer, type ServerSettings } from "./server.ts";

/** What the desk and the client of one process get of the store. */
export type SeatStore = Pick<
  Store<IntentState, IntentBody, TransferState, TransferBody>,
  | "journal"
  | "transfers"
  | "plans"
  | "notices"
  | "audit"
  | "fills"
  | "vouchedSinceMs"
  | "killSwitch"
  | "timers"
  | "seal"
  | "lane"
>;

/** The disk, as all processes have it. */
export interface Disk {
  trouble: StoreTrouble | undefined;
}

export interface StoreParts {
  readonly disk: Disk;
  readonly draw: Draw;
  /** Where the store is kept on a server. */
  readonly served: { readonly server: ModelServer; readonly seat: number } | undefined;
}

interface Table {
  readonly name: string;
  /** What the schema itself put there. */
  readonly rows: readonly Row[];
}

export class Storage {
  readonly #base: Connection;
  readonly #tables: readonly Table[];
  /** Beside the database in memory: a file that stands for it, and its mark. Made when it is first needed. */
  #dir: string | undefined;
  #continuity: Continuity | undefined;

  private constructor(base: Connection, tables: readonly Table[]) {
    this.#base = base;
    this.#tables = tables;
  }

  static async open(): Promise<Storage> {
    const base = await openConnection(":memory:", { journal: "wal", durability: "full", random: () => 0 });
    await migrate(base, 0);
    const listed = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_version'";
    const tables = await base.single(function* ({ all }) {
      const found: Table[] = [];
      for (const { name } of yield* all(listed, []))
        found.push({ name: String(name), rows: yield* all(`SELECT * FROM ${String(name)}`, []) });
      return found;
    });
    return new Storage(base, tables);
  }

  /** As it was when it was opened. */
  async clear(): Promise<void> {
    this.#continuity?.close();
    this.#continuity = undefined;
    const tables = this.#tables;
    await this.#base.transaction(function* (statements) {
      for (const table of tables) yield* restore(statements, table);
    });
  }

  /** From now on it is kept, outside of the database, how far that has come. @returns what is wrong with it */
  async watchContinuity(draw: Draw, isFirst: boolean, nowMs: number): Promise<Restored | undefined> {
    this.#dir ??= mkdtempSync(join(tmpdir(), "sim-"));
    const [path, markDir] = [join(this.#dir, "database"), join(this.#dir, "marks")];
    if (isFirst) rmSync(markDir, { recursive: true, force: true });
    writeFileSync(path, "");
    this.#continuity?.close();
    const randomBytes = (size: number): Buffer => Buffer.from(draw.bytes(size));
    const audit = createAudit(this.#base);
    const parts = { path, standsAt: path, markDir, randomBytes, audit, nowMs };
    this.#continuity = await findContinuity(this.#base, parts);
    return this.#continuity.restored;
  }

  /** @returns puts everything back as it is now, and with it what is kept outside unless that `isMarked` */
  copy(): (isMarked: boolean) => Promise<void> {
    const tables = this.#tables.map(({ name }): Table => ({ name, rows: this.rows(`SELECT * FROM ${name}`) }));
    return async (isMarked) => {
      if (!isMarked && this.#dir !== undefined) rmSync(join(this.#dir, "marks"), { recursive: true, force: true });
      await this.#base.transaction(function* (statements) {
        for (const table of tables) yield* restore(statements, table);
      });
    };
  }

  /** The parts of the store that nothing interrupts. */
  plain(now: () => number): Pick<SeatStore, "journal" | "transfers" | "killSwitch"> {
    const audit = createAudit(this.#base);
    const killSwitch = createKillSwitch(this.#base, now, undefined, haltingBy(audit));
    const connections = { durable: this.#base, lazy: this.#base };
    return {
      journal: createOrderJournal<IntentState, IntentBody>(connections, { audit, killSwitch }),
      transfers: createTransferJournal<TransferState, TransferBody>(connections, { audit, killSwitch }),
      killSwitch,
    };
  }

  /** Looks past every process, at once. */
  rows(sql: string, values: readonly Bindable[] = []): readonly Row[] {
    let found: readonly Row[] | undefined;
    void this.#base.single(function* ({ all }) {
      found = yield* all(sql, values);
    });
    if (found === undefined) throw new Error("the store did not answer at once");
    return found;
  }

  async erase(sql: string): Promise<void> {
    await this.#base.single(({ run }) => run(sql, []));
  }

  /**
   * Everything that is kept, but for how the lanes stand and who looks after plans: equal texts mean that nothing changed. The audit log only grows, so its
   * length says it all.
   */
  content(): string {
    const kept = this.#tables.filter(({ name }) => !/^(lane|plan_watch|sqlite)/.test(name));
    return JSON.stringify(
      kept.map(({ name }) => this.rows(`SELECT ${name === "audit" ? "count(*)" : "*"} FROM ${name}`)),
    );
  }

  /** A server that keeps this; all that use it from now on are to use it by that. */
  serve(settings: Omit<ServerSettings, "base">): ModelServer {
    return new ModelServer({ ...settings, base: this.#base });
  }

  /** As `openStore` puts it together; whatever it gains is added here and nowhere else. */
  storeOf(process: SimProcess, { disk, draw, served }: StoreParts): SeatStore {
    const random = (): number => draw.fraction();
    const base = served?.server.connectionOf(process, served.seat, random) ?? this.#base;
    const over = (read: Point, write: Point): Connection => new WatchedConnection(base, process, disk, read, write);
    const kept = keptHead((head) => this.#continuity?.keep(head));
    const audit = createAudit(over("audit", "audit"), (text) => text, kept);
    const marked = (connection: Connection): Connection => keepMark(connection, audit, kept.keep);
    const safety = marked(over("safety", "safety"));
    const journal = marked(over("journal.read", "journal.write"));
    const connections = { durable: journal, lazy: journal };
    const killSwitch = createKillSwitch(safety, () => process.clock.now(), undefined, haltingBy(audit));
    const lane = over("lane", "lane");
    return {
      journal: createOrderJournal<IntentState, IntentBody>(connections, { audit, killSwitch }),
      transfers: createTransferJournal<TransferState, TransferBody>(connections, { audit, killSwitch }),
      plans: createPlanBook<IntentState, IntentBody>(connections, { audit, killSwitch }),
      notices: createNotices(journal, audit),
      audit,
      fills: createFillLedger(journal),
      // Where nothing is put back in this run, it has forgotten nothing for ever.
      vouchedSinceMs: () => (this.#continuity === undefined ? 0 : this.#continuity.vouchedSinceMs()),
      killSwitch,
      timers: createTimers(safety),
      seal: createSeal(safety, (size) => Buffer.from(draw.bytes(size))),
      lane: (settings) => createLane(lane, settings, process.clock, random),
    };
  }

  close(): void {
    this.#continuity?.close();
    if (this.#dir !== undefined) rmSync(this.#dir, { recursive: true });
    this.#base.close();
  }
}

/** Plans stop with a halt and a release, as in `openStore`. */
function haltingBy(audit: ReturnType<typeof createAudit>): Parameters<typeof createKillSwitch>[3] {
  return (statements, atMs, found) => haltPlans(statements, audit, { why: "Trading was halted.", atMs, found });
}

function* restore({ run }: Statements, { name, rows }: Table): Work<void> {
  yield* run(`DELETE FROM ${name}`, []);
  for (const row of rows) {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    yield* run(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`, Object.values(row));
  }
}

/** One component's way to the database, in one process. */
class WatchedConnection implements Connection {
  readonly path = ":memory:";
  readonly closed = false;
  readonly catalog: Connection["catalog"];
  readonly #base: Connection;
  readonly #process: SimProcess;
  readonly #disk: Disk;
  readonly #read: Point;
  readonly #write: Point;

  constructor(base: Connection, process: SimProcess, disk: Disk, read: Point, write: Point) {
    this.#base = base;
    this.catalog = base.catalog;
    this.#process = process;
    this.#disk = disk;
    this.#read = read;
    this.#write = write;
  }

  transaction<T>(work: (statements: Statements) => Work<T>, limit?: WaitLimit): Promise<T> {
    return this.#process.step(this.#write, () => {
      const { trouble } = this.#disk;
      if (trouble === undefined) return this.#base.transaction(work, limit);
      if (trouble !== "audit_unwritable") return Promise.reject(storeError(trouble));
      return this.#base.transaction((statements) => work(without(statements, /\baudit/, trouble)), limit);
    });
  }

  single<T>(work: (statements: Statements) => Work<T>, limit?: WaitLimit): Promise<T> {
    return this.#process.step(this.#read, () => {
      const { trouble } = this.#disk;
      if (trouble === undefined || trouble === "audit_unwritable") return this.#base.single(work, limit);
      if (trouble !== "disk_full") return Promise.reject(storeError(trouble));
      // A full disk can still be read.
      return this.#base.single((statements) => work(without(statements, /./, trouble)), limit);
    });
  }

  waitingMs(): number {
    return this.#base.waitingMs();
  }

  close(): void {
    // The database is everybody's.
  }
}

/** Statements of which those that write and match fail. */
function without(statements: Statements, matching: RegExp, trouble: StoreTrouble): Statements {
  const { run, put } = statements;
  const refuse = (sql: string): void => {
    if (matching.test(sql)) throw storeError(trouble);
  };
  return {
    ...statements,
    run: (sql, values) => {
      refuse(sql);
      return run(sql, values);
    },
    put: (sql, ...rest) => {
      refuse(sql);
      return put(sql, ...rest);
    },
  };
}

function storeError(trouble: StoreTrouble): StoreError {
  return new StoreError(trouble, `The store is in trouble (${trouble}).`, "Wait.");
}
