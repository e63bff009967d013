import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { OpenOrdersView, WaitingItem } from "../../desk/index.ts";
import { cursor, given, optionalSymbol, pageLimit } from "../input/field.ts";
import { otherName } from "../person/module.ts";
import { counted } from "../text/amount-text.ts";
import { failedRead, lines, nextPage } from "../text/answer.ts";
import { boundedPage } from "../text/bounded-answer.ts";
import { orderLine } from "../text/order-text.ts";
import { accountResult, closed, listOf, maybe, orderPage, text } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";
import { unresolvedLines, unresolvedShape } from "./cancel-all-orders.ts";

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
  async run(asked, { desk }) {
    const read = await desk.openOrders(given(asked));
    if (!read.ok) return failedRead(desk, read.fault);
    const again = (limit: number) => desk.openOrders(given({ ...asked, limit }));
    return boundedPage(desk, read.value, "orders", again, (view) => openText(view, asked.symbol));
  },
});

function openText({ orders, next_cursor, waiting, unresolved }: OpenOrdersView, symbol: string | undefined): string {
  const where = symbol === undefined ? "" : ` in ${quoted(symbol)}`;
  const head = `${counted(orders.length, "open order")}${where}.`;
  const waits = waiting === null ? ["Orders that wait for a person cannot be read now."] : waitingLines(waiting);
  const unsettled =
    unresolved === null ? ["Orders without an answer cannot be read now."] : unresolvedLines(unresolved);
  return lines(head, ...orders.map(orderLine), nextPage(next_cursor), ...waits, ...unsettled);
}

/** Nothing where nothing waits. */
export function waitingLines(waiting: readonly WaitingItem[]): readonly string[] {
  if (waiting.length === 0) return [];
  const rows = waiting.map(({ intent_id, userref, summary, expires_at }) => {
    const name = userref === null ? otherName(intent_id) : `id ${intent_id}, userref ${userref}`;
    return `- ${summary}, ${name}, until ${expires_at}`;
  });
  return [`Waiting for a person, not sent: ${waiting.length}.`, ...rows];
}
