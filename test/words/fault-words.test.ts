import { describe, expect, it } from "vitest";
import { FAULT_CODES, LOCAL_FAULTS } from "../../src/contract/index.ts";
import { historyText } from "../../src/desk/index.ts";
import { FAULT_WORDS } from "../../src/words/fault-words.ts";
import { koreanFault, wordsInFull } from "../../src/words/index.ts";

const inFull = await wordsInFull({ locale: "ko", timeZone: "Asia/Seoul" });
const CODES = [...FAULT_CODES, ...Object.keys(LOCAL_FAULTS)];

describe("the Korean of a fault", () => {
  it("is there for every code of both tables, and for no other", () => {
    expect(Object.keys(FAULT_WORDS).sort()).toEqual(CODES.sort());
  });

  it.each(CODES)("says in Korean what happened and what to do: %s", (code) => {
    const { meaning, nextAction } = koreanFault(code);
    for (const text of [meaning, nextAction]) expect(text).toMatch(/[가-힣].*\.$/);
    expect(koreanFault(`${code}:price`)).toEqual(
      code.startsWith("ELocal:") ? koreanFault("E:none") : koreanFault(code),
    );
  });

  it("says of every code that nothing was sent where its English does", () => {
    const unsent = Object.entries(LOCAL_FAULTS).filter(([, { meaning }]) => meaning.includes("Nothing was sent"));
    const said = unsent.filter(([code]) => /보낸 것은 없습니다|보내지 않았습니다/.test(koreanFault(code).meaning));
    expect(said).toEqual(unsent);
  });

  it.each([
    [
      "The trigger is ₩5,000,000 from the first price, and a candle of that period moved ₩2,000,000 in half of the cases: under three times that, ₩6,000,000, candles do not tell what would have happened.",
      /₩5,000,000 \(500만원\) 차이인데.*₩2,000,000 .*₩6,000,000/,
      /더 먼 발동 가격/,
    ],
    [
      "A candle rose and fell by more than the trail, and candles do not tell which came first.",
      /먼저/,
      /더 먼 발동 가격/,
    ],
    [
      "In the candle of 2026-11-21T14:32:00.000Z the market was at both prices, and candles do not tell which came first.",
      /두 가격/,
      /더 먼 발동 가격/,
    ],
    [
      "BTC/KRW has no candles of the last 30d that have ended.",
      /^최근 30일 안에 끝난 BTC\/KRW 캔들이 없습니다/,
      /마켓/,
    ],
    ["An alert trades never: there is nothing to rehearse.", /알림/, /rehearse/],
    ["A plan that begins with a buy has no price of the past to begin at.", /매수 주문/, /rehearse/],
    ["A rebalance is of what is held and quoted now: past prices say nothing of it.", /리밸런싱/, /미리보기/],
  ])("says why there is no rehearsal, and speaks of figures where there are some: %s", (why, meaning, next) => {
    const said = inFull.korean("ELocal:Cannot rehearse", `${why} Nothing was recorded.`);
    expect(said.meaning).toMatch(meaning);
    expect(said.meaning).toMatch(/기록한 것은 없습니다\.$/);
    expect(said.meaning).not.toMatch(/\b(the|and|candle|nothing)\b/i);
    expect(said.nextAction).toMatch(next);
    expect(koreanFault("ELocal:Cannot rehearse").meaning).not.toContain("수치");
  });

  it("says where there is no PIN to approve with that one has to be set", () => {
    const message = "No PIN is set, and where money may be real nothing that needs a person is taken without one.";
    const { meaning, nextAction } = inFull.korean("ELocal:Not approved", message);
    expect([meaning, nextAction]).toEqual([
      expect.stringMatching(/^PIN이 없습니다\./),
      expect.stringContaining("hoga pin"),
    ]);
  });

  it("is a general one for a code of tomorrow", () => {
    expect(koreanFault("EOrder:Of tomorrow").meaning).toMatch(/목록에 없는 코드/);
  });

  it("has how far a reading is that a day's loss waits for, and what to do about it", () => {
    for (const reading of [
      { trades: 1_200, back_to: "2026-07-20T09:00:00.000Z" },
      { trades: 0, back_to: null },
    ]) {
      const message = `What was lost today is not known yet: ${historyText(reading).slice(0, -1)}, which goes on by itself. Nothing was sent.`;
      const { meaning, nextAction } = koreanFault("ELocal:Not checked", message);
      expect(meaning).toContain(`지금까지 ${reading.trades}건`);
      expect(meaning.includes("2026-07-20")).toBe(reading.back_to !== null);
      expect(nextAction).toContain("하루 손실 한도를 빼면");
    }
    expect(koreanFault("ELocal:Not checked", "The book is old.")).toEqual(koreanFault("ELocal:Not checked"));
  });
});
