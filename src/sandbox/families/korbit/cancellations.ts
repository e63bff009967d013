/**
 * Cancellations that were taken and are carried out a moment later, as Korbit's are. Entry point: `Cancellations`.
 *
 * Invariant: at the end of the sandbox what was taken is carried out; a crash forgets it, and the order stays.
 */
import type { Millis, OrderRecord } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";

interface Waiting {
  readonly timer: NodeJS.Timeout;
  readonly run: () => void;
}

export class Cancellations {
  readonly #service: Pick<Service, "journaled" | "now" | "onDefect">;
  readonly #waiting = new Map<string, Waiting>();

  constructor(service: Pick<Service, "journaled" | "now" | "onDefect">) {
    this.#service = service;
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
    this.#waiting.set(orderId, { timer: setTimeout(run, ms).unref(), run });
  }

  isUnderWay(orderId: string): boolean {
    return this.#waiting.has(orderId);
  }

  close(): void {
    for (const { timer, run } of [...this.#waiting.values()]) {
      clearTimeout(timer);
      run();
    }
  }
}
