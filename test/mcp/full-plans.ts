/** Plans whose reports have every field, each with a value that occurs once; and some where everything fails. */
import { type Fault, failed, ok } from "../../src/contract/index.ts";
import {
  type PlanApprovalRequest,
  type PlanDesk,
  type PlanView,
  type PlanWriteReport,
  reportError,
} from "../../src/desk/index.ts";

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
const STOP: PlanView = {
  ...ALERT,
  kind: "oco",
  state: "attention",
  symbol: "SOL/KRW",
  terms: {
    ...{ kind: "oco", symbol: "SOL/KRW", volume: "0.0157", stop: { trail: { percent: "7" } }, takePrice: "130031" },
    floorPrice: "81019",
  },
  worst_case_value: "1425003",
  reserved: "1425005",
  trigger: "90017",
  ...{ floor: "81019", high: "96791", leg: "take", left_volume: "0.0103", filled_volume: "0.0054" },
  average_price: "130037.25",
  shown: { worstValue: "1425003", unit: "KRW", atLeast: { price: "81019", value: "1271" }, slippagePct: "3" },
  watched_since: "2026-07-20T05:10:11.012Z",
  why: "its coins are locked in an open order",
  note: 'sell "all" of it',
  told_at: "2026-07-20T06:13:14.015Z",
  order_id: "01999f3e-7a10-7c31-9a52-0c6d5b1f2c77",
  asked: { action: "pause", expires_at: "2026-07-20T06:23:24.025Z" },
  steps: [
    {
      ...{ step: 31, label: null, state: "claimed", due_at: null, userref: "p-0c6d5b1f2c01-0031" },
      ...{ order_id: "01999f3e-7a10-7c31-9a52-0c6d5b1f2c77", executed_volume: "0.0054", why: null },
    },
    {
      ...{ step: 29, label: "2026-07-19", state: "missed", due_at: "2026-07-19T06:33:34.035Z", userref: null },
      ...{ order_id: null, executed_volume: null, why: "nobody watched" },
    },
  ],
};

const TURNS: PlanView = {
  ...ALERT,
  plan_id: "plan-01999f3e-7a10-7c31-9a52-0c6d5b1f2c02",
  kind: "recurring",
  symbol: "ETH/KRW",
  terms: {
    ...{ kind: "recurring", symbol: "ETH/KRW", side: "buy", size: { quoteAmount: "50021" } },
    ...{ schedule: "weekly mon 09:00", timezone: "Asia/Seoul", limitPrice: "5000023" },
  },
  worst_case_value: "600257",
  spent: "100047",
  next_turns: [
    { label: "2026-07-27", at: "2026-07-27T00:00:01.000Z" },
    { label: "2026-08-03", at: "2026-08-03T00:00:02.000Z" },
  ],
  turns_left: 12,
};

const { trigger: _trigger, ...OF_NO_PRICE } = ALERT;

/** Of several markets, so that each figure has to say which coin or money it is of. */
export const BASKET: PlanView = {
  ...OF_NO_PRICE,
  plan_id: "plan-01999f3e-7a10-7c31-9a52-0c6d5b1f2c03",
  kind: "rebalance",
  symbol: null,
  terms: {
    ...{ kind: "rebalance", weights: { XRP: "3", ETH: "2", KRW: "95" }, quote: "KRW", fromCash: "0", toCash: "1033" },
    orders: [
      { symbol: "XRP/KRW", side: "sell", size: { volume: "431.7" }, value: "901339" },
      { symbol: "ETH/KRW", side: "buy", size: { quoteAmount: "821427" }, value: "821427" },
    ],
    left: [{ asset: "DOGE", why: "small" }],
  },
  ...{ worst_case_value: "1723177", reserved: "821839", spent: "821836.74459579" },
  steps: [
    {
      ...{ step: 2, label: "buy ETH/KRW", state: "done", due_at: "2026-07-20T05:13:14.015Z" },
      ...{ userref: "p-0c6d5b1f2c03-0002", order_id: "01999f3e-7a10-7c31-9a52-0c6d5b1f2c79" },
      ...{ executed_volume: "0.15148693", why: null },
    },
    {
      ...{ step: 1, label: "sell XRP/KRW", state: "done", due_at: "2026-07-20T05:13:14.015Z" },
      ...{ userref: "p-0c6d5b1f2c03-0001", order_id: "01999f3e-7a10-7c31-9a52-0c6d5b1f2c78" },
      ...{ executed_volume: "431.7", why: null },
    },
  ],
};

/** What it may be answered with when somebody is asked. */
const APPROVAL: PlanApprovalRequest = {
  ...{ id: PLAN_ID, action: "start", why: "a person approves every plan" },
  ...{ asked_at: "2026-07-20T07:01:02.003Z", expires_at: "2026-07-20T07:06:02.003Z" },
};

const REHEARSAL: NonNullable<PlanWriteReport["rehearsal"]> = {
  fromMs: Date.parse("2026-07-13T00:00:03.000Z"),
  toMs: Date.parse("2026-07-20T00:00:04.000Z"),
  acts: [
    {
      ...{ atMs: Date.parse("2026-07-15T03:00:00.000Z"), leg: "stop", from: "89003", to: "90011" },
      ...{ volume: "0.0157", value: "1397", isSure: false },
    },
  ],
  without: 4,
  value: "1397",
};

export function fullPlans(): PlanDesk {
  const written: PlanWriteReport = {
    ...STAMP,
    outcome: "accepted",
    state: "attention",
    plan: STOP,
    warnings: ["Watch out."],
    next_action: "Look again.",
  };
  const waiting = { ...written, outcome: "not_sent", approval: APPROVAL } as const;
  const asked = { ...waiting, plan: { ...STOP, state: "awaiting_approval" }, state: "awaiting_approval" } as const;
  return {
    ...UNASKED,
    create: async ({ kind, rehearse }) =>
      rehearse === undefined
        ? kind === "alert"
          ? written
          : kind === "rebalance"
            ? { ...asked, plan: { ...BASKET, state: "awaiting_approval" } }
            : asked
        : { ...written, outcome: "not_sent", state: "preview", rehearsal: REHEARSAL },
    change: async (_, action) => (action === "pause" ? { ...waiting, approval: { ...APPROVAL, action } } : written),
    list: async () =>
      ok({
        ...STAMP,
        plans: [STOP, TURNS, BASKET, ALERT],
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
