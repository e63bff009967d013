/**
 * From nothing to a first paper order, as a person goes there, timed in one go: in an empty directory the packed package is installed, `hoga init` is
 * answered with Enter on a terminal, and the server that it has registered with an assistant is launched as registered and places an order.
 * `npm run bench:first-order`; `-- --json` prints a line. On Linux, as it needs `script` of util-linux.
 *
 * npm's cache is empty, so all packages come from the registry. A person who reads and types is not counted.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { played } from "./recording.mjs";

const ROOT = join(import.meta.dirname, "..");
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" };

const dir = mkdtempSync(join(tmpdir(), "hoga-first-order-"));
const [home, project] = [join(dir, "home"), join(dir, "project")];
const env = { PATH: process.env["PATH"], HOME: home, LANG: "C.UTF-8", npm_config_cache: join(dir, "cache") };
const steps = [];

function npm(cwd, ...words) {
  const { status, stdout, stderr } = spawnSync("npm", words, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${words.join(" ")} failed: ${stderr}`);
  return stdout.trim();
}

/** @param command as a person types it; nothing where a program does it */
async function timed(what, command, take) {
  const began = performance.now();
  const result = await take();
  steps.push({ what, command, seconds: (performance.now() - began) / 1_000 });
  return result;
}

/** Launches what the assistant's file says, and nothing else. */
async function placeByRegistered() {
  const { mcpServers } = JSON.parse(readFileSync(join(home, ".cursor", "mcp.json"), "utf8"));
  const { command, args, env: named = {} } = mcpServers.hoga;
  const client = new Client({ name: "first-order", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args, env: { ...env, ...named } }));
  try {
    await client.listTools();
    const { structuredContent: report } = await client.callTool({ name: "place_order", arguments: ORDER });
    if (report?.environment !== "sandbox" || report.state !== "filled")
      throw new Error(`the order was not filled on paper: ${JSON.stringify(report)}`);
    return report;
  } finally {
    await client.close();
  }
}

try {
  mkdirSync(join(home, ".cursor"), { recursive: true });
  mkdirSync(project);
  npm(ROOT, "pack", "--ignore-scripts", "--pack-destination", dir);
  const tarball = readdirSync(dir).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  const hoga = join(project, "node_modules", ".bin", "hoga");
  const install = `npm install --ignore-scripts ./${tarball}`;
  await timed("install", install, () =>
    npm(project, "install", "--ignore-scripts", "--no-audit", "--no-fund", join(dir, tarball)),
  );
  const answers = [["n: nothing: ", "\r"]];
  await timed("begin", "npx hoga init, then Enter", () =>
    played({ shown: "hoga init", words: [hoga, "init"], env, answers, readMs: 0 }),
  );
  const { order } = await timed("start and first order", "", placeByRegistered);
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  const commands = steps.filter(({ command }) => command !== "").length;
  if (process.argv.includes("--json"))
    console.log(JSON.stringify({ seconds, commands, steps, spent: order.executed_value }));
  else {
    for (const step of steps) console.log(`${step.seconds.toFixed(1).padStart(6)} s  ${step.what}  ${step.command}`);
    console.log(
      `${seconds.toFixed(1).padStart(6)} s  ${commands} commands and one Enter, from nothing to a filled paper order`,
    );
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
