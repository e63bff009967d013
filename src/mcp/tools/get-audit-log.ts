import { z } from "zod";
import { defined } from "../../contract/index.ts";
import type { AuditEntryView, AuditView } from "../../desk/index.ts";
import { counted } from "../amount-text.ts";
import { answered, failedRead, lines } from "../answer.ts";
import { orderId, pageLimit, userref } from "../field.ts";
import { accountResult, closed, listOf, maybe, text, whole } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

const LIMIT = 20;

export const getAuditLog = defineTool({
  name: "get_audit_log",
  title: "Audit log",
  description: "What hoga did, newest first: the steps of one order, or of the whole desk.",
  module: "safety",
  input: z.strictObject({ order_id: orderId, userref, limit: pageLimit }),
  output: accountResult<AuditView>({
    entries: listOf(
      closed<AuditEntryView>({
        seq: whole,
        time: text,
        event: text,
        intent_id: maybe,
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

function stepLine({ time, event, detail, orderId: id }: AuditEntryView): string {
  const { from, to } = detail;
  const move = typeof to === "string" ? ` ${typeof from === "string" ? `${from} → ` : ""}${to}` : "";
  return `- ${time} ${event}${move}${id === null ? "" : `, order_id ${id}`}`;
}
