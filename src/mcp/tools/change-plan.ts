import { z } from "zod";
import type { PlanWriteReport } from "../../desk/index.ts";
import { planId } from "../input/field.ts";
import { planAsked } from "../person/plan-question.ts";
import { withPlanSheet } from "../text/plan-sheet.ts";
import { plansOf, planWritten } from "../text/plan-text.ts";
import type { ShownPlan } from "../text/plan-view.ts";
import { planApproval } from "../tool/plan-shape.ts";
import { text, uncut, writeResult } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

/** What was changed; the rest of the plan is in the list. */
type ShownChange = Omit<PlanWriteReport, "plan" | "rehearsal"> & Pick<ShownPlan, "plan_id" | "summary">;

export const changePlan = defineTool({
  name: "change_plan",
  title: "Pause, resume or cancel a plan",
  description: "Where money may be real, a person confirms taking a protection away or starting a plan again.",
  module: "plans",
  writes: { idempotent: true },
  input: z.strictObject({ plan_id: planId, action: z.enum(["cancel", "pause", "resume"]) }),
  output: uncut(
    writeResult<ShownChange>({ state: text, plan_id: text, summary: text, approval: planApproval }, "state"),
  ),
  async run({ plan_id, action }, { desk, person }) {
    const plans = plansOf(desk);
    const request = { change: { plan_id, action } };
    const { answer } = person;
    const told = (report: PlanWriteReport) => withPlanSheet(desk, report, person, planWritten(desk, "changed", report));
    if (answer !== undefined) return told(await plans.answerApproval({ ...answer, request }));
    const report = await plans.change(plan_id, action, "assistant", person.session);
    return (await planAsked(desk, report, request, person)) ?? told(report);
  },
});
