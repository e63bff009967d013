/** Takes an order through all that happens to it: checked, recorded, sent once, reconciled, reported truthfully. */

export { approvalDigest } from "./approval/approval-digest.ts";
export { missingPin } from "./approval/pin-needed.ts";
export type { Withdrawal } from "./approval/withdrawal.ts";
export { type DeskParts, UNKNOWN_ACCOUNT } from "./core/context.ts";
export { createIds } from "./core/ids.ts";
export { type Bounds, boundsOf, PERIOD_FORMS } from "./core/local-period.ts";
export { localTime } from "./core/local-time.ts";
export { createDesk } from "./desk.ts";
export type * from "./desk-interface.ts";
export type { PlaceRequest } from "./execution/place-order.ts";
export { estimateFill, type FillAnswer } from "./market/order-value.ts";
export type { AccountUsage, Ahead, BudgetUsage, KillSwitchRecord, SetAside, Settled } from "./model/account-usage.ts";
export type * from "./model/approval-request.ts";
export type * from "./model/estimate.ts";
export type { EvidenceView, LookupView, UnresolvedIntent } from "./model/evidence.ts";
export type * from "./model/history-reading.ts";
export type * from "./model/intent.ts";
export {
  canMove,
  INTENT_MOVES,
  INTENT_STATES,
  type IntentState,
  isAtVenue,
  isLive,
} from "./model/intent-state.ts";
export { type Listener, NOBODY } from "./model/listener.ts";
export { isOrderOf, orderDigest } from "./model/order-body.ts";
export { deniedOrder, orderStateOf, reportError } from "./model/order-report.ts";
export type * from "./model/plan.ts";
export { inForce, isProtection } from "./model/plan.ts";
export type * from "./model/plan-report.ts";
export type * from "./model/plan-state.ts";
export {
  type Denial,
  POLICY_FILE,
  type Policy,
  type PolicyInForce,
  type PolicyQuestion,
  RULES,
  type Rule,
  type Verdict,
} from "./model/policy.ts";
export * from "./model/portfolio-report.ts";
export type { ReplaceRequest } from "./model/replaced-order.ts";
export type * from "./model/reports.ts";
export type * from "./model/submission.ts";
export { isUnresolved } from "./model/submission.ts";
export { editDistance, resolveMarket, searchMarkets } from "./model/symbol.ts";
export type * from "./model/transfer.ts";
export type * from "./model/transfer-reports.ts";
export {
  canTransferMove,
  TRANSFER_MOVES,
  TRANSFER_STATES,
  type TransferState,
} from "./model/transfer-state.ts";
export { BILLED_IN, summaryOf } from "./model/transfer-task.ts";
export type { CreatePlanRequest, PlanDesk } from "./plans/plan-desk.ts";
export type { ToldNotice } from "./plans/told-notices.ts";
export { type Executed, totalsByMarket, totalsOf } from "./portfolio/fill-totals.ts";
export { HISTORY_WAIT_MS, historyText } from "./portfolio/history-reader.ts";
export type * from "./ports/audit.ts";
export type * from "./ports/fill-ledger.ts";
export type * from "./ports/journal.ts";
export * from "./ports/market-stream.ts";
export type * from "./ports/notices.ts";
export type * from "./ports/passkeys.ts";
export type * from "./ports/plan-book.ts";
export type * from "./ports/runtime.ts";
export type * from "./ports/safeguards.ts";
export type * from "./ports/submission-journal.ts";
export type * from "./ports/terminal.ts";
export type * from "./ports/transfer.ts";
export type * from "./ports/venue.ts";
export type { ResumeGo, ResumeReport, SinceCopy } from "./queries/unknown-orders.ts";
export { checkOrder } from "./risk/order-validation.ts";
export { decide, defaultPolicy } from "./risk/policy-decision.ts";
export { haltReason, ordersOfOtherAccounts } from "./safety/kill-switch.ts";
export { unsettledIn } from "./transfer/desk-reports.ts";
export { withdrawAllIn } from "./transfer/pending-approvals.ts";
export type * from "./transfer/transfer-desk.ts";
export { deniedTransfer } from "./transfer/transfer-report.ts";
