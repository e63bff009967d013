/**
 * Webhooks as a part of the sandbox: records the events of accounts that have an endpoint in the outbox, and delivers them.
 * Entry point: `WebhookService`.
 *
 * Invariants: without an endpoint nothing is recorded and there is no file. With a directory, every event of a durable command is
 * delivered, over crashes too: what was not recorded before a crash is recorded when its command is replayed.
 *
 * Source: service.md#webhooks, service.md#webhook-crash; decision 0013.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { refusal } from "../engine/core/command.ts";
import type { OpenedExchange } from "../engine/index.ts";
import { type Disk, NODE_DISK } from "../engine/storage/disk.ts";
import type { Applied, Command, Exchange, ExchangeEvent, Millis, Refusal } from "../model/index.ts";
import type { RandomBytes } from "../service/order-id.ts";
import { Dispatcher, type DispatcherParts } from "./dispatcher.ts";
import { bodyOf, eventContentsOf } from "./event.ts";
import { Outbox, type OutboxSettings } from "./outbox.ts";
import type { Delivery, DeliveryState } from "./outbox-state.ts";

export type WebhookServiceParts = Pick<
  DispatcherParts,
  "now" | "machineTime" | "random" | "allowRemote" | "onDefect" | "answerMs"
>;

/** The exchange right after the command: for an account's endpoints, and for what its events show. */
type Directory = Pick<Exchange, "market" | "account" | "webhooks" | "settlementState" | "fillSettlement">;

const FILE = "webhooks.log";
const ID_BYTES = 16;

export class WebhookService {
  readonly #settings: OutboxSettings;
  readonly #randomBytes: RandomBytes;
  #outbox: Outbox | undefined;
  #dispatcher: Dispatcher | undefined;
  #opened: OpenedExchange | undefined;
  #parts: WebhookServiceParts | undefined;
  #unfollow: (() => void) | undefined;

  /** @throws DamagedJournalError, or the system's error, when there is an outbox that cannot be used. */
  constructor(dir: string | undefined, randomBytes: RandomBytes, disk: Disk = NODE_DISK) {
    this.#randomBytes = randomBytes;
    this.#settings = dir === undefined ? {} : { path: join(dir, FILE), disk };
    const { path } = this.#settings;
    if (path !== undefined && existsSync(path)) this.#outbox = Outbox.open(this.#settings);
  }

  /** Tells whether there ever was an endpoint here, so that the events of replayed commands are needed. */
  get hasOutbox(): boolean {
    return this.#outbox !== undefined;
  }

  /** Records the events of a command. */
  record(happened: readonly ExchangeEvent[], at: Millis, change: number, directory: Directory): void {
    if (this.#outbox === undefined || change <= this.#outbox.change) return;
    const events = eventContentsOf(happened, directory).flatMap((content) => {
      const { accountId, type } = content;
      const to = directory.webhooks(accountId).filter(({ types }) => types.includes(type));
      if (to.length === 0) return [];
      const id = `evt_${Buffer.from(this.#randomBytes(ID_BYTES)).toString("hex")}`;
      return [{ id, type, accountId, body: bodyOf(id, content, at), to: to.map(({ webhookId }) => webhookId) }];
    });
    this.#outbox.record({ change, at, events });
    this.#dispatcher?.releaseRecorded();
  }

  /** Brings what was recorded to disk. @throws as `fs` does. */
  syncNow(): void {
    this.#outbox?.syncNow();
  }

  /** Begins to record and deliver. @returns the exchange for everyone's use, which counts as failed when events cannot be recorded. */
  attach(opened: OpenedExchange, parts: WebhookServiceParts): OpenedExchange {
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

  /** Sends what is due by now, after the clock was moved or a delivery was made due. */
  wake(): void {
    this.#dispatcher?.wake();
  }

  deliveries(state: DeliveryState): readonly Delivery[] {
    return this.#outbox?.inState(state) ?? [];
  }

  delivery(number: number): Delivery | undefined {
    return this.#outbox?.delivery(number);
  }

  /** Deliveries in each state, and how many parked ones were dropped because there were too many. */
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

  /** Ends the deliveries. Events are still recorded until the exchange is closed. */
  async stop(): Promise<void> {
    await this.#dispatcher?.close();
  }

  close(): void {
    this.#outbox?.close();
  }

  #apply(opened: OpenedExchange, command: Command, at: Millis): Applied | Refusal {
    if (command.type === "registerWebhook") {
      try {
        // Before the command is written: after a crash in between, the endpoint would have no outbox to be replayed into.
        this.#outbox ??= Outbox.open(this.#settings);
      } catch (error) {
        this.#parts?.onDefect(error);
        return refusal("EService:Unavailable", "the outbox of webhooks cannot be made");
      }
    }
    const applied = opened.apply(command, at);
    if (!applied.ok) return applied;
    if (command.type === "registerWebhook" && this.#outbox !== undefined) this.#begin(this.#outbox);
    if (command.type === "unregisterWebhook") this.#dropUnregistered();
    if (command.type === "advanceClock") this.wake();
    return applied;
  }

  /** Starts delivering, and recording while there is an endpoint. */
  #begin(outbox: Outbox): void {
    const [opened, parts] = [this.#opened, this.#parts];
    if (opened === undefined || parts === undefined) return;
    const { exchange } = opened;
    this.#dropUnregistered();
    this.#dispatcher ??= new Dispatcher({ ...parts, outbox, exchange, durable: () => opened.durable() });
    if (exchange.webhooks().length > 0)
      this.#unfollow ??= opened.onEvents((facts, at, change) => this.record(facts, at, change, exchange));
    this.#dispatcher.releaseRecorded();
    this.#dispatcher.wake();
  }

  /** Drops the deliveries of endpoints that are gone, and stops recording when there is none left. */
  #dropUnregistered(): void {
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
