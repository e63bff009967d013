/**
 * Which outcomes, of orders and transfers alike, a caller has heard. One whose process died before it could answer, or whose caller had
 * gone, stays unacknowledged, so that the same request made again is not sent as a new one.
 *
 * Invariant: an acknowledgement is stored after the answer, never before, and nothing waits for it. This process knows it at once.
 *
 * Source: decision 0017.
 */
import type { Result } from "../../contract/index.ts";
import { attempt } from "../core/store-result.ts";
import type { Listener } from "../model/listener.ts";

export class Acknowledgements {
  /** Reported, and not on disk: not yet, or the disk fails. */
  readonly #acknowledged = new Set<string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #store: (id: string) => Promise<Result<void>>;

  /** @param store writes an acknowledgement to disk */
  constructor(store: (id: string) => Promise<Result<void>>) {
    this.#store = store;
  }

  /** As `acknowledge`, once the listener has been told. */
  toldTo(listener: Listener | undefined, ...ids: readonly string[]): void {
    const heard = (): void => this.acknowledge(...ids);
    if (listener?.whenHeard === undefined) heard();
    else if (ids.length > 0) listener.whenHeard(heard);
  }

  /** The outcomes of these were reported. */
  acknowledge(...ids: readonly string[]): void {
    for (const id of ids) this.#acknowledged.add(id);
    if (ids.length > 0) this.#behind(() => this.#record(ids));
  }

  /** As `acknowledge`, where it may be on disk already: most of what is shown was reported long ago. */
  acknowledgeIfPending(id: string, isUnacknowledged: () => Promise<Result<boolean>>): void {
    this.#acknowledged.add(id);
    this.#behind(async () => {
      const { value } = await attempt(isUnacknowledged);
      if (value === true) await this.#record([id]);
      else if (value === false) this.#acknowledged.delete(id);
    });
  }

  /** Whether this process has just reported its outcome. */
  isAcknowledged(id: string): boolean {
    return this.#acknowledged.has(id);
  }

  /** Starts the work in a later tick, after the answer was handed on. */
  #behind(work: () => Promise<void>): void {
    const storing = new Promise<void>((resolve, reject) => {
      process.nextTick(() => work().then(resolve, reject));
    });
    this.#pending.add(storing);
    void storing.finally(() => this.#pending.delete(storing));
  }

  async #record(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const stored = await attempt(() => this.#store(id));
      if (stored.fault === undefined) this.#acknowledged.delete(id);
    }
  }

  /** Resolves when all acknowledgements are stored: a process that ends before leaves outcomes unacknowledged. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }
}
