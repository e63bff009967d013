/**
 * What the policy asks of an order of a plan besides, and which rules the mandate of a protection answers.
 *
 * Invariants: a mandate answers whether a person agrees, and lifts no limit, but for the sell of a protection: those that it names, the rules of prices, for
 * which `protective` stands, and the rules of counts, as other orders must not use up its way out.
 *
 * Source: decision 0106; decision 0111.
 */
import { formatAmount, price, quantity, rate } from "../../decimal/index.ts";
import type { PolicyCase } from "../market/judged-market.ts";
import { MONEY_LIMITS } from "../model/account-usage.ts";
import { isProtection } from "../model/plan.ts";
import type { ChildDenial, Rule } from "../model/policy.ts";
import { planDenial } from "./plan-in-force.ts";
import { checkMandate, checkProtective, hasProtectiveException } from "./protective-sell.ts";

const PERCENT = rate("0.01");

/** Rules that nothing of a protection's sell is held against. */
const LIFTED: readonly Rule[] = ["price_collar", "slippage", "orders_per_minute", "open_orders", "day_loss"];

/** The rule `mandate`. */
export function checkPlan(at: PolicyCase): ChildDenial | undefined {
  const { plan, accountUsage, environment, order, value, policy } = at;
  if (plan === undefined) return undefined;
  const { account, step, mandate, before, exchangeMs, isPractice } = plan;
  const { plan: now } = accountUsage;
  const gone = now === undefined ? undefined : planDenial(now, exchangeMs);
  if (gone !== undefined) return gone;
  const { by, way = "", bounds } = mandate;
  if (by === "policy" && !isPractice)
    return unapproved("policy", "a person", "this plan was approved by nobody, which holds on practice alone");
  if (by === "person" && way !== "" && !policy.approveBy.some((each) => each === way))
    return unapproved(way, policy.approveBy.join(", "), `the policy does not take approval by ${way} any more`);
  const asked = { account, environment: environment.ofOrder, order, step, value, unit: policy.unit, before };
  return checkMandate(bounds, { ...asked, nowMs: exchangeMs });
}

function unapproved(figure: string, limit: string, message: string): ChildDenial {
  return { rule: "mandate", figure, limit, message };
}

/** The rule `protective`: of a protection's sell alone. */
export function checkProtection(at: PolicyCase): ChildDenial | undefined {
  const { plan, order, market, quotes, policy } = at;
  if (plan === undefined || !isExcepted(at)) return undefined;
  const { bounds, slippagePct } = plan.mandate;
  const floor = plan.floor ?? price(bounds.priceMin ?? "0");
  const now = policy.plans.protectiveSlippage;
  const approved = slippagePct === undefined ? now : rate(slippagePct).scale(PERCENT);
  return checkProtective({ order, market, floor, bid: quotes.bid, slippage: { now, approved } });
}

/** Tells whether the order is a protection's sell of what is held. */
function isExcepted({ plan, order, held }: PolicyCase): boolean {
  return plan !== undefined && hasProtectiveException({ ...plan, order, held });
}

/** The rules that are not asked of this order: another stands in their place, or the mandate answers them. */
export function liftedRules(at: PolicyCase): ReadonlySet<Rule> {
  if (at.plan === undefined || !isExcepted(at)) return NONE;
  const { over } = at.plan.mandate.bounds;
  return new Set([...LIFTED, ...MONEY_LIMITS.filter((limit) => over.includes(limit))]);
}

/**
 * What a denial of a protection's sell is for, where the rule is asked of it only as it takes more than is free: what other orders take is not held any more.
 * @returns undefined where the rule is asked of it in any case
 */
export function tooFewFree(at: PolicyCase, rule: Rule): ChildDenial | undefined {
  const { order, held, market } = at;
  if (held === undefined || order.volume === undefined || isExcepted(at)) return undefined;
  const asked = quantity(order.volume);
  if (!liftedRules({ ...at, held: asked }).has(rule)) return undefined;
  const free = held.isNegative() ? quantity("0") : held;
  const [wanted, left] = [asked, free].map((volume) => formatAmount(volume, market.base));
  const message = `it would sell ${wanted}, and ${left} is free, as other orders are taking the rest: it is tried again by what they leave`;
  return { rule: "protective", figure: order.volume, limit: free.toString(), message, field: "base_volume" };
}

const NONE: ReadonlySet<Rule> = new Set();

/** Tells whether what is held matters to how an order of this plan is judged. */
export function asksForHolding({ plan }: Pick<PolicyCase, "plan">): boolean {
  return plan !== undefined && isProtection(plan.terms);
}
