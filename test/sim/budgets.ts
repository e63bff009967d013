/** What may leave in a time, and what may be at stake: the venue's limits and the policy's. */
import type { History, Invariant } from "./history.ts";
import type { Trouble } from "./plan.ts";
import { unitsOf } from "./venue.ts";

export const BUDGET_INVARIANTS: readonly Invariant[] = [
  { name: "limits are kept in every window", broken: limitsExceeded },
  { name: "orders stay inside the budgets", broken: budgetsExceeded },
  { name: "orders a minute stay inside the policy", broken: tooManyOrders },
];

/**
 * Counted where requests leave. Not promised where clocks are set, where processes disagree about the time, where the store that
 * holds the budgets fails, or where a process stands still between its turn and its request.
 */
function limitsExceeded({ plan, departures }: History): readonly string[] {
  const { limits } = plan.setting;
  if (isTimeUpset(plan, ["clock", "store", "stall"])) return [];
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
function budgetsExceeded({ plan, venue }: History): readonly string[] {
  const { maxOpenOrders, maxOpenKrw, maxDayKrw } = plan.setting.policy;
  const dayUnits = unitsOf(maxDayKrw);
  return venue.arrivals.flatMap(({ nonce, account }) => {
    if (account === undefined) return [];
    const { openOrders, open, done } = account;
    const found: string[] = [];
    if (openOrders > maxOpenOrders) found.push(`${openOrders} orders are open behind ${nonce}`);
    if (open > unitsOf(maxOpenKrw)) found.push(`${open} units are open behind ${nonce}`);
    if (open + done > dayUnits + dayUnits / SLIP) found.push(`${open + done} units in a day behind ${nonce}`);
    return found;
  });
}

/** Orders that took effect, counted when they left. The processes' clocks say what a minute is. */
function tooManyOrders({ plan, venue, departures }: History): readonly string[] {
  const { maxOrdersPerMinute } = plan.setting.policy;
  if (isTimeUpset(plan, ["clock", "stall"])) return [];
  const effective = new Set(venue.arrivals.filter(({ account }) => account !== undefined).map(nameOf));
  const orders = departures.filter((each) => each.order !== undefined && effective.has(nameOf(each)));
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
