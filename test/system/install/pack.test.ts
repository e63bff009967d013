/**
 * What `npm run pack` makes is what hosts of assistants take, and starts as its manifest says: the desktop bundle of this platform, and the plugins by
 * a registry as it is once hoga is published. Source: decision 0096.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getMcpConfigForManifest, MANIFEST_SCHEMAS, unpackExtension } from "@anthropic-ai/mcpb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../../fixture/program.ts";
import { type Launch, listedTools } from "./listed-tools.ts";
import { jsonAt, npm, ROOT } from "./packed.ts";
import { registryWith } from "./registry.ts";

const HERE = `${process.platform}-${process.arch}`;
const { version } = jsonAt<{ readonly version: string }>(join(ROOT, "package.json"));
const dir = mkdtempSync(join(tmpdir(), "hoga-pack-test-"));
const out = join(dir, "out");
const extension = join(dir, "extension");
const fromOut = <T>(...names: readonly string[]): T => jsonAt<T>(join(out, ...names));

beforeAll(async () => {
  npm(ROOT, "run", "-s", "pack", "--", HERE, `--out=${out}`);
  const mcpbPath = join(out, `hoga-${version}-${HERE}.mcpb`);
  expect(await unpackExtension({ mcpbPath, outputDir: extension, silent: true })).toBe(true);
}, 300_000);
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await cleanUp();
});

interface Servers {
  readonly mcpServers: { readonly hoga: Launch };
}

/** How a desktop app starts the bundle, with what a person has filled in. */
async function launchOf(settings: Readonly<Record<string, string>>): Promise<Launch & { readonly env: object }> {
  const manifest = MANIFEST_SCHEMAS["0.3"].parse(jsonAt(join(extension, "manifest.json")));
  const where = { extensionPath: extension, systemDirs: {}, pathSeparator: "/" };
  const config = await getMcpConfigForManifest({ manifest, userConfig: settings, ...where });
  if (config?.args === undefined) throw new Error("the bundle has no way to be started");
  return { command: config.command, args: config.args, env: config.env ?? {} };
}

let homes = 0;
/** Starts it in a data directory of its own. */
async function started(settings: Readonly<Record<string, string>>, policy?: string) {
  const { env, ...launch } = await launchOf(settings);
  const home = join(dir, `home-${homes++}`);
  mkdirSync(home, { mode: 0o700 });
  if (policy !== undefined) writeFileSync(join(home, "policy.toml"), policy, { mode: 0o600 });
  const answered = listedTools({ ...launch, env: { ...env, HOGA_HOME: home } });
  return { answered, policyFile: join(home, "policy.toml") };
}

