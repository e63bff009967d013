/** The simulation's model of a server is held against the real one: whatever several sessions do in turn, both answer alike. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openConnection } from "../../../src/store/sql/driver.ts";
import { lockOf, toPostgres } from "../../../src/store/sql/postgres-dialect.ts";
import { type Answered, type Session, sessionOptions } from "../../../src/store/sql/server-connection.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { Draw } from "../../sim/draw.ts";
import { Interruptions, SimProcess } from "../../sim/process.ts";
import { ModelServer } from "../../sim/server.ts";
import { SessionsOfProcess } from "../../sim/server-session.ts";
import { VirtualTime } from "../../sim/virtual-time.ts";

const SCRIPTS = 30;
const STEPS = 24;
const PARTIES = 3;
/** A model's clock is not waited for. */
const STANDS_STILL_MS = 3_500;

/** In the store's words; `end`: the session is lost; `still`: time passes. */
type Act =
  | { readonly sql: string; readonly values?: readonly string[] }
  | { readonly begin: number }
  | { readonly status: number }
  | "end"
  | "still";

/** Rows, changes, what failed; or that it waits for another. */
type Seen = string;

interface Step {
  readonly who: number;
  readonly act: Act;
  readonly seen: Seen;
  /** What those who waited were answered then. */
  readonly after: readonly (readonly [who: number, seen: Seen])[];
}

/** Several sessions of one server. */
interface World {
  /** Resolves when it is answered, or certainly waits. @param id of the transaction that is asked about */
  act(who: number, act: Act): Promise<Seen>;
  /** Those who wait no more, in the order of their numbers. */
  answered(expected?: readonly number[]): Promise<readonly (readonly [number, Seen])[]>;
  close(): Promise<void>;
}

const WAITS = "waits";
const ID = "SELECT pg_current_xact_id_if_assigned()::text AS id";
const STATUS = "SELECT pg_xact_status($1::text::xid8) AS status";
const FIRST_SEED = 20_260;

function textOf(answer: Answered | Error): Seen {
  if (!(answer instanceof Error)) {
    const rows = answer.rows.map((row) => JSON.stringify(row)).join(" ");
    return answer.fields.length > 0
      ? `rows ${rows}`
      : `${/^(COMMIT|ROLLBACK)$/.test(answer.command) ? answer.command : ""} ${answer.rowCount ?? 0}`;
  }
  const { code } = answer as { readonly code?: string };
  return code === undefined || /^(57P01|25P03|E[A-Z]+)$/.test(code) ? "gone" : `fails ${code}`;
}

abstract class Sessions implements World {
  readonly #waiting = new Map<number, { seen: Seen | undefined }>();
  /** Of every transaction that had one, as the server named it. */
  readonly #ids: string[] = [];
  protected abstract session(who: number): Promise<Pick<Session, "query">>;
  protected abstract say(sql: string): string;
  protected abstract readonly lock: string;
  /** Resolves when it is settled or waits for sure. */
  protected abstract settle(who: number, isSettled: () => boolean): Promise<void>;
  protected abstract end(who: number): Promise<void>;
  protected abstract pass(ms: number): Promise<void>;
  abstract close(): Promise<void>;

  async act(who: number, act: Act): Promise<Seen> {
    if (act === "end") return this.end(who).then(() => "ended");
    if (act === "still") return this.pass(STANDS_STILL_MS).then(() => "time has passed");
    const session = await this.session(who);
    const ask = (text: string, values: readonly string[] = []): Promise<Answered | Error> =>
      session.query({ text, values: [...values], query_timeout: 60_000 }).catch((error: Error) => error);
    const asked = this.#asked(act, ask);
    const state: { seen: Seen | undefined } = { seen: undefined };
    void asked.then((seen) => {
      state.seen = seen;
    });
    await this.settle(who, () => state.seen !== undefined);
    if (state.seen === undefined) this.#waiting.set(who, state);
    return state.seen ?? WAITS;
  }

