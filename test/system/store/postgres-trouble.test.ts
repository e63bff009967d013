/** What a server adds to what can go wrong: connections that are lost, above all while a commit is under way, and processes that stand still. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore, type StoreError } from "../../../src/store/index.ts";
import { SCHEMA_VERSION } from "../../../src/store/schema/migrations.ts";
import { FIRST_VERSION } from "../../../src/store/schema/schema-steps.ts";
import type { Connection } from "../../../src/store/sql/connection.ts";
import { serverAddress } from "../../../src/store/sql/postgres-address.ts";
import { openServer } from "../../../src/store/sql/postgres-driver.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { unwrap } from "../../fixture/result.ts";
import { newIntent } from "../../store/intent.ts";
import { createWorkers, type Workers } from "../../store/processes.ts";
import type { TestStore } from "../../store/store-suite.ts";
import { type CommitProxy, startCommitProxy } from "./commit-proxy.ts";

const clock = {
  now: () => Date.now(),
  sleep: async (ms: number, signal?: AbortSignal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  },
};
const parts = { clock, random: Math.random };
const send = { from: ["ready"], to: "sent", nonce: "1", held: "5", unit: "KRW" as const };
const admitAll = () => undefined;

let database: PostgresDatabase;
let workers: Workers;
let dir: string;
let haltPath: string;
let url: string;
const stores: TestStore[] = [];

beforeAll(async () => {
  [database, workers] = await Promise.all([createPostgresDatabase(), createWorkers()]);
});
afterAll(async () => {
  await workers.end();
  await database.remove();
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-postgres-"));
  haltPath = join(dir, "hoga.db.brake");
  url = database.url(database.freshSchema());
});
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
  rmSync(dir, { recursive: true });
});

async function open(at = url, halt = haltPath): Promise<TestStore> {
  const store: TestStore = await openStore({ url: at, haltPath: halt }, parts);
  stores.push(store);
  return store;
}

async function refusal(at: string): Promise<StoreError> {
  return open(at).then(
    () => {
      throw new Error("it was opened");
    },
    (error: unknown) => error as StoreError,
  );
}

/** Ends the sessions of a store's processes, as an operator or a failing server does. */
const endSessions = () =>
  database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'hoga'",
    [database.name],
  );

describe("a commit whose answer is lost", () => {
  let proxy: CommitProxy;
  beforeEach(async () => {
    proxy = await startCommitProxy(new URL(url));
  });
  afterEach(() => proxy.close());

  it.each(["before the server has it", "after the server has it"] as const)("%s, is done once", async (when) => {
    const direct = await open();
    const store = await open(proxy.through(url));
    await unwrap(direct.journal.record(newIntent("i1")));
    proxy.loseNext(when === "before the server has it" ? "request" : "answer");
    expect(await unwrap(store.journal.begin("i1", send, admitAll, () => 2_000))).toHaveProperty("begun");
    expect(proxy.lost()).toBe(1);
    expect(await unwrap(direct.audit.recent({ intentId: "i1", limit: 9 }))).toHaveLength(2);
    expect((await unwrap(direct.journal.usage("main", 2_000))).usage).toMatchObject({ open: "5", openOrders: 1 });
    expect(await direct.audit.verify()).toMatchObject({ ok: true, count: 2 });
  });

  it("and whose server cannot be asked any more, is said to be unknown", async () => {
    const direct = await open();
    const store = await open(proxy.through(url));
    await unwrap(direct.journal.record(newIntent("i1")));
    proxy.loseNext("answer", "and everything after it");
    const begun = await store.journal.begin("i1", send, admitAll, () => 2_000);
    expect(begun).toMatchObject({ ok: false, fault: { message: expect.stringContaining("not known yet") } });
    expect(await unwrap(direct.journal.byId("i1"))).toMatchObject({ state: "sent" });
  }, 30_000);

  it("is not taken for another transaction's, which got its id after a crash of the server", async () => {
    const store = await open(proxy.through(url));
    await unwrap(store.journal.record(newIntent("i1")));
    proxy.loseNext("answer");
    // As after a crash. The id is still the same transaction's here, and says so.
    await database.query("SELECT pg_stat_reset_shared('bgwriter')");
    const begun = await store.journal.begin("i1", send, admitAll, () => 2_000);
    expect(begun).toMatchObject({ ok: false, fault: { message: expect.stringContaining("not known yet") } });
  }, 30_000);
});

