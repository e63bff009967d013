/**
 * An order as it looks at the exchanges that write the quote first, show its fills inside of it alone, and tell one fee for all of them.
 *
 * Invariant: an order is read whatever optional field is missing: one that cannot be read could be taken for one that is not there.
 */
import { z } from "zod";
import type { Fill, Order } from "../contract/index.ts";
import { Fraction } from "../decimal/index.ts";
import { symbolOf } from "./quote-first-answers.ts";
import { buysNothing, shownOrder, worth } from "./shown-answer.ts";
import { exactly, isoOf, isZero, maybe, notMore, number, sum, wire } from "./shown-number.ts";

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
  const { uuid, market, identifier, time_in_force: condition } = answer;
  const isLimit =
    answer.ord_type === "limit" || (answer.ord_type == null && answer.price != null && answer.volume != null);
  const trades = (answer.trades ?? []).map((trade) => ({ ...trade, value: fundsOf(trade) }));
  const executed =
    wire(answer.executed_volume) ?? executedOf(wire(answer.volume), wire(answer.remaining_volume), trades);
  const value = wire(answer.executed_funds) ?? (isZero(executed) ? "0" : sum(trades.map((trade) => trade.value)));
  const amount = isLimit ? undefined : wire(answer.price);
  const shown: Order = {
    ...shownOrder({
      ...{ orderId: uuid, symbol: symbolOf(market), side: answer.side === "bid" ? "buy" : "sell", isLimit },
      ...{ price: answer.price, volume: answer.volume, amount, remaining: answer.remaining_volume },
      ...{ executed, value, fee: answer.paid_fee, state: stateOf(answer, { executed, value, amount }) },
      ...{ userref: identifier, created_at: isoOf(answer.created_at, readAtMs) },
    }),
    ...(isLimit && { time_in_force: CONDITIONS[condition ?? ""] ?? "GTC", post_only: condition === "post_only" }),
  };
  return answer.trades == null ? shown : { ...shown, trades: fillsOf(shown, trades, readAtMs) };
}

const CONDITIONS: Readonly<Record<string, "GTC" | "IOC" | "FOK">> = { ioc: "IOC", fok: "FOK" };

type Trade = z.output<typeof tradeOfOrder> & { readonly value: string };

function fundsOf({ funds, price: each, volume }: z.output<typeof tradeOfOrder>): string {
  return wire(funds) ?? worth(each, volume);
}

function executedOf(volume: string | undefined, remaining: string | undefined, trades: readonly Trade[]): string {
  if (volume !== undefined && remaining !== undefined) return notMore(volume, remaining);
  return sum(trades.map((trade) => exactly(trade.volume))) ?? "0";
}

interface Executed {
  readonly executed: string;
  readonly value: string | undefined;
  readonly amount: string | undefined;
}

/** A market buy that has spent all but what buys nothing any more ends as `cancel` there: it is filled. Any state that is not known is no end. */
function stateOf({ state, ord_type: type }: OrderAnswer, { executed, value, amount }: Executed): Order["state"] {
  if (state === "done") return "filled";
  if (state !== "cancel") return "open";
  if (type !== "price" || amount === undefined || value === undefined || isZero(executed)) return "canceled";
  return buysNothing(amount, value, executed) ? "filled" : "canceled";
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
