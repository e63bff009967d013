/** The token of one connection: asked for once, and again when it was refused or may soon run out. */
import { LIMITS, ok, type Result } from "../../contract/index.ts";
import type { ClientClock } from "../request/ports.ts";
import type { StreamReader } from "./ports.ts";

const MAX_AGE_MS = LIMITS.streamTokenTtlMs / 2;

export class SessionToken {
  readonly #reader: StreamReader;
  readonly #clock: ClientClock;
  #asked: { readonly answer: Promise<Result<string>>; readonly atMs: number } | undefined;

  constructor(reader: StreamReader, clock: ClientClock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  async get(): Promise<Result<string>> {
    const now = this.#clock.now();
    if (this.#asked === undefined || now - this.#asked.atMs > MAX_AGE_MS)
      this.#asked = { answer: this.#ask(), atMs: now };
    const { answer } = this.#asked;
    const token = await answer;
    if (!token.ok && this.#asked?.answer === answer) this.#asked = undefined;
    return token;
  }

  /** The next one is a new one. */
  forget(): void {
    this.#asked = undefined;
  }

  async #ask(): Promise<Result<string>> {
    const answer = await this.#reader.streamToken();
    return answer.ok ? ok(answer.value.token) : answer;
  }
}
