/**
 * Owns the prices that a plan waits for, for its figures and for the picture of its market.
 *
 * Invariant: nothing is drawn or said for a leg that can act no more.
 */
import type { ConsolePlans } from "../../../src/serve/console/console-api.ts";
import { needsWatch } from "../../../src/words/index.ts";
import { drawn } from "../figures.ts";

export type Plan = ConsolePlans["plans"][number];

export type Leg = "stop" | "take" | "trail" | "alert";

export interface Level {
  readonly leg: Leg;
  readonly price: string;
}

export function levelsOf({ terms, trigger, latched }: Plan): readonly Level[] {
  const at = (name: Leg, price: string | undefined): readonly Level[] =>
    price === undefined ? [] : [{ leg: name, price }];
  switch (terms.kind) {
    case "stop":
      return at("stop", trigger ?? terms.stopPrice);
    case "take_profit":
      return at("take", terms.takePrice);
    case "trailing_stop":
      return at("trail", trigger);
    case "oco": {
      // It has none before its buy has ended.
      if (terms.after !== undefined) return [];
      const stop = "trail" in terms.stop ? at("trail", trigger) : at("stop", trigger ?? terms.stop.stopPrice);
      return latched === true ? stop : [...stop, ...at("take", terms.takePrice)];
    }
    case "alert":
      return at("alert", trigger);
    case "recurring":
    case "slices":
    case "rebalance":
      return [];
    default:
      return terms satisfies never;
  }
}

/** How far from a price the market is, in percent of the market's; undefined where it has none. */
export function distanceOf(price: string, market: string | null | undefined): string | undefined {
  if (market === null || market === undefined || !(drawn(market) > 0)) return undefined;
  return ((drawn(price) / drawn(market) - 1) * 100).toFixed(4);
}

/** What of the plans that have not ended is said on every view. */
export interface PlansStanding {
  /** Active ones. */
  readonly waiting: number;
  /** Of these, how many nobody watches. */
  readonly blind: number;
  /** Since when all of them are watched. */
  readonly since: string | undefined;
  /** They cannot go on alone. */
  readonly needing: number;
}

export function standingOf(plans: readonly Plan[]): PlansStanding {
  const active = plans.filter(({ state }) => state === "active");
  const watched = active.filter(needsWatch);
  const since = active.flatMap(({ watched_since }) => watched_since ?? []).sort();
  return {
    waiting: active.length,
    blind: watched.length - since.length,
    since: since.at(-1),
    needing: plans.filter(({ state }) => state === "attention").length,
  };
}

export type PlanAct = "pause" | "resume" | "cancel";

/** What has ended, or was never begun, has none. */
const ACTS: Partial<Readonly<Record<Plan["state"], readonly PlanAct[]>>> = {
  active: ["pause", "cancel"],
  paused: ["resume", "cancel"],
  attention: ["resume", "cancel"],
  awaiting_approval: ["cancel"],
};

/** What a person may do with it as it stands. */
export function actsOn({ state }: Pick<Plan, "state">): readonly PlanAct[] {
  return ACTS[state] ?? [];
}

export function hasEnded(plan: Pick<Plan, "state">): boolean {
  return actsOn(plan).length === 0;
}

/** Whether this takes a protection away; what stands still protects nothing. */
export function removesProtection({ terms: { kind }, state }: Plan, act: PlanAct): boolean {
  const protects = kind === "stop" || kind === "take_profit" || kind === "trailing_stop" || kind === "oco";
  return act !== "resume" && protects && (state === "active" || state === "attention");
}
