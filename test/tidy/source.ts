/**
 * What the tidy rules look at: source files as text and syntax tree, and violations as `file:line message`.
 *
 * A rule is a function from one source to its violations, so that the same function judges the tree and, in the rule's
 * own self-test, a sample that must not pass.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";

export interface Source {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export const ROOT = join(import.meta.dirname, "..", "..");
const notOurs = new Set(["node_modules", "dist", "coverage", "__snapshots__"]);

/** Paths of all files below a folder of the repository; none when the folder does not exist (yet). */
export function listFiles(folder: string): string[] {
  const absolute = join(ROOT, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { withFileTypes: true })
    .filter((entry) => !notOurs.has(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? listFiles(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
    .sort();
}

const known = new Map<string, Source>();

/** All TypeScript sources below the given folders; each is the same object every time. */
export function readSources(...folders: string[]): Source[] {
  return folders
    .flatMap(listFiles)
    .filter((path) => /\.(ts|tsx|mts)$/.test(path))
    .map((path) => {
      const source = known.get(path) ?? { path, text: readFileSync(join(ROOT, path), "utf8") };
      known.set(path, source);
      return source;
    });
}

export function lineAt(source: Source, offset: number): number {
  return source.text.slice(0, offset).split("\n").length;
}

export function violation(source: Source, offset: number, message: string): string {
  return `${source.path}:${lineAt(source, offset)} ${message}`;
}

/** Every node of the file's syntax tree with its parent, outermost first. A file that does not parse is an error. */
export function nodesOf(source: Source): { node: Node; parent: Node | undefined }[] {
  const { program, errors } = parseSync(source.path, source.text);
  const error = errors[0];
  if (error) throw new Error(violation(source, error.labels[0]?.start ?? 0, error.message));
  const found: { node: Node; parent: Node | undefined }[] = [];
  const visit = (value: unknown, parent: Node | undefined): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, parent);
    } else if (isNode(value)) {
      found.push({ node: value, parent });
      for (const field in value) visit(value[field], value);
    }
  };
  visit(program, undefined);
  return found;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";
}

/** Lines that match a pattern, as violations. */
export function matchingLines(source: Source, pattern: RegExp, message: string): string[] {
  return source.text
    .split("\n")
    .flatMap((line, index) => (pattern.test(line) ? [`${source.path}:${index + 1} ${message}`] : []));
}
