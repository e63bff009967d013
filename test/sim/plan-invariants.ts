/**
 * What must hold of plans, whatever went wrong: of a step one order, nothing outside of what was approved, nothing caught up silently. What can only be
 * judged when it happens is judged by `plan-witness.ts`.
 */

import { isProtection } from "../../src/desk/index.ts";
import type { OrderRecord } from "../../src/sandbox/model/index.ts";
import type { History, Invariant } from "./history.ts";
import type { Moment } from "./market.ts";
import { clockErrorMs } from "./plan.ts";
import type { KeptPlan, PlanEntry, PlanHistory, SampleSeen } from "./plan-history.ts";
import { unitsOf } from "./venue.ts";

type OfPlans = (plans: PlanHistory, history: History) => readonly string[];

const ofPlans =
  (broken: OfPlans) =>
  (history: History): readonly string[] =>
    history.plans === undefined ? [] : broken(history.plans, history);

export const PLAN_INVARIANTS: readonly Invariant[] = [
  { name: "of a step one order comes", broken: ofPlans(stepDoubled) },
  { name: "a plan executes what was approved, and no more", broken: ofPlans(outOfBounds) },
  { name: "after a latched stop there is no take", broken: ofPlans(takenAfterStop) },
  { name: "a plan moves as the table allows", broken: ofPlans(forbiddenMoves) },
  { name: "a trigger has samples that stood", broken: ofPlans(unfoundedTriggers) },
  { name: "a price stands for two seconds before it triggers", broken: ofPlans(hastyTriggers) },
  { name: "with ask no assistant takes a protection away", broken: ofPlans(removedByAssistant) },
  { name: "what was missed is told, once", broken: ofPlans(untold) },
  { name: "a trigger that stood has an order", broken: ofPlans(({ idle }) => idle) },
];

/** The orders that came of a plan, also of steps that the store has forgotten. */
function childrenOf({ left }: PlanHistory, { venue }: History): ReadonlyMap<string, readonly OrderRecord[]> {
  const names = new Map(left.map(({ userref, planId, step }) => [userref, `${planId} ${step}`]));
  const found = new Map<string, OrderRecord[]>();
  for (const order of venue.orders()) {
    const name = names.get(order.userref ?? "");
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), order]);
  }
  return found;
}

function stepDoubled(plans: PlanHistory, history: History): readonly string[] {
  const orders = [...childrenOf(plans, history)].flatMap(([step, found]) =>
    found.length > 1 ? [`${step}: ${found.length} orders`] : [],
  );
  const labels = plans.steps.flatMap(({ planId, label }) => (label === null ? [] : [`${planId} ${label}`]));
  const twice = labels.filter((label, index) => labels.indexOf(label) !== index);
  return [...orders, ...twice.map((label) => `${label}: more than one step`)];
}

function outOfBounds(plans: PlanHistory, history: History): readonly string[] {
  const children = childrenOf(plans, history);
  const fills = history.venue.fills();
  return plans.plans.flatMap((plan) => {
    const { planId } = plan;
    const mandate = plan.mandate ?? plans.approved.get(planId) ?? null;
    const own = [...children].flatMap(([step, orders]) => (step.startsWith(`${planId} `) ? orders : []));
    if (own.length === 0) return [];
    if (mandate === null) return [`${planId}: nobody has approved it, and it has orders`];
    const { symbol, side, stepsMax, volumeMax, valueMax, priceMin, priceMax } = mandate.bounds;
    const sum = (of: (order: OrderRecord) => bigint): bigint => own.reduce((all, order) => all + of(order), 0n);
    const found: string[] = [];
    if (own.some((order) => order.symbol !== symbol || order.side !== side)) found.push("an order of another kind");
    if (own.length > stepsMax) found.push(`${own.length} orders of ${stepsMax}`);
    const volume = sum(({ executedVolume }) => executedVolume);
    if (volumeMax !== undefined && volume > unitsOf(volumeMax)) found.push(`${volume} units executed of ${volumeMax}`);
    // Fees come on top.
    const value = sum(({ executedValue }) => executedValue);
    if (valueMax !== undefined && value > unitsOf(valueMax)) found.push(`${value} units spent of ${valueMax}`);
    for (const { orderId, price } of fills) {
      if (!own.some((order) => order.orderId === orderId)) continue;
      if (priceMin !== undefined && price < unitsOf(priceMin)) found.push(`a fill at ${price}, below ${priceMin}`);
      if (priceMax !== undefined && price > unitsOf(priceMax)) found.push(`a fill at ${price}, above ${priceMax}`);
    }
    return found.map((what) => `${planId}: ${what}`);
  });
}

