/** Installs the packages of a folder that has a lockfile of its own, once per lockfile: `node scripts/beside.mjs FOLDER`. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { npm } from "./npm.mjs";

const cwd = resolve(process.argv[2] ?? ".");
const [lock, installed] = [join(cwd, "package-lock.json"), join(cwd, "node_modules", "installed.json")];
if (!existsSync(installed) || !readFileSync(installed).equals(readFileSync(lock))) {
  npm(["ci", "--prefix", ".", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd });
  copyFileSync(lock, installed);
}
