/**
 * Puts one entry into a person's file, and leaves the rest of it as it was written: other entries, comments, order, indentation, line ends.
 *
 * Invariant: what comes out is read again and compared: a file in which anything else would have changed its meaning, or that does not parse, is
 * refused and not touched.
 */
import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type ParseError, parse as parseJson } from "jsonc-parser";
import { parse as parseToml, stringify } from "smol-toml";
import type { InitSay } from "./init-words.ts";

type Values = Readonly<Record<string, unknown>>;

/** The text as it should be, or why the file is better left alone. */
export type Edited = { readonly text: string } | { readonly problem: Problem };
export type Problem = (say: InitSay) => string;

/** @param text undefined where there is no file */
export function withJsonEntry(text: string | undefined, section: string, name: string, entry: Values): Edited {
  if (text === undefined || text.trim() === "")
    return { text: JSON.stringify({ [section]: { [name]: entry } }, null, 2).concat("\n") };
  const before = readJson(text);
  if (before === undefined) return { problem: (say) => say("file.not_json") };
  if (before[section] !== undefined && !isTable(before[section]))
    return { problem: (say) => say("file.no_object", { section }) };
  const isNew = (before[section] as Values | undefined)?.[name] === undefined;
  const depth = isNew && before[section] === undefined ? 1 : 2;
  const edits = modify(text, [section, name], entry, {}).map((edit) => ({
    ...edit,
    content: laidOut(edit.content, depth, text, isNew),
  }));
  const after = applyEdits(text, edits);
  return checked(after, before, readJson(after), [section, name, entry]);
}

/** @param text undefined where there is no file */
export function withTomlTable(text: string | undefined, section: string, name: string, table: Values): Edited {
  const eol = eolOf(text ?? "");
  const block = stringify({ [section]: { [name]: table } })
    .trim()
    .replaceAll("\n", eol);
  if (text === undefined || text.trim() === "") return { text: `${block}${eol}` };
  const before = readToml(text);
  if (before === undefined) return { problem: (say) => say("file.not_toml") };
  const after = placed(text, block, tableHead(section, name), eol);
  return checked(after, before, readToml(after), [section, name, table]);
}

function checked(
  text: string,
  before: Values,
  after: Values | undefined,
  [section, name, entry]: readonly [string, string, Values],
): Edited {
  const given = after?.[section];
  const isEntered = isTable(given) && isDeepStrictEqual(plain(given[name]), plain(entry));
  if (after === undefined || !isEntered || !isDeepStrictEqual(rest(before, section, name), rest(after, section, name)))
    return { problem: (say) => say("file.cannot_add", { section }) };
  return { text };
}

/** All but one entry. */
function rest(values: Values, section: string, name: string): unknown {
  const { [section]: entries = {}, ...others } = values;
  const { [name]: _, ...more } = entries as Values;
  return [others, more];
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

function isTable(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readJson(text: string): Values | undefined {
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true });
  return errors.length === 0 && isTable(value) ? value : undefined;
}

function readToml(text: string): Values | undefined {
  try {
    return parseToml(text);
  } catch {
    // Whatever is wrong with it, the file is its owner's to repair.
    return undefined;
  }
}

/** What is put in, on lines of its own; the formatter of the library would lay out its neighbours anew too. */
function laidOut(content: string, depth: number, text: string, isNew: boolean): string {
  const [, space = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  const eol = eolOf(text);
  const indent = space.startsWith("\t") ? "\t" : space;
  const pretty = (json: string): string =>
    JSON.stringify(JSON.parse(json), null, indent).replaceAll("\n", eol + indent.repeat(depth));
  if (!isNew) return pretty(content);
  const [, comma = "", key = "", value = ""] = /^(,?)\s*("[^"]+"):\s*(.*)$/s.exec(content) ?? [];
  const end = comma === "" ? eol + indent.repeat(depth - 1) : "";
  return `${comma}${eol}${indent.repeat(depth)}${key}: ${pretty(value)}${end}`;
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Matches the line that begins the table, or one inside of it. */
function tableHead(section: string, name: string): RegExp {
  const word = (text: string): string => `(?:${text}|"${text}"|'${text}')`.replaceAll("-", "\\-");
  return new RegExp(`^\\s*\\[\\s*${word(section)}\\s*\\.\\s*${word(name)}\\s*(?:\\.[^\\]]*)?\\]`);
}

const ANY_HEAD = /^\s*\[/;
/** Belongs to what follows, where it ends a table. */
const NOTHING = /^\s*(?:#.*)?$/;

/** In the place of the table where there is one, else at the end. */
function placed(text: string, block: string, head: RegExp, eol: string): string {
  const lines = text.split(eol);
  const kept: string[] = [];
  let at: number | undefined;
  for (let line = 0; line < lines.length; line += 1) {
    if (!head.test(lines[line] ?? "")) {
      kept.push(lines[line] ?? "");
      continue;
    }
    at ??= kept.length;
    let end = line + 1;
    while (end < lines.length && !ANY_HEAD.test(lines[end] ?? "")) end += 1;
    const isLast = !head.test(lines[end] ?? "");
    while (isLast && end > line + 1 && NOTHING.test(lines[end - 1] ?? "")) end -= 1;
    line = end - 1;
  }
  if (at === undefined) return `${text}${text.endsWith(eol) ? "" : eol}${eol}${block}${eol}`;
  return [...kept.slice(0, at), block, ...kept.slice(at)].join(eol);
}
