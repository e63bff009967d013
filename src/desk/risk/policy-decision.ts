/**
 * Decides whether an order is allowed: one pure function for every path, called when the order is about to be sent.
 * Entry points: `decide`, and `defaultPolicy` for what a file leaves open.
 *
 * Invariants: the first rule that denies decides, in the order of `RULES`; an approval lifts no rule but a limit that the person was told the sell
 * of what is held goes over, it only answers the question that comes after all of them; what is not known is never taken for allowed.
 *
 * Source: architecture.md#rule-3; policy.md#precedence; decision 0007; decision 0023.
 */
import { DEFAULT_UNIT, type Unit } from "../../contract/index.ts";
import { formatAmount, inUnit } from "../../decimal/index.ts";
import { defaultsIn, type SumName, settingName } from "../../policy/index.ts";
import { type MarketCase, type PolicyCase, policyCase } from "../market/judged-market.ts";
import type { MoneyLimit } from "../model/account-usage.ts";
import { type GivenSettings, type Policy, type PolicyQuestion, RULES, type Verdict } from "../model/policy.ts";
import type { Environment } from "../model/submission.ts";
import { isMoneyLimit, sellsWhatIsHeld } from "./held-sell.ts";
import { liftedRules, tooFewFree } from "./plan-rules.ts";
import { CHECKS, type Finding, spreadQuestion } from "./policy-rules.ts";

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

/**
 * The cautious policy, with what a person has set in place of it. On the sandbox no order within the limits needs a person,
 * unless a person says so.
 */
export function defaultPolicy(environment: Environment, given: GivenSettings = {}, unit: Unit = DEFAULT_UNIT): Policy {
  const defaults = defaultsIn(unit);
  if (environment === "live") return { ...defaults, ...given, plans: { ...defaults.plans, ...given.plans } };
  const maxOrder = given.maxOrder ?? defaults.maxOrder;
  return {
    ...defaults,
    mode: "bounded",
    approvalOver: maxOrder,
    approveBy: ["client", "passkey", "pin"],
    ...given,
    plans: { ...defaults.plans, approve: "bounded", stopRemoval: "allow", ...given.plans },
  };
}

/** A limit that the order goes over, which a person may let it. */
interface Excess {
  readonly limit: MoneyLimit;
  readonly finding: Finding;
}

/**
 * Decides by the policy. Nothing is counted or kept: the caller reserves the budget of an allowed order.
 * @param seen of this very question, where it is known already
 */
export function decide(policy: Policy, question: PolicyQuestion, seen?: MarketCase): Verdict {
  const at = policyCase(policy, question, seen);
  const excess: Excess[] = [];
  const lifted = liftedRules(at);
  for (const rule of RULES) {
    if (lifted.has(rule)) continue;
    const finding = CHECKS[rule](at);
    if (finding === undefined) continue;
    if (!isMoneyLimit(rule) || !isPersonsMatter(at, rule))
      return { kind: "deny", denial: tooFewFree(at, rule) ?? { ...finding, rule } };
    excess.push({ limit: rule, finding });
  }
  const whys = question.approved ? [] : reasonsToAsk(at, excess);
  if (whys.length === 0) return { kind: "allow" };
  return { kind: "ask", why: whys.join("; "), over: excess.map(({ limit }) => limit) };
}

/** A yes covers the limits that were named in its question, and no other. */
function isPersonsMatter(at: PolicyCase, limit: MoneyLimit): boolean {
  if (at.policy.overLimitSells !== "approve" || !sellsWhatIsHeld(at)) return false;
  return !at.approved || at.approvedOver?.includes(limit) === true;
}

function reasonsToAsk(at: PolicyCase, excess: readonly Excess[]): readonly string[] {
  return [modeQuestion(at), spreadQuestion(at), excessQuestion(at, excess)].filter((why) => why !== undefined);
}

function modeQuestion({ policy: { mode, approvalOver: limit, unit }, value }: PolicyCase): string | undefined {
  switch (mode) {
    case "bounded":
      if (value?.lte(limit) === true) return undefined;
      return `the order counts for ${value === undefined ? "more" : formatAmount(value, unit)}, more than ${settingName("approval_over", unit)} ${formatAmount(limit, unit)}`;
    case "confirm":
    case "read-only":
      return `mode is ${mode}: a person approves every order`;
    default:
      return mode satisfies never;
  }
}

const SETTINGS = {
  order_size: "max_order",
  open_exposure: "max_open",
  day_budget: "max_day",
} as const satisfies Record<MoneyLimit, SumName>;

function excessQuestion({ policy: { unit } }: PolicyCase, excess: readonly Excess[]): string | undefined {
  if (excess.length === 0) return undefined;
  const named = excess.map(
    ({ limit, finding }) =>
      `${settingName(SETTINGS[limit], unit)} (${[finding.figure, finding.limit].map((sum) => formatAmount(inUnit(sum), unit)).join(" of ")})`,
  );
  return `it sells what is held and goes over ${named.join(" and ")}`;
}
