/**
 * Owns a secret value that does not print: not in a template, not in JSON, not in an inspected object or an error.
 * `reveal` is the only way to it, and is called where a request is signed.
 *
 * Invariant: whatever was made a `Secret` is known to the process's scrubber, so it does not leave after `reveal` either.
 *
 * Source: architecture.md#rule-9.
 */
import { HIDDEN, scrubber } from "./scrubber.ts";

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    scrubber.add(value);
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return HIDDEN;
  }
}
