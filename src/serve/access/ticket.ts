/** Owns random values that are worth something for a while. Invariant: what is looked up says nothing of what is kept. */
import { randomBytes } from "node:crypto";
import { digestOf } from "../../config/index.ts";

const SECRET_BYTES = 32;
/** At once; the oldest gives way. */
const KEPT_MAX = 32;

/** 32 random bytes as text. */
export function secretText(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

interface Kept<Value> {
  readonly value: Value;
  readonly endsAtMs: number;
}

export class Tickets<Value> {
  readonly #lifeMs: number;
  readonly #now: () => number;
  readonly #onEnd: (value: Value) => void;
  /** Keyed by digest, oldest first. */
  readonly #kept = new Map<string, Kept<Value>>();

  /**
   * @param now milliseconds that only rise
   * @param onEnd told of each once, when it is worth nothing any more
   */
  constructor(lifeMs: number, now: () => number, onEnd: (value: Value) => void = ignored) {
    this.#lifeMs = lifeMs;
    this.#now = now;
    this.#onEnd = onEnd;
  }

  issue(value: Value): string {
    return this.issueWith(() => value);
  }

  /** @param worth what it is worth, by its text */
  issueWith(worth: (ticket: string) => Value): string {
    this.sweep();
    const ticket = secretText();
    this.keep(ticket, worth(ticket), this.#lifeMs);
    for (const key of [...this.#kept.keys()].slice(0, -KEPT_MAX)) this.#end(key);
    return ticket;
  }

  /** Keeps one that was issued elsewhere; none gives way to it. */
  keep(ticket: string, value: Value, lifeMs: number): void {
    this.#kept.set(digestOf(ticket), { value, endsAtMs: this.#now() + lifeMs });
  }

  /** The one that is meant. */
  one(isMeant: (value: Value) => boolean): Value | undefined {
    return [...this.#kept.values()].find(({ value }) => isMeant(value))?.value;
  }

  /** Ends the oldest of those that may end, as long as there is no room for one more. @returns whether there is */
  makeRoom(mayEnd: (value: Value) => boolean): boolean {
    this.sweep();
    for (const [key, { value }] of this.#kept) {
      if (this.#kept.size < KEPT_MAX) break;
      if (mayEnd(value)) this.#end(key);
    }
    return this.#kept.size < KEPT_MAX;
  }

  find(ticket: string): Value | undefined {
    const kept = this.#kept.get(digestOf(ticket));
    return kept === undefined || this.#isOver(kept) ? undefined : kept.value;
  }

  /** Once. */
  take(ticket: string): Value | undefined {
    const value = this.find(ticket);
    this.#end(digestOf(ticket));
    return value;
  }

  /** Ends those whose time is over, and those that are meant. */
  sweep(isMeant: (value: Value) => boolean = () => false): void {
    for (const [key, kept] of this.#kept) if (this.#isOver(kept) || isMeant(kept.value)) this.#end(key);
  }

  #isOver({ endsAtMs }: Kept<Value>): boolean {
    return this.#now() >= endsAtMs;
  }

  #end(key: string): void {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    if (kept !== undefined) this.#onEnd(kept.value);
  }
}

function ignored(): void {
  // Nobody waits for it.
}
