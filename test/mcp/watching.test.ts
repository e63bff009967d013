import { setImmediate as turn } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ok } from "../../src/contract/index.ts";
import type { Clock, Desk, StreamListener } from "../../src/desk/index.ts";
import { MODULES } from "../../src/mcp/person/module.ts";
import { Watching } from "../../src/mcp/server/watching.ts";

const ORDERS = "hoga://orders/open";
const POLICY = "hoga://policy";
const BALANCES = "hoga://balances";

function fail(error: unknown): never {
  throw error;
}

/** Time that stands until it is moved. */
class Time implements Clock {
  private nowMs = 0;
  private readonly alarms = new Set<{ readonly atMs: number; readonly ring: () => void }>();

  now(): number {
    return this.nowMs;
  }

  rising(): number {
    return this.nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const ring = (): void => {
        this.alarms.delete(alarm);
        signal?.removeEventListener("abort", ring);
        resolve();
      };
      const alarm = { atMs: this.nowMs + ms, ring };
      this.alarms.add(alarm);
      signal?.addEventListener("abort", ring, { once: true });
      if (signal?.aborted === true) ring();
    });
  }

  async move(ms: number): Promise<void> {
    const until = this.nowMs + ms;
    for (;;) {
      await turn();
      const [next] = [...this.alarms].filter(({ atMs }) => atMs <= until).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.ring();
    }
    this.nowMs = until;
  }
}

/** A desk whose stream says what the test says, and which counts how often it was asked. */
function stage({ live = true } = {}) {
  const time = new Time();
  const listeners = new Set<StreamListener>();
  const state = { live };
  const asked = { orders: 0, mode: "bounded" };
  const desk = {
    environment: "sandbox",
    watch: async (_: unknown, onChange: StreamListener) => {
      listeners.add(onChange);
      return ok({
        get live() {
          return state.live;
        },
        close: () => void listeners.delete(onChange),
      });
    },
    openOrders: async () => {
      asked.orders += 1;
      return ok({ orders: [], waiting: [], unresolved: [], next_cursor: null });
    },
    balances: async () => ok({ value: asked.mode }),
    policy: async () => ok({ mode: asked.mode }),
  } as unknown as Desk;
  const watching = new Watching({ desk, modules: MODULES, onError: fail, clock: time });
  const change = (): void => {
    for (const listener of listeners) listener();
  };
  const setLive = (isLive: boolean): void => {
    state.live = isLive;
  };
  return { time, watching, change, asked, listeners, setLive };
}

function client(time: Time) {
  const state = { isReady: true };
  const told: number[] = [];
  return { state, told, ready: () => state.isReady, notify: () => void told.push(time.now()) };
}

describe("a client that watches a resource", () => {
  it("is notified at once, then of many changes once in an interval, and of the last one", async () => {
    const { time, watching, change } = stage();
    const own = client(time);
    watching.watch(ORDERS, own);
    await time.move(100);
    for (let made = 0; made < 250; made++) {
      change();
      await time.move(10);
    }
    expect(own.told).toEqual([100, 1_100, 2_100]);
    await time.move(60_000);
    expect(own.told).toEqual([100, 1_100, 2_100, 3_100]);
  });

  it("is never notified twice in an interval, and always after the last change", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
        async (pauses, readiness) => {
          const { time, watching, change } = stage();
          const own = client(time);
          watching.watch(ORDERS, own);
          await time.move(1);
          let lastMs = 0;
          for (const [at, pauseMs] of pauses.entries()) {
            own.state.isReady = readiness[at % readiness.length] ?? true;
            change();
            lastMs = time.now();
            await time.move(pauseMs);
          }
          own.state.isReady = true;
          await time.move(2_000);
          expect(own.told.at(-1)).toBeGreaterThanOrEqual(lastMs);
          expect(own.told.every((atMs, at) => at === 0 || atMs - (own.told[at - 1] ?? 0) >= 1_000)).toBe(true);
          const count = own.told.length;
          await time.move(10_000);
          expect(own.told.length).toBe(count);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("and does not read is notified once when it does, and holds up no other client", async () => {
    const { time, watching, change } = stage();
    const deaf = client(time);
    const other = client(time);
    deaf.state.isReady = false;
    watching.watch(ORDERS, deaf);
    watching.watch(ORDERS, other);
    for (let made = 0; made < 50; made++) {
      await time.move(1_000);
      change();
    }
    await time.move(1_000);
    expect(other.told.length).toBe(50);
    expect(deaf.told).toEqual([]);
    deaf.state.isReady = true;
    await time.move(5_000);
    expect(deaf.told.length).toBe(1);
  });

  it("has the topic followed as long as it watches, and no queries made while that is live", async () => {
    const { time, watching, change, listeners, asked } = stage();
    const own = client(time);
    const ends = [watching.watch(ORDERS, own), watching.watch(ORDERS, client(time))];
    await time.move(60_000);
    expect([listeners.size, asked.orders]).toEqual([1, 0]);
    ends[0]?.();
    await time.move(1_000);
    expect(listeners.size).toBe(1);
    ends[1]?.();
    await time.move(1_000);
    expect(listeners.size).toBe(0);
    change();
    await time.move(10_000);
    expect(own.told).toEqual([]);
  });

  it("leaves nothing behind when it disconnects before the topic is followed", async () => {
    const { time, watching, listeners } = stage();
    watching.watch(ORDERS, client(time))?.();
    await time.move(10_000);
    expect(listeners.size).toBe(0);
  });

  it("is notified of changes that no stream reports, found by polling", async () => {
    const { time, watching, asked } = stage({ live: false });
    const own = client(time);
    watching.watch(POLICY, own);
    // It may have asked before the first look was over.
    await time.move(12_000);
    expect(own.told).toEqual([0]);
    asked.mode = "confirm";
    await time.move(5_000);
    expect(own.told).toEqual([0, 15_000]);
    await time.move(20_000);
    expect(own.told.length).toBe(2);
  });

  it("is notified of changes while the stream was interrupted", async () => {
    const { time, watching, asked, setLive } = stage({ live: false });
    const own = client(time);
    watching.watch(BALANCES, own);
    await time.move(1_000);
    asked.mode = "confirm";
    setLive(true);
    await time.move(5_000);
    expect(own.told).toEqual([0, 5_000]);
    await time.move(30_000);
    expect(own.told.length).toBe(2);
    setLive(false);
    asked.mode = "bounded";
    await time.move(5_000);
    expect(own.told.length).toBe(3);
  });
});

describe("watching", () => {
  it("is refused for what does not exist, and bounded", () => {
    const { time, watching } = stage();
    const own = client(time);
    expect(watching.watch("hoga://nothing", own)).toBeUndefined();
    const ends = Array.from({ length: 100 }, (_, at) => watching.watch(`hoga://ticker/${at}`, own));
    expect(ends.every((end) => end !== undefined)).toBe(true);
    expect(watching.watch(ORDERS, own)).toBeUndefined();
    ends[0]?.();
    expect(watching.watch(ORDERS, own)).toBeDefined();
  });
});
