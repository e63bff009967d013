/** What the page knows of a plan without asking: the prices that it waits for, how far they are, what may be done with it. */
import { describe, expect, it } from "vitest";
import {
  actsOn,
  distanceOf,
  levelsOf,
  type Plan,
  removesProtection,
  standingOf,
} from "../../../web/console/views/plan-levels.ts";
import { pageWords } from "../../../web/console/words/page-words.ts";
import { isOfPlan, levelName, planName, planNote } from "../../../web/console/words/plan-said.ts";

const sold = { symbol: "BTC/KRW", volume: "0.1" } as const;
const base = {
  ...({ plan_id: "plan-1", state: "active", symbol: "BTC/KRW", worst_case_value: "0", reserved: "0" } as const),
  ...{ until: "", created_at: "", updated_at: "" },
};
const STOP: Plan = { ...base, kind: "stop", terms: { kind: "stop", ...sold, stopPrice: "90" }, trigger: "90" };
const OCO: Plan = {
  ...{ ...base, kind: "oco", trigger: "91" },
  terms: { kind: "oco", ...sold, stop: { trail: { percent: "5" } }, takePrice: "110" },
};
const ALERT: Plan = {
  ...{ ...base, kind: "alert", trigger: "120" },
  terms: { kind: "alert", event: "price", symbol: "BTC/KRW", above: "120" },
};
const BUYS: Plan = {
  ...{ ...base, kind: "recurring" },
  terms: {
    ...{ kind: "recurring", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "1" } },
    ...{ schedule: "daily 09:00", timezone: "UTC" },
  },
};

describe("the prices that a plan waits for", () => {
  it("are the one of a stop, of an alert, and none of what goes by the clock", () => {
    expect(levelsOf(STOP)).toEqual([{ leg: "stop", price: "90" }]);
    expect(levelsOf(ALERT)).toEqual([{ leg: "alert", price: "120" }]);
    expect(levelsOf(BUYS)).toEqual([]);
    const take: Plan = { ...base, kind: "take_profit", terms: { kind: "take_profit", ...sold, takePrice: "110" } };
    expect(levelsOf(take)).toEqual([{ leg: "take", price: "110" }]);
    const { trigger: _, ...unknown } = ALERT;
    expect(levelsOf(unknown)).toEqual([]);
  });

  it("has both prices of a stop and a take-profit over one amount, and the stop alone once that has claimed", () => {
    expect(levelsOf(OCO)).toEqual([
      { leg: "trail", price: "91" },
      { leg: "take", price: "110" },
    ]);
    expect(levelsOf({ ...OCO, leg: "take" })).toHaveLength(2);
    expect(levelsOf({ ...OCO, leg: "stop", latched: true })).toEqual([{ leg: "trail", price: "91" }]);
    expect(levelsOf({ ...OCO, leg: "take", latched: true })).toEqual([{ leg: "trail", price: "91" }]);
  });

  it("are as far off as they are from what is traded now", () => {
    expect(distanceOf("95", "100")).toBe("-5.0000");
    expect(distanceOf("0.0000110", "0.00001")).toBe("10.0000");
    expect([distanceOf("95", null), distanceOf("95", "0"), distanceOf("95", undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("how plans stand", () => {
  it("counts those that wait, and of these the ones that nobody watches; all are watched since the latest", () => {
    const watched = (at: string): Plan => ({ ...STOP, watched_since: at });
    expect(standingOf([])).toEqual({ waiting: 0, blind: 0, since: undefined, needing: 0 });
    expect(
      standingOf([watched("2026-11-28T09:00"), watched("2026-11-28T09:12"), { ...STOP, state: "attention" }]),
    ).toEqual({ waiting: 2, blind: 0, since: "2026-11-28T09:12", needing: 1 });
    expect(standingOf([watched("2026-11-28T09:00"), ALERT, { ...BUYS, state: "paused" }])).toMatchObject({
      ...{ waiting: 2, blind: 1 },
    });
  });
});

describe("what a person may do with a plan", () => {
  it.each([
    ["active", ["pause", "cancel"]],
    ["paused", ["resume", "cancel"]],
    ["attention", ["resume", "cancel"]],
    ["awaiting_approval", ["cancel"]],
    ["done", []],
    ["replaced", []],
  ] as const)("is, of one that is %s, %j", (state, acts) => {
    expect(actsOn({ state })).toEqual(acts);
  });

  it("takes a protection away where one stands, and nowhere else", () => {
    expect(removesProtection(STOP, "cancel")).toBe(true);
    expect(removesProtection({ ...OCO, state: "attention" }, "pause")).toBe(true);
    expect(removesProtection({ ...STOP, state: "paused" }, "cancel")).toBe(false);
    expect(removesProtection({ ...STOP, state: "paused" }, "resume")).toBe(false);
    expect(removesProtection(BUYS, "cancel")).toBe(false);
    expect(removesProtection(ALERT, "pause")).toBe(false);
  });
});

describe("the words of a plan", () => {
  const [en, ko] = [pageWords("en", "UTC"), pageWords("ko", "UTC")];
  const stamp = { environment: "sandbox", account: "paper", unit: "KRW", warnings: [] } as const;

  it("name it and its lines as traders do", () => {
    expect([planName(STOP, en), planName(STOP, ko)]).toEqual(["Stop on BTC/KRW", "BTC/KRW 손절"]);
    expect([levelName("take", OCO, en), levelName("take", OCO, ko)]).toEqual([
      "OCO Take-profit · active",
      "OCO 익절 · 진행 중",
    ]);
    expect(planName({ ...ALERT, symbol: null }, ko)).toBe("알림");
  });

  it("keep apart what was done, what was not, and what is not known", () => {
    const done = { ...stamp, outcome: "accepted", state: "paused", plan: STOP } as const;
    expect(planNote(done, en)).toMatchObject({ tone: "good", title: "Done. The plan: paused." });
    expect(planNote({ ...done, outcome: "not_sent" }, ko)).toMatchObject({
      ...{ tone: "warn", title: "바뀐 것이 없습니다. 예약 상태: 일시 정지." },
    });
    expect(planNote({ ...stamp, outcome: "unknown" }, en)).toMatchObject({ tone: "bad" });
    expect(isOfPlan({ ...stamp, outcome: "not_sent" })).toBe(true);
    expect(isOfPlan({ ...stamp, outcome: "not_sent", state: "denied" })).toBe(false);
  });
});
