/** What the venue says of a key's weight: a lane keeps to it, whichever tier was assumed and whoever else uses the key. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/index.ts";
import { createLane, type KeyLane, type LaneSettings } from "../../src/store/lane/lane.ts";
import { migrate } from "../../src/store/schema/migrations.ts";
import type { Connection } from "../../src/store/sql/connection.ts";
import { openConnection } from "../../src/store/sql/driver.ts";
import { OpenApiClient } from "../../src/venues/index.ts";

let connection: Connection;
let nowMs: number;
beforeEach(async () => {
  connection = await openConnection(":memory:", { journal: "wal", durability: "normal", random: Math.random });
  await migrate(connection, 0);
  nowMs = 1_784_538_000_000;
});
afterEach(() => connection.close());

const clock = {
  now: () => nowMs,
  sleep: async (ms: number) => {
    nowMs += Math.ceil(ms);
  },
};

function laneOf(limits: Partial<LaneSettings["limits"]> = {}): KeyLane {
  const settings = {
    limits: { callsPerSecond: 1_000, weightPerMinute: 600, ...limits },
    leaseWaitMs: 2_000,
    leaseMs: 2_000,
  };
  return createLane(connection, settings, clock, () => 0);
}

/** Lists that leave within so long. */
async function listsIn(lane: KeyLane, forMs: number, urgent = false): Promise<number> {
  const endMs = nowMs + forMs;
  for (let lists = 0; ; lists += 1) {
    const pass = await lane.enter("key", { weight: 10, clockOffsetMs: () => 0, urgent });
    await pass.leave();
    if (nowMs > endMs) return lists;
  }
}

describe("a lane that the venue told how much a key may use", () => {
  it("goes at the pace of the key's tier, not of the one that was assumed", async () => {
    const assumed = await listsIn(laneOf(), 120_000);
    nowMs += 600_000;
    const lane = laneOf();
    await lane.learn("key", { limit: 6_000, remaining: 5_990 });
    const told = await listsIn(lane, 120_000);
    expect(told / assumed).toBeGreaterThan(8);
    nowMs += 600_000;
    await lane.learn("key", { limit: 600, remaining: 590 });
    expect(await listsIn(lane, 120_000)).toBe(assumed);
  });

  it("never goes faster than the tier that a person wrote down", async () => {
    const lane = laneOf({ weightAtMost: 600 });
    const before = await listsIn(lane, 120_000);
    nowMs += 600_000;
    await lane.learn("key", { limit: 6_000, remaining: 5_990 });
    expect(await listsIn(lane, 120_000)).toBe(before);
  });

  it("leaves alone what another program has used already, in every process of the store", async () => {
    const [lane, other] = [laneOf(), laneOf()];
    await lane.learn("key", { limit: 600, remaining: 60 });
    for (const each of [lane, other]) {
      const beganMs = nowMs;
      await (await each.enter("key", { weight: 10, clockOffsetMs: () => 0 })).leave();
      expect(nowMs).toBeGreaterThanOrEqual(beganMs);
    }
    // 60 are left, of which a quarter of the whole burst is for cancels: two lists later the next has to wait, and a cancel has not.
    const beganMs = nowMs;
    await (await other.enter("key", { weight: 1, clockOffsetMs: () => 0, urgent: true })).leave();
    expect(nowMs).toBe(beganMs);
    await (await lane.enter("key", { weight: 10, clockOffsetMs: () => 0 })).leave();
    expect(nowMs).toBeGreaterThan(beganMs + 500);
  });

  it("is not slowed down by what it has used itself", async () => {
    const used: { atMs: number }[] = [];
    const lane = laneOf();
    const alone = await listsIn(laneOf(), 180_000);
    nowMs += 600_000;
    const endMs = nowMs + 180_000;
    let lists = 0;
    for (; ; lists += 1) {
      const pass = await lane.enter("key", { weight: 10, clockOffsetMs: () => 0 });
      used.push({ atMs: nowMs });
      const inMinute = used.filter(({ atMs }) => atMs > nowMs - 60_000).length * 10;
      await lane.learn("key", { limit: 600, remaining: 600 - inMinute });
      await pass.leave();
      if (nowMs > endMs) break;
    }
    expect(lists).toBe(alone);
  });
});

it("hears it from every answer of a real exchange", async () => {
  const sandbox = await startSandbox({ marketMaker: false });
  try {
    const news: unknown[] = [];
    const lane = {
      ...laneOf(),
      learn: async (_: string, said: unknown) => {
        news.push(said);
      },
    };
    const { apiKey, apiSecret, baseUrl } = sandbox;
    const client = new OpenApiClient({ environment: "sandbox", baseUrl, credentials: { apiKey, apiSecret }, lane });
    for (let n = 0; n < 12; n += 1) await client.orders();
    // Until then the limit of a second is the nearer one.
    await sleep(1_100);
    await client.orders();
    await client.close();
    expect(news).toContainEqual({ limit: 1_200, remaining: expect.any(Number) });
  } finally {
    await sandbox.close();
  }
});
