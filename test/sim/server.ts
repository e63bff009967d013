/**
 * A model of the PostgreSQL server that a store may be kept on, as the store's own code uses one: sessions of a pool that send statements and
 * wait for the answers, in virtual time. What it holds is the database in memory that every schedule has.
 *
 * What it has of the real one: others see a transaction when it is committed and not before, also between two of its statements; write
 * transactions wait for the store's lock in a queue, and give up in time; a transaction that stands still is ended; a statement that fails ends
 * its transaction; a session that is lost is rolled back once that is noticed; the fate of a commit can be asked for; a restart ends everything.
 * What it has not: a write without the lock, which the store never does, fails the schedule; rows have no locks of their own; and a crash takes nothing
 * that was committed. `test/system/store/server-model.test.ts` holds it against the real one.
 *
 * Source: decision 0043.
 */
import type { Connection } from "../../src/store/sql/connection.ts";
import { fromPostgresText, saidForCertain } from "../../src/store/sql/postgres-dialect.ts";
import { type Answered, type Asked, ServerConnection, sessionOptions } from "../../src/store/sql/server-connection.ts";
import { ServerState } from "../../src/store/sql/server-state.ts";
import {
  type Answer,
  type Bindable,
  placeholderCount,
  type Query,
  type Statements,
  type Work,
} from "../../src/store/sql/statement.ts";
import { StoreInvariantError } from "../../src/store/sql/store-error.ts";
import type { Draw } from "./draw.ts";
import type { ServerPoint, Trouble } from "./plan.ts";
import type { SimProcess } from "./process.ts";
import { Lock } from "./server-lock.ts";
import { SessionsOfProcess } from "./server-session.ts";
import type { Alarm, VirtualTime } from "./virtual-time.ts";

export type Cut = Extract<Trouble, { readonly type: "cut" }>;
export type ServerTrouble = Extract<Trouble, { readonly type: "cut" | "server" }>;

export interface ServerSettings {
  readonly base: Connection;
  readonly time: Pick<VirtualTime, "nowMs" | "after" | "cancel">;
  readonly draw: Draw;
  readonly troubles: readonly ServerTrouble[];
  readonly told: (what: string) => void;
}

/** Longest way of a statement or its answer; one key. */
export const WAY_MS = 1;
const LOCK = 1n;
/** As the store asks for it; 0: never. */
const IDLE_MS = Number(/idle_in_transaction_session_timeout=(\d+)/.exec(sessionOptions(""))?.[1] ?? 0); // not money: a time

/** A write that fails unless it changes so many rows. */
const CERTAIN = /^WITH done AS \(([\s\S]*) RETURNING 1\) SELECT 1 \/ CASE count\(\*\) WHEN (\d+) THEN/;

/** As the real one says it. */
export function serverError(code: string): Error {
  return Object.assign(new Error(`the server says ${code}`), { code });
}

interface Transaction {
  readonly writes: Query[];
  id: string | undefined;
  hasFailed: boolean;
}

/** A session as the server has it. */
export class Backend {
  transaction: Transaction | undefined;
  /** Why it is over. */
  ended: Error | undefined;
  idle: Alarm | undefined;
}

type Done = (answer: Answered | Error) => void;

