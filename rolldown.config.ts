import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };

/** Loads a native addon or is an optional accelerator of a dependency: never bundled. */
const native = ["libsql", "@resvg/resvg-js", "bufferutil", "utf-8-validate"];

/** No hashes in chunk names, so that a rebuild overwrites a build in place instead of piling up beside it. */
const output = { dir: "dist", format: "esm", sourcemap: true } as const;

export default defineConfig([
  {
    // One file to start quickly; commands and rarely used dependencies stay lazy chunks behind dynamic imports.
    input: { cli: "src/cli/entry.ts" },
    platform: "node",
    external: native,
    output: {
      ...output,
      chunkFileNames: "cli/[name].js",
      banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
    },
  },
  {
    // The library leaves its npm dependencies to the package manager of the one who installs it.
    input: { index: "src/index.ts" },
    platform: "node",
    external: (id) => Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`)),
    output: { ...output, chunkFileNames: "lib/[name].js" },
  },
]);
