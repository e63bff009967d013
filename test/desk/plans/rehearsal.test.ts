import { describe, expect, it } from "vitest";
import type { Result } from "../../../src/contract/index.ts";
import type { PlanRequest, Rehearsal } from "../../../src/desk/model/plan-report.ts";
import { type PastCandle, rehearse } from "../../../src/desk/plans/terms/rehearsal.ts";
import { baseOf, drafted, FACTS, MARKET } from "./plan-facts.ts";

const START = Date.parse("2026-11-29T00:00:00Z");
const HOUR_MS = 3_600_000;

/** Millions: low and high of each hour. An hour that is left out has no trade. */
function candlesOf(...rows: readonly (readonly [low: number, high: number] | undefined)[]): PastCandle[] {
  return rows.flatMap((row, hour) => {
    if (row === undefined) return [];
    const [low, high] = row.map((at) => `${at}000000`.replace(/\.(\d)0/, "$1"));
    const time = new Date(START + hour * HOUR_MS).toISOString();
    return [
      { time, open: hour === 0 ? "100000000" : (high ?? ""), high: high ?? "", low: low ?? "", close: low ?? "" },
    ];
  });
}

function rehearsed(kind: string, changed: Partial<PlanRequest>, candles: readonly PastCandle[]): Result<Rehearsal> {
  const { terms } = drafted({ ...baseOf(kind), ...changed });
  return rehearse(terms, { market: MARKET, candles, intervalMs: HOUR_MS, rules: FACTS.policy.plans });
}

function told(kind: string, changed: Partial<PlanRequest>, candles: readonly PastCandle[]): string[] {
  const answer = rehearsed(kind, changed, candles);
  if (!answer.ok) return [`${answer.fault.code} ${answer.fault.message}`];
  return answer.value.acts.map(
    ({ atMs, leg, from, to, volume, value, isSure }) =>
      `${(atMs - START) / HOUR_MS} ${leg} ${volume} at ${from}-${to}: ${value}${isSure ? "" : "?"}`,
  );
}

const QUIET = [100, 101] as const;

describe("the rehearsal of a protection", () => {
  it("sells in the first candle that reaches its price, within the candle and its floor, the worst first", () => {
    expect(told("stop", {}, candlesOf(QUIET, [98, 99], [94, 96], [80, 90]))).toEqual([
      "2 stop 0.1 at 94000000-95000000: 9395300",
    ]);
    expect(told("stop", {}, candlesOf(QUIET, QUIET, [80, 96]))).toEqual(["2 stop 0.1 at 85500000-95000000: 8545725?"]);
    expect(told("stop", { limit_price: "94000000" }, candlesOf(QUIET, QUIET, [93, 96]))).toEqual([
      "2 stop 0.1 at 94000000-95000000: 9395300?",
    ]);
    expect(told("take_profit", {}, candlesOf(QUIET, [105, 106], [109, 112]))).toEqual([
      "2 take 0.1 at 110000000-112000000: 10994500",
    ]);
  });

  it("does nothing where the market never came there", () => {
    expect(told("stop", {}, candlesOf(QUIET, QUIET, [96, 97]))).toEqual([]);
    expect(told("take_profit", {}, candlesOf(QUIET, QUIET))).toEqual([]);
  });

  it("follows the high of the candles before", () => {
    const rising = candlesOf(QUIET, [101, 104], [107, 108], [110, 111], [106, 107], [104, 105]);
    expect(told("trailing_stop", { trail: "5%" }, rising)).toEqual(["5 stop 0.1 at 104000000-105000000: 10394800"]);
  });

  it("does of two prices what came first", () => {
    expect(told("oco", {}, candlesOf(QUIET, QUIET, QUIET, [94, 96], [109, 112]))).toEqual([
      "3 stop 0.1 at 94000000-95000000: 9395300",
    ]);
    expect(told("oco", {}, candlesOf(QUIET, QUIET, QUIET, [109, 111], [94, 96]))).toEqual([
      "3 take 0.1 at 110000000-111000000: 10994500",
    ]);
  });

  it("is refused where candles do not tell, with both figures", () => {
    const wild = candlesOf([98, 101], [97, 99], [94, 96]);
    expect(told("stop", {}, wild)).toEqual([
      "ELocal:Cannot rehearse The trigger is ₩5,000,000 from the first price, and a candle of that period moved ₩2,000,000 in half of the cases: under three times that, ₩6,000,000, candles do not tell what would have happened. Nothing was recorded.",
    ]);
    expect(told("trailing_stop", { trail: "5%" }, wild)[0]).toContain("Cannot rehearse");
    expect(told("oco", { stop_price: "91000000", take_price: "105000000" }, wild)[0]).toContain("Cannot rehearse");
    expect(told("stop", { stop_price: "94000000" }, wild)).toHaveLength(1);
  });

  it("is refused where one candle has both of its ends", () => {
    expect(told("oco", {}, candlesOf(QUIET, QUIET, [94, 112]))[0]).toContain("at both prices");
    expect(told("trailing_stop", {}, candlesOf(QUIET, QUIET, [100, 108]))[0]).toContain(
      "rose and fell by more than the trail",
    );
  });

  it("is refused without candles, and of what trades never", () => {
    expect(told("stop", {}, [])[0]).toContain("There are no candles");
    expect(told("alert", {}, candlesOf(QUIET))[0]).toContain("An alert trades never");
  });
});

describe("the rehearsal of what goes by the clock", () => {
  const hours = candlesOf([100, 101], undefined, [98, 102], [90, 95]);

  it("buys at the highest price of the candle of each turn and sells at the lowest, fee in", () => {
    // 11:00 in Korea is two hours on.
    expect(told("recurring", { schedule: "daily 11:00" }, hours)).toEqual([
      "2 turn 0.00049019 at 102000000-98000000: 50024.37969",
    ]);
    const sells = { side: "sell", quote_amount: undefined, base_volume: "0.1", schedule: "daily 11:30" };
    expect(told("recurring", sells, hours)).toEqual(["2 turn 0.1 at 98000000-102000000: 9795100"]);
  });

  it("keeps to a limit, and says where the candle leaves it open", () => {
    const limited = (limit_price: string) => told("recurring", { schedule: "daily 11:00", limit_price }, hours);
    expect(limited("102000000")).toHaveLength(1);
    expect(limited("99000000")[0]).toMatch(/ at 99000000-98000000: .*\?$/);
    expect(limited("97999000")).toEqual([]);
  });

  it("counts what has no candle, or was beyond its limit", () => {
    const answer = rehearsed("slices", { duration: "4h", slices: 4, limit_price: "99000000" }, hours);
    expect(answer.ok && answer.value).toMatchObject({ without: 2, fromMs: START, toMs: START + 4 * HOUR_MS });
    expect(answer.ok && answer.value.acts.map(({ leg }) => leg)).toEqual(["slice", "slice"]);
  });

  it("adds up what it spent", () => {
    const answer = rehearsed("slices", { duration: "4h", slices: 4 }, hours);
    expect(answer.ok && answer.value.value).toBe("750373.349175");
  });
});
