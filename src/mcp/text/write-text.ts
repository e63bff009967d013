/**
 * Owns the text of a write. The first line tells the outcome and follows from `outcome` and `state` alone.
 *
 * Invariant: after `unknown` it never invites to send anything a second time.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Order } from "../../contract/index.ts";
import type { Desk, ExpectedCosts, WriteReport } from "../../desk/index.ts";
import { amount, amountOr, assetsOf, isPositive } from "./amount-text.ts";
import { answered, errorText, errorTextUnsent, lines } from "./answer.ts";
import { bounded } from "./bounded-answer.ts";
import { executed, ids, instructionText, orderText, stateText } from "./order-text.ts";

/** The result of placing an order. `typed` is the market as the caller wrote it. */
export function placed(desk: Desk, report: WriteReport, typed: string | undefined): CallToolResult {
  const failed = report.state === "rejected" || report.state === "not_placed" || report.state === "denied";
  // Waiting for approval is an expected outcome, not an error.
  const isWaiting = report.state === "awaiting_approval" && report.error === undefined;
  const text = lines(placedText(report, typed), replacedText(report));
  return written(desk, report, text, !isWaiting && (failed || hasFailed(report)));
}

/**
 * The result of changing an order. What waits for a person, and what would fit, is in the text, and the trades are in get_order: as fields they would
 * cost every conversation.
 */
export function changed(desk: Desk, report: WriteReport): CallToolResult {
  const { order: whole, ...of } = report;
  const { trades: _fills, ...order } = whole ?? {};
  const shown = { ...of, ...(whole && { order: order as Order }) };
  const { content, isError = false } = placed(desk, shown, undefined);
  const { approval: _asked, error, ...rest } = shown;
  const { proposals: _fitting, ...why } = error ?? {};
  const [first] = content;
  const fields = { ...rest, ...(error && { error: why }) };
  return answered(desk, first?.type === "text" ? first.text : report.state, fields, isError);
}

/** The result of canceling one order. How it came about matters no more: what was asked for, what it was to replace. */
export function canceled(desk: Desk, whole: WriteReport): CallToolResult {
  const { sizing: _size, approval: _asked, replaced: _old, ...report } = whole;
  const done = report.state === "canceled" || report.state === "cancel_requested";
  return written(desk, report, canceledText(report), !isWithdrawn(report) && (!done || hasFailed(report)));
}

/** An order that was withdrawn while it waited for approval: nothing had to be sent. */
function isWithdrawn({ state, error }: WriteReport): boolean {
  return state === "not_placed" && error === undefined;
}

/** Takes what was recorded and is denied for want of an approval for a person's no; the policy's own denials have other codes. */
function isPersonsNo({ state, error, intent_id }: WriteReport): boolean {
  return state === "denied" && intent_id !== undefined && error?.code === "ELocal:Not approved";
}

function hasFailed({ outcome, error }: WriteReport): boolean {
  return outcome !== "accepted" || error !== undefined;
}

function written(desk: Desk, report: WriteReport, text: string, isError: boolean): CallToolResult {
  const next = report.next_action === undefined ? undefined : `Next: ${report.next_action}`;
  const sizing = report.sizing === undefined ? undefined : `Size: ${report.sizing}.`;
  return bounded(desk, report, ({ warnings }) => lines(text, sizing, ...warned(warnings), next), isError);
}

export function warned(warnings: readonly string[]): readonly string[] {
  return warnings.map((warning) => `Warning: ${warning}`);
}

function placedText(report: WriteReport, typed: string | undefined): string {
  const { order } = report;
  const why = report.error === undefined ? "" : ` ${errorText(report.error)}`;
  const reference = report.userref === undefined ? "" : ` userref ${report.userref}.`;
  switch (report.outcome) {
    case "accepted":
      return order === undefined
        ? `Accepted by the exchange.${reference}`
        : `Accepted: ${orderText(order, typed)}. ${stateText(order)} ${ids(order)}.${why}`;
    case "rejected":
      return order === undefined
        ? `Rejected by the exchange: nothing was placed.${why}${reference}`
        : `${stateText(order)} It was to ${orderText(order, typed)}, ${ids(order)}.${why}`;
    case "not_sent":
      if (report.state === "awaiting_approval")
        return `WAITING FOR A PERSON: nothing was sent yet.${waitingText(report, typed)}${why}${reference}`;
      return report.state === "not_placed"
        ? `Not placed: this order has not taken effect and will not.${why}${reference}`
        : `${isPersonsNo(report) ? "Withdrawn by a person's no" : "Denied by hoga"}: nothing was ${isOldGone(report) ? "placed" : "sent"}.${report.error === undefined ? "" : ` ${errorTextUnsent(report.error)}`}`;
    case "unknown":
      // What was sent without an answer is the cancel of the old order.
      if (report.state === "not_placed") return `UNKNOWN:${why}`;
      return `${report.state === "not_sent_yet" ? "NOT SENT YET" : "UNKNOWN"}: ${whyUnknown(report)} Look with get_order${report.userref === undefined ? "" : `, userref ${report.userref}`}; do not place it again.`;
    default:
      return report.outcome satisfies never;
  }
}

