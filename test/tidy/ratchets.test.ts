/** What is to become less: each count is the largest that is allowed, and is lowered by whoever brings it down. What is down to none is refused. */
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { CARDS } from "../../src/venues/index.ts";
import { isNode, type Node, nodesOf, readSources, type Source } from "./source.ts";

/** Words that name the won, which is one unit of account of several: files of a folder by how many they have. */
/** Real exchanges with markets in won, which have to name them; and the card of the specified one. */
const KRW_EXCHANGE = /^src\/(venues|sandbox\/families)\/(upbit|bithumb|korbit|coinone)\/|^src\/venues\/hoga\/card\.ts$/;

const KRW_MAX: Readonly<Record<string, number>> = {
  cli: 5,
  config: 2,
  contract: 48,
  decimal: 7,
  desk: 10,
  mcp: 28,
  policy: 5,
  sandbox: 161,
  serve: 0,
  store: 0,
  venues: 2,
  words: 10,
};
/** Reaching through the desk's context for a part of it, where a class could name the parts that it needs. */
const PARTS_MAX = 156;
/** Payments and remittances are a wing that could leave in a day: files that name them outside of their own, of the exchange and of all else. */
const TRANSFER_NAMES_MAX = { exchange: 23, others: 45 };
/** A file, or a folder, of their own says so by its name: `transfer-kind.ts`, `get-payment.ts`. */
const TRANSFERS = /transfer(?!-encoding)|payment|remittance/i;
/** Casts of the engine outside its memory, where a number in an array of numbers is known to be one. */
const ENGINE_CASTS_MAX = 5;
/** Files of the engine that know its memory. */
const MEMORY_USERS_MAX = 8;
/** A folder with more files than this at one level wants rooms. */
const FILES_MAX = 25;
/** Lists, where one file is one entry. */
const LISTS = ["src/mcp/tools", "src/cli/commands"];
/** Lines of the adapter of an exchange, all its files together; none may have more than 900. */
const ADAPTER_MAX: Readonly<Record<string, number>> = { upbit: 606, bithumb: 653, korbit: 887, coinone: 900 };
/** How a title begins that leaves out what it is about: a behaviour begins with its verb, or with when. */
const PREPOSITIONS =
  /^(that|of|with|without|in|into|at|by|on|to|for|from|after|before|over|under|as|between|beside|behind|through|until|where|while|beyond|among|against|within)\b/i;

function occurrences(sources: readonly Source[], pattern: RegExp): number {
  return sources.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
}

/** `it("…")`, and the second call of `it.each(…)("…")`. */
function titlesIn(source: Source): readonly string[] {
  return nodesOf(source).flatMap(({ node }) => {
    if (node.type !== "CallExpression" || !isTest(node["callee"])) return [];
    const [title] = (node["arguments"] ?? []) as readonly Node[];
    return title?.type === "Literal" && typeof title["value"] === "string" ? [title["value"]] : [];
  });
}

function isTest(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  if (callee.type === "Identifier") return callee["name"] === "it";
  if (callee.type === "CallExpression") return isTest(callee["callee"]);
  return callee.type === "MemberExpression" && isTest(callee["object"]);
}

/** `value as Type`, each link of a chain of them, `<Type>value` and `value!`; `as const` is none. */
function castsIn(source: Source): number {
  const isConst = (type: unknown): boolean =>
    isNode(type) && isNode(type["typeName"]) && type["typeName"]["name"] === "const";
  return nodesOf(source).filter(
    ({ node }) =>
      ["TSNonNullExpression", "TSTypeAssertion"].includes(node.type) ||
      (node.type === "TSAsExpression" && !isConst(node["typeAnnotation"])),
  ).length;
}

function filesByFolder(paths: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const folder of paths.map((path) => posix.dirname(path))) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return counts;
}

