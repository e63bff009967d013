/** The second place of a SQLite store's kill switch, which holds when the first cannot be written. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore, type Store } from "../../src/store/index.ts";
import { KillSwitchFile } from "../../src/store/safety/kill-switch-file.ts";
import { type FileConnection, openConnection } from "../../src/store/sql/driver.ts";
import { storeError } from "../../src/store/sql/store-error.ts";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";
import { createWorkers, type Workers } from "./processes.ts";
import type { Halted, HaltedOnFullDisk } from "./worker.ts";

type TestStore = Store<string, { readonly n: number }>;

const record = { reason: "enough 호가", by: "test", atMs: 1_000 };
const send = { from: ["ready"], to: "sent", nonce: "1", held: "1", unit: "KRW" as const };
const parts = { clock: { now: () => 5_000, sleep: async () => {} }, random: Math.random };
const rowRefuses = "CREATE TRIGGER refuse BEFORE INSERT ON brake BEGIN SELECT RAISE(ABORT, 'no'); END";
const rowIgnores = "CREATE TRIGGER ignore BEFORE INSERT ON brake BEGIN SELECT RAISE(IGNORE); END";

let dir: string;
let path: string;
let file: string;
let store: TestStore;
let vandal: FileConnection;
let workers: Workers;

const open = (): Promise<TestStore> => openStore({ path }, parts);

beforeAll(async () => {
  workers = await createWorkers();
});
afterAll(() => workers.end());
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "hoga-brake-"));
  path = join(dir, "hoga.db");
  file = `${path}.brake`;
  store = await open();
  vandal = await openConnection(path, { journal: "wal", durability: "normal", random: Math.random });
});
afterEach(() => {
  vandal.close();
  store.close();
  rmSync(dir, { recursive: true });
});

async function beginNew(id: string, on = store): Promise<unknown> {
  await unwrap(on.journal.record(newIntent(id)));
  return unwrap(
    on.journal.begin(
      id,
      send,
      ({ killSwitch: brake }) => brake,
      () => 2_000,
    ),
  );
}
const unreadable = { by: "hoga", atMs: 5_000, reason: expect.stringContaining("cannot be read") };

describe("the file", () => {
  it("has its whole size from the beginning, belongs to the user, and stays in place", async () => {
    const before = statSync(file);
    expect(before.size).toBe(4_096);
    expect(before.mode & 0o777).toBe(0o600);
    await unwrap(store.killSwitch.engage({ reason: "호".repeat(10_000), by: "\u0000".repeat(1_000), atMs: 1 }));
    expect(new KillSwitchFile(file).read()).toMatchObject({ says: "on", record: { reason: "호".repeat(500) } });
    await unwrap(store.killSwitch.release());
    const after = statSync(file);
    expect({ size: after.size, inode: after.ino }).toEqual({ size: 4_096, inode: before.ino });
    expect(readdirSync(dir).filter((name) => name.includes("brake"))).toEqual(["hoga.db.brake"]);
    expect(readFileSync(file, "utf8")).toContain('{"brake":"off"}');
  });

  it("is not made for a store in memory, whose kill switch works without", async () => {
    const inMemory = await openStore<string, { readonly n: number }>({ memory: true }, parts);
    await unwrap(inMemory.killSwitch.engage(record));
    expect(await unwrap(inMemory.killSwitch.state())).toEqual(record);
    await unwrap(inMemory.killSwitch.release());
    expect(await unwrap(inMemory.killSwitch.state())).toBeUndefined();
    inMemory.close();
    expect(existsSync(":memory:.brake")).toBe(false);
  });
});

describe("the kill switch with one of its places out of order", () => {
  it.each([
    ["refuses", rowRefuses],
    ["ignores it", rowIgnores],
    ["is gone", "DROP TABLE brake"],
  ])("goes on when the row %s", async (_, damage) => {
    await vandal.exec(damage);
    await unwrap(store.killSwitch.engage(record));
    expect(await unwrap(store.killSwitch.state())).toEqual(record);
    expect(await beginNew("i1")).toEqual({ refused: record });
    const other = await open();
    expect(await unwrap(other.killSwitch.state())).toEqual(record);
    other.close();
  });

  it.each([
    ["a directory", () => mkdirSync(file)],
    ["of another size", () => writeFileSync(file, "brake off")],
    ["empty", () => writeFileSync(file, "")],
    ["missing", () => {}],
  ])("goes on when the file is %s", async (_, prepare) => {
    rmSync(file);
    prepare();
    await unwrap(store.killSwitch.engage(record));
    expect(await unwrap(store.killSwitch.state())).toEqual(record);
    expect(await beginNew("i1")).toEqual({ refused: record });
  });

  it.each([rowRefuses, rowIgnores])(
    "says so when neither can be written, so orders are not stopped: %s",
    async (damage) => {
      await vandal.exec(damage);
      rmSync(file);
      mkdirSync(file);
      expect(await store.killSwitch.engage(record)).toMatchObject({
        ok: false,
        fault: { code: "ELocal:Store unavailable", nextAction: expect.stringContaining("not on") },
      });
    },
  );

  it("stays on until both are released", async () => {
    await unwrap(store.killSwitch.engage(record));
    await vandal.exec("CREATE TRIGGER keep BEFORE DELETE ON brake BEGIN SELECT RAISE(ABORT, 'no'); END");
    await expect(unwrap(store.killSwitch.release())).rejects.toThrow(/refused a statement/);
    expect(await unwrap(store.killSwitch.state())).toEqual(record);
    await vandal.exec("DROP TRIGGER keep");
    rmSync(file);
    mkdirSync(file);
    expect(await store.killSwitch.release()).toMatchObject({ ok: false, fault: { code: "ELocal:Store unavailable" } });
    expect(await unwrap(store.killSwitch.state())).toMatchObject(unreadable);
    rmSync(file, { recursive: true });
    await unwrap(store.killSwitch.release());
    expect(await unwrap(store.killSwitch.state())).toBeUndefined();
    expect(await beginNew("i1")).toHaveProperty("begun");
  });

  it("does not hang on a lock that another process keeps", async () => {
    expect(vandal.holdLock()).toBe(true);
    const startedAt = performance.now();
    await unwrap(store.killSwitch.engage(record));
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(await unwrap(store.killSwitch.state())).toEqual(record);
  });
});

describe("a kill switch that cannot be read", () => {
  it.each([
    ["a missing file", () => rmSync(file)],
    ["an empty file", () => truncateSync(file, 0)],
    ["half a file", () => truncateSync(file, 70)],
    ["bytes of something else", () => writeFileSync(file, Buffer.alloc(4_096, 7))],
    ["an end that is missing", () => truncateSync(file, 4_095)],
    ["a state of another version", () => writeFileSync(file, stateOf({ brake: "half" }))],
    ["a record of another form", () => writeFileSync(file, stateOf({ brake: "on", reason: 5 }))],
  ])("counts as on: %s", async (_, damage) => {
    damage();
    expect(await unwrap(store.killSwitch.state())).toMatchObject(unreadable);
    expect(await beginNew("i1")).toMatchObject({ refused: { ...unreadable, atMs: 2_000 } });
    expect((await unwrap(store.journal.usage("main", 2_000))).killSwitch).toMatchObject({
      reason: expect.stringContaining(file),
    });
    await unwrap(store.killSwitch.release());
    expect(await unwrap(store.killSwitch.state())).toBeUndefined();
  });

  it.each([
    ["its table gone", "DROP TABLE brake"],
    ["its column gone", "ALTER TABLE brake RENAME COLUMN reason TO why"],
    ["bytes that are no text", "INSERT INTO brake VALUES (1, CAST(x'61ff' AS TEXT), 'x', 1)"],
  ])("counts as on: a row with %s", async (_, damage) => {
    await vandal.exec(damage);
    expect(await unwrap(store.killSwitch.state())).toMatchObject(unreadable);
    expect(await beginNew("i1")).toMatchObject({ refused: { ...unreadable, atMs: 2_000 } });
  });

  it("is on for every byte of the file that changes while it is on", async () => {
    await unwrap(store.killSwitch.engage(record));
    await vandal.exec("DELETE FROM brake");
    const bytes = readFileSync(file);
    for (let at = 0; at < 200; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 4;
      writeFileSync(file, changed);
      expect({ at, brake: await unwrap(store.killSwitch.state()) }).toMatchObject({
        brake: { by: expect.any(String) },
      });
    }
  });

  it("shows the place that can be read rather than the one that cannot", async () => {
    await unwrap(store.killSwitch.engage(record));
    truncateSync(file, 0);
    expect(await unwrap(store.killSwitch.state())).toEqual(record);
  });
});

const stateOf = (state: object): string => JSON.stringify(state).padEnd(4_096);

it("a halt in the file only lets no order begin after that in any other process", async () => {
  await vandal.exec(rowRefuses);
  const location = { path };
  const trading = ["a", "b", "c"].map((prefix) => workers.start({ role: "begin-until-halted", location, prefix }));
  await Promise.all(trading.map((worker) => worker.first));
  const [engagedAtUs] = await workers.run<number>([{ role: "engage", location, by: "process" }]);
  for (const worker of trading) {
    await expect.poll(() => worker.told.length, { timeout: 10_000 }).toBe(2);
    const { lastBegunAtUs, brake } = worker.told[1] as Halted;
    expect(lastBegunAtUs).toBeLessThan(engagedAtUs ?? 0);
    expect(brake).toMatchObject({ by: "process" });
  }
});

it("a halt in the file only stops everybody at once, and is on when a begin that looked before has ended", async () => {
  await vandal.exec(rowRefuses);
  await unwrap(store.journal.record(newIntent("i1")));
  // As a begin of another process does.
  expect(vandal.holdLock()).toBe(true);
  let isEngaged = false;
  const engaging = unwrap(store.killSwitch.engage(record)).then(() => {
    isEngaged = true;
  });
  expect(await unwrap(store.killSwitch.state())).toEqual(record);
  await sleep(300);
  expect(isEngaged).toBe(false);
  vandal.close();
  await engaging;
  expect(await beginNew("i2")).toEqual({ refused: record });
});

/** Of the system, not of a package. */
const system = { mount: "mount", unmount: "umount" };

