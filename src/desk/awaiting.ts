/**
 * Waiting for an order, bounded in time: looks again with growing pauses, tells progress, ends early on a signal.
 *
 * Invariant: a clock that is set back does not make a wait longer than its pauses, which are counted too.
 */
import { type Order, ok, type Result } from "../contract/index.ts";
import type { AwaitedState, AwaitReport, AwaitRequest, OrderView } from "./answers.ts";
import type { DeskContext } from "./context.ts";
import { isUnresolved, WAITING_STATES } from "./intent.ts";
import type { Found, Lookup } from "./lookup.ts";

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1_500;

export class Awaiting {
  private readonly context: DeskContext;
  private readonly lookup: Lookup;

  constructor(context: DeskContext, lookup: Lookup) {
    this.context = context;
    this.lookup = lookup;
  }

  async wait(request: AwaitRequest): Promise<Result<AwaitReport>> {
    const { clock } = this.context.parts;
    const startMs = clock.now();
    let pause = FIRST_PAUSE_MS;
    let slept = 0;
    for (;;) {
      const found = await this.lookup.find(request);
      const waited = Math.max(clock.now() - startMs, slept);
      // A fault in the middle of a wait says nothing about the order: look again while there is time.
      const over = waited >= request.timeoutMs || request.signal?.aborted === true;
      if (!found.ok && (found.fault.retry === "never" || over)) return found;
      if (found.ok) {
        const { order } = found.value;
        if (order !== undefined) request.onProgress?.(order, waited);
        const reached = reaches(order, request.until);
        if (over || reached || hasEnded(found.value)) return ok(this.report(found.value, waited, reached));
      }
      const rest = Math.min(pause, Math.max(request.timeoutMs - waited, 1));
      await clock.sleep(rest, request.signal);
      // A pause that the signal cut short ends the wait anyway, and only the clock knows how long it was.
      if (request.signal?.aborted !== true) slept += rest;
      pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
    }
  }

  private report(found: Found, waited: number, reached: boolean): AwaitReport {
    const view = this.lookup.viewOf(found);
    const next = reached ? {} : { next_action: nextAction(view) };
    return { ...view, reached, waited_ms: waited, ...next };
  }
}

/** Whether nothing more can happen: the order is closed, or the intent ended without one. */
function hasEnded({ order, intent }: Found): boolean {
  if (order !== undefined) return order.state !== "open";
  if (intent === undefined) return false;
  return !isUnresolved(intent.state) && !WAITING_STATES.some((state) => state === intent.state);
}

function reaches(order: Order | undefined, until: AwaitedState): boolean {
  if (order === undefined) return false;
  switch (until) {
    case "placed":
      return true;
    case "any_fill":
      return /[1-9]/.test(order.executed_volume);
    case "filled":
      return order.state === "filled";
    case "closed":
      return order.state !== "open";
    default:
      return until satisfies never;
  }
}

function nextAction(view: OrderView): string {
  return view.state === "open" || view.state === "partially_filled"
    ? "It is still open: call await_order again, or cancel_order."
    : (view.next_action ?? `The order ended as ${view.state}.`);
}
