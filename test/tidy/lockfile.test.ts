/** What a user is given beside the program itself: what package-lock.json does not mark as for development only. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./source.ts";

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly resolved?: string; readonly hasInstallScript?: boolean }>
  >;
}

const readLockfile = (folder: string) =>
  JSON.parse(readFileSync(join(ROOT, folder, "package-lock.json"), "utf8")) as Lockfile;

/** Native parts that `ws` takes where they lie beside it. Clients of the tests bring them, and npm likes to put them there. */
const NATIVE_OF_WS = /(^|\/)node_modules\/(bufferutil|utf-8-validate)$/;

/** Packages for users that nobody decided to give them, or that run something when they are installed. */
function unwanted({ packages }: Lockfile): string[] {
  return Object.entries(packages)
    .filter(([path, { dev, hasInstallScript }]) => !dev && (NATIVE_OF_WS.test(path) || hasInstallScript))
    .map(([path]) => path);
}

const named = ({ packages }: Lockfile): string[] => Object.keys(packages).filter((path) => packages[path]?.resolved);

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bundleDependencies?: readonly string[];
}

/** They are not the same on every machine, so that the package cannot carry them. */
const NATIVE = ["@resvg/resvg-js", "libsql"];
/** Their types stand in those of the library; its code carries its own. */
const IN_TYPES = ["@modelcontextprotocol/server", "decimal.js", "zod"];

describe("the lockfile", () => {
  it("is what is installed: the package carries all code that is not native, and names the rest exactly", () => {
    const { dependencies, bundleDependencies } = JSON.parse(
      readFileSync(join(ROOT, "package.json"), "utf8"),
    ) as Manifest;
    expect(bundleDependencies).toBeUndefined();
    expect([...NATIVE, ...IN_TYPES].sort()).toEqual(Object.keys(dependencies).sort());
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("gives users no native parts of ws, and nothing that runs when it is installed", () => {
    expect(unwanted(readLockfile("."))).toEqual([]);
  });

  it.each([".", "test/system/frameworks", "test/system/conformance"])(
    "names no registry, so that each takes their own: %s",
    (folder) => {
      expect(named(readLockfile(folder))).toEqual([]);
    },
  );
});

describe("the lockfile rules themselves", () => {
  it("catch native parts wherever they lie, install scripts and registries", () => {
    const packages = {
      "node_modules/ws": {},
      "node_modules/bufferutil": {},
      "node_modules/ws/node_modules/utf-8-validate": {},
      "node_modules/ccxt/node_modules/bufferutil": { dev: true, hasInstallScript: true },
      "node_modules/native": { hasInstallScript: true, resolved: "https://registry.example/native.tgz" },
    };
    expect(unwanted({ packages })).toEqual([
      "node_modules/bufferutil",
      "node_modules/ws/node_modules/utf-8-validate",
      "node_modules/native",
    ]);
    expect(named({ packages })).toEqual(["node_modules/native"]);
  });
});
