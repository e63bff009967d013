/**
 * Waits for an order, bounded in time: queries again when the stream reports a change, and with growing pauses anyway; reports
 * progress, ends early on a signal.
 *
 * Invariants: the report is what the venue answered, whatever woke the wait; a clock that is set back does not make a wait longer than
 * its pauses, which are counted too.
 */
import { type Order, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { clientIdOf } from "../core/ids.ts";
import { WAITING_STATES } from "../model/intent-state.ts";
import type { AwaitedState, AwaitReport, AwaitRequest, OrderView } from "../model/reports.ts";
import { isUnresolved } from "../model/submission.ts";
import type { OrderHint, StreamWatch } from "../ports/market-stream.ts";
import type { Clock } from "../ports/runtime.ts";
import { hasExecuted } from "../reconciliation/moved-order.ts";
import { dustLeft } from "../risk/order-warnings.ts";
import { type FindOrder, type Found, standing } from "./find-order.ts";

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1_500;
/** While the stream reports every change; still often enough to show progress. */
const LIVE_PAUSE_MS = 5_000;
/** Between two queries, however many changes: an order that fills in many pieces must not use up the rate budget. */
const QUERIES_APART_MS = 250;

export class AwaitOrder {
  readonly #context: DeskContext;
  readonly #finder: FindOrder;

  constructor(context: DeskContext, finder: FindOrder) {
    this.#context = context;
    this.#finder = finder;
  }

  async wait(request: AwaitRequest): Promise<Result<AwaitReport>> {
    const { clock } = this.#context.parts;
    const startMs = clock.now();
    const alarm = new Alarm(clock, request.signal);
    let watch: StreamWatch | undefined;
    let pause = FIRST_PAUSE_MS;
    /** The named one, and what stood in its place since. */
    const followed = new Set<string>();
    try {
      for (;;) {
        alarm.set();
        // Before the query: a change after it is then reported.
        const isLive = watch?.live === true;
        const found = await this.#finder.find(request);
        const waited = Math.max(clock.now() - startMs, alarm.sleptMs);
        // A fault in the middle of a wait says nothing about the order: query again while there is time.
        const over = waited >= request.timeoutMs || request.signal?.aborted === true;
        if (!found.ok && (found.fault.retry === "never" || over)) return found;
        const now = found.ok ? standing(found.value) : undefined;
        const order = now?.order;
        if (found.ok && now !== undefined) {
          if (order !== undefined) request.onProgress?.(order, waited);
          const reached = reaches(found.value, request.until);
          if (over || reached || hasEnded(now)) return ok(await this.#report(found.value, waited, reached));
          if (order !== undefined) followed.add(order.orderId);
        }
        watch ??= this.#watch(request, followed, alarm);
        // A person's denial of an order that was never sent is no change of an order.
        const longest = isLive && order !== undefined ? LIVE_PAUSE_MS : pause;
        await alarm.sleep(Math.min(longest, Math.max(request.timeoutMs - waited, 1)));
        pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
      }
    } finally {
      watch?.close();
    }
  }

  #watch(request: AwaitRequest, followed: ReadonlySet<string>, alarm: Alarm): StreamWatch | undefined {
    return this.#context.parts.stream?.watch({ channel: "orders" }, (order) => {
      const isKnown = followed.size > 0 || (order !== undefined && order.userref !== null);
      if (order === undefined || !isKnown || followed.has(order.orderId) || isNamed(order, request)) alarm.ring();
    });
  }

  async #report(found: Found, waited: number, reached: boolean): Promise<AwaitReport> {
    const view = this.#finder.viewOf(found);
    const next = reached ? {} : { next_action: nextAction(view) };
    const { order } = standing(found);
    const warnings = await dustLeft(this.#context, order === undefined ? [] : [order]);
    return { ...view, reached, waited_ms: waited, warnings, ...next };
  }
}

/** Pauses that end when it rings. */
class Alarm {
  /** Adds up how long pauses lasted, so that a clock that is set back cannot undo them. */
  sleptMs = 0;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #bell = new AbortController();
  #setAtMs = 0;

  constructor(clock: Clock, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Lets what rings from now on end the next pause. */
  set(): void {
    this.#bell = new AbortController();
    this.#setAtMs = this.#clock.now();
  }

  ring(): void {
    this.#bell.abort();
  }

  /** Sleeps for so long, or until it rings; but not before queries are far enough apart. */
  async sleep(ms: number): Promise<void> {
    await this.#pause(ms, this.#bell.signal);
    const apart = this.#setAtMs + QUERIES_APART_MS - this.#clock.now();
    if (this.#bell.signal.aborted && apart > 0) await this.#pause(Math.min(apart, QUERIES_APART_MS, ms));
  }

  async #pause(ms: number, bell?: AbortSignal): Promise<void> {
    const signals = [this.#signal, bell].filter((signal) => signal !== undefined);
    const startMs = this.#clock.now();
    await this.#clock.sleep(ms, AbortSignal.any(signals));
    const isCut = signals.some(({ aborted }) => aborted);
    // How long a pause was that was cut short only the clock shows.
    this.sleptMs += isCut ? Math.min(Math.max(this.#clock.now() - startMs, 0), ms) : ms;
  }
}

function isNamed({ orderId, userref }: OrderHint, name: AwaitRequest): boolean {
  if (orderId === name.orderId) return true;
  return userref !== null && name.userref !== undefined && [name.userref, clientIdOf(name.userref)].includes(userref);
}

/** Tells whether nothing more can happen: the order is closed, or the intent ended without one. */
function hasEnded({ order, intent }: Omit<Found, "movedTo">): boolean {
  if (order !== undefined) return order.state !== "open";
  if (intent === undefined) return false;
  return !isUnresolved(intent.state) && !WAITING_STATES.some((state) => state === intent.state);
}

function reaches(found: Found, until: AwaitedState): boolean {
  const { order } = standing(found);
  switch (until) {
    case "placed":
      return order !== undefined;
    case "any_fill":
      // What it executed before it was moved counts.
      return [found.order, order].some(isExecuted) || hasExecuted(found.movedTo?.places ?? []);
    case "filled":
      return order?.state === "filled";
    case "closed":
      return order !== undefined && order.state !== "open";
    default:
      return until satisfies never;
  }
}

function isExecuted(order: Order | undefined): boolean {
  return order !== undefined && /[1-9]/.test(order.executed_volume);
}

function nextAction({ moved_to, ...view }: OrderView): string {
  const state = moved_to?.state ?? view.state;
  return state === "open" || state === "partially_filled"
    ? "It is still open: call await_order again, or cancel_order."
    : (view.next_action ?? `The order ended as ${state}.`);
}
