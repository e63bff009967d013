import { z } from "zod";
import { paymentId } from "../input/transfer-fields.ts";
import { defineTool } from "../tool/tool.ts";
import { reportResult } from "../tool/transfer-shape.ts";
import { moved } from "../tool/transfer-text.ts";

export const confirmPayment = defineTool({
  name: "confirm_payment",
  title: "Pay (draft)",
  description:
    "Draft API. Pays a quoted payment, once, after the user has seen the quote. A person is asked to approve it unless the policy says otherwise. " +
    "If the outcome is unknown, never request it again: look with get_payment.",
  module: "payment",
  writes: { idempotent: true },
  input: z.strictObject({ payment_id: paymentId }),
  output: reportResult("payment"),
  run: ({ payment_id }, call) => moved(call, { kind: "confirm_payment", payment_id }),
});
