/**
 * Builds the console's page to `dist/web/console`: an index and, under `assets`, files that are named by what they hold and may be kept
 * for good. Paths are relative, nothing is inline, so that the page needs no more than `script-src 'self'; style-src 'self'`.
 */
import { join } from "node:path";
import { defineConfig } from "vite";

const ROOT = join(import.meta.dirname, "..", "..");

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  build: {
    outDir: join(ROOT, "dist/web/console"),
    emptyOutDir: true,
    // Nothing as data: in an address, which the page's policy does not allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    // A module of ours does nothing when it is loaded, as for the programs: of `src/words` only what is used comes along.
    rolldownOptions: {
      checks: { pluginTimings: false },
      treeshake: { moduleSideEffects: (id) => !(id.startsWith(join(ROOT, "src")) || id.startsWith("node:")) },
      // Of modules that are left out: a browser never asks for them.
      external: /^node:/,
    },
  },
});
