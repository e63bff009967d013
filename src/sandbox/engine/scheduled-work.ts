/**
 * Carries out what is due without a command, and moves the exchange's clock ahead. Entry points: `isDue`, `runDue`,
 * `advanceClock`. Source: decision 0012.
 *
 * Invariant: scheduled work happens in the order in which it is due, at the exchange's clock.
 */
import type { Applied, Millis, Refusal } from "../model/index.ts";
import { type Begin, badArgument as bad, DONE } from "./core/command.ts";
import { fireCancelTimer } from "./orders/cancel-timer.ts";
import { runSettlements } from "./orders/settlement.ts";
import type { State } from "./state/exchange-state.ts";
import { advancePayment } from "./transfers/payments.ts";
import { advanceRemittance } from "./transfers/remittances.ts";

/** The clock is at most ten years ahead, so that every time has four digits for its year and fits an order's id. */
const CLOCK_AHEAD_MAX_MS = 3_653 * 86_400_000;

export function isDue({ schedule }: State, now: Millis): boolean {
  return schedule.nextAt !== undefined && schedule.nextAt <= now;
}

/** Carries out all work that is due by the exchange's clock, in the order in which it is due. */
export function runDue(state: State): void {
  for (let item = state.schedule.takeDue(state.now); item !== undefined; item = state.schedule.takeDue(state.now)) {
    switch (item.kind) {
      case "settlements":
        runSettlements(state);
        break;
      case "cancelTimer":
        fireCancelTimer(state, item.id);
        break;
      case "payment":
        advancePayment(state, item.id);
        break;
      case "remittanceQuote":
        state.remittanceQuotes.delete(item.id);
        break;
      case "remittance":
        advanceRemittance(state, item.id);
        break;
      default:
        item.kind satisfies never;
    }
  }
}

/** Moves the clock within the command, so that what becomes due happens at the new time. */
export function advanceClock(state: State, byMs: Millis, begin: Begin): Applied | Refusal {
  if (!Number.isSafeInteger(byMs) || byMs <= 0) return bad("byMs", "the clock goes forward, by whole milliseconds");
  if (state.clockOffset + byMs > CLOCK_AHEAD_MAX_MS) return bad("byMs", "the clock is at most ten years ahead");
  begin();
  state.clockOffset += byMs;
  state.now += byMs;
  runDue(state);
  return DONE;
}
