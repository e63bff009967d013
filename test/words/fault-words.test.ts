import { describe, expect, it } from "vitest";
import { FAULT_CODES, LOCAL_FAULTS } from "../../src/contract/index.ts";
import { historyText } from "../../src/desk/index.ts";
import { FAULT_WORDS } from "../../src/words/fault-words.ts";
import { koreanFault } from "../../src/words/index.ts";

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

  it("says where there is no PIN to approve with that one has to be set", () => {
    const message = "No PIN is set, and where money may be real nothing that needs a person is taken without one.";
    const { meaning, nextAction } = koreanFault("ELocal:Not approved", message);
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
