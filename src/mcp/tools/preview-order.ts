import { z } from "zod";
import { type Rate, rate } from "../../decimal/index.ts";
import { type Estimate, type OrderRequest, POLICY_FILE, type PolicyView, type Preview } from "../../desk/index.ts";
import { orderFields, orderRequest } from "../input/field.ts";
import { withTicket } from "../person/views.ts";
import { amount, amountOr, assetsOf, isPositive, marketNamed, percent } from "../text/amount-text.ts";
import { errorText, failedRead, lines, proposalText } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { warned } from "../text/write-text.ts";
import {
  accountResult,
  anError,
  closed,
  closedLike,
  flag,
  listOf,
  maybe,
  optional,
  proposals,
  text,
  texts,
} from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

const estimate = closed<Estimate>({
  expected_volume: text,
  expected_value: text,
  expected_avg_price: maybe,
  expected_fee: text,
  taker_fee: text,
  maker_fee: text,
  fee_currency: text,
  total: maybe,
  proceeds: maybe,
  break_even_price: maybe,
  slippage_pct: maybe,
  resting_volume: text,
  needed: text,
  needed_asset: text,
  available: maybe,
  best_bid: maybe,
  best_ask: maybe,
  mid: maybe,
});

export const previewOrder = defineTool({
  name: "preview_order",
  title: "Check an order",
  description:
    "Checks an order without placing it: rule problems with proposals, expected fill, fee and slippage. Gives a draft_id for place_order.",
  module: "trade",
  input: z.strictObject(orderFields),
  output: accountResult<Preview>({
    valid: flag,
    draft_id: text,
    expires_at: text,
    order: closedLike(z.strictObject(orderFields), "open"),
    estimate,
    policy: closed<PolicyView>({ verdict: text, value: text, why: optional(text), line: optional(text) }),
    problems: listOf(anError),
    proposals,
    warnings: texts,
  }),
  async run(fields, { desk, person }) {
    const read = await desk.preview(orderRequest(fields), person.view?.holder);
    if (!read.ok) return failedRead(desk, read.fault);
    const { ticket, ...preview } = read.value;
    const result = bounded(desk, preview, (view) => previewText(view, fields.symbol));
    return ticket === undefined ? result : withTicket(result, ticket);
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
  const name = `${order.side} ${size} on ${marketNamed(order.symbol, typed)} ${at} (${conditions(order)})${order.userref === undefined ? "" : `, userref ${order.userref}`}`;
  const expected = estimate === undefined ? undefined : estimateText(estimate, base, quote);
  const policy = preview.policy && policyText(preview.policy, preview.unit);
  if (!preview.valid)
    return lines(
      `Not valid, nothing was placed: ${name}`,
      ...preview.problems.map((problem) => `- ${errorText(problem)}`),
      ...preview.proposals.map((proposal) => `- Proposal: ${proposalText(proposal)}`),
      ...(preview.proposals.length > 0 ? ["Show the user the proposals and ask: none is applied by itself."] : []),
      expected,
      policy,
      ...warned(preview.warnings),
    );
  const place = `To place exactly this: place_order with draft_id ${draft_id ?? ""} before ${preview.expires_at ?? ""}.`;
  const sizes = preview.proposals.map((proposal) => `Size of ${proposal.given}: ${proposalText(proposal)}.`);
  return lines(
    `Valid, nothing was placed yet: ${name}`,
    ...sizes,
    expected,
    policy,
    ...warned(preview.warnings),
    place,
  );
}

/** Why it is denied is one of the problems. */
function policyText({ verdict, value, why, line }: PolicyView, unit: string): string {
  const counts = `it counts for ${amount(value, unit)}`;
  return verdict === "needs_approval"
    ? `The user has to approve it: ${why ?? ""}; ${counts}.`
    : `Policy: ${verdict}${line === undefined ? "" : ` by ${line} in ${POLICY_FILE}`}; ${counts}.`;
}

/** In the order's own names once it is placed; the exchange fills in what was left out. */
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
  const rest = /[1-9]/.test(estimate.resting_volume)
    ? `; ${amount(estimate.resting_volume, base)} would rest, fee ${amount(estimate.maker_fee, estimate.fee_currency)} when it fills`
    : "";
  const quotes = Object.entries({ bid: estimate.best_bid, ask: estimate.best_ask, mid: estimate.mid }).map(
    ([name, price]) => `${name} ${amountOr(price, quote, "none")}`,
  );
  const available = amountOr(estimate.available, estimate.needed_asset, "unknown");
  return `${atOnce}${rest}. ${netText(estimate, quote)}Takes at most ${amount(estimate.needed, estimate.needed_asset)} of ${available} available. Book: ${quotes.join(", ")}.`;
}

/** Tells what all of it comes to. */
function netText({ total, proceeds, break_even_price: even }: Estimate, quote: string): string {
  if (isPositive(total)) return `Costs ${amount(total, quote)} in all, fees included. `;
  const known = even === null ? "" : `; it breaks even at ${amount(even, quote)}, with the fees of both sides`;
  return isPositive(proceeds) ? `Brings ${amount(proceeds, quote)} after fees${known}. ` : "";
}

function ofHundred(percents: string): Rate {
  return rate(percents).scale(rate("0.01"));
}
