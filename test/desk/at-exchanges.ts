/**
 * Which files of the desk's suite run over which exchange besides the specified one. Of a file that runs there, a test is left out that needs
 * what the exchange has not (test/fixture/venue-trait.ts).
 */

/** Over Upbit, with every run: an order is sent once and found, whatever becomes of its answer and of the process. */
export const AT_UPBIT = ["crash", "execution/place-order", "reconciliation/lease"] as const;

/** Over each of them, with the tests of whole programs. */
export const EVERYWHERE = [
  ...AT_UPBIT,
  "approval/passkey-yes",
  "execution/approve-order-refused",
  "execution/declined-order",
  "execution/later-question",
  "execution/order-drafts",
  "execution/userref-check",
  "plans/at-exchanges",
  "queries/audit-log",
  "queries/await-order",
  "queries/since-copy",
  "risk/budgets",
] as const;

/** Besides, over those that take a request whenever it comes and whose lists show ids of ours: neither Korbit nor Coinone. */
export const WHERE_IT_APPEARS_LATE = ["reconciliation/absence"] as const;

/** Over Upbit alone: of those without one cancel for all orders, or without a list of the ended ones, other tests tell (test/system/venues). */
export const AT_UPBIT_LATER = [
  "broken-store",
  "execution/approve-order",
  "execution/cancel-order",
  "execution/duplicate-guard",
  "execution/moved-order",
  "execution/order-ticket",
  "execution/replace-order",
  "execution/sized-order",
  "portfolio/day-loss",
  "queries/find-order",
  "reconciliation/order-tracker",
  "reconciliation/venue-hint",
  "safety/dead-man-switch",
  "safety/kill-switch",
] as const;

const STANDS = "Its figures are those of the specified exchange's markets: ticks, minimum and fees.";
const TELLS = "Its subject is how the specified exchange tells: pages of fills, a stream, a list of markets.";
const PLANS =
  "Its world is that of the tests of plans, which quotes and tells of orders as the specified exchange does.";

/** Over the specified exchange alone, each with the reason. */
export const HERE_ALONE: Readonly<Record<string, string>> = {
  "execution/fitting-proposals": STANDS,
  "execution/preview-fees": STANDS,
  "execution/orders-beside-plans": STANDS,
  "execution/preview-order": STANDS,
  "risk/order-validation": STANDS,
  "plans/place-child":
    "It is about plans and the policy, which no exchange changes; how an order leaves is tested beside.",
  "model/symbol": STANDS,
  "plans/after-buy": PLANS,
  "plans/account-alerts": PLANS,
  "plans/plan-ends": PLANS,
  "plans/rebalance": PLANS,
  "plans/rehearse-plan": PLANS,
  "portfolio/equity": STANDS,
  "queries/market-and-account": STANDS,
  "execution/wrong-order": "It changes answers in the words of service.md.",
  "execution/market-changes": TELLS,
  "portfolio/history-reader": TELLS,
  "portfolio/ledger-sync": TELLS,
  "portfolio/period-totals": TELLS,
  "portfolio/portfolio": TELLS,
  "queries/market-stream": TELLS,
  "model/plain-text": "It goes through every refusal in the words of service.md.",
  "reconciliation/manual-settlement": "Two orders under one name of a caller's, which no other exchange takes.",
  "safety/halt-under-pause": "Pauses by the weight of calls, which no other exchange counts.",
  schedules: "Its drawn schedules end in proofs of absence; over the others they are those of the simulation.",
};