  async #asked(
    act: Exclude<Act, string>,
    ask: (text: string, values?: readonly string[]) => Promise<Answered | Error>,
  ): Promise<Seen> {
    if ("begin" in act) {
      const answer = await ask(
        `BEGIN; SET LOCAL lock_timeout = ${act.begin}; SELECT pg_advisory_xact_lock(${this.lock})`,
      );
      return answer instanceof Error ? textOf(answer) : "has its turn";
    }
    if ("status" in act) {
      const id = this.#ids[act.status];
      return id === undefined ? "none" : textOf(await ask(STATUS, [id]));
    }
    const seen = textOf(await ask(this.say(act.sql), act.values));
    if (!/^(INSERT|UPDATE|DELETE)/.test(act.sql) || seen.startsWith("fails") || seen === "gone") return seen;
    const answer = await ask(ID);
    const id = answer instanceof Error ? undefined : (answer.rows[0] as { id: string | null }).id;
    if (typeof id === "string" && !this.#ids.includes(id)) this.#ids.push(id);
    return `${seen}, ${id === null ? "no id" : `id ${this.#ids.indexOf(id ?? "")}`}`;
  }

  async answered(expected?: readonly number[]): Promise<readonly (readonly [number, Seen])[]> {
    for (const who of expected ?? []) await this.settle(who, () => this.#waiting.get(who)?.seen !== undefined);
    const found = [...this.#waiting].flatMap(([who, { seen }]) => (seen === undefined ? [] : [[who, seen] as const]));
    for (const [who] of found) this.#waiting.delete(who);
    return found.sort(([one], [other]) => one - other);
  }
}

class Modelled extends Sessions {
  protected readonly lock = "1";
  readonly #time = new VirtualTime(0);
  readonly #pools: readonly SessionsOfProcess[];
  readonly #sessions = new Map<number, Session & { end(): void }>();
  readonly #base: Awaited<ReturnType<typeof openConnection>>;

  private constructor(base: Awaited<ReturnType<typeof openConnection>>) {
    super();
    this.#base = base;
    const time = this.#time;
    const server = new ModelServer({ base, time, draw: new Draw(1, "ways"), troubles: [], told: expect.unreachable });
    const of = { time, machine: { skewMs: 0 }, skewMs: 0, coarseMs: 1, interruptions: new Interruptions([]) };
    this.#pools = Array.from(
      { length: PARTIES },
      (_, seat) =>
        new SessionsOfProcess(server, new SimProcess({ ...of, name: `${seat}`, interrupted: () => {} }), seat),
    );
  }

  static async open(): Promise<Modelled> {
    const base = await openConnection(":memory:", { journal: "wal", durability: "full", random: () => 0 });
    await base.exec("CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL)");
    return new Modelled(base);
  }

  protected async session(who: number): Promise<Session> {
    const known = this.#sessions.get(who);
    if (known !== undefined) return known;
    let opened: (Session & { end(): void }) | undefined;
    void this.#pools[who]?.connect().then((session) => {
      opened = session as Session & { end(): void };
    });
    await this.#time.run(() => opened !== undefined);
    if (opened === undefined) throw new Error("the model opens no session");
    this.#sessions.set(who, opened);
    return opened;
  }

  protected say(sql: string): string {
    return sql;
  }

  protected async settle(_: number, isSettled: () => boolean): Promise<void> {
    await this.#time.run(isSettled, this.#time.nowMs + 20);
  }

  override async answered(): Promise<readonly (readonly [number, Seen])[]> {
    await this.pass(20);
    return super.answered();
  }

  protected async end(who: number): Promise<void> {
    this.#sessions.get(who)?.end();
    this.#sessions.delete(who);
    await this.settle(who, () => false);
  }

  protected async pass(ms: number): Promise<void> {
    await this.#time.run(() => false, this.#time.nowMs + ms);
  }

  close(): Promise<void> {
    this.#base.close();
    return Promise.resolve();
  }
}

class Real extends Sessions {
  protected readonly lock: string;
  readonly #database: PostgresDatabase;
  readonly #clients = new Map<number, { readonly client: pg.Client; readonly pid: number }>();

  readonly #options: string;

  private constructor(database: PostgresDatabase, schema: string, options: string) {
    super();
    this.#options = options;
    this.#database = database;
    this.lock = String(lockOf(schema));
  }

  /** @param isPatient whether it bears that somebody stands still: the machine of the test may be slow */
  static async open(database: PostgresDatabase, isPatient: boolean): Promise<Real> {
    const schema = database.freshSchema();
    await database.query(`CREATE SCHEMA ${schema}`);
    await database.query(`CREATE TABLE ${schema}.kept (name TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL)`);
    const patience = isPatient ? " -c idle_in_transaction_session_timeout=0" : "";
    return new Real(database, schema, `${sessionOptions(schema)}${patience}`);
  }

