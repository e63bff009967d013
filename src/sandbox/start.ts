/**
 * Starts and stops a sandbox: the exchange, its APIs, webhooks, the admin interface, the timers, and the account and key it comes
 * with. Entry point: `startSandbox`.
 *
 * Invariants: only loopback is served unless `allowRemote` is set; a failed start stops everything it started, and its error says
 * what to do.
 */
import { randomBytes as systemRandomBytes } from "node:crypto";
import { streamUrl } from "../contract/index.ts";
import { FaultPlan } from "./admin/fault-plan.ts";
import { type Admin, startAdmin } from "./admin/start-admin.ts";
import { lockDir } from "./dir-lock.ts";
import { DamagedJournalError, newMarkets, type OpenedExchange, openExchange } from "./engine/index.ts";
import { familiesOf, VENUES, type VenueName } from "./families.ts";
import { createApiServer } from "./http/server.ts";
import { isLoopback, listen, urlOf } from "./listening.ts";
import { startMarketFlowTimer } from "./market-flow-timer.ts";
import type { Command, Exchange, MarketRule, Millis } from "./model/index.ts";
import {
  dirUnusable,
  ensurePaperAccount,
  type PaperKey,
  prepareDir,
  readOrCreatePaperKey,
  sandboxIdOf,
} from "./paper-account.ts";
import { startScheduleTimer } from "./schedule-timer.ts";
import type { RandomBytes } from "./service/order-id.ts";
import { createService, DEFAULT_LIMITS, type SandboxLimits } from "./service/service.ts";
import { SandboxStartError, systemCode } from "./start-error.ts";
import { exchangeClock, systemClock } from "./system-clock.ts";
import { WebhookService } from "./webhook/webhook-service.ts";

export interface SandboxOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Serves other machines too; without it a host off loopback is refused. */
  readonly allowRemote?: boolean;
  /** The directory of the sandbox's data; without it everything is in memory. */
  readonly dir?: string;
  /** Seeds the market flow. Default 1. */
  readonly seed?: number;
  /** Market flow: 1 is a tick every 500 ms. */
  readonly speed?: number;
  /** Seeded house accounts quote and trade. Default true. */
  readonly marketMaker?: boolean;
  /** Serves the Payment API and the Remittance API, which are drafts and may change. Default false. Source: service.md#transfers-off. */
  readonly drafts?: boolean;
  /** A new exchange has BTC/USDT too, and the paper account some USDT. Default false. */
  readonly usdt?: boolean;
  /** Speaks the API of that exchange, and no other. */
  readonly as?: VenueName;
  /** Which of its variants, where what is known of it differs. Default: the first. */
  readonly variant?: string;
  /** Unless given, the markets of the exchange whose API is spoken. */
  readonly markets?: readonly MarketRule[];
  readonly limits?: Partial<SandboxLimits>;
  /** Serves the admin interface, on this machine only. Default port 0: any free one. */
  readonly admin?: { readonly port?: number };
  /** The last run in this directory ended with a failure of the disk: the start fails unless everything can be written again. */
  readonly afterFailure?: boolean;
  /** The machine's time in Unix milliseconds; the exchange's clock can be ahead of it. Default: the system's clock. */
  readonly now?: () => Millis;
  readonly randomBytes?: RandomBytes;
  /** Called with defects, which answers never show. */
  readonly onDefect?: (error: unknown) => void;
}

export interface Sandbox {
  /** Has no path: `http://127.0.0.1:8420`. */
  readonly baseUrl: string;
  readonly streamUrl: string;
  /** As the header of its answers has it. */
  readonly sandboxId: string;
  readonly accountId: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** The admin interface and its token; undefined unless requested. */
  readonly admin: Admin | undefined;
  /** Its `apply` also journals what a command changes. */
  readonly exchange: Exchange;
  /** Resolves when everything applied so far is on disk. */
  durable(): Promise<void>;
  /** Why it takes no more orders: disk and memory may differ. Only a new start from disk, after `close`, recovers from it. */
  readonly failed: string | undefined;
  /** Tells what was found to be missing of its data when it was opened, as a sentence. */
  readonly lost: string | undefined;
  /** May be called more than once. */
  close(): Promise<void>;
}

