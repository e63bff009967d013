/** A database that was put back from a copy is noticed whatever was added since. What follows from it: test/cli/restored-home.test.ts. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createAudit } from "../../src/store/audit/audit.ts";
import { findContinuity } from "../../src/store/audit/high-water-mark.ts";
import { openStore } from "../../src/store/index.ts";
import type { Connection } from "../../src/store/sql/connection.ts";
import { openConnection } from "../../src/store/sql/driver.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";

const markIn = (dir: string): string => readdirSync(dir).find((name) => name.endsWith(".mark")) ?? "";

const AT_MS = 1_000;
const CLOCK = { now: () => AT_MS, rising: () => AT_MS, sleep: async () => {} };

it("a step that stands in the log alone, such as a halt, is known to be missing from a copy", async () => {
  const [directory, markDir] = [freshHome(), freshHome()];
  const path = join(directory, "hoga.db");
  const open = () => openStore({ path }, { clock: CLOCK, random: Math.random, markDir });
  (await open()).close();
  const copy = new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]));
  const store = await open();
  expect(store.restored).toBeUndefined();
  expect(await store.audit.append({ event: "halted", account: "paper", detail: {} }, AT_MS)).toMatchObject({
    ok: true,
  });
  store.close();
  for (const name of readdirSync(directory)) if (!copy.has(name)) rmSync(join(directory, name));
  for (const [name, bytes] of copy) writeFileSync(join(directory, name), bytes);
  const again = await open();
  expect(again.restored).toMatchObject({ why: "older", rowsBefore: 1, rowsNow: 0 });
  again.close();
});

it("another process that goes on while the log's head is on its way here is no sign of a copy", async () => {
  const [directory, markDir] = [freshHome(), freshHome()];
  const path = join(directory, "hoga.db");
  (await openStore({ path }, { clock: CLOCK, random: Math.random, markDir })).close();
  const name = markIn(markDir);
  const real = await openConnection(path, { journal: "wal", durability: "full", random: Math.random });
  let moved = 0;
  // As a server answers: after it, and before the answer is here, the other one commits and notes it.
  const slow: Connection = {
    path,
    closed: false,
    catalog: real.catalog,
    waitingMs: () => 0,
    transaction: (work, limit) => real.transaction(work, limit),
    single: (work, limit) =>
      real.single(function* (statements) {
        return yield* work({
          ...statements,
          *get(sql, values) {
            const row = yield* statements.get(sql, values);
            if (sql.includes("audit_head")) {
              moved += 1;
              writeFileSync(join(markDir, name), JSON.stringify({ count: 1, seq: 1, hash: "h" }));
            }
            return row;
          },
        });
      }, limit),
    close: () => real.close(),
  };
  const audit = createAudit(real);
  const found = await findContinuity(slow, { path, standsAt: path, markDir, randomBytes, audit, nowMs: AT_MS });
  expect(moved).toBeGreaterThan(0);
  expect(found.restored).toBeUndefined();
  found.close();
  real.close();
});

it("is not moved by a row that may still be lost, and by the next that is on disk for both", async () => {
  const [directory, markDir] = [freshHome(), freshHome()];
  const path = join(directory, "hoga.db");
  const store = await openStore({ path }, { clock: CLOCK, random: Math.random, markDir });
  const name = markIn(markDir);
  const marked = () => (JSON.parse(readFileSync(join(markDir, name), "utf8")) as { readonly count: number }).count;
  const step = { account: "paper", orderId: "o", event: "cancel", detail: {}, change: () => undefined };
  const counts = [];
  for (const lazy of [false, true, true, false]) {
    expect((await store.journal.step({ ...step, lazy }, AT_MS)).ok).toBe(true);
    counts.push(marked());
  }
  expect(counts).toEqual([1, 1, 1, 4]);
  store.close();
});

it("a power cut that takes what was not waited for leaves a log that ends earlier, and is no sign of a copy", async () => {
  const [directory, markDir, after] = [freshHome(), freshHome(), freshHome()];
  const [path, log] = [join(directory, "hoga.db"), join(directory, "hoga.db-wal")];
  const open = (at: string) => openStore({ path: at }, { clock: CLOCK, random: Math.random, markDir });
  const store = await open(path);
  await unwrap(store.journal.record(newIntent("i1", { orderId: "o1", state: "open" })));
  const step = { account: "main", orderId: "o1", detail: {} };
  const asked = { ...step, event: "cancel_requested", change: () => ({ from: ["open"], to: "cancel_requested" }) };
  await unwrap(store.journal.step(asked, AT_MS));
  const { size } = statSync(log);
  const change = () => ({ from: ["cancel_requested"], to: "canceled" });
  await unwrap(store.journal.step({ ...step, event: "ended", change, concludes: true, lazy: true }, AT_MS));
  expect(await unwrap(store.journal.byOrderId("main", "o1"))).toMatchObject({ state: "canceled" });
  writeFileSync(join(after, "hoga.db"), readFileSync(path), { mode: 0o600 });
  writeFileSync(join(after, "hoga.db-wal"), readFileSync(log).subarray(0, size), { mode: 0o600 });
  const again = await open(join(after, "hoga.db"));
  expect(again.restored).toBeUndefined();
  expect(await again.audit.verify()).toMatchObject({ ok: true, count: 3 });
  expect(await unwrap(again.journal.byOrderId("main", "o1"))).toMatchObject({ state: "cancel_requested" });
  again.close();
  store.close();
});

it("a process that begins tells nothing of rows that may still be lost, such as another's a moment ago", async () => {
  const [directory, markDir, after] = [freshHome(), freshHome(), freshHome()];
  const [path, log] = [join(directory, "hoga.db"), join(directory, "hoga.db-wal")];
  const open = (at: string) => openStore({ path: at }, { clock: CLOCK, random: Math.random, markDir });
  const store = await open(path);
  const step = { account: "main", orderId: "o1", detail: {}, change: () => undefined };
  await unwrap(store.journal.step({ ...step, event: "cancel_requested" }, AT_MS));
  const { size } = statSync(log);
  await unwrap(store.journal.step({ ...step, event: "cancel_ended_canceled", lazy: true }, AT_MS));
  const other = await open(path);
  // A power cut takes what was not waited for.
  writeFileSync(join(after, "hoga.db"), readFileSync(path), { mode: 0o600 });
  writeFileSync(join(after, "hoga.db-wal"), readFileSync(log).subarray(0, size), { mode: 0o600 });
  const again = await open(join(after, "hoga.db"));
  expect(again.restored).toBeUndefined();
  for (const each of [again, other, store]) each.close();
});

it("a process that runs on while its log is put back writes nothing more, and leaves the mark to the next start", async () => {
  const [directory, markDir] = [freshHome(), freshHome()];
  const path = join(directory, "hoga.db");
  const open = () => openStore({ path }, { clock: CLOCK, random: Math.random, markDir });
  const store = await open();
  const append = () => store.audit.append({ event: "halted", account: "", detail: {} }, 1);
  for (let entries = 0; entries < 3; entries++) expect((await append()).ok).toBe(true);
  const other = await openConnection(path, { journal: "wal", durability: "full", random: Math.random });
  await other.transaction(function* ({ run }) {
    yield* run("DELETE FROM audit WHERE seq = 3", []);
    yield* run("UPDATE audit_head SET count = 2, seq = 2, hash = (SELECT hash FROM audit WHERE seq = 2)", []);
  });
  other.close();
  for (let again = 0; again < 2; again++)
    expect(await append()).toMatchObject({ fault: { message: expect.stringContaining("lacks what this process") } });
  // Whoever asks whether an order could leave is told the same.
  const writable = await store.journal.writable();
  expect(writable).toMatchObject({ fault: { message: expect.stringContaining("lacks what this process") } });
  store.close();
  const next = await open();
  expect(next.restored).toMatchObject({ why: "older", rowsBefore: 3, rowsNow: 2 });
  next.close();
});

it("vouches since the first start with a mark, and anew where that is lost, tells nothing, or the store was put back", async () => {
  const [directory, markDir] = [freshHome(), freshHome()];
  const path = join(directory, "hoga.db");
  const start = async (atMs: number, marks: string | undefined = markDir): Promise<number | undefined> => {
    const clock = { ...CLOCK, now: () => atMs };
    const store = await openStore({ path }, { clock, random: Math.random, ...(marks && { markDir: marks }) });
    await store.restored?.accept(atMs);
    await store.audit.append({ event: "step", account: "a", detail: {} }, atMs);
    const sinceMs = store.vouchedSinceMs();
    store.close();
    return sinceMs;
  };
  expect([await start(1_000), await start(2_000)]).toEqual([1_000, 1_000]);
  for (const name of readdirSync(markDir)) rmSync(join(markDir, name));
  expect([await start(3_000), await start(4_000)]).toEqual([3_000, 3_000]);
  const copy = new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]));
  expect(await start(5_000)).toBe(3_000);
  for (const name of readdirSync(directory)) if (!copy.has(name)) rmSync(join(directory, name));
  for (const [name, bytes] of copy) writeFileSync(join(directory, name), bytes);
  expect([await start(6_000), await start(7_000)]).toEqual([6_000, 6_000]);
  // A mark as an older version wrote it.
  for (const name of readdirSync(markDir)) {
    const { sinceMs: _, ...mark } = JSON.parse(readFileSync(join(markDir, name), "utf8")) as { sinceMs: number };
    writeFileSync(join(markDir, name), JSON.stringify(mark));
  }
  expect([await start(8_000), await start(9_000)]).toEqual([8_000, 8_000]);
  // What is kept beside the store was put back with it.
  expect([await start(10_000, directory), await start(11_000, directory)]).toEqual([10_000, 11_000]);
});
