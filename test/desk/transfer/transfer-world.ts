/**
 * A desk that may pay and remit, with everything real behind it: store, signed clients over loopback HTTP, fault proxy, and a sandbox
 * with its drafts switched on. The desk can die at any step and be started again over the same store and exchange.
 *
 * Every transfer journal is watched: a move outside the table is noted in `forbidden`, which each test expects to be empty.
 */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect } from "vitest";
import type { Result } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import {
  type AskedBy,
  canTransferMove,
  createDesk,
  createIds,
  type IntentBody,
  type IntentState,
  type Policy,
  type TransferBody,
  type TransferDesk,
  type TransferJournal,
  type TransferReport,
  type TransferRequest,
  type TransferState,
  type TransferVenue,
} from "../../../src/desk/index.ts";
import { passkeyCheck } from "../../../src/passkeys/index.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { OpenApiClient, type ServiceAbsence, TransferClient } from "../../../src/venues/index.ts";
import { createClock, ONE, units } from "../../fixture/desk-over-sandbox.ts";
import { type FaultProxy, startFaultProxy } from "../../fixture/fault-proxy.ts";
import { ORIGIN } from "../../fixture/passkey.ts";
import { type ChangeablePolicy, changeablePolicy, LOOSE, safetyParts } from "../../fixture/policy.ts";

