/** What must hold after the run: by the exchange's own word, by the store's, and by what agents were told. */
import { firstReversal, journalOf, venueOrders } from "../../fixture/witness.ts";
import type { Asked } from "./replica-agents.ts";
import type { OwnPostgres, Wiretap } from "./replica-ways.ts";

export const POLICY = {
  mode: '"bounded"',
  max_order_krw: '"1000000"',
  max_day_krw: '"15000000"',
  max_open_krw: '"5000000"',
  max_open_orders: "30",
  max_orders_per_minute: "60",
  approval_over_krw: '"200000"',
  approval_ttl_s: "600",
  price_collar_pct: '"off"',
  max_slippage_pct: '"off"',
  approval_drift_pct: '"50"',
  book_max_age_ms: "10000",
} as const;

const numberOf = (setting: keyof typeof POLICY): number => Number(POLICY[setting].replaceAll('"', ""));

interface Intent {
  readonly userref: string;
  readonly state: string;
  readonly order_id: string | null;
  readonly held_krw: string;
  readonly sent_at_ms: string | null;
}

interface VenueOrder {
  readonly orderId: string;
  readonly userref: string | null;
  readonly state: string;
  readonly executed_volume: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Findings {
  readonly faults: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

export interface Evidence {
  readonly postgres: OwnPostgres;
  readonly venueHome: string;
  readonly asked: readonly Asked[];
  readonly tap: Wiretap;
}

/** States of an intent that is still on its way. */
const UNSETTLED = ["approved", "submitting", "unknown", "accepted", "cancel_requested"];
const AT_VENUE = ["open", "partially_filled", "filled", "canceled", "expired"];

export async function unsettledIn(postgres: OwnPostgres): Promise<number> {
  const sql = "SELECT count(*)::int AS count FROM hoga.intents WHERE state = ANY ($1)";
  const [found] = await postgres.query<{ count: number }>(sql, [UNSETTLED]);
  return found?.count ?? 0;
}

export async function findings({ postgres, venueHome, asked, tap }: Evidence): Promise<Findings> {
  const intents = await postgres.query<Intent>(
    "SELECT userref, state, order_id, held_krw, sent_at_ms FROM hoga.intents WHERE state NOT IN ('draft', 'used')",
  );
  const orders = (await venueOrders(venueHome)) as unknown as readonly VenueOrder[];
  const faults = [...compared(intents, orders, asked)];
  const sent = intents.flatMap(({ sent_at_ms }) => (sent_at_ms === null ? [] : [Number(sent_at_ms)]));
  const figures = {
    asked: asked.length,
    "orders at the exchange": orders.length,
    "most open at once": mostOpen(orders),
    "most sent in a minute": mostWithin(sent, 60_000),
    "KRW of the day": intents.reduce((sum, { held_krw }) => sum + Number(held_krw), 0),
    "signed requests": tap.nonces.length,
    "answers 429": tap.statuses.get(429) ?? 0,
  };
  const limits = [
    ["most open at once", numberOf("max_open_orders")],
    ["most sent in a minute", numberOf("max_orders_per_minute")],
    ["KRW of the day", numberOf("max_day_krw")],
    ["answers 429", 0],
  ] as const;
  for (const [what, max] of limits) if (figures[what] > max) faults.push(`${what}: ${figures[what]}, over ${max}`);
  const reversal = firstReversal(journalOf(venueHome).flatMap(({ command }) => command.nonce ?? []));
  if (reversal !== undefined) faults.push(`nonces: ${reversal}`);
  return { faults, figures };
}

function* compared(
  intents: readonly Intent[],
  orders: readonly VenueOrder[],
  asked: readonly Asked[],
): Generator<string, void, undefined> {
  const byName = new Map(intents.map((intent) => [intent.userref, intent]));
  const atVenue = new Map<string, VenueOrder[]>();
  for (const order of orders) atVenue.set(order.userref ?? "", [...(atVenue.get(order.userref ?? "") ?? []), order]);
  for (const [userref, found] of atVenue) {
    if (found.length > 1) yield `DOUBLED ${userref}: ${found.length} orders`;
    if (!byName.has(userref)) yield `${userref} is at the exchange and not in the store`;
  }
  for (const { userref, told } of asked) {
    const count = atVenue.get(userref)?.length ?? 0;
    if (told === "accepted" && count === 0) yield `LOST ${userref}: accepted, and not at the exchange`;
    if ((told === "not_sent" || told === "rejected") && count > 0 && !isRejected(atVenue.get(userref)))
      yield `${userref}: told ${told}, and it is at the exchange`;
  }
  for (const { userref, state } of intents) {
    const [order] = atVenue.get(userref) ?? [];
    if (UNSETTLED.includes(state)) yield `${userref} is still ${state}`;
    else if (AT_VENUE.includes(state) && order === undefined) yield `${userref} is ${state}, and not at the exchange`;
    else if (order !== undefined && !agree(state, order))
      yield `${userref} is ${state}, at the exchange ${order.state}`;
  }
}

function isRejected(orders: readonly VenueOrder[] | undefined): boolean {
  return orders?.every(({ state }) => state === "rejected") ?? false;
}

function agree(state: string, { state: atVenue, executed_volume }: VenueOrder): boolean {
  if (state === "partially_filled") return atVenue === "open" && Number(executed_volume) > 0;
  return state === atVenue;
}

function mostOpen(orders: readonly VenueOrder[]): number {
  const moves = orders.flatMap(({ created_at, updated_at, state }) => [
    [Date.parse(created_at), 1] as const,
    ...(state === "open" ? [] : [[Date.parse(updated_at), -1] as const]),
  ]);
  let [open, most] = [0, 0];
  // What ends in the same millisecond ends first.
  for (const [, by] of moves.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    open += by;
    most = Math.max(most, open);
  }
  return most;
}

function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let [from, most] = [0, 0];
  for (const [at, time] of sorted.entries()) {
    while (time - (sorted[from] ?? time) >= windowMs) from += 1;
    most = Math.max(most, at - from + 1);
  }
  return most;
}
