import { describe, expect, it } from "vitest";
import { from, periodOf } from "../../src/mcp/tool/period.ts";

const SEOUL = { timeZone: "Asia/Seoul" };
const ms = (iso: string): number => Date.parse(iso);

describe("a period", () => {
  it("takes whole days of the desk's time zone, the last one included", () => {
    expect(periodOf({ from: "2026-07-20", to: "2026-07-20" }, SEOUL)).toEqual({
      fromMs: ms("2026-07-19T15:00:00Z"),
      toMs: ms("2026-07-20T14:59:59.999Z"),
    });
    expect(periodOf({ from: "2026-02", to: "2026" }, SEOUL)).toEqual({
      fromMs: ms("2026-01-31T15:00:00Z"),
      toMs: ms("2026-12-31T14:59:59.999Z"),
    });
  });

  it("begins where the day does, also where the clocks leave out midnight", () => {
    expect(periodOf({ from: "2026-09-06" }, { timeZone: "America/Santiago" })).toEqual({
      fromMs: ms("2026-09-06T04:00:00Z"),
    });
  });

  it("takes times with their offset, and without one by the clock there", () => {
    expect(periodOf({ from: "2026-07-20T09:00:00+02:00", to: "2026-07-20T09:00" }, SEOUL)).toEqual({
      fromMs: ms("2026-07-20T07:00:00Z"),
      toMs: ms("2026-07-20T00:00:00Z"),
    });
  });

  it("may be open on either side", () => {
    expect(periodOf({}, SEOUL)).toEqual({});
    expect(periodOf({ to: "2026-07-20T00:00:00.500Z" }, SEOUL)).toEqual({ toMs: ms("2026-07-20T00:00:00.500Z") });
  });

  it.each(["", "yesterday", "2026-7-20", "2026-02-30", "1784538000000", "2026-07-20 09:00Z", "2026-13-01T00:00Z"])(
    "is not %j",
    (text) => {
      const parsed = from.safeParse(text);
      expect(parsed.success).toBe(false);
      expect(parsed.error?.issues[0]?.message).toContain("a day 2026-03-31");
    },
  );
});
