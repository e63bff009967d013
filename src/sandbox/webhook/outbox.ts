/**
 * Owns the outbox: the deliveries, in memory or in a log on disk, and which of them are due. Entry point: `Outbox.open`.
 *
 * Invariants: the deliveries of a command are handed out only after `release`, which is called when the command is on disk; every
 * change is written to the log as it is made; a delivery is handed out once at a time.
 */
import { type Disk, NODE_DISK } from "../engine/storage/disk.ts";
import { prefixLength } from "../lists.ts";
import type { Millis } from "../model/index.ts";
import { OutboxFile } from "./outbox-file.ts";
import {
  type Delivery,
  OUTBOX_LIMITS,
  type OutboxEvent,
  type OutboxLimits,
  type OutboxRecord,
  OutboxState,
} from "./outbox-state.ts";

export interface OutboxSettings {
  /** In memory without it. */
  readonly path?: string;
  readonly limits?: OutboxLimits;
  readonly disk?: Disk;
}

export interface RecordedEvents {
  /** Number of the command. */
  readonly change: number;
  readonly at: Millis;
  readonly events: readonly (OutboxEvent & { readonly to: readonly string[] })[];
}

export class Outbox {
  readonly #state: OutboxState;
  readonly #file: OutboxFile | undefined;
  /** Keyed by endpoint. */
  readonly #due = new Map<string, DueList>();
  readonly #inFlight = new Set<number>();
  /** Numbers of deliveries whose commands may not be on disk yet. */
  #unreleased: number[] = [];

  private constructor(state: OutboxState, file: OutboxFile | undefined) {
    this.#state = state;
    this.#file = file;
  }

  /** @throws DamagedJournalError, or the system's error, for a file that cannot be used. */
  static open({ path, limits = OUTBOX_LIMITS, disk = NODE_DISK }: OutboxSettings = {}): Outbox {
    const state = new OutboxState(limits);
    if (path === undefined) return new Outbox(state, undefined);
    const { file, records } = OutboxFile.open(path, disk);
    for (const record of records) state.apply(record);
    const outbox = new Outbox(state, file);
    for (const delivery of state.inState("pending")) outbox.#schedule(delivery);
    return outbox;
  }

  get change(): number {
    return this.#state.change;
  }

  get failed(): string | undefined {
    return this.#file?.failed;
  }

  get dropped(): number {
    return this.#state.dropped;
  }

