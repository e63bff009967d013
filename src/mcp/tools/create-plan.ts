import { z } from "zod";
import type { PlanWriteReport } from "../../desk/index.ts";
import {
  countUnsaid,
  decimal,
  duration,
  given,
  level,
  orderName,
  orderSide,
  plainSymbol,
  planId,
  planNote,
  schedule,
  size,
} from "../input/field.ts";
import { planAsked } from "../person/plan-question.ts";
import { withPlanSheet } from "../text/plan-sheet.ts";
import { plansOf, planWritten } from "../text/plan-text.ts";
import { until } from "../tool/period.ts";
import { planApproval, planMade } from "../tool/plan-shape.ts";
import { text, texts, uncut, writeResult } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

export const createPlan = defineTool({
  name: "create_plan",
  title: "Create a plan",
  description:
    "An order that waits, repeats or slices, or an alert; runs only while a hoga server runs. preview shows the worst case and records nothing. A person approves the plan once.",
  module: "plans",
  writes: { idempotent: false },
  input: z.strictObject({
    kind: z.enum(["stop", "take_profit", "trailing_stop", "oco", "recurring", "slices", "rebalance", "alert"]),
    symbol: plainSymbol,
    side: orderSide.optional().describe("recurring, slices"),
    base_volume: size('Coins; recurring: per turn; to sell also "50%"', "coins").optional(),
    quote_amount: size("Quote currency instead; to buy", "won").optional(),
    stop_price: level('A price, or "-5%" from now').optional(),
    take_price: level('A price, or "+10%"').optional(),
    trail: level('"5%" or an amount below the high').optional(),
    limit_price: decimal("stop: rests at it; buys: no higher; sells: no lower").optional(),
    floor_price: level("Never sells below").optional(),
    schedule: schedule.optional().describe('"daily 09:00", "weekly mon,thu 09:00", "monthly 1 09:00"'),
    duration: duration.optional().describe('slices: "2h"'),
    slices: countUnsaid(2, 200),
    until,
    above: level("alert: a price").optional(),
    below: level().optional(),
    event: z.enum(["price", "fill", "portfolio", "day_loss"]).optional(),
    weights: z
      .record(z.string(), z.string())
      .optional()
      // A name of an asset is any text.
      .meta({ propertyNames: undefined })
      .describe('rebalance: share of each asset, e.g. {"BTC":"50%","KRW":"50%"}'),
    note: planNote,
    after: orderName
      .optional()
      .describe(
        "oco: order_id or userref of the buy it begins with; no base_volume; percentages from its average price",
      ),
    replaces: planId.optional().describe("A plan_id"),
    preview: z.boolean().optional(),
    rehearse: z.enum(["1d", "7d", "30d"]).optional().describe("On past candles"),
  }),
  output: uncut(
    writeResult<PlanWriteReport>({ state: text, plan: planMade, approval: planApproval, rehearsal: texts }, "state"),
  ),
  async run({ preview, rehearse, ...fields }, { desk, person }) {
    const plans = plansOf(desk);
    const { answer } = person;
    const request = given(fields);
    const asked = { create: request };
    const told = (report: PlanWriteReport) => withPlanSheet(desk, report, person, planWritten(desk, "created", report));
    if (answer !== undefined) return told(await plans.answerApproval({ ...answer, request: asked }));
    const report = await plans.create({ ...request, ...given({ preview, rehearse }) }, "assistant", person.session);
    return (await planAsked(desk, report, asked, person)) ?? told(report);
  },
});