  protected async session(who: number): Promise<Pick<Session, "query">> {
    const known = this.#clients.get(who);
    if (known !== undefined) return known.client;
    const client = new pg.Client({ connectionString: this.#database.url(), options: this.#options });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    this.#clients.set(who, { client, pid: rows[0]?.pid ?? 0 });
    return client;
  }

  protected say(sql: string): string {
    return toPostgres(sql).text;
  }

  protected async settle(who: number, isSettled: () => boolean): Promise<void> {
    const waits = "SELECT 1 FROM pg_locks WHERE pid = $1 AND NOT granted";
    for (let looks = 0; looks < 2_000 && !isSettled(); looks++)
      if ((await this.#database.query(waits, [this.#clients.get(who)?.pid])).length > 0 && looks > 1) return;
  }

  protected async end(who: number): Promise<void> {
    const { pid } = this.#clients.get(who) ?? {};
    this.#clients.delete(who);
    if (pid === undefined) return;
    await this.#database.query("SELECT pg_terminate_backend($1)", [pid]);
    while ((await this.#database.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [pid])).length > 0);
  }

  protected pass(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ client }) => client.end().catch(() => undefined)));
  }
}

const NAMES = ["a", "b", "c"];

/** @param isOpen whether it has a transaction */
function drawAct(draw: Draw, isOpen: boolean): Act {
  const [name, value] = [draw.of(NAMES), String(draw.between(0, 9))];
  const look = { sql: "SELECT name, value FROM kept ORDER BY name" };
  if (!isOpen)
    return draw.by({ begin: 6, look: 2, status: 2 }) === "begin"
      ? { begin: 60_000 }
      : draw.chance(0.5)
        ? look
        : { status: draw.between(0, 5) };
  switch (draw.by({ put: 4, new: 3, less: 2, back: 1, look: 3, one: 1, commit: 3, rollback: 1, end: 1 })) {
    case "put":
      return {
        sql: "INSERT INTO kept (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        values: [name, value],
      };
    case "new":
      return { sql: "INSERT INTO kept (name, value) VALUES (?, ?)", values: [name, value] };
    case "less":
      return { sql: "DELETE FROM kept WHERE name = ?", values: [name] };
    case "back":
      return { sql: "UPDATE kept SET value = ? WHERE name = ? RETURNING name, value", values: [value, name] };
    case "one":
      return {
        sql: "INSERT INTO kept (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
        values: [name, value],
      };
    case "look":
      return look;
    case "commit":
      return { sql: "COMMIT" };
    case "rollback":
      return { sql: "ROLLBACK" };
    case "end":
      return "end";
  }
}

/** What the model says of a script, which is drawn as it goes: who waits is asked for nothing. */
async function played(draw: Draw): Promise<readonly Step[]> {
  const world = await Modelled.open();
  const [waiting, open] = [new Set<number>(), new Set<number>()];
  const steps: Step[] = [];
  for (let index = 0; index < STEPS; index++) {
    const who = draw.between(0, PARTIES - 1);
    const act = waiting.has(who) ? "end" : drawAct(draw, open.has(who));
    if (waiting.has(who) && !draw.chance(0.1)) continue;
    const seen = await world.act(who, act);
    if (seen === WAITS) waiting.add(who);
    if (typeof act === "object" && "begin" in act) open.add(who);
    if (act === "end" || (typeof act === "object" && "sql" in act && /^(COMMIT|ROLLBACK)$/.test(act.sql)))
      open.delete(who);
    const after = await world.answered();
    for (const [each] of after) waiting.delete(each);
    steps.push({ who, act, seen, after });
  }
  await world.close();
  return steps;
}

async function replayed(steps: readonly Step[], world: World): Promise<readonly Step[]> {
  const seen: Step[] = [];
  for (const { who, act, after } of steps)
    seen.push({ who, act, seen: await world.act(who, act), after: await world.answered(after.map(([each]) => each)) });
  await world.close();
  return seen;
}

describe("the model of a server", () => {
  let database: PostgresDatabase;
  beforeAll(async () => {
    database = await createPostgresDatabase();
  });
  afterAll(() => database.remove());

  it("answers as the real one does whatever its sessions do in turn", async () => {
    const kinds = new Set<string>();
    for (let script = 0; script < SCRIPTS; script++) {
      const steps = await played(new Draw(FIRST_SEED + script, "script"));
      expect(await replayed(steps, await Real.open(database, true)), `script ${script}`).toEqual(steps);
      for (const { seen, after } of steps)
        for (const each of [seen, ...after.map(([, late]) => late)]) kinds.add(each.split(" ")[0] ?? "");
    }
    expect([...kinds].sort()).toEqual(
      expect.arrayContaining(["", "COMMIT", "ROLLBACK", "ended", "fails", "gone", "has", "none", "rows", "waits"]),
    );
  });

  it("gives up waiting, and ends who stands still in a transaction, as the real one does", async () => {
    const script: readonly (readonly [number, Act])[] = [
      [0, { begin: 60_000 }],
      [0, { sql: "INSERT INTO kept (name, value) VALUES ('a', '1')" }],
      [1, { begin: 60_000 }],
      [2, { begin: 1_000 }],
      [2, "still"],
      [2, { sql: "SELECT name, value FROM kept" }],
      [2, { sql: "ROLLBACK" }],
      [0, { sql: "COMMIT" }],
      [1, { sql: "SELECT name, value FROM kept" }],
    ];
    const steps: Step[] = [];
    const model = await Modelled.open();
    for (const [who, act] of script)
      steps.push({ who, act, seen: await model.act(who, act), after: await model.answered() });
    await model.close();
    expect(steps.map(({ seen }) => seen)).toContain("gone");
    expect(steps.flatMap(({ after }) => after)).toEqual([
      [1, "has its turn"],
      [2, "fails 55P03"],
    ]);
    expect(await replayed(steps, await Real.open(database, false))).toEqual(steps);
  });
});
