/**
 * Owns whether the chain of the audit log holds, as it was last checked. A check reads the whole log, so it runs beside what is asked, and seldom.
 *
 * Invariant: one check runs at a time; whoever asks gets the last result at once.
 */
import type { ConsoleAudit } from "./console-api.ts";

/** The store's own check. */
export type CheckChain = () => Promise<
  { readonly ok: true } | { readonly ok: false; readonly seq: number; readonly what: string }
>;

export interface ChainCheckParts {
  readonly check: CheckChain;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

const AGAIN_MS = 5 * 60_000;
/** After one that could not be made. */
const RETRY_MS = 30_000;

export class ChainCheck {
  readonly #parts: ChainCheckParts;
  #latest: ConsoleAudit["chain"] = null;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ChainCheckParts) {
    this.#parts = parts;
  }

  /** Begins another check where the last is old. */
  latest(): ConsoleAudit["chain"] {
    const { now, onError } = this.#parts;
    if (now() >= this.#nextMs) {
      this.#nextMs = Number.POSITIVE_INFINITY;
      this.#check().then(
        () => {
          this.#nextMs = now() + AGAIN_MS;
        },
        (error: unknown) => {
          this.#nextMs = now() + RETRY_MS;
          onError(error);
        },
      );
    }
    return this.#latest;
  }

  async #check(): Promise<void> {
    const { check, now } = this.#parts;
    const checked_at = new Date(now()).toISOString();
    const verdict = await check();
    this.#latest = verdict.ok
      ? { holds: true, checked_at }
      : { holds: false, checked_at, message: `Entry ${verdict.seq}: ${verdict.what}. hoga audit verify tells more.` };
  }
}
