/**
 * Compares answers of an exchange with the schema that each is read by: fields that hoga does not read, and fields that it knows and that no
 * answer has. Names alone are kept, never what stands in a field.
 */
import type { z } from "zod";
import { parseExactJson } from "../../contract/index.ts";
import type { AnswerListener } from "../../transport/index.ts";

export interface FieldNews {
  /** Hoga reads them nowhere. */
  readonly unread: readonly string[];
  /** Hoga would read them where they are. */
  readonly missing: readonly string[];
}

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
}

const NAMES_MAX = 40;
const NAME_LENGTH_MAX = 60;

export class AnswerFields {
  /** By path: whether an answer had the field, where it had the object around it. */
  #known = new Map<string, boolean>();
  #unread = new Set<string>();
  /** Whether anything was compared at all: adapters that hand out no schema are checked by it alone. */
  #hasCompared = false;

  readonly inspect: AnswerListener = ({ status, body, response }) => {
    if (status < 200 || status >= 300) return;
    try {
      this.#compare(response, parseExactJson(new TextDecoder().decode(body)), "");
      this.#hasCompared = true;
    } catch {
      // What cannot be read is the reader's to say.
    }
  };

  /** What was seen since it was last taken; undefined where no answer was compared. */
  take(): FieldNews | undefined {
    const missing = [...this.#known].filter(([, seen]) => !seen).map(([path]) => path);
    const news = this.#hasCompared ? { unread: shown([...this.#unread]), missing: shown(missing) } : undefined;
    this.#known = new Map();
    this.#unread = new Set();
    this.#hasCompared = false;
    return news;
  }

  #compare(schema: z.ZodType, value: unknown, path: string): void {
    const { type, shape, element, innerType, in: before, out } = schema.def as unknown as Definition;
    if (innerType !== undefined) this.#compare(innerType, value, path);
    else if (before !== undefined && out !== undefined)
      this.#compare((before.def as unknown as Definition).type === "transform" ? out : before, value, path);
    else if (element !== undefined && Array.isArray(value))
      for (const each of value) this.#compare(element, each, path);
    else if (type === "object" && shape !== undefined && isObject(value)) this.#compareFields(shape, value, path);
  }

  #compareFields(shape: Readonly<Record<string, z.ZodType>>, value: Readonly<Record<string, unknown>>, path: string) {
    for (const [name, schema] of Object.entries(shape)) {
      const at = `${path}${path === "" ? "" : "."}${name}`;
      const isThere = value[name] !== undefined;
      this.#known.set(at, isThere || this.#known.get(at) === true);
      if (isThere) this.#compare(schema, value[name], at);
    }
    for (const name of Object.keys(value))
      if (!Object.hasOwn(shape, name)) this.#unread.add(`${path}${path === "" ? "" : "."}${name}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names are the exchange's: bounded, and of letters that do nothing to a terminal. */
function shown(names: readonly string[]): readonly string[] {
  return names.slice(0, NAMES_MAX).map((name) => name.replace(/[^\w.$-]/g, "?").slice(0, NAME_LENGTH_MAX));
}
