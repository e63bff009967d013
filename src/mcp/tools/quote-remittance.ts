import { z } from "zod";
import { given } from "../input/field.ts";
import { arriveAmount, assetCode, countryCode, currencyCode, sendAmount } from "../input/transfer-fields.ts";
import { failedRead } from "../text/answer.ts";
import { defineTool } from "../tool/tool.ts";
import { quoteResult } from "../tool/transfer-shape.ts";
import { quotedText, transfersOf } from "../tool/transfer-text.ts";

const input = z
  .strictObject({
    source_asset: assetCode.describe("What is sent, e.g. KRW"),
    target_currency: currencyCode.describe("What arrives, e.g. USD"),
    amount: sendAmount,
    target_amount: arriveAmount,
    destination_country: countryCode,
  })
  .superRefine(({ amount, target_amount }, context) => {
    if ((amount === undefined) === (target_amount === undefined))
      context.addIssue({ code: "custom", path: ["amount"], message: "give exactly one of amount and target_amount" });
  });

export const quoteRemittance = defineTool({
  name: "quote_remittance",
  title: "Quote a remittance (draft)",
  description: "Draft API. What would arrive abroad, or what has to be sent for it; holds for a minute. Moves nothing.",
  module: "remittance",
  input,
  output: quoteResult("quote"),
  async run(fields, { desk }) {
    const quoted = await transfersOf(desk).quoteRemittance(given(fields));
    return quoted.ok ? quotedText(desk, quoted.value) : failedRead(desk, quoted.fault);
  },
});
