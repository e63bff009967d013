import { z } from "zod";
import { paymentId, requireOneName, transferId } from "../input/transfer-fields.ts";
import { failedRead } from "../text/answer.ts";
import { defineTool } from "../tool/tool.ts";
import { viewResult } from "../tool/transfer-shape.ts";
import { lookedUp, nameOf, transfersOf } from "../tool/transfer-text.ts";

export const getPayment = defineTool({
  name: "get_payment",
  title: "One payment (draft)",
  description: "Draft API. How a payment stands, by payment_id, or what became of a confirm or refund, by transfer_id.",
  module: "payment",
  input: z
    .strictObject({ payment_id: paymentId.optional(), transfer_id: transferId })
    .superRefine(requireOneName("payment_id")),
  output: viewResult("payment"),
  async run({ payment_id, transfer_id }, { desk, listener }) {
    const found = await transfersOf(desk).payment(nameOf(payment_id, transfer_id), listener);
    return found.ok ? lookedUp(desk, found.value) : failedRead(desk, found.fault);
  },
});
