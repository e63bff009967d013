import { z } from "zod";
import type { PlanWriteReport } from "../../desk/index.ts";
import { level, planNote, symbol } from "../input/field.ts";
import { plansOf, planWritten, type ShownPlan } from "../text/plan-text.ts";
import { until } from "../tool/period.ts";
import { closed, maybe, optional, text, writeResult } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

export const planShape = closed<ShownPlan>({
  plan_id: maybe,
  kind: text,
  state: text,
  symbol: maybe,
  summary: text,
  worst_case: text,
  worst_case_value: text,
  reserved: text,
  until: text,
  created_at: maybe,
  updated_at: maybe,
  trigger: optional(text),
  watched_since: optional(text),
  why: optional(text),
  note: optional(text),
  told_at: optional(text),
});

/** Of a plan that is made or changed. */
export const planResult = writeResult<Omit<PlanWriteReport, "approval" | "rehearsal">>(
  { state: text, plan: planShape },
  "state",
);

export const createPlan = defineTool({
  name: "create_plan",
  title: "Create a plan",
  description:
    "So far alerts: told once when the price has stood at or beyond a bound; trades never. Runs only while a hoga server runs. preview records nothing.",
  module: "plans",
  writes: { idempotent: false },
  input: z.strictObject({
    kind: z.enum(["alert"]),
    symbol: symbol.optional(),
    above: level('A price, or "+5%" from now').optional(),
    below: level('A price, or "-5%"').optional(),
    until,
    note: planNote,
    preview: z.boolean().optional(),
  }),
  output: planResult,
  async run(request, { desk }) {
    return planWritten(desk, "created", await plansOf(desk).create(request, "assistant"));
  },
});
