/** A database that was put back from a copy is noticed whatever was added since. What follows from it: test/cli/restored-home.test.ts. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { freshHome } from "../fixture/data-dir.ts";

const AT_MS = 1_000;
const CLOCK = { now: () => AT_MS, steady: () => AT_MS, sleep: async () => {} };

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
