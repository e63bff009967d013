import { describe, expect, it } from "vitest";
import { wordsFor } from "../../src/words/index.ts";

const by = (timeZone: string) => wordsFor({ locale: "ko", timeZone });

describe("a time", () => {
  it.each([
    ["Asia/Seoul", "2026-07-20T15:30:00.000Z", "2026-07-21 00:30:00 UTC+9"],
    ["UTC", "2026-07-20T15:30:00.999Z", "2026-07-20 15:30:00 UTC"],
    ["Asia/Kolkata", "2026-12-31T23:59:59Z", "2027-01-01 05:29:59 UTC+5:30"],
    ["America/New_York", "2026-07-20T03:00:00Z", "2026-07-19 23:00:00 UTC-4"],
    ["America/New_York", "2026-12-20T03:00:00Z", "2026-12-19 22:00:00 UTC-5"],
  ])("is shown by the clock of %s", (timeZone, time, shown) => {
    expect(by(timeZone).when(time)).toBe(shown);
    expect(by(timeZone).when(Date.parse(time))).toBe(shown);
  });

  it("stands by the reader's clock in what the desk tells too, in either language", () => {
    const told =
      "The same was asked for at 2026-11-21T14:32:33.000Z: this is that plan, and no second one was made. With another note it is a plan of its own.";
    for (const locale of ["en", "ko"] as const) {
      const said = wordsFor({ locale, timeZone: "Asia/Seoul" }).told(told);
      expect(said).toContain("2026-11-21 23:32:33 UTC+9");
      expect(said).not.toContain("Z");
    }
  });

  it("is left as it is where it is none", () => {
    expect(by("Asia/Seoul").when("soon")).toBe("soon");
  });
});
