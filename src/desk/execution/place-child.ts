/**
 * Sends the order of a step of a plan: judged first, looked for at the exchange under the step's own name, claimed, then sent by the way of every order.
 *
 * Invariants: what is denied costs no look and no step; of a step one order leaves at most, under the name that follows from it; what cannot be asked is not
 * sent.
 *
 * Source: decision 0105.
 */
import type { CreateOrderBody, Fault } from "../../contract/index.ts";
import type { IntentRecord } from "../model/intent.ts";
import type { PlanProgress, PlanRecord } from "../model/plan.ts";
import type { AuditDetail } from "../model/submission.ts";
import type { NewNotice } from "../ports/notices.ts";
import type { NewStep, PlanBlock } from "../ports/plan-book.ts";

/** An order that is to come of a plan now. */
export interface ChildRequest {
  /** As it was judged. */
  readonly plan: PlanRecord;
  readonly step: number;
  /** Of a step that was not planned. */
  readonly adds?: Omit<NewStep, "step">;
  /** Whose name follows from the step. */
  readonly order: Omit<CreateOrderBody, "userref">;
  /** In place of the plan's, with the claim. */
  readonly progress?: PlanProgress;
  readonly notices?: readonly NewNotice[];
  /** The first and last sample that decided. */
  readonly trigger?: AuditDetail;
  /** The exchange's time, Unix milliseconds. */
  readonly exchangeMs: number;
}

/** What became of it. */
export type ChildOutcome =
  /** Claimed: the intent as it stands now, whatever that is, and the plan behind the claim. */
  | { readonly kind: "claimed"; readonly plan: PlanRecord; readonly intent: IntentRecord }
  /** Nothing was written. `passes`: it may be another verdict later, as by the book, the minute, or the exchange being down. */
  | { readonly kind: "denied"; readonly fault: Fault; readonly passes: boolean }
  /** Nothing was written: the plan, or trading, is not as it was judged. */
  | { readonly kind: "blocked"; readonly block: PlanBlock }
  /** The exchange has an order under its name that the journal does not know. */
  | { readonly kind: "known_there"; readonly fault: Fault }
  /** The exchange, or the store, could not be asked. */
  | { readonly kind: "unsure"; readonly fault: Fault };

export interface ChildOrders {
  place(request: ChildRequest): Promise<ChildOutcome>;
}
