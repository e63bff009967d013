import { describe, expect, it } from "vitest";
import { inUnit } from "../../../src/decimal/index.ts";
import type { DeskContext } from "../../../src/desk/core/context.ts";
import { limitView } from "../../../src/desk/risk/limits.ts";
import { defaultPolicy } from "../../../src/desk/risk/policy-decision.ts";
import { clockFault, standstillReasons } from "../../../src/desk/risk/standstill.ts";

const policy = defaultPolicy("sandbox");
const free = limitView({ rule: "day_budget", line: "" }, inUnit("100"), inUnit("99"));

describe("what lets no order leave", () => {
  it("is nothing while orders may pass", () => {
    expect(standstillReasons({ policy, halt: undefined, limits: [free] })).toEqual([]);
  });

  it.each([
    ["a halt", { halt: { reason: "enough", by: "test", atMs: 0 } }, /^Trading was halted at .* by "test"/],
    ["a policy that lets only look", { policy: { ...policy, mode: "read-only" as const } }, /^Mode is read-only/],
    [
      "a budget that is used up until a time",
      { limits: [free, limitView({ rule: "orders_per_minute", line: "" }, inUnit("20"), inUnit("21"), 60_000)] },
      /^orders_per_minute is used up, of 20: more comes free at 1970-01-01T00:01:00/,
    ],
    [
      "a budget that open orders use up",
      { limits: [limitView({ rule: "open_orders", line: "" }, inUnit("3"), inUnit("3"))] },
      /^open_orders is used up, of 3: more comes free as open orders end/,
    ],
  ])("is %s", (_, given, reason) => {
    const found = standstillReasons({ policy, halt: undefined, limits: [], ...given });
    expect(found).toEqual([expect.stringMatching(reason)]);
  });

  it("is not a loss of the day, with which what is held can be sold", () => {
    const limits = [limitView({ rule: "day_loss", line: "" }, inUnit("5"), inUnit("6"))];
    expect(standstillReasons({ policy, halt: undefined, limits })).toEqual([]);
  });

  it.each([
    [5_000, undefined],
    [-5_000, undefined],
    [undefined, undefined],
    [5_001, /5001 ms behind the exchange's/],
    [-60_000, /60000 ms ahead of the exchange's/],
  ])("is a clock that is off by more than five seconds: %s", (offsetMs, message) => {
    const parts = { venue: { clockOffsetMs: () => offsetMs } } as DeskContext["parts"];
    const fault = clockFault({ isPractice: false, parts });
    expect(clockFault({ isPractice: true, parts })).toBeUndefined();
    if (message === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatchObject({ message: expect.stringMatching(message), reachedVenue: "no" });
  });
});
