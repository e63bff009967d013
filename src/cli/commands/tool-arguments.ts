/**
 * A tool's arguments from the words of a command line: one JSON object, `--field value` pairs, or both (pairs win).
 *
 * A word stays text unless the tool's schema says that the field is a whole number, a boolean or a list; amounts are always
 * text. Unknown fields are passed on: the tool refuses them itself, with the message that an assistant gets.
 */

import { quoted } from "../../contract/index.ts";
import { UsageError } from "../failure.ts";
import { table } from "../text/table.ts";

interface FieldSchema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
}

type Fields = Readonly<Record<string, FieldSchema>>;
type Schema = Readonly<Record<string, unknown>>;

export function parseArguments(words: readonly string[], schema: Schema): object {
  const fields = fieldsOf(schema);
  const pairs = new Map<string, unknown>();
  let object = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("--")) {
      object = { ...object, ...parseObject(word) };
      continue;
    }
    const [name = "", inline] = word.slice(2).split(/=(.*)/s);
    const field = name.replaceAll("-", "_");
    const type = fields[field]?.type;
    const next = words[at + 1]?.startsWith("--") === true ? undefined : words[at + 1];
    const isBare = inline === undefined && next === undefined && type === "boolean";
    const value = isBare ? "true" : (inline ?? next);
    if (value === undefined) throw new UsageError(`--${name} has no value.`, `Write --${name} VALUE.`);
    if (inline === undefined && !isBare) at += 1;
    if (pairs.has(field)) throw new UsageError(`--${name} is given twice.`, "Give each field once.");
    pairs.set(field, convert(name, value, type));
  }
  return { ...object, ...Object.fromEntries(pairs) };
}

/** The fields of a tool, one a line. */
export function fieldTable(schema: Schema): string {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const rows = Object.entries(fieldsOf(schema)).map(([name, field]) => [
    `  --${name.replaceAll("_", "-")}`,
    field.enum?.join("|") ?? TYPE_WORDS[String(field.type)] ?? "text",
    required.includes(name) ? "required" : "",
    field.description ?? "",
  ]);
  return rows.length === 0 ? "  none" : table(["", "", "", ""], rows).trimStart().replace(/^/, "  ");
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  boolean: "true|false",
  integer: "whole number",
  array: "list, with commas",
  object: "JSON object",
};

function fieldsOf(schema: Schema): Fields {
  return (schema["properties"] ?? {}) as Fields;
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(
    `${quoted(text, 40)} is not a JSON object.`,
    `Write arguments as '{"symbol":"BTC/KRW"}' or as --symbol BTC/KRW.`,
  );
}

function convert(name: string, text: string, type: unknown): unknown {
  if (type === "array") return text.split(",").map((part) => part.trim());
  if (type === "object") return parseObject(text);
  if (type === "boolean") {
    if (text !== "true" && text !== "false")
      throw new UsageError(`--${name} is neither true nor false.`, "Write true or false.");
    return text === "true";
  }
  // Only counts (depth, limit, seconds) are numbers in the tools' schemas; amounts are strings.
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text); // not money: a count
  return text;
}
