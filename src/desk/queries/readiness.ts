/**
 * Tells whether the desk can work: the store takes what an order writes, the venue answers, and our clock goes as the venue's does. A
 * halt, a policy that lets only look and a budget that is used up are no reason: people have to get to a desk that is halted.
 *
 * Invariants: an answer comes within a second, whatever hangs; however often it is asked, each part is queried once a second at most, one query at
 * a time; the venue is asked by a public call, which costs the key nothing.
 *
 * Source: decision 0039.
 */
import type { Result } from "../../contract/index.ts";
import { attempt, withTimeout } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { UnreadyPart } from "../model/reports.ts";
import type { Clock } from "../ports/runtime.ts";
import { clockFault } from "../risk/standstill.ts";

/** Bounds how long an answer of a part counts. */
const FRESH_MS = 1_000;
/** Supervisors give a probe a second. */
const BOUND_MS = 800;

export class Readiness {
  readonly #context: DeskContext;
  readonly #store: Answering;
  readonly #venue: Answering;

  constructor(context: DeskContext) {
    const { clock, journal, venue } = context.parts;
    this.#context = context;
    this.#store = new Answering(clock, () => journal.writable());
    this.#venue = new Answering(clock, (signal) => venue.time({ signal }));
  }

  async unready(): Promise<UnreadyPart | undefined> {
    const [store, venue] = await Promise.all([this.#store.answers(), this.#venue.answers()]);
    if (!store) return "store";
    if (!venue) return "venue";
    return clockFault(this.#context) === undefined ? undefined : "clock";
  }
}

/** Keeps one part, and what it last answered. */
class Answering {
  readonly #clock: Clock;
  readonly #ask: (signal: AbortSignal) => Promise<Result<unknown>>;
  #last: { readonly answered: boolean; readonly atMs: number } | undefined;
  #going: Promise<boolean> | undefined;

  constructor(clock: Clock, ask: (signal: AbortSignal) => Promise<Result<unknown>>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  async answers(): Promise<boolean> {
    const last = this.#last;
    const ageMs = this.#clock.now() - (last?.atMs ?? 0);
    // A clock that was set back makes no answer fresh.
    if (last !== undefined && ageMs >= 0 && ageMs < FRESH_MS) return last.answered;
    this.#going ??= this.#query();
    return (await withTimeout(this.#clock, BOUND_MS, this.#going)) ?? false;
  }

  /** Never rejects. Given up where it has not ended in time; what cannot be given up goes on, and nothing is asked beside it. */
  async #query(): Promise<boolean> {
    const late = new AbortController();
    const asking = attempt(() => this.#ask(late.signal));
    const ended = await withTimeout(this.#clock, BOUND_MS, asking);
    if (ended === undefined) late.abort(LATE);
    const { fault } = ended ?? (await asking);
    const answered = ended !== undefined && fault === undefined;
    this.#last = { answered, atMs: this.#clock.now() };
    this.#going = undefined;
    return answered;
  }
}

/** Serves all: making an error with its stack each time costs more than the query. */
const LATE = new Error("no answer in time");
