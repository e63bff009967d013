import { z } from "zod";
import { type Rate, rate } from "../../decimal/index.ts";
import type { Estimate, OrderRequest, Preview } from "../../desk/index.ts";
import { amount, amountOr, assetsOf, marketNamed, percent } from "../amount-text.ts";
import { answered, errorText, failedRead, lines } from "../answer.ts";
import { orderFields, orderRequest } from "../order-fields.ts";
import { accountResult, all, error, flag, listOf, maybe, object, record, text, texts } from "../result-shape.ts";
import { defineTool } from "../tool.ts";
import { warned } from "../write-text.ts";

export const previewOrder = defineTool({
  name: "preview_order",
  title: "Check an order",
  description:
    "Checks an order without placing it: rule problems with proposals, expected fill, fee and slippage. Gives a draft_id for place_order.",
  module: "trade",
  input: z.strictObject(orderFields),
  output: accountResult({
    valid: flag,
    draft_id: text,
    expires_at: text,
    order: object,
    estimate: record({
      ...all(text, "expected_volume", "expected_value", "expected_fee", "resting_volume", "needed", "needed_asset"),
      ...all(maybe, "expected_avg_price", "slippage_pct", "available"),
    }),
    problems: listOf(error),
    proposals: listOf(record(all(text, "field", "given", "proposed", "reason"))),
    warnings: texts,
  }),
  async run(fields, { desk }) {
    const read = await desk.preview(orderRequest(fields));
    if (!read.ok) return failedRead(desk, read.fault);
    return answered(desk, previewText(read.value, fields.symbol), read.value);
  },
});

function previewText(preview: Preview, typed: string): string {
  const { order, estimate, draft_id } = preview;
  const { base, quote } = assetsOf(order.symbol);
  const size =
    order.base_volume === undefined
      ? `for ${amountOr(order.quote_amount ?? null, quote, "?")}`
      : amount(order.base_volume, base);
  const at = order.price === undefined ? "at market" : `at ${amount(order.price, quote)}`;
  const name = `${order.side} ${size} on ${marketNamed(order.symbol, typed)} ${at} (${conditions(order)})`;
  if (!preview.valid)
    return lines(
      `Not valid, nothing was placed: ${name}`,
      ...preview.problems.map((problem) => `- ${errorText(problem)}`),
      ...preview.proposals.map(({ field, proposed, reason }) => `- Proposal: ${field} "${proposed}" (${reason})`),
      ...warned(preview.warnings),
    );
  const place = `To place exactly this: place_order with draft_id ${draft_id ?? ""} before ${preview.expires_at ?? ""}.`;
  const expected = estimate === undefined ? undefined : estimateText(estimate, base, quote);
  return lines(`Valid, nothing was placed yet: ${name}`, expected, ...warned(preview.warnings), place);
}

/** As the order will be named once it is placed; what was left out is the exchange's to fill in. */
function conditions({ type, time_in_force, post_only }: OrderRequest): string {
  return [type, ...(time_in_force === undefined ? [] : [time_in_force]), ...(post_only ? ["post-only"] : [])].join(
    ", ",
  );
}

function estimateText(estimate: Estimate, base: string, quote: string): string {
  const atOnce =
    estimate.expected_avg_price === null
      ? "Nothing would execute at once"
      : `Would execute ${amount(estimate.expected_volume, base)} at once for ${amount(estimate.expected_value, quote)}, ` +
        `average ${amount(estimate.expected_avg_price, quote)}, ${percent(ofHundred(estimate.slippage_pct ?? "0"))} from the best price, ` +
        `fee ${amount(estimate.expected_fee, estimate.fee_currency)}`;
  const rest = /[1-9]/.test(estimate.resting_volume) ? `; ${amount(estimate.resting_volume, base)} would rest` : "";
  const available = amountOr(estimate.available, estimate.needed_asset, "unknown");
  return `${atOnce}${rest}. Takes at most ${amount(estimate.needed, estimate.needed_asset)} of ${available} available.`;
}

function ofHundred(percents: string): Rate {
  return rate(percents).scale(rate("0.01"));
}
