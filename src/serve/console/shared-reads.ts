/**
 * Owns that what many pages ask for is asked once: the exchange's rate limit is there for orders.
 *
 * Invariants: while something is being asked for, everybody waits for that answer; a failure counts for as long as an answer does; what is kept is
 * bounded in number.
 */
const KEPT_MAX = 256;

interface Kept {
  readonly answer: Promise<unknown>;
  staleAtMs: number;
}

export class SharedReads {
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  /** @param now milliseconds that only rise */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param name of the question: the same one has the same answer. @param freshMs how old the answer may be */
  read<Answer>(name: string, freshMs: number, ask: () => Promise<Answer>): Promise<Answer> {
    const kept = this.#kept.get(name);
    if (kept === undefined || this.#now() >= kept.staleAtMs) return this.renew(name, freshMs, ask);
    return kept.answer as Promise<Answer>;
  }

  /** Something was done: whoever reads from now on is to see it. */
  forget(): void {
    this.#kept.clear();
  }

  /** Reads as `read` does, where something has changed: whoever reads from now on gets this answer. */
  renew<Answer>(name: string, freshMs: number, ask: () => Promise<Answer>): Promise<Answer> {
    const answer = ask();
    const kept: Kept = { answer, staleAtMs: Number.POSITIVE_INFINITY };
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    for (const oldest of [...this.#kept.keys()].slice(0, -KEPT_MAX)) this.#kept.delete(oldest);
    const ended = (): void => {
      kept.staleAtMs = this.#now() + freshMs;
    };
    answer.then(ended, ended);
    return answer;
  }
}
