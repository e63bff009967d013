/**
 * A market played from a script, and the watch of it: `MarketWatch` and `WaitingPlans` over a stream that says what the script says, on a clock that passes
 * at once. Entry point: `play`.
 */
import { setImmediate as turn } from "node:timers/promises";
import { type BookLevel, failed, localFault, ok, type PublicTrade, type Side } from "../../../src/contract/index.ts";
import { price } from "../../../src/decimal/index.ts";
import type { Clock, MarketStream, OwnIntent, StreamListener, StreamPulse } from "../../../src/desk/index.ts";
import { MarketWatch, type WatchedMarket, type WatchGap } from "../../../src/desk/plans/watch/market-watch.ts";
import type { Level, Sample } from "../../../src/desk/plans/watch/trigger.ts";
import { type WaitingPlan, WaitingPlans } from "../../../src/desk/plans/watch/waiting-plans.ts";
import { NaiveRules, type RuleName } from "./naive-rules.ts";

export const SYMBOL = "BTC/KRW";
export const START = Date.UTC(2026, 6, 20, 9);
/** At what the market stands where the script says nothing: 104 is bid, 105 asked. */
export const STOP_AT = "100";

/** What happens when, in milliseconds since the start; several things of one moment are parted by ";". */
export type Script = readonly (readonly [ms: number, what: string])[];

export interface Shape {
  readonly title: string;
  readonly script: Script;
  /** Without it, when the last thing has happened and eight seconds have passed. */
  readonly untilMs?: number;
  readonly forRealMoney?: boolean;
}

/** The same upside down: a rise to 100 from below, where a take-profit waits. */
export function mirrored({ title, script, ...rest }: Shape): Shape {
  const flip = (what: string): string =>
    what
      .replace(/\b(bid|ask)\b/g, (side) => (side === "bid" ? "ask" : "bid"))
      .replace(/(?<=(?:bid|ask|print|wick) )\d+(?:\.\d+)?/g, (at) => String(200 - Number(at)));
  return { ...rest, title: `${title}, upside down`, script: script.map(([ms, what]) => [ms, flip(what)] as const) };
}

class PassingClock implements Clock {
  #risingMs = 0;
  #setMs = 0;
  readonly #alarms = new Set<{ readonly atMs: number; ring(): void }>();

  now(): number {
    return START + this.#risingMs + this.#setMs;
  }

  rising(): number {
    return this.#risingMs;
  }

  /** How far our clock was set ahead. */
  get setMs(): number {
    return this.#setMs;
  }

  set(ms: number): void {
    this.#setMs += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const alarm = {
        atMs: this.#risingMs + ms,
        ring: () => {
          this.#alarms.delete(alarm);
          signal?.removeEventListener("abort", alarm.ring);
          resolve();
        },
      };
      this.#alarms.add(alarm);
      signal?.addEventListener("abort", alarm.ring, { once: true });
      if (signal?.aborted === true) alarm.ring();
    });
  }

  /** @param isFrozen nothing runs meanwhile, and every alarm rings late */
  async pass(ms: number, isFrozen = false): Promise<void> {
    const until = this.#risingMs + ms;
    if (isFrozen) this.#risingMs = until;
    for (;;) {
      for (let turns = 0; turns < 3; turns++) await turn();
      const [next] = [...this.#alarms].filter(({ atMs }) => atMs <= until).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#risingMs = Math.max(this.#risingMs, next.atMs);
      next.ring();
    }
    this.#risingMs = until;
  }
}

interface Shown {
  readonly buys: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly trades: readonly PublicTrade[];
}

export class ScriptedMarket implements MarketStream {
  readonly clock = new PassingClock();
  /** As it is at the exchange. */
  now: Shown;
  isDown = false;
  isLive = true;
  isStalled = false;
  /** The exchange says nothing by itself. */
  isQuiet = false;
  isStoreDown = false;
  isStoreHanging = false;
  readonly #upside: boolean;
  readonly #listeners = new Set<StreamListener>();
  #best = { bid: "104", ask: "105" } as { bid: string | undefined; ask: string | undefined };
  #own: OwnIntent[] = [];
  #ownLevels: readonly (readonly [Side, string])[] = [];
  /** As it was told last. */
  #told: Shown;
  #run = 1;
  #aheadMs = 0;
  #measuredMs = 0;
  #heard: { timeMs: number; cameMs: number; isSent: boolean };
  #prints = 0;
  #asked: (() => void)[] = [];
  #answer: { readonly askedMs: number; readonly cameMs: number } | undefined;

  constructor(upside: boolean) {
    this.#upside = upside;
    if (upside) this.#best = { bid: "95", ask: "96" };
    this.now = { buys: [], asks: [], trades: [] };
    this.#told = this.now;
    this.#heard = { timeMs: this.exchangeMs, cameMs: 0, isSent: true };
    this.#print(upside ? "96" : "104", START);
    this.#show();
  }

  get exchangeMs(): number {
    return START + this.clock.rising() + this.#aheadMs;
  }