/** By their prices: a take sells at its own or better, a stop never waits for that. */
function takenAfterStop(plans: PlanHistory, history: History): readonly string[] {
  const children = childrenOf(plans, history);
  return plans.plans.flatMap(({ planId, terms }) => {
    if (terms.kind !== "oco") return [];
    const take = unitsOf(terms.takePrice);
    const own = [...children].flatMap(
      ([step, orders]) =>
        step.startsWith(`${planId} `) ? orders.map((order) => ({ step: Number(step.split(" ")[1]), order })) : [], // not money: a count
    );
    const legs = own.toSorted((a, b) => a.step - b.step).map(({ order }) => (order.price ?? 0n) >= take);
    const stopped = legs.indexOf(false);
    return stopped >= 0 && legs.slice(stopped).includes(true) ? [`${planId}: a take behind its stop`] : [];
  });
}

const FINAL = ["denied", "lapsed", "canceled", "expired", "replaced", "done"];

function forbiddenMoves({ log }: PlanHistory): readonly string[] {
  const states = new Map<string, string>();
  return log.flatMap(({ planId, detail: { state } }) => {
    const before = states.get(planId);
    if (state === undefined) return [];
    states.set(planId, state);
    return before !== undefined && before !== state && FINAL.includes(before)
      ? [`${planId}: ${before} → ${state}`]
      : [];
  });
}

/** Two seconds, and what a sample may have been under way. */
const HOLD_MS = 2_000;
const SEEN_WITHIN_MS = 3_000;
const PRINT_AGE_MS = 10_000;

function unfoundedTriggers(plans: PlanHistory, history: History): readonly string[] {
  return plans.log.flatMap((entry) => {
    if (entry.event !== "plan_triggered") return [];
    const what = triggerProblem(entry, plans.moments, history);
    return what === undefined ? [] : [`${entry.planId}: ${what}`];
  });
}

