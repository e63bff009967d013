/**
 * The order that a new one takes the place of: whether it can be, and its cancel before the new one is sent.
 *
 * Invariants: the new order is sent only after the venue has shown the old one canceled, and for no more than was left of it; what is not proven gone is
 * taken for open. A new order whose process dies here is never sent: what was asked again finds it unsent, and the old one as it is.
 *
 * Source: decision 0029; architecture.md#rule-1, architecture.md#rule-5.
 */
import {
  checkFault,
  type Fault,
  failed,
  localFault,
  type Market,
  type Order,
  ok,
  type Result,
} from "../../contract/index.ts";
import { max, notional, notionalOf, price, quantity, rate } from "../../decimal/index.ts";
import { orderKind, waitingEnded } from "../approval/pending-approvals.ts";
import { failedWithdrawal, type Withdrawal } from "../approval/withdrawal.ts";
import { attempt } from "../core/attempt.ts";
import { type DeskContext, URGENT } from "../core/context.ts";
import type { IntentBody, IntentRecord } from "../model/intent.ts";
import { beforeSending, orderStateOf } from "../model/order-report.ts";
import { openVolumeOf, type ReplacedOrder, type ReplacedState, volumeToPlace } from "../model/replaced-order.ts";
import type { WithdrawnItem, WriteReport } from "../model/reports.ts";
import { checkOrder } from "../risk/order-validation.ts";
import { withdrawal } from "../submission/withdrawn.ts";
import type { VerifiedCancel } from "./verified-cancel.ts";

/** An order that is not open cannot be changed. @param instead userref of the order that was placed for it */
export function closedFault({ orderId, state }: Pick<Order, "orderId" | "state">, instead?: string): Fault {
  return checkFault("EOrder:Order already closed", {
    field: "order_id",
    message: `Order ${orderId} is ${state}, so there is nothing of it left to change. Nothing was sent.`,
    nextAction:
      instead === undefined
        ? "Look at it with get_order. A new order is placed with place_order."
        : `It was changed before: the order in its place has userref ${instead}. Look at that one with get_order, and change it if it is open.`,
  });
}

/** What is to be judged: the new order as it would be placed now, and the old one, which is open. `lookedAtMs`: when that was seen to be so. */
export interface Judged {
  readonly body: IntentBody;
  readonly gone?: Order;
  readonly lookedAtMs?: number;
}

/** The old order, and when it was asked for. */
export interface SeenOrder {
  readonly order: Order;
  readonly atMs: number;
}

/** So long the cancel may come after the look; where the calls between had to wait, everything is looked at once more. */
const LOOK_MAX_AGE_MS = 500;

/**
 * An order that replaces another, where that is open, the market takes the new one, and the account can pay for it once the old one is gone: the venue
 * itself is asked for the new one only then. All of it is asked for at this moment: nothing would stand if the market were halted since. What the old
 * one has executed since the change was asked for is off the new one already.
 * @param seen where the old one was asked for a moment ago
 * @returns any other order as it is
 */
export async function besideReplaced(
  context: DeskContext,
  body: IntentBody,
  seen?: SeenOrder,
): Promise<Result<Judged>> {
  const { replaces } = body;
  if (replaces === undefined) return ok({ body });
  const { order } = body;
  const { venue, clock } = context.parts;
  const lookedAtMs = seen?.atMs ?? clock.now();
  context.forgetMarkets();
  const [market, old, accounts] = await Promise.all([
    context.market(order.symbol, "proposed"),
    seen === undefined ? venue.order(order.symbol, replaces.orderId) : ok(seen.order),
    venue.accounts(),
  ]);
  if (!market.ok) return market;
  if (!old.ok) return old;
  if (old.value.state !== "open") return failed(closedFault(old.value));
  if (!accounts.ok) return accounts;
  const volume = volumeToPlace(replaces, old.value).toString();
  const problem = ruleProblem(market.value, order, volume);
  if (problem !== undefined) return failed(problem);
  const { base, quote } = market.value;
  const [asset, amountOf] = order.side === "buy" ? [quote, moneyFor] : [base, coinsFor];
  const available = notional(accounts.value.balances.find((each) => each.asset === asset)?.available ?? "0");
  const freed = amountOf(market.value, { price: old.value.price ?? "0", volume: openVolumeOf(old.value).toString() });
  const needed = amountOf(market.value, { price: order.price ?? "0", volume });
  if (needed.lte(available.plus(freed)))
    return ok({ body: { ...body, order: { ...order, volume } }, gone: old.value, lookedAtMs });
  const message = `The new order needs ${needed.toString()} ${asset}; available is ${available.toString()}, and the old one locks ${freed.toString()}. Nothing was sent.`;
  return failed(checkFault("EOrder:Insufficient funds", { field: "base_volume", message }));
}

