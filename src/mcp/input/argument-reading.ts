/**
 * Owns how arguments are read that a host has written in its own way, for every tool and prompt: from the JSON Schema alone.
 *
 * - `null` and `""` for a field that may be left out are that it is left out; a field that has to be there is refused when it is empty.
 * - JSON text is read where an object or a list is wanted, `"5"` where a whole number is, `"true"` and `"false"` where a flag is.
 * - Texts stay as they are, so that an amount is the one that was sent.
 *
 * Invariants: what was read is held to the same strict schema as what was sent in the right form; reading it again changes nothing; where leaving
 * a field out makes a write larger, an empty text is refused and never taken for that.
 *
 * Source: decision 0080.
 */
import { type InputProblem, named, quote } from "./input-problem.ts";
import { isObject, type JsonText, readJsonText } from "./json-text.ts";

/** The part of a JSON Schema by which arguments are read. */
export interface ReadSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, ReadSchema>>;
  readonly required?: readonly string[];
  readonly items?: ReadSchema;
}

interface ReadArguments {
  readonly value: unknown;
  /** Names what could not be read, or must not. */
  readonly problems: readonly InputProblem[];
}

/** @param narrowing fields that say what a write is about, and without which it is about all */
export function readArguments(given: unknown, schema: ReadSchema, narrowing: readonly string[] = []): ReadArguments {
  const problems: InputProblem[] = [];
  const value = new Reader(narrowing, (field, message) => problems.push({ field, message })).read(given, schema, []);
  return { value, problems };
}

type Path = readonly string[];

class Reader {
  readonly #narrowing: readonly string[];
  readonly #refuse: (field: string, message: string) => void;

  constructor(narrowing: readonly string[], refuse: (field: string, message: string) => void) {
    this.#narrowing = narrowing;
    this.#refuse = refuse;
  }

  read(given: unknown, schema: ReadSchema, path: Path): unknown {
    switch (schema.type) {
      case "object":
        return this.#fields(this.#unpacked(given, path, isObject), schema, path);
      case "array":
        return this.#items(this.#unpacked(given, path, Array.isArray), schema, path);
      case "integer":
        return typeof given === "string" && INTEGER.test(given) ? Number(given) : given; // not money: a count
      case "boolean":
        return given === "true" || given === "false" ? given === "true" : given;
      default:
        return given;
    }
  }

  /** Leaves what is not JSON of this kind as it is: the schema says what it should be. */
  #unpacked(given: unknown, path: Path, isKind: (value: unknown) => boolean): unknown {
    if (typeof given !== "string") return given;
    const text: JsonText = readJsonText(given);
    if (text.ok) return isKind(text.value) ? text.value : given;
    if (text.doubled !== undefined) this.#refuse(path.join("."), doubledKey(named(path), text.doubled));
    return given;
  }

  #fields(given: unknown, { properties = {}, required = [] }: ReadSchema, path: Path): unknown {
    if (!isObject(given)) return given;
    const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const here = [...path, name];
      if (field === undefined || this.#isRefused(value, here, required.includes(name))) return [[name, value]];
      const isLeftOut = (value === null || value === "") && !required.includes(name);
      return isLeftOut ? [] : [[name, this.read(value, field, here)]];
    });
    return Object.fromEntries(entries);
  }

  #isRefused(value: unknown, path: Path, isRequired: boolean): boolean {
    const name = path.join(".");
    if (value !== "") return false;
    if (isRequired) this.#refuse(name, `${named(path)} is empty, and has to be there`);
    else if (this.#narrowing.includes(name))
      this.#refuse(name, `${named(path)} is empty: say which one is meant, or leave it out to mean all`);
    else return false;
    return true;
  }

  #items(given: unknown, { items }: ReadSchema, path: Path): unknown {
    if (!Array.isArray(given) || items === undefined) return given;
    return given.map((item, at) => this.read(item, items, [...path, String(at)]));
  }
}

/** @param where the text stands */
export function doubledKey(where: string, key: string): string {
  return `${where} came as JSON text in which ${quote(key)} stands twice: send it once`;
}

/** Matches what JSON writes, and is so short that it is exact. */
const INTEGER = /^(0|[1-9]\d{0,14})$/;
