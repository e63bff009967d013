/** Whether two orders are the same order, or ask for the same thing. */
import { type CreateOrderBody, canonicalJson, type Order } from "../../contract/index.ts";
import { notional, price, quantity } from "../../decimal/index.ts";

/** Whether two orders ask for the same thing under different names: market, side, type, size and price. */
export function isDuplicateOf(a: CreateOrderBody, b: CreateOrderBody): boolean {
  return (
    a.userref !== b.userref &&
    a.symbol === b.symbol &&
    a.side === b.side &&
    a.type === b.type &&
    sameNumber(a.price ?? null, b.price, price) &&
    sameNumber(a.volume ?? null, b.volume, quantity) &&
    sameNumber(a.amount ?? null, b.amount, notional)
  );
}

/** Whether a duplicate also asks for the same handling: time in force, post-only, compliance data. */
export function isSameRequestAs(a: CreateOrderBody, b: CreateOrderBody): boolean {
  return isDuplicateOf(a, b) && canonicalJson(handlingOf(a)) === canonicalJson(handlingOf(b));
}

function handlingOf({ time_in_force = "GTC", post_only = false, compliance }: CreateOrderBody): object {
  return { time_in_force, post_only, compliance };
}

/** Whether an order at the venue is the one that `body` requested, field by field, numbers by value. */
export function isOrderOf(order: Order, body: CreateOrderBody): boolean {
  return (
    order.userref === (body.userref ?? null) &&
    order.symbol === body.symbol &&
    order.side === body.side &&
    order.type === body.type &&
    sameNumber(order.price, body.price, price) &&
    sameNumber(order.volume, body.volume, quantity) &&
    sameNumber(order.amount, body.amount, notional)
  );
}

function sameNumber<N extends { toString(): string }>(
  shown: string | null,
  requested: string | undefined,
  read: (text: string) => N,
): boolean {
  if (shown === null || requested === undefined) return shown === null && requested === undefined;
  return read(shown).toString() === read(requested).toString();
}
