/**
 * Owns taking secrets out of text that leaves the process. A `Secret` hides itself; this hides its value wherever it appears after
 * it was read: echoed by the exchange, quoted in an error, encoded, escaped, cut short.
 *
 * Entry points: `scrubber`, the one of this process or of a run in it, which every `Secret` joins when it is made;
 * `withOwnScrubber`, which begins such a run; and `Scrubber` for tests.
 * Invariant: a value without a secret in it comes back as the same object, nearly always after one test of one expression.
 *
 * Source: architecture.md#rule-9.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { redacted } from "../contract/index.ts";
import { type Spelling, spellingsOf } from "./spelling.ts";

/** What stands in a secret's place. */
export const HIDDEN = "[secret]";

/** A shorter value would be found in prices and words that have nothing to do with it. */
const VALUE_MIN = 6;

export class Scrubber {
  readonly #values = new Set<string>();
  /** Made at the next use, and the part that takes longer at the first hit, so that no start pays for it. */
  #patterns: Patterns | undefined;

  constructor(values: Iterable<string> = []) {
    for (const value of values) this.add(value);
  }

  /** From now on this value does not leave. Values under six characters are no secrets. */
  add(value: string): void {
    if (value.length < VALUE_MIN || this.#values.has(value)) return;
    this.#values.add(value);
    this.#patterns = undefined;
  }

  text(text: string): string {
    if (this.#values.size === 0) return text;
    this.#patterns ??= new Patterns(this.#values);
    return this.#patterns.suspect.test(text) ? this.#patterns.hideIn(text) : text;
  }

  /** The same for every string of a JSON value at any depth, names of fields included. What JSON has no form for is lost. */
  value<T>(json: T): T {
    const image = JSON.stringify(json);
    if (image === undefined || this.text(image) === image) return json;
    return redacted(json, (text) => this.text(text)) as T;
  }
}

class Patterns {
  /** Beginnings only. */
  readonly suspect: RegExp;
  readonly #spellings: readonly Spelling[];
  #whole: readonly RegExp[] | undefined;

  constructor(values: Iterable<string>) {
    this.#spellings = [...values].flatMap(spellingsOf);
    this.suspect = new RegExp(this.#spellings.map(({ start }) => start).join("|"));
  }

  hideIn(text: string): string {
    this.#whole ??= this.#spellings.map((spelling) => new RegExp(spelling.whole(), "g"));
    return this.#whole.reduce((cleaned, pattern) => cleaned.replace(pattern, HIDDEN), text);
  }
}

const shared = new Scrubber();
const own = new AsyncLocalStorage<Scrubber>();

/** Of this process, or of a run that has its own. Everything that leaves passes through it, by way of `cli/output.ts`, `serve/stdio.ts` and `serve/http.ts`. */
export const scrubber: Pick<Scrubber, "add" | "text" | "value"> = {
  add: (value) => current().add(value),
  text: (text) => current().text(text),
  value: (json) => current().value(json),
};

function current(): Scrubber {
  return own.getStore() ?? shared;
}

/** Runs work that keeps its secrets from its own outputs, and leaves nothing of them to others in the process. */
export function withOwnScrubber<T>(work: () => T): T {
  return own.run(new Scrubber(), work);
}