const MUCH = inUnit("100000000");
const FREE = { max: MUCH, maxDay: MUCH, approvalOver: MUCH };
export const KIM = { name: "Kim Minji", account: "110-234-567890", bank_code: "BOFAUS3N", country: "US" };
/** Pays and remits up to much without a person. */
export const FREELY: Policy = {
  ...LOOSE,
  payments: FREE,
  remittances: { ...FREE, countries: ["US"], beneficiaries: [`${KIM.bank_code}/${KIM.account}`] },
};
/** The same, and a person says yes to each. */
export const ASKING: Policy = { ...FREELY, mode: "confirm" };
export const TRAVEL = { beneficiary: KIM, originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY_SUPPORT" };

export type CrashPoint = "recorded" | "numbered" | "answered";

export interface TransferSeat {
  readonly desk: ReturnType<typeof createDesk>;
  readonly transfers: TransferDesk;
  readonly died: Promise<void>;
}

const BY_NONCE: ServiceAbsence = { by: "nonce" };

interface SeatOptions {
  readonly crashAt?: CrashPoint;
  readonly absence?: ServiceAbsence;
  /** After a look for one like its own, which may be made a second time or not: where looks meet, none finds the other's. */
  readonly afterLook?: () => Promise<void>;
}

export interface TransferWorld {
  readonly sandbox: Sandbox;
  readonly proxy: FaultProxy;
  readonly store: Store<IntentState, IntentBody, TransferState, TransferBody>;
  readonly clock: { skewMs: number };
  readonly policy: ChangeablePolicy;
  seat(options?: SeatOptions): TransferSeat;
  /** The book of BTC/KRW has nothing but this bid, or this ask, on its side. */
  only(side: "sell" | "buy", price?: string): void;
  /** The exchange's time goes on. */
  pass(ms: number): void;
  available(asset: string): string;
  close(): Promise<void>;
}

const never = new Promise<never>(() => {});

async function openTransferWorld(forbidden: string[]): Promise<TransferWorld> {
  const clock = createClock();
  const venueClock = createClock();
  const sandbox = await startSandbox({ drafts: true, marketMaker: false, now: () => venueClock.now() });
  const { exchange, accountId } = sandbox;
  const apply = (command: Parameters<Sandbox["exchange"]["apply"]>[0]): void => {
    const applied = exchange.apply(command, venueClock.now());
    if (!applied.ok) throw new Error(applied.message);
  };
  apply({ type: "deposit", accountId, asset: "BTC", amount: ONE });
  apply({ type: "deposit", accountId, asset: "KRW", amount: units("1000000") });
  for (const side of ["sell", "buy"] as const) join(apply, side);
  quote(apply, { side: "sell", price: LAST, volume: ONE / 10n });
  quote(apply, { side: "buy", price: LAST, volume: ONE / 2n });
  quote(apply, { side: "sell", price: ASK, volume: ONE / 2n });
  const proxy = await startFaultProxy(sandbox.baseUrl);
  const parts = { clock, random: Math.random };
  const store = await openStore<IntentState, IntentBody, TransferState, TransferBody>({ memory: true }, parts);
  const policy = changeablePolicy(FREELY);
  const clients: { close(): Promise<void> }[] = [];
  return {
    ...{ sandbox, proxy, store, clock, policy },
    seat: ({ crashAt, absence = BY_NONCE, afterLook } = {}) => {
      const limits = { callsPerSecond: 100_000, weightPerMinute: 6_000_000 };
      const options = {
        environment: "sandbox",
        baseUrl: proxy.url,
        credentials: { apiKey: sandbox.apiKey, apiSecret: sandbox.apiSecret },
        lane: store.lane({ limits, leaseWaitMs: 150, leaseMs: 3_000 }),
        ...{ clock, absence, random: () => 0 },
        timeouts: { connectMs: 1_000, totalMs: 400, deadlineMs: 2_500 },
      } as const;
      const client = new OpenApiClient(options);
      const drafts = new TransferClient(options);
      clients.push(client, drafts);
      const death = mortal(crashAt);
      const desk = createDesk({
        ...{ venue: client, journal: store.journal, audit: store.audit, ...safetyParts(store, policy) },
        ...{ clock, ids: createIds(clock, randomBytes), profile: "test" },
        passkeys: passkeyCheck({ passkeys: store.passkeys, origin: () => ORIGIN }),
        transfers: {
          venue: dying(drafts, death),
          journal: together(watched(store.transfers, death, forbidden), afterLook),
        },
      });
      if (desk.transfers === undefined) throw new Error("a desk without transfers");
      return { desk, transfers: desk.transfers, died: death.died };
    },
    only: (side, price) => {
      const orderId = `${side} at ${side === "buy" ? LAST : ASK}`;
      apply({ type: "cancel", accountId: side, symbol: "BTC/KRW", orderId });
      if (price !== undefined) quote(apply, { side, price, volume: ONE / 100n });
    },
    pass: (ms) => {
      venueClock.skewMs += ms;
      apply({ type: "passTime" });
    },
    available: (asset) => {
      const found = exchange.balances(accountId).find((balance) => balance.asset === asset)?.available ?? 0n;
      return `${found / ONE}.${String(found % ONE).padStart(8, "0")}`.replace(/\.?0+$/, "");
    },
    close: async () => {
      for (const each of clients) await each.close();
      await proxy.close();
      store.close();
      await sandbox.close();
    },
  };
}

type Apply = (command: Parameters<Sandbox["exchange"]["apply"]>[0]) => void;
/** The best bid too, and with it the exchange's rate. */
const LAST = "100000000";
const ASK = "100001000";

/** One of two others who trade, so that the market has a price and a book. */
function join(apply: Apply, side: "sell" | "buy"): void {
  apply({ type: "createAccount", accountId: side, krwAccountLinked: true });
  for (const [asset, amount] of Object.entries({ BTC: ONE, KRW: units("1000000000") }))
    apply({ type: "deposit", accountId: side, asset, amount });
}

interface Quote {
  readonly side: "sell" | "buy";
  readonly price: string;
  readonly volume: bigint;
}

function quote(apply: Apply, { side, price, volume }: Quote): void {
  apply({
    ...{ type: "place", accountId: side, keyId: null, orderId: `${side} at ${price}`, symbol: "BTC/KRW", side },
    ...{ orderType: "limit", price: units(price), volume, amount: null },
    ...{ timeInForce: "GTC", postOnly: false, userref: null, settlementMode: "INSTANT_KRW" },
  });
}

interface Death {
  readonly died: Promise<void>;
  at(point: CrashPoint): Promise<void>;
  /** Every step of a dead process waits for ever. */
  living<T>(step: () => Promise<T>): Promise<T>;
}

function mortal(crashAt: CrashPoint | undefined): Death {
  let dead = false;
  let tell = (): void => {};
  const died = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    died,
    at: async (point) => {
      if (point !== crashAt) return;
      dead = true;
      tell();
      await never;
    },
    living: (step) => (dead ? never : step()),
  };
}

const WRITES = ["confirmPayment", "refundPayment", "createRemittance", "cancelRemittance"];

/** Dies behind its numbering, or with the answer in hand. */
function dying(client: TransferClient, death: Death): TransferVenue {
  type Write = { readonly idempotencyKey: string; readonly beforeSend?: (nonce: string) => Promise<boolean> };
  return new Proxy(client as TransferVenue, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as (...given: unknown[]) => Promise<unknown>;
      if (typeof name !== "string" || !WRITES.includes(name)) return value.bind(target);
      return async (...given: unknown[]) => {
        const { beforeSend, ...write } = given.at(-1) as Write;
        const watchedSend = async (nonce: string): Promise<boolean> => {
          const mine = (await beforeSend?.(nonce)) ?? true;
          await death.at("numbered");
          return mine;
        };
        const last = { ...write, beforeSend: watchedSend };
        const answer = await death.living(() => value.apply(target, [...given.slice(0, -1), last]));
        await death.at("answered");
        return answer;
      };
    },
  });
}

