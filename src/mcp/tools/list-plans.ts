import { z } from "zod";
import { defined, ok } from "../../contract/index.ts";
import type { PlanGapView, PlanWatchView } from "../../desk/index.ts";
import { countUnsaid, cursor, plainSymbol, planId } from "../input/field.ts";
import { failedRead } from "../text/answer.ts";
import { boundedPage } from "../text/bounded-answer.ts";
import { type Reported, withPlanSheet } from "../text/plan-sheet.ts";
import { plansOf, plansText } from "../text/plan-text.ts";
import { type ShownPlans, shownPlans } from "../text/plan-view.ts";
import { planShape } from "../tool/plan-shape.ts";
import { accountResult, closed, listOf, maybe, text } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

const LIMIT = 50;

const watchShape = closed<PlanWatchView>({
  watched_since: maybe,
  last_look_at: maybe,
  gaps: listOf(closed<PlanGapView>({ symbol: text, from: text, to: maybe, why: text })),
});

export const listPlans = defineTool({
  name: "list_plans",
  title: "Plans",
  description: "Plans and alerts: what each waits for, did, may still do, and when nobody watched.",
  module: "plans",
  scope: "account:read",
  input: z.strictObject({
    plan_id: planId.optional().describe("One, with its steps"),
    symbol: plainSymbol,
    state: z.enum(["open", "ended", "all"]).optional().describe("Default open"),
    cursor,
    limit: countUnsaid(1, 500),
  }),
  output: accountResult<ShownPlans>({ plans: listOf(planShape), next_cursor: maybe, watch: watchShape }),
  async run({ plan_id: planId, symbol, state: which = "open", cursor, limit: asked = LIMIT }, { desk, person }) {
    let only: Reported | undefined;
    const read = async (limit: number) => {
      const listed = await plansOf(desk).list({ which, limit, ...defined({ planId, symbol, cursor }) });
      if (!listed.ok) return listed;
      const { plans, account } = listed.value;
      only = { account, ...defined({ plan: plans[0] }) };
      return ok(shownPlans(listed.value, desk.timeZone));
    };
    const first = await read(asked);
    if (!first.ok) return failedRead(desk, first.fault);
    const said = { which: planId === undefined ? which : ("all" as const), symbol };
    const result = await boundedPage(desk, first.value, "plans", read, (view) => plansText(view, said));
    // For the view of that plan, which looks again.
    return planId === undefined || only === undefined ? result : withPlanSheet(desk, only, person, result);
  },
});
