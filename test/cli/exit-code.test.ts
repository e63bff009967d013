import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/cli/failure.ts";

describe("the exit code of a write that was not sent", () => {
  it.each([
    "ELocal:Not started",
    "ELocal:Twin unresolved",
    "ELocal:Withdrawn",
    "ELocal:Policy unreadable",
    "ELocal:Store unavailable",
    "ELocal:Store damaged",
    "EAPI:Rate limit exceeded",
  ])("is 1 where nobody decided against it (%s)", (code) => {
    expect(exitCodeOf("not_sent", "denied", code)).toBe(1);
  });

  it.each(["ELocal:Denied by policy", "ELocal:Trading halted", "ELocal:Not approved", "EOrder:Tick size check failed"])(
    "is 3 where hoga or a person did (%s)",
    (code) => {
      expect(exitCodeOf("not_sent", "denied", code)).toBe(3);
    },
  );
});
