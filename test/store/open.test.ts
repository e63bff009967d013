import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore, type StoreError, tryHoldLock } from "../../src/store/index.ts";
import { migrate, SCHEMA_VERSION } from "../../src/store/schema/migrations.ts";
import { FIRST_VERSION, MIGRATIONS } from "../../src/store/schema/schema-steps.ts";
import type { Connection } from "../../src/store/sql/connection.ts";
import { APPLICATION_ID } from "../../src/store/sql/database-file.ts";
import { type FileConnection, openConnection } from "../../src/store/sql/driver.ts";
import { unwrap } from "../fixture/result.ts";
import { newPlan } from "./plan.ts";
import { createWorkers, type Workers } from "./processes.ts";

let dir: string;
let path: string;
let workers: Workers;
const parts = { clock: { now: () => 1_000, sleep: async () => {} }, random: () => 0.5 };
const open = () => openStore<string, number>({ path }, parts);

beforeAll(async () => {
  workers = await createWorkers();
});
afterAll(() => workers.end());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-open-"));
  path = join(dir, "hoga.db");
});
afterEach(() => rmSync(dir, { recursive: true }));

const INTENT = {
  ...{ intentId: "i", account: "a", userref: "u", state: "s", nonce: null, orderId: null },
  unit: "KRW",
  body: 1,
} as const;

/** The versions that a new database has gone through. */
const EVERY_STEP = MIGRATIONS.map((_, index) => ({ version: FIRST_VERSION + index }));

async function edit(change: (connection: FileConnection) => Promise<void>): Promise<void> {
  const connection = await openConnection(path, { journal: "delete", durability: "full", random: Math.random });
  await change(connection);
  connection.close();
}

/** The connection, with another `single`. */
function withSingle(connection: Connection, single: Connection["single"]): Connection {
  return new Proxy(connection, {
    get: (whole, name) => {
      if (name === "single") return single;
      const value: unknown = Reflect.get(whole, name);
      return typeof value === "function" ? value.bind(whole) : value;
    },
  });
}

async function filled(): Promise<void> {
  const store = await open();
  for (let n = 0; n < 200; n++) {
    await unwrap(store.audit.append({ event: "tested", account: "a", detail: { text: "x".repeat(500) } }, n));
  }
  store.close();
  // A copy without a write-ahead log, out of which SQLite would otherwise repair what is damaged below.
  const connection = await openConnection(path, { journal: "wal", durability: "full", random: Math.random });
  path = join(dir, "copy.db");
  await connection.exec(`VACUUM INTO '${path}'`);
  connection.close();
}

/** Opens in a fresh process: this one may still know the size the file had. */
const failure = async () => {
  const [error] = await workers.run<StoreError>([{ role: "open", location: { path }, atMs: 0 }]);
  if (error === undefined) throw new Error("nothing was told");
  expect(error.name).toBe("StoreError");
  expect(error.message).toContain(path);
  expect(error.fix).not.toBe("");
  return error.code;
};

