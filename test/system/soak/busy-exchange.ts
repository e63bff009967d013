/**
 * The far end of a soak: an exchange of many markets where the house quotes and the paper account trades without a break, behind a
 * bad line. At a quiet point everything stands still and it says what is true.
 */
import { setTimeout as pause } from "node:timers/promises";
import { KRW_MARKETS } from "../../../src/sandbox/engine/market/market-rules.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import type { Command, MarketRule, PlaceCommand } from "../../../src/sandbox/model/index.ts";
import { type LineFault, StreamRelay } from "../../fixture/stream-relay.ts";
import { randomOf } from "./random.ts";

export interface Address {
  /** Over the bad line. */
  readonly streamUrl: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly symbols: readonly string[];
}

export interface Truth {
  readonly books: readonly { readonly symbol: string; readonly seq: number; readonly text: string }[];
  /** `trade id, order id` of every fill since the last quiet point. */
  readonly fills: readonly string[];
  readonly openOrders: readonly string[];
  readonly balances: readonly string[];
  /** Trades of the exchange since it began. */
  readonly trades: number;
  /** Sent to the client since it began. */
  readonly frames: number;
  readonly done: Readonly<Record<LineFault, number>>;
}

export interface FarEnd {
  readonly address: Address;
  /** Trades, over a bad line. It stands still at first. */
  goOn(): Promise<void>;
  /** Stands still again, on a good line, then tells. */
  quiet(): Promise<Truth>;
  close(): Promise<void>;
}

export interface BusyOptions {
  readonly seed: number;
  readonly markets: number;
  /** What the line does wrong, in turn. A quiet line takes a client 15 s to notice. */
  readonly faults: readonly LineFault[];
  readonly faultEveryMs: number;
}

const ONE = 100_000_000n;
const TICK_MS = 250;
const ORDER_MS = 20;
const MAKER = "soak-maker";

export async function busyExchange(options: BusyOptions): Promise<FarEnd> {
  const rules = markets(options.markets);
  // Ticks are given here, so that they can be stopped.
  const sandbox = await startSandbox({ markets: rules, seed: options.seed, speed: 0.000_1 });
  const relay = await StreamRelay.open(() => sandbox.streamUrl);
  const driver = new Driver(sandbox, relay, rules, options);
  const { baseUrl, apiKey, apiSecret } = sandbox;
  return {
    address: { streamUrl: relay.url, baseUrl, apiKey, apiSecret, symbols: rules.map(({ symbol }) => symbol) },
    quiet: () => driver.quiet(),
    goOn: async () => driver.start(),
    close: async () => {
      driver.stop();
      await relay.close();
      await sandbox.close();
    },
  };
}

/** As many markets as asked for, each like one of the catalogue. */
function markets(count: number): MarketRule[] {
  return Array.from({ length: count }, (_, index) => {
    const like = KRW_MARKETS[index % KRW_MARKETS.length];
    if (like === undefined) throw new Error("the catalogue is empty");
    const base = `${like.base}${Math.floor(index / KRW_MARKETS.length) || ""}`;
    return { ...like, base, symbol: `${base}/KRW` };
  });
}

class Driver {
  readonly #sandbox: Sandbox;
  readonly #relay: StreamRelay;
  readonly #rules: readonly MarketRule[];
  readonly #options: BusyOptions;
  readonly #random: () => number;
  #timers: NodeJS.Timeout[] = [];
  #orders = 0;
  #faults = 0;
  #lastFillSeq = 0;

