/** A store that is moved from its file to PostgreSQL: all of it, once, and nobody goes on with the file. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { haltPathOf, moveStore, openStore, type StoreLocation } from "../../../src/store/index.ts";
import { migrate } from "../../../src/store/schema/migrations.ts";
import { serverAddress } from "../../../src/store/sql/postgres-address.ts";
import { openServer } from "../../../src/store/sql/postgres-driver.ts";
import { oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { cleanUp, run } from "../../fixture/program.ts";
import { unwrap } from "../../fixture/result.ts";
import { keptFills, pageOf } from "../../store/fill.ts";
import { newIntent } from "../../store/intent.ts";
import { claimOf, planIdOf, watchClaim } from "../../store/plan.ts";
import { activePlan } from "../../store/plan-suite.ts";
import type { TestStore } from "../../store/store-suite.ts";

const clock = { now: () => Date.now(), sleep: async () => {} };
const lane = { limits: { callsPerSecond: 1_000, weightPerMinute: 60_000 }, leaseWaitMs: 100, leaseMs: 100 };
const call = { weight: 1, clockOffsetMs: () => 5_000_000 };

let database: PostgresDatabase;
let dir: string;
let path: string;
let url: string;
const stores: TestStore[] = [];

beforeAll(async () => {
  database = await createPostgresDatabase();
});
afterAll(async () => {
  await cleanUp();
  await database.remove();
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-move-"));
  path = join(dir, "hoga.db");
  url = database.url(database.freshSchema());
});
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
  rmSync(dir, { recursive: true });
});

async function open(location: StoreLocation): Promise<TestStore> {
  const store: TestStore = await openStore(location, { clock, random: Math.random, markDir: join(dir, "marks") });
  stores.push(store);
  return store;
}

/** libsql keeps a file open until its statements are collected; of another process that has ended, nothing is left either. */
async function closeWholly(store: TestStore): Promise<void> {
  store.close();
  stores.splice(stores.indexOf(store), 1);
  await collect();
}

