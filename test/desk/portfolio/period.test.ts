import { describe, expect, it } from "vitest";
import { spanOf } from "../../../src/desk/portfolio/period.ts";

const at = (iso: string): number => Date.parse(iso);
const iso = (ms: number): string => new Date(ms).toISOString();

describe("a period", () => {
  const nowMs = at("2026-07-20T10:00:00.000Z");
  const from = (period: "today" | "7d" | "30d" | "year" | "all") => {
    const span = spanOf({ period }, nowMs, "Asia/Seoul");
    return span.ok && span.value.toMs === nowMs ? iso(span.value.fromMs) : undefined;
  };

  it("is the local day or year, hours counted back, or everything", () => {
    expect([from("today"), from("year")]).toEqual(["2026-07-19T15:00:00.000Z", "2025-12-31T15:00:00.000Z"]);
    expect([from("7d"), from("30d")]).toEqual(["2026-07-13T10:00:00.000Z", "2026-06-20T10:00:00.000Z"]);
    expect(from("all")).toBe("1970-01-01T00:00:00.000Z");
  });

  it("is what is given, and ends now at the latest", () => {
    expect(spanOf({ fromMs: 5 }, 10, undefined)).toEqual({ ok: true, value: { fromMs: 5, toMs: 10 } });
    expect(spanOf({ toMs: 20 }, 10, undefined)).toEqual({ ok: true, value: { fromMs: 0, toMs: 10 } });
    expect(spanOf({ fromMs: 11 }, 10, undefined)).toMatchObject({ ok: false, fault: { code: "ELocal:Invalid input" } });
  });
});
