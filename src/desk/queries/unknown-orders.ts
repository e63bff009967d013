/**
 * Orders at the venue that the journal does not know: placed by a person or another program, or by a journal that is gone. Budgets do
 * not count them. Of those that are open the status tells; those since the copy that a store was put back from are listed to the person who resumes.
 *
 * Invariants: what cannot be asked is not called known; in a store that was put back trading goes on for exactly the list that a person has seen, or by
 * their word that they have not.
 *
 * Source: decision 0025, decision 0100.
 */
import { canonicalDigest, defined, type Fault, localFault, type Order, ok, type Result } from "../../contract/index.ts";
import { attempt, withTimeout } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import { isNotPlacedByWord } from "../model/intent-transition.ts";
import type { ReportedError, Stamp } from "../model/reports.ts";
import { type AuditDetail, isUnresolved } from "../model/submission.ts";
import type { Journal } from "../ports/journal.ts";
import type { OrderReconciler } from "../reconciliation/order-lookup.ts";

const LISTED_MAX = 500;
const NAMED_MAX = 3;

export const openAtVenue = ({ parts: { venue } }: DeskContext) => venue.orders({ state: "open", limit: LISTED_MAX });

/** Lines for the status; none where every open order is known. */
export async function unknownOrderLines(
  context: DeskContext,
  reconciler: Pick<OrderReconciler, "settle">,
  open: Awaited<ReturnType<typeof openAtVenue>>,
): Promise<readonly string[]> {
  const { journal } = context.parts;
  if (!context.knowsAccount) return [];
  if (!open.ok)
    return [`Whether the exchange has open orders that are not in this journal is not known. ${open.fault.message}`];
  const unknown: string[] = [];
  const { orders } = open.value;
  const account = context.journalAccount();
  const known = await Promise.all(orders.map(({ orderId }) => attempt(() => journal.byOrderId(account, orderId))));
  for (const [index, { orderId, userref }] of orders.entries()) {
    const { value: intent, fault } = known[index] ?? {};
    // That the journal cannot be read is said already.
    if (fault !== undefined) return [];
    if (intent !== undefined) continue;
    const isOurs = userref !== null && (await isTakenBack(context, reconciler, { orderId, userref }));
    if (!isOurs) unknown.push(orderId);
  }
  if (unknown.length === 0) return [];
  const named = unknown.slice(0, NAMED_MAX).join(", ");
  const more = unknown.length > NAMED_MAX ? ", …" : "";
  const many = unknown.length === 1 ? "1 open order" : `${unknown.length} open orders`;
  return [
    `${many} at the exchange ${unknown.length === 1 ? "is" : "are"} not in this journal (order_id ${named}${more}): placed elsewhere, or by a journal that is gone. Budgets do not count them.`,
  ];
}

/** An order that a person had said was not placed: what the exchange shows wins over the word. */
async function isTakenBack(
  context: DeskContext,
  reconciler: Pick<OrderReconciler, "settle">,
  { orderId, userref }: { readonly orderId: string; readonly userref: string },
): Promise<boolean> {
  const { value: intent } = await attempt(() => context.parts.journal.byUserref(context.journalAccount(), userref));
  if (intent === undefined || !isNotPlacedByWord(intent)) return false;
  return (await reconciler.settle(intent)).orderId === orderId;
}

export interface ResumeReport extends Stamp {
  readonly resumed: boolean;
  readonly error?: ReportedError;
  /** In a store that was put back: what the go was for; where it was for another list, or for none, what it has to be for. */
  readonly since_copy?: SinceCopy;
}

/** The account's orders since the copy that a store was put back from, those that its journal lacks. */
export interface SinceCopy extends Stamp {
  readonly put_back_at: string;
  /** The newest step that the copy has; null where it has none: then it is looked as far back as the exchange shows. */
  readonly since: string | null;
  /** Newest first. */
  readonly orders: readonly Order[];
  /** False where there are more than are listed. */
  readonly complete: boolean;
  /** From when on the exchange lists orders that have ended, where that is later than `since`; else null. */
  readonly ended_since: string | null;
  /** Over exactly these orders: by it a person's go names them. */
  readonly digest: string;
}

