/**
 * Cancellations that were taken and are carried out a moment later, as Korbit's are. Entry point: `Cancellations`.
 *
 * Invariant: at the end of the sandbox what was taken is carried out; a crash forgets it, and the order stays.
 */
import type { Millis, OrderRecord } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";

/** Runs something after a time; what it returns gives it up. */
export type Later = (ms: Millis, run: () => void) => () => void;

const later: Later = (ms, run) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

interface Waiting {
  readonly giveUp: () => void;
  readonly run: () => void;
}

export class Cancellations {
  readonly #service: Pick<Service, "journaled" | "now" | "onDefect">;
  readonly #later: Later;
  readonly #waiting = new Map<string, Waiting>();

  constructor(service: Pick<Service, "journaled" | "now" | "onDefect">, after: Later = later) {
    this.#service = service;
    this.#later = after;
  }

  take({ orderId, accountId, symbol }: OrderRecord, ms: Millis): void {
    const run = (): void => {
      const { journaled, now, onDefect } = this.#service;
      this.#waiting.delete(orderId);
      if (journaled.failed !== undefined) return;
      try {
        // One that has ended since is left alone.
        journaled.apply({ type: "cancel", accountId, symbol, orderId }, now());
      } catch (error) {
        onDefect(error);
      }
    };
    this.#waiting.set(orderId, { giveUp: this.#later(ms, run), run });
  }

  isUnderWay(orderId: string): boolean {
    return this.#waiting.has(orderId);
  }

  close(): void {
    for (const { giveUp, run } of [...this.#waiting.values()]) {
      giveUp();
      run();
    }
  }
}
