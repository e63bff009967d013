/**
 * Owns the questions that are out: each random, for one purpose and one session of the console, answered once and soon.
 *
 * Source: decision 0045.
 */
import { randomBytes } from "node:crypto";

export const CHALLENGE_MS = 120_000;
/** Bounds those of one session at once; its oldest gives way, and nobody else's. */
const KEPT_MAX = 8;
const BYTES = 32;

interface Asked<About> {
  readonly about: About;
  readonly session: object;
  readonly endsAtMs: number;
}

/** @typeParam About what the answer is to be for */
export class Challenges<About> {
  readonly #now: () => number;
  readonly #asked = new Map<string, Asked<About>>();

  /** @param now milliseconds that only rise */
  constructor(now: () => number) {
    this.#now = now;
  }

  ask(about: About, session: object): Buffer {
    const challenge = randomBytes(BYTES);
    for (const [key, { endsAtMs }] of this.#asked) if (endsAtMs <= this.#now()) this.#asked.delete(key);
    this.#asked.set(challenge.toString("base64url"), { about, session, endsAtMs: this.#now() + CHALLENGE_MS });
    const own = [...this.#asked].filter(([, asked]) => asked.session === session);
    for (const [key] of own.slice(0, -KEPT_MAX)) this.#asked.delete(key);
    return challenge;
  }

  /** Uses it up, also where it is another session that brings it. @param challenge as base64url @returns undefined where it does not stand */
  take(challenge: string, session: object): About | undefined {
    const asked = this.#asked.get(challenge);
    this.#asked.delete(challenge);
    return asked?.session === session && this.#now() < asked.endsAtMs ? asked.about : undefined;
  }
}
