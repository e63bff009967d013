/**
 * Owns the deliveries and their states, as a state machine: state' = apply(record). Entry point: `OutboxState`.
 *
 * Invariants: equal records lead to equal states, so that the log of records is the state. A delivery in flight is pending. The
 * deliveries kept for one endpoint are bounded in each state, whatever happens at other endpoints: over a limit the oldest in that
 * state gives way, and is counted.
 *
 * Source: service.md#webhook-retries, service.md#webhook-isolation.
 */
import type { WebhookType } from "../../contract/index.ts";
import type { Millis } from "../model/index.ts";

export interface OutboxEvent {
  /** The same in every delivery of it. */
  readonly id: string;
  readonly type: WebhookType;
  readonly accountId: string;
  /** The text that is sent. */
  readonly body: string;
}

export type DeliveryState = "pending" | "delivered" | "parked";

export interface Delivery {
  readonly number: number;
  readonly webhookId: string;
  readonly event: OutboxEvent;
  readonly state: DeliveryState;
  /** Attempts since it was first due, or since it was sent again by hand. */
  readonly attempts: number;
  /** When a pending one is due; for the others, when they reached their state. */
  readonly at: Millis;
  /** Why the last attempt failed; null before the first, and once it was delivered. */
  readonly problem: string | null;
}

/** Changes the state. Times are the exchange's. */
export type OutboxRecord =
  /** The events of the command with number `change`. Each makes a delivery for each endpoint named, numbered from `first` on. */
  | {
      readonly kind: "events";
      readonly change: number;
      readonly at: Millis;
      readonly first: number;
      readonly events: readonly (OutboxEvent & { readonly to: readonly string[] })[];
    }
  /** `retryAt` null: there is no further attempt. */
  | {
      readonly kind: "attempt";
      readonly number: number;
      readonly at: Millis;
      readonly problem: string | null;
      readonly retryAt: Millis | null;
    }
  | { readonly kind: "resend" | "park"; readonly number: number; readonly at: Millis }
  /** An endpoint is gone. */
  | { readonly kind: "leave"; readonly webhookId: string }
  /** The events of later commands are void: the exchange lost those commands. */
  | { readonly kind: "undo"; readonly after: number }
  /** The beginning of a compacted log, and its deliveries one by one. */
  | { readonly kind: "start"; readonly change: number; readonly next: number; readonly dropped: number }
  | ({ readonly kind: "kept"; readonly change: number } & Delivery);

/** Deliveries of one endpoint that are kept in each state, in memory and on disk. */
export interface OutboxLimits {
  readonly pending: number;
  readonly parked: number;
  readonly delivered: number;
}

export const OUTBOX_LIMITS: OutboxLimits = { pending: 10_000, parked: 2_000, delivered: 500 };

export const OVERFLOW = "there were too many to deliver";
export const BY_HAND = "it was parked by hand";

/** Deliveries in one state, oldest first: all, and by endpoint. */
class DeliveriesInState {
  readonly all = new Map<number, Entry>();
  readonly #byEndpoint = new Map<string, Map<number, Entry>>();

  add(entry: Entry): void {
    const { number, webhookId } = entry;
    this.all.set(number, entry);
    const own = this.#byEndpoint.get(webhookId);
    if (own === undefined) this.#byEndpoint.set(webhookId, new Map([[number, entry]]));
    else own.set(number, entry);
  }

  remove({ number, webhookId }: Entry): void {
    this.all.delete(number);
    const own = this.#byEndpoint.get(webhookId);
    own?.delete(number);
    if (own?.size === 0) this.#byEndpoint.delete(webhookId);
  }

  /** An endpoint's oldest that are over its limit. */
  surplus(webhookId: string, limit: number): readonly Entry[] {
    const own = this.#byEndpoint.get(webhookId);
    const surplus: Entry[] = [];
    for (const entry of own?.values() ?? []) {
      if (surplus.length >= (own?.size ?? 0) - limit) break;
      surplus.push(entry);
    }
    return surplus;
  }
}

type Entry = { -readonly [K in keyof Delivery]: Delivery[K] } & { readonly change: number };

