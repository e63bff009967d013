import { z } from "zod";
import type { Order } from "../../contract/index.ts";
import type { OrderView } from "../../desk/index.ts";
import { orderName, orderNameFields, requireOrderName } from "../input/order-name.ts";
import { evidenceText, failedRead, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { fillLine, ids, orderText, stateText, timesText } from "../text/order-text.ts";
import { accountResult, evidence, order, orderReport, text } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

export const getOrder = defineTool({
  name: "get_order",
  title: "One order",
  description: "One order with its fills. Use it after an unknown outcome: it settles what happened.",
  module: "account",
  input: z.strictObject(orderNameFields).superRefine(requireOrderName),
  output: accountResult<OrderView>({ ...orderReport, evidence, moved_to: order, next_action: text }),
  async run(name, { desk, listener }) {
    const read = await desk.order(orderName(name), listener);
    if (!read.ok) return failedRead(desk, read.fault);
    return bounded(desk, read.value, (view) => viewText(view, name.symbol));
  },
});

/** Tells what is known of an order, or of an intent that has none. */
export function viewText(view: OrderView, typed?: string): string {
  const next = view.next_action === undefined ? undefined : `Next: ${view.next_action}`;
  const { order, moved_to: moved } = view;
  if (order !== undefined)
    return lines(
      orderLines(order, typed),
      ...(moved === undefined ? [] : [`Moved to: ${orderLines(moved, typed)}`]),
      next,
    );
  return lines(withoutOrder(view), evidenceText(view.evidence), next);
}

function orderLines(order: Order, typed: string | undefined): string {
  const whole = `${orderText(order, typed)}. ${stateText(order)} ${ids(order)}. ${timesText(order)}`;
  return lines(whole, ...(order.trades ?? []).map(fillLine));
}

/** Tells what is known of an intent that has no order, or may have one. */
function withoutOrder({ state, userref }: Pick<OrderView, "userref" | "state">): string {
  const reference = userref === undefined ? "" : ` (userref ${userref})`;
  if (state === "unknown") return `UNKNOWN: it is not settled yet whether the exchange has this order${reference}.`;
  if (state === "not_sent_yet")
    return `NOT SENT YET: it is recorded and let through${reference}, and its process may be about to send it.`;
  return `There is no order at the exchange${reference}: ${state}.`;
}
