/** What every store keeps of the rates of an exchange, and of what it has shut out: one budget and one ban for all processes. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RateScopes } from "../../src/store/index.ts";
import { unwrap } from "../fixture/result.ts";
import { createWorkers, type Workers } from "./processes.ts";
import type { Calls, RatesJob } from "./rates-worker.ts";
import type { Place } from "./store-suite.ts";

type Claim = Parameters<RateScopes["claim"]>[1]["groups"][number];

const WINDOW_MS = 1_000;
const SCOPE = "upbit api.upbit.com key k";

const asked = (more: Partial<Claim> = {}): Claim => ({
  ...{ group: "order", limit: 12, windowMs: WINDOW_MS, open: 12, needed: 1, wanted: 12, spare: 0 },
  ...{ isUrgent: false, used: [], underWay: 0, underWayMs: 0, flightMs: 500, ...more },
});

/** The most of them that may have been at the venue in any window: each came some time between its begin and its end. */
function mostInOneWindow(calls: Calls): number {
  const within = (fromMs: number) => calls.filter(([entered, over]) => over >= fromMs && entered <= fromMs + WINDOW_MS);
  return Math.max(...calls.map(([, over]) => within(over).length));
}

export function rateCases({ store, database }: Place): void {
  let workers: Workers<RatesJob>;
  beforeAll(async () => {
    workers = await createWorkers<RatesJob>(join(import.meta.dirname, "rates-worker.ts"));
  });
  afterAll(async () => {
    await workers.end();
  });
  const claim = async (rates: RateScopes, by: string, more: Partial<Claim> = {}) => {
    const share = await unwrap(rates.claim(SCOPE, { by, groups: [asked(more)] }));
    return share.groups[0];
  };

  it("is one budget: what one process holds or has used is not there for another", async () => {
    const other = await database().open();
    expect(await claim(store().rates, "a", { wanted: 7 })).toMatchObject({ granted: 7, waitMs: 0 });
    expect(await claim(other.rates, "b")).toMatchObject({ granted: 5 });
    const turnedAway = await claim(other.rates, "c");
    expect(turnedAway).toMatchObject({ granted: 0, total: 12 });
    expect(turnedAway?.waitMs).toBeGreaterThan(0);
    // What was held and not used is there again at once.
    await claim(store().rates, "a", { needed: 0, used: [[0, 2]] });
    expect(await claim(other.rates, "c")).toMatchObject({ granted: 5 });
    expect(
      await unwrap(store().rates.claim("upbit api.upbit.com key l", { by: "a", groups: [asked()] })),
    ).toMatchObject({ groups: [{ granted: 12 }] });
    other.close();
  });

  it("gives back what a process held that has died, once it has run out", async () => {
    const { leaseMs } = await unwrap(store().rates.claim(SCOPE, { by: "dead", groups: [asked()] }));
    expect(await claim(store().rates, "b")).toMatchObject({ granted: 0 });
    await sleep(WINDOW_MS);
    expect(await claim(store().rates, "b")).toMatchObject({ granted: 0 });
    await sleep(leaseMs + 500 + 60);
    expect(await claim(store().rates, "b")).toMatchObject({ granted: 12 });
  });

  it("tells every process, and one that begins, of a ban, for whose end nobody has to be asked", async () => {
    const other = await database().open();
    await unwrap(store().rates.claim(SCOPE, { by: "a", groups: [asked({ needed: 0 })], ban: { forMs: 60_000 } }));
    const fresh = await database().open();
    for (const { rates } of [store(), other, fresh]) {
      const share = await unwrap(
        rates.claim(SCOPE, { by: "b", groups: [asked(), asked({ group: "default", isUrgent: true })] }),
      );
      expect(share.groups.map(({ granted }) => granted)).toEqual([0, 0]);
      expect(share.bannedMs).toBeGreaterThan(55_000);
      expect(share.bannedMs).toBeLessThanOrEqual(60_000);
    }
    const elsewhere = await unwrap(fresh.rates.claim("upbit api.upbit.com address", { by: "b", groups: [asked()] }));
    expect(elsewhere).toMatchObject({ bannedMs: 0, groups: [{ granted: 12 }] });
    other.close();
    fresh.close();
  });

  it("tells every process of a pause, and of what other programs have used", async () => {
    const other = await database().open();
    await claim(store().rates, "a", { needed: 0, pauseMs: 5_000 });
    const paused = await claim(other.rates, "b");
    expect(paused).toMatchObject({ granted: 0 });
    expect(paused?.pausedMs).toBeGreaterThan(4_000);
    expect(await claim(other.rates, "b", { isUrgent: true, wanted: 1 })).toMatchObject({ granted: 1 });
    await claim(store().rates, "a", { group: "default", needed: 0, left: 3 });
    expect(await claim(other.rates, "b", { group: "default" })).toMatchObject({ granted: 3 });
    other.close();
  });

  it("holds over processes that call at once, one of whose clocks is an hour behind", async () => {
    const { location } = database();
    const group = { name: "order", limit: 12, windowMs: WINDOW_MS, scope: "key" } as const;
    const job = { role: "enter", location, group, calls: 16, atMs: Date.now() + 1_500 } as const;
    const calls = (await workers.run<Calls>([job, { ...job, behindMs: 3_600_000 }, job])).flat();
    expect(calls).toHaveLength(48);
    expect(mostInOneWindow(calls)).toBeLessThanOrEqual(12);
    // All of it is used: four windows' worth in little more than three.
    const tookMs = Math.max(...calls.map(([, over]) => over)) - Math.min(...calls.map(([entered]) => entered));
    expect(tookMs).toBeLessThan(8_000);
  });
}
