/** Installs the packages of a folder that has a lockfile of its own, once per lockfile: `node scripts/beside.mjs FOLDER`. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(process.argv[2] ?? ".");
const [lock, installed] = [join(folder, "package-lock.json"), join(folder, "node_modules", "installed.json")];
if (!existsSync(installed) || !readFileSync(installed).equals(readFileSync(lock))) {
  const words = ["ci", "--prefix", ".", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // npm itself where npm runs this: its command is a script of the shell on Windows.
  const npm = process.env["npm_execpath"];
  const [program, before] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  const { status } = spawnSync(program, [...before, ...words], { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  copyFileSync(lock, installed);
}
