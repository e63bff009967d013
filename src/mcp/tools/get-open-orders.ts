import { z } from "zod";
import type { OrderPage } from "../../contract/index.ts";
import { counted } from "../amount-text.ts";
import { answered, failedRead, lines } from "../answer.ts";
import { cursor, optionalSymbol, pageLimit } from "../field.ts";
import { given } from "../order-fields.ts";
import { orderLine } from "../order-text.ts";
import { accountResult, orderPage } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

export const getOpenOrders = defineTool({
  name: "get_open_orders",
  title: "Open orders",
  description: "Orders that are open now, partially filled ones too, newest first.",
  module: "account",
  input: z.strictObject({ symbol: optionalSymbol, cursor, limit: pageLimit }),
  output: accountResult<OrderPage>(orderPage),
  async run(page, { desk }) {
    const read = await desk.orders({ ...given(page), state: "open" });
    if (!read.ok) return failedRead(desk, read.fault);
    const { orders, next_cursor } = read.value;
    const where = page.symbol === undefined ? "" : ` in ${JSON.stringify(page.symbol)}`;
    const head = `${counted(orders.length, "open order")}${where}.`;
    const more = next_cursor === null ? undefined : "There are more: send next_cursor as cursor.";
    return answered(desk, lines(head, ...orders.map(orderLine), more), read.value);
  },
});
