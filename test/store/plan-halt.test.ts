/** What is said of plans in the log, and what holds of them where the log is not to be had: of a store in a file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { openConnection } from "../../src/store/sql/driver.ts";
import { unwrap } from "../fixture/result.ts";
import { approvalOf, claimOf, DAY_MS, EXCHANGE_MS, newPlan, planIdOf, settled } from "./plan.ts";
import type { TestStore } from "./store-suite.ts";

const halt = { reason: "enough", by: "test", atMs: 5 };
const clock = { now: () => 1_000, sleep: async () => {} };
const admitAll = () => undefined;
const id = planIdOf(1);
let dir: string;
let path: string;
let store: TestStore;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "hoga-plans-"));
  path = join(dir, "hoga.db");
  store = await openStore({ path }, { clock, random: () => 0.5 });
  await unwrap(store.plans.record(newPlan(1), admitAll));
  await unwrap(store.plans.approve(approvalOf(id), admitAll));
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

async function tamper(sql: string): Promise<void> {
  const connection = await openConnection(path, { journal: "wal", durability: "full", random: () => 0.5 });
  await connection.exec(sql);
  connection.close();
}

async function rows(sql: string): Promise<readonly object[]> {
  const connection = await openConnection(path, { journal: "wal", durability: "full", random: () => 0.5 });
  const found = await connection.single(({ all }) => all(sql, []));
  connection.close();
  return found;
}

describe("a halt whose log cannot be written", () => {
  it("holds, and what it could not pause begins nothing until the release has paused it", async () => {
    await unwrap(store.plans.claim(claimOf(id, 2)));
    await tamper("ALTER TABLE audit RENAME TO audit_gone");
    expect(await unwrap(store.killSwitch.engage(halt))).toEqual([]);
    expect(await unwrap(store.killSwitch.state())).toEqual(halt);
    // Not by its file alone: whoever shares the store elsewhere has no other sign.
    expect(await rows("SELECT reason FROM brake")).toEqual([{ reason: "enough" }]);
    expect(await unwrap(store.plans.byId(id))).toMatchObject({ state: "active", version: 3 });
    expect((await store.killSwitch.release()).ok).toBe(false);
    expect(await unwrap(store.killSwitch.state())).toEqual(halt);
    await tamper("ALTER TABLE audit_gone RENAME TO audit");
    await unwrap(store.killSwitch.release());
    expect(await unwrap(store.killSwitch.state())).toBeUndefined();
    expect(await unwrap(store.plans.byId(id))).toMatchObject({ state: "paused", version: 4, openStep: 1 });
    expect(await store.audit.verify()).toMatchObject({ ok: true });
  });
});

describe("a halt beside a plan that cannot be read", () => {
  it("holds all the same", async () => {
    await tamper("UPDATE plans SET terms = '{'");
    await unwrap(store.killSwitch.engage(halt));
    expect(await rows("SELECT reason FROM brake")).toEqual([{ reason: "enough" }]);
  });
});

describe("a plan that was changed beside the log", () => {
  it.each([
    ["its state", "UPDATE plans SET state = 'paused'"],
    ["its version", "UPDATE plans SET version = 7"],
    ["its bounds", `UPDATE plans SET mandate = replace(mandate, '"20000"', '"90000"')`],
    ["its terms", `UPDATE plans SET terms = replace(terms, '"10000"', '"90000"')`],
    ["that it is there", "DELETE FROM plans"],
    [
      "that it was ever recorded",
      "INSERT INTO plans SELECT plan_id || 'x', account, kind, symbol, state, version, terms, mandate, progress, asked, protects, volume, open_step, replaces, until_ms, created_at_ms, updated_at_ms, ended_at_ms FROM plans",
    ],
  ])("is found, by %s", async (_, sql) => {
    expect(await store.audit.verify()).toMatchObject({ ok: true });
    await tamper(sql);
    expect(await store.audit.verify()).toMatchObject({ ok: false, what: "intent" });
  });
});

describe("a step that was changed beside the log", () => {
  it.each([
    ["its state, so that it would be taken again", "UPDATE plan_steps SET state = 'planned' WHERE step = 1"],
    ["what became of it", "UPDATE plan_steps SET state = 'done' WHERE step = 1"],
    ["its order", "UPDATE plan_steps SET intent_id = 'another' WHERE step = 1"],
    ["that it is there", "DELETE FROM plan_steps WHERE step = 1"],
    ["that another is under way", "UPDATE plan_steps SET state = 'done' WHERE step = 2"],
  ])("is found, by %s", async (_, sql) => {
    await unwrap(store.plans.claim(claimOf(id, 2)));
    await unwrap(store.plans.settleStep(settled(id, 3, { to: "unknown", why: "no answer" })));
    expect(await store.audit.verify()).toMatchObject({ ok: true });
    await unwrap(store.plans.settleStep(settled(id, 4, { to: "rejected" })));
    await unwrap(store.plans.claim(claimOf(id, 5, { step: 2, exchangeMs: EXCHANGE_MS + DAY_MS })));
    expect(await store.audit.verify()).toMatchObject({ ok: true });
    await tamper(sql);
    expect(await store.audit.verify()).toMatchObject({ ok: false, what: "intent" });
  });
});