describe("opening", () => {
  it("keeps facts from one time to the next", async () => {
    const first = await open();
    await unwrap(first.audit.append({ event: "started", account: "a", detail: {} }, 1));
    first.close();
    const second = await open();
    expect(await unwrap(second.audit.recent({ limit: 5 }))).toHaveLength(1);
    expect(await second.check()).toEqual({ ok: true, value: { path, schemaVersion: SCHEMA_VERSION } });
    second.close();
  });

  it("works in memory, as a store of its own", async () => {
    const one = await openStore<string, number>({ memory: true }, parts);
    const two = await openStore<string, number>({ memory: true }, parts);
    await unwrap(one.journal.record({ ...INTENT, createdAtMs: 1 }));
    expect(await unwrap(one.journal.advance("i", { from: ["s"], to: "t", lazy: true }, 2))).toMatchObject({
      state: "t",
    });
    expect(await unwrap(two.journal.byId("i"))).toBeUndefined();
    const settings = { limits: { callsPerSecond: 30, weightPerMinute: 600 }, leaseWaitMs: 10, leaseMs: 10 };
    expect(await one.lane(settings).enter("k", { weight: 1, clockOffsetMs: () => 5 })).toMatchObject({ nonce: 1_005n });
    expect(await one.check()).toMatchObject({ ok: true });
    one.close();
    two.close();
    expect(existsSync(":memory:")).toBe(false);
  });

  it("takes one of ours whose tables are all in its log still, as after a kill", async () => {
    const store = await open();
    const copy = join(dir, "copy.db");
    for (const suffix of ["", "-wal"]) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    store.close();
    expect(readFileSync(copy).readUInt32BE(68)).toBe(0);
    path = copy;
    const again = await open();
    expect(await again.check()).toMatchObject({ ok: true });
    again.close();
  });

  it("migrates once when several processes start at the same moment", async () => {
    for (let round = 0; round < 3; round++) {
      path = join(dir, `first-${round}.db`);
      const job = { role: "open", location: { path }, atMs: Date.now() + 400 } as const;
      const reports = await workers.run([job, job, job, job, job]);
      for (const report of reports)
        expect(report).toEqual({ ok: true, value: { path, schemaVersion: SCHEMA_VERSION } });
      await edit(async (connection) => {
        const rows = await connection.single(({ all }) =>
          all("SELECT version FROM schema_version ORDER BY version", []),
        );
        expect(rows).toEqual(EVERY_STEP);
      });
    }
  });

  it.each([1, 2, 3])(
    "knows its own file where another process makes it between statements %d and the next",
    async (n) => {
      await edit(async (connection) => {
        let looks = 0;
        const single: Connection["single"] = (work, limit) =>
          connection.single((statements) => {
            const get: typeof statements.get = function* (...asked) {
              const row = yield* statements.get(...asked);
              looks++;
              if (looks === n) workers.runMeanwhile({ role: "open", location: { path }, atMs: 0 });
              return row;
            };
            return work({ ...statements, get });
          }, limit);
        await migrate(withSingle(connection, single), 1);
        expect(looks).toBeGreaterThanOrEqual(2);
        const rows = await connection.single(({ all }) =>
          all("SELECT version FROM schema_version ORDER BY version", []),
        );
        expect(rows).toEqual(EVERY_STEP);
      });
    },
  );

  it("only reads where it only looks: all that goes on while another process keeps the lock, and changes nothing", async () => {
    const store = await open();
    await unwrap(store.journal.record({ ...INTENT, createdAtMs: 1 }));
    await unwrap(store.timers.arm("a", 5, 1));
    const token = await unwrap(store.seal.sign("text"));
    await edit(async (other) => {
      const version = () => other.single(({ get }) => get("PRAGMA data_version", []));
      expect(other.holdLock()).toBe(true);
      const before = await version();
      expect(await unwrap(store.journal.byId("i"))).toBeDefined();
      expect(await unwrap(store.journal.inStates("a", ["s"], 5))).toHaveLength(1);
      expect(await unwrap(store.journal.usage("a", 5))).toMatchObject({ killSwitch: undefined });
      expect(await unwrap(store.killSwitch.state())).toBeUndefined();
      expect(await unwrap(store.audit.recent({ limit: 5 }))).toHaveLength(1);
      expect(await store.audit.verify()).toMatchObject({ ok: true });
      await store.audit.export(() => {});
      expect(await store.pin.isSet()).toBe(false);
      expect(await unwrap(store.timers.read("a"))).toMatchObject({ dueAtMs: 5 });
      expect(await unwrap(store.timers.claimDue("a", 4, 100))).toBeUndefined();
      expect(await unwrap(store.seal.open(token))).toBe("text");
      expect(await version()).toEqual(before);
    });
    store.close();
  });

  it("refuses a file of random bytes and leaves it alone", async () => {
    const bytes = Buffer.from(Array.from({ length: 8_192 }, (_, index) => (index * 131 + 7) % 256));
    writeFileSync(path, bytes);
    expect(await failure()).toBe("damaged");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it("refuses a file that was cut off", async () => {
    await filled();
    truncateSync(path, 20_000);
    expect(await failure()).toBe("damaged");
  });

  it("finds a damaged page when it checks", async () => {
    await filled();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 60_000, 70_000);
    writeFileSync(path, bytes);
    const store = await open();
    expect(await store.check()).toMatchObject({ ok: false, fault: { code: "ELocal:Store damaged" } });
    store.close();
  });

  it("refuses a store of a newer version", async () => {
    (await open()).close();
    await edit((connection) => connection.exec("INSERT INTO schema_version VALUES (99, 0)"));
    expect(await failure()).toBe("newer_schema");
  });

  it("refuses a store from before any release, and leaves it as it was", async () => {
    await edit((connection) =>
      connection.exec(
        `PRAGMA application_id = ${APPLICATION_ID}; CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at_ms INTEGER NOT NULL) STRICT;
         INSERT INTO schema_version VALUES (16, 0); CREATE TABLE intents (held_krw INTEGER)`,
      ),
    );
    expect(await failure()).toBe("older_schema");
    await edit(async (connection) => {
      const listed = "SELECT sql FROM sqlite_schema WHERE name = 'intents'";
      const left = await connection.single(({ all }) => all(listed, []));
      expect(left).toEqual([{ sql: "CREATE TABLE intents (held_krw INTEGER)" }]);
    });
  });

  it("brings one of the first version up to date: what was recorded is there, and plans can be", async () => {
    await edit(async (connection) => {
      const [first = []] = MIGRATIONS;
      await connection.transaction(function* ({ run }) {
        for (const sql of connection.catalog.begin) yield* run(sql, []);
        yield* run(
          "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at_ms INTEGER NOT NULL) STRICT",
          [],
        );
        for (const sql of first) yield* run(sql, []);
        yield* run("INSERT INTO schema_version VALUES (?, 0)", [FIRST_VERSION]);
        const columns = "intent_id, account, userref, state, body, created_at_ms, updated_at_ms, unit";
        yield* run(`INSERT INTO intents (${columns}) VALUES ('i', 'main', 'u', 'ready', '1', 1, 1, 'KRW')`, []);
      });
    });
    const store = await open();
    expect(await unwrap(store.journal.byId("i"))).not.toHaveProperty("plan");
    const send = { from: ["ready"], to: "sent", nonce: "1", held: "1", unit: "KRW" } as const;
    const seen: unknown[] = [];
    const admit = (usage: object) => {
      seen.push("plan" in usage);
      return undefined;
    };
    expect(await unwrap(store.journal.begin("i", send, admit, () => 2))).toHaveProperty("begun");
    expect(seen).toEqual([false]);
    expect(await unwrap(store.plans.record(newPlan(1), () => undefined))).toHaveProperty("written");
    store.close();
    await edit(async (connection) => {
      const versions = await connection.single(({ all }) =>
        all("SELECT version FROM schema_version ORDER BY version", []),
      );
      expect(versions).toEqual(EVERY_STEP);
    });
  });

  it("refuses the database of another program", async () => {
    await edit((connection) => connection.exec("CREATE TABLE bookmarks (url)"));
    expect(await failure()).toBe("foreign_file");
  });

  it("says so when another process keeps the store locked", async () => {
    (await open()).close();
    const holder = await openConnection(path, { journal: "wal", durability: "full", random: Math.random });
    holder.holdLock();
    const store = await open();
    setTimeout(() => holder.close(), 200);
    await unwrap(store.audit.append({ event: "waited", account: "a", detail: {} }, 1));
    expect(await unwrap(store.audit.recent({ limit: 5 }))).toHaveLength(1);
    store.close();
  });
});

describe("the lock", () => {
  it("is held by one at a time, in this process too", async () => {
    const lock = await tryHoldLock(join(dir, "host.lock"));
    expect(lock).toBeDefined();
    expect(await tryHoldLock(join(dir, "host.lock"))).toBeUndefined();
    expect(await tryHoldLock(join(dir, "other.lock"))).toBeDefined();
    lock?.release();
    lock?.release();
    expect(await tryHoldLock(join(dir, "host.lock"))).toBeDefined();
  });

  it("goes to exactly one of several processes, and is free when that one is killed", async () => {
    const job = { role: "lock", path: join(dir, "host.lock") } as const;
    const running = [1, 2, 3, 4, 5].map(() => workers.start(job));
    const won = await Promise.all(running.map((worker) => worker.first));
    expect(won.filter((held) => held === true)).toHaveLength(1);
    expect(await tryHoldLock(job.path)).toBeUndefined();
    await running[won.indexOf(true)]?.kill();
    expect(await tryHoldLock(job.path)).toBeDefined();
  });
});
