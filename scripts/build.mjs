/**
 * Builds the program and its pages to `dist`, and with `--types` what a compiler reads of the library. What has not changed since is not built
 * again: `dist` keeps a digest of what it was made of. `--force` builds all the same.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const MADE_OF = ["src", "web", "rolldown.config.ts", "package.json", "package-lock.json", "scripts/build.mjs"];

/** What is built, and the file that says of what. */
const PARTS = {
  program: { stamp: join(DIST, "made-of.txt"), build: buildProgram },
  types: { stamp: join(DIST, "types", "made-of.txt"), build: buildTypes },
};

/** @returns a digest of all that a build depends on, by content: a checkout gives old files new times */
export function digestOfSources() {
  const hash = createHash("sha256");
  for (const name of MADE_OF) {
    const path = join(ROOT, name);
    const files = name.includes(".") ? [path] : filesBelow(path);
    for (const file of files)
      hash
        .update(`${file.slice(ROOT.length)}\0`)
        .update(readFileSync(file))
        .update("\0");
  }
  return hash.digest("hex");
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** @param part `program` or `types` */
export function isBuilt(part, digest = digestOfSources()) {
  const { stamp } = PARTS[part];
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digest;
}

async function buildProgram() {
  const [{ loadConfig }, { rolldown }, vite] = await Promise.all([
    import("rolldown/config"),
    import("rolldown"),
    import("vite"),
  ]);
  const bundle = async ({ output, ...input }) => {
    const made = await rolldown({ ...input, logLevel: "warn" });
    const written = await made.write(output);
    await made.close();
    return written.output.map(({ fileName }) => join(DIST, fileName));
  };
  const configs = await loadConfig(join(ROOT, "rolldown.config.ts"));
  const pages = ["console", "views"].map((name) => vite.build({ root: join(ROOT, "web", name), logLevel: "warn" }));
  const [written] = await Promise.all([Promise.all(configs.map(bundle)), ...pages]);
  // Over the old files, as what runs may still load one; then those go that nothing loads any more.
  const files = new Set(written.flat());
  for (const folder of ["cli", "reference"])
    for (const file of filesBelow(join(DIST, folder))) if (!files.has(file)) rmSync(file);
}

function buildTypes() {
  const compiler = join(dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "bin", "tsc");
  const { status } = spawnSync(process.execPath, [compiler, "--project", "tsconfig.build.json"], { stdio: "inherit" });
  if (status !== 0) throw new Error("the types cannot be built");
  dropUnread(join(DIST, "types"));
}

/** The compiler describes every module; only what a door leads to is read. */
function dropUnread(folder) {
  const read = new Set();
  const follow = (file) => {
    if (read.has(file)) return;
    read.add(file);
    for (const [, , path] of readFileSync(file, "utf8").matchAll(/\b(from|import) ?\(?"(\.[^"]+)"/g))
      follow(resolve(dirname(file), path.replace(/\.ts$/, ".d.ts")));
  };
  const { exports: doors } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const { types } of Object.values(doors)) if (types !== undefined) follow(join(ROOT, types));
  for (const file of filesBelow(folder)) if (!read.has(file)) rmSync(file);
}

async function build(wanted, isForced) {
  const digest = digestOfSources();
  for (const part of wanted) {
    if (!isForced && isBuilt(part, digest)) continue;
    const { stamp, build: make } = PARTS[part];
    // A build that broke off is none.
    rmSync(stamp, { force: true });
    await make();
    writeFileSync(stamp, digest);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const given = process.argv.slice(2);
  process.chdir(ROOT);
  await build(given.includes("--types") ? ["program", "types"] : ["program"], given.includes("--force"));
}
