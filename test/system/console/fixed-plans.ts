/** Plans as a server would tell of them: one of each kind, in the states that a person has to tell apart. Every id is of the shape that the desk gives. */
import type { ApprovalView, ConsoleEvents, ConsolePlan, ConsolePlans } from "../../../src/serve/console/console-api.ts";

type Plan = ConsolePlans["plans"][number];
export const NOW = Date.parse("2026-11-23T06:30:00.000Z");
const stamp = { environment: "sandbox", account: "paper", unit: "KRW" } as const;
const ago = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString();
const DAY_S = 86_400;

let made = 0;

function plan(given: Pick<Plan, "kind" | "symbol" | "terms"> & Partial<Plan>): Plan {
  made += 1;
  return {
    ...{ plan_id: `plan-01a20906-834a-710a-9dce-${String(made).padStart(12, "0")}`, state: "active" },
    ...{
      worst_case_value: "0",
      reserved: "0",
      created_at: ago(9_000),
      updated_at: ago(9_000),
      until: ago(-90 * DAY_S),
    },
    ...(given.state === undefined || given.state === "active" ? { watched_since: ago(8_900) } : {}),
    ...given,
  };
}

const sold = { symbol: "BTC/KRW", volume: "0.0212" } as const;

export const STOP = plan({
  ...{ kind: "stop", symbol: "BTC/KRW", terms: { kind: "stop", ...sold, stopPrice: "148200000", note: "손실 제한" } },
  ...{ trigger: "148200000", floor: "133380000", left_volume: "0.0212", filled_volume: "0", note: "손실 제한" },
  worst_case_value: "3151062",
  shown: {
    ...{ worstValue: "3151062", unit: "KRW", slippagePct: "3" },
    atLeast: { price: "133380000", value: "2827656" },
  },
});

export const TRAILING = plan({
  ...{ kind: "trailing_stop", symbol: "ETH/KRW" },
  terms: { kind: "trailing_stop", symbol: "ETH/KRW", volume: "0.21370892", trail: { percent: "5" } },
  ...{ trigger: "5110000", high: "5379000", floor: "4599000", left_volume: "0.11370892", filled_volume: "0.1" },
  ...{ average_price: "5104000.5", worst_case_value: "601075" },
  shown: {
    ...{ worstValue: "1129665", unit: "KRW", slippagePct: "3" },
    atLeast: { price: "4599000", value: "982847" },
  },
});

export const OCO = plan({
  ...{ kind: "oco", symbol: "BTC/KRW", state: "paused", why: "Trading was halted." },
  terms: { kind: "oco", ...sold, volume: "0.01", stop: { stopPrice: "147900000" }, takePrice: "149100000" },
  ...{ trigger: "147900000", floor: "133110000", left_volume: "0.01", filled_volume: "0" },
  worst_case_value: "1486350",
});

export const RECURRING = plan({
  ...{ kind: "recurring", symbol: "BTC/KRW", reserved: "100050", worst_case_value: "1300650" },
  terms: {
    ...{ kind: "recurring", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "50000" } },
    ...{ schedule: "weekly mon,thu 09:00", timezone: "Asia/Seoul" },
  },
  next_turns: [1, 4, 8, 11].map((day) => ({ label: ago(-day * DAY_S).slice(0, 10), at: ago(-day * DAY_S) })),
  ...{ turns_left: 26, filled_volume: "0.00033641", average_price: "148627000", spent: "50025" },
  steps: [
    {
      ...{ step: 1, label: "2026-11-23", state: "done", due_at: ago(23_400), userref: "p-000000000001-0001" },
      ...{ order_id: "01a20906-9912-724d-984e-169965dd65ef", executed_volume: "0.00033641", why: null },
    },
    {
      ...{ step: 2, label: "2026-11-26", state: "planned", due_at: ago(-4 * DAY_S), userref: null },
      ...{ order_id: null, executed_volume: null, why: null },
    },
  ],
});

export const ALERT = plan({
  ...{ kind: "alert", symbol: "SHIB/KRW", trigger: "0.012345678" },
  terms: { kind: "alert", event: "price", symbol: "SHIB/KRW", below: "0.012345678" },
});

