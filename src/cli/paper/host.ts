/**
 * The paper exchange while this process hosts it. An exchange whose disk failed takes no more orders until it is read from disk
 * again. Only the process that holds the lock may do that, so it is closed and reopened here.
 *
 * Invariants: only a failed exchange is reopened, one attempt at a time; what it knows afterwards is what is on disk.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Sandbox } from "../../sandbox/index.ts";

export interface PaperHostParts {
  /** Starts it from disk, at the same address if that is possible. Rejects while the disk does not work. */
  readonly reopen: (previousUrl: string) => Promise<Sandbox>;
  /** Called with a sentence on what happened and what is being done. */
  readonly onTrouble: (message: string) => void;
}

/** Between two checks, and between two attempts. */
const PAUSE_MS = 1_500;

export class PaperHost {
  #current: Sandbox;
  readonly #parts: PaperHostParts;
  readonly #closing = new AbortController();
  readonly #checking: NodeJS.Timeout;
  #repair: Promise<void> | undefined;

  constructor(sandbox: Sandbox, parts: PaperHostParts) {
    this.#current = sandbox;
    this.#parts = parts;
    this.#checking = setInterval(() => this.#check(), PAUSE_MS);
    this.#checking.unref();
  }

  /** The exchange as it was last opened; closed while it is being repaired. */
  get sandbox(): Sandbox {
    return this.#current;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#checking);
    await this.#repair;
    await this.#current.close();
  }

  #check(): void {
    if (this.#current.failed === undefined || this.#repair !== undefined) return;
    this.#repair = this.#recover(this.#current.failed).finally(() => {
      this.#repair = undefined;
    });
  }

  async #recover(reason: string): Promise<void> {
    const { baseUrl } = this.#current;
    const { onTrouble, reopen } = this.#parts;
    onTrouble(`The paper exchange at ${baseUrl} stopped: ${reason}. It is being reopened from disk.`);
    await this.#current.close().catch((error: unknown) => onTrouble(`Closing it failed: ${messageOf(error)}.`));
    let lastMessage: string | undefined;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        this.#current = await reopen(baseUrl);
        onTrouble(`The paper exchange is open again at ${this.#current.baseUrl}, as it was on disk.`);
        return;
      } catch (error) {
        const message = messageOf(error);
        if (message !== lastMessage)
          onTrouble(`The paper exchange cannot be reopened yet: ${message}. This is tried again.`);
        lastMessage = message;
      }
      await pause(PAUSE_MS, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
