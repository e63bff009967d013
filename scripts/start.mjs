/** What `npm start` runs: `hoga start`, built before where something has changed. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isBuilt } from "./build.mjs";

const build = join(import.meta.dirname, "build.mjs");
if (!isBuilt("program")) {
  process.stderr.write("Building hoga, once …\n");
  // A process of its own: what builds stays in memory, and this one goes on as hoga.
  const { status } = spawnSync(process.execPath, [build], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
const program = join(import.meta.dirname, "..", "dist", "cli.js");
process.argv = [process.execPath, program, "start", ...process.argv.slice(2)];
await import("../dist/cli.js");
