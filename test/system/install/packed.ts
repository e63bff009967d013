/**
 * The package as npm makes it, of the tree as it is: packed once a file of tests, by npm itself, and installed where nothing of ours lies.
 * What it depends on comes from the registry; nothing is run while it is installed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "..", "..", "..");
const QUIETLY = ["--ignore-scripts", "--no-audit", "--no-fund"];

export function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 280_000 });
}

export const jsonAt = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;

export class Packed {
  readonly dir = mkdtempSync(join(tmpdir(), "hoga-installed-"));
  readonly tarball: string;

  constructor() {
    // What is built is not built again.
    execFileSync(process.execPath, [join(ROOT, "scripts", "build.mjs"), "--types"], { stdio: "pipe" });
    npm(ROOT, "pack", "--ignore-scripts", "--pack-destination", this.dir);
    const [name = ""] = readdirSync(this.dir).filter((each) => each.endsWith(".tgz"));
    this.tarball = join(this.dir, name);
  }

  /** @returns a folder of a project that has the package, and whatever else is named */
  install(name: string, ...others: readonly string[]): string {
    const folder = join(this.dir, name);
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    npm(folder, "install", ...QUIETLY, "--no-save", this.tarball, ...others);
    return folder;
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
