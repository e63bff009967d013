/** The scripts of package.json run where npm does: its shell is `cmd` on Windows, which knows a program with its words, and `&&`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./source.ts";

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;

interface Installed {
  readonly name: string;
  readonly bin?: string | Readonly<Record<string, string>>;
}

/** What `node_modules/.bin` has of packages that are named. */
function programs(): readonly string[] {
  return Object.keys(manifest.devDependencies).flatMap((name) => {
    const { bin = {} } = JSON.parse(
      readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8"),
    ) as Installed;
    return typeof bin === "string" ? [name] : Object.keys(bin);
  });
}

const KNOWN = new Set(["node", "npm", ...programs()]);

/** @returns what a shell of another system would not understand in it; undefined where there is nothing */
function foreignIn(script: string): string | undefined {
  for (const command of script.split(" && ")) {
    const [program = "", ...words] = command.split(" ");
    if (!KNOWN.has(program)) return program;
    // A `!` or `*` is expanded by no shell where it stands here, and a `$`, a quote or a `%` by some.
    const foreign = words.find((word) => !/^[\w@:,./=!*-]+$/.test(word));
    if (foreign !== undefined) return foreign;
  }
  return undefined;
}

describe("the scripts of package.json", () => {
  it.each(Object.entries(manifest.scripts))("have nothing of one system's shell: %s", (_name, script) => {
    expect(foreignIn(script)).toBeUndefined();
  });

  it("run nothing where the package is installed", () => {
    expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  });
});

describe("the rule itself", () => {
  it.each([
    ["CONSOLA_LEVEL=1 rolldown a.ts", "CONSOLA_LEVEL=1"],
    ["rm -rf dist", "rm"],
    ["node -e 'fs'", "'fs'"],
    ["for each in a b; do npm run $each; done", "for"],
    ["node a.mjs > out.txt", ">"],
    ["node a.mjs || exit 1", "||"],
    ["npm run a && cp a b", "cp"],
  ])("finds %s", (script, foreign) => {
    expect(foreignIn(script)).toBe(foreign);
  });
});