describe("what may only become less", () => {
  const sources = readSources("src");

  it("counts the words with krw, folder by folder", () => {
    const folders = [...new Set(sources.map(({ path }) => path.split("/")[1] ?? ""))];
    const over = folders.flatMap((folder) => {
      const count = occurrences(
        sources.filter(({ path }) => path.startsWith(`src/${folder}/`) && !KRW_EXCHANGE.test(path)),
        /\w*krw\w*/gi,
      );
      return count > (KRW_MAX[folder] ?? 0) ? [`${folder}: ${count}`] : [];
    });
    expect(over).toEqual([]);
  });

  it("counts where a part of the desk is reached for through its context", () => {
    expect(occurrences(sources, /context\.parts\b/g)).toBeLessThanOrEqual(PARTS_MAX);
  });

  it("counts the files that name payments and remittances outside of their own", () => {
    const naming = sources
      .filter(({ path, text }) => !TRANSFERS.test(path) && TRANSFERS.test(text))
      .map(({ path }) => path);
    const exchange = naming.filter((path) => path.startsWith("src/sandbox/"));
    const others = naming.filter((path) => !exchange.includes(path));
    expect(exchange.length <= TRANSFER_NAMES_MAX.exchange ? [] : exchange).toEqual([]);
    expect(others.length <= TRANSFER_NAMES_MAX.others ? [] : others).toEqual([]);
    // Else nothing was counted.
    expect(others).toContain("src/desk/desk.ts");
  });

  it("counts the casts of the engine outside its memory, and the files that know it", () => {
    const memory = "src/sandbox/engine/memory/";
    const outside = readSources("src/sandbox/engine").filter(({ path }) => !path.startsWith(memory));
    expect(outside.reduce((sum, source) => sum + castsIn(source), 0)).toBeLessThanOrEqual(ENGINE_CASTS_MAX);
    const users = outside.filter(({ text }) => /from "[./]+\/memory\/index\.ts"/.test(text));
    expect(users.length).toBeLessThanOrEqual(MEMORY_USERS_MAX);
    // Else nothing was counted.
    expect(users.length).toBeGreaterThan(0);
  });

  it("counts the lines of the adapter of each exchange", () => {
    const lines = (name: string): number =>
      sources
        .filter(({ path }) => path.startsWith(`src/venues/${name}/`))
        .reduce((sum, { text }) => sum + occurrences([{ path: name, text }], /\n/g), 0);
    const names = CARDS.map(({ name }) => name).filter((name) => name !== "hoga");
    expect(names.toSorted()).toEqual(Object.keys(ADAPTER_MAX).toSorted());
    expect(names.filter((name) => lines(name) > (ADAPTER_MAX[name] ?? 0))).toEqual([]);
    expect(Math.max(...Object.values(ADAPTER_MAX))).toBeLessThanOrEqual(900);
    // Else nothing was counted.
    expect(names.filter((name) => lines(name) === 0)).toEqual([]);
  });

  it("counts the files of a folder at one level", () => {
    const counts = filesByFolder(sources.map(({ path }) => path));
    const over = [...counts].filter(([folder, count]) => !LISTS.includes(folder) && count > FILES_MAX);
    expect(over).toEqual([]);
  });
});

describe("a title of a test", () => {
  it("begins with neither a preposition nor that", () => {
    const unclear = readSources("test").flatMap((source) =>
      titlesIn(source)
        .filter((title) => PREPOSITIONS.test(title))
        .map((title) => `${source.path}: "${title}"`),
    );
    expect(unclear).toEqual([]);
  });
});

describe("the counting itself", () => {
  it("finds titles of tests, alone and of a table, and no others", () => {
    const text =
      'it("of a"); it.each([1])("that b", () => {}); describe("of c"); it.skipIf(true)("in d"); run("of e");';
    expect(titlesIn({ path: "test/a.test.ts", text })).toEqual(["of a", "that b", "in d"]);
  });

  it("tells a preposition from a word that begins like one", () => {
    expect(["of a", "That b", "offers c", "into d", "thatch e"].map((title) => PREPOSITIONS.test(title))).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
  });

  it("finds casts, each of a chain, but for those to a constant", () => {
    const text = "a as B; a as unknown as B; a!.b; <B>a; [1] as const; import { a as b } from 'c'; // a as B";
    expect(castsIn({ path: "src/a.ts", text })).toBe(5);
  });

  it("finds words with krw in any spelling", () => {
    expect(occurrences([{ path: "src/a.ts", text: "maxKrw max_krw KRW Krw. won" }], /\w*krw\w*/gi)).toBe(4);
  });
});
