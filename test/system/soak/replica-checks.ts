/** What must hold after the run, tenant by tenant: by the exchange's own word, by the store's, and by what agents were told. */
import { firstReversal, journalOf, type ShownOrder, venueFills, venueOrders } from "../../fixture/witness.ts";
import type { Asked } from "./replica-agents.ts";
import type { Limits, SoakTenant } from "./replica-tenants.ts";
import type { OwnPostgres, Wiretap } from "./replica-ways.ts";

interface Intent {
  readonly userref: string;
  readonly state: string;
  readonly order_id: string | null;
  readonly sent_at_ms: string | null;
}

interface VenueOrder extends ShownOrder {
  readonly created_at: string;
  readonly updated_at: string;
}

/** While whom nothing may have been sent: from the answer to the halt until a person begins to lift it. Unix milliseconds. */
export interface Halt {
  readonly tenants: readonly string[];
  readonly fromMs: number;
  toMs: number;
}

/** What one tenant came to, beside what it may. */
export interface Used extends Limits {
  readonly asked: number;
  readonly orders: number;
  /** Spent by the exchange's word. */
  readonly spentKrw: number;
}

export interface Findings {
  readonly faults: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
  readonly used: ReadonlyMap<string, Used>;
}

export interface Evidence {
  readonly postgres: OwnPostgres;
  readonly venueHome: string;
  readonly tenants: readonly SoakTenant[];
  readonly asked: readonly Asked[];
  readonly halts: readonly Halt[];
  readonly tap: Wiretap;
}

/** States of an intent that is still on its way. */
const UNSETTLED = ["approved", "submitting", "unknown", "accepted", "cancel_requested"];
const AT_VENUE = ["open", "partially_filled", "filled", "canceled", "expired"];

const schemaOf = (tenant: string): string => `hoga_t_${tenant.replaceAll("-", "_")}`;

export async function unsettledIn(postgres: OwnPostgres, tenants: readonly SoakTenant[]): Promise<number> {
  let count = 0;
  for (const schema of ["hoga", ...tenants.map(({ name }) => schemaOf(name))]) {
    const sql = `SELECT count(*)::int AS count FROM ${schema}.intents WHERE state = ANY ($1)`;
    const [found] = await postgres.query<{ count: number }>(sql, [UNSETTLED]);
    count += found?.count ?? 0;
  }
  return count;
}

export async function findings(evidence: Evidence): Promise<Findings> {
  const { postgres, venueHome, tenants, asked, halts, tap } = evidence;
  const faults: string[] = [];
  const used = new Map<string, Used>();
  const sentBy = new Map<string, readonly number[]>();
  for (const { name, limits, key } of tenants) {
    const sql = `SELECT userref, state, order_id, sent_at_ms FROM ${schemaOf(name)}.intents WHERE state NOT IN ('draft', 'used')`;
    const intents = await postgres.query<Intent>(sql);
    const orders = (await venueOrders(venueHome, key)) as readonly VenueOrder[];
    const own = asked.filter(({ tenant }) => tenant === name);
    const sent = intents.flatMap(({ sent_at_ms }) => (sent_at_ms === null ? [] : [Number(sent_at_ms)]));
    sentBy.set(name, sent);
    const came: Used = {
      asked: own.length,
      orders: orders.length,
      spentKrw: (await venueFills(venueHome, key)).reduce((sum, { value }) => sum + Number(value), 0),
      max_open_orders: mostOpen(orders),
      max_orders_per_minute: mostWithin(sent, 60_000),
      max_day_krw: await mostHeld(postgres, name),
    };
    used.set(name, came);
    const found = [...compared(intents, orders, own), ...overrun(came, limits)];
    faults.push(...found.map((fault) => `${name}: ${fault}`));
  }
  const meanwhile = sentWhileHalted(halts, sentBy);
  const figures = {
    asked: asked.length,
    "orders at the exchange": [...used.values()].reduce((sum, { orders }) => sum + orders, 0),
    "sent by others while one was halted": meanwhile.byOthers,
    "signed requests": tap.nonces.length,
    "answers 429": tap.statuses.get(429) ?? 0,
  };
  faults.push(...meanwhile.faults, ...operatorsFaults(await postgres.query("SELECT userref FROM hoga.intents")));
  if (figures["answers 429"] > 0) faults.push(`answers 429: ${figures["answers 429"]}`);
  return { faults: [...faults, ...nonceFaults(venueHome)], figures, used };
}

/** Nobody trades as the operator. */
function operatorsFaults(found: readonly unknown[]): readonly string[] {
  return found.length === 0 ? [] : [`${found.length} orders are in the operator's store`];
}

function* overrun(came: Used, limits: Limits): Generator<string, void, undefined> {
  for (const limit of Object.keys(limits) as (keyof Limits)[])
    if (came[limit] > limits[limit]) yield `${limit}: ${came[limit]}, over ${limits[limit]}`;
  if (came.spentKrw > limits.max_day_krw) yield `${came.spentKrw} KRW were spent, over ${limits.max_day_krw}`;
}

function sentWhileHalted(
  halts: readonly Halt[],
  sentBy: ReadonlyMap<string, readonly number[]>,
): { readonly faults: readonly string[]; readonly byOthers: number } {
  const faults: string[] = [];
  let byOthers = 0;
  for (const { tenants, fromMs, toMs } of halts)
    for (const [name, sent] of sentBy) {
      const count = sent.filter((ms) => ms > fromMs && ms < toMs).length;
      if (!tenants.includes(name)) byOthers += count;
      else if (count > 0) faults.push(`${name}: ${count} orders were sent while it was halted`);
    }
  return { faults, byOthers };
}

/** Each key's rise, over all replicas. */
function nonceFaults(venueHome: string): readonly string[] {
  const byKey = new Map<string, string[]>();
  for (const { command } of journalOf(venueHome)) {
    const { nonce, keyId = "" } = command;
    if (nonce === undefined) continue;
    const own = byKey.get(keyId) ?? [];
    own.push(nonce);
    byKey.set(keyId, own);
  }
  return [...byKey.values()].flatMap((nonces) => {
    const reversal = firstReversal(nonces);
    return reversal === undefined ? [] : [`nonces: ${reversal}`];
  });
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

/** What all orders of a tenant held together at most, entry by entry of its log. */
async function mostHeld(postgres: OwnPostgres, tenant: string): Promise<number> {
  const rows = await postgres.query<{ intent_id: string; held: string }>(
    `SELECT intent_id, detail::json ->> 'held' AS held FROM ${schemaOf(tenant)}.audit
      WHERE event IN ('intent_recorded', 'intent_moved') AND detail::json ->> 'held' IS NOT NULL ORDER BY seq`,
  );
  const held = new Map<string, number>();
  let [sum, most] = [0, 0];
  for (const { intent_id, held: text } of rows) {
    sum += Number(text) - (held.get(intent_id) ?? 0);
    held.set(intent_id, Number(text));
    most = Math.max(most, sum);
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
