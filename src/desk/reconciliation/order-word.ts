/**
 * A person's word on an order without an answer. `placed` names an order that the venue shows, that equals the request, and that is no other intent's.
 *
 * Source: decision 0005.
 */
import { failed, type Order, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentChange, IntentRecord } from "../model/intent.ts";
import { changeShownBy } from "../model/intent-transition.ts";
import { isOrderOf } from "../model/order-body.ts";
import { intentReport } from "../model/order-report.ts";
import type { PersonsWord, WriteReport } from "../model/reports.ts";
import { isUnresolved } from "../model/submission.ts";
import { notTaken, settleByPerson, type WordTaken } from "./manual-settlement.ts";
import { placesOf } from "./moved-order.ts";
import { type OrderReconciler, settlingOrders } from "./order-lookup.ts";

/**
 * @param name id or userref of the intent
 * @returns a fault where this was not accepted: the order is unchanged
 */
export async function settleOrder(
  context: DeskContext,
  reconciler: OrderReconciler,
  name: string,
  word: PersonsWord,
): Promise<Result<WriteReport>> {
  const account = await context.account();
  if (!account.ok) return account;
  const known = await named(context, account.value, name);
  if (!known.ok) return known;
  if (known.value === undefined) return failed(notTaken(`No order with id or userref ${name} is known here.`));
  const meant = await unresolvedPlace(context, account.value, known.value);
  const parts = { kind: settlingOrders(context), reconciler, word: wordOnOrders(context) };
  return settleByPerson(context, parts, meant, word);
}

async function named(context: DeskContext, account: string, name: string): Promise<Result<IntentRecord | undefined>> {
  const { journal } = context.parts;
  const byId = await journal.byId(name);
  return !byId.ok || byId.value?.account === account ? byId : journal.byUserref(account, name);
}

/** An order that was moved has an answer: what has none is what may stand in its place. */
async function unresolvedPlace(context: DeskContext, account: string, intent: IntentRecord): Promise<IntentRecord> {
  if (isUnresolved(intent.state) || intent.orderId === null) return intent;
  const last = (await placesOf(context, account, intent.orderId)).at(-1);
  return last !== undefined && isUnresolved(last.state) ? last : intent;
}

function wordOnOrders(context: DeskContext): WordTaken<IntentRecord, WriteReport> {
  return {
    event: "settled_by_person",
    placed: (intent, orderId) => placed(context, intent, orderId),
    report: (intent, warnings) => intentReport(context.stamp(), intent, warnings),
  };
}

async function placed(
  context: DeskContext,
  intent: IntentRecord,
  orderId: string | undefined,
): Promise<Result<Omit<IntentChange, "from">>> {
  const order = orderId === undefined ? await onlyOne(context, intent) : await byId(context, intent, orderId);
  if (!order.ok) return order;
  const owner = await context.parts.journal.byOrderId(context.journalAccount(), order.value.orderId);
  if (!owner.ok) return owner;
  if (owner.value !== undefined)
    return failed(notTaken(`Order ${order.value.orderId} is known as that of userref ${owner.value.userref}.`));
  const change = changeShownBy(intent, order.value);
  return ok({ ...change, body: { ...(change.body ?? intent.body), settledBy: "person" } });
}

async function byId(
  { parts: { venue } }: DeskContext,
  { body }: IntentRecord,
  orderId: string,
): Promise<Result<Order>> {
  const answer = await venue.order(body.order.symbol, orderId);
  if (!answer.ok) return answer;
  // By its fields: the userref is what is in doubt.
  const { userref: _doubtful, ...requested } = body.order;
  const { userref } = answer.value;
  const asked = userref === null ? requested : { ...requested, userref };
  return isOrderOf(answer.value, asked)
    ? answer
    : failed(notTaken(`Order ${orderId} asks for something else than this intent does.`));
}

async function onlyOne({ parts: { venue } }: DeskContext, { userref, body }: IntentRecord): Promise<Result<Order>> {
  const answer = await venue.lookup({ userref, symbol: body.order.symbol });
  if (!answer.ok) return answer;
  const shown = answer.value.kind === "found" ? answer.value.item : [];
  const alike = shown.filter((order) => isOrderOf(order, body.order));
  const [first] = alike;
  if (first !== undefined && alike.length === 1) return ok(first);
  const which = alike.length === 0 ? "shows no order" : `shows ${alike.length} orders`;
  return failed(notTaken(`The exchange ${which} with this userref that asks for the same; name it with --order-id.`));
}
