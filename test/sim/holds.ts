/** What intents count for once all is quiet: no more and no less than the venue's own orders justify. */
import type { OrderRecord } from "../../src/sandbox/model/index.ts";
import type { History, Invariant, StoredIntent } from "./history.ts";
import { isFencedIn } from "./plan.ts";
import { CLAIMS } from "./words.ts";

export const REST_INVARIANTS: readonly Invariant[] = [
  { name: "at rest an intent holds what its order justifies", broken: holdsUnjustified },
  { name: "at rest nothing is open under the brake", broken: openUnderBrake },
];

const ONE = 100_000_000n;

function holdsUnjustified({ venue, intents, plan, forgotten }: History): readonly string[] {
  const orders = new Map(venue.orders().map((order) => [order.orderId, order]));
  const found = intents.flatMap((intent) => {
    if (forgotten.has(intent.userref)) return [];
    const problem = holdProblem(intent, intent.orderId === null ? undefined : orders.get(intent.orderId));
    return problem === undefined ? [] : [`${intent.userref} is ${intent.state}: ${problem}`];
  });
  const live = intents.filter(({ isLive }) => isLive).length;
  const open = venue.openOrders().length;
  if (plan.setting.fence && live !== open && forgotten.size === 0)
    found.push(`${live} intents count as open, ${open} orders are`);
  return found;
}

function holdProblem({ state, held, isLive }: StoredIntent, order: OrderRecord | undefined): string | undefined {
  if (CLAIMS[state] === "unsettled") return undefined;
  const isOpen = order?.state === "open";
  if (isLive !== isOpen) return isLive ? "it counts as open" : "its order is open and does not count";
  if (order === undefined) return held === 0n ? undefined : `it holds ${held} for no order`;
  const executed = krw(order.executedValue);
  if (!isOpen) return held === executed ? undefined : `it holds ${held}, executed are ${executed}`;
  // What a sale counts for depends on the book it was judged by; at least its own price.
  const own = krw(((order.price ?? 0n) * (order.volume ?? 0n)) / ONE);
  const isJust = order.side === "buy" ? held === own : held >= own;
  return isJust ? undefined : `it holds ${held}, its order is worth ${own}`;
}

/** Whole KRW, rounded up. */
function krw(units: bigint): bigint {
  return (units + ONE - 1n) / ONE;
}

/** Not promised without the fence, nor for keys that do not share one: an order without an answer may come later. */
function openUnderBrake({ venue, plan, rest, forgotten }: History): readonly string[] {
  if (!rest.isHalted || !isFencedIn(plan)) return [];
  // What was sent and forgotten is a person's to find.
  const open = venue.openOrders().filter(({ userref }) => !forgotten.has(userref ?? ""));
  return open.map(({ orderId }) => `order ${orderId} is open`);
}
