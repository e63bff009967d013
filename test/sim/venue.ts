/**
 * The exchange: the real engine and REST service in memory, reached by function call. Another account rests and takes, so that
 * orders fill in parts. What arrived and what came of it is written down for the invariants.
 */
import { createEngine, type Engine } from "../../src/sandbox/engine/index.ts";
import { transferFamily } from "../../src/sandbox/families/transfers/transfer-family.ts";
import { type Family, requestHead, respond } from "../../src/sandbox/http/family.ts";
import {
  type Command,
  type FillRecord,
  type MarketRule,
  ONE,
  type OrderRecord,
  type PaymentRecord,
  type PlaceCommand,
  type RemittanceRecord,
} from "../../src/sandbox/model/index.ts";
import { createService, DEFAULT_LIMITS, type Service } from "../../src/sandbox/service/service.ts";
import type { Draw } from "./draw.ts";
import { SimMarket } from "./market.ts";
import { type Action, DAY_MS } from "./plan.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { type Reading, readingOf, type Wire, type WireAnswer, type WireCall } from "./wire.ts";

/** Keys of the one account, as API key and secret. The last is the one that a person changes to. */
export const KEYS = [0, 1, 2].map((index) => ({
  apiKey: `key-${index}`,
  apiSecret: Buffer.alloc(32, index + 1).toString("base64"),
}));

const ACCOUNT = "paper";
const MAKER = "maker";
/** Trades with the other one, where the market is moved. */
const TAKER = "taker";
const BASES: readonly string[] = ["BTC", "XRP"];
/** What the account begins with. */
export const DEPOSITS: Readonly<Record<string, bigint>> = {
  KRW: 1_000_000_000n * ONE,
  BTC: 2n * ONE,
  XRP: 500_000n * ONE,
};

/** What the other account has in the book at the beginning. */
const QUOTES = [
  { side: "buy", price: "149800000", volume: "0.002" },
  { side: "buy", price: "149000000", volume: "0.05" },
  { side: "sell", price: "150200000", volume: "0.002" },
  { side: "sell", price: "151000000", volume: "0.05" },
] as const;

/** A request that reached the venue, and what came of it. */
export interface Arrival {
  readonly nonce: string;
  readonly body: string;
  /** The order that took effect. */
  readonly taken: Reading["order"];
  /** How the account stands behind it. */
  readonly account: Exposure | undefined;
  /** How long the day's loss had been at its limit before it arrived, without a break. Milliseconds. */
  readonly lostForMs: number;
}

/** In units of 1e-8; orders at what they were placed for in full. */
export interface Exposure {
  readonly openOrders: number;
  readonly open: bigint;
  /** What executed within a day of the orders that have ended. */
  readonly done: bigint;
}

/** One nonce that the venue took. */
interface NonceTaken {
  readonly keyId: string;
  readonly nonce: bigint;
}

export interface VenueParts {
  readonly wire: Wire;
  readonly time: VirtualTime;
  readonly skewMs: number;
  readonly draw: Draw;
  /** Told of every request that has been answered. */
  readonly arrived: (arrival: Arrival) => void;
  readonly limits: { readonly callsPerSecond: number; readonly weightPerMinute: number };
  readonly krwAccountLinked: boolean;
  readonly rejectsDuplicates: boolean;
  /** Whether a request is refused once one with a larger nonce was answered; else only the same one a second time. */
  readonly isFenced: boolean;
  readonly hasTransfers: boolean;
  /** Whether the market is moved, and what others make of it written down. */
  readonly isMoved: boolean;
  /** What executed longer ago does not count any more. */
  readonly dayMs: number;
  /** What the policy lets the account lose in a day, in units. */
  readonly maxDayLoss: bigint | undefined;
}

export class SimVenue {
  readonly arrivals: Arrival[] = [];
  readonly nonces: NonceTaken[] = [];
  readonly defects: unknown[] = [];
  readonly market: SimMarket | undefined;
  readonly #engine: Engine;
  readonly #service: Service;
  readonly #family: Family;
  readonly #transfers: Family;
  readonly #parts: VenueParts;
  readonly #markets: readonly MarketRule[];
  readonly #seen = new Set<string>();
  #madeOrders = 0;
  #lostSinceMs: number | undefined;

