/** Makes happen what time brings about. Entry points: `isDue`, `runDue`. */
import type { Millis } from "../model/index.ts";
import { fireCancelTimer } from "./orders/cancel-timer.ts";
import { runSettlements } from "./orders/settlement.ts";
import type { State } from "./state/exchange-state.ts";
import { advancePayment } from "./transfers/payments.ts";
import { advanceRemittance } from "./transfers/remittances.ts";

export function isDue({ agenda }: State, now: Millis): boolean {
  return agenda.next !== undefined && agenda.next <= now;
}

/** In the order it is due, up to the exchange's clock. */
export function runDue(state: State): void {
  for (let item = state.agenda.take(state.now); item !== undefined; item = state.agenda.take(state.now)) {
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
