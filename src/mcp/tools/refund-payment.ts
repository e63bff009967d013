import { z } from "zod";
import { given, userref } from "../input/field.ts";
import { paymentId, won } from "../input/transfer-fields.ts";
import { defineTool } from "../tool/tool.ts";
import { reportResult } from "../tool/transfer-shape.ts";
import { moved } from "../tool/transfer-text.ts";

export const refundPayment = defineTool({
  name: "refund_payment",
  title: "Refund a payment (draft)",
  description:
    "Draft API. Gives won of a settled payment back for what it was paid with. The same amount is given back once; to give it back once more, " +
    "name it with another userref. If the outcome is unknown, look with get_payment.",
  module: "payment",
  writes: { idempotent: true },
  input: z.strictObject({
    payment_id: paymentId,
    amount: won.optional().describe("KRW; all that is left when absent"),
    userref: userref.describe("Only to repeat a refund of the same amount"),
  }),
  narrowing: ["amount"],
  output: reportResult("payment"),
  run: (input, call) => moved(call, { kind: "refund_payment", ...given(input) }),
});