  constructor(sandbox: Sandbox, relay: StreamRelay, rules: readonly MarketRule[], options: BusyOptions) {
    this.#sandbox = sandbox;
    this.#relay = relay;
    this.#rules = rules;
    this.#options = options;
    this.#random = randomOf(options.seed);
    this.#apply({ type: "createAccount", accountId: MAKER, krwAccountLinked: true });
    for (const accountId of [sandbox.accountId, MAKER]) {
      this.#apply({ type: "deposit", accountId, asset: "KRW", amount: 10n ** 12n * ONE });
      for (const { base } of rules) this.#apply({ type: "deposit", accountId, asset: base, amount: 10n ** 9n * ONE });
    }
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.#apply({ type: "tick" }), TICK_MS),
      setInterval(() => this.#anyOrder(), ORDER_MS),
      setInterval(() => this.#anyFault(), this.#options.faultEveryMs),
    ];
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  async quiet(): Promise<Truth> {
    this.stop();
    await this.#loseFill();
    this.#relay.calm();
    // What was lost last shows with what comes next: a change of every book, and of everything the account has.
    for (const rule of this.#rules) {
      const orderId = this.#place(rule, { side: "buy", price: floorPrice(rule) });
      this.#apply({ type: "cancel", accountId: this.#sandbox.accountId, symbol: rule.symbol, orderId });
    }
    this.#trade();
    await this.#sandbox.durable();
    // Tickers are told a moment later.
    await pause(150);
    return this.#truth();
  }

  /** Chance may spare the own channels for a whole round. A line that is quiet just now loses it in its own way. */
  async #loseFill(): Promise<void> {
    this.#relay.plan("lose", (text) => text.startsWith('{"channel":"fills"'));
    this.#trade();
    await this.#sandbox.durable();
    await pause(100);
  }

  #truth(): Truth {
    const { exchange, accountId } = this.#sandbox;
    const fills: string[] = [];
    const page = exchange.fills(accountId, { limit: 1_000_000 }).fills;
    for (const { tradeSeq, orderId } of page) if (tradeSeq > this.#lastFillSeq) fills.push(`${tradeSeq} ${orderId}`);
    this.#lastFillSeq = page[0]?.tradeSeq ?? this.#lastFillSeq;
    return {
      books: this.#rules.map(({ symbol }) => {
        const { seq, buys, asks } = exchange.book(symbol, 500);
        const side = (levels: typeof buys) => levels.map((level) => level.map(plain).join(":")).join(",");
        return { symbol, seq, text: `${side(buys)}|${side(asks)}` };
      }),
      fills: fills.sort(),
      openOrders: exchange
        .orders(accountId, { states: ["open"], limit: 1_000_000 })
        .orders.map((order) => `${order.orderId} ${plain(order.executedVolume)}`)
        .sort(),
      balances: exchange
        .balances(accountId)
        .map(({ asset, available, locked }) => `${asset} ${plain(available)} ${plain(locked)}`)
        .sort(),
      trades: page[0]?.tradeSeq ?? 0,
      frames: this.#relay.frames,
      done: { ...this.#relay.done },
    };
  }

  #anyFault(): void {
    const { faults } = this.#options;
    const fault = faults[this.#faults++ % faults.length] ?? "lose";
    const draw = this.#random();
    const own = /^\{"channel":"(orders|fills|balances)"/;
    const book = /^\{"channel":"orderbook"/;
    this.#relay.plan(fault, draw < 0.4 ? (text) => own.test(text) : draw < 0.8 ? (text) => book.test(text) : undefined);
  }

  #anyOrder(): void {
    const rule = this.#rules[Math.floor(this.#random() * this.#rules.length)];
    if (rule === undefined) return;
    const { exchange, accountId } = this.#sandbox;
    const open = exchange.orders(accountId, { states: ["open"], limit: 200 }).orders;
    const draw = this.#random();
    if (open.length > 60 || (draw < 0.3 && open.length > 0)) {
      const order = open[Math.floor(this.#random() * open.length)];
      if (order !== undefined) this.#apply({ type: "cancel", accountId, symbol: order.symbol, orderId: order.orderId });
      return;
    }
    const { buys, asks } = exchange.book(rule.symbol, 3);
    const side = this.#random() < 0.5 ? "buy" : "sell";
    const [against, own] = side === "buy" ? [asks, buys] : [buys, asks];
    // Into the book as far as its third level, or to rest beside the best.
    const price = draw < 0.6 ? against[Math.floor(this.#random() * 3)]?.[0] : own[0]?.[0];
    if (price !== undefined) this.#place(rule, { side, price });
  }

  /** Two accounts trade with each other where nobody else is. */
  #trade(): void {
    const [rule] = this.#rules;
    if (rule === undefined) return;
    const best = this.#sandbox.exchange.book(rule.symbol, 1).buys[0]?.[0] ?? rule.anchorPrice;
    this.#place(rule, { side: "sell", price: best }, MAKER);
    this.#place(rule, { side: "buy", price: best });
    this.#place(rule, { side: "sell", price: best });
  }

  #place(
    rule: MarketRule,
    { side, price }: Pick<PlaceCommand, "side"> & { readonly price: bigint },
    accountId = this.#sandbox.accountId,
  ): string {
    // In the order of time, as ids of orders are; the last part counts.
    const number = (++this.#orders).toString(16).padStart(12, "0");
    const orderId = `${timePart()}-7000-8000-${number}`;
    const step = 10n ** BigInt(8 - rule.volumeDecimals);
    const least = (rule.minNotional * ONE * 2n) / price + rule.minVolume;
    const volume = (least / step + 1n) * step;
    const rest = { timeInForce: "GTC", postOnly: false, userref: null, settlementMode: "INSTANT_KRW" } as const;
    const what = { symbol: rule.symbol, side, orderType: "limit", price, volume, amount: null } as const;
    this.#apply({ type: "place", accountId, keyId: null, orderId, ...what, ...rest });
    return orderId;
  }

  #apply(command: Command): void {
    const applied = this.#sandbox.exchange.apply(command, Date.now());
    if (!applied.ok) throw new Error(`${command.type} was refused: ${applied.code} ${applied.message}`);
  }
}

function timePart(): string {
  const hex = Date.now().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The lowest price there is. */
function floorPrice({ tickBands }: MarketRule): bigint {
  return tickBands[0]?.tick ?? ONE;
}

/** A count of 1e-8 as the wire writes it. */
function plain(units: bigint): string {
  const digits = units.toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, "");
}