const DEFAULT_SEED = 1;
const SPEED_MAX = 10_000;
const CLOSE_GRACE_MS = 1000;

/** @throws SandboxStartError with what is wrong and how to fix it. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = "127.0.0.1", port = 0, speed = 1, marketMaker = true, onDefect = ignored } = options;
  const { now: machineTime = systemClock(), randomBytes = systemRandomBytes } = options;
  checkOptions({ host, port, speed, seed: options.seed ?? DEFAULT_SEED }, options.allowRemote === true);
  const unlock = options.dir === undefined ? nothing : await claimDir(options.dir);
  const parts: (() => Promise<void>)[] = [unlock];
  try {
    const paperKey = await readOrCreatePaperKey(options.dir, randomBytes);
    const webhooks = openWebhooks(options.dir, randomBytes);
    parts.unshift(async () => webhooks.close());
    const alone = await open({ ...options, onDefect }, marketMaker, machineTime, webhooks);
    parts.unshift(() => alone.close());
    const clock = exchangeClock(machineTime, alone.exchange);
    const { now } = clock;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const opened = webhooks.attach(alone, {
      ...{ now, machineTime, onDefect, allowRemote: options.allowRemote === true },
      random: () => Buffer.from(randomBytes(4)).readUInt32BE() / 2 ** 32,
      answerMs: limits.webhookAnswerMs,
    });
    parts.unshift(() => webhooks.stop());
    const drafts = options.drafts === true;
    await ensurePaperAccount(opened, paperKey, now(), { drafts });
    const sandboxId = sandboxIdOf(paperKey);
    const service = createService({ sandboxId, journaled: opened, limits, now, randomBytes, onDefect });
    const faults = new FaultPlan(now);
    const { as, dir, variant } = options;
    const families =
      as === undefined ? familiesOf(service, { drafts }) : [VENUES[as].family(service, { dir, variant })];
    const effects = families.flatMap((family) => family.effects ?? []);
    const front = createApiServer(service, families, faults);
    const bound = await listen(front, host, port);
    parts.unshift(() => front.close(CLOSE_GRACE_MS));
    const allowRemote = options.allowRemote === true;
    const administered = {
      service,
      webhooks,
      faults,
      effects,
      machineTime,
      aheadMs: clock.aheadMs,
      randomBytes,
      allowRemote,
    };
    const running = options.admin && (await startAdmin(administered, options.dir, options.admin.port ?? 0));
    if (running !== undefined) parts.unshift(() => running.close(CLOSE_GRACE_MS));
    if (marketMaker)
      parts.unshift(startMarketFlowTimer(speed, () => step(opened, { type: "tick", paced: true }, now, onDefect)));
    parts.unshift(startScheduleTimer(() => step(opened, { type: "passTime" }, now, onDefect)));
    const lost = lossOf(options.dir, alone.recovered);
    const access = { ...paperKey, sandboxId, baseUrl: urlOf(bound), as, admin: running?.admin, lost };
    return describe(opened, access, closing(parts));
  } catch (error) {
    await closing(parts)();
    throw error;
  }
}

function ignored(): void {
  // Without a listener defects are ignored.
}

async function nothing(): Promise<void> {
  // Memory needs no lock.
}

/** Creates the directory and locks it for this sandbox. */
async function claimDir(dir: string): Promise<() => Promise<void>> {
  prepareDir(dir);
  try {
    return await lockDir(dir);
  } catch (error) {
    throw error instanceof SandboxStartError ? error : dirUnusable(dir, error);
  }
}

function openWebhooks(dir: string | undefined, randomBytes: RandomBytes): WebhookService {
  try {
    return new WebhookService(dir, randomBytes);
  } catch (error) {
    throw dir === undefined ? error : openError(dir, error);
  }
}

