import { z } from "zod";
import { defined } from "../../contract/index.ts";
import type { AuditEntryView, AuditView } from "../../desk/index.ts";
import { cursor, orderId, pageLimit, userref } from "../input/field.ts";
import { counted } from "../text/amount-text.ts";
import { failedRead, lines, nextPage } from "../text/answer.ts";
import { stepText } from "../text/audit-text.ts";
import { boundedPage } from "../text/bounded-answer.ts";
import { accountResult, closed, listOf, maybe, text, whole } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

const LIMIT = 20;

export const getAuditLog = defineTool({
  name: "get_audit_log",
  title: "Audit log",
  description:
    "What hoga did, newest first, denials too: the steps of one order (order_id or userref), or of the whole desk.",
  module: "safety",
  scope: "account:read",
  input: z.strictObject({ order_id: orderId, userref, cursor, limit: pageLimit }),
  output: accountResult<AuditView>({
    entries: listOf(
      closed<AuditEntryView>({
        seq: whole,
        time: text,
        event: text,
        intent_id: maybe,
        userref: maybe,
        orderId: maybe,
        detail: { type: "object" },
      }),
    ),
    next_cursor: maybe,
  }),
  async run({ order_id, userref: name, cursor, limit = LIMIT }, { desk }) {
    const page = (most: number) =>
      desk.audit({ limit: most, ...defined({ orderId: order_id, userref: name, cursor }) });
    const read = await page(limit);
    if (!read.ok) return failedRead(desk, read.fault);
    return boundedPage(desk, read.value, "entries", page, ({ entries, next_cursor, unit }) =>
      lines(
        `${counted(entries.length, "step")}.`,
        ...entries.map((entry) => stepLine(entry, unit)),
        nextPage(next_cursor),
      ),
    );
  },
});

function stepLine(entry: AuditEntryView, unit: string): string {
  const { seq, time, intent_id, userref: name, orderId: id } = entry;
  const names = Object.entries({ order_id: id, userref: name }).filter(([, value]) => value !== null);
  // What has neither is no order, or an intent that another process has not told of.
  const named = names.length === 0 && intent_id !== null ? [["id", intent_id]] : names;
  return `- #${seq} ${time} ${stepText(entry, unit)}${named.map(([word, value]) => `, ${word} ${value}`).join("")}`;
}
