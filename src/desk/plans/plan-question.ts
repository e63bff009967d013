/**
 * What a person is asked about a plan, and what comes of a yes: its mandate and its steps.
 *
 * Invariants: the digest covers all that the person is shown and decides on; a mandate has the bounds that were shown, and no others.
 *
 * Source: decision 0110.
 */
import { canonicalDigest, defined } from "../../contract/index.ts";
import { shownPlanSettings } from "../../policy/index.ts";
import type { DeskContext } from "../core/context.ts";
import {
  isAfterBuy,
  isProtection,
  type Mandate,
  type PlanAsked,
  type PlanProgress,
  type PlanRecord,
  type PlanShown,
  type PlanTerms,
  type RebalanceTerms,
} from "../model/plan.ts";
import type { PlanAction, PlanRequest } from "../model/plan-report.ts";
import type { ApprovalWay, PasskeyAssertion } from "../model/submission.ts";
import type { NewStep } from "../ports/plan-book.ts";
import type { PlanSurvey } from "./plan-survey.ts";
import { trails } from "./terms/protection-levels.ts";
import { boundsOfTerms, planDigest, type WorstCase, worstCase } from "./terms/worst-case.ts";

/** Terms with what they are judged by. */
export interface Judged {
  readonly terms: PlanTerms;
  readonly untilMs: number;
  readonly survey: PlanSurvey;
}

/** @returns undefined where no price of the market is known */
export function worstOf({ terms, untilMs, survey }: Judged): WorstCase | undefined {
  const { market, quotes, policy, nowMs, basket } = survey;
  return worstCase(terms, { market, quotes, basket, unit: policy.unit, rules: policy.plans, fromMs: nowMs, untilMs });
}

/** @returns undefined of an alert, which trades never, and where no price of the market is known */
export function shownOf(
  { parts: { venue } }: DeskContext,
  { terms, untilMs, survey }: Judged,
  worst: WorstCase,
  warnings: readonly string[],
): PlanShown | undefined {
  const { account, market, quotes, policy, nowMs } = survey;
  const { unit, plans: rules } = policy;
  const facts = { account, environment: venue.environment, market, quotes, unit, rules, fromMs: nowMs, untilMs };
  const bounds = boundsOfTerms(terms, worst, facts);
  if (bounds === undefined) return undefined;
  const { atLeast } = worst;
  const slippage = shownPlanSettings(policy)["protective_slippage_pct"];
  return {
    ...{ bounds, worstValue: worst.value.toString(), unit, warnings },
    priceSeen: { bid: quotes.bid?.toString() ?? null, ask: quotes.ask?.toString() ?? null },
    ...(atLeast && { atLeast: { price: atLeast.price.toString(), value: atLeast.value } }),
    ...(isProtection(terms) && { slippagePct: String(slippage) }),
  };
}

/** Whom a question is for, and why. */
interface Asking {
  readonly why: string;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  readonly askedIn?: string | undefined;
}

/** Asks whether a plan may begin. */
export function startQuestion(
  plan: Pick<PlanRecord, "planId" | "terms" | "replaces">,
  shown: PlanShown,
  { why, askedAtMs, expiresAtMs, askedIn }: Asking,
): PlanAsked {
  const asked = { action: "start", shown, askedAtMs, expiresAtMs } as const;
  const digest = digestOf(plan, asked);
  return { ...asked, why, digest, ...defined({ askedIn }) };
}

/** Asks whether a plan may be changed. */
export function changeQuestion(
  plan: Pick<PlanRecord, "planId" | "terms" | "replaces" | "mandate">,
  action: PlanAction,
  { why, askedAtMs, expiresAtMs, askedIn }: Asking,
): PlanAsked {
  const asked = { action, askedAtMs, expiresAtMs };
  return { ...asked, why, digest: digestOf(plan, asked), ...defined({ askedIn }) };
}

type Digested = Pick<PlanAsked, "action" | "askedAtMs" | "expiresAtMs" | "shown">;

/** What the digest of a question has to be: SHA-256, hex. */
export function digestOf(
  {
    planId,
    terms,
    replaces,
    mandate = null,
  }: Pick<PlanRecord, "planId" | "terms" | "replaces"> & { readonly mandate?: Mandate | null },
  { action, shown, askedAtMs, expiresAtMs }: Digested,
): string {
  if (action === "start" && shown !== undefined) {
    const { bounds, priceSeen, worstValue, unit, slippagePct, warnings } = shown;
    const read = { bounds, priceSeen, worstValue, unit, warnings, ...defined({ slippagePct }) };
    return planDigest({ planId, terms, replaces, askedAtMs, expiresAtMs, ...read });
  }
  return canonicalDigest({ planId, action, terms, mandate: mandate?.digest ?? null, askedAtMs, expiresAtMs });
}

/** What of a call is not of the plan. */
const ASIDE = ["preview", "rehearse"];

/** The arguments as they were given: the call that brings an answer repeats them. SHA-256, hex. */
export function requestDigest(request: PlanRequest): string {
  const given = Object.entries(request).filter(([name, value]) => value !== undefined && !ASIDE.includes(name));
  return canonicalDigest(Object.fromEntries(given));
}

/** What a yes makes of what was shown. */
export function mandateOf(
  { bounds, worstValue, unit, atLeast, slippagePct }: PlanShown,
  given: Pick<Mandate, "by" | "digest" | "approvedAtMs"> & {
    readonly way?: ApprovalWay;
    readonly assertion?: PasskeyAssertion | undefined;
  },
): Mandate {
  const { assertion, ...yes } = given;
  return {
    ...yes,
    ...(assertion && { assertion: JSON.stringify(assertion) }),
    ...{ bounds, shown: { worstValue, unit, ...defined({ atLeast }) }, ...defined({ slippagePct }) },
  };
}

/** All steps that are known, reckoned from the moment that the worst case is of. */
export function stepsOf(terms: PlanTerms, { steps }: WorstCase, { policy }: PlanSurvey): readonly NewStep[] {
  if (terms.kind === "rebalance") return basketSteps(terms, steps, policy.unit);
  if (terms.kind !== "recurring" && terms.kind !== "slices") return [];
  const { symbol, side } = terms;
  return steps.map(({ step, label, dueAtMs, size, worstValue }) => ({
    ...{ step, symbol, side, dueAtMs, worstValue: worstValue.toString(), unit: policy.unit },
    ...defined({ label }),
    ...("volume" in terms.size && { volume: size }),
  }));
}

function basketSteps(
  { orders }: RebalanceTerms,
  steps: WorstCase["steps"],
  unit: PlanSurvey["policy"]["unit"],
): readonly NewStep[] {
  return orders.flatMap(({ symbol, side, size }, index) => {
    const of = steps[index];
    if (of === undefined) return [];
    const { step, label, dueAtMs, worstValue } = of;
    const planned = { step, symbol, side, dueAtMs, worstValue: worstValue.toString(), unit, ...defined({ label }) };
    return [{ ...planned, ...("volume" in size && { volume: size.volume }) }];
  });
}

/** How a plan stands when it begins: a trailing stop follows the market from there, but for one that a buy is to begin. */
export function firstProgress(terms: PlanTerms, { quotes: { bid } }: Pick<PlanSurvey, "quotes">): PlanProgress {
  return isProtection(terms) && trails(terms) && !isAfterBuy(terms) && bid !== undefined
    ? { high: bid.toString() }
    : {};
}