/** Why the market, as it is, does not take the new order. */
function ruleProblem(
  market: Market,
  { side, price: at = "0" }: IntentBody["order"],
  volume: string,
): Fault | undefined {
  const request = { symbol: market.symbol, side, type: "limit", price: at, base_volume: volume } as const;
  const [problem] = checkOrder(market, request).problems;
  return problem && { ...problem, message: `${problem.message}. Nothing was sent.` };
}

/**
 * For a report: the intent with the old order as the venue shows it now. That may have ended while a person was asked, and nothing was written down of it.
 * As it is where the venue cannot be asked.
 */
export async function withOldNow({ parts: { venue } }: DeskContext, intent: IntentRecord): Promise<IntentRecord> {
  const { replaces, order } = intent.body;
  if (replaces === undefined || replaces.ended !== undefined) return intent;
  const old = await venue.order(order.symbol, replaces.orderId, URGENT);
  if (!old.ok) return intent;
  const ended = { state: orderStateOf(old.value) as ReplacedState, executedVolume: old.value.executed_volume };
  return { ...intent, body: { ...intent.body, replaces: { ...replaces, ended } } };
}

interface Size {
  readonly price: string;
  readonly volume: string;
}

/** With the larger fee, as the venue locks it. */
function moneyFor({ maker_fee_rate, taker_fee_rate }: Market, size: Size) {
  const value = notionalOf(price(size.price), quantity(size.volume));
  return value.plus(value.scale(max(rate(maker_fee_rate), rate(taker_fee_rate))));
}

function coinsFor(_market: Market, { volume }: Size) {
  return notional(volume);
}

/** The body of the new order as it is to be sent; a fault where it is not, with what is known of the old one. */
export interface Room {
  readonly body: IntentBody;
  readonly fault?: Fault;
}

interface Change {
  readonly replaces: ReplacedOrder;
  /** When it was last seen that the new one can go. */
  readonly lookedAtMs: number | undefined;
  /** Fires when the change is withdrawn: until the cancel has left, the old one stays. */
  readonly withdrawn: AbortSignal | undefined;
}

/** Cancels the old order, and cuts the new one to what was left of it. */
export async function makeRoom(
  context: DeskContext,
  cancels: VerifiedCancel,
  { intentId, body }: IntentRecord,
  { replaces, lookedAtMs, withdrawn }: Change,
): Promise<Room> {
  const { journal, clock } = context.parts;
  const ageMs = clock.now() - (lookedAtMs ?? Number.NEGATIVE_INFINITY);
  const { symbol } = body.order;
  if (ageMs < 0 || ageMs > LOOK_MAX_AGE_MS) {
    const look = await besideReplaced(context, body);
    if (!look.ok) return { body, fault: beforeSending(look.fault) };
    // It was let through after the look. A process that stood still since may have been given up: then nobody waits for this cancel any more.
    const now = await journal.byId(intentId);
    if (!now.ok) return { body, fault: now.fault };
    if (now.value?.state !== "approved") return { body, fault: localFault("ELocal:Not placed") };
  }
  const unwanted = withdrawal(withdrawn);
  if (unwanted !== undefined) return { body, fault: unwanted };
  const beforeSend = async (): Promise<boolean> => withdrawn?.aborted !== true;
  const report = await cancels.send({ orderId: replaces.orderId, symbol, beforeSend });
  const { order: old } = report;
  const state = report.state as ReplacedState;
  const executedVolume = old?.executed_volume ?? replaces.executedVolume;
  const after = { ...body, replaces: { ...replaces, ended: { state, executedVolume } } };
  if (old === undefined || state !== "canceled" || orderStateOf(old) !== "canceled" || report.outcome !== "accepted")
    return { body: after, fault: (isUntouched(report) && withdrawal(withdrawn)) || notGone(report, replaces) };
  const volume = volumeToPlace(replaces, old).toString();
  const order = { ...body.order, volume };
  const market = await context.market(symbol, "proposed");
  if (!market.ok) return { body: after, fault: nothingStands(market.fault) };
  const problem = ruleProblem(market.value, order, volume);
  return problem === undefined ? { body: { ...after, order } } : { body: after, fault: nothingStands(problem) };
}

