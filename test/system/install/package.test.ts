/**
 * The package as a stranger gets it: what is in it, what comes with it, and that all of it runs. What was tested and looked through is what
 * is installed, version by version. Source: decision 0096.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../../fixture/program.ts";
import { listedTools } from "./listed-tools.ts";
import { jsonAt, Packed, ROOT } from "./packed.ts";

interface Manifest {
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}
interface Locked {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
}

const MEGABYTE = 1_000_000;
const manifest = jsonAt<Manifest>(join(ROOT, "package.json"));
const { typescript, "@types/node": nodeTypes } = manifest.devDependencies;

let packed: Packed;
let installed: string;
let hoga: string;

beforeAll(() => {
  packed = new Packed();
  installed = packed.install("installed");
  hoga = join(installed, "node_modules", "hoga");
}, 300_000);
afterAll(async () => {
  packed?.remove();
  await cleanUp();
});

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const bytesOf = (files: readonly string[]): number => files.reduce((sum, file) => sum + statSync(file).size, 0);

/** Version by path below node_modules, of all that is on disk. */
function versionsIn(modules: string, at = "node_modules"): ReadonlyMap<string, string> {
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  const packages = names.flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
  const found = new Map<string, string>();
  for (const name of packages) {
    const [path, place] = [join(modules, name), `${at}/${name}`];
    found.set(place, jsonAt<Manifest>(join(path, "package.json")).version);
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
  const own = [...byName(versionsIn(join(installed, "node_modules")))].filter((each) => !/^hoga@/.test(each));
  expect(own.filter((each) => !locked.has(each))).toEqual([]);
  for (const [name, version] of Object.entries(manifest.dependencies)) expect(own).toContain(`${name}@${version}`);
});

describe("the package", () => {
  it("is at most 3.6 MB packed and 90 MB installed", () => {
    expect(statSync(packed.tarball).size).toBeLessThan(3.6 * MEGABYTE);
    expect(bytesOf(filesBelow(join(installed, "node_modules")))).toBeLessThan(90 * MEGABYTE);
  });

  it("has no source maps, nothing of the build's own, and the licences of all whose code it carries", () => {
    const files = filesBelow(hoga).map((file) => file.slice(hoga.length + 1));
    expect(files.filter((file) => /\.map$|made-of|\.tsbuildinfo$/.test(file))).toEqual([]);
    const licences = readFileSync(join(hoga, "dist", "LICENSES.txt"), "utf8");
    for (const name of ["undici", "jose", "pg", "ws", "zod"]) expect(licences).toMatch(new RegExp(`^${name} \\d`, "m"));
    expect(readFileSync(join(hoga, "dist", "LICENSES-drawing.txt"), "utf8")).toMatch(/^echarts \d/m);
  });

  it("runs nothing when it is installed", () => {
    const names = [...versionsIn(join(installed, "node_modules")).keys()];
    const running = names.filter((name) => {
      const { scripts = {} } = jsonAt<Manifest>(join(installed, name, "package.json"));
      return Object.keys(scripts).some((each) => /^(pre|post)?install$/.test(each));
    });
    expect(running).toEqual([]);
  });
});

describe("the installed program", () => {
  it("says its version, as npm links it", () => {
    const link = join(installed, "node_modules", ".bin", "hoga");
    expect(execFileSync(link, ["--version"], { encoding: "utf8" })).toBe(`${manifest.version}\n`);
  });

  it("lists its tools over stdio, and draws a picture by its native parts", async () => {
    const program = join(hoga, "dist", "cli.js");
    const { names, code, stderr } = await listedTools({ command: process.execPath, args: [program, "serve"] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(names).toContain("place_order");
    const home = join(packed.dir, "home");
    const chart = join(packed.dir, "book.png");
    const words = [program, "call", "get_orderbook", "--symbol", "BTC/KRW", "--chart", chart];
    execFileSync(process.execPath, words, { env: { PATH: process.env["PATH"], HOGA_HOME: home }, stdio: "pipe" });
    expect(readFileSync(chart).subarray(1, 4).toString()).toBe("PNG");
  });

  it.each(["20", "22", "24"])("runs on Node %s, with its store and its exchange", async (version) => {
    const node = join(import.meta.dirname, "nodes", "node_modules", `node-${version}`, "bin", "node");
    if (!existsSync(node)) throw new Error("first run `npm run nodes`, on Linux for x64");
    const program = join(hoga, "dist", "cli.js");
    const { names, code } = await listedTools({ command: node, args: [program, "serve"] });
    expect(code).toBe(0);
    expect(names).toContain("place_order");
    const home = join(packed.dir, `home-${version}`);
    const order = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" };
    const words = [program, "call", "--json", "place_order", JSON.stringify(order)];
    const placed = execFileSync(node, words, { env: { HOGA_HOME: home }, encoding: "utf8" });
    expect(JSON.parse(placed)).toMatchObject({
      environment: "sandbox",
      state: "filled",
    });
  });
});

/** One file for each door, which a compiler and Node have to find everything of. */
const USES: Readonly<Record<string, string>> = {
  hoga: `import { createMcpServer, openDesk, OpenApiClient, startSandbox, Stream, verifyWebhook, type OpenedDesk } from "hoga";
export const all = [createMcpServer, openDesk, OpenApiClient, startSandbox, Stream, verifyWebhook];
export type Desk = OpenedDesk;`,
  desk: `import { createDesk, createIds, openDesk, openStore, type OpenedDesk } from "hoga/desk";
export const all = [createDesk, createIds, openDesk, openStore];
export const close = (desk: OpenedDesk): Promise<void> => desk.close();`,
  venues: `import { OpenApiClient, Stream, streamUrl, TradingApiClient, type WebhookEvent } from "hoga/venues";
export const all = [OpenApiClient, Stream, streamUrl, TradingApiClient];
export type Event = WebhookEvent;`,
  exchange: `import { startSandbox, type SandboxOptions } from "hoga/exchange";
const options: SandboxOptions = { port: 0 };
const sandbox = await startSandbox(options);
export const all: readonly string[] = [sandbox.baseUrl];
await sandbox.close();`,
  mcp: `import { createMcpServer, type McpServerSettings } from "hoga/mcp";
export const all = [createMcpServer];
export type Settings = McpServerSettings;`,
};

describe("the library of an installed package", () => {
  it("compiles at each of its doors, and runs", () => {
    const project = packed.install("project", `typescript@${typescript}`, `@types/node@${nodeTypes}`);
    for (const [name, text] of Object.entries(USES)) writeFileSync(join(project, `${name}.ts`), text);
    const compilerOptions = {
      module: "nodenext",
      target: "es2023",
      strict: true,
      skipLibCheck: false,
      types: ["node"],
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const compiler = join(project, "node_modules", "typescript", "bin", "tsc");
    const compile = () => execFileSync(process.execPath, [compiler], { cwd: project, encoding: "utf8", stdio: "pipe" });
    expect(told(compile)).toBe("");
    for (const name of Object.keys(USES)) {
      const script = `const { all } = await import("./${name}.js"); if (all.includes(undefined)) throw new Error("incomplete");`;
      execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: project, stdio: "pipe" });
    }
    const doors = Object.keys(manifest.exports).filter((door) => door !== "./package.json");
    expect(doors.map((door) => door.replace(/^\.\/?/, "") || "hoga").sort()).toEqual(Object.keys(USES).sort());
  });
});

/** What a program prints where it fails, so that the test says it. */
function told(program: () => string): string {
  try {
    return program();
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    return `${stdout}${stderr}`;
  }
}
