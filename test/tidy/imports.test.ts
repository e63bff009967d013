import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { isNode, nodesOf, readSources, type Source, violation } from "./source.ts";
import { CONTRACT_ROOMS, DOORS, FOLDERS, ROOMS, SIBLINGS, TYPES } from "./walls.ts";

interface Import {
  readonly from: Source;
  readonly isType: boolean;
  readonly start: number;
  /** Relative to the repository. */
  readonly target: string;
}

/** The folder of src a path lies in, or the file itself when it lies directly in src. */
const folderOf = (path: string): string => path.split("/")[1] ?? "";

const importsFound = new WeakMap<Source, readonly Import[]>();

/** All relative imports of a file: static, re-exporting, dynamic and in type position; type-only ones count. */
function importsOf(source: Source): readonly Import[] {
  const found = importsFound.get(source) ?? findImports(source);
  importsFound.set(source, found);
  return found;
}

function findImports(source: Source): Import[] {
  return nodesOf(source).flatMap(({ node }) => {
    const specifier = specifierOf(node);
    if (specifier === undefined || !/^\.{1,2}(\/|$)/.test(specifier)) return [];
    const isType = node["importKind"] === "type" || node["exportKind"] === "type";
    return [{ from: source, isType, start: node.start, target: posix.join(posix.dirname(source.path), specifier) }];
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

/** Imports that go up from one of a folder's rooms, or into none. */
function roomOrder(source: Source): string[] {
  const folder = folderOf(source.path);
  const rooms = ROOMS[folder] ?? [];
  const height = (path: string): number => {
    const [, , room = "", file] = path.split("/");
    return file === undefined ? rooms.length : rooms.indexOf(room);
  };
  const own = height(source.path);
  if (own < 0) return [violation(source, 0, `is in no room of ${folder}`)];
  return importsOf(source)
    .filter(({ target }) => target.startsWith(`src/${folder}/`) && height(target) > own)
    .map(({ start, target }) => violation(source, start, `imports ${target}, which lies above it`));
}

/** Imports from one folder of a kind into another of the same. */
function betweenSiblings(source: Source): string[] {
  return SIBLINGS.flatMap((kind) => {
    const siblingOf = (path: string): string | undefined =>
      path.startsWith(`${kind}/`) ? /^[^/]+(?=\/)/.exec(path.slice(kind.length + 1))?.[0] : undefined;
    const own = siblingOf(source.path);
    if (own === undefined) return [];
    return importsOf(source)
      .filter(({ target }) => ![undefined, own].includes(siblingOf(target)))
      .map(({ start, target }) => violation(source, start, `imports ${target}, of another of its kind`));
  });
}

/** Imports into a folder with a door that pass it by. */
function besideDoors(source: Source): string[] {
  return DOORS.flatMap((folder) => {
    if (source.path.startsWith(`${folder}/`)) return [];
    return importsOf(source)
      .filter(({ target }) => target.startsWith(`${folder}/`) && target !== `${folder}/index.ts`)
      .map(({ start, target }) => violation(source, start, `imports ${target}, which lies behind ${folder}/index.ts`));
  });
}

function contractOrder(source: Source): string[] {
  const roomOf = (path: string): string => /^src\/contract\/(\w+)\//.exec(path)?.[1] ?? "";
  const own = roomOf(source.path);
  if (source.path === "src/contract/index.ts") return [];
  return importsOf(source)
    .filter(({ target }) => !["", own, ...(CONTRACT_ROOMS[own] ?? [])].includes(roomOf(target)))
    .map(({ start, target }) => violation(source, start, `imports ${target}, which is not below it`));
}

/** The room of a file of the sandbox or of its engine; a file beside the rooms stands for itself. */
function sandboxRoom(path: string): string {
  const room = posix.dirname(path);
  return ["src/sandbox", "src/sandbox/engine"].includes(room) ? path : room;
}

/** Judges one file by the table. */
function importDirection(source: Source): string[] {
  const folder = folderOf(source.path);
  const list = FOLDERS[folder];
  if (list === undefined) return [violation(source, 0, `"${folder}" is not in the table of allowed imports`)];
  return importsOf(source).flatMap(({ isType, start, target }) => {
    const other = folderOf(target);
    if (!target.startsWith("src/")) {
      return target === "package.json" ? [] : [violation(source, start, `imports ${target}, outside src`)];
    }
    if (other === folder) return [];
    const types = isType ? (TYPES[folder] ?? []) : [];
    if (list !== "everything" && !list.includes(other) && !types.includes(other)) {
      return [violation(source, start, `${folder} must not import ${other}`)];
    }
    if (target === `src/${other}/index.ts`) return [];
    return [violation(source, start, `imports ${target}: across folders only ${other}/index.ts may be imported`)];
  });
}

/** What runs in a browser takes this of the programs: the words for people, and the types of what it is answered. */
const allowedInWeb = {
  values: "src/words/index.ts",
  types: {
    "web/console": ["src/serve/console/console-api.ts", "src/serve/console/console-routes.ts"],
    "web/views": ["src/mcp/person/view-data.ts"],
  },
};

/** A room of `web` imports itself, and of `src` what is allowed. */
function webImports(source: Source): string[] {
  const room = source.path.split("/").slice(0, 2).join("/");
  return importsOf(source).flatMap(({ isType, start, target }) => {
    if (target.startsWith(`${room}/`) || target === allowedInWeb.values) return [];
    const types: readonly string[] = allowedInWeb.types[room as "web/views"] ?? [];
    if (isType && types.includes(target)) return [];
    const those = types.join(" and ");
    return [violation(source, start, `imports ${target}: of src ${room} takes the words, and types of ${those}`)];
  });
}

/** Circles of imports between places, each once, with the import that closes it. @param placeOf a file's folder, or the file itself */
function cyclesOf(sources: Source[], placeOf: (path: string) => string): string[] {
  const edges = new Map<string, Map<string, Import>>();
  for (const found of sources.flatMap(importsOf)) {
    const [from, to] = [placeOf(found.from.path), placeOf(found.target)];
    if (from === to || !/^(src|web)\//.test(found.target)) continue;
    if (!edges.has(from)) edges.set(from, new Map());
    edges.get(from)?.set(to, found);
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (place: string, path: string[]): void => {
    for (const [next, { from, start }] of edges.get(place) ?? []) {
      const begin = path.indexOf(next);
      if (begin >= 0) cycles.push(violation(from, start, `closes ${[...path.slice(begin), next].join(" → ")}`));
      else if (!done.has(next)) visit(next, [...path, next]);
    }
    done.add(place);
  };
  for (const place of edges.keys()) if (!done.has(place)) visit(place, [place]);
  return cycles;
}

describe("imports between folders", () => {
  const sources = readSources("src");

  it("follow the table", () => {
    expect(sources.flatMap(importDirection)).toEqual([]);
  });

  it("have no cycle", () => {
    expect(cyclesOf(sources, folderOf)).toEqual([]);
  });

  it("have no cycle between files either, types included", () => {
    expect(cyclesOf(sources, (path) => path)).toEqual([]);
  });

  it.each(Object.keys(ROOMS))("go down between the rooms of %s", (folder) => {
    expect(readSources(`src/${folder}`).flatMap(roomOrder)).toEqual([]);
  });

  it("do not join what stands side by side", () => {
    expect(sources.flatMap(betweenSiblings)).toEqual([]);
  });

  it("pass the door where there is one", () => {
    expect(sources.flatMap(besideDoors)).toEqual([]);
    for (const folder of DOORS) expect(sources.map(({ path }) => path)).toContain(`${folder}/index.ts`);
  });

  it("go down between the rooms of the contract", () => {
    expect(readSources("src/contract").flatMap(contractOrder)).toEqual([]);
  });

  it("have no cycle between the rooms of the sandbox", () => {
    expect(cyclesOf(readSources("src/sandbox"), sandboxRoom)).toEqual([]);
  });

  it("keep web to the words and the types for it, and have no cycle", () => {
    const web = readSources("web");
    expect(web.flatMap(webImports)).toEqual([]);
    expect(cyclesOf(web, (path) => path)).toEqual([]);
  });

  it("have a table that keeps the sandbox and what it is tested against apart", () => {
    for (const folder of ["transport", "venues", "desk", "store", "config", "mcp", "serve"]) {
      expect(FOLDERS["sandbox"]).not.toContain(folder);
      expect(FOLDERS[folder]).not.toContain("sandbox");
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

  it("catches an import that goes up between the rooms of a folder, and a file in no room", () => {
    const judgeRoom = (path: string, text: string) => roomOrder({ path, text });
    expect(judgeRoom("src/desk/risk/a.ts", '\nimport "../execution/b.ts";')).toEqual([
      "src/desk/risk/a.ts:2 imports src/desk/execution/b.ts, which lies above it",
    ]);
    expect(judgeRoom("src/desk/model/a.ts", 'import type { Desk } from "../desk.ts";')).toHaveLength(1);
    expect(judgeRoom("src/desk/misc/a.ts", "")).toEqual(["src/desk/misc/a.ts:1 is in no room of desk"]);
    expect(judgeRoom("src/desk/risk/a.ts", 'import "./b.ts"; import "../model/c.ts";')).toEqual([]);
    expect(judgeRoom("src/desk/desk.ts", 'import "./transfer/c.ts";')).toEqual([]);
  });

  it("catches an import between two of a kind", () => {
    const judgeSibling = (text: string) => betweenSiblings({ path: "src/sandbox/families/open/a.ts", text });
    expect(judgeSibling('\nimport "../alias/b.ts";')).toEqual([
      "src/sandbox/families/open/a.ts:2 imports src/sandbox/families/alias/b.ts, of another of its kind",
    ]);
    expect(judgeSibling('import "./b.ts"; import "../../wire/c.ts";')).toEqual([]);
  });

  it("catches an import that passes a door by", () => {
    const judgeDoor = (path: string, text: string) => besideDoors({ path, text });
    expect(
      judgeDoor("src/sandbox/engine/market/a.ts", '\nimport type { Page } from "../memory/order-rows.ts";'),
    ).toEqual([
      "src/sandbox/engine/market/a.ts:2 imports src/sandbox/engine/memory/order-rows.ts, which lies behind src/sandbox/engine/memory/index.ts",
    ]);
    expect(judgeDoor("src/sandbox/engine/engine.ts", 'import "./memory/index.ts"; import "./market/b.ts";')).toEqual(
      [],
    );
    expect(judgeDoor("src/sandbox/engine/memory/orders.ts", 'import "./order-rows.ts";')).toEqual([]);
  });

  it("catches an import that goes up between the rooms of the contract", () => {
    const judgeRoom = (path: string, text: string) => contractOrder({ path, text });
    expect(judgeRoom("src/contract/open/a.ts", 'import "../stream/b.ts";')).toEqual([
      "src/contract/open/a.ts:1 imports src/contract/stream/b.ts, which is not below it",
    ]);
    expect(judgeRoom("src/contract/wire.ts", 'import type { Order } from "./open/order.ts";')).toHaveLength(1);
    expect(judgeRoom("src/contract/alias/a.ts", 'export * from "../openapi/alias.ts";')).toHaveLength(1);
    expect(
      judgeRoom("src/contract/stream/a.ts", 'import "../open/b.ts"; import "../wire.ts"; import "./c.ts";'),
    ).toEqual([]);
  });

  it("catches what web may not import", () => {
    const judgeWeb = (text: string) => webImports({ path: "web/console/state/a.ts", text });
    const api = "../../../src/serve/console/console-api.ts";
    expect(
      judgeWeb(`import type { A } from "${api}"; import "../b.ts"; import "../../../src/words/index.ts";`),
    ).toEqual([]);
    expect(judgeWeb(`\nimport { A } from "${api}";`)).toEqual([
      "web/console/state/a.ts:2 imports src/serve/console/console-api.ts: of src web/console takes the words, and types of src/serve/console/console-api.ts and src/serve/console/console-routes.ts",
    ]);
    expect(judgeWeb('import type { Desk } from "../../../src/desk/index.ts";')).toHaveLength(1);
    expect(judgeWeb('import "../../views/b.ts";')).toHaveLength(1);
    expect(judgeWeb('import type { A } from "../../../src/mcp/person/view-data.ts";')).toHaveLength(1);
  });

  it("catches a cycle between rooms of the sandbox, and none through the files beside them", () => {
    const cycle = [
      { path: "src/sandbox/http/a.ts", text: 'import "../access/b.ts";' },
      { path: "src/sandbox/access/c.ts", text: '\nimport type { D } from "../http/d.ts";' },
    ];
    expect(cyclesOf(cycle, sandboxRoom)).toEqual([
      "src/sandbox/access/c.ts:2 closes src/sandbox/http → src/sandbox/access → src/sandbox/http",
    ]);
    const beside = [
      { path: "src/sandbox/start.ts", text: 'import "./admin/a.ts";' },
      { path: "src/sandbox/admin/a.ts", text: 'import "../listening.ts";' },
    ];
    expect(cyclesOf(beside, sandboxRoom)).toEqual([]);
  });

  it("catches a cycle between files of one folder", () => {
    const circle = [
      { path: "src/a/x.ts", text: 'import type { Y } from "./y.ts";' },
      { path: "src/a/y.ts", text: 'import "./x.ts";' },
    ];
    expect(cyclesOf(circle, (path) => path)).toEqual(["src/a/y.ts:1 closes src/a/x.ts → src/a/y.ts → src/a/x.ts"]);
  });

  it("catches a cycle", () => {
    const sources = [
      { path: "src/a/x.ts", text: 'import "../b/index.ts";' },
      { path: "src/b/y.ts", text: '\nimport "../c/index.ts";' },
      { path: "src/c/z.ts", text: '\n\nimport "../a/index.ts";' },
    ];
    expect(cyclesOf(sources, folderOf)).toEqual(["src/c/z.ts:3 closes a → b → c → a"]);
    expect(cyclesOf(sources.slice(0, 2), folderOf)).toEqual([]);
  });
});
