/**
 * The exchange: the real engine and REST service in memory, reached by function call. Another account rests and takes, so that
 * orders fill in parts. What arrived and what came of it is written down for the invariants.
 */
import { createEngine, type Engine, KRW_MARKETS } from "../../src/sandbox/engine/index.ts";
import { type Family, requestHead, respond } from "../../src/sandbox/http/family.ts";
import {
  type Command,
  type FillRecord,
  ONE,
  type OrderRecord,
  type PlaceCommand,
} from "../../src/sandbox/model/index.ts";
import { createService, DEFAULT_LIMITS, type Service } from "../../src/sandbox/service/service.ts";
import type { Draw } from "./draw.ts";
import type { Action } from "./plan.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Reading, Wire, WireAnswer, WireCall } from "./wire.ts";

/** Keys of the one account, as API key and secret. */
export const KEYS = [0, 1].map((index) => ({
  apiKey: `key-${index}`,
  apiSecret: Buffer.alloc(32, index + 1).toString("base64"),
}));

const ACCOUNT = "paper";
const MAKER = "maker";
const MARKETS = KRW_MARKETS.filter(({ base }) => base === "BTC" || base === "XRP");
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
}

/** In units of 1e-8; orders at what they were placed for in full. */
export interface Exposure {
  readonly openOrders: number;
  readonly open: bigint;
  /** What executed of the orders that have ended. */
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
}

export class SimVenue {
  readonly arrivals: Arrival[] = [];
  readonly nonces: NonceTaken[] = [];
  readonly defects: unknown[] = [];
  readonly #engine: Engine;
  readonly #service: Service;
  readonly #family: Family;
  readonly #parts: VenueParts;
  #madeOrders = 0;

  constructor(parts: VenueParts) {
    this.#parts = parts;
    this.#engine = createEngine({ markets: MARKETS, seed: 1, marketMaker: false });
    this.#endow();
    for (const quote of QUOTES) this.make({ type: "maker", symbol: "BTC/KRW", takes: false, ...quote });
    const apply = (command: Command, atMs: number) => {
      const applied = this.#engine.apply(command, atMs);
      if (command.type === "nonce" && applied.ok) this.nonces.push(command);
      return applied;
    };
    const { callsPerSecond, weightPerMinute } = parts.limits;
    this.#service = createService({
      journaled: {
        exchange: { ...this.#engine, apply },
        apply,
        onEvents: () => () => {},
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
    this.#family = parts.wire.family(this.#service);
  }

  /** A request arrives, takes effect, and is answered. */
  deliver(call: WireCall): WireAnswer {
    const { method, path, headers, body } = call;
    const { wire } = this.#parts;
    const head = requestHead(method, path, headers, "127.0.0.1");
    const reply = this.#family.admit(head) ?? respond(this.#service, this.#family, head, Buffer.from(body)).reply;
    const { nonce, order } = wire.read(call);
    const taken = order !== undefined && wire.isTaken(reply.status, reply.text) ? order : undefined;
    const arrival: Arrival = { nonce, body, taken, account: taken && this.#exposure() };
    this.arrivals.push(arrival);
    this.#parts.arrived(arrival);
    return { status: reply.status, headers: recordOf(reply.headers), body: Buffer.from(reply.text) };
  }

  /** All orders of the account, oldest first. */
  orders(): readonly OrderRecord[] {
    return [...this.#engine.orders(ACCOUNT, { limit: 100_000 }).orders].reverse();
  }

  openOrders(): readonly OrderRecord[] {
    return this.#engine.orders(ACCOUNT, { states: ["open"], limit: 100_000 }).orders;
  }

  /** All executions of the account, oldest first. */
  fills(): readonly FillRecord[] {
    return [...this.#engine.fills(ACCOUNT, { limit: 100_000 }).fills].reverse();
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
    if (!applied.ok) return applied.code;
    return applied.kind === "order" ? applied.order.state : applied.kind;
  }

  #exposure(): Exposure {
    let [openOrders, open, done] = [0, 0n, 0n];
    for (const { state, price, volume, executedValue } of this.orders()) {
      if (state === "open") {
        openOrders++;
        open += ((price ?? 0n) * (volume ?? 0n)) / ONE;
      } else done += executedValue;
    }
    return { openOrders, open, done };
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
          permissions: ["query", "trade"],
          tier: "pro",
          ipAllowList: [],
          rejectDuplicateUserref: false,
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
