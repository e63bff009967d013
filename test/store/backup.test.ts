/** A file is read through beside all else, by a thread where it is large, and a copy of it is sound. */
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore, type Store } from "../../src/store/index.ts";
import { quickCheck } from "../../src/store/sql/driver.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { unwrap } from "../fixture/result.ts";
import { claimOf, planIdOf } from "./plan.ts";
import { activePlan } from "./plan-suite.ts";
import type { TestStore } from "./store-suite.ts";

const parts = { clock: { now: () => 1_000, sleep: async () => {} }, random: Math.random };
const never = new AbortController().signal;

async function filled(rows: number): Promise<{ readonly store: Store<string, unknown>; readonly path: string }> {
  const path = join(freshHome(), "hoga.db");
  const store: Store<string, unknown> = await openStore({ path }, parts);
  const detail = { text: "x".repeat(20_000) };
  for (let n = 0; n < rows; n++) await unwrap(store.audit.append({ event: "noted", account: "main", detail }, n));
  return { store, path };
}

/** Over the pages in the middle of a file. */
function spoil(path: string): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(64 * 1024, 0xa5), 0, 64 * 1024, Math.floor(statSync(path).size / 2 / 4096) * 4096);
  closeSync(file);
}

it("a copy is the store as it was, sound, and the log in it goes on", async () => {
  const { store, path } = await filled(3);
  const copy = `${path}.copy`;
  closeSync(openSync(copy, "wx", 0o600));
  expect(await store.copyTo?.(copy)).toMatchObject({ head: { count: 3 }, isWhole: true });
  store.close();
  const again: Store<string, unknown> = await openStore({ path: copy }, parts);
  await unwrap(again.audit.append({ event: "noted", account: "main", detail: {} }, 9));
  expect(await again.audit.verify()).toMatchObject({ ok: true, count: 4 });
  again.close();
});

it("a copy has the plans, what may come of them and what is to be told", async () => {
  const path = join(freshHome(), "hoga.db");
  const store: TestStore = await openStore({ path }, parts);
  const told = [{ type: "plan.active", key: "1", body: {} }] as const;
  await activePlan(store.plans, 1, { notices: told });
  await unwrap(store.plans.claim(claimOf(planIdOf(1), 2)));
  const copy = `${path}.copy`;
  closeSync(openSync(copy, "wx", 0o600));
  expect(await store.copyTo?.(copy)).toMatchObject({ isWhole: true });
  const again: TestStore = await openStore({ path: copy }, parts);
  const looks = async ({ plans, notices }: TestStore) => [
    await unwrap(plans.open("main")),
    await unwrap(plans.steps(planIdOf(1), 9)),
    await unwrap(plans.children(planIdOf(1))),
    await unwrap(notices.recent({ account: "main", sinceMs: 0, limit: 9 })),
  ];
  const seen = await looks(store);
  expect(seen.map(({ length }) => length)).toEqual([1, 2, 1, 1]);
  expect(await looks(again)).toEqual(seen);
  store.close();
  again.close();
});

it("a thread reads a file through that others have open, and tells a sound one from one that is not", async () => {
  const { store, path } = await filled(50);
  await quickCheck(path, never);
  expect((await store.check()).ok).toBe(true);
  const copy = `${path}.copy`;
  closeSync(openSync(copy, "wx", 0o600));
  await store.copyTo?.(copy);
  store.close();
  spoil(copy);
  await expect(quickCheck(copy, never)).rejects.toMatchObject({ code: "damaged" });
  const ended = new AbortController();
  const looking = quickCheck(path, ended.signal);
  ended.abort();
  await expect(looking).rejects.toThrow(/abort/i);
});

it("one that has grown is looked at by the store itself in the same way", async () => {
  const { store, path } = await filled(400);
  const copy = `${path}.copy`;
  closeSync(openSync(copy, "wx", 0o600));
  await store.copyTo?.(copy);
  await store.checkBeside(never);
  store.close();
  expect(statSync(copy).size).toBeGreaterThan(4 * 1024 * 1024);
  spoil(copy);
  const spoiled: Store<string, unknown> = await openStore({ path: copy }, parts);
  await expect(spoiled.checkBeside(never)).rejects.toMatchObject({ code: "damaged" });
  spoiled.close();
});
