import { z } from "zod";
import type { AwaitReport, AwaitRequest } from "../../desk/index.ts";
import { count } from "../input/field.ts";
import { orderName, orderNameFields, requireOrderName } from "../input/order-name.ts";
import { amount, assetsOf } from "../text/amount-text.ts";
import { failedRead, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { warned } from "../text/write-text.ts";
import { accountResult, evidence, flag, order, orderReport, text, texts, whole } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";
import { viewText } from "./get-order.ts";

/** Below the 60 s after which clients give up on a call by themselves. */
const TIMEOUT_MAX_S = 55;
const TIMEOUT_S = 25;

export const awaitOrder = defineTool({
  name: "await_order",
  title: "Wait for an order",
  description:
    "Waits until an order has ended (closed), is filled, filled in part (any_fill) or placed; reached is false when time runs out.",
  module: "trade",
  scope: "account:read",
  input: z
    .strictObject({
      ...orderNameFields,
      until: z.enum(["closed", "filled", "any_fill", "placed"]).optional(),
      timeout_s: count(1, TIMEOUT_MAX_S, "Default 25"),
    })
    .superRefine(requireOrderName),
  output: accountResult<AwaitReport>({
    ...orderReport,
    evidence,
    moved_to: order,
    reached: flag,
    waited_ms: whole,
    warnings: texts,
    next_action: text,
  }),
  async run({ until = "closed", timeout_s = TIMEOUT_S, ...name }, { desk, signal, progress, listener }) {
    const request: AwaitRequest = {
      ...orderName(name),
      until,
      timeoutMs: timeout_s * 1000,
      signal,
      onProgress: (order, elapsedMs) => {
        const done = `${amount(order.executed_volume, assetsOf(order.symbol).base)} executed`;
        progress?.(elapsedMs / 1000, timeout_s, `${order.state}, ${done}`);
      },
    };
    const read = await desk.awaitOrder(request, listener);
    if (!read.ok) return failedRead(desk, read.fault);
    const head = read.value.reached
      ? `Reached (${until}).`
      : `Not reached (${until}) after ${Math.round(read.value.waited_ms / 1000)} s.`;
    return bounded(desk, read.value, (view) =>
      lines(`${head} ${viewText(view, name.symbol)}`, ...warned(view.warnings)),
    );
  },
});
