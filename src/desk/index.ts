/** What happens to an order: checked, recorded, sent once, reconciled, reported truthfully. */
export type * from "./answers.ts";
export type * from "./asked.ts";
export { brakeReason, ordersElsewhere } from "./braking.ts";
export { checkOrder } from "./check.ts";
export type { DeskParts } from "./context.ts";
export { createDesk } from "./desk.ts";
export { estimateFill, type FillAnswer } from "./estimate.ts";
export { createIds } from "./ids.ts";
export {
  canMove,
  INTENT_MOVES,
  INTENT_STATES,
  type IntentState,
  isAtVenue,
  isLive,
  isUnresolved,
} from "./intent.ts";
export * from "./live.ts";
export { isOrderOf, orderDigest } from "./order-entry.ts";
export type { PlaceRequest } from "./placing.ts";
export { decide, defaultPolicy } from "./policy.ts";
export type { Policy, Question, Refusal, Rule, Verdict } from "./policy-terms.ts";
export type { PolicyInForce } from "./policy-view.ts";
export type * from "./ports.ts";
export { deniedReport, orderStateOf, reportError } from "./report.ts";
export type { BrakeRecord, Standing, Usage } from "./standing.ts";
export { editDistance, resolveMarket, searchMarkets } from "./symbol.ts";
export type * from "./transfer/answers.ts";
export { unsettledTransfers, unsettledWords } from "./transfer/besides.ts";
export type * from "./transfer/ports.ts";
export { deniedTransfer } from "./transfer/report.ts";
export {
  canTransferMove,
  isUnsettled,
  TRANSFER_MOVES,
  TRANSFER_STATES,
  type TransferState,
} from "./transfer/state.ts";
export { summaryOf } from "./transfer/task.ts";