/** Notes every move that is not in the table. */
function watched(journal: TransferJournal, death: Death, forbidden: string[]): TransferJournal {
  const check = (from: readonly TransferState[], to: TransferState): void => {
    for (const each of from) if (!canTransferMove(each, to)) forbidden.push(`${each} → ${to}`);
  };
  return {
    ...journal,
    record: async (transfer, ended, told) => {
      const made = await death.living(() => journal.record(transfer, ended, told));
      if (transfer.state === "approved") await death.at("recorded");
      return made;
    },
    advance: (id, change, atMs) => {
      check(change.from, change.to);
      return death.living(() => journal.advance(id, change, atMs));
    },
    begin: (id, send, admit, now) => {
      check(send.from, send.to);
      return death.living(() => journal.begin(id, send, admit, now));
    },
  };
}

/** As many look at the same time, again and again: nobody goes on before all have looked. */
/** The first so many wait for each other; whoever comes later passes. */
export function meeting(count: number): () => Promise<void> {
  const here: (() => void)[] = [];
  return () =>
    new Promise<void>((goOn) => {
      here.push(goOn);
      if (here.length >= count) for (const each of here) each();
    });
}

function together(journal: TransferJournal, afterLook: (() => Promise<void>) | undefined): TransferJournal {
  return {
    ...journal,
    unresolvedOrUnacknowledged: async (account, states, limit) => {
      const found = await journal.unresolvedOrUnacknowledged(account, states, limit);
      await afterLook?.();
      return found;
    },
  };
}

/** Of the test that runs: files that share this module run one after the other. */
export let world: TransferWorld;
export let seat: TransferSeat;

/** A world of its own for every test of a file. */
export function transferWorldPerTest(): void {
  const forbidden: string[] = [];
  beforeEach(async () => {
    world = await openTransferWorld(forbidden);
    seat = world.seat();
  });
  afterEach(async () => {
    await world.close();
    expect(forbidden).toEqual([]);
  });
}

/** A payment that is quoted. */
export async function quotePayment(
  { transfers }: TransferSeat,
  { amount = "50000", ref = "cart-1" }: { readonly amount?: string; readonly ref?: string } = {},
): Promise<string> {
  const quoted = await transfers.quotePayment({ amount, pay_asset: "BTC", order_ref: ref });
  if (!quoted.ok) throw new Error(JSON.stringify(quoted.fault));
  return quoted.value.payment?.payment_id ?? "";
}

/** A payment that is settled, and can be given back. */
export async function settledPayment(world: TransferWorld, seat: TransferSeat): Promise<string> {
  const payment_id = await quotePayment(seat);
  const paid = await seat.transfers.make({ kind: "confirm_payment", payment_id });
  if (paid.state !== "paid") throw new Error(JSON.stringify(paid));
  world.pass(2_000);
  return payment_id;
}

export async function quoteRemittance({ transfers }: TransferSeat, amount = "200000"): Promise<string> {
  const body = { source_asset: "KRW", target_currency: "USD", amount, destination_country: "US" };
  const quoted = await transfers.quoteRemittance(body);
  if (!quoted.ok) throw new Error(JSON.stringify(quoted.fault));
  return quoted.value.quote?.quote_id ?? "";
}

/** A remittance that was sent off, and can be taken back still. */
export async function sentRemittance(seat: TransferSeat): Promise<string> {
  const sent = await send(seat, await quoteRemittance(seat));
  if (sent.state !== "created") throw new Error(JSON.stringify(sent));
  return sent.remittance?.remittance_id ?? "";
}

/** Digest of the question that waits under this id now. */
async function shownOf({ transfers }: TransferSeat, id: string): Promise<string> {
  const found = await transfers.pending();
  const question = found.ok ? found.value.find(({ asked }) => asked.transfer_id === id) : undefined;
  return question?.digest ?? "none";
}

/** A person's PIN for it. */
export async function approve(by: TransferSeat, id: string): Promise<TransferReport> {
  return by.transfers.approve(id, "pin", await shownOf(by, id));
}

/** It is put to somebody at the client. */
export async function sealShown(
  by: TransferSeat,
  id: string,
  request: TransferRequest,
  asked?: AskedBy,
): Promise<Result<string>> {
  return by.transfers.sealApproval(id, await shownOf(by, id), request, undefined, asked);
}

export function send({ transfers }: TransferSeat, quote_id: string): Promise<TransferReport> {
  return transfers.make({ kind: "send_remittance", quote_id, ...TRAVEL });
}
