/**
 * Lists what waits for a person, as it is shown beside what is open: it is no order at the venue, and one that is left out would be asked
 * for again.
 *
 * Invariant: only looked at; what has run out of time is left out here, and ended by others.
 */
import { type OrdersRequest, ok, type Result } from "../../contract/index.ts";
import { isExpired, orderKind, type SubmissionKind } from "../approval/pending-approvals.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { UnresolvedIntent } from "../model/evidence.ts";
import type { IntentRecord } from "../model/intent.ts";
import { UNSETTLED_STATES } from "../model/intent-state.ts";
import type { OpenOrdersView, WaitingItem } from "../model/reports.ts";
import type { AnySubmission } from "../model/submission.ts";
import type { MarketAndAccount } from "./market-and-account.ts";

const LISTED_MAX = 200;

/** Oldest first. @param isMeant default: every one */
export async function waitingItems<Item extends AnySubmission>(
  context: DeskContext,
  { journal, viewOf }: SubmissionKind<Item>,
  isMeant: (item: Item) => boolean = () => true,
): Promise<Result<readonly WaitingItem[]>> {
  const found = await journal.inStates(context.journalAccount(), ["awaiting_approval"], LISTED_MAX);
  if (!found.ok) return found;
  const nowMs = context.parts.clock.now();
  const items = found.value.filter((item) => !isExpired(item, nowMs) && isMeant(item));
  return ok(
    items.map((item) => {
      const { id, userref, summary } = viewOf(item);
      const expires_at = new Date(item.body.approval?.expiresAtMs ?? 0).toISOString();
      return { intent_id: id, userref, summary, expires_at };
    }),
  );
}

/** Orders that are open at the venue, and those of the same market that wait. */
export async function openOrders(
  context: DeskContext,
  queries: MarketAndAccount,
  request: Omit<OrdersRequest, "state">,
): Promise<Result<OpenOrdersView>> {
  const page = await queries.orders({ ...request, state: "open" });
  if (!page.ok) return page;
  const symbol = await context.symbol(request.symbol);
  if (!symbol.ok) return symbol;
  if (!context.knowsAccount) return ok({ ...page.value, waiting: null, unresolved: null });
  const { value: waiting = null } = await attempt(() => waitingOrders(context, symbol.value));
  const { value: unresolved = null } = await attempt(() => unresolvedOrders(context, symbol.value));
  return ok({ ...page.value, waiting, unresolved });
}

/** Oldest first. What is not sent yet is among them: it may be on its way the next moment. */
async function unresolvedOrders(context: DeskContext, symbol?: string): Promise<Result<readonly UnresolvedIntent[]>> {
  const found = await context.parts.journal.inStates(context.journalAccount(), UNSETTLED_STATES, LISTED_MAX);
  if (!found.ok) return found;
  return ok(found.value.filter(({ body }) => symbol === undefined || body.order.symbol === symbol).map(unresolvedView));
}

/** An order that is not sent yet or has no answer, as it is listed. */
export function unresolvedView(intent: IntentRecord): UnresolvedIntent {
  const state = intent.state === "approved" ? "not_sent_yet" : intent.state === "unknown" ? "unknown" : "submitting";
  return {
    intent_id: intent.intentId,
    userref: intent.userref,
    symbol: intent.body.order.symbol,
    state,
    since: new Date(intent.sentAtMs ?? intent.updatedAtMs).toISOString(),
  };
}

export function waitingOrders(context: DeskContext, symbol?: string): Promise<Result<readonly WaitingItem[]>> {
  return waitingItems(
    context,
    orderKind(context.parts.journal),
    ({ body: { order } }) => symbol === undefined || order.symbol === symbol,
  );
}
