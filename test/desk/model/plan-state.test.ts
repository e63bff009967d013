import { describe, expect, it } from "vitest";
import {
  canPlanMove,
  canStepMove,
  isPlanEnded,
  PLAN_MOVES,
  type PlanState,
  STEP_MOVES,
  type StepState,
} from "../../../src/desk/model/plan-state.ts";

const plans = Object.keys(PLAN_MOVES) as PlanState[];
const steps = Object.keys(STEP_MOVES) as StepState[];

describe("a plan", () => {
  it("sends only after a person, or where none is needed, and never again once it has ended", () => {
    const before = plans.filter((state) => canPlanMove(state, "active"));
    expect(before).toEqual(["awaiting_approval", "paused", "attention"]);
    expect(before.some(isPlanEnded)).toBe(false);
    expect(plans.filter(isPlanEnded)).toEqual(["denied", "lapsed", "done", "canceled", "expired", "replaced"]);
  });

  it("is denied or lapses only while its question waits", () => {
    for (const end of ["denied", "lapsed"] as const)
      expect(plans.filter((state) => canPlanMove(state, end))).toEqual(["awaiting_approval"]);
  });

  it("can be withdrawn from every state that is not final", () => {
    expect(plans.filter((state) => canPlanMove(state, "canceled"))).toEqual(
      plans.filter((state) => !isPlanEnded(state)),
    );
  });

  it("never moves to itself, and only to states that there are", () => {
    for (const from of plans) {
      expect(canPlanMove(from, from)).toBe(false);
      for (const to of PLAN_MOVES[from]) expect(plans).toContain(to);
    }
  });
});

describe("a step", () => {
  it("is claimed once, from where nothing was sent", () => {
    expect(steps.filter((state) => canStepMove(state, "claimed"))).toEqual(["planned"]);
  });

  it("is neither missed nor skipped once it is claimed", () => {
    for (const end of ["missed", "skipped"] as const)
      expect(steps.filter((state) => canStepMove(state, end))).toEqual(["planned"]);
  });

  it("ends, where it has no answer, as the exchange shows, or is proven not placed", () => {
    expect(STEP_MOVES.unknown).toEqual(["done", "nothing", "rejected", "not_placed"]);
  });
});
