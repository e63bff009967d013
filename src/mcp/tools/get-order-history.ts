import { z } from "zod";
import { type OrderPage, orderStateFilter } from "../../contract/index.ts";
import { counted } from "../amount-text.ts";
import { answered, failedRead, lines, nextPage } from "../answer.ts";
import { cursor, optionalSymbol, pageLimit } from "../field.ts";
import { given } from "../order-fields.ts";
import { orderLine } from "../order-text.ts";
import { from, periodOf, to } from "../period.ts";
import { accountResult, orderPage } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

export const getOrderHistory = defineTool({
  name: "get_order_history",
  title: "Order history",
  description: "Orders of a period, newest first; by default all that have ended (state closed).",
  module: "account",
  input: z.strictObject({
    symbol: optionalSymbol,
    state: orderStateFilter.optional(),
    from,
    to,
    cursor,
    limit: pageLimit,
  }),
  output: accountResult<OrderPage>(orderPage),
  async run({ symbol, state = "closed", cursor, limit = 50, ...period }, { desk }) {
    const read = await desk.orders({ ...given({ symbol, cursor }), state, limit, ...periodOf(period) });
    if (!read.ok) return failedRead(desk, read.fault);
    const { orders, next_cursor } = read.value;
    const head = `${counted(orders.length, "order")} (${state}) in this period and page.`;
    return answered(desk, lines(head, ...orders.map(orderLine), nextPage(next_cursor)), read.value);
  },
});
