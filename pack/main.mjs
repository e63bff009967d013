/**
 * Makes all that is handed out, in `pack/out`: `npm run pack`, or of some platforms alone: `npm run pack -- linux-x64`; `--out=FOLDER` makes it
 * elsewhere. Its last lines say what was made
 * for this platform, and what for others, which nobody has tried here.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { npm } from "../scripts/npm.mjs";
import { desktopBundle, PLATFORMS } from "./desktop.mjs";
import { installLinks, pluginFiles } from "./manifests.mjs";

const root = join(import.meta.dirname, "..");
const about = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const here = `${process.platform}-${process.arch}`;

const given = process.argv.slice(2);
const elsewhere = given.find((word) => word.startsWith("--out="))?.slice("--out=".length);
const out = elsewhere === undefined ? join(import.meta.dirname, "out") : resolve(elsewhere);
const wanted = given.filter((word) => !word.startsWith("--out="));
const unknown = wanted.filter((each) => !PLATFORMS.includes(each));
if (unknown.length > 0) {
  process.stderr.write(`There is no platform ${unknown.join(", ")}; there are ${PLATFORMS.join(", ")}.\n`);
  process.exit(2);
}

function writeJson(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}

/** The tools that a server lists where nothing is configured, each with what it is for. */
async function toolsOf(home) {
  const client = new Client({ name: "pack", version: about.version });
  const words = [join(root, "dist", "cli.js"), "serve"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args: words, env: { HOGA_HOME: home } }));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name, description }) => ({ name, description }));
}

execFileSync(process.execPath, [join(root, "scripts", "build.mjs"), "--types"], { cwd: root, stdio: "inherit" });
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(tmpdir(), "hoga-pack-"));
try {
  npm(["pack", "--ignore-scripts", "--silent", "--pack-destination", out], { cwd: root });

  const plugin = join(out, "plugin");
  for (const [name, content] of Object.entries(pluginFiles(about))) writeJson(join(plugin, name), content);
  for (const name of ["skills", "LICENSE"]) cpSync(join(root, name), join(plugin, name), { recursive: true });
  cpSync(join(root, "server.json"), join(out, "server.json"));
  writeJson(join(out, "links.json"), installLinks(about));

  const tools = await toolsOf(join(work, "home"));
  for (const target of wanted.length > 0 ? wanted : PLATFORMS) {
    const folder = join(work, target);
    const bundle = await desktopBundle({ root, out, folder, about, tools }, target);
    const megabytes = (statSync(bundle).size / 1_000_000).toFixed(1);
    process.stdout.write(
      `${relative(process.cwd(), bundle)}  ${megabytes} MB${target === here ? "" : "  untried here"}\n`,
    );
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
