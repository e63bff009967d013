import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { OpenOrdersView, WaitingItem } from "../../desk/index.ts";
import { counted } from "../amount-text.ts";
import { answered, failedRead, lines, nextPage } from "../answer.ts";
import { cursor, optionalSymbol, pageLimit } from "../field.ts";
import { given } from "../order-fields.ts";
import { orderLine } from "../order-text.ts";
import { accountResult, closed, listOf, maybe, orderPage, text } from "../result-shape.ts";
import { defineTool } from "../tool.ts";
import { unresolvedLines, unresolvedShape } from "./cancel-all-orders.ts";

/** What waits for a person. */
export const waitingShape = listOf(
  closed<WaitingItem>({ intent_id: text, userref: maybe, summary: text, expires_at: text }),
);

export const getOpenOrders = defineTool({
  name: "get_open_orders",
  title: "Open orders",
  description: "Open orders, newest first; apart from them those waiting for a person, not sent yet or unanswered.",
  module: "account",
  input: z.strictObject({ symbol: optionalSymbol, cursor, limit: pageLimit }),
  output: accountResult<OpenOrdersView>({
    ...orderPage,
    waiting: { ...waitingShape, type: ["array", "null"] },
    unresolved: { ...unresolvedShape, type: ["array", "null"] },
  }),
  async run(page, { desk }) {
    const read = await desk.openOrders(given(page));
    if (!read.ok) return failedRead(desk, read.fault);
    const { orders, next_cursor, waiting, unresolved } = read.value;
    const where = page.symbol === undefined ? "" : ` in ${quoted(page.symbol)}`;
    const head = `${counted(orders.length, "open order")}${where}.`;
    const waits = waiting === null ? ["Orders that wait for a person cannot be read now."] : waitingLines(waiting);
    const unsettled =
      unresolved === null ? ["Orders without an answer cannot be read now."] : unresolvedLines(unresolved);
    const text = lines(head, ...orders.map(orderLine), nextPage(next_cursor), ...waits, ...unsettled);
    return answered(desk, text, read.value);
  },
});

/** Nothing where nothing waits. */
export function waitingLines(waiting: readonly WaitingItem[]): readonly string[] {
  if (waiting.length === 0) return [];
  const rows = waiting.map(({ intent_id, userref, summary, expires_at }) => {
    const name = userref === null ? `transfer_id ${intent_id}` : `id ${intent_id}, userref ${userref}`;
    return `- ${summary}, ${name}, until ${expires_at}`;
  });
  return [`Waiting for a person, not sent: ${waiting.length}.`, ...rows];
}