async function collect(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < 3; turn++) {
    collectGarbage();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

const onServer = (): Promise<TestStore> => open({ url, haltPath: haltPathOf(path) });

/** Something in every table. @returns what has to be found again */
async function fill(store: TestStore) {
  for (let n = 0; n < 450; n++) await unwrap(store.journal.record(newIntent(`i${n}`, { createdAtMs: 7 })));
  const send = { from: ["ready"], to: "sent", nonce: "9", held: "5000", unit: "KRW" as const };
  await unwrap(
    store.journal.begin(
      "i1",
      send,
      () => undefined,
      () => 2_000,
    ),
  );
  const moved = {
    transferId: "t1",
    account: "main",
    family: "payment",
    requestKey: "r1",
    idempotencyKey: "k1",
    nonce: null,
    unit: "KRW" as const,
  };
  await unwrap(store.transfers.record({ ...moved, state: "ready", body: { to: "호가 📈" }, createdAtMs: 1 }, []));
  for (let page = 0; page < 30; page++) await unwrap(store.fills.keep("main", pageOf(page, 30), { doneToMs: 9 }));
  const { revision } = await unwrap(store.fills.progress("main"));
  const mark = { kind: "average/1", toMs: 500, count: 500, state: "{}" };
  await unwrap(store.fills.keepMark("main", mark, { revision, isLasting: true }));
  await unwrap(
    store.audit.append({ event: "odd \u0000 \u0001 \u00010", account: "a\u0000", detail: { "\u0000": "\ud800" } }, 5),
  );
  await store.pin.set("correct horse 7", 1);
  await unwrap(store.timers.arm("main", 9_000, 1_000));
  await unwrap(store.accounts.accountOf(["key/1", "exchange/1"], "main", 1));
  await unwrap(store.accounts.environmentOf("1", "live"));
  await unwrap(store.tokens.create({ name: "ci", digest: "d", scopes: ["market:read"], createdAtMs: 1 }));
  await store.inbox.keep("main", { id: "evt_1", body: "\u0000 body" }, 5_000);
  const told = [{ type: "plan.active", key: "1", body: { text: "호가 \u0000" } }] as const;
  await activePlan(store.plans, 1, { notices: told });
  await activePlan(store.plans, 2);
  await unwrap(store.plans.claim(claimOf(planIdOf(1), 2, { atMs: 7 })));
  await unwrap(store.plans.takeWatch("main", watchClaim("a", 1)));
  const gap = { account: "main", symbol: "BTC/KRW", fromMs: 1, why: "clock" } as const;
  await unwrap(store.plans.beginGap(gap, new Map(), 1));
  const pass = await store.lane(lane).enter("key", call);
  await pass.leave();
  return { nonce: pass.nonce, token: await unwrap(store.seal.sign("sealed")), log: await store.audit.verify() };
}

async function looks(store: TestStore) {
  const { journal, transfers, fills, audit, timers, accounts, tokens, plans, notices } = store;
  return {
    journal: await unwrap(journal.inStates("main", ["ready", "sent"], 1_000)),
    usage: await unwrap(journal.usage("main", 3_000)),
    transfer: await unwrap(transfers.byId("t1")),
    fills: await keptFills(fills, "main"),
    mark: await unwrap(fills.mark("main", "average/1", 1_000_000)),
    audit: await unwrap(audit.recent({ limit: 1_000 })),
    timer: await unwrap(timers.read("main")),
    account: await unwrap(accounts.accountOf(["key/1"], "other", 2)),
    label: await unwrap(accounts.environmentOf("1", "sandbox")),
    tokens: await unwrap(tokens.list()),
    plans: await unwrap(plans.open("main")),
    steps: await Promise.all([1, 2].map((n) => unwrap(plans.steps(planIdOf(n), 9)))),
    children: await unwrap(plans.children(planIdOf(1))),
    watch: await unwrap(plans.watch("main")),
    gaps: await unwrap(plans.gaps("main", 0, 9)),
    told: await unwrap(notices.recent({ account: "main", sinceMs: 0, limit: 9 })),
  };
}

it("is the same store afterwards, and goes on where it was", async () => {
  const before = await open({ path });
  const { nonce, token, log } = await fill(before);
  const seen = await looks(before);
  await closeWholly(before);
  const moved = await moveStore(path, url, 1);
  expect(moved).toMatchObject({ from: path, keptAs: `${path}.moved`, head: { count: log.count } });
  expect([existsSync(path), existsSync(`${path}.moved`)]).toEqual([false, true]);
  const after = await onServer();
  expect(after.restored).toBeUndefined();
  expect(await looks(after)).toEqual(seen);
  expect([seen.plans, seen.children, seen.gaps, seen.told].map(({ length }) => length)).toEqual([2, 1, 1, 1]);
  expect(await unwrap(after.plans.claim(claimOf(planIdOf(1), 3)))).toEqual({ blocked: "underway" });
  expect(await after.audit.verify()).toEqual(log);
  expect(await unwrap(after.seal.open(token))).toBe("sealed");
  expect(await after.pin.check("correct horse 7", 5)).toEqual({ ok: true });
  expect(await unwrap(after.killSwitch.state())).toBeUndefined();
  const pass = await after.lane(lane).enter("key", { ...call, clockOffsetMs: () => 0 });
  expect(pass.nonce).toBe(nonce + 1n);
  expect(await after.inbox.keep("main", { id: "evt_1", body: "" }, 6_000)).toBe(false);
  await after.inbox.keep("main", { id: "evt_2", body: "" }, 6_000);
  expect((await after.inbox.claim("main", 6_000, 10, 9)).map(({ seq, id, body }) => [seq, id, body])).toEqual([
    [1, "evt_1", "\u0000 body"],
    [2, "evt_2", ""],
  ]);
  await unwrap(after.journal.record(newIntent("new", { createdAtMs: 7 })));
  const last = (await unwrap(after.journal.inStates("main", ["ready"], 1_000))).at(-1);
  expect(last?.intentId).toBe("new");
  // Whoever forgets where it went is stopped.
  expect((await open({ path })).restored).toMatchObject({ why: "gone" });
});

it("keeps a halt", async () => {
  const before = await open({ path });
  const record = { reason: "enough", by: "test", atMs: 1_000 };
  await unwrap(before.killSwitch.engage(record));
  await closeWholly(before);
  await moveStore(path, url, 1);
  expect(await unwrap((await onServer()).killSwitch.state())).toEqual(record);
});

it("is not moved while another has it open, nor onto what is there already, and is as it was", async () => {
  const store = await open({ path });
  await unwrap(store.journal.record(newIntent("i1")));
  await expect(moveStore(path, url, 1)).rejects.toMatchObject({
    code: "busy",
    message: expect.stringContaining("in use"),
    fix: expect.stringContaining("Stop every hoga process"),
  });
  await closeWholly(store);
  const taken = await onServer();
  await unwrap(taken.journal.record(newIntent("theirs")));
  await expect(moveStore(path, url, 1)).rejects.toMatchObject({
    message: expect.stringContaining("Nothing was moved"),
  });
  expect(await unwrap(taken.journal.byId("i1"))).toBeUndefined();
  await collect();
  expect(await unwrap((await open({ path })).journal.byId("i1"))).toMatchObject({ state: "ready" });
  await expect(moveStore(join(dir, "none.db"), url, 1)).rejects.toThrow(/There is no store/);
});

it("lets nobody trade on what is not what left, and leaves the file as it was", async () => {
  const store = await open({ path });
  await unwrap(store.fills.keep("main", pageOf(0, 1), { doneToMs: 9 }));
  await closeWholly(store);
  const { durable } = await openServer(serverAddress(url), Math.random);
  await migrate(durable, 1);
  durable.close();
  const schema = String(new URL(url).searchParams.get("schema"));
  await database.query(`CREATE FUNCTION ${schema}.spoil() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN NEW.price := NEW.price || '0'; RETURN NEW; END $$`);
  await database.query(
    `CREATE TRIGGER spoil BEFORE INSERT ON ${schema}.fills FOR EACH ROW EXECUTE FUNCTION ${schema}.spoil()`,
  );
  await expect(moveStore(path, url, 1)).rejects.toMatchObject({ message: expect.stringContaining("rows of fills") });
  expect(await unwrap((await onServer()).killSwitch.state())).toMatchObject({
    reason: expect.stringContaining("migrate has not ended"),
  });
  expect(existsSync(path)).toBe(true);
  await collect();
  expect(await keptFills((await open({ path })).fills, "main")).not.toEqual([]);
});

it("is moved and checked by hoga store", async () => {
  const home = freshHome();
  const env = { HOGA_STORE_URL: url };
  expect(await run(["store", "migrate"], { home })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not set"),
  });
  expect((await run(["audit"], { home })).code).toBe(0);
  const checked = await run(["store", "check"], { home });
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("hoga.db can be read and written") });
  const moved = await run(["store", "migrate", "--json"], { home, env });
  expect(moved.code).toBe(0);
  expect(oneLine(moved)).toMatchObject({ to: expect.stringContaining("(schema store_"), log_rows: 0 });
  expect(oneLine(await run(["store", "check", "--json"], { home, env }))).toMatchObject({ log_is_whole: true });
  expect((await run(["store", "migrate"], { home, env })).stderr).toContain("is none to be moved");
  expect((await run(["store", "forget"], { home, env })).stderr).toContain("Use backup, check, migrate or use");
});
