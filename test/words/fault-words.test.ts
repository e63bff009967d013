import { describe, expect, it } from "vitest";
import { FAULT_CODES, LOCAL_FAULTS } from "../../src/contract/index.ts";
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

  it("is a general one for a code of tomorrow", () => {
    expect(koreanFault("EOrder:Of tomorrow").meaning).toMatch(/목록에 없는 코드/);
  });
});
