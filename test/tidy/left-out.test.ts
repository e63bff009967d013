/**
 * The desk's suite runs over other exchanges too: what is left out there is counted, so that nothing is left out silently. A figure may fall; one that
 * rises needs a test of its own that tells the same where the trait is missing.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CARDS } from "../../src/venues/index.ts";
import { AT_UPBIT_LATER, EVERYWHERE, HERE_ALONE, WHERE_IT_APPEARS_LATE } from "../desk/at-exchanges.ts";
import { TRAITS, type Trait } from "../fixture/venue-trait.ts";
import { ROOT, readSources, type Source } from "./source.ts";

/** Declarations of tests in the files that run over other exchanges; one with a table counts once. */
const LEFT_OUT: Readonly<Record<Trait, number>> = {
  proof: 34,
  names: 5,
  told: 6,
  both_sizes: 1,
  one_list: 1,
  patient: 4,
  conditions: 1,
  timer: 1,
  words: 11,
};

const NEED = /\.runIf\(has\("(\w+)"\)\)/g;

function needs({ text }: Pick<Source, "text">): readonly string[] {
  return Array.from(text.matchAll(NEED), ([, trait = ""]) => trait);
}

const fileOf = ({ path }: Source): string => path.replace(/^test\/desk\/|\.test\.ts$/g, "");
const suite = readSources("test/desk").filter(
  ({ path, text }) => path.endsWith(".test.ts") && /fixture\/(desk-over-sandbox|world-per-test)\.ts"/.test(text),
);
const elsewhere: readonly string[] = [...EVERYWHERE, ...WHERE_IT_APPEARS_LATE, ...AT_UPBIT_LATER];

it("what the desk's suite leaves out over other exchanges is what is counted here", () => {
  const left = suite.filter((source) => elsewhere.includes(fileOf(source))).flatMap(needs);
  const counted = Object.fromEntries(Object.keys(TRAITS).map((trait) => [trait, 0]));
  for (const trait of left) counted[trait] = (counted[trait] ?? Number.NaN) + 1; // not money: a count
  expect(counted).toEqual(LEFT_OUT);
});

it("a test that needs a trait is found, and one with another condition is not", () => {
  expect(needs({ text: 'it.runIf(has("told"))("a", f); it.runIf(has("proof")).each([1])("b", f);' })).toEqual([
    "told",
    "proof",
  ]);
  expect(needs({ text: 'it.runIf(isLinux)("a", f); if (has("timer")) stop();' })).toEqual([]);
});

it("every file of the suite either runs over other exchanges or says why not", () => {
  const placed = [...elsewhere, ...Object.keys(HERE_ALONE)];
  expect(new Set(placed).size).toBe(placed.length);
  expect(suite.map(fileOf).filter((file) => !placed.includes(file))).toEqual([]);
  expect(placed.filter((file) => !existsSync(join(ROOT, "test/desk", `${file}.test.ts`)))).toEqual([]);
});

it("each trait is one that the specified exchange has, or its other API, and that another lacks", () => {
  const [hoga, ...others] = CARDS;
  if (hoga === undefined) throw new Error("there are no cards");
  const traits = Object.entries(TRAITS);
  expect(traits.filter(([, isIn]) => !isIn({ ...hoga, cancel_timer: true }))).toEqual([]);
  expect(traits.filter(([, isIn]) => others.every(isIn))).toEqual([]);
});
