/**
 * From a caller's request to what is journaled and sent: the wire body, and the digest that names it.
 *
 * Tells whether two orders are the same order, or ask for the same thing.
 */
import {
  type Compliance,
  type CreateOrderBody,
  canonicalDigest,
  canonicalJson,
  defined,
  type Market,
  ORDER_TRAITS,
  type Order,
} from "../../contract/index.ts";
import { notional, price, quantity } from "../../decimal/index.ts";
import type { IntentBody, OrderRequest } from "./intent.ts";
import type { ReplacedOrder } from "./replaced-order.ts";
import type { Environment } from "./submission.ts";

/** The wire body of a request: canonical symbol, own `userref`, the profile's compliance where none is given. */
export function orderBody(
  request: OrderRequest,
  market: Market,
  userref: string,
  compliance: Compliance | undefined,
): CreateOrderBody & { readonly userref: string } {
  const metadata = request.compliance ?? compliance;
  return {
    symbol: market.symbol,
    side: request.side,
    type: request.type,
    ...defined({
      volume: request.base_volume,
      amount: request.quote_amount,
      price: request.price,
      time_in_force: request.time_in_force,
      post_only: request.post_only,
    }),
    userref,
    ...defined({ compliance: metadata }),
  };
}

/** SHA-256 over every field of the order and of what it replaces, the account and the environment, as hex. */
export function orderDigest(
  order: CreateOrderBody,
  account: string,
  environment: Environment,
  replaces?: ReplacedOrder,
): string {
  return canonicalDigest({ account, environment, order, replaces });
}

/** The request that a wire body was made of. */
export function requestOf({ volume, amount, validate_only: _never, ...order }: CreateOrderBody): OrderRequest {
  return { ...defined(order), ...defined({ base_volume: volume, quote_amount: amount }) } as OrderRequest;
}

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

/** Whether it may stay in the book: by its type, and by how long it lasts. */
export function mayRest({ type, time_in_force: lifetime = "GTC" }: CreateOrderBody): boolean {
  return ORDER_TRAITS[type].mayRest && lifetime === "GTC";
}
