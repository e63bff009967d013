/**
 * Orders that are changed while they rest: what a schedule asks for, what may leave for it, and what must hold of the old and the new one.
 *
 * Both together execute at most what the old one was for, or what it had executed when the change was asked for and what was asked to be
 * open, whichever is more; the new one leaves when the old one is gone.
 */
import type { CreateOrderBody } from "../../src/contract/index.ts";
import type { IntentBody, OrderRequest } from "../../src/desk/index.ts";
import type { OrderRecord } from "../../src/sandbox/model/index.ts";
import type { Draw } from "./draw.ts";
import type { History, Invariant } from "./history.ts";
import { type Action, FAULT_KINDS, type Plan, type Step, type Trouble } from "./plan.ts";
import { unitsOf } from "./venue.ts";

type Replaces = NonNullable<IntentBody["replaces"]>;

/** Rests in front of all others, so that whoever takes meets it first. */
const FRONT = { buy: "149900000", sell: "150100000" } as const;
const PRICES = ["149850000", "149950000", "150050000", "147000000", "153000000", "150500000"];
const SIZES = ["0.0005", "0.001", "0.0015", "0.004", "0.009"];
/** Together with the change, right after it, between its cancel and its order, or much later. */
const NEAR_MS = [0, 0, 5, 20, 40, 60, 90, 150, 300, 900];

/** First of all an order rests, and then it is changed, by one process or two, while others take of it and things go wrong around the cancel. */
export function withChanges(draw: Draw, plan: Plan, isAsking: boolean): Plan {
  const { setting, wishes, steps, troubles } = plan;
  const seat = (): number => draw.between(0, setting.keys.length - 1);
  const wish = draw.between(0, wishes.length - 1);
  const side = draw.of(["buy", "sell"] as const);
  const rests: OrderRequest = {
    symbol: "BTC/KRW",
    side,
    type: "limit",
    base_volume: `0.00${wish + 1}${draw.between(1, 9)}`,
    price: FRONT[side],
    ...(draw.chance(0.2) ? { post_only: true } : {}),
    userref: `wish-${wish}`,
  };
  const yes = { type: "person", says: draw.chance(0.8) ? "yes" : "no", way: "pin" } as const;
  // Under its own name it may be asked for twice: where one has failed there is an order to change all the same.
  const asked = [0, 250].map((ms): Step => ({ atMs: ms, seat: seat(), action: { type: "place", wish } }));
  let atMs = draw.of([600, 1_200, 2_500]);
  if (isAsking) asked.push({ atMs: atMs - 100, seat: seat(), action: { ...yes, says: "yes" } });
  for (let count = draw.between(1, 3); count > 0; count--) {
    const change = drawChange(draw, wish);
    const near = (action: Action): Step => ({ atMs: atMs + draw.of(NEAR_MS), seat: seat(), action });
    asked.push({ atMs, seat: seat(), action: change });
    const volume = draw.of(["0.0003", "0.0007", "0.02"]);
    const taken = { type: "maker", symbol: "BTC/KRW", side: side === "buy" ? "sell" : "buy", takes: true } as const;
    if (draw.chance(0.6)) asked.push(near({ ...taken, price: FRONT[side], volume }));
    // An impatient model asks for the same again, or for another price.
    if (draw.chance(0.35)) asked.push(near(draw.chance(0.7) ? change : drawChange(draw, wish)));
    if (draw.chance(0.12)) asked.push(near({ type: "cancel", wish, by: "order_id" }));
    if (draw.chance(0.08)) asked.push(near({ type: draw.of(["halt", "cancel_all"] as const) }));
    if (isAsking) asked.push({ ...near(yes), atMs: atMs + 1_200 });
    atMs += draw.of([1_500, 4_000, 40_000]);
  }
  const rest = draw.chance(0.5) ? steps.map((step) => ({ ...step, atMs: step.atMs + atMs })) : [];
  return {
    ...plan,
    wishes: wishes.map((each, index) => (index === wish ? rests : each)),
    steps: [...asked.toSorted((a, b) => a.atMs - b.atMs), ...rest],
    troubles: [...(draw.chance(0.3) ? troubles : []), ...drawTroubles(draw, plan)],
  };
}

function drawChange(draw: Draw, wish: number): Extract<Action, { readonly type: "replace" }> {
  const by = draw.chance(0.5) ? ("userref" as const) : ("order_id" as const);
  const change = {
    ...(draw.chance(0.75) ? { price: draw.of(PRICES) } : {}),
    ...(draw.chance(0.45) ? { base_volume: draw.of(SIZES) } : {}),
  };
  return { type: "replace", wish, by, ...(Object.keys(change).length > 0 ? change : { base_volume: "0.001" }) };
}

