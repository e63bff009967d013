/**
 * Two customers, ann and bob, and their commands for tests of webhooks: in a whole sandbox, or in an exchange with the webhook service
 * alone, whose disk, limits and deliveries a test can reach.
 */
import { randomBytes as systemRandomBytes } from "node:crypto";
import { WEBHOOK_TYPES, type WebhookType } from "../../../src/contract/index.ts";
import { type OpenedExchange, type OpenOptions, openExchange } from "../../../src/sandbox/engine/index.ts";
import type { Disk } from "../../../src/sandbox/engine/storage/disk.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../src/sandbox/index.ts";
import type { Command, Exchange, OrderRecord, PlaceCommand } from "../../../src/sandbox/model/index.ts";
import { orderIds, type RandomBytes } from "../../../src/sandbox/service/order-id.ts";
import { WebhookService } from "../../../src/sandbox/webhook/webhook-service.ts";
import { BTC, ETH, krw, order, placed } from "../engine/exchange-kit.ts";
import { must } from "../http/venue.ts";
import { RECEIVER_SECRET } from "./receiver.ts";

export interface Trading {
  /** A command that must succeed, now. */
  give(command: Command): void;
  place(terms: Partial<PlaceCommand> & Pick<PlaceCommand, "accountId" | "side">): OrderRecord;
  cancel(placed: OrderRecord): void;
  register(url: string, types?: readonly WebhookType[], accountId?: string, webhookId?: string): void;
  advance(byMs: number): void;
}

export interface PartnerVenue extends Trading {
  readonly sandbox: Sandbox;
  readonly defects: unknown[];
}

export interface WebhookVenue extends Trading {
  readonly webhooks: WebhookService;
  readonly opened: OpenedExchange;
  readonly defects: unknown[];
  close(): Promise<void>;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

const nextId = orderIds(Date.now, systemRandomBytes);

function tradingOn(exchange: Exchange, now: () => number): Trading {
  const at = () => now() + exchange.clockOffset();
  const give = (command: Command): void => must(exchange.apply(command, at()));
  for (const accountId of ["ann", "bob"]) {
    if (exchange.account(accountId) !== undefined) continue;
    give({ type: "createAccount", accountId, krwAccountLinked: true });
    for (const asset of ["KRW", "BTC"]) give({ type: "deposit", accountId, asset, amount: krw(10_000_000) });
  }
  return {
    give,
    place: (terms) => placed(exchange.apply({ ...order(terms), orderId: nextId() }, at())),
    cancel: ({ accountId, symbol, orderId }) => give({ type: "cancel", accountId, symbol, orderId }),
    register: (url, types = WEBHOOK_TYPES, accountId = "ann", webhookId = `wh_${accountId}_${new URL(url).port}`) =>
      give({ type: "registerWebhook", webhook: { webhookId, accountId, url, secret: RECEIVER_SECRET, types } }),
    advance: (byMs) => give({ type: "advanceClock", byMs }),
  };
}

export async function openPartnerVenue(options: SandboxOptions = {}): Promise<PartnerVenue> {
  const defects: unknown[] = [];
  const sandbox = await startSandbox({
    marketMaker: false,
    markets: [BTC, ETH],
    onDefect: (error) => defects.push(error),
    ...options,
  });
  return { sandbox, defects, ...tradingOn(sandbox.exchange, options.now ?? Date.now) };
}

export interface WebhookVenueOptions {
  readonly dir?: string;
  readonly now?: () => number;
  /** Default: the same. */
  readonly machineTime?: () => number;
  readonly randomBytes?: RandomBytes;
  /** For jitter alone. */
  readonly random?: () => number;
  readonly answerMs?: number;
  readonly exchange?: Partial<OpenOptions>;
  /** The outbox's own. */
  readonly disk?: Disk;
  /** Called before the webhook service is attached. */
  readonly first?: (opened: OpenedExchange) => void;
}

export async function openWebhookVenue(options: WebhookVenueOptions = {}): Promise<WebhookVenue> {
  const { dir, now = Date.now, randomBytes = systemRandomBytes, random = Math.random } = options;
  const defects: unknown[] = [];
  const onDefect = (error: unknown): void => void defects.push(error);
  const webhooks = new WebhookService(dir, randomBytes, options.disk);
  const place = dir === undefined ? { memory: true as const } : { dir };
  const alone = await openExchange({
    ...place,
    ...{ seed: 1, marketMaker: false, markets: [BTC, ETH], now, onDefect },
    ...(webhooks.hasOutbox ? { onReplay: (...replayed) => webhooks.record(...replayed) } : {}),
    beforeSnapshot: () => webhooks.syncNow(),
    ...options.exchange,
  });
  options.first?.(alone);
  const opened = webhooks.attach(alone, {
    now: () => now() + alone.exchange.clockOffset(),
    machineTime: options.machineTime ?? now,
    ...{ random, onDefect, allowRemote: false },
    ...(options.answerMs === undefined ? {} : { answerMs: options.answerMs }),
  });
  return {
    ...{ webhooks: webhooks, opened, defects },
    ...tradingOn(opened.exchange, now),
    close: async () => {
      await webhooks.stop();
      await alone.close();
      webhooks.close();
    },
  };
}
