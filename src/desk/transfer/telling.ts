/**
 * Which ends of transfers somebody has heard of, so that one whose process died before it could speak is not asked for anew unawares.
 *
 * Invariant: it is noted behind the answer, never before. This process itself knows it at once.
 */
import { tried } from "../context.ts";
import type { TransferJournal } from "./ports.ts";

export class TransferTelling {
  private readonly journal: TransferJournal;
  private readonly said = new Set<string>();
  private readonly underWay = new Set<Promise<void>>();

  constructor(journal: TransferJournal) {
    this.journal = journal;
  }

  /** What became of it is about to be answered. */
  say(transferId: string): void {
    this.said.add(transferId);
    const noting = new Promise<void>((resolve, reject) => {
      process.nextTick(() => this.note(transferId).then(resolve, reject));
    });
    this.underWay.add(noting);
    void noting.finally(() => this.underWay.delete(noting));
  }

  /** Whether this process has just answered what became of it. */
  hasSaid(transferId: string): boolean {
    return this.said.has(transferId);
  }

  /** Resolves when all that was told is noted. */
  async rest(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  private async note(transferId: string): Promise<void> {
    const noted = await tried(() => this.journal.heard(transferId));
    if (noted.fault === undefined) this.said.delete(transferId);
  }
}