/** What a person's go is for, in a store that was put back from a copy. */
export interface ResumeGo {
  /** `digest` of the list that was shown. */
  readonly shown?: string | undefined;
  /** Also where the exchange cannot be asked. */
  readonly unseen?: boolean | undefined;
}

/** What a person's go has come to, in a store that was put back; nothing of this in any other. */
export interface Agreement {
  readonly refused?: Fault;
  readonly list?: SinceCopy;
  /** For the audit log. */
  readonly detail?: AuditDetail;
}

const SINCE = {
  page: 100,
  /** Lists that are longer are not read to their end. */
  pages: 50,
  orders: 500,
  /** Between the clock of the copy and the exchange's of today. */
  marginMs: 60_000,
  /** For orders without an answer that the copy has. */
  settleMs: 5_000,
} as const;
const DAY_MS = 86_400_000;
/** Times that a store is put back without anybody resuming. */
const TIMES_MAX = 1_000;

/** The account's orders since the copy, those that the journal lacks. @returns undefined where nothing was put back since a person has resumed */
export async function ordersSinceCopy(
  context: DeskContext,
  reconciler: Pick<OrderReconciler, "reconcile">,
): Promise<Result<SinceCopy | undefined>> {
  const copy = await copyOf(context);
  if (!copy.ok || copy.value === undefined) return copy.ok ? ok(undefined) : copy;
  const account = await context.account();
  if (!account.ok) return account;
  const { clock, venue } = context.parts;
  // What the copy knows to have no answer may be among them: then it is the journal's again.
  const settled = attempt(async () => ok(await reconciler.reconcile()));
  await withTimeout(clock, SINCE.settleMs, settled);
  const { putBackMs, row, lastMs } = copy.value;
  const offsetMs = Math.floor(venue.clockOffsetMs() ?? 0);
  // Nothing was sent later than now: the clock was wrong.
  const sinceMs = lastMs && Math.min(lastMs, clock.now()) + offsetMs - SINCE.marginMs;
  const fromMs = sinceMs && Math.max(0, sinceMs);
  const found = await lackedSince(context, account.value, fromMs);
  if (!found.ok) return found;
  const { orders, complete } = found.value;
  const days = venue.card.history.closed_days;
  const endedMs = days === null ? 0 : clock.now() - days * DAY_MS;
  return ok({
    put_back_at: new Date(putBackMs).toISOString(),
    since: lastMs === undefined ? null : new Date(lastMs).toISOString(),
    ...{ orders, complete },
    ended_since: endedMs > (fromMs ?? 0) ? new Date(endedMs).toISOString() : null,
    // In no order: one that ends meanwhile may come elsewhere in the list.
    digest: canonicalDigest({ row, account: account.value, complete, orders: idsOf(orders).toSorted() }),
    ...context.stamp(),
  });
}

/** Holds a person's go against the list as it is now. */
export async function agreedTo(
  context: DeskContext,
  reconciler: Pick<OrderReconciler, "reconcile">,
  { shown, unseen = false }: ResumeGo = {},
): Promise<Agreement> {
  const found = await ordersSinceCopy(context, reconciler);
  if (!found.ok) {
    const { message } = found.fault;
    return unseen ? { detail: { since_copy: { unseen: message } } } : { refused: unlisted(context, found.fault) };
  }
  const list = found.value;
  if (list === undefined) return {};
  if (list.digest !== shown) return { list, refused: shown === undefined ? NOT_SHOWN : CHANGED };
  const { since, complete, orders } = list;
  return { list, detail: { since_copy: { since, complete, orders: idsOf(orders) } } };
}

