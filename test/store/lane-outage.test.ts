import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createLane } from "../../src/store/lane/lane.ts";
import { migrate } from "../../src/store/schema/migrations.ts";
import type { Connection } from "../../src/store/sql/connection.ts";
import { openConnection } from "../../src/store/sql/driver.ts";
import { storeError } from "../../src/store/sql/store-error.ts";

/** A store whose disk fills up on demand. */
async function fragileStore(): Promise<{ connection: Connection; readonly fail: (broken: boolean) => void }> {
  const real = await openConnection(":memory:", { journal: "wal", durability: "normal", random: Math.random });
  await migrate(real, 0);
  let broken = false;
  const guard = <T>(work: () => Promise<T>) => (broken ? Promise.reject(storeError("disk_full", "hoga.db")) : work());
  return {
    connection: {
      path: real.path,
      closed: false,
      catalog: real.catalog,
      waitingMs: () => 0,
      transaction: (work, limit) => guard(() => real.transaction(work, limit)),
      single: (work, limit) => guard(() => real.single(work, limit)),
      close: () => real.close(),
    },
    fail: (now) => {
      broken = now;
    },
  };
}

const clock = {
  now: () => Date.now(),
  sleep: async (ms: number, signal?: AbortSignal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  },
};
const settings = { limits: { callsPerSecond: 20, weightPerMinute: 6_000 }, leaseWaitMs: 2_000, leaseMs: 2_000 };
const request = { weight: 1, clockOffsetMs: () => 0 };

describe("the lane while the store fails", () => {
  it("lets a cancel out: numbered, one at a time, paced, and taken over by the store afterwards", async () => {
    const { connection, fail } = await fragileStore();
    const lane = createLane(connection, settings, clock, Math.random);
    const nonces: bigint[] = [];
    const held = await lane.enter("key", { weight: 1, clockOffsetMs: () => 1_000_000 });
    nonces.push(held.nonce);
    fail(true);
    let left = false;
    const waiting = lane.enter("key", request).then((pass) => {
      expect(left).toBe(true);
      nonces.push(pass.nonce);
      return pass.leave();
    });
    await sleep(50);
    left = true;
    await held.leave();
    await waiting;
    const startedAt = performance.now();
    for (let n = 0; n < 6; n++) {
      const pass = await lane.enter("key", request);
      nonces.push(pass.nonce);
      await pass.leave();
    }
    expect(performance.now() - startedAt).toBeGreaterThan(150);
    await lane.pause("key", 200);
    const pausedAt = performance.now();
    nonces.push((await lane.enter("key", request)).nonce);
    expect(performance.now() - pausedAt).toBeGreaterThan(180);
    fail(false);
    const later = await createLane(connection, settings, clock, Math.random).enter("other", request);
    await later.leave();
    nonces.push((await lane.enter("key", request)).nonce);
    expect(nonces).toEqual(nonces.map((_, index) => (nonces[0] ?? 0n) + BigInt(index)));
  });

  it("lets a cancel go before reads then too", async () => {
    const { connection, fail } = await fragileStore();
    const lane = createLane(connection, settings, clock, Math.random);
    fail(true);
    const held = await lane.enter("key", request);
    const entered: string[] = [];
    const enter = async (mark: string, urgent: boolean) => {
      const pass = await lane.enter("key", { ...request, urgent });
      entered.push(mark);
      await pass.leave();
      return pass.nonce;
    };
    const reads = ["r1", "r2"].map((mark) => enter(mark, false));
    await sleep(20);
    const cancel = enter("c", true);
    await sleep(20);
    await held.leave();
    const nonces = await Promise.all([cancel, ...reads]);
    expect(entered).toEqual(["c", "r1", "r2"]);
    expect([held.nonce, ...nonces]).toEqual([held.nonce, ...nonces].sort((a, b) => (a < b ? -1 : 1)));
    expect(new Set([held.nonce, ...nonces]).size).toBe(4);
  });

  it("lets a cancel out in half a second where a read stands before it and the store says nothing", async () => {
    const { connection } = await fragileStore();
    let isSilent = true;
    let isAsked = 0;
    const whenBack = async (): Promise<void> => {
      while (isSilent) await sleep(5);
    };
    const silent: Connection = {
      ...connection,
      transaction: (work, limit) => {
        isAsked += 1;
        // As a server that says nothing: who waits for a moment only is told so.
        if (!isSilent) return connection.transaction(work, limit);
        if (limit?.isHurried !== true) return whenBack().then(() => connection.transaction(work, limit));
        return sleep(limit.busyMs).then(() => Promise.reject(storeError("no_answer", "hoga.db")));
      },
      single: (work, limit) => connection.single(work, limit),
    };
    const lane = createLane(silent, settings, clock, Math.random);
    const read = lane.enter("key", request);
    await expect.poll(() => isAsked).toBe(1);
    const startedAt = performance.now();
    const pass = await lane.enter("key", { ...request, urgent: true });
    expect(performance.now() - startedAt).toBeLessThan(1_900);
    isSilent = false;
    await pass.leave();
    expect((await read).nonce).toBeGreaterThan(pass.nonce);
  });

  it("does not hide a mistake of ours", async () => {
    const { connection } = await fragileStore();
    const lane = createLane(connection, settings, clock, Math.random);
    connection.close();
    await expect(lane.enter("key", request)).rejects.toThrow(/after it was closed/);
  });
});
