/**
 * What others make of one market in a schedule with plans: they quote, they trade with each other, and what stood there at every moment is written
 * down, which is what triggers are held against.
 */
import type { Command, OrderRecord, PlaceCommand, TradeRecord } from "../../src/sandbox/model/index.ts";
import { ONE } from "../../src/sandbox/model/index.ts";
import type { Course } from "./plan.ts";

export const MARKET = "BTC/KRW";
/** Who quotes, and who trades with them. */
export interface Others {
  readonly maker: string;
  readonly taker: string;
}

/** The market as others made it, from that moment on. In units of 1e-8; undefined where nobody quotes. */
export interface Moment {
  readonly atMs: number;
  readonly bid: bigint | undefined;
  readonly ask: bigint | undefined;
  /** All that was traded in the last ten seconds. */
  readonly prints: readonly bigint[];
}

export interface MarketParts {
  readonly others: Others;
  readonly apply: (command: Command) => void;
  /** Open orders of an account. */
  readonly open: (account: string) => readonly OrderRecord[];
  /** Newest first. */
  readonly trades: () => readonly TradeRecord[];
  readonly nowMs: () => number;
}

/** Half of what lies between the quotes. */
const HALF = 100_000n * ONE;
const DEEPER = 1_500_000n * ONE;
const PRINTED = ONE / 1_000n;
/** As old a print may be. */
const PRINT_AGE_MS = 10_000;

export class SimMarket {
  readonly moments: Moment[] = [];
  readonly #parts: MarketParts;
  #made = 0;

  constructor(parts: MarketParts) {
    this.#parts = parts;
  }

  /** Others do it once. */
  make(shape: Course["shape"], price: bigint): void {
    const { taker, maker } = this.#parts.others;
    const before = this.#quotes();
    this.#withdraw();
    if (shape === "print") {
      this.#order(maker, "buy", price, PRINTED);
      this.#order(taker, "sell", price, PRINTED, "IOC");
      this.note();
      this.#withdraw();
      for (const { side, price: at, volume, executedVolume } of before)
        if (at !== null && volume !== null) this.#order(maker, side, at, volume - executedVolume);
    } else {
      this.#order(maker, "buy", price - HALF, ONE / 20n);
      this.#order(maker, "buy", price - DEEPER, ONE);
      this.#order(maker, "sell", price + HALF, ONE / 20n);
      this.#order(maker, "sell", price + DEEPER, ONE);
      if (shape === "stand") {
        this.#order(maker, "buy", price, PRINTED);
        this.#order(taker, "sell", price, PRINTED, "IOC");
      }
    }
    this.note();
  }

  /** Writes down what stands there now. */
  note(): void {
    const atMs = this.#parts.nowMs();
    const quotes = this.#quotes();
    const of = (side: "buy" | "sell") => quotes.flatMap((each) => (each.side === side ? (each.price ?? []) : []));
    const best = (prices: readonly bigint[], isBetter: (a: bigint, b: bigint) => boolean): bigint | undefined =>
      prices.reduce<bigint | undefined>(
        (best, each) => (best === undefined || isBetter(each, best) ? each : best),
        undefined,
      );
    const prints = this.#parts.trades().flatMap(({ time, price }) => (atMs - time <= PRINT_AGE_MS ? [price] : []));
    const [bid, ask] = [best(of("buy"), (a, b) => a > b), best(of("sell"), (a, b) => a < b)];
    this.moments.push({ atMs, bid, ask, prints: [...new Set(prints)] });
  }

  #quotes(): readonly OrderRecord[] {
    return this.#parts.open(this.#parts.others.maker).filter(({ symbol }) => symbol === MARKET);
  }

  #withdraw(): void {
    for (const { orderId, symbol } of this.#quotes())
      this.#parts.apply({ type: "cancel", accountId: this.#parts.others.maker, symbol, orderId });
  }

  #order(
    accountId: string,
    side: "buy" | "sell",
    price: bigint,
    volume: bigint,
    timeInForce: "GTC" | "IOC" = "GTC",
  ): void {
    const command: PlaceCommand = {
      ...{ type: "place", accountId, keyId: null, orderId: `course-${++this.#made}`, symbol: MARKET },
      ...{ side, orderType: "limit", price, volume, amount: null, timeInForce, postOnly: false, userref: null },
      settlementMode: "INSTANT_KRW",
    };
    this.#parts.apply(command);
  }
}