/** No cancel has left, or had any effect. */
function isUntouched({ outcome, order }: WriteReport): boolean {
  return outcome === "not_sent" && order?.state === "open";
}

/** Why the new order is not sent, as the old one is not known to have ended by this. */
function notGone({ outcome, state, order, error }: WriteReport, { orderId }: ReplacedOrder): Fault {
  const name = `order_id ${orderId}`;
  if (outcome === "unknown" || state === "unknown" || state === "cancel_requested" || order === undefined)
    return localFault("ELocal:No answer", {
      message: `The old order was to be canceled, and it is not known whether it is. The new one was not sent and will not be.`,
      nextAction: `Look at the old one with get_order, ${name}. While it is open, ask for the change again; once it is canceled, place what is still wanted with place_order.`,
    });
  if (order.state === "open")
    return localFault("ELocal:Not placed", {
      message: `The old order could not be canceled and is still open. The new one was not sent.${error === undefined ? "" : ` ${error.message}`}`,
      nextAction: "Ask for the change again if it is still wanted.",
    });
  const how = order.state === "filled" ? "filled before it could be canceled" : `had already ended as ${order.state}`;
  return checkFault("EOrder:Order already closed", {
    message: `The old order ${how}. The new one was not sent, and neither is open now.`,
    nextAction: `Look at it with get_order, ${name}.`,
  });
}

/** More than are on their way at once. */
const CHANGES_MAX = 1_000;
const WITHDRAWN = { message: "It was withdrawn with all other orders, before it was sent." };

/** Where everything is canceled, no change that is let through places its order after that: the old one may be gone already, and not be listed. */
export async function withdrawChanges(
  context: DeskContext,
  account: string,
  isMeant: (intent: IntentRecord) => boolean,
): Promise<Withdrawal> {
  const { journal } = context.parts;
  const found = await attempt(() => journal.inStates(account, ["approved"], CHANGES_MAX));
  if (found.fault !== undefined) return failedWithdrawal(found.fault);
  const kind = orderKind(journal);
  const withdrawn: WithdrawnItem[] = [];
  const warnings: string[] = [];
  for (const intent of found.value ?? []) {
    if (intent.body.replaces === undefined || !isMeant(intent)) continue;
    const { value: ended, fault } = await endChange(context, intent, WITHDRAWN);
    if (ended !== undefined) withdrawn.push(kind.viewOf(intent));
    else
      warnings.push(
        `Userref ${intent.userref} may still be placed: look with get_order. ${fault?.message ?? ""}`.trim(),
      );
  }
  return { withdrawn, warnings, isWhole: warnings.length === 0 };
}

/** Where the order that it changes is canceled by that one's own name. @returns whether it will not be placed */
export async function withdrawChange(context: DeskContext, intent: IntentRecord): Promise<boolean> {
  if (intent.state !== "approved") return false;
  const why = { message: "It was withdrawn before it was sent, as the order that it changes was to be canceled." };
  const { value } = await endChange(context, intent, why);
  return value !== undefined;
}

function endChange(
  { parts: { journal, clock } }: DeskContext,
  intent: IntentRecord,
  why: { readonly message: string },
) {
  const change = { from: ["approved"], ...waitingEnded(orderKind(journal), intent, "lapsed", why) } as const;
  return attempt(() => journal.advance(intent.intentId, change, clock.now()));
}

const NOTHING_SENT = / Nothing was sent\.$/;

/** A fault that keeps the new order from being sent when the old one is gone. */
export function nothingStands(fault: Fault): Fault {
  const message = `${fault.message.replace(NOTHING_SENT, "")} The old order is canceled and the new one was not placed: neither is open now.`;
  // Of a change that was withdrawn there is nothing left to ask for anew.
  const instead = fault.code === "ELocal:Withdrawn" && { nextAction: "Place what is still wanted with place_order." };
  return { ...fault, message, ...instead };
}