describe("the desktop bundle", () => {
  it("lists its tools with nothing filled in, as its manifest does, and writes no policy", async () => {
    const { answered, policyFile } = await started({});
    const { names, code, stderr } = await answered;
    // Where the list took its time, the practice exchange had opened meanwhile.
    const said = stderr.replace(/^hoga: This process hosts the paper exchange at \S+\n/, "");
    expect({ code, said }).toEqual({ code: 0, said: "" });
    const { tools } = jsonAt<{ readonly tools: readonly { readonly name: string }[] }>(
      join(extension, "manifest.json"),
    );
    expect(names).toEqual(tools.map(({ name }) => name));
    expect(existsSync(policyFile)).toBe(false);
  });

  it("takes a placeholder that an app left in its place for nothing", async () => {
    const names = ["exchange", "api_key", "api_secret", "max_order_krw", "max_day_krw", "language"];
    const { answered } = await started(Object.fromEntries(names.map((name) => [name, `\${user_config.${name}}`])));
    expect((await answered).code).toBe(0);
  });

  it("serves a live exchange by its key, under the limits that were filled in", async () => {
    const key = { exchange: "Upbit", api_key: "k".repeat(40), api_secret: "s".repeat(40) };
    const { answered, policyFile } = await started({ ...key, max_order_krw: "70000", max_day_krw: "90000" });
    expect((await answered).names).toContain("place_order");
    const policy = readFileSync(policyFile, "utf8");
    expect(policy).toMatch(/^# Written by the settings.*\nmax_order_krw = "70000"\nmax_day_krw = "90000"\n$/);
    expect(statSync(policyFile).mode & 0o777).toBe(0o600);
  });

  it("writes its limits anew where they were filled in before, and leaves a person's own policy as it is", async () => {
    const first = await started({ max_order_krw: "70000" });
    await first.answered;
    const { policyFile } = await started({ max_order_krw: "80000" }, readFileSync(first.policyFile, "utf8"));
    await expect.poll(() => readFileSync(policyFile, "utf8")).toContain('max_order_krw = "80000"');
    const own = 'max_order_krw = "50000"\n';
    const refused = await started({ max_order_krw: "80000" }, own);
    await expect(refused.answered).rejects.toThrow("is your own and has other limits");
    expect(readFileSync(refused.policyFile, "utf8")).toBe(own);
  });

  it.each([
    [{ exchange: "upbit", api_key: "not-to-be-told" }, "go together"],
    [
      { exchange: "nowhere", api_key: "not-to-be-told", api_secret: "not-to-be-told" },
      "Exchange has to be one of upbit",
    ],
    [{ max_order_krw: "1e9" }, "whole won, in digits alone"],
  ])("starts nothing with %o, says why, and tells no key", async (settings, why) => {
    const { answered } = await started(settings);
    const said = await answered.then(() => "", String);
    expect(said).toContain(why);
    expect(said).not.toContain("not-to-be-told");
  });

  it("has the native parts of its own platform alone", () => {
    const scopes = ["@libsql", "@resvg"].flatMap((scope) => readdirSync(join(extension, "node_modules", scope)));
    expect(scopes.filter((name) => name !== "resvg-js" && !name.includes(HERE))).toEqual([]);
    expect(scopes.length).toBe(3);
  });

  it("keeps key and secret out of sight, and asks for nothing that has to be filled in", () => {
    const { user_config: asked = {} } = MANIFEST_SCHEMAS["0.3"].parse(jsonAt(join(extension, "manifest.json")));
    const sensitive = Object.keys(asked).filter((name) => asked[name]?.sensitive);
    expect(sensitive).toEqual(["api_key", "api_secret"]);
    expect(Object.values(asked).filter(({ required }) => required !== false)).toEqual([]);
  });
});

describe("the plugin folder", () => {
  const launches = () => [fromOut<Servers>("plugin", ".mcp.json"), fromOut<Servers>("plugin", "gemini-extension.json")];

  it("starts hoga by npx, as each manifest says", async () => {
    const [first, ...others] = launches().map(({ mcpServers }) => mcpServers.hoga);
    for (const other of others) expect(other).toEqual(first);
    const registry = await registryWith(join(out, `hoga-${version}.tgz`));
    try {
      const env = { npm_config_registry: registry.url, npm_config_cache: join(dir, "cache") };
      // In the tree itself npx would find the tree.
      const { names } = await listedTools({ ...(first as Launch), env, cwd: dir });
      expect(names).toContain("place_order");
    } finally {
      registry.close();
    }
  });

  it("has every skill of the tree, and names what lies in it", () => {
    expect(readdirSync(join(out, "plugin", "skills"))).toEqual(readdirSync(join(ROOT, "skills")));
    for (const host of [".codex-plugin", ".cursor-plugin"]) {
      const plugin = fromOut<Readonly<Record<string, string>>>("plugin", host, "plugin.json");
      for (const path of [plugin["skills"], plugin["mcpServers"]])
        expect(existsSync(join(out, "plugin", String(path)))).toBe(true);
    }
  });

  it("is the one plugin of its own marketplace", () => {
    const marketplace = fromOut<{ readonly plugins: readonly { readonly name: string; readonly source: string }[] }>(
      "plugin",
      ".claude-plugin",
      "marketplace.json",
    );
    const { name } = fromOut<{ readonly name: string }>("plugin", ".claude-plugin", "plugin.json");
    expect(marketplace.plugins).toEqual([expect.objectContaining({ name, source: "./" })]);
  });
});

describe("install links", () => {
  it("hold what the plugins launch", () => {
    const { vscode = "", cursor = "" } = fromOut<Readonly<Record<string, string>>>("links.json");
    const { hoga } = fromOut<Servers>("plugin", ".mcp.json").mcpServers;
    expect(JSON.parse(decodeURIComponent(vscode.split("?")[1] ?? ""))).toEqual({ name: "hoga", ...hoga });
    const config = new URL(cursor).searchParams.get("config") ?? "";
    expect(JSON.parse(Buffer.from(config, "base64").toString())).toEqual(hoga);
  });

  it("stand in the guide as they are made", () => {
    const guide = readFileSync(join(ROOT, "docs/guides/install.md"), "utf8");
    for (const link of Object.values(fromOut<Readonly<Record<string, string>>>("links.json")))
      expect(guide).toContain(link);
  });
});

it("refuses a platform that there is not", () => {
  expect(() =>
    execFileSync(process.execPath, [join(ROOT, "pack", "main.mjs"), "plan9-x64"], { encoding: "utf8", stdio: "pipe" }),
  ).toThrow("There is no platform plan9-x64; there are linux-x64");
});
