/** What may leave in a time, and what may be at stake: the venue's limits and the policy's. */
import { isProtection } from "../../src/desk/index.ts";
import type { History, Invariant } from "./history.ts";
import type { Trouble } from "./plan.ts";
import { unitsOf } from "./venue.ts";
import { isForeign } from "./wire.ts";
import { CLAIMS } from "./words.ts";

export const BUDGET_INVARIANTS: readonly Invariant[] = [
  { name: "limits are kept in every window", broken: limitsExceeded },
  { name: "orders stay inside the budgets", broken: budgetsExceeded },
  { name: "a day's budget is free a day later", broken: notFreed },
  { name: "nothing is bought behind the loss of a day", broken: boughtAtALoss },
  { name: "orders a minute stay inside the policy", broken: tooManyOrders },
];

/**
 * Counted where requests leave. Not promised where clocks are set, where processes disagree about the time, where the store that
 * holds the budgets fails, or where a process stands still between its turn and its request. Other exchanges have groups of their own.
 */
function limitsExceeded({ plan, departures }: History): readonly string[] {
  const { limits } = plan.setting;
  if (isForeign(plan.venue) || isTimeUpset(plan, ["clock", "store", "stall", "restore"])) return [];
  const found: string[] = [];
  for (const key of new Set(departures.map(({ keyId }) => keyId))) {
    if (key === "") continue;
    const own = departures.filter(({ keyId }) => keyId === key);
    const calls = most(own, 1_000, () => 1);
    const weight = most(own, 60_000, (each) => each.weight);
    if (calls > limits.callsPerSecond) found.push(`${key}: ${calls} calls in a second`);
    if (weight > limits.weightPerMinute) found.push(`${key}: a weight of ${weight} in a minute`);
  }
  return found;
}

/** Names of the orders of protections. */
function protectingNames(plans: History["plans"]): ReadonlySet<string> {
  if (plans === undefined) return new Set();
  const kinds = new Map(plans.plans.map(({ planId, terms }) => [planId, isProtection(terms)]));
  return new Set(plans.left.flatMap(({ planId, userref }) => (kinds.get(planId) === true ? [userref] : [])));
}

/** The most there is in any window [t, t + windowMs). */
function most<T extends { readonly atMs: number }>(
  events: readonly T[],
  windowMs: number,
  costOf: (event: T) => number,
): number {
  let [first, sum, highest] = [0, 0, 0];
  for (const event of events) {
    sum += costOf(event);
    for (
      let oldest = events[first];
      oldest !== undefined && oldest.atMs <= event.atMs - windowMs;
      oldest = events[first]
    ) {
      sum -= costOf(oldest);
      first++;
    }
    highest = Math.max(highest, sum);
  }
  return highest;
}

/** An order may execute at a little more than it was valued at, as the book moves on its way. */
const SLIP = 100n;

/** Judged by what the venue has, each time one more order took effect there. */
function budgetsExceeded({ plan, venue, forgotten, plans }: History): readonly string[] {
  // What was forgotten with the directory is not counted: a person is told to compare.
  if (forgotten.size > 0) return [];
  const { maxOpenOrders, maxOpen, maxDay } = plan.setting.policy;
  const dayUnits = unitsOf(maxDay);
  const protecting = protectingNames(plans);
  return venue.arrivals.flatMap(({ nonce, account, taken }) => {
    // A protection goes over them by what a person has approved.
    if (account === undefined || protecting.has(taken?.userref ?? "")) return [];
    const { openOrders, open, done } = account;
    const found: string[] = [];
    if (openOrders > maxOpenOrders) found.push(`${openOrders} orders are open behind ${nonce}`);
    if (open > unitsOf(maxOpen)) found.push(`${open} units are open behind ${nonce}`);
    if (open + done > dayUnits + dayUnits / SLIP) found.push(`${open + done} units in a day behind ${nonce}`);
    return found;
  });
}

/** From when it is judged until it arrives, an order takes no longer. */
const ON_ITS_WAY_MS = 30_000;

/** The venue's own reckoning of the loss. What was judged before it may still arrive; where clocks differ, so do days. */
function boughtAtALoss({ plan, venue }: History): readonly string[] {
  if (isTimeUpset(plan, ["clock", "stall", "restore"])) return [];
  return venue.arrivals.flatMap(({ nonce, taken, lostForMs }) =>
    taken?.side === "buy" && lostForMs > ON_ITS_WAY_MS
      ? [`${nonce} buys, ${lostForMs} ms after the day's loss was at its limit`]
      : [],
  );
}

/** But for what is open still. Not of an order whose end nobody knows: it counts until that is found out. */
function notFreed({ rest, intents }: History): readonly string[] {
  const { day, open } = rest.dayLater ?? {};
  if (rest.dayLater === undefined || intents.some(({ state }) => CLAIMS[state] === "unsettled")) return [];
  return day !== undefined && day === open ? [] : [`${day} are used, ${open} of them open`];
}

/** Orders that took effect, counted when they left. The processes' clocks say what a minute is. */
function tooManyOrders({ plan, venue, departures, plans }: History): readonly string[] {
  const { maxOrdersPerMinute } = plan.setting.policy;
  if (isTimeUpset(plan, ["clock", "stall", "restore"])) return [];
  const effective = new Set(venue.arrivals.filter(({ account }) => account !== undefined).map(nameOf));
  // What protects is not asked how many there were before, and counts for those behind it.
  const protecting = protectingNames(plans);
  const isProtecting = (userref: string | undefined): boolean => protecting.has(userref ?? "");
  const orders = departures.filter(
    (each) => each.order !== undefined && effective.has(nameOf(each)) && !isProtecting(each.order.userref),
  );
  const count = most(orders, 60_000, () => 1);
  return count > maxOrdersPerMinute ? [`${count} orders in a minute`] : [];
}

/** The same request where it left and where it arrived; one that was sent again has another nonce. */
function nameOf({ nonce, body }: { readonly nonce: string; readonly body: string }): string {
  return `${nonce} ${body}`;
}

/** Whether processes may disagree about the time, or one stands still between its turn and its request. */
function isTimeUpset({ setting, troubles }: History["plan"], upsetting: readonly Trouble["type"][]): boolean {
  const { skewsMs } = setting;
  return skewsMs.some((skew) => skew !== skewsMs[0]) || troubles.some(({ type }) => upsetting.includes(type));
}