function idsOf(orders: readonly Order[]): readonly string[] {
  return orders.map(({ orderId }) => orderId);
}

const LOOK_FIRST = "Show a person the list as it is now: hoga resume does, and so does the console.";
const NOT_SHOWN = localFault("ELocal:Not approved", {
  message:
    "This store was put back from a copy. Trading goes on once a person has seen which orders of the account since then are not in it.",
  nextAction: LOOK_FIRST,
});
const CHANGED = localFault("ELocal:Not approved", {
  message: "The account has other orders since the copy by now than were shown. The go was for another list.",
  nextAction: LOOK_FIRST,
});

function unlisted({ terminal }: DeskContext, fault: Fault): Fault {
  return {
    ...fault,
    message: `This store was put back from a copy, and which orders of the account since then are not in it cannot be said. ${fault.message}`,
    nextAction: `Try again once the exchange answers. Who has looked at the exchange goes on without the list: ${terminal.command("resume", "--unseen")}`,
  };
}

interface Copy {
  readonly row: number;
  readonly putBackMs: number;
  /** The time of its newest step; undefined where it has none. */
  readonly lastMs: number | undefined;
}

/** Of several copies since a person has resumed it is the first: what was sent since is in none of the others. */
async function copyOf({ parts: { audit } }: DeskContext): Promise<Result<Copy | undefined>> {
  const restored = await audit.recent({ account: "", event: "restored", limit: TIMES_MAX });
  if (!restored.ok || restored.value.length === 0) return restored.ok ? ok(undefined) : restored;
  const resumed = await audit.recent({ event: "resumed", limit: 1 });
  if (!resumed.ok) return resumed;
  const resumedSeq = resumed.value[0]?.seq ?? 0;
  const first = restored.value.findLast(({ seq }) => seq > resumedSeq);
  if (first === undefined) return ok(undefined);
  const { seq: row, atMs: putBackMs, detail } = first;
  const rows = detail["rows_now"];
  const last = typeof rows === "number" ? await audit.recent({ beforeSeq: rows + 1, limit: 1 }) : ok([]);
  return last.ok ? ok({ row, putBackMs, lastMs: last.value[0]?.atMs }) : last;
}

type Lacked = Pick<SinceCopy, "orders" | "complete">;

async function lackedSince(
  { parts: { venue, journal } }: DeskContext,
  account: string,
  fromMs: number | undefined,
): Promise<Result<Lacked>> {
  const lacked = new Map<string, Order>();
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = await venue.orders({ state: "all", limit: SINCE.page, ...defined({ cursor, fromMs }) });
    if (!page.ok) return page;
    for (const order of page.value.orders) {
      // Some exchanges list what is open whenever it was made.
      if (Date.parse(order.created_at) < (fromMs ?? 0)) continue;
      const known = await isInJournal(journal, account, order);
      if (!known.ok) return known;
      if (!known.value) lacked.set(order.orderId, order);
    }
    cursor = page.value.next_cursor ?? undefined;
    const isFull = pages === SINCE.pages || lacked.size > SINCE.orders;
    if (cursor === undefined || isFull) {
      const newestFirst = [...lacked.values()].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
      const orders = newestFirst.slice(0, SINCE.orders);
      return ok({ orders, complete: cursor === undefined && orders.length === lacked.size });
    }
  }
}

/** By its name it knows what may have been sent; what it takes for not sent, as what waited for a person in the copy, it lacks. */
async function isInJournal(
  journal: Pick<Journal, "byOrderId" | "byUserref">,
  account: string,
  { orderId, userref }: Order,
): Promise<Result<boolean>> {
  const placed = await journal.byOrderId(account, orderId);
  if (!placed.ok || placed.value !== undefined || userref === null)
    return placed.ok ? ok(placed.value !== undefined) : placed;
  const named = await journal.byUserref(account, userref);
  return named.ok ? ok(named.value !== undefined && isUnresolved(named.value.state)) : named;
}
