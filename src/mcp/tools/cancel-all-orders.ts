import { z } from "zod";
import type { CancelAllReport, CancelItem, UnresolvedIntent, WithdrawnItem, WriteReport } from "../../desk/index.ts";
import { optionalSymbol, orderSide } from "../input/field.ts";
import { otherName } from "../person/module.ts";
import { errorText, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { warned } from "../text/write-text.ts";
import {
  anError,
  closed,
  listOf,
  maybe,
  maybeWhole,
  optional,
  text,
  whole,
  writeResult,
} from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

export const canceledShape = listOf(
  closed<CancelItem>({ orderId: text, symbol: text, state: text, error: optional(anError) }),
);

/** Describes what waited for a person and does not any more. */
export const withdrawnShape = listOf(closed<WithdrawnItem>({ id: text, userref: maybe, summary: text }));

export const unresolvedShape = listOf(
  closed<UnresolvedIntent>({ intent_id: text, userref: text, symbol: text, state: text, since: text }),
);

export const cancelAllOrders = defineTool({
  name: "cancel_all_orders",
  title: "Cancel all orders",
  description:
    "Cancels every open order, or those of one market or side, and verifies each. Withdraws those that wait for approval.",
  module: "trade",
  writes: { idempotent: true },
  input: z.strictObject({ symbol: optionalSymbol, side: orderSide.optional() }),
  narrowing: ["symbol", "side"],
  output: writeResult<CancelAllReport & Pick<WriteReport, "state">>({
    state: text,
    results: canceledShape,
    canceled: whole,
    withdrawn: withdrawnShape,
    remaining: maybeWhole,
  }),
  async run({ symbol, side }, { desk }) {
    const report = await desk.cancelAll(symbol, side);
    const isLeft = report.remaining !== 0 || report.next_action !== undefined;
    const isError = report.outcome !== "accepted" || report.error !== undefined || isLeft;
    const next = report.next_action === undefined ? undefined : `Next: ${report.next_action}`;
    const head = `${headline(report, side === undefined ? "" : `${side} `)}${withdrawnCount(report)}`;
    const text = (shown: CancelAllReport) =>
      lines(head, ...canceledItems(shown), ...withdrawnLines(shown), ...warned(shown.warnings), next);
    return bounded(desk, report, text, isError);
  },
});

function headline(report: CancelAllReport, kind: string): string {
  const why = report.error === undefined ? "" : ` ${errorText(report.error)}`;
  if (report.remaining === null) return `${unverified(report)}${why}`;
  const counts = `${report.canceled} canceled, ${report.remaining} still open`;
  switch (report.outcome) {
    case "accepted":
      return report.results.length === 0 ? `There were no open ${kind}orders.${why}` : `Verified: ${counts}.${why}`;
    case "rejected":
      return `The exchange refused: ${counts}.${why}`;
    case "not_sent":
      return report.canceled === 0
        ? `The request had no effect: ${counts}.${why}`
        : `The request was not sent; verified all the same: ${counts}.${why}`;
    case "unknown":
      return `UNKNOWN: the request was sent and no readable answer came. Verified: ${counts}.${why}`;
    default:
      return report.outcome satisfies never;
  }
}

/** The open orders could not be queried, so nothing is said about them. */
function unverified({ outcome, results }: CancelAllReport): string {
  switch (outcome) {
    case "accepted":
      return "NOT verified: the exchange took the request; orders may still be open.";
    case "rejected":
      return "The exchange refused. NOT verified: orders may still be open.";
    case "not_sent":
      return results.length === 0
        ? "Nothing was canceled: no request was sent. Orders may be open."
        : "No request was sent. NOT verified: orders may still be open.";
    case "unknown":
      return "UNKNOWN: the request was sent and what it did is not verified; orders may still be open.";
    default:
      return outcome satisfies never;
  }
}

export function canceledItems({ results }: CancelAllReport): readonly string[] {
  return results.map(itemLine);
}

/** After the count of what was canceled; nothing where nothing waited. */
export function withdrawnCount({ withdrawn }: Pick<CancelAllReport, "withdrawn">): string {
  return withdrawn.length === 0 ? "" : ` ${withdrawn.length} withdrawn that waited for a person.`;
}

export function withdrawnLines({ withdrawn }: Pick<CancelAllReport, "withdrawn">): readonly string[] {
  return withdrawn.map(
    ({ id, userref, summary }) => `- Withdrawn: ${summary}, ${userref === null ? otherName(id) : `userref ${userref}`}`,
  );
}

/** Orders that may still appear: not sent yet, or their requests had no answer. */
export function unresolvedLines(unresolved: readonly UnresolvedIntent[]): readonly string[] {
  return unresolved.map(
    ({ userref, symbol, state, since }) =>
      `- ${UNRESOLVED_WORDS[state]}: userref ${userref}, ${symbol}, since ${since}; look with get_order.`,
  );
}

const UNRESOLVED_WORDS = {
  not_sent_yet: "Not sent yet",
  submitting: "Outcome unknown (submitting)",
  unknown: "Outcome unknown",
} as const;

function itemLine(item: CancelItem): string {
  const why = item.error === undefined ? "" : `: ${errorText(item.error)}`;
  return `- ${item.symbol} order_id ${item.orderId}: ${item.state}${why}`;
}