describe("sessions that are ended", () => {
  it("when they end between two calls, go unnoticed", async () => {
    const store = await open();
    await unwrap(store.journal.record(newIntent("i1")));
    await endSessions();
    expect(await unwrap(store.journal.begin("i1", send, admitAll, () => 2_000))).toHaveProperty("begun");
    await endSessions();
    expect(await unwrap(store.journal.byId("i1"))).toMatchObject({ state: "sent" });
  });

  it("again and again while eight begin and append, lose nothing that was said and do nothing twice", async () => {
    const store = await open();
    const all = [store, ...(await Promise.all(Array.from({ length: 7 }, () => open())))];
    const ids = Array.from({ length: 80 }, (_, n) => `i${n}`);
    for (const id of ids) await unwrap(store.journal.record(newIntent(id)));
    let isDone = false;
    const cutting = (async () => {
      // Ever more seldom: at one pace nothing would get through on a machine that is slower than it.
      for (let pauseMs = 40; !isDone; pauseMs *= 1.4) {
        await endSessions();
        await sleep(pauseMs);
      }
    })();
    const begin = (id: string, n: number) =>
      (all[n % all.length] ?? store).journal.begin(id, send, admitAll, () => 2_000);
    const begun = await Promise.all(ids.map(begin));
    isDone = true;
    await cutting;
    const said = ids.filter((_, n) => begun[n]?.ok);
    expect(said.length).toBeGreaterThan(0);
    // The server may carry out what it was sent after whoever sent it has given up: both are read again until they agree.
    await vi.waitFor(async () => {
      const sent = (await unwrap(store.journal.inStates("main", ["sent"], 100))).map(({ intentId }) => intentId);
      expect(sent).toEqual(expect.arrayContaining(said));
      expect(await store.audit.verify()).toMatchObject({ ok: true, count: 80 + sent.length });
    }, 10_000);
  }, 30_000);
});

describe("a process that stands still", () => {
  it("when it is in a transaction, holds up the others only until the server ends it, and has done nothing", async () => {
    const store = await open();
    await unwrap(store.journal.record(newIntent("i1")));
    const worker = workers.start({ role: "begin-and-stop", location: { url, haltPath }, intentId: "i1" });
    await worker.first;
    expect(await unwrap(store.journal.begin("i1", send, admitAll, () => 2_000))).toHaveProperty("begun");
    worker.process.kill("SIGCONT");
    await expect.poll(() => worker.told.length, { timeout: 10_000 }).toBe(2);
    // It tried again, unless its own time was up.
    expect(worker.told[1]).toMatch(/^begun by another$|was lost/);
    expect(await store.audit.verify()).toMatchObject({ ok: true, count: 2 });
  }, 30_000);

  it("when it has the lane, knows when it goes on that its turn is over", async () => {
    const settings = { limits: { callsPerSecond: 1_000, weightPerMinute: 60_000 }, leaseWaitMs: 5_000, leaseMs: 700 };
    const worker = workers.start({ role: "enter-and-ask", location: { url, haltPath }, settings });
    const { nonce, holds } = (await worker.first) as { nonce: string; holds: boolean };
    expect(holds).toBe(true);
    worker.process.kill("SIGSTOP");
    const store = await open();
    const pass = await store.lane(settings).enter("key", { weight: 1, clockOffsetMs: () => 0 });
    expect(pass.nonce).toBeGreaterThan(BigInt(nonce));
    worker.process.kill("SIGCONT");
    await expect.poll(() => worker.told.at(-1), { timeout: 5_000 }).toMatchObject({ holds: false });
  }, 20_000);
});

