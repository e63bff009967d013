import { z } from "zod";
import { draftId } from "../field.ts";
import { orderFields, orderRequest } from "../order-fields.ts";
import { orderReport, writeResult } from "../result-shape.ts";
import { defineTool } from "../tool.ts";
import { placed } from "../write-text.ts";

/** Either a draft alone, or a whole order; told apart after each field was checked by itself. */
const input = z
  .strictObject({
    draft_id: draftId.describe("From preview_order; then no other field"),
    ...orderFields,
    symbol: orderFields.symbol.optional(),
    side: orderFields.side.optional(),
    type: orderFields.type.optional(),
  })
  .superRefine(({ draft_id, ...order }, context) => {
    if (draft_id !== undefined) {
      const extra = Object.entries(order).find(([, value]) => value !== undefined);
      const message = "a draft is placed exactly as previewed: send draft_id alone";
      if (extra !== undefined) context.addIssue({ code: "custom", path: [extra[0]], message, input: extra[1] });
      return;
    }
    const input = undefined;
    const { side, type } = orderFields;
    if (order.symbol === undefined)
      context.addIssue({ code: "invalid_type", expected: "string", path: ["symbol"], input });
    if (order.side === undefined)
      context.addIssue({ code: "invalid_value", values: side.options, path: ["side"], input });
    if (order.type === undefined)
      context.addIssue({ code: "invalid_value", values: type.options, path: ["type"], input });
  });

export const placeOrder = defineTool({
  name: "place_order",
  title: "Place an order",
  description:
    "Places one order, once: a draft_id, or the whole order. A limit order needs base_volume and price; a market order takes " +
    "base_volume or quote_amount. If the outcome is unknown or the call times out, never place it again: look with get_order.",
  module: "trade",
  writes: { idempotent: false },
  input,
  output: writeResult(orderReport),
  async run({ draft_id, ...order }, { desk }) {
    // The signal is not passed on: an order that is being sent is followed to its outcome, whoever still listens.
    if (draft_id !== undefined) return placed(desk, await desk.place({ draft_id }), undefined);
    const { symbol = "", side = "buy", type = "limit", ...fields } = order;
    return placed(desk, await desk.place(orderRequest({ symbol, side, type, ...fields })), symbol);
  },
});
