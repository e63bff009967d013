/**
 * What the venue's lists say of an order that a look-up by its own name does not show: for the person who decides, never for the desk.
 *
 * Invariant: a list that was not read to its end says nothing.
 *
 * Source: decision 0064.
 */
import { defined, type Order } from "../../contract/index.ts";
import { type Notional, notional, notionalOf, price, quantity, rate } from "../../decimal/index.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { ListEvidence } from "../model/evidence.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isOrderOf } from "../model/order-body.ts";

const PAGE_SIZE = 500;
const MAX_PAGES = 4;
/** Clocks are never quite right. */
const SLACK_MS = 60_000;
/** Three reads each time: a person does not need them more often. */
const AGAIN_AFTER_MS = 60_000;

export function areListsOld(lists: ListEvidence | undefined, nowMs: number): boolean {
  return lists === undefined || Math.abs(nowMs - lists.atMs) >= AGAIN_AFTER_MS;
}

export async function listEvidence(context: DeskContext, intent: IntentRecord): Promise<ListEvidence> {
  const { venue, clock } = context.parts;
  const { symbol } = intent.body.order;
  const sentAtMs = (intent.sentAtMs ?? intent.createdAtMs) + (venue.clockOffsetMs() ?? 0);
  const open = await ordersIn(context, { state: "open" });
  const closed = await ordersIn(context, { state: "closed", symbol, fromMs: sentAtMs - SLACK_MS });
  return {
    atMs: clock.now(),
    inOpenList: await holdsAlike(context, intent, open),
    inClosedList: await holdsAlike(context, intent, closed),
    lockedExplained: open === undefined ? null : await isLockedExplained(context, intent, open),
  };
}

/** Undefined where they cannot be had whole. */
async function ordersIn(
  { parts: { venue } }: DeskContext,
  request: { readonly state: "open" | "closed"; readonly symbol?: string; readonly fromMs?: number },
): Promise<readonly Order[] | undefined> {
  const orders: Order[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await venue.orders({ ...request, limit: PAGE_SIZE, ...defined({ cursor }) });
    if (!answer.ok) return undefined;
    orders.push(...answer.value.orders);
    if (answer.value.next_cursor === null) return orders;
    cursor = answer.value.next_cursor;
  }
  return undefined;
}

/** Whether one of them asks for the same, under whatever name, and is not known as another intent's. */
async function holdsAlike(
  { parts: { journal } }: DeskContext,
  { account, body }: IntentRecord,
  orders: readonly Order[] | undefined,
): Promise<boolean | null> {
  if (orders === undefined) return null;
  const { userref: _any, ...order } = body.order;
  for (const seen of orders) {
    if (!isOrderOf({ ...seen, userref: null }, order)) continue;
    const { value: owner, fault } = await attempt(() => journal.byOrderId(account, seen.orderId));
    if (fault !== undefined) return null;
    if (owner === undefined) return true;
  }
  return false;
}

/** Of the asset that the order would lock. Null where it is not known what the open orders lock. */
async function isLockedExplained(
  context: DeskContext,
  { body: { order } }: IntentRecord,
  open: readonly Order[],
): Promise<boolean | null> {
  const answer = await context.parts.venue.accounts();
  const markets = await context.markets();
  if (!answer.ok || !markets.ok) return null;
  const bySymbol = new Map(markets.value.map((market) => [market.symbol, market]));
  const [base = "", quote = ""] = order.symbol.split("/");
  const asset = order.side === "sell" ? base : quote;
  let explained: Notional = notional("0");
  for (const { symbol, side, price: at, remaining_volume: volume } of open) {
    const market = bySymbol.get(symbol);
    if (market === undefined) return null;
    if (asset !== (side === "sell" ? market.base : market.quote)) continue;
    if (at === null || volume === null) return null;
    explained = explained.plus(
      side === "sell" ? notional(volume) : withFee(notionalOf(price(at), quantity(volume)), market),
    );
  }
  const locked = answer.value.balances.find((balance) => balance.asset === asset)?.locked ?? "0";
  return notional(locked).lte(explained);
}

/** At the higher of the two rates, as it may still be filled as maker or taker. */
function withFee(
  value: Notional,
  { maker_fee_rate, taker_fee_rate }: { readonly maker_fee_rate: string; readonly taker_fee_rate: string },
): Notional {
  const [maker, taker] = [rate(maker_fee_rate), rate(taker_fee_rate)];
  return value.plus(value.scale(maker.gt(taker) ? maker : taker));
}