describe("the kill switch", () => {
  it("engaged from one data directory holds in another, and is released from any", async () => {
    const here = await open();
    const there = await open(url, join(dir, "another.brake"));
    const record = { reason: "enough", by: "test", atMs: 1_000 };
    expect(await here.killSwitch.engage(record)).toEqual({ ok: true, value: [] });
    expect(await unwrap(there.killSwitch.state())).toEqual(record);
    await unwrap(there.journal.record(newIntent("i1")));
    const refused = await unwrap(
      there.journal.begin(
        "i1",
        send,
        ({ killSwitch }) => killSwitch,
        () => 2_000,
      ),
    );
    expect(refused).toEqual({ refused: record });
    await unwrap(there.killSwitch.release());
    expect(await unwrap(here.killSwitch.state())).toBeUndefined();
  });

  it("is said to be on here alone where the database cannot be told", async () => {
    const proxy = await startCommitProxy(new URL(url));
    const [here, there] = [await open(proxy.through(url)), await open(url, join(dir, "another.brake"))];
    await proxy.close();
    const engaged = await here.killSwitch.engage({ reason: "enough", by: "test", atMs: 1_000 });
    expect(engaged).toMatchObject({
      ok: false,
      fault: { message: expect.stringContaining("this data directory alone") },
    });
    expect(await unwrap(there.killSwitch.state())).toBeUndefined();
    const again = await open();
    expect(await unwrap(again.killSwitch.state())).toMatchObject({ reason: "enough" });
    // Halting once more tells everybody.
    await unwrap(again.killSwitch.engage({ reason: "enough", by: "test", atMs: 1_000 }));
    expect(await unwrap(there.killSwitch.state())).toMatchObject({ reason: "enough" });
  });
});

it("a server that says nothing any more holds up a halt and a cancel for less than a cancel may wait for its turn", async () => {
  const proxy = await startCommitProxy(new URL(url));
  const store = await open(proxy.through(url));
  // So that there are connections, which look as if they were good.
  await Promise.all(Array.from({ length: 5 }, (_, n) => store.journal.byId(`i${n}`)));
  proxy.fallSilent();
  const startedAt = performance.now();
  const engaged = await store.killSwitch.engage({ reason: "enough", by: "test", atMs: 1_000 });
  expect(engaged).toMatchObject({
    ok: false,
    fault: { message: expect.stringContaining("this data directory alone") },
  });
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(await store.audit.append({ event: "halted", account: "main", detail: {} }, 1_000)).toMatchObject({
    ok: false,
  });
  const settings = { limits: { callsPerSecond: 10, weightPerMinute: 600 }, leaseWaitMs: 3_000, leaseMs: 3_000 };
  const pass = await store.lane(settings).enter("key", { weight: 1, urgent: true, clockOffsetMs: () => 0 });
  expect(pass.nonce).toBeGreaterThan(0n);
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  await proxy.close();
}, 60_000);

