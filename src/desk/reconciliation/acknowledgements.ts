/**
 * Which ends somebody has heard of, orders' and transfers' alike, so that one whose process died before it could speak is not asked
 * for anew unawares.
 *
 * Invariant: it is noted behind the answer, never before, and nothing waits for it. This process itself knows it at once.
 */
import type { Result } from "../../contract/index.ts";
import { attempt } from "../core/store-result.ts";

export class Acknowledgements {
  /** Answered, and not on disk: not yet, or the disk fails. */
  readonly #acknowledged = new Set<string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #store: (id: string) => Promise<Result<void>>;

  /** @param heard notes on disk that somebody has heard of it */
  constructor(heard: (id: string) => Promise<Result<void>>) {
    this.#store = heard;
  }

  /** What became of these is about to be answered. */
  acknowledge(...ids: readonly string[]): void {
    for (const id of ids) this.#acknowledged.add(id);
    if (ids.length > 0) this.#behind(() => this.#record(ids));
  }

  /** As `say`, where it may be on disk already: most of what is shown was heard long ago. */
  acknowledgeIfPending(id: string, isUnheard: () => Promise<Result<boolean>>): void {
    this.#acknowledged.add(id);
    this.#behind(async () => {
      const { value } = await attempt(isUnheard);
      if (value === true) await this.#record([id]);
      else if (value === false) this.#acknowledged.delete(id);
    });
  }

  /** Whether this process has just answered what became of it. */
  isAcknowledged(id: string): boolean {
    return this.#acknowledged.has(id);
  }

  /** Once everything that the answer is on its way through has run. */
  #behind(work: () => Promise<void>): void {
    const noting = new Promise<void>((resolve, reject) => {
      process.nextTick(() => work().then(resolve, reject));
    });
    this.#pending.add(noting);
    void noting.finally(() => this.#pending.delete(noting));
  }

  async #record(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const noted = await attempt(() => this.#store(id));
      if (noted.fault === undefined) this.#acknowledged.delete(id);
    }
  }

  /** Resolves when all that was told is noted: a process that ends before would have it asked for anew. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }
}
