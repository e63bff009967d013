/**
 * A tool's arguments from the words of a command line: one JSON object, `--field value` pairs, or both (pairs win).
 *
 * A word stays text unless the tool's schema says that the field is a whole number, a boolean or a list; amounts are
 * text on every road. Unknown fields are passed on, so that the tool itself refuses them in its own words.
 */
import { UsageError } from "./failure.ts";

interface FieldSchema {
  readonly type?: unknown;
}

export function parseArguments(words: readonly string[], schema: Readonly<Record<string, unknown>>): object {
  const fields = (schema["properties"] ?? {}) as Readonly<Record<string, FieldSchema>>;
  let found: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("--")) {
      found = { ...found, ...parseObject(word) };
      continue;
    }
    const [name = "", inline] = word.slice(2).split(/=(.*)/s);
    const field = name.replaceAll("-", "_");
    const type = fields[field]?.type;
    const next = words[at + 1];
    const bare = inline === undefined && type === "boolean" && (next === undefined || next.startsWith("--"));
    const value = bare ? "true" : (inline ?? words[++at]);
    if (value === undefined) throw new UsageError(`--${name} has no value.`, `Write --${name} VALUE.`);
    found[field] = convert(field, value, type);
  }
  return found;
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
    `${JSON.stringify(text.slice(0, 40))} is not a JSON object.`,
    `Write arguments as '{"symbol":"BTC/KRW"}' or as --symbol BTC/KRW.`,
  );
}

function convert(field: string, text: string, type: unknown): unknown {
  if (type === "array") return text.split(",").map((part) => part.trim());
  if (type === "object") return parseObject(text);
  if (type === "boolean") {
    if (text !== "true" && text !== "false")
      throw new UsageError(`--${field} is neither true nor false.`, "Write true or false.");
    return text === "true";
  }
  // Only counts (depth, limit, seconds) are numbers in the tools' schemas; amounts are strings.
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text); // not money: a count
  return text;
}
