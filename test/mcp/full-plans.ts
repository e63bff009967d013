/** Plans whose reports have every field, each with a value that occurs once; and some where everything fails. */
import { type Fault, failed, ok } from "../../src/contract/index.ts";
import { type PlanDesk, type PlanView, type PlanWriteReport, reportError } from "../../src/desk/index.ts";

const STAMP = { environment: "sandbox", account: "the-account", unit: "KRW" } as const;

export const PLAN_ID = "plan-01999f3e-7a10-7c31-9a52-0c6d5b1f2c01";

export const ALERT: PlanView = {
  plan_id: PLAN_ID,
  kind: "alert",
  state: "active",
  symbol: "BTC/KRW",
  terms: { kind: "alert", event: "price", symbol: "BTC/KRW", above: "160000000" },
  worst_case_value: "0",
  reserved: "0",
  until: "2026-10-18T09:00:00.000Z",
  created_at: "2026-07-20T01:02:03.004Z",
  updated_at: "2026-07-20T05:06:07.008Z",
  trigger: "160000000",
};

/** Of the kind that has most. */
const WHOLE: PlanView = {
  ...ALERT,
  kind: "stop",
  state: "attention",
  symbol: "SOL/KRW",
  terms: { kind: "stop", symbol: "SOL/KRW", volume: "0.0157", stopPrice: "90017" },
  worst_case_value: "1425003",
  reserved: "1425005",
  trigger: "90017",
  watched_since: "2026-07-20T05:10:11.012Z",
  why: "its coins are locked in an open order",
  note: 'sell "all" of it',
  told_at: "2026-07-20T06:13:14.015Z",
};

export function fullPlans(): PlanDesk {
  const written: PlanWriteReport = {
    ...STAMP,
    outcome: "accepted",
    state: "attention",
    plan: WHOLE,
    warnings: ["Watch out."],
    next_action: "Look again.",
  };
  return {
    ...UNASKED,
    create: async () => written,
    change: async () => written,
    list: async () =>
      ok({
        ...STAMP,
        plans: [WHOLE, ALERT],
        next_cursor: "cursor-7",
        watch: {
          watched_since: "2026-07-20T05:17:18.019Z",
          last_look_at: "2026-07-20T08:59:59.020Z",
          gaps: [
            {
              symbol: "XRP/KRW",
              from: "2026-07-20T04:21:22.023Z",
              to: "2026-07-20T04:24:25.026Z",
              why: "no stream",
            },
          ],
        },
      }),
  };
}

/** Nothing of them waits for a person. */
const UNASKED = {
  told: async () => ok({ asOfMs: 0, notices: [] }),
  pending: async () => ok([]),
  approve: async () => ({ ...STAMP, outcome: "not_sent", warnings: [] }),
  deny: async () => ok({ ...STAMP, outcome: "not_sent", warnings: [] }),
  sealApproval: async () => ok(""),
  answerApproval: async () => ({ ...STAMP, outcome: "not_sent", warnings: [] }),
  standing: async () =>
    ok({ active: 1, protecting: 1, attention: 0, paused: 0, waiting: 0, reserved: "0", watched_since: null }),
} satisfies Partial<PlanDesk>;

export function failingPlans(fault: Fault): PlanDesk {
  const report = { ...STAMP, outcome: "not_sent", warnings: [], error: reportError(fault) } as const;
  return { ...UNASKED, create: async () => report, change: async () => report, list: async () => failed(fault) };
}
