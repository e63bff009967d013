/** Owns the shapes of plans in results. A plan has all its fields in list_plans alone: of one that was just made the main ones. */
import type { PlanView } from "../../desk/index.ts";
import type { JsonSchema } from "../input/argument-schema.ts";
import type { ShownApproval, ShownMade, ShownPlan, ShownStep } from "../text/plan-view.ts";
import { closed, listOf, maybe, optional, text, whole } from "./result-shape.ts";

type Turn = NonNullable<PlanView["next_turns"]>[number];

const step = closed<ShownStep>({
  ...{ step: whole, state: text },
  ...{ label: optional(text), due_at: optional(text), userref: optional(text), order_id: optional(text) },
  ...{ executed_volume: optional(text), why: optional(text) },
});

const always = { kind: text, state: text, symbol: maybe, summary: text } as const;
const costs = { worst_case: text, worst_case_value: text, reserved: text, until: text } as const;
const levels = { trigger: optional(text), floor: optional(text), high: optional(text) } as const;

/** Of a list. */
export const planShape: JsonSchema = closed<ShownPlan>({
  ...{ plan_id: text, ...always, ...costs, created_at: text, updated_at: text, ...levels },
  ...{ leg: optional(text), left_volume: optional(text), filled_volume: optional(text) },
  ...{ average_price: optional(text), spent: optional(text) },
  ...{ next_turns: optional(listOf(closed<Turn>({ label: text, at: text }))), turns_left: optional(whole) },
  ...{ watched_since: optional(text), why: optional(text), note: optional(text) },
  asked: optional(closed<NonNullable<PlanView["asked"]>>({ action: text, expires_at: text })),
  ...{ order_id: optional(text), told_at: optional(text), steps: optional(listOf(step)) },
});

/** Of a preview nothing was recorded, so it has neither id nor times. */
export const planMade: JsonSchema = closed<ShownMade>({
  ...{
    plan_id: maybe,
    ...always,
    ...costs,
    created_at: maybe,
    updated_at: maybe,
    trigger: optional(text),
    floor: optional(text),
  },
});

/** What waits for a person, and what they read of it. */
export const planApproval: JsonSchema = closed<ShownApproval>({
  ...{ id: text, action: text, why: text, asked_at: text, expires_at: text, text },
});
