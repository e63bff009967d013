/**
 * What a protection does when the market stands at its price: a pure state machine over the plan, the orders that came of it, and what is known of market and
 * account. No clock, no store, no order.
 *
 * Invariants: all orders of a plan together sell no more than its amount; a stop that has claimed once leaves no take-profit; no price is below the floor, nor
 * further below the best bid of others than both the file and the mandate allow; while an order of it has not ended there is no other; of a stop that is latched
 * five orders are tried at most.
 *
 * Entry point: `nextAct`. Source: decision 0112; decision 0106.
 */
import type { CreateOrderBody, Market } from "../../../contract/index.ts";
import { max, min, type Price, price, type Quantity } from "../../../decimal/index.ts";
import {
  inForce,
  isProtection,
  type Mandate,
  type PlanProgress,
  type PlanRecord,
  type ProtectionTerms,
  waitsForBuy,
} from "../../model/plan.ts";
import type { PlanRules } from "../../model/policy.ts";
import { type Child, executedOf, leftOf } from "../../risk/executed.ts";
import { type ProtectiveSell, protectiveSell } from "../../risk/protective-sell.ts";
import { shareOf } from "../terms/levels.ts";
import { floorNow } from "../terms/protection-levels.ts";

/** So many orders of a stop are tried, then a person has to look. */
export const ATTEMPTS_MAX = 5;
/** Between two of them, by the exchange's clock. */
export const ATTEMPT_APART_MS = 2_000;
/** A take that goes on in pieces has no end to its tries, so they become fewer. */
const TAKE_APART_MS = 60_000;

export type ProtectionLeg = "stop" | "take";

/** The plan, as it is judged. */
export type JudgedPlan = Pick<PlanRecord, "terms" | "mandate" | "progress" | "openStep" | "state">;

export interface ProtectionFacts {
  /** The leg whose price the market stands beyond, and that price. */
  readonly leg: ProtectionLeg;
  readonly level: Price;
  readonly market: Market;
  readonly rules: Pick<PlanRules, "protectiveSlippage" | "protectiveFloor">;
  /** Of the coin, free and in open orders. */
  readonly available: Quantity;
  readonly locked: Quantity;
  /** Best bid of others; undefined where nobody else buys. */
  readonly bid: Price | undefined;
  /** The exchange's time, Unix milliseconds. */
  readonly nowMs: number;
  /** When an order of it was last tried, likewise; undefined where this process knows of none. */
  readonly triedAtMs: number | undefined;
  /** Of one that trails: the highest price that the market has stood at. */
  readonly high?: Price | undefined;
}

export type ProtectionAct =
  | {
      readonly kind: "sell";
      readonly order: Omit<CreateOrderBody, "userref">;
      /** What it does not sell below now. */
      readonly floor: string;
      /** Of the plan, with the claim. */
      readonly progress: PlanProgress;
    }
  /** It is not its turn. */
  | { readonly kind: "wait" }
  /** All attempts are used. */
  | { readonly kind: "spent" }
  | Exclude<ProtectiveSell, { readonly kind: "sell" }>;

const WAIT: ProtectionAct = { kind: "wait" };

/** @param children all that came of the plan so far */
export function nextAct(plan: JudgedPlan, children: readonly Child[], facts: ProtectionFacts): ProtectionAct {
  const { terms, mandate, progress, state, openStep } = inForce(plan);
  if (!isProtection(terms) || waitsForBuy(plan) || mandate === null || state !== "active" || openStep !== null)
    return WAIT;
  const { leg, market, nowMs, triedAtMs } = facts;
  if (!hasLeg(terms, progress, leg)) return WAIT;
  const sinceMs = nowMs - (triedAtMs ?? Number.NEGATIVE_INFINITY);
  // Less than none where the exchange's clock has gone back.
  if (sinceMs >= 0 && sinceMs < apartMs(leg, children)) return WAIT;
  if (leg === "stop" && (progress.attempts ?? 0) >= ATTEMPTS_MAX) return { kind: "spent" };
  const restsAt = leg === "stop" && terms.kind === "stop" ? terms.limitPrice : undefined;
  const floor = floorOf(terms, mandate, facts);
  const sale = protectiveSell({
    ...{ market, bid: facts.bid, available: facts.available, locked: facts.locked, floor },
    left: leftOf(terms.volume, children),
    slippage: slippageOf(mandate, facts.rules),
    ...(restsAt === undefined ? {} : { restsAt: price(restsAt) }),
  });
  if (sale.kind !== "sell") return sale;
  const { timeInForce, volume } = sale;
  return {
    kind: "sell",
    order: {
      ...{ symbol: terms.symbol, side: "sell", type: "limit", price: sale.price, volume },
      time_in_force: timeInForce,
    },
    floor: floor.toString(),
    progress: claimedProgress(progress, children, facts),
  };
}

/** Tells whether the plan sells at such a price still: a stop that has claimed once leaves no take. */
function hasLeg(terms: ProtectionTerms, { latchedAtMs }: PlanProgress, leg: ProtectionLeg): boolean {
  return leg === "stop" ? terms.kind !== "take_profit" : "takePrice" in terms && latchedAtMs === undefined;
}

function apartMs(leg: ProtectionLeg, children: readonly Child[]): number {
  return leg === "take" && children.length >= ATTEMPTS_MAX ? TAKE_APART_MS : ATTEMPT_APART_MS;
}

/** What the leg does not sell below now. */
export function floorOf(
  terms: ProtectionTerms,
  { bounds }: Pick<Mandate, "bounds">,
  { leg, level, market, rules }: Pick<ProtectionFacts, "leg" | "level" | "market" | "rules">,
): Price {
  const priceMin = price(bounds.priceMin ?? "0");
  if (leg === "take" && "takePrice" in terms) return max(price(terms.takePrice), priceMin);
  return floorNow(terms, level, { market, rules, priceMin });
}

/** Of the file as it is now, and as it was approved, the stricter. */
function slippageOf({ slippagePct }: Pick<Mandate, "slippagePct">, { protectiveSlippage }: ProtectionFacts["rules"]) {
  return slippagePct === undefined ? protectiveSlippage : min(shareOf(slippagePct), protectiveSlippage);
}

/** A stop latches with its first claim, and follows the market no more. */
function claimedProgress(
  before: PlanProgress,
  children: readonly Child[],
  { leg, nowMs, high }: Pick<ProtectionFacts, "leg" | "nowMs" | "high">,
): PlanProgress {
  const { told: _, attempts, latchedAtMs, ...kept } = before;
  const seen = high === undefined ? {} : { high: high.toString() };
  if (leg === "take") return { ...kept, ...seen, leg };
  const isLatched = latchedAtMs !== undefined;
  const hasTaken = before.leg === "take" && !executedOf(children).isZero();
  return {
    ...{ ...kept, ...seen, leg: hasTaken ? "take" : leg, latchedAtMs: latchedAtMs ?? nowMs },
    // Those of a take before are not the stop's.
    ...(isLatched && attempts !== undefined && { attempts }),
  };
}
