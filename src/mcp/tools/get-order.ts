import { z } from "zod";
import type { OrderView } from "../../desk/index.ts";
import { answered, failedRead, lines } from "../answer.ts";
import { orderName, orderNameFields, requireOrderName } from "../order-name.ts";
import { fillLine, ids, orderText, stateText, timesText } from "../order-text.ts";
import { accountResult, orderReport, text } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

export const getOrder = defineTool({
  name: "get_order",
  title: "One order",
  description:
    "One order with its fills, by order_id or userref. Use it after an unknown outcome: it settles what happened.",
  module: "account",
  input: z.strictObject(orderNameFields).superRefine(requireOrderName),
  output: accountResult<OrderView>({ ...orderReport, next_action: text }),
  async run(name, { desk, listener }) {
    const read = await desk.order(orderName(name), listener);
    if (!read.ok) return failedRead(desk, read.fault);
    return answered(desk, viewText(read.value, name.symbol), read.value);
  },
});

/** What is known of an order, or of an intent that has none. */
export function viewText(view: OrderView, typed?: string): string {
  const next = view.next_action === undefined ? undefined : `Next: ${view.next_action}`;
  const { order } = view;
  if (order !== undefined)
    return lines(
      `${orderText(order, typed)}. ${stateText(order)} ${ids(order)}. ${timesText(order)}`,
      ...(order.trades ?? []).map(fillLine),
      next,
    );
  const reference = view.userref === undefined ? "" : ` (userref ${view.userref})`;
  const words =
    view.state === "unknown"
      ? `UNKNOWN: it is not settled yet whether the exchange has this order${reference}.`
      : `There is no order at the exchange${reference}: ${view.state}.`;
  return lines(words, next);
}
