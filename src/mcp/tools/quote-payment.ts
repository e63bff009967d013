import { z } from "zod";
import { count, given } from "../input/field.ts";
import { assetCode, line, reference, won } from "../input/transfer-fields.ts";
import { failedRead } from "../text/answer.ts";
import { defineTool } from "../tool/tool.ts";
import { quoteResult } from "../tool/transfer-shape.ts";
import { quotedText, transfersOf } from "../tool/transfer-text.ts";

export const quotePayment = defineTool({
  name: "quote_payment",
  title: "Quote a payment (draft)",
  description:
    "Draft API. What an amount of won costs in an asset; the rate holds for a minute at most. Moves nothing.",
  module: "payment",
  input: z.strictObject({
    amount: won.describe("KRW to pay, whole won as text"),
    pay_asset: assetCode.describe("What it is paid with, e.g. BTC"),
    order_ref: reference.describe("The user's number of what is paid for"),
    description: line,
    expires_in_s: count(1, 60),
  }),
  output: quoteResult("payment"),
  async run(input, { desk }) {
    const quoted = await transfersOf(desk).quotePayment(given(input));
    return quoted.ok ? quotedText(desk, quoted.value) : failedRead(desk, quoted.fault);
  },
});
