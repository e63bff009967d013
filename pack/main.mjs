/**
 * Makes all that is handed out, in `pack/out`: `npm run pack`, or of some platforms alone: `npm run pack -- linux-x64`; `--out=FOLDER` makes it
 * elsewhere. Its last lines say what was made
 * for this platform, and what for others, which nobody has tried here.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
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

/** Names of the tools with what each is for, as an assistant is told them where nothing is configured. */
function toolsOf(home) {
  const clientInfo = { name: "pack", version: about.version };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const asked = [
    { id: 0, method: "initialize", params },
    { method: "notifications/initialized" },
    { id: 1, method: "tools/list" },
  ];
  const input = asked.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const { HOGA_PROFILE: _, ...env } = { ...process.env, HOGA_HOME: home };
  const said = execFileSync(process.execPath, [join(root, "dist", "cli.js"), "serve"], {
    encoding: "utf8",
    env,
    input,
  });
  const answers = said
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { result } = answers.find(({ id }) => id === 1);
  return result.tools.map(({ name, title }) => ({ name, description: title }));
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

  const tools = toolsOf(join(work, "home"));
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
