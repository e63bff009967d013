import { expect, it } from "vitest";
import type { PlanTerms } from "../../src/desk/model/plan.ts";
import type { Rehearsal } from "../../src/desk/model/plan-report.ts";
import { rehearsalWords } from "../../src/words/plans/rehearsal-words.ts";
import { wordsFor } from "../../src/words/words.ts";

const EN = wordsFor();
const KO = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });
const [FROM, TO] = [Date.parse("2026-11-27T00:00:00Z"), Date.parse("2026-11-28T00:00:00Z")];
const STOP: PlanTerms = { kind: "stop", symbol: "BTC/KRW", volume: "0.1", stopPrice: "95000000" };
const BUYS: PlanTerms = {
  ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "1200000" } },
  ...{ count: 12, durationMs: 7_200_000, limitPrice: "100000000" },
};
const PERIOD = { fromMs: FROM, toMs: TO };
const act = (atMs: number): Rehearsal["acts"][number] => ({
  ...{ atMs, leg: "slice", from: "100000000", to: "99000000", volume: "0.001", value: "100050", isSure: true },
});

it("a rehearsal says first that prices are past, then what would have come of them, and last what candles do not know", () => {
  const sold = { atMs: FROM, leg: "stop", from: "94000000", to: "95000000", volume: "0.1", value: "9395300" } as const;
  const rehearsal = { ...PERIOD, acts: [{ ...sold, isSure: false }], without: 0, value: "9395300" };
  const said = [EN, KO].map((words) => rehearsalWords(STOP, rehearsal, words));
  expect(said).toEqual([
    [
      "Past prices of BTC/KRW, from 2026-11-27 00:00:00 UTC to 2026-11-28 00:00:00 UTC: never a forecast.",
      "At 2026-11-27 00:00:00 UTC the stop would have sold 0.1 BTC, at ₩94,000,000 at worst and ₩95,000,000 at best: ₩9,395,300 at worst, after the fee. Perhaps not all of it, or none: the price may have jumped over the floor.",
      "Candles do not know in which order the prices of one came, what others would have bought or sold then, or whether a price stood for two seconds.",
    ],
    [
      "BTC/KRW의 과거 시세(2026-11-27 09:00:00 UTC+9부터 2026-11-28 09:00:00 UTC+9까지)에 적용해 본 결과이며, 예측이 아닙니다.",
      "2026-11-27 09:00:00 UTC+9: 손절로 0.1 BTC 매도, 체결가는 최악 ₩94,000,000 (9,400만원), 최선 ₩95,000,000 (9,500만원). 최악의 경우 수수료 차감 후 ₩9,395,300 (939만 5,300원). 시세가 하한을 건너뛰어 일부만 팔렸거나 하나도 팔리지 않았을 수 있습니다.",
      "캔들만으로는 한 캔들 안에서 시세가 움직인 순서, 그때 호가에 쌓인 물량, 시세가 2초간 유지됐는지는 알 수 없습니다.",
    ],
  ]);
});

it("a rehearsal of many acts says the first ones, how many more there are, and the sum", () => {
  const acts = Array.from({ length: 12 }, (_, index) => act(FROM + index * 60_000));
  const said = rehearsalWords(BUYS, { ...PERIOD, acts, without: 2, value: "1200600" }, EN);
  expect(said).toHaveLength(15);
  expect(said[1]).toContain("it would have bought 0.001 BTC, at ₩100,000,000 at worst and ₩99,000,000 at best");
  expect(said.slice(11, 14)).toEqual([
    "And 2 times more.",
    "In all, 12 times: ₩1,200,600 spent, fees in.",
    "2 times nothing: there was no trade, or the price lay beyond the limit.",
  ]);
});

it("a rehearsal in which nothing came about says so", () => {
  const said = rehearsalWords(STOP, { ...PERIOD, acts: [], without: 0, value: "0" }, EN);
  expect(said[1]).toBe("The plan would have done nothing.");
  expect(rehearsalWords({ kind: "alert", event: "fill" }, { ...PERIOD, acts: [], without: 0, value: "0" }, EN)).toEqual(
    [],
  );
});