  get offsetMs(): number {
    return this.#measuredMs - this.clock.setMs;
  }

  get own(): readonly OwnIntent[] {
    return this.#own;
  }

  book(): ReturnType<MarketStream["book"]> {
    if (!this.isLive) return undefined;
    const { buys, asks } = this.#told;
    return { symbol: SYMBOL, seq: 1, tick: { buys: [...buys], asks: [...asks] }, time: "", atMs: this.clock.now() };
  }

  trades(): ReturnType<MarketStream["trades"]> {
    return this.isLive ? { trades: this.#told.trades, atMs: this.clock.now() } : undefined;
  }

  pulse(): StreamPulse | undefined {
    const heardMs = Math.max(this.#heard.cameMs, this.#answer?.cameMs ?? 0);
    const heard = { heardMs, exchange: this.#heard, answeredMs: this.#answer?.askedMs };
    return this.isLive ? { run: this.#run, ...heard } : undefined;
  }

  /** Answered behind all that has happened, also while the process stood still; where the line stalls, when it goes on. */
  hear(): Promise<boolean> {
    const [run, askedMs] = [this.#run, this.clock.rising()];
    return new Promise((resolve) => {
      this.#asked.push(() => {
        const isAnswered = this.isLive && this.#run === run;
        if (isAnswered) this.#answer = { askedMs, cameMs: this.clock.rising() };
        resolve(isAnswered);
      });
    });
  }

  watch(_: unknown, onChange: StreamListener): { live: boolean; close(): void } {
    this.#listeners.add(onChange);
    return { live: true, close: () => this.#listeners.delete(onChange) };
  }

  /** A sign of life, with all that has changed. */
  beat(sentMs?: number): void {
    if (this.isStalled) return;
    // What the script says is told before.
    if (sentMs === undefined) for (const answer of this.#asked.splice(0)) answer();
    if (this.isLive && !(this.isQuiet && sentMs === undefined)) this.#tell(sentMs ?? this.exchangeMs);
  }

  #tell(sentMs: number): void {
    this.#told = this.now;
    this.#heard = { timeMs: sentMs, cameMs: this.clock.rising(), isSent: true };
    for (const listener of this.#listeners) listener();
  }

  /** @param atMs when it happened, since the start: a process that stood still hears of it later */
  async do(what: string, atMs: number): Promise<void> {
    const sentMs = (): number => START + atMs + this.#aheadMs;
    const [word = "", at = "", ageMs = "0"] = what.split(" ");
    const number = Number(at);
    switch (word) {
      case "bid":
      case "ask":
        this.#best[word] = at === "none" ? undefined : at;
        break;
      // By others, at that price.
      case "print":
        this.#print(at, sentMs() - Number(ageMs));
        break;
      // Through a thin side of the book: what rests on the other one stays where it is.
      case "wick":
        this.#print(at, sentMs());
        break;
      case "own-print":
        this.#own.push(ownOrder(this.#upside ? "sell" : "buy", this.#at(number)));
        this.#print(this.#at(number), sentMs());
        break;
      case "own-quote":
        this.#ownLevels = [[this.#upside ? "buy" : "sell", this.#at(number)]];
        this.#own.push(ownOrder(this.#upside ? "buy" : "sell", this.#at(number)));
        break;
      case "reconnect":
        this.#run += 1;
        break;
      case "drop":
        this.isLive = false;
        for (const listener of this.#listeners) listener();
        return;
      case "back":
        this.isLive = true;
        this.#run += 1;
        break;
      case "stall":
        this.isStalled = true;
        return;
      case "resume":
        this.isStalled = false;
        break;
      case "quiet":
        this.isQuiet = true;
        return;
      case "exchange-down":
        this.isDown = true;
        return;
      case "exchange-up":
        this.isDown = false;
        return;
      case "clock":
        this.#aheadMs += number;
        break;
      case "measured":
        this.#measuredMs = this.#aheadMs;
        return;
      case "our-clock":
        this.clock.set(number);
        return;
      // More than are read at once.
      case "own-orders":
        this.#own = Array.from({ length: number }, () => ownOrder("buy", "1"));
        return;
      case "store-down":
        this.isStoreDown = true;
        return;
      case "store-hangs":
        this.isStoreHanging = true;
        return;
      case "store-up":
        this.isStoreDown = false;
        return;
      default:
        throw new Error(`the script says ${what}`);
    }
    this.#show();
    this.beat(sentMs());
  }

  /** Of a script that was turned upside down the account's own prices are too. */
  #at(number: number): string {
    return String(this.#upside ? 200 - number : number);
  }

  #print(at: string, atMs: number): void {
    const trade: PublicTrade = {
      trade_id: String(++this.#prints),
      symbol: SYMBOL,
      side: this.#upside ? "buy" : "sell",
      price: at,
      volume: "1",
      time: new Date(atMs).toISOString(),
    };
    this.now = { ...this.now, trades: [trade, ...this.now.trades].slice(0, 100) };
  }

  #show(): void {
    const level = (at: string | undefined): BookLevel[] => (at === undefined ? [] : [[at, "3"]]);
    const own = (side: Side): BookLevel[] => this.#ownLevels.filter(([of]) => of === side).map(([, at]) => [at, "5"]);
    const { bid, ask } = this.#best;
    this.now = { ...this.now, buys: [...own("buy"), ...level(bid)], asks: [...own("sell"), ...level(ask)] };
  }
}

function ownOrder(side: Side, at: string): OwnIntent {
  const order = { symbol: SYMBOL, side, type: "limit", price: at, volume: "5" } as const;
  return {
    ...{ intentId: `own-${side}-${at}`, userref: "own", state: "open", isLive: true },
    ...{ sentAtMs: START - 60_000, createdAtMs: START - 60_000, updatedAtMs: START - 60_000 },
    body: { order, environment: "sandbox", keyId: "k", digest: "d" },
  } as OwnIntent;
}

export interface Played {
  /** When each rule triggered, in milliseconds since the start. */
  readonly triggered: ReadonlyMap<RuleName, number>;
  readonly samples: readonly Sample[];
  readonly gaps: readonly WatchGap[];
  /** As the watch had it every tenth of a second. */
  readonly states: readonly WatchState[];
}

interface WatchState {
  readonly atMs: number;
  readonly market: WatchedMarket | undefined;
  readonly exchangeNowMs: number | undefined;
}

export async function play(shape: Shape, direction: "down" | "up", waiting?: Partial<WaitingPlan>): Promise<Played> {
  const market = new ScriptedMarket(direction === "up");
  const { clock } = market;
  const level: Level = { direction, price: price(STOP_AT) };
  const legs = waiting ?? (direction === "down" ? { stop: { price: level.price } } : { take: level.price });
  const naive = new NaiveRules(level);
  const triggered = new Map<RuleName, number>();
  const samples: Sample[] = [];
  const gaps: WatchGap[] = [];
  const states: WatchState[] = [];
  const note = (rules: readonly RuleName[]): void => {
    for (const rule of rules) if (!triggered.has(rule)) triggered.set(rule, clock.rising());
  };
  const begin = (): MarketWatch => {
    const plans = new WaitingPlans();
    plans.set([{ planId: "plan-1", symbol: SYMBOL, ...legs }]);
    const watch = new MarketWatch(partsOf(market, shape.forRealMoney !== true), {
      sampled: (symbol, sample) => {
        samples.push(sample);
        const { triggered: legsNow, stoodAtMs } = plans.sampled(symbol, sample);
        note(legsNow.map(() => "ours"));
        note(naive.judge(market.book(), market.trades()?.trades));
        note(naive.byOwnClock(sample, clock.now()));
        return stoodAtMs;
      },
      gap: (gap) => gaps.push(gap),
      failed: (error) => {
        throw error;
      },
    });
    watch.follow([SYMBOL]);
    return watch;
  };
  let watch = begin();
  const until = shape.untilMs ?? (shape.script.at(-1)?.[0] ?? 0) + 8_000;
  const steps = [...shape.script.flatMap(([ms, what]) => what.split("; ").map((each) => ({ ms, what: each })))];
  while (clock.rising() < until) {
    for (let next = steps[0]; next !== undefined && next.ms <= clock.rising(); next = steps[0]) {
      steps.shift();
      if (next.what === "new-holder") {
        await watch.close();
        watch = begin();
      } else if (next.what.startsWith("freeze ")) await clock.pass(Number(next.what.slice(7)), true);
      else await market.do(next.what, next.ms);
    }
    await clock.pass(100);
    market.beat();
    states.push({ atMs: clock.rising(), market: watch.market(SYMBOL), exchangeNowMs: watch.exchangeNowMs() });
  }
  await watch.close();
  return { triggered, samples, gaps, states };
}

export function partsOf(market: ScriptedMarket, isPractice: boolean): ConstructorParameters<typeof MarketWatch>[0] {
  const away = failed(localFault("ELocal:Store unavailable", { message: "It is away." }));
  const shown = <T>(value: () => T) => Promise.resolve(market.isDown ? away : ok(value()));
  return {
    stream: market,
    clock: market.clock,
    isPractice: () => isPractice,
    own: () =>
      market.isStoreHanging
        ? new Promise(() => undefined)
        : Promise.resolve(market.isStoreDown ? away : ok(market.own)),
    venue: {
      clockOffsetMs: () => market.offsetMs,
      orderbook: () =>
        shown(() => ({
          symbol: SYMBOL,
          seq: 1,
          tick: { buys: [...market.now.buys], asks: [...market.now.asks] },
          time: "",
        })),
      trades: () => shown(() => market.now.trades),
      candles: () =>
        shown(() =>
          ["99", "103"].map((low, index) => ({
            ...{ time: new Date(START + index * 60_000).toISOString(), open: "104", close: "104" },
            ...{ high: "106", low, volume: "1", quote_volume: "100" },
          })),
        ),
    },
  };
}
