/**
 * Drafts: orders that were previewed and can be placed by their id, without typing them again.
 *
 * Invariants: a draft is used once; a second use leads to the order that the first one placed. A draft has a `userref` of its own in
 * the journal, so it never reserves the `userref` of its order.
 */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentBody, IntentRecord } from "../model/intent.ts";
import type { Preview } from "../model/reports.ts";

/** How long a draft may be used. */
export const DRAFT_TTL_MS = 10 * 60_000;

export async function createDraft(
  context: DeskContext,
  body: IntentBody,
): Promise<Result<Required<Pick<Preview, "draft_id" | "expires_at">>>> {
  const { journal, clock, ids } = context.parts;
  const draftId = ids.intentId();
  const createdAtMs = clock.now();
  const expiresAtMs = createdAtMs + DRAFT_TTL_MS;
  const recorded = await journal.record({
    intentId: draftId,
    account: context.journalAccount(),
    userref: draftUserref(draftId),
    ...{ state: "draft", unit: context.unit },
    nonce: null,
    orderId: null,
    body: { ...body, expiresAtMs },
    createdAtMs,
  });
  if (!recorded.ok) return recorded;
  return ok({ draft_id: draftId, expires_at: new Date(expiresAtMs).toISOString() });
}

/** The body of the draft's order; the draft is used up by this. */
export async function useDraft(context: DeskContext, draftId: string): Promise<Result<IntentBody>> {
  const { journal, clock, venue } = context.parts;
  const account = await context.account();
  if (!account.ok) return account;
  const found = await journal.byId(draftId);
  if (!found.ok) return found;
  const draft = found.value;
  if (draft === undefined || draft.account !== account.value || !isDraft(draft))
    return failed(draftFault("There is no draft with this id."));
  const { expiresAtMs = 0, ...body } = draft.body;
  const isExpired = expiresAtMs <= clock.now();
  // After its expiry a used draft still leads to its order, but does not send one any more.
  if (draft.state === "used" && (!isExpired || (await hasOrder(context, draft)))) return ok(body);
  const isUsable = draft.state === "draft" && !isExpired && body.environment === venue.environment;
  if (draft.state === "draft") {
    const to = isUsable ? "used" : "lapsed";
    const moved = await journal.advance(draftId, { from: ["draft"], to }, clock.now());
    if (!moved.ok) return moved;
  }
  return isUsable
    ? ok({ ...body, keyId: venue.keyId ?? body.keyId })
    : failed(draftFault("This draft has expired or belongs to another environment."));
}

/** Whether an order was placed from the draft, may have been, or waits for approval. */
async function hasOrder(context: DeskContext, { account, body }: IntentRecord): Promise<boolean> {
  const { userref } = body.order;
  if (userref === undefined) return false;
  const found = await context.parts.journal.byUserref(account, userref);
  return found.ok && found.value !== undefined && !["approved", "not_placed"].includes(found.value.state);
}

function isDraft({ state, userref, intentId }: IntentRecord): boolean {
  return (state === "draft" || state === "used" || state === "lapsed") && userref === draftUserref(intentId);
}

function draftUserref(draftId: string): string {
  return `draft-${draftId}`;
}

function draftFault(why: string): Fault {
  return localFault("ELocal:Draft not usable", { field: "draft_id", message: `${why} Nothing was sent.` });
}
