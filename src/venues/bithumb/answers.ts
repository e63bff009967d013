/**
 * The answers of Bithumb about orders, and what they are in the house's words. Its market data and balances look as `quote-first-answers.ts` reads
 * them.
 *
 * Source: SOURCES.md#answers.
 */
import { z } from "zod";
import type { Order } from "../../contract/index.ts";
import { quantity } from "../../decimal/index.ts";
import { orderOf as fromAnswer, orderAnswer as shown } from "../one-fee-order.ts";
import { maybe, wire } from "../quote-first-answers.ts";

const ids = { uuid: maybe, order_id: maybe, client_order_id: maybe, ord_type: maybe, order_type: maybe };
const named = z.looseObject(ids);

/** One order has `uuid` and `ord_type`, those of a list have `order_id` and `order_type`. */
export const orderAnswer = z.preprocess((answer) => {
  const read = named.safeParse(answer);
  if (!read.success) return answer;
  const { uuid, order_id, client_order_id: name, ord_type, order_type, ...rest } = read.data;
  return { ...rest, uuid: uuid ?? order_id, identifier: name || undefined, ord_type: ord_type ?? order_type };
}, shown);

/** A page that says there are more has to say where. */
export const pageAnswer = z
  .looseObject({ data: z.array(orderAnswer), has_next: z.boolean().nullish(), next_key: maybe })
  .transform(({ data, has_next, next_key }) => ({ orders: data, hasMore: has_next ?? !!next_key, key: next_key }))
  .refine(({ hasMore, key }) => !hasMore || !!key);

export const placedAnswer = z.looseObject({
  order_id: z.string().min(1),
  ...{ market: maybe, side: maybe, client_order_id: maybe, created_at: maybe },
});

export const canceledAnswer = z.looseObject({ order_id: z.string().min(1) });

/**
 * An order of immediate execution ends as `done` there when a part of it was filled, and a part may be canceled because it would have met an order
 * of the account's own: what was filled decides.
 * @param readAtMs stands in for a time that is not told
 */
export function orderOf(answer: z.output<typeof orderAnswer>, readAtMs: number): Order {
  const order = fromAnswer(answer, readAtMs);
  const executed = wire(answer.executed_volume);
  if (order.state !== "filled" || order.volume === null || executed === undefined) return order;
  const left = quantity(order.volume).minus(quantity(executed));
  return left.isZero() || left.isNegative() ? order : { ...order, state: "canceled" };
}
