/**
 * Runs programs of the tree that are written in TypeScript: each is bundled to `.bench`, then run with the arguments.
 * `node scripts/run.mjs [--expose-gc] [--bundle] FILE.ts[,FILE.ts…] [ARGUMENT…]`; with `--bundle` none is run.
 */
import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { build } from "rolldown";

const OUT = ".bench";
/** Loaded as they lie: native parts, and what needs these. */
const EXTERNAL = ["libsql", "@resvg/resvg-js", "bufferutil", "utf-8-validate"];

const given = process.argv.slice(2);
const at = given.findIndex((word) => !word.startsWith("--"));
const [options, [files = "", ...words]] = [given.slice(0, at), given.slice(at)];
const sources = files.split(",");
const bundleOf = (file) => join(OUT, file.replace(/^bench\//, "").replace(/\.ts$/, ".js"));

// One after another: what they have in common takes no chunk out of another's bundle.
for (const input of sources)
  await build({
    input,
    platform: "node",
    external: EXTERNAL,
    logLevel: "warn",
    output: { file: bundleOf(input), codeSplitting: false, sourcemap: true },
  });

if (!options.includes("--bundle"))
  for (const file of sources) {
    const run = [...options, "--enable-source-maps", bundleOf(file), ...words];
    const { status, signal } = spawnSync(process.execPath, run, { stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 128 + (constants.signals[signal] ?? 0));
  }
