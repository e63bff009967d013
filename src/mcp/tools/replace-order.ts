import { z } from "zod";
import type { WriteReport } from "../../desk/index.ts";
import { decimal, given } from "../input/field.ts";
import { orderName, orderNameFields, requireOrderName } from "../input/order-name.ts";
import { asked } from "../person/approval.ts";
import { changed } from "../text/write-text.ts";
import { closed, orderAlone, orderReport, text, uncut, writeResult } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

const { order_id, userref } = orderNameFields;

const input = z
  .strictObject({
    order_id,
    userref,
    price: decimal("New price").optional(),
    base_volume: decimal("Coins to leave open").optional(),
  })
  .superRefine((change, context) => {
    requireOrderName(change, context);
    if (change.price !== undefined || change.base_volume !== undefined) return;
    const message = "give a new price, a new base_volume, or both";
    context.addIssue({ code: "custom", path: ["price"], message, input: undefined });
  });

const replaced = closed<NonNullable<WriteReport["replaced"]>>({ order_id: text, state: text, executed_volume: text });
const output = { ...orderReport, order: orderAlone, replaced };

export const replaceOrder = defineTool({
  name: "replace_order",
  title: "Change an order",
  description:
    "Changes an open limit order: cancels it, verified, then places the new one for no more than was left. The user may be asked.",
  module: "trade",
  writes: { idempotent: true },
  input,
  output: uncut(writeResult<Omit<WriteReport, "approval" | "sizing" | "duplicate_of">>(output, "state")),
  async run({ price, base_volume, ...name }, { desk, person, listener }) {
    const request = { replace: { ...orderName(name), ...given({ price, base_volume }) } };
    const { answer } = person;
    if (answer !== undefined) return changed(desk, await desk.answerApproval({ ...answer, request }, listener));
    const report = await desk.replace(request.replace, person.session, listener);
    return (await asked(desk, report, request, person)) ?? changed(desk, report);
  },
});