function triggerProblem(
  { detail: { below, above, first, last } }: PlanEntry,
  moments: readonly Moment[],
  { plan }: History,
): string | undefined {
  const level = below ?? above;
  if (first === undefined || last === undefined || level === undefined) return undefined;
  const isDown = below !== undefined;
  const stood = Date.parse(last.heard_at) - Date.parse(first.at);
  if (stood < HOLD_MS) return `it stood for ${stood} ms`;
  for (const sample of [first, last])
    if (!isSaid(sample, unitsOf(level), isDown)) return `a sample is not there: ${JSON.stringify(sample)}`;
  const slackMs = SEEN_WITHIN_MS + clockErrorMs(plan);
  for (const sample of [first, last]) {
    const atMs = Date.parse(sample.at);
    const near = moments.filter((moment, index) => {
      const untilMs = moments[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
      return moment.atMs <= atMs + slackMs && untilMs >= atMs - slackMs;
    });
    if (!near.some((moment) => wasThere(moment, unitsOf(level), isDown)))
      return `the market was not there at ${sample.at}`;
  }
  return undefined;
}

/** Between two samples that follow each other is no more. */
const SPACING_MS = 5_000;
/** From the last sample until what came of it is written, an answer that is waited for in between. */
const WRITTEN_WITHIN_MS = 15_000;

/** By the exchange's own clock, whatever ours says: at two moments that are as far apart as two samples the market was there. */
function hastyTriggers({ triggers, moments }: PlanHistory, { plan }: History): readonly string[] {
  const [leastMs, mostMs] = [HOLD_MS - underWayMs(plan), SPACING_MS + underWayMs(plan)];
  return triggers.flatMap(({ planId, atMs, detail: { below, above } }) => {
    const level = below ?? above;
    if (level === undefined) return [];
    const stoodMs = plan.troubles.reduce((sum, each) => sum + (each.type === "stall" ? each.ms : 0), 0);
    const sinceMs = atMs - WRITTEN_WITHIN_MS - stoodMs;
    const there = moments.flatMap((moment, index) => {
      const [fromMs, toMs] = [moment.atMs, moments[index + 1]?.atMs ?? atMs];
      if (toMs < sinceMs || fromMs > atMs || !wasThere(moment, unitsOf(level), below !== undefined)) return [];
      return [{ fromMs, toMs: Math.min(toMs, atMs) }];
    });
    const hasStood = there.some((first) =>
      there.some((last) => last.toMs - first.fromMs >= leastMs && last.fromMs - first.toMs <= mostMs),
    );
    return hasStood ? [] : [`${planId}: nowhere before ${atMs} did the market stand at ${level} so long`];
  });
}

/** What an answer may take longer than another. Where the network is in trouble that may be all of its time. */
function underWayMs({ setting, troubles }: History["plan"]): number {
  const isSlow = troubles.some(({ type }) => type === "fault" || type === "outage");
  return isSlow ? setting.totalMs : 2 * setting.latencyMs + setting.coarseMs;
}

function isSaid({ at, print, print_at, bid, ask }: SampleSeen, level: bigint, isDown: boolean): boolean {
  const quote = isDown ? ask : bid;
  if (print === undefined || print_at === undefined || quote === undefined) return false;
  if (Math.abs(Date.parse(at) - Date.parse(print_at)) > PRINT_AGE_MS) return false;
  return [print, quote].every((price) => (isDown ? unitsOf(price) <= level : unitsOf(price) >= level));
}

function wasThere({ bid, ask, prints }: Moment, level: bigint, isDown: boolean): boolean {
  if (isDown) return ask !== undefined && ask <= level && prints.some((price) => price <= level);
  return bid !== undefined && bid >= level && prints.some((price) => price >= level);
}

function removedByAssistant({ plans, log }: PlanHistory, { plan }: History): readonly string[] {
  if (plan.waiting?.stopRemoval !== "ask") return [];
  const protects = new Set(plans.flatMap(({ planId, terms }) => (isProtection(terms) ? [planId] : [])));
  return log.flatMap(({ planId, event, detail: { by, from, state } }) =>
    event === "plan_moved" && by === "assistant" && from === "active" && protects.has(planId)
      ? [`${planId}: active → ${state}, by the assistant`]
      : [],
  );
}

function untold({ plans, steps, notices, gaps }: PlanHistory): readonly string[] {
  const missed = steps.flatMap(({ planId, step, state }) => {
    if (state !== "missed") return [];
    const count = notices.filter(
      (each) => each.planId === planId && each.type === "plan.step_missed" && each.body.steps?.includes(step) === true,
    ).length;
    return count === 1 ? [] : [`step ${step} of ${planId} was missed, and told ${count} times`];
  });
  const keys = notices.map(({ planId, type, key }) => `${planId} ${type} ${key}`);
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
  const told = new Set(notices.flatMap(({ type, key }) => (type === "plan.gap" ? [key.split(" ")[0]] : [])));
  const watched = new Set(plans.flatMap(({ terms }: KeptPlan) => ("symbol" in terms ? [terms.symbol] : [])));
  const silent = gaps.flatMap(({ symbol, fromMs, toMs }) =>
    toMs !== null && watched.has(symbol) && !told.has(String(fromMs))
      ? [`a gap of ${symbol} from ${fromMs} to ${toMs}`]
      : [],
  );
  return [...missed, ...twice, ...silent];
}
