import { z } from "zod";
import type { WriteReport } from "../../desk/index.ts";
import { orderName, orderNameFields, requireOrderName } from "../input/order-name.ts";
import { canceled } from "../text/write-text.ts";
import { orderReport, writeResult } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

export const cancelOrder = defineTool({
  name: "cancel_order",
  title: "Cancel an order",
  description: "Cancels one order and verifies it. cancel_requested is not canceled yet.",
  module: "trade",
  writes: { idempotent: true },
  input: z.strictObject(orderNameFields).superRefine(requireOrderName),
  output: writeResult<Omit<WriteReport, "approval" | "replaced" | "sizing" | "duplicate_of">>(orderReport, "state"),
  async run(name, { desk, listener }) {
    return canceled(desk, await desk.cancel(orderName(name), listener));
  },
});
