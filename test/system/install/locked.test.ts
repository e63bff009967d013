/**
 * What `npm install` of the package brings is what package-lock.json has, version by version: what was tested and looked through is what runs.
 * It is packed and installed by npm itself; what is native comes from the registry, and nothing is run while it is installed.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CLI } from "../../fixture/program.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const SHIPPED = ["package-lock.json", "skills", "CHANGELOG.md", "README.md", "LICENSE"];

interface Manifest {
  readonly version?: string;
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
interface Locked {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
}

const jsonAt = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const npm = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 280_000 });

let dir: string;
let installed: string;
let packed: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-installed-"));
  [packed, installed] = [join(dir, "packed"), join(dir, "installed")];
  for (const made of [packed, installed]) mkdirSync(made);
  for (const name of SHIPPED) cpSync(join(ROOT, name), join(packed, name), { recursive: true });
  cpSync(dirname(CLI), join(packed, "dist"), { recursive: true });
  // All as it is packed, but for the build: the program is built already, and others use it.
  const manifest = jsonAt<Manifest>(join(ROOT, "package.json"));
  const { prepare: _build, ...scripts } = manifest.scripts;
  writeFileSync(join(packed, "package.json"), JSON.stringify({ ...manifest, scripts }));
  npm(packed, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund");
  npm(packed, "pack", "--pack-destination", dir);
  writeFileSync(join(installed, "package.json"), '{ "private": true }');
  const [tarball = ""] = readdirSync(dir).filter((name) => name.endsWith(".tgz"));
  npm(installed, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", join(dir, tarball));
}, 300_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Version by path below node_modules, of all that is on disk. */
function versionsIn(modules: string, at = "node_modules"): ReadonlyMap<string, string> {
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  const packages = names.flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
  const found = new Map<string, string>();
  for (const name of packages) {
    const [path, place] = [join(modules, name), `${at}/${name}`];
    found.set(place, jsonAt<Manifest>(join(path, "package.json")).version ?? "");
    const below = join(path, "node_modules");
    if (existsSync(below))
      for (const [inner, version] of versionsIn(below, `${place}/node_modules`)) found.set(inner, version);
  }
  return found;
}

/** By name, wherever npm has put it. */
const byName = (paths: ReadonlyMap<string, string>): ReadonlySet<string> =>
  new Set([...paths].map(([path, version]) => `${path.split("node_modules/").at(-1)}@${version}`));

it("an installed package has the versions of the lock, all of them and nothing for development", () => {
  const { packages } = jsonAt<Locked>(join(ROOT, "package-lock.json"));
  const kept = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  const locked = byName(new Map(kept.map(([path, { version = "" }]) => [path, version])));
  const found = versionsIn(join(installed, "node_modules"));
  const own = [...byName(found)].filter((each) => !/^hoga@/.test(each));
  expect(own.filter((each) => !locked.has(each))).toEqual([]);
  const { dependencies } = jsonAt<Manifest>(join(ROOT, "package.json"));
  for (const [name, version] of Object.entries(dependencies)) expect(own).toContain(`${name}@${version}`);
  expect(own.length).toBeGreaterThan(60);
});

it("starts", () => {
  const hoga = join(installed, "node_modules", "hoga", "dist", "cli.js");
  expect(execFileSync(process.execPath, [hoga, "--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
});