/** Of several markets. */
export const BASKET = plan({
  ...{ kind: "rebalance", symbol: null, worst_case_value: "1723177", reserved: "821839", spent: "821836.74459579" },
  terms: {
    ...{ kind: "rebalance", weights: { XRP: "3", ETH: "2", KRW: "95" }, quote: "KRW", fromCash: "0", toCash: "1033" },
    orders: [
      { symbol: "XRP/KRW", side: "sell", size: { volume: "431.7" }, value: "901339" },
      { symbol: "ETH/KRW", side: "buy", size: { quoteAmount: "821427" }, value: "821427" },
    ],
    left: [],
  },
  steps: [
    {
      ...{ step: 2, label: "buy ETH/KRW", state: "done", due_at: ago(60), userref: "p-000000000006-0002" },
      ...{ order_id: "01a20906-9912-724d-984e-169965dd65e2", executed_volume: "0.15148693", why: null },
    },
    {
      ...{ step: 1, label: "sell XRP/KRW", state: "done", due_at: ago(60), userref: "p-000000000006-0001" },
      ...{ order_id: "01a20906-9912-724d-984e-169965dd65e1", executed_volume: "431.7", why: null },
    },
  ],
});

const watch: ConsolePlans["watch"] = {
  ...{ watched_since: ago(8_900), last_look_at: ago(0) },
  gaps: [
    { symbol: "BTC/KRW", from: ago(20_000), to: ago(8_900), why: "no server" },
    { symbol: "BTC/KRW", from: ago(40_000), to: ago(39_000), why: "no stream" },
  ],
};

export const PLANS: ConsoleEvents["plans"] = {
  ...stamp,
  plans: [STOP, RECURRING, OCO, TRAILING, ALERT],
  ...{ next_cursor: null, watch },
};

/** One of them cannot go on alone. */
export const NEEDING: ConsoleEvents["plans"] = {
  ...PLANS,
  plans: PLANS.plans.map(({ watched_since, ...rest }) =>
    rest.kind === "trailing_stop"
      ? { ...rest, state: "attention", why: "Five attempts have not sold all of it." }
      : { ...rest, ...(watched_since !== undefined && { watched_since }) },
  ),
};

/** Nobody has watched for a while. */
export const BLIND: ConsoleEvents["plans"] = {
  ...PLANS,
  plans: PLANS.plans.map(({ watched_since: _watched, ...rest }) => rest),
  watch: { ...watch, watched_since: null },
};

export const ENDED: ConsolePlans = {
  ...stamp,
  plans: [
    plan({
      ...{ kind: "slices", symbol: "BTC/KRW", state: "done", filled_volume: "0.00672641", spent: "1000499.5" },
      terms: {
        ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "1000000" } },
        ...{ count: 10, durationMs: 7_200_000 },
      },
      ...{ average_price: "148667000", worst_case_value: "1000500" },
    }),
  ],
  ...{ next_cursor: null, watch },
};

/** By its id. */
export const PLAN = (id: string | null): ConsolePlan => {
  const found = [RECURRING, BASKET].find(({ plan_id }) => plan_id === id);
  return { ...stamp, plan: found ?? RECURRING, watch };
};

const asked = { asked_at: ago(70), expires_at: ago(-230) } as const;

const WAITING_PLAN: Plan = { ...STOP, state: "awaiting_approval", asked: { action: "start", expires_at: ago(-230) } };

/** One that is to begin, and one that is to be taken away. */
export const PLAN_QUESTIONS: readonly ApprovalView[] = [
  {
    ...{ kind: "plan", id: STOP.plan_id ?? "", digest: "d2", summary: "", value: "3151062", ...asked },
    ...{ why: "a person approves every plan", question: "", plan: WAITING_PLAN, plan_action: "start" },
    warnings: ["ordinary movement will trigger it"],
  },
  {
    ...{ kind: "plan_change", id: OCO.plan_id ?? "", digest: "d3", summary: "", value: "1486350", ...asked },
    ...{ why: "it protects coins", question: "", plan: { ...OCO, state: "active" }, plan_action: "cancel" },
    warnings: [],
  },
];
