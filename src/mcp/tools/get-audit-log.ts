import { z } from "zod";
import { defined } from "../../contract/index.ts";
import type { AuditEntryView, AuditView } from "../../desk/index.ts";
import { counted } from "../amount-text.ts";
import { answered, failedRead, lines } from "../answer.ts";
import { stepText } from "../audit-text.ts";
import { orderId, pageLimit, userref } from "../field.ts";
import { accountResult, closed, listOf, maybe, text, whole } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

const LIMIT = 20;

export const getAuditLog = defineTool({
  name: "get_audit_log",
  title: "Audit log",
  description:
    "What hoga did, newest first, denials too: the steps of one order (order_id or userref), or of the whole desk.",
  module: "safety",
  input: z.strictObject({ order_id: orderId, userref, limit: pageLimit }),
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
  }),
  async run({ order_id, userref: name, limit = LIMIT }, { desk }) {
    const read = await desk.audit({
      limit,
      ...defined({ orderId: order_id, userref: name }),
    });
    if (!read.ok) return failedRead(desk, read.fault);
    const { entries } = read.value;
    return answered(desk, lines(`${counted(entries.length, "step")}.`, ...entries.map(stepLine)), read.value);
  },
});

function stepLine(entry: AuditEntryView): string {
  const { seq, time, intent_id, userref: name, orderId: id } = entry;
  const names = Object.entries({ order_id: id, userref: name }).filter(([, value]) => value !== null);
  // What has neither is a transfer, or an intent that another process has not told of.
  const named = names.length === 0 && intent_id !== null ? [["id", intent_id]] : names;
  return `- #${seq} ${time} ${stepText(entry)}${named.map(([word, value]) => `, ${word} ${value}`).join("")}`;
}
