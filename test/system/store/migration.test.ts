import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore, type Store } from "../../../src/store/index.ts";
import { SCHEMA_VERSION } from "../../../src/store/schema/migrations.ts";
import { type FileConnection, openConnection } from "../../../src/store/sql/driver.ts";
import { unwrap } from "../../fixture/result.ts";
import { createWorkers, type Workers } from "../../store/processes.ts";
import { OLD_AUDIT_INSERT, OLD_ENTRIES, writeSchemaOne } from "../../store/schema-one.ts";

let dir: string;
let path: string;
let old: FileConnection;
let workers: Workers;

beforeAll(async () => {
  workers = await createWorkers();
});
afterAll(() => workers.end());
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "hoga-migration-"));
  path = join(dir, "hoga.db");
  old = await openConnection(path, { journal: "wal", durability: "normal", random: Math.random });
});
afterEach(() => {
  old.close();
  rmSync(dir, { recursive: true });
});

const parts = { clock: { now: () => 9_000, sleep: async () => {} }, random: Math.random };
const open = (): Promise<Store<string, unknown>> => openStore({ path }, parts);
const rows = (sql: string) => old.single(({ all }) => all(sql, []));

describe("a database of schema 1", () => {
  it("keeps its intents, which count for nothing; one that was not sent yet may begin", async () => {
    await writeSchemaOne(old);
    const store = await open();
    expect(await store.check()).toEqual({ ok: true, value: { path, schemaVersion: SCHEMA_VERSION } });
    const counted = { held: "0", isLive: false, sentAtMs: null };
    expect(await unwrap(store.journal.byId("i1"))).toEqual({
      ...{ intentId: "i1", account: "main", userref: "u1", state: "accepted", nonce: "17", orderId: "o1" },
      ...{ body: { n: 1, seen: "호가 📈" }, createdAtMs: 1_000, updatedAtMs: 3_000 },
      ...counted,
    });
    expect(await unwrap(store.journal.usage("main", 9_000))).toEqual({
      usage: { day: "0", open: "0", openOrders: 0, lastMinute: 0 },
      settled: [],
      killSwitch: undefined,
    });
    // What stood recorded and unsent is called approved now.
    const send = { from: ["approved"], to: "submitting", nonce: "18", held: "9", unit: "KRW" as const };
    expect(
      await unwrap(
        store.journal.begin(
          "i2",
          send,
          () => undefined,
          () => 9_000,
        ),
      ),
    ).toHaveProperty("begun");
    const settings = { limits: { callsPerSecond: 30, weightPerMinute: 600 }, leaseWaitMs: 10, leaseMs: 10 };
    const pass = await store.lane(settings).enter("key", { weight: 1, clockOffsetMs: () => -9_000 });
    expect(pass.nonce).toBe(42n);
    store.close();
  });

  it("has its audit log chained, in order and with the same meaning", async () => {
    await writeSchemaOne(old);
    const store = await open();
    expect(await store.audit.verify()).toMatchObject({ ok: true, count: 5 });
    const entries = [...(await unwrap(store.audit.recent({ limit: 9 })))].reverse();
    expect(entries).toEqual(
      OLD_ENTRIES.map(({ intentId, orderId, detail }, index) => ({
        ...{ seq: index + 1, atMs: 1_000, account: "main", event: "stepped", intentId, orderId },
        detail: index === 4 ? { unreadable: detail } : JSON.parse(detail),
      })),
    );
    const lines: string[] = [];
    await store.audit.export((line) => lines.push(line));
    expect(lines.slice(0, 5).map((line) => (JSON.parse(line) as { detail: unknown }).detail)).toEqual(
      entries.map(({ detail }) => detail),
    );
    await unwrap(store.audit.append({ event: "after", account: "main", detail: {} }, 9_000));
    expect(await store.audit.verify()).toMatchObject({ ok: true, count: 6 });
    expect(await rows("SELECT name FROM sqlite_schema WHERE name LIKE '%unchained%'")).toEqual([]);
    await old.exec("UPDATE audit SET detail = replace(detail, '17', '18') WHERE seq = 2");
    expect(await store.audit.verify()).toMatchObject({ ok: false, seq: 2, what: "changed" });
    store.close();
  });

  it("may be empty, have a gap in its log, or a long one", async () => {
    await writeSchemaOne(old, 300);
    await old.exec("DELETE FROM audit WHERE seq BETWEEN 40 AND 60");
    const store = await open();
    expect(await store.audit.verify()).toMatchObject({ ok: true, count: 1_479 });
    expect(await unwrap(store.audit.recent({ limit: 1 }))).toMatchObject([{ seq: 1_500 }]);
    store.close();
    path = join(dir, "empty.db");
    const empty = await openConnection(path, { journal: "wal", durability: "normal", random: Math.random });
    await writeSchemaOne(empty, 0);
    const fresh = await open();
    expect(await fresh.audit.verify()).toMatchObject({ ok: true, count: 0 });
    fresh.close();
    empty.close();
  });

  it("takes no entry any more from a process of the version before that still runs", async () => {
    await writeSchemaOne(old);
    const add = () => old.transaction(({ run }) => run(OLD_AUDIT_INSERT, [1, "main", "late", null, null, "{}"]));
    await add();
    const store = await open();
    await expect(add()).rejects.toThrow(/refused a statement/);
    expect(await store.audit.verify()).toMatchObject({ ok: true, count: 6 });
    store.close();
  });

  it("is upgraded once when several processes start at the same moment", async () => {
    await writeSchemaOne(old, 200);
    const job = { role: "open", location: { path }, atMs: Date.now() + 1_000 } as const;
    for (const report of await workers.run([job, job, job, job, job])) {
      expect(report).toEqual({ ok: true, value: { path, schemaVersion: SCHEMA_VERSION } });
    }
    expect(await rows("SELECT version FROM schema_version")).toEqual(
      Array.from({ length: SCHEMA_VERSION }, (_, index) => ({ version: index + 1 })),
    );
    const store = await open();
    expect(await store.audit.verify()).toMatchObject({ ok: true, count: 1_000 });
    store.close();
  });

  it("is upgraded wholly or not at all when the process is killed at any point", async () => {
    await writeSchemaOne(old, 4_000);
    for (const killAfterMs of [0, 150, 300, 500, 800]) {
      const worker = workers.start({ role: "open", location: { path }, atMs: Date.now() });
      await sleep(100 + killAfterMs);
      await worker.kill();
      const [{ version } = {}] = await rows("SELECT max(version) AS version FROM schema_version");
      const isNew = version !== 1;
      expect(await rows("SELECT count(*) AS count FROM audit")).toEqual([{ count: 20_000 }]);
      expect(await rows("SELECT name FROM sqlite_schema WHERE name = 'brake'")).toHaveLength(isNew ? 1 : 0);
    }
    const store = await open();
    expect(await store.audit.verify()).toMatchObject({ ok: true, count: 20_000 });
    store.close();
  });
});