describe("a store on a server says what is so", () => {
  const schemaOf = () => String(new URL(url).searchParams.get("schema"));

  it("when its tables were dropped: no defect, and the lane of a cancel goes on", async () => {
    const store = await open();
    await database.query(`DROP SCHEMA ${schemaOf()} CASCADE`);
    const unavailable = { ok: false, fault: { code: "ELocal:Store unavailable", message: /lacks its tables/ } };
    for (const asked of [store.journal.record(newIntent("i1")), store.journal.byId("i1"), store.killSwitch.state()])
      expect(await asked).toMatchObject({
        ...unavailable,
        fault: { ...unavailable.fault, message: expect.stringMatching(unavailable.fault.message) },
      });
    const settings = { limits: { callsPerSecond: 10, weightPerMinute: 600 }, leaseWaitMs: 3_000, leaseMs: 3_000 };
    const pass = await store.lane(settings).enter("key", { weight: 1, urgent: true, clockOffsetMs: () => 0 });
    expect(pass.nonce).toBeGreaterThan(0n);
  });

  it("when a table is locked, or a statement may not take so long", async () => {
    const store = await open();
    const schema = schemaOf();
    await database.query(`ALTER ROLE postgres IN DATABASE ${database.name} SET statement_timeout = 1000`);
    const limited = await open(`${url}`, join(dir, "another.brake"));
    await database.query(`ALTER ROLE postgres IN DATABASE ${database.name} RESET statement_timeout`);
    const locking = new pg.Client({ connectionString: database.url() });
    await locking.connect();
    try {
      await locking.query(`BEGIN; LOCK TABLE ${schema}.intents IN ACCESS EXCLUSIVE MODE`);
      const [locked, canceled] = await Promise.all([store.journal.byId("i1"), limited.journal.byId("i1")]);
      expect(locked).toMatchObject({ fault: { message: expect.stringMatching(/stayed locked: another session/) } });
      expect(canceled).toMatchObject({ fault: { message: expect.stringMatching(/statement_timeout/) } });
    } finally {
      await locking.end();
    }
    expect(await store.journal.byId("i1")).toEqual({ ok: true, value: undefined });
  }, 30_000);

  it("when the server has no connection left, and asks it no more until a look has succeeded", async () => {
    const proxy = await startCommitProxy(new URL(url));
    const store = await open(proxy.through(url));
    await proxy.turnAway("full");
    expect(await store.journal.byId("i1")).toMatchObject({
      fault: { message: expect.stringMatching(/takes no more connections/) },
    });
    const startedAt = performance.now();
    for (let n = 0; n < 20; n++) expect(await store.journal.byId("i1")).toMatchObject({ ok: false });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await proxy.recover();
    await expect.poll(async () => (await store.journal.byId("i1")).ok, { timeout: 10_000 }).toBe(true);
    await proxy.close();
  }, 30_000);
});

describe("a caller's token", () => {
  it("made by one process is known to another, and revoked at once", async () => {
    const [here, there] = [await open(), await open()];
    const token = { name: "ci", digest: "d1", scopes: ["market:read", "trade:write"], createdAtMs: 5 };
    expect(await unwrap(here.tokens.create(token))).toBe("created");
    expect(await unwrap(there.tokens.create({ ...token, digest: "d2" }))).toBe("taken");
    await unwrap(there.tokens.used(token, 7_200_001));
    expect(await unwrap(here.tokens.find("d1"))).toEqual({ ...token, usedAtMs: 7_200_000 });
    expect(await unwrap(there.tokens.revokeAll(9, "enough"))).toBe(1);
    expect(await unwrap(here.tokens.find("d1"))).toBeUndefined();
  });
});

describe("stores of one database", () => {
  it("know nothing of each other", async () => {
    const one = await open();
    const other = await open(database.url(database.freshSchema()));
    await unwrap(one.journal.record(newIntent("i1")));
    await unwrap(one.killSwitch.engage({ reason: "mine", by: "test", atMs: 1 }));
    expect(await unwrap(other.journal.byId("i1"))).toBeUndefined();
    expect(await unwrap(other.killSwitch.state())).toBeUndefined();
    const token = await unwrap(one.seal.sign("text"));
    expect(await unwrap(other.seal.open(token))).toBeUndefined();
  });
});