/** Memory of this size as a disk, where this user may have that. */
function smallDisk(at: string): boolean {
  mkdirSync(at);
  try {
    execFileSync(system.mount, ["-t", "tmpfs", "-o", "size=1m", "tmpfs", at], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("on a disk without space", () => {
  const brake = { reason: "disk is full", by: "test", atMs: 7 };

  /** What is found by the next to open it; without a row, else this was not about the file. */
  async function foundLater(at: string): Promise<object> {
    const connection = await openConnection(at, { journal: "wal", durability: "full", random: Math.random });
    const rowsOfBrake = await connection.single(({ all }) => all("SELECT * FROM brake", []));
    connection.close();
    const later: TestStore = await openStore({ path: at }, parts);
    const state = await unwrap(later.killSwitch.state());
    later.close();
    return { rowsOfBrake, state };
  }

  it("goes on, when no file may grow", async () => {
    const at = join(dir, "limited", "hoga.db");
    const worker = workers.start({ role: "halt-on-full-disk", location: { path: at } }, 512 * 1_024);
    const told = (await worker.first) as HaltedOnFullDisk;
    expect(told).toEqual({ writing: storeError("io_error", at).message, brake, begun: { refused: brake } });
    expect(await foundLater(at)).toEqual({ rowsOfBrake: [], state: brake });
  });

  it("goes on, when the disk is full", async () => {
    const disk = join(dir, "disk");
    const isMounted = smallDisk(disk);
    try {
      const at = join(disk, "hoga.db");
      // Where no disk may be made, the limit above stands for it.
      const worker = workers.start(
        { role: "halt-on-full-disk", location: { path: at } },
        isMounted ? undefined : 512 * 1_024,
      );
      const told = (await worker.first) as HaltedOnFullDisk;
      const writing = storeError(isMounted ? "disk_full" : "io_error", at).message;
      expect(told).toEqual({ writing, brake, begun: { refused: brake } });
      expect(await foundLater(at)).toEqual({ rowsOfBrake: [], state: brake });
    } finally {
      if (isMounted) execFileSync(system.unmount, ["--lazy", disk]);
    }
  });
});

it("opens a store whose file cannot be made, with the kill switch on", async () => {
  const alone = join(dir, "lone.db");
  mkdirSync(`${alone}.brake`);
  const lone: TestStore = await openStore({ path: alone }, parts);
  expect(await beginNew("i1", lone)).toMatchObject({ refused: { reason: expect.stringContaining("EISDIR") } });
  lone.close();
});
