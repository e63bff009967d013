/**
 * The audit log as a caller sees it: the steps of one order, or of the account, newest first; also those of processes that did not know
 * the account yet, such as a halt.
 */
import { defined, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import type { AuditView } from "../model/reports.ts";
import type { AuditQuery, AuditRow } from "../ports/audit.ts";
import { placesOf } from "../reconciliation/moved-order.ts";

export interface AuditRequest {
  readonly orderId?: string;
  readonly userref?: string;
  readonly limit: number;
}

export async function queryAuditLog(context: DeskContext, request: AuditRequest): Promise<Result<AuditView>> {
  const account = await context.account();
  if (!account.ok) return account;
  const intent = await intentOf(context, account.value, request);
  if (!intent.ok) return intent;
  const rows = await rowsOf(context, account.value, request, intent.value);
  if (!rows.ok) return rows;
  const moved = request.orderId ?? intent.value?.orderId ?? undefined;
  // What was in its place later are its steps too.
  const places = moved === undefined ? [] : await placesOf(context, account.value, moved);
  const later = await rowsOfAll(context, account.value, request, places);
  if (!later.ok) return later;
  const shown = newest([...rows.value, ...later.value], request.limit);
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
  return ok({ entries, ...context.stamp() });
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
  { orderId, userref, limit }: AuditRequest,
  intent: IntentRecord | undefined,
): Promise<Result<readonly AuditRow[]>> {
  const denials = userref === undefined ? ok([]) : await denialsOf(context, account, { userref, limit });
  if (!denials.ok || (userref !== undefined && intent === undefined)) return denials;
  // The first steps of an order have its intent's id and no order id yet.
  const of = intent === undefined ? defined({ orderId }) : { intentId: intent.intentId };
  // A process that did not know the account knew the venue's id and not the intent.
  const id = orderId ?? intent?.orderId ?? undefined;
  const ofUnknown = intent === undefined ? of : id === undefined ? undefined : { orderId: id };
  const queries: AuditQuery[] = [{ account, limit, ...of }];
  if (ofUnknown !== undefined)
    queries.push(...context.unknownAccounts().map((each) => ({ account: each, limit, ...ofUnknown })));
  const rows: AuditRow[] = [...denials.value];
  for (const query of queries) {
    const found = await context.parts.audit.recent(query);
    if (!found.ok) return found;
    rows.push(...found.value);
  }
  return ok(newest(rows, limit));
}

async function rowsOfAll(
  context: DeskContext,
  account: string,
  { limit }: AuditRequest,
  intents: readonly IntentRecord[],
): Promise<Result<readonly AuditRow[]>> {
  const rows: AuditRow[] = [];
  let isEnough = false;
  // The newest first, and no more of a long chain than is shown: when one is written down, all but the one before it have ended.
  for (const intent of intents.toReversed()) {
    if (isEnough) break;
    isEnough = rows.length >= limit;
    const found = await rowsOf(context, account, { limit }, intent);
    if (!found.ok) return found;
    rows.push(...found.value);
  }
  return ok(rows);
}

/** One row may be of two orders: the cancel of the old one. */
function newest(rows: readonly AuditRow[], limit: number): readonly AuditRow[] {
  const distinct = [...new Map(rows.map((row) => [row.seq, row])).values()];
  return distinct.sort((a, b) => b.seq - a.seq).slice(0, limit);
}

/** Rows in a page, and pages that are looked through for denials. */
const SCAN = { page: 1_000, pages: 5 };

/** What was denied has no intent: it is found by the userref of the order that its row keeps. */
async function denialsOf(
  { parts: { audit } }: DeskContext,
  account: string,
  { userref, limit }: Required<Pick<AuditRequest, "userref" | "limit">>,
): Promise<Result<readonly AuditRow[]>> {
  const denials: AuditRow[] = [];
  let beforeSeq: number | undefined;
  for (let page = 0; page < SCAN.pages && denials.length < limit; page++) {
    const found = await audit.recent({ account, limit: SCAN.page, ...defined({ beforeSeq }) });
    if (!found.ok) return found;
    denials.push(...found.value.filter(({ detail }) => deniedUserref(detail) === userref));
    beforeSeq = found.value.at(-1)?.seq;
    if (found.value.length < SCAN.page) break;
  }
  return ok(denials);
}

/** Of an order that was denied before it was an intent. */
function deniedUserref({ order }: AuditRow["detail"]): string | undefined {
  if (typeof order !== "object" || order === null || !("userref" in order)) return undefined;
  return typeof order.userref === "string" ? order.userref : undefined;
}

/** By intent. One that cannot be read has no name here. */
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
