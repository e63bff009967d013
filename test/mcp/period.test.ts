import { describe, expect, it } from "vitest";
import { from, periodOf } from "../../src/mcp/period.ts";

const DAY = Date.UTC(2026, 6, 20);

describe("a period", () => {
  it("takes whole UTC days, the last one included", () => {
    expect(periodOf({ from: "2026-07-20", to: "2026-07-20" })).toEqual({ fromMs: DAY, toMs: DAY + 86_399_999 });
  });

  it("takes times with their offset", () => {
    expect(periodOf({ from: "2026-07-20T09:00:00+09:00", to: "2026-07-20T00:00Z" })).toEqual({
      fromMs: DAY,
      toMs: DAY,
    });
  });

  it("may be open on either side", () => {
    expect(periodOf({})).toEqual({});
    expect(periodOf({ to: "2026-07-20T00:00:00.500Z" })).toEqual({ toMs: DAY + 500 });
  });

  it.each([
    "",
    "yesterday",
    "2026-7-20",
    "2026-02-30",
    "2026-07-20T09:00:00",
    "1784538000000",
    "2026-07-20 09:00Z",
    "2026-13-01T00:00Z",
  ])("is not %j", (text) => {
    const parsed = from.safeParse(text);
    expect(parsed.success).toBe(false);
    expect(parsed.error?.issues[0]?.message).toContain('"2026-07-20T09:00:00+09:00"');
  });
});
