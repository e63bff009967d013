/**
 * A market of the real exchange, over loopback HTTP and WebSocket, and the watch of it: other accounts quote and trade, the account's own orders go through
 * its desk and its journal, and the line between may be broken. Time passes for exchange and desk alike, as fast as the news arrives. Entry point: `openMarket`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { SharedMarketStream } from "../../../src/cli/composition/market-stream.ts";
import type { Side } from "../../../src/contract/index.ts";
import { price } from "../../../src/decimal/index.ts";
import type { Clock, MarketStream, Venue } from "../../../src/desk/index.ts";
import { OWN_MAX } from "../../../src/desk/market/own-orders.ts";
import { RECENT_MS } from "../../../src/desk/market/recent-trades.ts";
import { MarketWatch, type WatchGap } from "../../../src/desk/plans/watch/market-watch.ts";
import type { Level, Sample } from "../../../src/desk/plans/watch/trigger.ts";
import { type Leg, type WaitingPlan, WaitingPlans } from "../../../src/desk/plans/watch/waiting-plans.ts";
import type { OrderRecord } from "../../../src/sandbox/model/index.ts";
import { Stream } from "../../../src/venues/index.ts";
import { ONE, openWorld, type World } from "../../fixture/desk-over-sandbox.ts";
import { StreamRelay } from "../../fixture/stream-relay.ts";
import { NaiveRules, type RuleName } from "./naive-rules.ts";

const SYMBOL = "BTC/KRW";
const STEP_MS = 250;
const SOON = 10_000;

/** A price of the shapes, 100, in won. */
export function won(at: number): string {
  return String(at * 1_000_000);
}

/** Passes when it is told to, beside the time that passes anyway; its pauses end when it has. */
export class WorldClock implements Clock {
  readonly #world: World;
  readonly #alarms = new Set<{ readonly atMs: number; ring(): void }>();

  constructor(world: World) {
    this.#world = world;
  }

  now(): number {
    return this.#world.clock.now();
  }

