import { describe, expect, it } from "vitest";
import { defaultPolicy, type Policy } from "../../../src/desk/risk/policy-decision.ts";
import { policyInForce } from "../../../src/desk/risk/policy-view.ts";

const plain = ({ plans }: Policy): unknown => JSON.parse(JSON.stringify(plans));

describe("what the default policy lets plans do", () => {
  const live = {
    ...{ approve: "always", stopRemoval: "ask", maxPlans: 20, maxAlerts: 50, maxPlan: "5000000", maxDays: 90 },
    ...{ protectiveSlippage: "0.03", protectiveFloor: "0.1", lateMs: 3_600_000 },
  };
  const practice = { ...live, approve: "bounded", stopRemoval: "allow" };

  it("is the documented one, on practice without a person within the limits", () => {
    expect(plain(defaultPolicy("live"))).toEqual(live);
    expect(plain(defaultPolicy("sandbox"))).toEqual(practice);
  });

  it("gives way to each that a person has set, and no other", () => {
    const plans = { stopRemoval: "ask", maxDays: 7 } as const;
    expect(plain(defaultPolicy("live", { plans }))).toEqual({ ...live, ...plans });
    expect(plain(defaultPolicy("sandbox", { plans }))).toEqual({ ...practice, ...plans });
  });

  it("is shown by the names and in the units of the file", () => {
    expect(policyInForce(defaultPolicy("live", { plans: { lateMs: 90_000 } })).plans).toEqual({
      ...{
        approve: "always",
        stop_removal: "ask",
        max_plans: 20,
        max_alerts: 50,
        max_plan_krw: "5000000",
        max_days: 90,
      },
      ...{ protective_slippage_pct: "3", protective_floor_pct: "10", late_s: 90 },
    });
  });
});