export class OutboxState {
  readonly #limits: OutboxLimits;
  readonly #entries = new Map<number, Entry>();
  readonly #byState: Record<DeliveryState, DeliveriesInState> = {
    pending: new DeliveriesInState(),
    delivered: new DeliveriesInState(),
    parked: new DeliveriesInState(),
  };
  #change = 0;
  #next = 1;
  #dropped = 0;

  constructor(limits: OutboxLimits) {
    this.#limits = limits;
  }

  /** Number of the last command whose events are recorded. */
  get change(): number {
    return this.#change;
  }

  /** Number of the next delivery. */
  get next(): number {
    return this.#next;
  }

  /** Parked deliveries that were dropped because there were too many. */
  get dropped(): number {
    return this.#dropped;
  }

  delivery(number: number): Delivery | undefined {
    return this.#entries.get(number);
  }

  /** Oldest first. */
  inState(state: DeliveryState): readonly Delivery[] {
    return [...this.#byState[state].all.values()];
  }

  count(state: DeliveryState): number {
    return this.#byState[state].all.size;
  }

  /** Endpoints that have deliveries in any state. */
  endpoints(): ReadonlySet<string> {
    return new Set([...this.#entries.values()].map(({ webhookId }) => webhookId));
  }

  apply(record: OutboxRecord): void {
    switch (record.kind) {
      case "events":
        this.#admit(record);
        break;
      case "attempt":
        this.#attempted(record);
        break;
      case "resend":
        this.#move(record.number, { state: "pending", attempts: 0, at: record.at });
        break;
      case "park":
        this.#move(record.number, { state: "parked", at: record.at, problem: BY_HAND });
        break;
      case "leave":
        for (const entry of this.#entries.values()) if (entry.webhookId === record.webhookId) this.#remove(entry);
        break;
      case "undo":
        for (const entry of this.#entries.values()) if (entry.change > record.after) this.#remove(entry);
        this.#change = Math.min(this.#change, record.after);
        break;
      case "start":
        [this.#change, this.#next, this.#dropped] = [record.change, record.next, record.dropped];
        break;
      case "kept": {
        const { kind: _kind, ...entry } = record;
        this.#add({ ...entry });
        break;
      }
      default:
        record satisfies never;
    }
  }

  /** Records that lead to this state from an empty one. */
  *records(): Iterable<OutboxRecord> {
    yield { kind: "start", change: this.#change, next: this.#next, dropped: this.#dropped };
    for (const { all } of Object.values(this.#byState))
      for (const entry of all.values()) yield { kind: "kept", ...entry };
  }

  #admit({ change, at, first, events }: Extract<OutboxRecord, { kind: "events" }>): void {
    let number = first;
    for (const { to, ...event } of events)
      for (const webhookId of to)
        this.#add({ number: number++, webhookId, event, state: "pending", attempts: 0, at, problem: null, change });
    [this.#change, this.#next] = [change, number];
    for (const webhookId of new Set(events.flatMap(({ to }) => to)))
      for (const entry of this.#surplus("pending", webhookId))
        this.#move(entry.number, { state: "parked", at, problem: OVERFLOW });
  }

  #attempted({ number, at, problem, retryAt }: Extract<OutboxRecord, { kind: "attempt" }>): void {
    const entry = this.#entries.get(number);
    // Parked by hand, or its endpoint removed, while it was in flight.
    if (entry?.state !== "pending") return;
    entry.attempts += 1;
    entry.problem = problem;
    if (problem === null) this.#move(number, { state: "delivered", at });
    else if (retryAt === null) this.#move(number, { state: "parked", at });
    else entry.at = retryAt;
  }

  #move(number: number, to: Partial<Entry> & Pick<Entry, "state">): void {
    const entry = this.#entries.get(number);
    if (entry === undefined) return;
    this.#byState[entry.state].remove(entry);
    Object.assign(entry, to);
    this.#byState[entry.state].add(entry);
    // Pending deliveries over the limit are parked in `#admit`.
    if (entry.state === "pending") return;
    for (const surplus of this.#surplus(entry.state, entry.webhookId)) {
      if (surplus.state === "parked") this.#dropped += 1;
      this.#remove(surplus);
    }
  }

  #surplus(state: DeliveryState, webhookId: string): readonly Entry[] {
    return this.#byState[state].surplus(webhookId, this.#limits[state]);
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.number, entry);
    this.#byState[entry.state].add(entry);
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.number);
    this.#byState[entry.state].remove(entry);
  }
}
