/**
 * Reads a list of the desk to its end, page by page. Entry point: `readPages`.
 *
 * Invariants: all of it or nothing is given back: a page that fails ends it with its fault. The client keeps the rate limits; where a turn did not
 * come in time, the page is asked for again. Pages after the first go behind every other call of the key. On a terminal stderr says how far it is.
 */
import { setTimeout as pause } from "node:timers/promises";
import { localFault, type Result } from "../contract/index.ts";
import { ExplainedError, FaultError, unwrap } from "./failure.ts";
import type { Invocation } from "./invocation.ts";

/** In a row, for one page. */
const TURNS_MAX = 10;
const TURN_WAIT_MS = 1_000;

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next_cursor: string | null;
}

export interface Reading<Entry> {
  readonly read: (cursor: string | undefined) => Promise<Result<Page<Entry>>>;
  /** Dates an entry, for the progress. */
  readonly timeOf: (entry: Entry) => string;
  readonly max: number;
}

/** @throws FaultError where a page failed; ExplainedError where the person at the terminal ended it */
export async function readPages<Entry>(run: Invocation, reading: Reading<Entry>): Promise<readonly Entry[]> {
  const progress = new Progress(run);
  let onInterrupt = (): void => {};
  const interrupted = new Promise<never>((_, reject) => {
    onInterrupt = () => reject(new ExplainedError("Interrupted: nothing is shown or written.", "Run it again."));
  });
  run.io.signals.once("SIGINT", onInterrupt);
  try {
    return await Promise.race([readAll(reading, progress), interrupted]);
  } finally {
    progress.end();
    run.io.signals.off("SIGINT", onInterrupt);
  }
}

async function readAll<Entry>(reading: Reading<Entry>, progress: Progress): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: Page<Entry> = unwrap(await readPage(reading, cursor));
    found.push(...page.entries);
    if (page.next_cursor === null || found.length >= reading.max) return found.slice(0, reading.max);
    if (page.next_cursor === cursor) throw new FaultError(localFault("ELocal:Unreadable answer"));
    cursor = page.next_cursor;
    const oldest = page.entries.at(-1);
    if (oldest !== undefined) progress.show(found.length, reading.timeOf(oldest));
  }
}

async function readPage<Entry>({ read }: Reading<Entry>, cursor: string | undefined): Promise<Result<Page<Entry>>> {
  for (let turn = 1; ; turn += 1) {
    const page = await read(cursor);
    if (page.ok || page.fault.code !== "EAPI:Rate limit exceeded" || turn === TURNS_MAX) return page;
    await pause(page.fault.retryAfterMs ?? TURN_WAIT_MS);
  }
}

/** Writes over one line on stderr, only on a terminal. */
export class Progress {
  readonly #run: Invocation;
  #isShown = false;
  #isOver = false;

  constructor(run: Invocation) {
    this.#run = run;
  }

  show(count: number, backTo: string): void {
    const { io, out, words } = this.#run;
    if (io.stderr.isTTY !== true || this.#isOver) return;
    out.writeError(`\r\u001b[K${words.say("history.progress", { count, time: words.when(backTo) })}`);
    this.#isShown = true;
  }

  end(): void {
    this.#isOver = true;
    if (this.#isShown) this.#run.out.writeError("\r\u001b[K");
  }
}