function isOldGone({ replaced }: WriteReport): boolean {
  return replaced?.state === "canceled";
}

/** The order that was to go for this one. */
function replacedText({ replaced, state }: WriteReport): string | undefined {
  if (replaced === undefined) return undefined;
  const { order_id, state: old, executed_volume } = replaced;
  const done = isPositive(executed_volume) ? `${executed_volume} of it executed` : "nothing of it executed";
  const name = `The old order, order_id ${order_id},`;
  if (old === "open" || old === "partially_filled")
    return `${name} stands${state === "awaiting_approval" ? " until then" : ""}; ${done}.`;
  if (old === "unknown" || old === "cancel_requested") return `${name} may still be open; ${done}.`;
  return `${name} is ${old}; ${done}.`;
}

function waitingText({ approval, unit }: WriteReport, typed: string | undefined): string {
  if (approval === undefined) return "";
  const { order, value, costs, price_seen, why, expires_at } = approval;
  const seen = price_seen === null ? "" : `, at a price seen of ${amount(price_seen, assetsOf(order.symbol).quote)}`;
  return ` It is to ${instructionText(order, typed)}, and counts for ${amount(value, unit)}${seen}.${costsText(costs)} Why: ${why}. It lapses at ${expires_at}.`;
}

function costsText(costs: ExpectedCosts | null): string {
  if (costs === null) return "";
  const { taker_fee, maker_fee, total, proceeds, fee_currency: asset } = costs;
  const sum = total === null ? `it brings ${amountOr(proceeds, asset, "nothing")}` : `it costs ${amount(total, asset)}`;
  return ` Fees expected: taker ${amount(taker_fee, asset)}, maker ${amount(maker_fee, asset)}; with them ${sum}.`;
}

/**
 * Says why it is unknown: without an error another process is sending the order; one that the exchange accepted and now denies carries an
 * error.
 */
function whyUnknown({ error }: WriteReport): string {
  if (error === undefined)
    return "another process has recorded this order and may be about to send it, so it may or may not be placed. Nothing was sent now.";
  if (error.code === "ELocal:Unknown order") return `${errorText(error)} It will not be sent again.`;
  return "the order was sent and no readable answer came, so it may or may not have been placed. It will not be sent again.";
}

function canceledText(report: WriteReport): string {
  const { order } = report;
  const name = order === undefined ? "the order" : `${orderText(order)}, ${ids(order)}`;
  const why = report.error === undefined ? "" : ` ${errorText(report.error)}`;
  switch (report.outcome) {
    case "accepted":
      if (report.state === "canceled") return `Canceled and verified: ${name}; ${executedBefore(report)}.`;
      if (report.state === "cancel_requested")
        return `Cancel requested, not yet confirmed: ${name}. It may still execute until it shows as canceled.${order === undefined ? "" : ` ${stateText(order)}`}`;
      return `The cancel was accepted, but the order shows as ${report.state}: ${name}. ${order === undefined ? "" : stateText(order)}`;
    case "rejected":
      return `Not canceled${order === undefined ? "" : `: ${name}`}.${why} ${order === undefined ? `Its state: ${report.state}.` : stateText(order)}`;
    case "not_sent":
      if (isWithdrawn(report))
        return `Withdrawn: the order was waiting for approval and is not placed${report.userref === undefined ? "" : `, userref ${report.userref}`}.`;
      return order === undefined
        ? `Not canceled: no cancel was sent.${why}`
        : `Not canceled, the cancel had no effect: ${name}.${why} ${stateText(order)}`;
    case "unknown":
      return order === undefined || order.state === "open" || report.state === "unknown"
        ? `UNKNOWN: the cancel was sent and no readable answer came; ${name} may still be open. Look with get_order.`
        : `UNKNOWN: the cancel was sent and no readable answer came; ${name}. ${stateText(order)}`;
    default:
      return report.outcome satisfies never;
  }
}

function executedBefore(report: WriteReport): string {
  return report.order === undefined ? "look with get_order for what executed" : `${executed(report.order)} before that`;
}
