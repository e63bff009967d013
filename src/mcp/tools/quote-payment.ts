import { z } from "zod";
import { failedRead } from "../answer.ts";
import { count } from "../field.ts";
import { given } from "../order-fields.ts";
import { defineTool } from "../tool.ts";
import { assetCode, line, reference, won } from "../transfer-fields.ts";
import { quoteResult } from "../transfer-shape.ts";
import { quotedText, transfersOf } from "../transfer-text.ts";

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
