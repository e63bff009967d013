import { describe, expect, it } from "vitest";
import type { CreateOrderBody } from "../../../src/contract/index.ts";
import { inUnit, quantity } from "../../../src/decimal/index.ts";
import { type Denial, decide, type Policy, type PolicyQuestion } from "../../../src/desk/risk/policy-decision.ts";
import { LIMIT_BUY, POLICY, QUESTION } from "./policy-question.ts";

const ALLOWED = { kind: "allow" };

function judged(policy: Partial<Policy>, question: Partial<PolicyQuestion> = {}) {
  return decide({ ...POLICY, ...policy }, { ...QUESTION, ...question });
}

function denial(policy: Partial<Policy>, question: Partial<PolicyQuestion> = {}): Denial {
  const verdict = judged(policy, question);
  if (verdict.kind !== "deny") throw new Error(`nothing was denied: ${JSON.stringify(verdict)}`);
  return verdict.denial;
}

describe("the loss of the day", () => {
  const limited = (dayLossAction: Policy["dayLossAction"] = "reduce_only") =>
    ({ maxDayLoss: inUnit("1000"), dayLossAction }) as const;
  const lost = (sum: string) => ({ dayLoss: inUnit(sum) });
  const sell: CreateOrderBody = { ...LIMIT_BUY, side: "sell" };
  const holding = { order: sell, held: quantity("0.005") };

  it("denies from its limit on, and when it is not known", () => {
    expect(judged(limited(), lost("999"))).toEqual(ALLOWED);
    expect(denial(limited(), lost("1000"))).toEqual({
      rule: "day_loss",
      figure: "1000",
      limit: "1000",
      message:
        "₩1,000 were lost today, fees and what is held included, and max_day_loss_krw is ₩1,000: until the day is over only sells of what is held pass, or a person raises the limit in policy.toml",
    });
    expect(denial(limited())).toMatchObject({ rule: "day_loss", figure: "unknown" });
    expect(judged({}, lost("999999999"))).toEqual(ALLOWED);
  });

  it("lets a sell of what is held pass, and no larger one", () => {
    expect(judged(limited(), { ...lost("1000"), ...holding })).toEqual(ALLOWED);
    expect(judged(limited(), holding)).toEqual(ALLOWED);
    const larger = { ...lost("1000"), ...holding, held: quantity("0.004") };
    expect(denial(limited(), larger).rule).toBe("day_loss");
    expect(denial(limited(), { ...lost("1000"), order: sell }).rule).toBe("day_loss");
  });

  it("lets nothing pass where trading is to be halted", () => {
    expect(judged(limited("halt"), lost("999"))).toEqual(ALLOWED);
    const { message } = denial(limited("halt"), { ...lost("1000"), ...holding });
    expect(message).toContain("trading is halted, and a person lifts that");
  });

  it("is not lifted by a person's yes", () => {
    expect(denial(limited(), { ...lost("1000"), approved: true }).rule).toBe("day_loss");
  });
});