  constructor(parts: VenueParts) {
    this.#parts = parts;
    this.#markets = parts.wire.markets.filter(({ base }) => BASES.includes(base));
    this.#engine = createEngine({ markets: this.#markets, seed: 1, marketMaker: false });
    this.#endow();
    if (parts.isMoved) this.market = this.#movable();
    for (const quote of QUOTES) this.make({ type: "maker", symbol: "BTC/KRW", takes: false, ...quote });
    const apply = (command: Command, atMs: number) => {
      if (command.type === "nonce" && !parts.isFenced) return this.#engine.apply(this.#unordered(command), atMs);
      const applied = this.#engine.apply(command, atMs);
      if (command.type === "nonce" && applied.ok) this.nonces.push(command);
      return applied;
    };
    const { callsPerSecond, weightPerMinute } = parts.limits;
    this.#service = createService({
      journaled: {
        exchange: { ...this.#engine, apply },
        apply,
        applyUnwritten: apply,
        onEvents: () => () => {},
        flush: () => true,
        durable: async () => {},
        failed: undefined,
      },
      limits: {
        ...DEFAULT_LIMITS,
        callsPerSecond,
        weightPerMinute: { ...DEFAULT_LIMITS.weightPerMinute, pro: weightPerMinute },
      },
      now: () => this.nowMs,
      randomBytes: (count) => parts.draw.bytes(count),
      onDefect: (error) => this.defects.push(error),
    });
    this.#family = parts.wire.family(this.#service, parts.time);
    this.#transfers = transferFamily(this.#service, parts.hasTransfers);
  }

  #movable(): SimMarket {
    const engine = this.#engine;
    const must = (command: Command): void => {
      const applied = engine.apply(command, this.nowMs);
      if (!applied.ok) throw new Error(`refused: ${applied.message}`);
    };
    must({ type: "createAccount", accountId: TAKER, krwAccountLinked: true });
    for (const [asset, amount] of Object.entries(DEPOSITS)) must({ type: "deposit", accountId: TAKER, asset, amount });
    return new SimMarket({
      others: { maker: MAKER, taker: TAKER },
      apply: must,
      open: (account) => engine.orders(account, { states: ["open"], limit: 1_000 }).orders,
      trades: () => engine.trades("BTC/KRW", 50),
      nowMs: () => this.nowMs,
    });
  }

  /** Each number counts once, in whatever order they come. */
  #unordered(command: Extract<Command, { type: "nonce" }>): typeof command {
    const name = `${command.keyId} ${command.nonce}`;
    const isNew = !this.#seen.has(name);
    this.#seen.add(name);
    return { ...command, nonce: isNew ? BigInt(this.#seen.size) : 0n };
  }

  /** A request arrives, takes effect, and is answered. */
  deliver(call: WireCall): WireAnswer {
    const { method, path, headers, body } = call;
    const { wire } = this.#parts;
    const head = requestHead(method, path, headers, "127.0.0.1");
    const family = this.#transfers.serves(head.path) ? this.#transfers : this.#family;
    // As an exchange with a journal does before every command.
    if (this.#engine.isDue(this.nowMs)) this.#engine.apply({ type: "passTime" }, this.nowMs);
    this.#watchLoss();
    const lostForMs = this.nowMs - (this.#lostSinceMs ?? this.nowMs);
    const reply = family.admit(head) ?? respond(this.#service, family, head, Buffer.from(body)).reply;
    const { nonce, order } = readingOf(wire, call);
    const taken = order !== undefined && wire.isTaken(reply.status, reply.text) ? order : undefined;
    const arrival: Arrival = { nonce, body, taken, account: taken && this.#exposure(), lostForMs };
    this.#watchLoss();
    if (taken !== undefined) this.market?.note();
    this.arrivals.push(arrival);
    this.#parts.arrived(arrival);
    return { status: reply.status, headers: recordOf(reply.headers), body: Buffer.from(reply.text) };
  }

  /** From now on nothing signed with this key is taken. */
  revoke(keyId: string): void {
    this.#engine.apply({ type: "revokeKey", keyId }, this.nowMs);
  }

  /** All orders of the account, oldest first. */
  orders(): readonly OrderRecord[] {
    return this.#named(this.#engine.orders(ACCOUNT, { limit: 100_000 }).orders).reverse();
  }

  openOrders(): readonly OrderRecord[] {
    return this.#named(this.#engine.orders(ACCOUNT, { states: ["open"], limit: 100_000 }).orders);
  }

  /** Under the names that they have at the desk, in the states that the exchange tells. */
  #named(orders: readonly OrderRecord[]): OrderRecord[] {
    const { nameOf = (id) => id, stateOf = ({ state }) => state } = this.#parts.wire;
    return orders.map((order) => ({
      ...order,
      userref: order.userref && nameOf(order.userref),
      state: stateOf(order),
    }));
  }

  /** All executions of the account, oldest first. */
  fills(): readonly FillRecord[] {
    return [...this.#engine.fills(ACCOUNT, { limit: 100_000 }).fills].reverse();
  }

  payments(): readonly PaymentRecord[] {
    return this.#engine.payments(ACCOUNT, { limit: 1_000 }).payments;
  }

  remittances(): readonly RemittanceRecord[] {
    return this.#engine.remittances(ACCOUNT, { limit: 1_000 }).remittances;
  }

  /** Whether the request of this name moved money. */
  hasMoved(idempotencyKey: string): boolean {
    return this.#engine.answerTo(ACCOUNT, idempotencyKey) !== undefined;
  }

  /** What is to happen by now has happened. */
  passTime(): void {
    this.#engine.apply({ type: "passTime" }, this.nowMs);
  }

  balances(): ReturnType<Engine["balances"]> {
    return this.#engine.balances(ACCOUNT);
  }

  /** What is there of an asset, and what was ever paid in. */
  conservation(asset: string): ReturnType<Engine["conservation"]> {
    return this.#engine.conservation(asset);
  }

  /** The other account trades. @returns what became of it, in a word */
  make({ symbol, side, price, volume, takes }: Extract<Action, { type: "maker" }>): string {
    const command: PlaceCommand = {
      type: "place",
      accountId: MAKER,
      keyId: null,
      orderId: `maker-${++this.#madeOrders}`,
      symbol,
      side,
      orderType: "limit",
      price: unitsOf(price),
      volume: unitsOf(volume),
      amount: null,
      timeInForce: takes ? "IOC" : "GTC",
      postOnly: false,
      userref: null,
      settlementMode: "INSTANT_KRW",
    };
    const applied = this.#engine.apply(command, this.nowMs);
    this.#watchLoss();
    this.market?.note();
    if (!applied.ok) return applied.code;
    return applied.kind === "order" ? applied.order.state : applied.kind;
  }

  #watchLoss(): void {
    const { maxDayLoss } = this.#parts;
    if (maxDayLoss === undefined) return;
    this.#lostSinceMs = this.#dayLoss() < maxDayLoss ? undefined : (this.#lostSinceMs ?? this.nowMs);
  }

  /** Since midnight: what fills cost, and what that which is held is worth by the last trades, against what was held then. In units. */
  #dayLoss(): bigint {
    const beganMs = this.nowMs - (this.nowMs % DAY_MS);
    const today = this.fills().filter(({ time }) => time >= beganMs);
    const signOf = ({ side }: FillRecord): bigint => (side === "buy" ? 1n : -1n);
    const spent = today.reduce((sum, fill) => sum + signOf(fill) * fill.value + fill.fee, 0n);
    const gained = this.#markets.map(({ symbol, base }) => {
      const trades = this.#engine.trades(symbol, 10_000);
      const last = trades[0]?.price ?? 0n;
      const opening = (trades.find(({ time }) => time < beganMs) ?? trades.at(-1))?.price ?? 0n;
      const bought = today.reduce((sum, fill) => (fill.symbol === symbol ? sum + signOf(fill) * fill.volume : sum), 0n);
      const { available = 0n, locked = 0n } = this.balances().find(({ asset }) => asset === base) ?? {};
      const held = available + locked;
      return (held * last - (held - bought) * opening) / ONE;
    });
    return gained.reduce((sum, gain) => sum - gain, spent);
  }

  #exposure(): Exposure {
    let [openOrders, open, done] = [0, 0n, 0n];
    for (const { state, price, volume, executedValue } of this.orders()) {
      if (state === "open") {
        openOrders++;
        open += ((price ?? 0n) * (volume ?? 0n)) / ONE;
      } else done += executedValue;
    }
    done -= this.#longAgo();
    return { openOrders, open, done };
  }

  /** What executed more than a day ago of orders that have ended. */
  #longAgo(): bigint {
    const sinceMs = this.nowMs - this.#parts.dayMs;
    const old = this.fills().filter(({ time }) => time < sinceMs);
    const ended = new Set(this.orders().flatMap(({ state, orderId }) => (state === "open" ? [] : [orderId])));
    return old.reduce((sum, { orderId, value }) => (ended.has(orderId) ? sum + value : sum), 0n);
  }

  /** Its own clock. */
  get nowMs(): number {
    return this.#parts.time.nowMs + this.#parts.skewMs;
  }

  #endow(): void {
    const must = (command: Command): void => {
      const applied = this.#engine.apply(command, this.nowMs);
      if (!applied.ok) throw new Error(`refused: ${applied.message}`);
    };
    for (const accountId of [ACCOUNT, MAKER]) {
      must({ type: "createAccount", accountId, krwAccountLinked: this.#parts.krwAccountLinked });
      const wealth = accountId === MAKER ? 1_000n : 1n;
      for (const [asset, amount] of Object.entries(DEPOSITS))
        must({ type: "deposit", accountId, asset, amount: amount * wealth });
    }
    for (const { apiKey, apiSecret } of KEYS)
      must({
        type: "createKey",
        key: {
          keyId: apiKey,
          secret: apiSecret,
          accountId: ACCOUNT,
          permissions: ["query", "trade", ...(this.#parts.hasTransfers ? (["transfer"] as const) : [])],
          tier: "pro",
          ipAllowList: [],
          rejectDuplicateUserref: this.#parts.rejectsDuplicates,
        },
      });
  }
}

export function unitsOf(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole) * ONE + BigInt(fraction.padEnd(8, "0"));
}

function recordOf(headers: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2)
    record[(headers[index] ?? "").toLowerCase()] = headers[index + 1] ?? "";
  return record;
}
