/**
 * What an exchange touches: its two folders, one line in each list of names, its tests and its page. Its name stands nowhere else in `src`, so that
 * another exchange costs no more.
 */
import { expect, it } from "vitest";
import { CARDS } from "../../src/venues/index.ts";
import { readSources, type Source } from "./source.ts";

const NAMES = CARDS.map(({ name }) => name).filter((name) => name !== "hoga");

/** Where names stand besides, each with the reason. */
const LISTS: Readonly<Record<string, string>> = {
  "src/venues/registry.ts": "The only list of the exchanges that hoga trades on.",
  "src/sandbox/families.ts": "The only list of those whose API the sandbox speaks.",
  "src/cli/main.ts": "An example in what the command line says of itself.",
};

const OWN = new RegExp(`^src/(?:venues|sandbox/families)/(?:${NAMES.join("|")})/`);

function namesIn({ text }: Pick<Source, "text">): readonly string[] {
  return NAMES.filter((name) => new RegExp(name, "i").test(text));
}

const sources = readSources("src");

it("the name of an exchange stands in its folders, and in the lists", () => {
  const elsewhere = sources.filter((source) => !OWN.test(source.path) && namesIn(source).length > 0);
  expect(elsewhere.map(({ path }) => path).sort()).toEqual(Object.keys(LISTS).sort());
});

it("an exchange has two folders of its own, and names no other one there but in what it takes", () => {
  for (const name of NAMES)
    for (const folder of [`src/venues/${name}/`, `src/sandbox/families/${name}/`]) {
      const own = sources.filter(({ path }) => path.startsWith(folder));
      expect({ folder, isEmpty: own.length === 0 }).toEqual({ folder, isEmpty: false });
      const imported = own.flatMap(({ path, text }) =>
        NAMES.filter((other) => other !== name && new RegExp(`from "[^"]*/${other}/`).test(text)).map(
          (other) => `${path} takes from ${other}`,
        ),
      );
      expect(imported).toEqual([]);
    }
});

it("a name is found however it is written, and no other word", () => {
  expect(namesIn({ text: "// as Korbit does" })).toEqual(["korbit"]);
  expect(namesIn({ text: "const up = bit;" })).toEqual([]);
});
