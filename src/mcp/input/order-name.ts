/** Owns how a caller names one order: by `order_id` or by `userref`. */
import type { z } from "zod";
import { defined } from "../../contract/index.ts";
import type { OrderName } from "../../desk/index.ts";
import { optionalSymbol, orderId, userref } from "./field.ts";

export const orderNameFields = {
  order_id: orderId,
  userref,
  symbol: optionalSymbol.describe("If known"),
} as const;

interface Named {
  readonly order_id?: string | undefined;
  readonly userref?: string | undefined;
  readonly symbol?: string | undefined;
}

/** Exactly one of the two names, so that they can never mean two orders. */
export function requireOrderName(name: Named, context: z.core.$RefinementCtx<Named>): void {
  if ((name.order_id === undefined) !== (name.userref === undefined)) return;
  const message =
    name.order_id === undefined ? "name the order by order_id or by userref" : "send order_id or userref, not both";
  context.addIssue({ code: "custom", path: ["order_id"], message, input: name.order_id });
}

export function orderName({ order_id, userref, symbol }: Named): OrderName {
  return {
    ...defined({ orderId: order_id, userref, symbol }),
  };
}
