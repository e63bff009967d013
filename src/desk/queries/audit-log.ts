/**
 * The audit log as a caller sees it: the steps of one order, or of the account, newest first; also those of processes that did not know
 * the account yet, as of a brake that asks nobody.
 */
import { ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { storeResult } from "../core/store-result.ts";
import type { AuditView } from "../model/reports.ts";

export interface AuditRequest {
  readonly orderId?: string;
  readonly userref?: string;
  readonly limit: number;
}

export async function queryAuditLog(context: DeskContext, request: AuditRequest): Promise<Result<AuditView>> {
  const account = await context.account();
  if (!account.ok) return account;
  const { journal, audit } = context.parts;
  const { orderId, userref, limit } = request;
  const rows = await storeResult(async () => {
    const ofOrder = orderId === undefined ? undefined : await journal.byOrderId(account.value, orderId);
    const intent = userref === undefined ? ofOrder : await journal.byUserref(account.value, userref);
    if (userref !== undefined && intent === undefined) return [];
    // The first steps of an order have its intent's id and no order id yet.
    const of = intent === undefined ? (orderId === undefined ? {} : { orderId }) : { intentId: intent.intentId };
    // A process that did not know the account knew the venue's id and not the intent.
    const id = orderId ?? intent?.orderId ?? undefined;
    const untold = intent === undefined ? of : id === undefined ? undefined : { orderId: id };
    const found = [await audit.recent({ account: account.value, limit, ...of })];
    if (untold !== undefined)
      for (const each of context.unknownAccounts()) found.push(await audit.recent({ account: each, limit, ...untold }));
    return found
      .flat()
      .sort((a, b) => b.seq - a.seq)
      .slice(0, limit);
  });
  if (!rows.ok) return rows;
  const entries = rows.value.map(({ seq, atMs, event, intentId, orderId: id, detail }) => ({
    seq,
    time: new Date(atMs).toISOString(),
    event,
    intent_id: intentId,
    orderId: id,
    detail,
  }));
  return ok({ entries, ...context.stamp() });
}
