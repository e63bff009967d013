/**
 * From what a caller asks for to what is journaled and sent: the wire body, and the digest that names it.
 */
import { createHash } from "node:crypto";
import type { Compliance, CreateOrderBody, Market, Order } from "../contract/index.ts";
import { notional, price, quantity } from "../decimal/index.ts";
import type { Environment, OrderRequest } from "./ports.ts";

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
    ...(request.base_volume === undefined ? {} : { volume: request.base_volume }),
    ...(request.quote_amount === undefined ? {} : { amount: request.quote_amount }),
    ...(request.price === undefined ? {} : { price: request.price }),
    ...(request.time_in_force === undefined ? {} : { time_in_force: request.time_in_force }),
    ...(request.post_only === undefined ? {} : { post_only: request.post_only }),
    userref,
    ...(metadata === undefined ? {} : { compliance: metadata }),
  };
}

/** JSON with sorted keys, so that equal orders give equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`;
}

/** SHA-256 over every field of the order, the account and the environment, as hex. */
export function orderDigest(order: CreateOrderBody, account: string, environment: Environment): string {
  return createHash("sha256").update(canonical({ account, environment, order })).digest("hex");
}

/** Whether two orders ask for the same thing under different names: market, side, type, size and price. */
export function isTwinOf(a: CreateOrderBody, b: CreateOrderBody): boolean {
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

/** Whether a twin also asks for it in the same manner: how long it may rest, whether it may take, what is declared with it. */
export function isSameWishAs(a: CreateOrderBody, b: CreateOrderBody): boolean {
  return isTwinOf(a, b) && canonical(mannerOf(a)) === canonical(mannerOf(b));
}

function mannerOf({ time_in_force = "GTC", post_only = false, compliance }: CreateOrderBody): object {
  return { time_in_force, post_only, compliance };
}

/** Whether an order at the venue is the one that `body` asked for, field by field, numbers by value. */
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
  asked: string | undefined,
  read: (text: string) => N,
): boolean {
  if (shown === null || asked === undefined) return shown === null && asked === undefined;
  return read(shown).toString() === read(asked).toString();
}
