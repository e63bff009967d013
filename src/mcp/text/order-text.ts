/**
 * Owns the sentences about orders. Each state has its own words: resting is not executed, asked to cancel is not canceled,
 * denied by us is not rejected by the exchange, and unknown is none of them.
 */
import { type CreateOrderBody, defined, type Fill, ORDER_TRAITS, type Order, quoted } from "../../contract/index.ts";
import { amount, amountOr, assetsOf, exactAmount, isPositive, marketNamed } from "./amount-text.ts";

/** Says what was ordered: "buy 0.015 BTC on BTC/KRW at ₩95,000,000 (limit, GTC)". */
export function orderText(order: Order, typed?: string): string {
  const { price, volume, amount: sum, ...rest } = order;
  return instructionText(
    { ...rest, ...defined({ price: price ?? undefined, volume: volume ?? undefined, amount: sum ?? undefined }) },
    typed,
  );
}

type Instruction = Pick<
  CreateOrderBody,
  "symbol" | "side" | "type" | "volume" | "amount" | "price" | "time_in_force" | "post_only"
>;

/** The same of an order that was not placed yet; the exchange fills in what was left out. */
export function instructionText({ symbol, side, ...order }: Instruction, typed?: string): string {
  const { base, quote } = assetsOf(symbol);
  const { volume, amount: krw, price, type, time_in_force, post_only } = order;
  const size =
    volume === undefined ? `for ${krw === undefined ? "?" : exactAmount(krw, quote)}` : exactAmount(volume, base);
  const at = price === undefined ? "at market" : `at ${exactAmount(price, quote)}`;
  const how = [
    type,
    ...(time_in_force === undefined ? [] : [time_in_force]),
    ...(post_only === true ? ["post-only"] : []),
  ];
  return `${side} ${size} on ${marketNamed(symbol, typed)} ${at} (${how.join(", ")})`;
}

/** Says what has executed so far: "bought 0.00105 BTC for ₩99,990, average ₩95,228,571.43, fee ₩49.995". */
export function executed(order: Order): string {
  if (!isPositive(order.executed_volume)) return "nothing has executed";
  const { base, quote } = assetsOf(order.symbol);
  const verb = order.side === "buy" ? "bought" : "sold";
  const average = order.avg_price === null ? "" : `, average ${amount(order.avg_price, quote)}`;
  const worth = order.executed_value === undefined ? "" : ` for ${amount(order.executed_value, quote)}`;
  const fee =
    order.fee === undefined
      ? ", fee not said by the exchange"
      : `, fee ${amount(order.fee, order.fee_currency ?? quote)}`;
  return `${verb} ${amount(order.executed_volume, base)}${worth}${average}${fee}`;
}

/** Says how much of the order is done, in quote currency or in coins, as it was ordered. */
function share(order: Order): string {
  const { base, quote } = assetsOf(order.symbol);
  const verb = order.side === "buy" ? "spent" : "received";
  if (order.volume === null)
    return `${verb} ${amountOr(order.executed_value ?? null, quote, "an amount it does not say")} of the ${amountOr(order.amount, quote, "amount")} asked for`;
  return `${amount(order.executed_volume, base)} of ${amount(order.volume, base)} executed`;
}

export function ids(order: Order): string {
  return order.userref === null ? `order_id ${order.orderId}` : `order_id ${order.orderId}, userref ${order.userref}`;
}

/** When it came and when it last changed: the same moment once. */
export function timesText({ created_at, updated_at }: Order): string {
  const [created, updated] = [created_at, updated_at ?? created_at].map((time) => Math.floor(Date.parse(time) / 1000));
  return `Created ${created_at}${updated === created ? "" : `, last change ${updated_at}`}.`;
}

/** The order's state, as a whole sentence. */
export function stateText(order: Order): string {
  const { base } = assetsOf(order.symbol);
  const rest = order.remaining_volume === null ? "" : `; ${amount(order.remaining_volume, base)} is still open`;
  switch (order.state) {
    case "open":
      return isPositive(order.executed_volume)
        ? `Partially filled: ${share(order)}: ${executed(order)}${rest}.`
        : openText(order);
    case "filled":
      return `Filled: ${order.volume === null ? `${share(order)}: ` : ""}${executed(order)}.`;
    case "canceled":
      return `Canceled: nothing of it is open any more; ${before(order)}${reason(order)}.`;
    case "expired":
      return `Expired: what could not execute was dropped; ${before(order)}${reason(order)}.`;
    case "rejected":
      return `Rejected by the exchange: it was not placed${reason(order)}.`;
    default:
      return order.state satisfies never;
  }
}

/** Of a type that may not rest, an order that the exchange has just taken and goes on with. */
function openText({ type }: Order): string {
  return ORDER_TRAITS[type].mayRest
    ? "Open: it rests in the book and nothing has executed yet."
    : "Open: the exchange has it, and nothing has executed yet.";
}

function before(order: Order): string {
  return isPositive(order.executed_volume) ? `before that it ${executed(order)}` : "nothing had executed";
}

/** Quotes the reason that the exchange gives. */
function reason({ reject_reason: why }: Order): string {
  if (why === null) return "";
  const explained = why === "self_trade_prevented" ? `${OWN_IN_THE_WAY}; ` : "";
  return `; ${explained}its words, as data: ${quoted(why, 200)}`;
}

const OWN_IN_THE_WAY = "an own order was in the way, and the exchange lets nobody trade with oneself";

export function orderLine(order: Order): string {
  return `- ${orderText(order)}. ${stateText(order)} ${ids(order)}, ${order.created_at}`;
}

export function fillLine(fill: Fill): string {
  const { base, quote } = assetsOf(fill.symbol);
  const verb = fill.side === "buy" ? "bought" : "sold";
  const value = `${amount(fill.volume, base)} at ${amount(fill.price, quote)} = ${amount(fill.value, quote)}`;
  const settled =
    fill.settlement === undefined || fill.settlement.state === "settled" ? "" : `, ${fill.settlement.state}`;
  return `- ${fill.time} ${fill.symbol} ${verb} ${value}, fee ${amount(fill.fee, fill.fee_currency)}${fill.fee_exact === false ? ", not told for this fill alone" : ""} (${fill.liquidity ?? "maker or taker is not said"})${settled}, trade_id ${fill.trade_id}, order_id ${fill.orderId}`;
}
