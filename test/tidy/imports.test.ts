import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { isNode, nodesOf, readSources, type Source, violation } from "./source.ts";

/**
 * The whole list of allowed imports between the folders of src. `cli` wires the parts together and `index.ts` is what a
 * library user may import; only these two see everything.
 */
const allowed: Record<string, readonly string[] | "everything"> = {
  decimal: [],
  contract: ["decimal"],
  config: ["contract", "decimal"],
  client: ["contract", "decimal"],
  store: ["contract", "decimal"],
  desk: ["contract", "decimal"],
  sandbox: ["contract", "decimal"],
  mcp: ["desk", "contract", "decimal"],
  serve: ["mcp", "desk", "config", "contract"],
  cli: "everything",
  "index.ts": "everything",
};

interface Import {
  readonly from: Source;
  readonly start: number;
  /** Relative to the repository. */
  readonly target: string;
}

/** The folder of src a path lies in, or the file itself when it lies directly in src. */
const folderOf = (path: string): string => path.split("/")[1] ?? "";

/** All relative imports of a file: static, re-exporting, dynamic and in type position; type-only ones count. */
function importsOf(source: Source): Import[] {
  return nodesOf(source).flatMap(({ node }) => {
    const specifier = specifierOf(node);
    if (specifier === undefined || !/^\.{1,2}(\/|$)/.test(specifier)) return [];
    return [{ from: source, start: node.start, target: posix.join(posix.dirname(source.path), specifier) }];
  });
}

function specifierOf(node: { type: string; [field: string]: unknown }): string | undefined {
  const carriers = ["Import", "ExportNamed", "ExportAll"].map((kind) => `${kind}Declaration`);
  if (![...carriers, "ImportExpression", "TSImportType", "TSExternalModuleReference"].includes(node.type)) return;
  const specifier = node["source"] ?? node["expression"];
  if (!isNode(specifier)) return;
  if (typeof specifier["value"] === "string") return specifier["value"];
  const [quasi] = (specifier["quasis"] ?? []) as { value: { cooked: string } }[];
  return quasi?.value.cooked;
}

/** Judges one file by the table. */
function importDirection(source: Source): string[] {
  const folder = folderOf(source.path);
  const list = allowed[folder];
  if (list === undefined) return [violation(source, 0, `"${folder}" is not in the table of allowed imports`)];
  return importsOf(source).flatMap(({ start, target }) => {
    const other = folderOf(target);
    if (!target.startsWith("src/")) {
      return target === "package.json" ? [] : [violation(source, start, `imports ${target}, outside src`)];
    }
    if (other === folder) return [];
    if (list !== "everything" && !list.includes(other)) {
      return [violation(source, start, `${folder} must not import ${other}`)];
    }
    if (target === `src/${other}/index.ts`) return [];
    return [violation(source, start, `imports ${target}: across folders only ${other}/index.ts may be imported`)];
  });
}

/** Circular ways between folders, each once, with the import that closes it. */
function folderCycles(sources: Source[]): string[] {
  const edges = new Map<string, Map<string, Import>>();
  for (const found of sources.flatMap(importsOf)) {
    const [from, to] = [folderOf(found.from.path), folderOf(found.target)];
    if (from === to || !found.target.startsWith("src/")) continue;
    if (!edges.has(from)) edges.set(from, new Map());
    edges.get(from)?.set(to, found);
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (folder: string, path: string[]): void => {
    for (const [next, { from, start }] of edges.get(folder) ?? []) {
      const begin = path.indexOf(next);
      if (begin >= 0) cycles.push(violation(from, start, `closes ${[...path.slice(begin), next].join(" → ")}`));
      else if (!done.has(next)) visit(next, [...path, next]);
    }
    done.add(folder);
  };
  for (const folder of edges.keys()) if (!done.has(folder)) visit(folder, [folder]);
  return cycles;
}

describe("imports between folders", () => {
  const sources = readSources("src");

  it("follow the table", () => {
    expect(sources.flatMap(importDirection)).toEqual([]);
  });

  it("have no cycle", () => {
    expect(folderCycles(sources)).toEqual([]);
  });

  it("have a table that keeps the sandbox and what it is tested against apart", () => {
    for (const folder of ["client", "desk", "store", "config", "mcp", "serve"]) {
      expect(allowed["sandbox"]).not.toContain(folder);
      expect(allowed[folder]).not.toContain("sandbox");
    }
  });
});

describe("the import rule itself", () => {
  const judge = (path: string, text: string) => importDirection({ path, text });

  it.each([
    ["static", 'import { Order } from "../desk/index.ts";'],
    ["type-only", 'import type { Order } from "../desk/index.ts";'],
    ["side effect", 'import "../desk/index.ts";'],
    ["re-export", 'export { Order } from "../desk/index.ts";'],
    ["export all", 'export * from "../desk/index.ts";'],
    ["dynamic", 'const desk = await import("../desk/index.ts");'],
    ["template", "const desk = await import(`../desk/index.ts`);"],
    ["type position", 'type Order = import("../desk/index.ts").Order;'],
    ["require", 'import desk = require("../desk/index.ts");'],
  ])("catches a forbidden import: %s", (_, text) => {
    expect(judge("src/sandbox/book.ts", `\n${text}`)).toEqual(["src/sandbox/book.ts:2 sandbox must not import desk"]);
  });

  it("catches an import past another folder's index", () => {
    expect(judge("src/cli/a.ts", 'import "../desk/policy.ts";')).toEqual([
      "src/cli/a.ts:1 imports src/desk/policy.ts: across folders only desk/index.ts may be imported",
    ]);
  });

  it("catches an unknown folder, an import out of src, and an import of the root index", () => {
    expect(judge("src/misc/a.ts", "")).toEqual(['src/misc/a.ts:1 "misc" is not in the table of allowed imports']);
    expect(judge("src/desk/a.ts", 'import "../../test/a.ts";')).toEqual([
      "src/desk/a.ts:1 imports test/a.ts, outside src",
    ]);
    expect(judge("src/desk/a.ts", 'import "../index.ts";')).toEqual(["src/desk/a.ts:1 desk must not import index.ts"]);
  });

  it("lets allowed imports pass", () => {
    const text = 'import "./b.ts"; import "../contract/index.ts"; import { z } from "zod"; // "../desk/index.ts"';
    expect(judge("src/sandbox/book.ts", text)).toEqual([]);
    expect(judge("src/index.ts", 'export * from "./desk/index.ts";')).toEqual([]);
  });

  it("catches a cycle", () => {
    const sources = [
      { path: "src/a/x.ts", text: 'import "../b/index.ts";' },
      { path: "src/b/y.ts", text: '\nimport "../c/index.ts";' },
      { path: "src/c/z.ts", text: '\n\nimport "../a/index.ts";' },
    ];
    expect(folderCycles(sources)).toEqual(["src/c/z.ts:3 closes a → b → c → a"]);
    expect(folderCycles(sources.slice(0, 2))).toEqual([]);
  });
});
