/**
 * Owns taking secrets out of text that leaves the process. A `Secret` hides itself; this hides its value wherever it appears after
 * it was read: echoed by the exchange, quoted in an error, encoded, escaped, in parts of twelve characters and more.
 *
 * Entry points: `scrubber`, the one of this process or of a run in it, which every `Secret` joins when it is made;
 * `withOwnScrubber`, which begins such a run; and `Scrubber` for tests.
 * Invariant: a value without a secret in it comes back as the same object, nearly always after one search.
 *
 * Source: architecture.md#rule-9.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { isFreeOfSecrets, redacted } from "../../contract/index.ts";
import { bytesOf, type Span } from "./decoding.ts";
import { SECRET_MIN, SecretSearch } from "./secret-search.ts";

/** Stands in a secret's place. */
export const HIDDEN = "[secret]";

export class Scrubber {
  readonly #values = new Set<string>();
  /** Made at the next use, so that no start pays for it. */
  #search: SecretSearch | undefined;

  constructor(values: Iterable<string> = []) {
    for (const value of values) this.add(value);
  }

  /** From now on this value does not leave. Values under six characters are no secrets. */
  add(value: string): void {
    if (value.length < SECRET_MIN || this.#values.has(value)) return;
    this.#values.add(value);
    this.#search = undefined;
  }

  text(text: string): string {
    if (this.#values.size === 0) return text;
    this.#search ??= new SecretSearch(this.#values);
    const bytes = bytesOf(text);
    const found = this.#search.find(bytes);
    return found.length === 0 ? text : Buffer.from(hidden(bytes, found), "latin1").toString("utf8");
  }

  /** The same for every string of a JSON value at any depth, names of fields included. What JSON has no form for is lost. */
  value<T>(json: T): T {
    return this.#isClean(JSON.stringify(json)) ? json : (this.#redacted(json) as T);
  }

  /** The text of such a value: the one that was searched, where nothing was found in it. */
  json(value: unknown): string {
    const image = JSON.stringify(value);
    return this.#isClean(image) ? image : JSON.stringify(this.#redacted(value));
  }

  /** @param image undefined of what JSON has no form for */
  #isClean(image: string | undefined): boolean {
    return image === undefined || isFreeOfSecrets(image, (text) => this.text(text));
  }

  #redacted(value: unknown): unknown {
    return redacted(value, (text) => this.text(text));
  }
}

/** @param found in any order, some in others */
function hidden(bytes: string, found: readonly Span[]): string {
  let [left, from] = ["", 0];
  for (const { start, end } of [...found].sort((one, other) => one.start - other.start)) {
    const isApart = start > from || from === 0;
    if (isApart) left += bytes.slice(from, Math.max(start, from)) + HIDDEN;
    from = Math.max(from, end);
  }
  return left + bytes.slice(from);
}

const shared = new Scrubber();
const own = new AsyncLocalStorage<Scrubber>();

/**
 * Belongs to this process, or to a run that has its own. Everything that leaves passes through it, by way of `cli/output.ts`,
 * `serve/stdio.ts` and `serve/http.ts`.
 */
export const scrubber: Pick<Scrubber, "add" | "text" | "value" | "json"> = {
  add: (value) => current().add(value),
  text: (text) => current().text(text),
  value: (json) => current().value(json),
  json: (value) => current().json(value),
};

function current(): Scrubber {
  return own.getStore() ?? shared;
}

/** Runs work that keeps its secrets from its own outputs, and leaves nothing of them to others in the process. */
export function withOwnScrubber<T>(work: () => T): T {
  return own.run(new Scrubber(), work);
}