  /** Records the events of a command, unless they are recorded already. @throws when they cannot be written. */
  record({ change, at, events }: RecordedEvents): void {
    if (change <= this.#state.change || events.length === 0) return;
    const first = this.#state.next;
    this.#write({ kind: "events", change, at, first, events });
    for (let number = first; number < this.#state.next; number++) this.#unreleased.push(number);
  }

  /** Removes the events of commands after this one, which the exchange lost. */
  undo(after: number): void {
    if (this.#state.change <= after) return;
    this.#write({ kind: "undo", after });
    for (const list of this.#due.values()) list.keep(({ number }) => this.#state.delivery(number) !== undefined);
  }

  /** Resolves when everything recorded so far is on disk. */
  async durable(): Promise<void> {
    await this.#file?.sync();
  }

  /** The same at once. @throws as `fs` does. */
  syncNow(): void {
    this.#file?.syncNow();
  }

  /** Marks what is recorded so far, for a later `release`. */
  mark(): number {
    return this.#state.next;
  }

  /** Call when everything before the mark is on disk: its commands, and its records here. */
  release(mark: number): void {
    const released = this.#unreleased.filter((number) => number < mark);
    this.#unreleased = this.#unreleased.filter((number) => number >= mark);
    for (const number of released) {
      const delivery = this.#state.delivery(number);
      if (delivery?.state === "pending") this.#schedule(delivery);
    }
  }

  get hasUnreleased(): boolean {
    return this.#unreleased.length > 0;
  }

  /** When an endpoint's next delivery is due, of those not in flight. */
  dueAt(webhookId: string): Millis | undefined {
    return this.#due.get(webhookId)?.first?.at;
  }

  /** Hands out the endpoint's delivery that is due first. It is in flight until `finish`, or until a restart. */
  take(webhookId: string, now: Millis): Delivery | undefined {
    const list = this.#due.get(webhookId);
    for (let first = list?.first; first !== undefined && first.at <= now; first = list?.first) {
      list?.remove(first);
      const delivery = this.#state.delivery(first.number);
      // Parked since, or due at another time, or still in flight.
      if (delivery?.state !== "pending" || delivery.at !== first.at || this.#inFlight.has(first.number)) continue;
      this.#inFlight.add(first.number);
      return delivery;
    }
    return undefined;
  }

  /** @param problem null when it was accepted. @param retryAt null when there is no further attempt. */
  finish(number: number, at: Millis, problem: string | null, retryAt: Millis | null): void {
    this.#inFlight.delete(number);
    if (this.#state.delivery(number)?.state !== "pending") return;
    this.#write({ kind: "attempt", number, at, problem, retryAt });
    const delivery = this.#state.delivery(number);
    if (delivery?.state === "pending") this.#schedule(delivery);
    if (this.#file?.isLong === true) this.#file.compact(this.#state.records());
  }

  /** Makes it due at once, with all its attempts. @returns false for one that does not exist, or is pending already. */
  resend(number: number, at: Millis): boolean {
    const delivery = this.#state.delivery(number);
    if (delivery === undefined || delivery.state === "pending") return false;
    this.#write({ kind: "resend", number, at });
    // Still in flight since before it was parked: the outcome of that attempt counts.
    const again = this.#state.delivery(number);
    if (again !== undefined && !this.#inFlight.has(number)) this.#schedule(again);
    return true;
  }

  /** Makes no more attempts. @returns false for one that is not pending. */
  park(number: number, at: Millis): boolean {
    const delivery = this.#state.delivery(number);
    if (delivery?.state !== "pending") return false;
    this.#unschedule(delivery);
    this.#write({ kind: "park", number, at });
    return true;
  }

  /** Removes the deliveries of all other endpoints. */
  keepOnly(webhookIds: ReadonlySet<string>): void {
    for (const webhookId of this.#state.endpoints()) {
      if (webhookIds.has(webhookId)) continue;
      this.#due.delete(webhookId);
      this.#write({ kind: "leave", webhookId });
    }
  }

  delivery(number: number): Delivery | undefined {
    return this.#state.delivery(number);
  }

  inState(state: Delivery["state"]): readonly Delivery[] {
    return this.#state.inState(state);
  }

  count(state: Delivery["state"]): number {
    return this.#state.count(state);
  }

  close(): void {
    this.#file?.close();
  }

  #write(record: OutboxRecord): void {
    this.#file?.append(record);
    this.#state.apply(record);
  }

  #schedule({ webhookId, number, at }: Delivery): void {
    let list = this.#due.get(webhookId);
    if (list === undefined) {
      list = new DueList();
      this.#due.set(webhookId, list);
    }
    list.add({ number, at });
  }

  #unschedule({ webhookId, number, at }: Delivery): void {
    this.#due.get(webhookId)?.remove({ number, at });
  }
}

/** The deliveries of one endpoint in the order they are due. */
interface Due {
  readonly number: number;
  readonly at: Millis;
}

class DueList {
  #entries: Due[] = [];

  get first(): Due | undefined {
    return this.#entries[0];
  }

  add(entry: Due): void {
    const position = this.#position(entry);
    const { number, at } = this.#entries[position] ?? {};
    if (number !== entry.number || at !== entry.at) this.#entries.splice(position, 0, entry);
  }

  /** Removes the entry of that number and time, if there is one. */
  remove(entry: Due): void {
    const position = this.#position(entry);
    const { number, at } = this.#entries[position] ?? {};
    if (number === entry.number && at === entry.at) this.#entries.splice(position, 1);
  }

  keep(isKept: (entry: Due) => boolean): void {
    this.#entries = this.#entries.filter(isKept);
  }

  #position({ at, number }: Due): number {
    return prefixLength(this.#entries, (found) => found.at < at || (found.at === at && found.number < number));
  }
}
