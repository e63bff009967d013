/**
 * Defects while plans are looked after: told to whoever runs the process, and what they came of left alone for a while, as all the other plans have to go on.
 *
 * Invariant: nothing of it throws; one thing is told of once a minute at most.
 *
 * Source: decision 0121.
 */
import type { ReadingParts } from "../../core/context.ts";

/** What has failed is left alone for so long. */
const LEFT_MS = 5_000;
const TOLD_EVERY_MS = 60_000;

interface Failed {
  readonly atMs: number;
  readonly toldMs: number;
  readonly inARow: number;
}

export class PlanDefects {
  readonly #parts: Pick<ReadingParts, "clock" | "onDefect">;
  /** By what failed, with times by `Clock.rising`. */
  readonly #failed = new Map<string, Failed>();

  constructor(parts: Pick<ReadingParts, "clock" | "onDefect">) {
    this.#parts = parts;
  }

  /** Whether it is left alone still. @param what the id of a plan, or what else it is */
  isLeft(what: string): boolean {
    const failed = this.#failed.get(what);
    return failed !== undefined && this.#parts.clock.rising() - failed.atMs < LEFT_MS;
  }

  /** @returns how often it has failed in a row */
  note(what: string, error: unknown): number {
    const atMs = this.#parts.clock.rising();
    const before = this.#failed.get(what);
    const isTold = before !== undefined && atMs - before.toldMs < TOLD_EVERY_MS;
    const inARow = (before?.inARow ?? 0) + 1;
    this.#failed.set(what, { atMs, toldMs: isTold ? before.toldMs : atMs, inARow });
    if (!isTold) this.#parts.onDefect?.(error);
    return inARow;
  }

  /** It went well. */
  clear(what: string): void {
    this.#failed.delete(what);
  }
}
