/** The token of one connection: requested once, and again when it was refused or may soon expire. */
import { LIMITS, ok, type Result } from "../../../contract/index.ts";
import type { ClientClock } from "../../../transport/index.ts";
import type { StreamReader } from "./ports.ts";

const MAX_AGE_MS = LIMITS.streamTokenTtlMs / 2;

export class SessionToken {
  readonly #reader: StreamReader;
  readonly #clock: ClientClock;
  #current: { readonly answer: Promise<Result<string>>; readonly atMs: number } | undefined;

  constructor(reader: StreamReader, clock: ClientClock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  async get(): Promise<Result<string>> {
    const now = this.#clock.now();
    if (this.#current === undefined || now - this.#current.atMs > MAX_AGE_MS)
      this.#current = { answer: this.#request(), atMs: now };
    const { answer } = this.#current;
    const token = await answer;
    if (!token.ok && this.#current?.answer === answer) this.#current = undefined;
    return token;
  }

  /** The next `get` requests a new one. */
  forget(): void {
    this.#current = undefined;
  }

  async #request(): Promise<Result<string>> {
    const answer = await this.#reader.streamToken();
    return answer.ok ? ok(answer.value.token) : answer;
  }
}
