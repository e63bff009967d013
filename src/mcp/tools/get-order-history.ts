import { z } from "zod";
import { type OrderPage, orderStateFilter } from "../../contract/index.ts";
import { cursor, given, optionalSymbol, pageLimit } from "../input/field.ts";
import { counted } from "../text/amount-text.ts";
import { failedRead, lines, nextPage } from "../text/answer.ts";
import { boundedPage } from "../text/bounded-answer.ts";
import { orderLine } from "../text/order-text.ts";
import { from, notReadOf, type PeriodView, periodOf, periodShape, periodText, periodView, to } from "../tool/period.ts";
import { accountResult, orderPage } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

export const getOrderHistory = defineTool({
  name: "get_order_history",
  title: "Order history",
  description: "Orders of a period, newest first; by default all ended (state closed).",
  module: "account",
  input: z.strictObject({
    symbol: optionalSymbol,
    state: orderStateFilter.optional(),
    from,
    to,
    cursor,
    limit: pageLimit,
  }),
  output: accountResult<OrderPage & { readonly period: PeriodView }>({ ...orderPage, period: periodShape }),
  async run({ symbol, state = "closed", cursor, limit = 50, ...dates }, { desk }) {
    const period = periodOf(dates, desk);
    const page = (most: number) => desk.orders({ ...given({ symbol, cursor }), state, limit: most, ...period });
    const read = await page(limit);
    if (!read.ok) return failedRead(desk, read.fault);
    const view = { ...read.value, period: periodView(period, desk) };
    const shortened = notReadOf(period, desk);
    const text = ({ orders, next_cursor }: OrderPage): string => {
      const head = `${counted(orders.length, "order")} (${state}) on this page, ${periodText(period, shortened)}.`;
      return lines(head, ...orders.map(orderLine), nextPage(next_cursor));
    };
    return boundedPage(desk, view, "orders", page, { text, shortened });
  },
});