/** Around the one cancel and the second order. */
function drawTroubles(draw: Draw, { setting }: Plan): readonly Trouble[] {
  const troubles: Trouble[] = [];
  const fault = (endpoint: "cancelOrder" | "createOrder" | "order", nth: number, times: number): Trouble => ({
    type: "fault",
    endpoint,
    nth,
    times,
    kind: draw.of(FAULT_KINDS),
    ms: draw.of([0, 15, 200, 900, 2_500]),
  });
  if (draw.chance(0.45)) troubles.push(fault("cancelOrder", 0, draw.between(1, 2)));
  if (draw.chance(0.25)) troubles.push(fault("createOrder", draw.between(1, 2), 1));
  if (draw.chance(0.25)) troubles.push(fault("order", draw.between(0, 4), draw.between(1, 8)));
  if (draw.chance(0.35))
    troubles.push({
      type: "crash",
      seat: draw.between(0, setting.keys.length - 1),
      point: draw.by({ answer: 5, send: 4, "journal.write": 5 }),
      nth: draw.between(5, 26),
      when: draw.of(["before", "after"]),
      downMs: draw.of([0, 20, 300, 30_000]),
    });
  return troubles;
}

/** Whether an order that leaves is what some step wanted in the place of the old one. */
export function isWantedInstead(sent: CreateOrderBody, old: OrderRecord | undefined, { steps }: Plan): boolean {
  if (old === undefined || sent.volume === undefined || sent.price === undefined) return false;
  const isHandledAlike =
    sent.symbol === old.symbol &&
    sent.side === old.side &&
    sent.type === "limit" &&
    (sent.post_only ?? false) === old.postOnly &&
    (sent.time_in_force ?? "GTC") === old.timeInForce;
  const [price, volume] = [unitsOf(sent.price), unitsOf(sent.volume)];
  const isWanted = steps.some(({ action }) => {
    if (action.type !== "replace") return false;
    const asked = action.base_volume === undefined ? (old.volume ?? 0n) : unitsOf(action.base_volume);
    return price === (action.price === undefined ? old.price : unitsOf(action.price)) && volume <= asked;
  });
  return isHandledAlike && isWanted && volume > 0n;
}

export const CHANGE_INVARIANTS: readonly Invariant[] = [
  { name: "an order and the one in its place execute no more than was asked for", broken: tooMuchTogether },
  { name: "an order is replaced once", broken: replacedTwice },
];

function pairsIn({ intents, venue }: History) {
  const orders = venue.orders();
  return intents.flatMap(({ replaces, userref }) => {
    const made = replaces && orders.find((order) => order.userref === userref);
    const old = orders.find(({ orderId }) => orderId === replaces?.orderId);
    return made === undefined || replaces === undefined || old === undefined ? [] : [{ replaces, made, old }];
  });
}

function tooMuchTogether(history: History): readonly string[] {
  return pairsIn(history).flatMap(({ replaces, made, old }) => {
    const most = mostFor(replaces, old);
    const volume = made.volume ?? 0n;
    const name = `${made.orderId} in the place of ${old.orderId}`;
    if (volume > most) return [`${name} is for ${volume}, ${most} were left to be placed`];
    const whole = old.volume ?? 0n;
    const asked = unitsOf(replaces.executedVolume) + unitsOf(replaces.volume);
    const together = old.executedVolume + made.executedVolume;
    return together > (whole > asked ? whole : asked) ? [`${name}: together ${together} executed`] : [];
  });
}

/** By what the venue knows of the old one; of what was asked for only what was read and said then. */
function mostFor({ executedVolume, openVolume, volume }: Replaces, old: OrderRecord): bigint {
  const [asked, before] = [unitsOf(volume), unitsOf(executedVolume)];
  const whole = old.volume ?? 0n;
  // What was read was so at some time.
  if (before > old.executedVolume || unitsOf(openVolume) !== whole - before) return 0n;
  const left = whole - old.executedVolume;
  const more = asked - (old.executedVolume - before);
  const most = left > more ? left : more;
  return most < asked ? most : asked;
}

function replacedTwice(history: History): readonly string[] {
  const counts = new Map<string, number>();
  for (const { old } of pairsIn(history)) counts.set(old.orderId, (counts.get(old.orderId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([orderId, count]) => `${orderId}: ${count} in its place`);
}
