import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, defineConfig, type Plugin } from "rolldown";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };

/** Loads a native addon or is an optional accelerator of a dependency: never bundled. */
const native = ["libsql", "@resvg/resvg-js", "bufferutil", "utf-8-validate"];

/** Documentation is for who reads the sources; in a bundle it is read at each start, and by nobody. */
const comments = { jsdoc: false } as const;

/** No hashes in chunk names, so that a rebuild overwrites a build in place instead of piling up beside it. */
const output = { dir: "dist", format: "esm", sourcemap: true, comments } as const;

/** Carries the finished script of Scalar's viewer, whose own package brings 250 others along. Its types want Fastify's. */
const SCALAR: string = "@scalar/fastify-api-reference";

/** Writes the viewer of the sandbox's reference as a file: the script that the plugin offers as a route. */
const viewer: Plugin = {
  name: "viewer",
  async generateBundle() {
    const { default: register } = await import(SCALAR);
    let script = "";
    const reply = {
      header: () => reply,
      send(text: string) {
        script = text;
      },
    };
    const route = ({
      url,
      handler,
    }: {
      url: string;
      handler: (request: undefined, to: typeof reply) => void;
    }): void => {
      if (url.endsWith("/scalar.js")) handler(undefined, reply);
    };
    register({ route }, { configuration: { url: "/" } }, () => undefined);
    if (!script.includes("createApiReference")) throw new Error(`${SCALAR} offers no script of the viewer`);
    this.emitFile({ type: "asset", fileName: "reference/viewer.js", source: script });
  },
};

const RECORD = join(process.cwd(), "src/mcp/server/record.ts");

/** Puts what a server says of itself in the place of the module that asks one, by running that as it is in the sources. */
const record: Plugin = {
  name: "record",
  async load(id) {
    if (id !== RECORD) return null;
    const file = join(process.cwd(), ".bench/record.js");
    await build({ input: RECORD, platform: "node", external: native, output: { file, codeSplitting: false } });
    const { recorded } = await import(pathToFileURL(file).href);
    // What a function holds would be read twice: when the function is met, and when it is called.
    return `const record = ${JSON.stringify(await recorded())}; export const recorded = async () => record;`;
  },
};

/** What a program may import besides "hoga": each is a part of it. */
const DOORS = ["desk", "venues", "exchange", "mcp"];

/** A module of ours does nothing when it is loaded: where nothing of it is used, it is left out of a chunk. */
const isOthers = (id: string): false | undefined => (id.startsWith(join(process.cwd(), "src")) ? false : undefined);

export default defineConfig([
  {
    // One file to start quickly; commands and rarely used dependencies stay lazy chunks behind dynamic imports.
    input: { cli: "src/cli/node-version.ts" },
    platform: "node",
    // Its main file loads its parts by names that no bundler follows.
    resolve: { alias: { "jsonc-parser": join(process.cwd(), "node_modules/jsonc-parser/lib/esm/main.js") } },
    external: native,
    plugins: [viewer, record],
    treeshake: { moduleSideEffects: isOthers },
    output: {
      ...output,
      chunkFileNames: "cli/[name].js",
      banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
    },
  },
  {
    // The thread that draws, of the program and of the library: in one file, so that it takes no module out of theirs.
    input: { "drawing-thread": "src/mcp/pictures/drawing-thread.ts" },
    platform: "node",
    external: native,
    treeshake: { moduleSideEffects: isOthers },
    output: { ...output, codeSplitting: false },
  },
  {
    // The library leaves its npm dependencies to the package manager of the one who installs it.
    input: { index: "src/index.ts", ...Object.fromEntries(DOORS.map((door) => [door, `src/doors/${door}.ts`])) },
    platform: "node",
    // The doors share what the program loads late.
    checks: { ineffectiveDynamicImport: false },
    external: (id) => Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`)),
    output: { ...output, chunkFileNames: "lib/[name].js" },
  },
]);