async function open(
  options: SandboxOptions,
  marketMaker: boolean,
  now: () => Millis,
  webhooks: WebhookService,
): Promise<OpenedExchange> {
  const { dir, as, usdt = false, seed = DEFAULT_SEED, afterFailure: rewrite = false, onDefect = ignored } = options;
  const markets = options.markets ?? (as === undefined ? newMarkets(usdt) : VENUES[as].markets);
  const place = dir === undefined ? { memory: true as const } : { dir };
  try {
    return await openExchange({
      ...place,
      seed,
      marketMaker,
      now,
      rewrite,
      onDefect,
      ...(webhooks.hasOutbox ? { onReplay: (...published) => webhooks.record(...published) } : {}),
      beforeSnapshot: () => webhooks.syncNow(),
      markets,
    });
  } catch (error) {
    if (dir === undefined) throw error;
    throw openError(dir, error);
  }
}

function openError(dir: string, error: unknown): unknown {
  if (systemCode(error) !== undefined) return dirUnusable(dir, error);
  if (!(error instanceof DamagedJournalError)) return error;
  return new SandboxStartError(
    "journal_unreadable",
    `the sandbox's data in ${dir} cannot be read: ${error.message}`,
    "move the directory away to start afresh, or restore it from a copy",
    error,
  );
}

function checkOptions(
  { host, port, speed, seed }: { host: string; port: number; speed: number; seed: number },
  allowRemote: boolean,
): void {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new SandboxStartError("bad_option", `the seed cannot be ${seed}`, "choose a whole number from 0 on");
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new SandboxStartError("bad_option", `${port} is not a port`, "choose a port from 0 (any free one) to 65535");
  if (!(speed > 0 && speed <= SPEED_MAX))
    throw new SandboxStartError(
      "bad_option",
      `the speed cannot be ${speed}`,
      `choose a speed above 0, up to ${SPEED_MAX}`,
    );
  if (!allowRemote && !isLoopback(host))
    throw new SandboxStartError(
      "host_not_loopback",
      `${host} can be reached from other machines, and the sandbox is served on this one only`,
      "use 127.0.0.1; from another machine reach it through a tunnel, such as: ssh -L PORT:127.0.0.1:PORT HOST",
    );
}

/** Applies a command of a timer. @returns false when it was refused or could not be journaled; the timer then stops */
function step(
  opened: OpenedExchange,
  command: Command,
  now: () => Millis,
  onDefect: (error: unknown) => void,
): boolean {
  if (opened.failed !== undefined) return false;
  try {
    return opened.apply(command, now()).ok;
  } catch (error) {
    onDefect(error);
    return false;
  }
}

/** Closes the parts in order, each once; when closing one fails, the others are closed all the same. */
function closing(parts: readonly (() => Promise<void>)[]): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const close of parts) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  return () => {
    closed ??= closeAll();
    return closed;
  };
}

/** A crash of the machine leaves an unreadable end, of what was not answered yet; records that were on disk are not lost that way. */
function lossOf(
  dir = "",
  { cutBytes, lostRecords }: Pick<OpenedExchange["recovered"], "cutBytes" | "lostRecords">,
): string | undefined {
  if (lostRecords > 0)
    return `${lostRecords} records at the end of the journal in ${dir} are gone, which were on disk before: orders, fills and balances of the exchange are as they were before them.`;
  if (cutBytes === 0) return undefined;
  return `${cutBytes} bytes at the end of the journal in ${dir} could not be read and were cut off: what was under way when it last ended is lost.`;
}

type Access = PaperKey &
  Pick<Sandbox, "baseUrl" | "sandboxId" | "admin" | "lost"> & { readonly as: VenueName | undefined };

/** Where the stream of a sandbox is. @param as whose API it speaks, if not its own */
export function streamUrlOf(baseUrl: string, as: VenueName | undefined): string {
  return as === undefined ? streamUrl(baseUrl) : `${baseUrl.replace(/^http/, "ws")}${VENUES[as].streamPath}`;
}

function describe(opened: OpenedExchange, access: Access, close: () => Promise<void>): Sandbox {
  return {
    ...access,
    streamUrl: streamUrlOf(access.baseUrl, access.as),
    exchange: opened.exchange,
    durable: () => opened.durable(),
    get failed() {
      return opened.failed;
    },
    close,
  };
}
