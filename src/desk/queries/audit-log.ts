/**
 * The audit log as a caller sees it: the steps of one order, or of the account, newest first, page by page; also those of processes that did not
 * know the account yet, such as a halt.
 *
 * Invariant: the pages together have every step there was when the first was read, and each once.
 */
import { defined, failed, localFault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import type { AuditRequest, AuditView } from "../model/reports.ts";
import type { AuditQuery, AuditRow } from "../ports/audit.ts";
import { placesOf } from "../reconciliation/moved-order.ts";

/** Rows that a page may have: before the last one of the page before it, and one more than it shows. */
type Window = Pick<AuditQuery, "limit" | "beforeSeq">;

interface Found {
  readonly rows: readonly AuditRow[];
  /** Names the last row that was looked through, where not every one was. Below it others may be missing. */
  readonly lookedTo?: number;
}

export async function queryAuditLog(context: DeskContext, request: AuditRequest): Promise<Result<AuditView>> {
  const account = await context.account();
  if (!account.ok) return account;
  const beforeSeq = seqIn(request.cursor);
  if (!beforeSeq.ok) return beforeSeq;
  const intent = await intentOf(context, account.value, request);
  if (!intent.ok) return intent;
  const window = { limit: request.limit + 1, ...defined({ beforeSeq: beforeSeq.value }) };
  const { orderId, userref } = request;
  const found = await rowsOf(context, account.value, { ...window, ...defined({ orderId, userref }) }, intent.value);
  if (!found.ok) return found;
  const moved = request.orderId ?? intent.value?.orderId ?? undefined;
  // What was in its place later are its steps too.
  const places = moved === undefined ? [] : await placesOf(context, account.value, moved);
  const later = await rowsOfAll(context, account.value, window, places);
  if (!later.ok) return later;
  const { lookedTo } = found.value;
  const rows = newest([...found.value.rows, ...later.value], window.limit).filter(({ seq }) => seq >= (lookedTo ?? 0));
  const shown = rows.slice(0, request.limit);
  const last = rows.length > shown.length ? shown.at(-1)?.seq : lookedTo;
  const named = await userrefsOf(context, shown);
  const entries = shown.map(({ seq, atMs, event, intentId, orderId: id, detail }) => ({
    seq,
    time: new Date(atMs).toISOString(),
    event,
    intent_id: intentId,
    userref: deniedUserref(detail) ?? named.get(intentId ?? "") ?? null,
    orderId: id,
    detail,
  }));
  return ok({ entries, next_cursor: last === undefined ? null : `seq-${last}`, ...context.stamp() });
}

const CURSOR = /^seq-(\d{1,15})$/;

/** Before which row a page is. */
function seqIn(cursor: string | undefined): Result<number | undefined> {
  if (cursor === undefined) return ok(undefined);
  const [, seq] = CURSOR.exec(cursor) ?? [];
  if (seq !== undefined) return ok(Number(seq)); // not money: a row number
  const message = "cursor is not one of the audit log: send next_cursor back unchanged";
  return failed(localFault("ELocal:Invalid input", { reachedVenue: "no", message, field: "cursor" }));
}

/** The intent of the order that the request names; undefined where it names none, or none is known. */
async function intentOf(
  { parts: { journal } }: DeskContext,
  account: string,
  { orderId, userref }: AuditRequest,
): Promise<Result<IntentRecord | undefined>> {
  const ofOrder = orderId === undefined ? ok(undefined) : await journal.byOrderId(account, orderId);
  return userref === undefined || !ofOrder.ok ? ofOrder : journal.byUserref(account, userref);
}

async function rowsOf(
  context: DeskContext,
  account: string,
  { orderId, userref, ...window }: Omit<AuditRequest, "cursor"> & Window,
  intent: IntentRecord | undefined,
): Promise<Result<Found>> {
  const denials = userref === undefined ? ok({ rows: [] }) : await denialsOf(context, account, userref, window);
  if (!denials.ok || (userref !== undefined && intent === undefined)) return denials;
  // The first steps of an order have its intent's id and no order id yet.
  const of = intent === undefined ? defined({ orderId }) : { intentId: intent.intentId };
  // A process that did not know the account knew the venue's id and not the intent.
  const id = orderId ?? intent?.orderId ?? undefined;
  const ofUnknown = intent === undefined ? of : id === undefined ? undefined : { orderId: id };
  const queries: AuditQuery[] = [{ account, ...window, ...of }];
  if (ofUnknown !== undefined)
    queries.push(...context.unknownAccounts().map((each) => ({ account: each, ...window, ...ofUnknown })));
  const rows: AuditRow[] = [...denials.value.rows];
  for (const query of queries) {
    const found = await context.parts.audit.recent(query);
    if (!found.ok) return found;
    rows.push(...found.value);
  }
  return ok({ ...denials.value, rows: newest(rows, window.limit) });
}

async function rowsOfAll(
  context: DeskContext,
  account: string,
  window: Window,
  intents: readonly IntentRecord[],
): Promise<Result<readonly AuditRow[]>> {
  const rows: AuditRow[] = [];
  let isEnough = false;
  // The newest first, and no more of a long chain than is shown: when one is written down, all but the one before it have ended.
  for (const intent of intents.toReversed()) {
    if (isEnough) break;
    isEnough = rows.length >= window.limit;
    const found = await rowsOf(context, account, window, intent);
    if (!found.ok) return found;
    rows.push(...found.value.rows);
  }
  return ok(rows);
}

/** Takes each row once: one may be of two orders, as the cancel of the old one is. */
function newest(rows: readonly AuditRow[], limit: number): readonly AuditRow[] {
  const distinct = [...new Map(rows.map((row) => [row.seq, row])).values()];
  return distinct.sort((a, b) => b.seq - a.seq).slice(0, limit);
}

/** Rows in a page, and pages that are looked through for denials. */
const SCAN = { page: 1_000, pages: 5 };

/** Finds what was denied, which has no intent, by the userref of the order that its row keeps. */
async function denialsOf(
  { parts: { audit } }: DeskContext,
  account: string,
  userref: string,
  { limit, beforeSeq }: Window,
): Promise<Result<Found>> {
  const rows: AuditRow[] = [];
  let lookedTo = beforeSeq;
  for (let page = 0; page < SCAN.pages && rows.length < limit; page++) {
    const found = await audit.recent({ account, limit: SCAN.page, ...defined({ beforeSeq: lookedTo }) });
    if (!found.ok) return found;
    rows.push(...found.value.filter(({ detail }) => deniedUserref(detail) === userref));
    if (found.value.length < SCAN.page) return ok({ rows });
    lookedTo = found.value.at(-1)?.seq;
  }
  return ok({ rows, ...defined({ lookedTo }) });
}

/** Reads the userref of an order that was denied before it was an intent. */
function deniedUserref({ order }: AuditRow["detail"]): string | undefined {
  if (typeof order !== "object" || order === null || !("userref" in order)) return undefined;
  return typeof order.userref === "string" ? order.userref : undefined;
}

/** Names them by intent. One that cannot be read has no name here. */
async function userrefsOf(
  { parts: { journal } }: DeskContext,
  rows: readonly AuditRow[],
): Promise<ReadonlyMap<string, string>> {
  const named = new Map<string, string>();
  for (const id of new Set(rows.flatMap(({ intentId }) => intentId ?? []))) {
    const found = await journal.byId(id);
    if (found.ok && found.value !== undefined) named.set(id, found.value.userref);
  }
  return named;
}
