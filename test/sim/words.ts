/** The one place that knows the states of an intent: what each says about the venue. */
import { type IntentState, isUnresolved } from "../../src/desk/index.ts";
import type { OrderRecord } from "../../src/sandbox/model/index.ts";

/**
 * `none`: it is about no order. `unsettled`: it may not stay so once all faults have stopped. `no_order`: none came of it and none
 * ever will, unless it is armed again. `order`: the venue has its order.
 */
export type Claim = "none" | "unsettled" | "no_order" | "order";

export const CLAIMS: Readonly<Record<IntentState, Claim>> = {
  draft: "none",
  used: "none",
  awaiting_approval: "unsettled",
  denied: "no_order",
  lapsed: "no_order",
  approved: "unsettled",
  submitting: "unsettled",
  unknown: "unsettled",
  accepted: "order",
  open: "order",
  partially_filled: "order",
  cancel_requested: "order",
  filled: "order",
  canceled: "order",
  expired: "order",
  rejected: "no_order",
  not_placed: "no_order",
};

/** States in which a request may be under way. */
export const SENT: readonly IntentState[] = (Object.keys(CLAIMS) as IntentState[]).filter(isUnresolved);

/** The state of an intent whose order stands like this at the venue. */
export function stateOf({ state, executedVolume }: OrderRecord): IntentState {
  return state === "open" && executedVolume > 0n ? "partially_filled" : state;
}
