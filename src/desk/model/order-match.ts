/** Tells whether two orders are the same order, or ask for the same thing. */
import { type CreateOrderBody, canonicalJson, type Order } from "../../contract/index.ts";
import { notional, price, quantity } from "../../decimal/index.ts";
import type { IntentBody } from "./intent.ts";

/** Says what an intent asks for. */
type Wish = Pick<IntentBody, "order" | "sizing">;

/**
 * Tells whether two orders ask for the same thing under different names: market, side, type, size and price. The same share of what was
 * available is the same size: whoever asks again for half means the half that was asked for before.
 */
export function isDuplicateOf(one: Wish, other: Wish): boolean {
  const { order: a } = one;
  const { order: b } = other;
  return (
    a.userref !== b.userref &&
    a.symbol === b.symbol &&
    a.side === b.side &&
    a.type === b.type &&
    sameNumber(a.price ?? null, b.price, price) &&
    (isSameShare(one.sizing, other.sizing) ||
      (sameNumber(a.volume ?? null, b.volume, quantity) && sameNumber(a.amount ?? null, b.amount, notional)))
  );
}

function isSameShare(a: IntentBody["sizing"], b: IntentBody["sizing"]): boolean {
  return a !== undefined && a.asked === b?.asked && a.given === b.given;
}

/** Tells whether a duplicate also asks for the same handling: time in force, post-only, compliance data. */
export function isSameRequestAs(a: Wish, b: Wish): boolean {
  return isDuplicateOf(a, b) && canonicalJson(handlingOf(a.order)) === canonicalJson(handlingOf(b.order));
}

function handlingOf({ time_in_force = "GTC", post_only = false, compliance }: CreateOrderBody): object {
  return { time_in_force, post_only, compliance };
}

/** Tells whether an order at the venue is the one that `body` requested, field by field, numbers by value. */
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
  return shown === requested || read(shown).toString() === read(requested).toString();
}
