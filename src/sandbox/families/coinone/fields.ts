/**
 * Reads the fields of a payload. A field that is null counts as absent, as Coinone's samples send those of other types of orders so. Entry
 * points: `readFields`, `optional`, `pairFields`, `orderFields`, `marketIn`, `isUserOrderId`.
 *
 * Invariant: a field of another type than documented, or one that no endpoint of that name has, is refused, not read by a guess.
 */
import { z } from "zod";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import type { PrivateCall } from "./coinone-call.ts";
import { marketOf } from "./market-rules.ts";
import { type CoinoneError, refuse } from "./outcome.ts";

export function readFields<Shape extends z.ZodType>(
  { fields }: Pick<PrivateCall, "fields">,
  shape: Shape,
): { readonly ok: true; readonly read: z.infer<Shape> } | CoinoneError {
  const parsed = shape.safeParse(fields);
  return parsed.success ? { ok: true, read: parsed.data } : refuse(107);
}

export function optional<Shape extends z.ZodType>(shape: Shape) {
  return shape.nullish().transform((value) => value ?? undefined);
}

const currency = z.string().regex(/^[A-Za-z0-9]{1,20}$/);

export const pairFields = { quote_currency: currency, target_currency: currency };

export const orderFields = {
  ...pairFields,
  order_id: optional(z.string()),
  user_order_id: optional(z.string()),
};

const USER_ORDER_ID = /^[a-z0-9._-]{1,150}$/;

export function isUserOrderId(text: string): boolean {
  return USER_ORDER_ID.test(text);
}

interface PairSent {
  readonly quote_currency: string;
  readonly target_currency: string;
}

/** A currency that no market has is told from a pair of known ones. */
export function marketIn({ service }: Pick<PrivateCall, "service">, sent: PairSent): ListedMarket | CoinoneError {
  const found = marketOf(service, sent.quote_currency, sent.target_currency);
  if (found !== undefined) return found;
  const target = sent.target_currency.toUpperCase();
  return refuse(service.exchange.markets().some(({ base }) => base === target) ? 109 : 108);
}
