/**
 * The paper exchange while this process hosts it. An exchange whose disk failed takes no more orders until it is read from disk
 * again, and nobody else may do that while we hold the lock: so it is closed and reopened here.
 *
 * Invariants: only a failed exchange is reopened, and one at a time; what it knows afterwards is what is on disk.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Sandbox } from "../../sandbox/index.ts";

export interface PaperHostParts {
  /** Starts it from disk, where it was if that is possible. Rejects while the disk does not work. */
  readonly reopen: (previousUrl: string) => Promise<Sandbox>;
  /** Told in a sentence what happened and what is being done. */
  readonly tell: (message: string) => void;
}

/** Between two looks, and two attempts. */
const PAUSE_MS = 1_500;

export class PaperHost {
  private current: Sandbox;
  private readonly parts: PaperHostParts;
  private readonly closing = new AbortController();
  private readonly looking: NodeJS.Timeout;
  private repair: Promise<void> | undefined;

  constructor(sandbox: Sandbox, parts: PaperHostParts) {
    this.current = sandbox;
    this.parts = parts;
    this.looking = setInterval(() => this.look(), PAUSE_MS);
    this.looking.unref();
  }

  /** The exchange as it was last opened; closed while it is being repaired. */
  get sandbox(): Sandbox {
    return this.current;
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.looking);
    await this.repair;
    await this.current.close();
  }

  private look(): void {
    if (this.current.failed === undefined || this.repair !== undefined) return;
    this.repair = this.mend(this.current.failed).finally(() => {
      this.repair = undefined;
    });
  }

  private async mend(reason: string): Promise<void> {
    const { baseUrl } = this.current;
    const { tell, reopen } = this.parts;
    tell(`The paper exchange at ${baseUrl} stopped: ${reason}. It is being reopened from disk.`);
    await this.current.close().catch((error: unknown) => tell(`Closing it failed: ${messageOf(error)}.`));
    let told: string | undefined;
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        this.current = await reopen(baseUrl);
        tell(`The paper exchange is open again at ${this.current.baseUrl}, as it was on disk.`);
        return;
      } catch (error) {
        const message = messageOf(error);
        if (message !== told) tell(`The paper exchange cannot be reopened yet: ${message}. This is tried again.`);
        told = message;
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
