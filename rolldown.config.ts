import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompressSync, constants } from "node:zlib";
import { build, defineConfig, type Plugin } from "rolldown";
import { minify } from "rolldown/utils";

/** Loads a native addon or is an optional accelerator of a dependency: never bundled. */
const native = ["libsql", "@resvg/resvg-js", "bufferutil", "utf-8-validate"];

/** Documentation is for who reads the sources; in a bundle it is read at each start, and by nobody. */
const comments = { jsdoc: false } as const;

/** No hashes in chunk names, so that a rebuild overwrites a build in place instead of piling up beside it. */
const output = { dir: "dist", format: "esm", comments } as const;

/** Name and folder of the package that a module is of. */
function packageOf(id: string): readonly [readonly [name: string, folder: string]] | undefined {
  const [folder, name] = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id) ?? [];
  return folder === undefined || name === undefined ? undefined : [[name.replaceAll("\\", "/"), folder]];
}

/** What holds none of our code is read by machines alone. Ours stays as it is written: it says what runs. */
const shorter: Plugin = {
  name: "shorter",
  async generateBundle(_options, bundle) {
    for (const each of Object.values(bundle)) {
      if (each.type !== "chunk" || each.moduleIds.length === 0) continue;
      if (!each.moduleIds.every((id) => packageOf(id) !== undefined || id.startsWith("\0"))) continue;
      each.code = (await minify(each.fileName, each.code, { module: true })).code;
    }
  },
};

/**
 * Of these, which come in both shapes, the one that a bundler can follow: of OpenTelemetry nothing unused is taken along then, and the other loads its
 * parts by names that are none in a bundle. Of others it is not taken: some rely on the order in which their parts are loaded.
 */
const FOLLOWED = /^(@opentelemetry\/[^/]+|jsonc-parser)$/;

const lean: Plugin = {
  name: "lean",
  resolveId(source) {
    if (!FOLLOWED.test(source)) return undefined;
    const folder = join(process.cwd(), "node_modules", source);
    const { module } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly module?: string };
    return module === undefined ? undefined : join(folder, module);
  },
};

/** The licences of all whose code is in ours, as they ask. */
const licences = (fileName: string): Plugin => ({
  name: "licences",
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((each) => (each.type === "chunk" ? each.moduleIds : []));
    const packages = new Map(modules.flatMap((id) => packageOf(id) ?? []));
    const texts = [...packages]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, folder]) => {
        const manifest = readFileSync(join(folder, "package.json"), "utf8");
        const { version, license } = JSON.parse(manifest) as Readonly<Record<string, string>>;
        const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
        const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
        return `${name} ${version} (${license})\n\n${text}`;
      });
    this.emitFile({ type: "asset", fileName, source: `${texts.join(`\n\n${"-".repeat(72)}\n\n`)}\n` });
  },
});

/** Carries the finished script of Scalar's viewer, whose own package brings 250 others along. Its types want Fastify's. */
const SCALAR: string = "@scalar/fastify-api-reference";

const VIEWER_FILE = "reference/viewer.js.br";

/** It is a third of the package, so it is made as small as can be, which takes long: what is the same is not made anew. */
async function compressed(script: string): Promise<Buffer> {
  const before = join(process.cwd(), "dist", VIEWER_FILE);
  if (existsSync(before)) {
    const made = readFileSync(before);
    if (brotliDecompressSync(made).equals(Buffer.from(script))) return made;
  }
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  return promisify(brotliCompress)(script, { params });
}

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
    this.emitFile({ type: "asset", fileName: VIEWER_FILE, source: await compressed(script) });
  },
};

/**
 * The SDK's sessions over SSE can read a body by themselves, with tables of all encodings that ever were. Ours are handed what
 * src/serve/wire has read.
 */
const bodies: Plugin = {
  name: "bodies",
  resolveId: (id) => (id === "raw-body" ? "\0raw-body" : null),
  load: (id) =>
    id === "\0raw-body" ? `export default () => { throw new Error("a body is read before it comes here"); };` : null,
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
    // The program starts quickly: commands and rarely used dependencies stay lazy chunks behind dynamic imports. The doors of the library
    // share its chunks, so that the package carries everything once.
    input: {
      cli: "src/cli/node-version.ts",
      index: "src/index.ts",
      ...Object.fromEntries(DOORS.map((door) => [door, `src/doors/${door}.ts`])),
    },
    platform: "node",
    external: native,
    plugins: [viewer, bodies, record, lean, shorter, licences("LICENSES.txt")],
    treeshake: { moduleSideEffects: isOthers },
    // The doors load at once what the program loads late; and packing a new viewer takes long.
    checks: { ineffectiveDynamicImport: false, pluginTimings: false },
    output: {
      ...output,
      chunkFileNames: "cli/[name].js",
      banner: ({ name, isEntry }) => (isEntry && name === "cli" ? "#!/usr/bin/env node" : ""),
    },
  },
  {
    // The thread that draws, of the program and of the library: in one file, so that it takes no module out of theirs.
    input: { "drawing-thread": "src/mcp/pictures/drawing-thread.ts" },
    platform: "node",
    external: native,
    plugins: [licences("LICENSES-drawing.txt")],
    treeshake: { moduleSideEffects: isOthers },
    // Nearly all of it is the drawing library.
    output: { ...output, codeSplitting: false, minify: true },
  },
]);