export class ModelServer {
  readonly time: ServerSettings["time"];
  readonly #settings: ServerSettings;
  readonly #backends = new Set<Backend>();
  readonly #lock: Lock<Backend>;
  readonly #outcomes = new Map<string, "committed" | "aborted">();
  readonly #passes = new Map<string, number>();
  #cuts: readonly Cut[];
  #ids = 0;
  #life = 1;
  #isDown = false;
  #silentUntilMs = 0;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    this.time = settings.time;
    this.#cuts = settings.troubles.filter((trouble): trouble is Cut => trouble.type === "cut");
    this.#lock = new Lock(settings.time);
  }

  /** What one process has of it. */
  connectionOf(process: SimProcess, seat: number, random: () => number): Connection {
    const { base } = this.#settings;
    const pool = new SessionsOfProcess(this, process, seat);
    const say = (sql: string, changes?: number) => ({
      text: changes === undefined ? sql : saidForCertain(sql, changes),
      placeholders: placeholderCount(sql),
    });
    const pause = { ...process.clock, steady: () => process.clock.rising() };
    const parts = {
      pool,
      pause,
      say,
      lost: new WeakSet<object>(),
      path: "model",
      catalog: base.catalog,
      lock: LOCK,
      random,
    };
    return new ServerConnection(parts, new ServerState(), "full");
  }

  /** Nothing goes wrong any more. */
  heal(): void {
    this.#cuts = [];
    this.#silentUntilMs = 0;
    this.#isDown = false;
  }

  /** From now on, for so long. */
  suffer({ kind, forMs }: Extract<Trouble, { readonly type: "server" }>): void {
    this.#settings.told(kind);
    if (kind === "silence") this.#silentUntilMs = this.time.nowMs + forMs;
    else {
      this.endAll();
      this.#isDown = true;
      if (kind === "crash") this.#forget();
      this.time.after(forMs, () => {
        this.#isDown = false;
      });
    }
  }

  /** What was not on disk: the ids of transactions that were under way are given to others. */
  #forget(): void {
    this.#life += 1;
    const known = [...this.#outcomes].filter(([, outcome]) => outcome === "committed").map(([id]) => Number(id)); // not money: an id
    this.#ids = Math.max(0, ...known);
    for (const id of this.#outcomes.keys()) if (Number(id) > this.#ids) this.#outcomes.delete(id); // not money: an id
  }

  endAll(): void {
    for (const backend of [...this.#backends]) this.end(backend, serverError("57P01"));
  }

  /** Which trouble meets the next statement of a seat. */
  cutOf(seat: number, at: ServerPoint): Cut | undefined {
    const name = `${seat} ${at}`;
    const nth = this.#passes.get(name) ?? 0;
    this.#passes.set(name, nth + 1);
    const cut = this.#cuts.find((each) => each.seat === seat && each.at === at && each.nth === nth);
    if (cut !== undefined) this.#settings.told(`cut_${cut.when}_${at}`);
    return cut;
  }

  /** Once something has got from one to the other. */
  later(arrived: () => void): void {
    const wayMs = this.#settings.draw.between(0, WAY_MS);
    this.time.after(Math.max(this.#silentUntilMs - this.time.nowMs, 0) + wayMs, arrived);
  }

  /** @throws where it takes nobody */
  open(): Backend {
    if (this.#isDown) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    const backend = new Backend();
    this.#backends.add(backend);
    return backend;
  }

  /** Whatever was not committed is gone. */
  end(backend: Backend, why: Error): void {
    if (backend.ended !== undefined) return;
    backend.ended = why;
    this.#backends.delete(backend);
    this.#rollBack(backend);
  }

  execute(backend: Backend, { text, values = [] }: Asked, done: Done): void {
    if (backend.ended !== undefined) {
      done(backend.ended);
      return;
    }
    if (backend.idle !== undefined) this.time.cancel(backend.idle);
    const answered: Done = (answer) => {
      if (answer instanceof Error) this.#fail(backend);
      if (IDLE_MS > 0 && backend.transaction !== undefined && backend.ended === undefined)
        backend.idle = this.time.after(IDLE_MS, () => this.end(backend, serverError("25P03")));
      done(answer);
    };
    if (text.startsWith("BEGIN; ")) this.#begin(backend, text, answered);
    else answered(this.#attempt(() => this.#answer(backend, text, values)));
  }

  #attempt(work: () => Answered): Answered | Error {
    try {
      return work();
    } catch (error) {
      return error as Error;
    }
  }

  #begin(backend: Backend, text: string, done: Done): void {
    backend.transaction = { writes: [], id: undefined, hasFailed: false };
    const parts = text.split("; ").slice(1);
    const timeout = parts.map((part) => /^SET LOCAL lock_timeout = (\d+)$/.exec(part)?.[1]).find(Boolean);
    const waitMs = timeout === undefined ? Number.POSITIVE_INFINITY : Number(timeout); // not money: a time
    const takesLock = parts.includes(`SELECT pg_advisory_xact_lock(${LOCK})`);
    if (!takesLock) done(answerOf("BEGIN", []));
    else
      this.#lock.take(backend, waitMs, (isTaken) => {
        done(isTaken ? answerOf("SELECT", []) : (backend.ended ?? serverError("55P03")));
      });
  }

  #answer(backend: Backend, text: string, values: readonly unknown[]): Answered {
    const { transaction } = backend;
    if (text === "ROLLBACK") {
      this.#rollBack(backend);
      return answerOf("ROLLBACK", []);
    }
    if (text === "COMMIT") return this.#commit(backend);
    if (transaction?.hasFailed === true) throw serverError("25P02");
    if (text.includes("pg_current_xact_id_if_assigned")) return answerOf("SELECT", [{ id: transaction?.id ?? null }]);
    if (text.includes("pg_current_xact_id()")) return answerOf("SELECT", [{ id: this.#idOf(transaction) }]);
    if (text.includes("pg_stat_get_bgwriter_stat_reset_time")) return answerOf("SELECT", [{ life: `${this.#life}` }]);
    if (text.includes("pg_xact_status")) return answerOf("SELECT", [{ status: this.#statusOf(String(values[0])) }]);
    return this.#stored(backend, text, values);
  }

  #statusOf(id: string): string {
    return this.#outcomes.get(id) ?? "in progress";
  }

  #idOf(transaction: Transaction | undefined): string | null {
    if (transaction === undefined) return null;
    this.#ids += transaction.id === undefined ? 1 : 0;
    transaction.id ??= String(this.#ids);
    return transaction.id;
  }

  #stored(backend: Backend, said: string, values: readonly unknown[]): Answered {
    const { transaction } = backend;
    const [, certain, wanted] = CERTAIN.exec(said) ?? [];
    const sql = certain ?? said;
    const writes = !/^\s*(SELECT|WITH)\b/i.test(sql);
    if (writes && !(transaction !== undefined && this.#lock.isHeldBy(backend)))
      throw new Error(`the model knows no write without the lock: ${sql}`);
    const given = values.map((value) => (typeof value === "string" ? fromPostgresText(value) : (value as Bindable)));
    const query: Query = { sql, values: given, wantsRows: !writes || /\bRETURNING\b/.test(sql) };
    const { rows, changes } = this.#asIf(transaction?.writes ?? [], query);
    // What changes nothing leaves no trace, and needs no id.
    if (writes && transaction !== undefined && changes + rows.length > 0) {
      this.#idOf(transaction);
      transaction.writes.push(query);
    }
    if (wanted !== undefined && String(changes) !== wanted) throw serverError("22012");
    const copies = rows.map((row) => ({ ...row }));
    return query.wantsRows
      ? answerOf("SELECT", copies)
      : { command: "UPDATE", rows: [], rowCount: changes, fields: [] };
  }

  /** What the database answers behind these writes, which it then has not seen. It answers at once. */
  #asIf(writes: readonly Query[], query: Query): Answer {
    let answer: Answer | undefined;
    let failure: unknown;
    const work = function* (statements: Statements): Work<void> {
      try {
        for (const write of writes) yield* carried(statements, write);
        answer = yield* carried(statements, query);
      } catch (error) {
        failure = error;
      }
      throw new Undone();
    };
    this.#settings.base.transaction(work).catch(() => undefined);
    if (answer !== undefined) return answer;
    throw failure instanceof StoreInvariantError ? failure : serverError("23505");
  }

  #commit(backend: Backend): Answered {
    const { transaction } = backend;
    if (transaction === undefined || transaction.hasFailed) {
      this.#rollBack(backend);
      return answerOf("ROLLBACK", []);
    }
    const { writes, id } = transaction;
    this.#settings.base
      .transaction(function* (statements) {
        for (const write of writes) yield* carried(statements, write);
      })
      .catch((error: unknown) => this.#settings.told(`a commit that fails: ${String(error)}`));
    if (id !== undefined) this.#outcomes.set(id, "committed");
    backend.transaction = undefined;
    this.#lock.leave(backend);
    return answerOf("COMMIT", []);
  }

  /** Its transaction is over, and others go on, although it has to be rolled back still. */
  #fail(backend: Backend): void {
    const isOpen = backend.transaction !== undefined;
    this.#rollBack(backend);
    if (isOpen) backend.transaction = { writes: [], id: undefined, hasFailed: true };
  }

  #rollBack(backend: Backend): void {
    const { transaction, idle } = backend;
    if (idle !== undefined) this.time.cancel(idle);
    if (transaction?.id !== undefined) this.#outcomes.set(transaction.id, "aborted");
    backend.transaction = undefined;
    this.#lock.leave(backend);
  }
}

/** Takes back what was done to find out. */
class Undone extends Error {}

function* carried({ all, run }: Statements, { sql, values, wantsRows }: Query): Work<Answer> {
  return wantsRows
    ? { rows: yield* all(sql, values), changes: 0 }
    : { rows: [], changes: (yield* run(sql, values)).changes };
}

function answerOf(command: string, rows: Record<string, unknown>[]): Answered {
  return { command, rows, rowCount: rows.length, fields: command === "SELECT" ? ["some"] : [] };
}
