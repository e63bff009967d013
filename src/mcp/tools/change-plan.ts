import { z } from "zod";
import { planId } from "../input/field.ts";
import { plansOf, planWritten } from "../text/plan-text.ts";
import { defineTool } from "../tool/tool.ts";
import { planResult } from "./create-plan.ts";

export const changePlan = defineTool({
  name: "change_plan",
  title: "Pause, resume or cancel a plan",
  description: "Cancels, pauses or resumes a plan. A canceled one does not come back.",
  module: "plans",
  writes: { idempotent: true },
  input: z.strictObject({ plan_id: planId, action: z.enum(["cancel", "pause", "resume"]) }),
  output: planResult,
  async run({ plan_id, action }, { desk }) {
    return planWritten(desk, "changed", await plansOf(desk).change(plan_id, action, "assistant"));
  },
});
