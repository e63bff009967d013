/**
 * Whether an order is allowed: one pure function for every path, called when the order is about to be sent.
 * Entry points: `decide`, and `defaultPolicy` for what a file leaves open.
 *
 * Invariants: the first rule that denies decides, in the order of `RULES`; an approval lifts no rule, it only answers the question
 * that comes after all of them; what is not known is never taken for allowed.
 *
 * Source: architecture.md#rule-3; policy.md#precedence.
 */
import { notional, rate } from "../../decimal/index.ts";
import { orderValue, quotesOf } from "../market/order-value.ts";
import type { Environment } from "../model/intent.ts";
import { type Policy, type PolicyQuestion, RULES, type Verdict } from "../model/policy.ts";
import { CHECKS, type PolicyCase } from "./policy-rules.ts";

export { orderValue } from "../market/order-value.ts";
export {
  type Denial,
  type JudgedBook,
  type Policy,
  type PolicyQuestion,
  RULES,
  type Rule,
  type Verdict,
} from "../model/policy.ts";

const DEFAULTS: Policy = {
  mode: "confirm",
  markets: ["*"],
  orderTypes: ["limit", "market"],
  timesInForce: ["GTC", "IOC", "FOK"],
  maxOrderKrw: notional("1000000"),
  maxDayKrw: notional("5000000"),
  maxOpenOrders: 50,
  maxOpenKrw: notional("10000000"),
  maxOrdersPerMinute: 20,
  priceCollar: rate("0.05"),
  maxSlippage: rate("0.01"),
  approvalOverKrw: notional("0"),
  approvalTtlMs: 300_000,
  approvalDrift: rate("0.005"),
  // A program that answers its client's forms by itself could approve there.
  approveBy: ["pin"],
  bookMaxAgeMs: 3000,
};

/**
 * The cautious policy, with what a person has set in place of it. On the sandbox no order within the limits needs a person,
 * unless a person says so.
 */
export function defaultPolicy(environment: Environment, given: Partial<Policy> = {}): Policy {
  if (environment === "live") return { ...DEFAULTS, ...given };
  const maxOrderKrw = given.maxOrderKrw ?? DEFAULTS.maxOrderKrw;
  return { ...DEFAULTS, mode: "bounded", approvalOverKrw: maxOrderKrw, approveBy: ["client", "pin"], ...given };
}

/** Decides by the policy. Nothing is counted or kept: the caller reserves the budget of an allowed order. */
export function decide(policy: Policy, question: PolicyQuestion): Verdict {
  const { market, order, book } = question;
  const at: PolicyCase = { ...question, policy, value: orderValue(market, order, book), quotes: quotesOf(book) };
  for (const rule of RULES) {
    const finding = CHECKS[rule](at);
    if (finding !== undefined) return { kind: "deny", denial: { rule, ...finding } };
  }
  const why = question.approved ? undefined : reasonToAsk(at);
  return why === undefined ? { kind: "allow" } : { kind: "ask", why };
}

function reasonToAsk({ policy: { mode, approvalOverKrw: limit }, value }: PolicyCase): string | undefined {
  switch (mode) {
    case "bounded":
      if (value?.lte(limit) === true) return undefined;
      return `the order counts for ${value?.toString() ?? "more"} KRW, more than approval_over_krw ${limit.toString()}`;
    case "confirm":
    case "read-only":
      return `mode is ${mode}: a person approves every order`;
    default:
      return mode satisfies never;
  }
}