describe("opening", () => {
  it("makes the tables once when several processes start at the same moment", async () => {
    const job = { role: "open", location: { url, haltPath }, atMs: Date.now() + 800 } as const;
    for (const report of await workers.run([job, job, job, job, job])) expect(report).toMatchObject({ ok: true });
    const schema = new URL(url).searchParams.get("schema");
    const rows = await database.query(`SELECT version::int AS version FROM ${schema}.schema_version`);
    expect(rows).toHaveLength(SCHEMA_VERSION - FIRST_VERSION + 1);
  });

  it("commits to the disk where it was asked for, whatever the database's own setting is", async () => {
    await database.query(`ALTER DATABASE ${database.name} SET synchronous_commit = off`);
    const { durable, lazy } = await openServer(serverAddress(url), Math.random);
    const setting = (connection: Connection) =>
      connection.transaction(({ get }) => get("SELECT current_setting('synchronous_commit') AS now", []));
    expect([await setting(durable), await setting(lazy)]).toEqual([{ now: "on" }, { now: "off" }]);
    durable.close();
    await database.query(`ALTER DATABASE ${database.name} RESET synchronous_commit`);
  });

  it("takes a schema whose name is a word of SQL", async () => {
    const store = await open(database.url("order"));
    await unwrap(store.journal.record(newIntent("i1")));
    expect(await unwrap(store.journal.byId("i1"))).toMatchObject({ state: "ready" });
  });

  const addresses: readonly (readonly [string, () => string, string, RegExp])[] = [
    ["a server that is not there", () => withPort(url, 9), "no_server", /cannot be reached \(ECONNREFUSED\)/],
    ["a database that is not there", () => url.replace(database.name, "no_such"), "no_database", /no such database/],
    ["a database without a name", () => url.replace(`/${database.name}`, "/"), "bad_address", /names no database/],
    [
      "another machine, in the clear",
      () => "postgres://u:hunter2hunter2@db.example/hoga",
      "bad_address",
      /of another machine/,
    ],
    ["a schema that cannot be", () => `${url}x%22;`, "bad_address", /names a schema/],
    ["an sslmode that is none", () => `${url}&sslmode=garbage`, "bad_address", /an sslmode that is not known/],
    [
      "an sslmode twice",
      () => "postgres://u:hunter2hunter2@db.example/hoga?sslmode=verify-full&sslmode=disable",
      "bad_address",
      /one twice/,
    ],
    ["options of its own", () => `${url}&options=-c%20fsync%3Doff`, "bad_address", /a parameter that is not known/],
    [
      "a password that reads as a database",
      () => "postgres://u:12/hunter2hunter2@127.0.0.1/x?sslmode=disable",
      "bad_address",
      /names a database that cannot be/,
    ],
    ["what is no address", () => "mysql://u:hunter2hunter2@127.0.0.1/x", "bad_address", /is not a URL/],
  ];
  it.each(addresses)(
    "is refused for %s, with the remedy and without the password",
    async (_, address, code, message) => {
      const found = await refusal(address());
      expect(found).toMatchObject({ name: "StoreError", code, message: expect.stringMatching(message) });
      expect(found.fix.length).toBeGreaterThan(10);
      expect(`${found.message} ${found.fix} ${String(found.stack)}`).not.toContain("hunter2");
    },
  );

  it("is refused where the server refuses the password, which is not shown", async () => {
    const server = createServer((socket) => {
      socket.once("data", () => {
        // AuthenticationCleartextPassword, then an ErrorResponse to whatever is sent.
        socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        socket.once("data", () => {
          const fields = Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed for user "u"\0\0');
          const head = Buffer.alloc(5);
          head.write("E");
          head.writeInt32BE(fields.length + 4, 1);
          socket.end(Buffer.concat([head, fields]));
        });
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as { port: number };
    const found = await refusal(`postgres://u:hunter2hunter2@127.0.0.1:${port}/x`);
    expect(found).toMatchObject({ code: "login_refused", message: expect.stringContaining(`127.0.0.1:${port}/x`) });
    expect(`${found.message} ${found.fix} ${String(found.stack)}`).not.toContain("hunter2");
    server.close();
  });

  it("is refused for a schema of another program, and of a newer hoga, which are left as they were", async () => {
    const schema = String(new URL(url).searchParams.get("schema"));
    await database.query(`CREATE SCHEMA ${schema}`);
    await database.query(`CREATE TABLE ${schema}.bookmarks (url text)`);
    expect(await refusal(url)).toMatchObject({ code: "foreign_file", fix: expect.stringContaining("?schema=") });
    const newer = database.freshSchema();
    (await open(database.url(newer))).close();
    await database.query(`INSERT INTO ${newer}.schema_version VALUES (99, 0)`);
    expect(await refusal(database.url(newer))).toMatchObject({ code: "newer_schema" });
  });
});

function withPort(address: string, port: number): string {
  const found = new URL(address);
  found.port = String(port);
  return found.href;
}
