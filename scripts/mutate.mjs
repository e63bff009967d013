/** Mutation testing, group by group: `npm run mutate`, or of some groups alone: `npm run mutate -- policy book`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { GROUPS } from "../stryker.config.mjs";

const stryker = join(import.meta.dirname, "..", "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
const named = process.argv.slice(2);
for (const group of named.length > 0 ? named : Object.keys(GROUPS)) {
  const env = { ...process.env, MUTATE: group };
  const { status } = spawnSync(process.execPath, [stryker, "run"], { stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
}
