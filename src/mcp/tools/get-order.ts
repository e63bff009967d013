import { z } from "zod";
import type { Order } from "../../contract/index.ts";
import type { OrderView } from "../../desk/index.ts";
import { answered, failedRead, lines } from "../answer.ts";
import { orderName, orderNameFields, requireOrderName } from "../order-name.ts";
import { fillLine, ids, orderText, stateText, timesText } from "../order-text.ts";
import { accountResult, movedTo, orderReport, text } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

export const getOrder = defineTool({
  name: "get_order",
  title: "One order",
  description: "One order with its fills. Use it after an unknown outcome: it settles what happened.",
  module: "account",
  input: z.strictObject(orderNameFields).superRefine(requireOrderName),
  output: accountResult<OrderView>({ ...orderReport, moved_to: movedTo, next_action: text }),
  async run(name, { desk }) {
    const read = await desk.order(orderName(name));
    if (!read.ok) return failedRead(desk, read.fault);
    return answered(desk, viewText(read.value, name.symbol), read.value);
  },
});

/** What is known of an order, or of an intent that has none. */
export function viewText(view: OrderView, typed?: string): string {
  const next = view.next_action === undefined ? undefined : `Next: ${view.next_action}`;
  const { order, moved_to: moved } = view;
  if (order !== undefined)
    return lines(
      orderLines(order, typed),
      ...(moved === undefined ? [] : [`Moved to: ${orderLines(moved, typed)}`]),
      next,
    );
  return lines(withoutOrder(view), next);
}

function orderLines(order: Order, typed: string | undefined): string {
  const whole = `${orderText(order, typed)}. ${stateText(order)} ${ids(order)}. ${timesText(order)}`;
  return lines(whole, ...(order.trades ?? []).map(fillLine));
}

/** What is known of an intent that has no order, or may have one. */
function withoutOrder(view: Pick<OrderView, "userref" | "state">): string {
  const reference = view.userref === undefined ? "" : ` (userref ${view.userref})`;
  return view.state === "unknown"
    ? `UNKNOWN: it is not settled yet whether the exchange has this order${reference}.`
    : `There is no order at the exchange${reference}: ${view.state}.`;
}
