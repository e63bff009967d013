/**
 * Webhooks as a part of the sandbox: what happens on an account that has an endpoint is noted, kept and delivered.
 * Entry point: `WebhookOutlet`.
 *
 * Invariants: who has no endpoint pays nothing, neither for noting nor for a file; with a directory, every event of a command
 * that was kept is delivered, over crashes too: what a crash kept from being noted is noted when it is replayed.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { refusal } from "../engine/core/command.ts";
import type { OpenedExchange } from "../engine/index.ts";
import { type Disk, NODE_DISK } from "../engine/storage/disk.ts";
import type { Applied, Command, Exchange, ExchangeEvent, Millis, Refusal } from "../model/index.ts";
import type { RandomBytes } from "../service/order-id.ts";
import { Delivering, type DeliveringParts } from "./delivering.ts";
import { bodyOf, happeningsOf } from "./event.ts";
import { Outbox, type OutboxSettings } from "./outbox.ts";
import type { Delivery, DeliveryState } from "./outbox-state.ts";

export type OutletParts = Pick<
  DeliveringParts,
  "now" | "machineTime" | "random" | "allowRemote" | "onDefect" | "answerMs"
>;

/** Where an account's endpoints, and what events show of it, are looked up: as they are right after the command. */
type Directory = Pick<Exchange, "market" | "account" | "webhooks">;

const FILE = "webhooks.log";
const ID_BYTES = 16;

export class WebhookOutlet {
  readonly #settings: OutboxSettings;
  readonly #randomBytes: RandomBytes;
  #outbox: Outbox | undefined;
  #delivering: Delivering | undefined;
  #opened: OpenedExchange | undefined;
  #parts: OutletParts | undefined;
  #unfollow: (() => void) | undefined;

  /** @throws DamagedJournalError, or the system's error, when there is an outbox that cannot be used. */
  constructor(dir: string | undefined, randomBytes: RandomBytes, disk: Disk = NODE_DISK) {
    this.#randomBytes = randomBytes;
    this.#settings = dir === undefined ? {} : { path: join(dir, FILE), disk };
    const { path } = this.#settings;
    if (path !== undefined && existsSync(path)) this.#outbox = Outbox.open(this.#settings);
  }

  /** Whether there ever was an endpoint here, so that what is replayed matters. */
  get isUsed(): boolean {
    return this.#outbox !== undefined;
  }

  /** Takes in what a command made. */
  note(facts: readonly ExchangeEvent[], at: Millis, change: number, directory: Directory): void {
    if (this.#outbox === undefined || change <= this.#outbox.change) return;
    const events = happeningsOf(facts, directory).flatMap((happening) => {
      const { accountId, type } = happening;
      const to = directory.webhooks(accountId).filter(({ types }) => types.includes(type));
      if (to.length === 0) return [];
      const id = `evt_${Buffer.from(this.#randomBytes(ID_BYTES)).toString("hex")}`;
      return [{ id, type, accountId, body: bodyOf(id, happening, at), to: to.map(({ webhookId }) => webhookId) }];
    });
    this.#outbox.note({ change, at, events });
    this.#delivering?.noted();
  }

  /** Brings to disk what was noted. @throws as `fs` does. */
  syncNow(): void {
    this.#outbox?.syncNow();
  }

  /** Begins to note and deliver. @returns the exchange as everybody is to use it; it has failed when events cannot be kept. */
  attach(opened: OpenedExchange, parts: OutletParts): OpenedExchange {
    [this.#opened, this.#parts] = [opened, parts];
    this.#outbox?.undo(opened.recovered.changes);
    if (opened.exchange.webhooks().length > 0) this.#outbox ??= Outbox.open(this.#settings);
    if (this.#outbox !== undefined) this.#begin(this.#outbox);
    const apply = (command: Command, at: Millis): Applied | Refusal => this.#apply(opened, command, at);
    const failed = (): string | undefined => this.#outbox?.failed;
    return {
      ...opened,
      get failed() {
        return opened.failed ?? failed();
      },
      exchange: { ...opened.exchange, apply },
      apply,
    };
  }

  /** The clock was moved, or a delivery is to be sent again. */
  wake(): void {
    this.#delivering?.wake();
  }

  /** Oldest first. */
  deliveries(state: DeliveryState): readonly Delivery[] {
    return this.#outbox?.inState(state) ?? [];
  }

  delivery(number: number): Delivery | undefined {
    return this.#outbox?.delivery(number);
  }

  /** Deliveries of each kind, and how many parked ones were given up because there were too many. */
  get counts(): Readonly<Record<DeliveryState | "dropped", number>> {
    const count = (state: DeliveryState): number => this.#outbox?.count(state) ?? 0;
    const dropped = this.#outbox?.dropped ?? 0;
    return { pending: count("pending"), delivered: count("delivered"), parked: count("parked"), dropped };
  }

  /** @returns false for one that is not there, or pending already. */
  resend(number: number, at: Millis): boolean {
    const done = this.#outbox?.resend(number, at) === true;
    if (done) this.wake();
    return done;
  }

  /** @returns false for one that is not pending. */
  park(number: number, at: Millis): boolean {
    return this.#outbox?.park(number, at) === true;
  }

  /** Delivers no more; notes on, until the exchange is closed. */
  async stop(): Promise<void> {
    await this.#delivering?.close();
  }

  close(): void {
    this.#outbox?.close();
  }

  #apply(opened: OpenedExchange, command: Command, at: Millis): Applied | Refusal {
    if (command.type === "registerWebhook") {
      try {
        // Before the command is kept: an endpoint without an outbox would miss what a crash cuts off.
        this.#outbox ??= Outbox.open(this.#settings);
      } catch (error) {
        this.#parts?.onDefect(error);
        return refusal("EService:Unavailable", "the outbox of webhooks cannot be made");
      }
    }
    const applied = opened.apply(command, at);
    if (!applied.ok) return applied;
    if (command.type === "registerWebhook" && this.#outbox !== undefined) this.#begin(this.#outbox);
    if (command.type === "unregisterWebhook") this.#left();
    if (command.type === "advanceClock") this.wake();
    return applied;
  }

  /** There is an endpoint, or something left to deliver. */
  #begin(outbox: Outbox): void {
    const [opened, parts] = [this.#opened, this.#parts];
    if (opened === undefined || parts === undefined) return;
    const { exchange } = opened;
    this.#left();
    this.#delivering ??= new Delivering({ ...parts, outbox, exchange, durable: () => opened.durable() });
    if (exchange.webhooks().length > 0)
      this.#unfollow ??= opened.onEvents((facts, at, change) => this.note(facts, at, change, exchange));
    this.#delivering.noted();
    this.#delivering.wake();
  }

  /** What was for endpoints that are gone goes too, and nobody listens for none. */
  #left(): void {
    const webhooks = this.#opened?.exchange.webhooks() ?? [];
    const known = new Set(webhooks.map(({ webhookId }) => webhookId));
    try {
      this.#outbox?.keepOnly(known);
    } catch (error) {
      this.#parts?.onDefect(error);
    }
    if (known.size > 0) return;
    this.#unfollow?.();
    this.#unfollow = undefined;
  }
}