  rising(): number {
    return this.#world.clock.rising();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const alarm = {
        atMs: this.rising() + ms,
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

  /** How many pauses have not ended. */
  get pauses(): number {
    return this.#alarms.size;
  }

  leap(ms: number): void {
    this.#world.clock.skewMs += ms;
    this.#world.venueClock.skewMs += ms;
  }

  ring(): void {
    for (const alarm of [...this.#alarms]) if (alarm.atMs <= this.rising()) alarm.ring();
  }
}

export interface SandboxMarket {
  readonly world: World;
  readonly relay: StreamRelay;
  /** Since the watch began, in milliseconds. */
  readonly passedMs: () => number;
  readonly triggered: ReadonlyMap<RuleName, number>;
  readonly legs: ReadonlySet<Leg>;
  readonly samples: readonly Sample[];
  readonly gaps: readonly WatchGap[];
  /** What others rest, and nothing else: a price of each side, or none. */
  quotes(bid: number | undefined, ask: number | undefined): void;
  /** Others trade at that price, between the quotes. */
  print(at: number): void;
  /** Somebody sells, or buys, through whatever rests up to that price. */
  sweep(side: "buy" | "sell", at: number, volume: string): void;
  rest(side: "buy" | "sell", at: number, volume: string): void;
  /** An order of the account itself. */
  place(order: { readonly side: Side; readonly at: number; readonly volume: string }): Promise<void>;
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface MarketOptions {
  readonly plan: Omit<WaitingPlan, "planId" | "symbol">;
  readonly level?: Level;
  readonly withoutStream?: boolean;
}

export async function openMarket({
  plan,
  level = leveled(plan),
  withoutStream,
}: MarketOptions): Promise<SandboxMarket> {
  const world = await openWorld({ sandbox: { limits: { streamHeartbeatMs: 10 } } });
  const relay = await StreamRelay.open(() => world.sandbox.streamUrl);
  const clock = new WorldClock(world);
  const opened: { venue?: Venue; stream?: SharedMarketStream } = {};
  const seat = await world.seat({
    live: (client) => {
      opened.venue = client;
      opened.stream = new SharedMarketStream(
        () => new Stream({ url: relay.url, reader: client, clock: world.clock, random: () => 0 }),
        world.clock,
      );
      return opened.stream;
    },
  });
  const { venue, stream } = opened;
  if (venue === undefined || stream === undefined) throw new Error("the desk has no stream");
  const beganMs = clock.rising();
  const triggered = new Map<RuleName, number>();
  const [legs, samples, gaps] = [new Set<Leg>(), [] as Sample[], [] as WatchGap[]];
  const plans = new WaitingPlans();
  plans.set([{ planId: "plan-1", symbol: SYMBOL, ...plan }]);
  const naive = new NaiveRules(level);
  const note = (rules: readonly RuleName[]): void => {
    for (const rule of rules) if (!triggered.has(rule)) triggered.set(rule, clock.rising() - beganMs);
  };
  const watch = new MarketWatch(
    {
      ...{ venue, clock, isPractice: () => true, stream: withoutStream === true ? undefined : stream },
      own: () => world.store.journal.openOrExecuted(world.sandbox.accountId, clock.now() - RECENT_MS, OWN_MAX),
    },
    {
      sampled: (symbol, sample) => {
        samples.push(sample);
        const { triggered: legsNow, stoodAtMs } = plans.sampled(symbol, sample);
        for (const { leg } of legsNow) legs.add(leg);
        note(legsNow.map(() => "ours"));
        note(naive.judge(stream.book(symbol), stream.trades(symbol)?.trades));
        note(naive.byOwnClock(sample, clock.now()));
        return stoodAtMs;
      },
      gap: (gap) => gaps.push(gap),
      failed: (error) => {
        throw error;
      },
    },
  );
  const others = othersOf(world);
  others.quotes(104, 105);
  others.print(104.5);
  watch.follow([SYMBOL]);
  await until(() => {
    clock.ring();
    return samples.length > 0;
  });
  return {
    ...{ world, relay, triggered, legs, samples, gaps, passedMs: () => clock.rising() - beganMs },
    ...others,
    place: async ({ side, at, volume }) => {
      const report = await seat.desk.place({
        symbol: SYMBOL,
        side,
        type: "limit",
        price: won(at),
        base_volume: volume,
      });
      if (report.outcome !== "accepted") throw new Error(`not placed: ${JSON.stringify(report)}`);
    },
    pass: async (ms) => {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        await heard(stream, clock);
        clock.leap(Math.min(STEP_MS, ms - passed));
        clock.ring();
      }
      await heard(stream, clock);
    },
    close: async () => {
      await watch.close();
      await stream.close();
      await relay.close();
      await world.close();
    },
  };
}

/** Until the exchange has spoken after this moment, and so has told all that was before it; a line that is broken says nothing. */
export async function heard(stream: MarketStream, clock: Clock): Promise<void> {
  const sinceMs = clock.rising();
  const givenUp = performance.now() + 100;
  const isHeard = () => (stream.pulse({ channel: "orderbook", symbol: SYMBOL })?.exchange?.cameMs ?? 0) > sinceMs + 15;
  while (!isHeard() && performance.now() < givenUp) await pause(2);
}

async function until(look: () => boolean): Promise<void> {
  const end = performance.now() + SOON;
  while (!look()) {
    if (performance.now() > end) throw new Error("no sample came");
    await pause(5);
  }
}

function leveled({ stop, take, alert }: MarketOptions["plan"]): Level {
  if (alert !== undefined) return alert;
  if (take !== undefined && stop === undefined) return { direction: "up", price: take };
  return { direction: "down", price: stop !== undefined && "price" in stop ? stop.price : price(won(100)) };
}

export function othersOf(world: World): Pick<SandboxMarket, "quotes" | "print" | "sweep" | "rest"> {
  for (const accountId of ["maker", "taker"])
    world.sandbox.exchange.apply(
      { type: "deposit", accountId, asset: "BTC", amount: 1_000_000n * ONE },
      Date.now() + world.venueClock.skewMs,
    );
  const resting: OrderRecord[] = [];
  const rest: SandboxMarket["rest"] = (side, at, volume) => {
    resting.push(world.rest(side, won(at), volume));
  };
  return {
    rest,
    quotes: (bid, ask) => {
      for (const order of resting.splice(0)) if (isOpen(world, order)) world.withdraw(order);
      if (bid !== undefined) rest("buy", bid, "1");
      if (ask !== undefined) rest("sell", ask, "1");
    },
    print: (at) => world.trade(won(at), "0.01"),
    sweep: (side, at, volume) => void world.take(side, won(at), volume),
  };
}

function isOpen(world: World, { orderId }: OrderRecord): boolean {
  const { orders } = world.sandbox.exchange.orders("maker", { limit: 10_000 });
  return orders.some((order) => order.orderId === orderId && order.state !== "filled" && order.state !== "canceled");
}
