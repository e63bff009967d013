/**
 * An order as it looks at the exchanges that write the quote first, show its fills inside of it alone, and tell one fee for all of them.
 *
 * Invariant: an order is read whatever optional field is missing: one that cannot be read could be taken for one that is not there.
 */
import { z } from "zod";
import type { Fill, Order } from "../contract/index.ts";
import { defined } from "../contract/index.ts";
import { averagePrice, Fraction, notional, notionalOf, price, quantity, quantityFor } from "../decimal/index.ts";
import { exactly, isoOf, isZero, maybe, number, symbolOf, wire } from "./quote-first-answers.ts";

const tradeOfOrder = z.looseObject({
  uuid: z.string(),
  price: number,
  volume: number,
  funds: maybe,
  created_at: maybe,
});

export const orderAnswer = z.looseObject({
  uuid: z.string().min(1),
  market: z.string().min(3),
  side: z.enum(["bid", "ask"]),
  state: z.string(),
  ...{ ord_type: maybe, price: maybe, volume: maybe, identifier: maybe, time_in_force: maybe, created_at: maybe },
  ...{ executed_volume: maybe, remaining_volume: maybe, executed_funds: maybe, paid_fee: maybe },
  trades: z.array(tradeOfOrder).nullish(),
});
type OrderAnswer = z.output<typeof orderAnswer>;

/** @param readAtMs stands in for a time that is not told */
export function orderOf(answer: OrderAnswer, readAtMs: number): Order {
  const { uuid, market, side: way, identifier, time_in_force: condition } = answer;
  const symbol = symbolOf(market);
  const side = way === "bid" ? "buy" : "sell";
  const isLimit =
    answer.ord_type === "limit" || (answer.ord_type == null && answer.price != null && answer.volume != null);
  const volume = wire(answer.volume);
  const remaining = wire(answer.remaining_volume);
  const trades = (answer.trades ?? []).map((trade) => ({ ...trade, value: fundsOf(trade) }));
  const executed = wire(answer.executed_volume) ?? executedOf(volume, remaining, trades);
  const value = wire(answer.executed_funds) ?? (isZero(executed) ? "0" : sum(trades.map((trade) => trade.value)));
  const amount = isLimit ? null : (wire(answer.price) ?? null);
  const fee = wire(answer.paid_fee);
  const shown: Order = {
    uuid,
    orderId: uuid,
    txid: [uuid],
    symbol,
    side,
    type: isLimit ? "limit" : "market",
    price: isLimit ? (wire(answer.price) ?? null) : null,
    volume: volume ?? null,
    amount,
    executed_volume: executed,
    remaining_volume: volume === undefined ? null : (remaining ?? notMore(volume, executed)),
    avg_price: value === undefined || isZero(executed) ? null : average(value, executed),
    state: stateOf(answer, { executed, value, amount }),
    reject_reason: null,
    userref: identifier ?? null,
    created_at: isoOf(answer.created_at, readAtMs),
    ...(isLimit && { time_in_force: CONDITIONS[condition ?? ""] ?? "GTC", post_only: condition === "post_only" }),
    ...defined({ executed_value: value, fee, fee_currency: fee === undefined ? undefined : market.split("-")[0] }),
  };
  return answer.trades == null ? shown : { ...shown, trades: fillsOf(shown, trades, readAtMs) };
}

const CONDITIONS: Readonly<Record<string, "GTC" | "IOC" | "FOK">> = { ioc: "IOC", fok: "FOK" };

type Trade = z.output<typeof tradeOfOrder> & { readonly value: string };

function fundsOf({ funds, price: each, volume }: z.output<typeof tradeOfOrder>): string {
  return wire(funds) ?? exactly(notionalOf(price(exactly(each)), quantity(exactly(volume))).toString());
}

function sum(values: readonly string[]): string | undefined {
  const [first, ...rest] = values.map(notional);
  return first === undefined ? undefined : rest.reduce((total, value) => total.plus(value), first).toString();
}

function executedOf(volume: string | undefined, remaining: string | undefined, trades: readonly Trade[]): string {
  if (volume !== undefined && remaining !== undefined) return notMore(volume, remaining);
  return sum(trades.map((trade) => exactly(trade.volume))) ?? "0";
}

function notMore(whole: string, part: string): string {
  const rest = quantity(whole).minus(quantity(part));
  return rest.isNegative() ? "0" : rest.toString();
}

function average(value: string, executed: string): string {
  return averagePrice(notional(value), quantity(executed), 8, "half_even").toString();
}

interface Executed {
  readonly executed: string;
  readonly value: string | undefined;
  readonly amount: string | null;
}

/** A market buy that has spent all but what buys nothing any more ends as `cancel` there: it is filled. Any state that is not known is no end. */
function stateOf({ state, ord_type: type }: OrderAnswer, { executed, value, amount }: Executed): Order["state"] {
  if (state === "done") return "filled";
  if (state !== "cancel") return "open";
  if (type !== "price" || amount === null || value === undefined || isZero(executed)) return "canceled";
  const left = notional(amount).minus(notional(value));
  const buysNothing = left.isNegative() || quantityFor(left, price(average(value, executed)), 8, "down").isZero();
  return buysNothing ? "filled" : "canceled";
}

/** The exchange tells one fee for an order: it is divided by value, and what is left of it goes to the last. */
function fillsOf(order: Order, trades: readonly Trade[], readAtMs: number): Fill[] {
  const { symbol, side, orderId, userref, fee = "0", fee_currency: currency = symbol.split("/")[1] ?? "" } = order;
  const total = sum(trades.map(({ value }) => value)) ?? "0";
  let left = Fraction.of(fee);
  return trades.map((trade, at) => {
    const isLast = at === trades.length - 1;
    const whole = Fraction.of(total);
    const part = isLast || whole.isZero() ? left : Fraction.of(fee).share(Fraction.of(trade.value), whole);
    const share = part.rounded(8, "down");
    left = left.minus(Fraction.of(share));
    return {
      ...{ trade_id: trade.uuid, orderId, userref, symbol, side, value: trade.value },
      ...{ price: exactly(trade.price), volume: exactly(trade.volume) },
      ...{ fee: share, fee_currency: currency, fee_exact: trades.length === 1 && order.fee !== undefined },
      time: isoOf(trade.created_at ?? order.created_at, readAtMs),
    };
  });
}
