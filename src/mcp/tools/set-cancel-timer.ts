import { z } from "zod";
import type { CancelTimerReport, WriteReport } from "../../desk/index.ts";
import { count } from "../input/field.ts";
import { answered, failedWrite, lines } from "../text/answer.ts";
import { warned } from "../text/write-text.ts";
import { maybe, text, uncut, writeResult } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

type Timer = CancelTimerReport & Pick<WriteReport, "outcome" | "state" | "next_action">;

export const setCancelTimer = defineTool({
  name: "set_cancel_timer",
  title: "Cancel timer",
  description:
    "Dead-man's switch: cancels every open order after timeout_s seconds unless set again before; 0 switches it off.",
  module: "safety",
  writes: { idempotent: true },
  input: z.strictObject({ timeout_s: count(0, 86_400, "5 to 86400, or 0 for off").unwrap() }),
  output: uncut(writeResult<Timer>({ state: text, fires_at: maybe, kept_by: text, note: text })),
  async run({ timeout_s }, { desk }) {
    const set = await desk.setCancelTimer(timeout_s);
    if (!set.ok) return failedWrite(desk, set.fault);
    const { fires_at, kept_by, note } = set.value;
    const head =
      fires_at === null
        ? "The cancel timer is off."
        : `Every open order is canceled at ${fires_at} unless the timer is set again before. Kept by the ${kept_by}.`;
    const content = { outcome: "accepted", ...set.value };
    const text = lines(head, fires_at === null ? undefined : note, ...warned(set.value.warnings));
    return answered(desk, text, content);
  },
});
