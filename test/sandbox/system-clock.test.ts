import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { exchangeClock, systemClock } from "../../src/sandbox/system-clock.ts";
import { must, openVenue, START, type Venue } from "./http/venue.ts";
import { TradingCaller } from "./trading/trading-caller.ts";
import { startReceiver } from "./webhook/receiver.ts";

const DAY = 86_400_000;
const MINUTE = 60_000;

describe("the exchange's clock", () => {
  const kept = (clockOffset: number, lastChangeAt: number) => ({
    clockOffset: () => clockOffset,
    lastChangeAt: () => lastChangeAt,
  });
  it("is the machine's, and what it was put ahead by", () => {
    let machine = 1_000;
    const { now, aheadMs } = exchangeClock(() => machine, kept(50, 900));
    expect([now(), aheadMs()]).toEqual([1_050, 50]);
    machine += 7;
    expect(now()).toBe(1_057);
  });
  it("goes on from what is kept where that is later, and runs", () => {
    let machine = 1_000;
    const { now, aheadMs } = exchangeClock(() => machine, kept(50, 9_000));
    expect([now(), aheadMs()]).toEqual([9_000, 8_000]);
    machine += 7;
    expect(now()).toBe(9_007);
  });
});

describe("an exchange whose last run was with the machine's clock a day ahead", () => {
  let dir: string;
  let venue: Venue;
  /** The last time that the run with the wrong clock wrote down. */
  let ended: number;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "sandbox-clock-"));
  });
  afterEach(async () => {
    await venue.sandbox.close();
    await rm(dir, { recursive: true, force: true });
  });

  const unixMs = async (): Promise<number> => (await venue.paper.get("/v1/time")).json.unix_ms;
  async function runAhead(machineTime: () => number): Promise<void> {
    venue = await openVenue({ dir, now: () => machineTime() + DAY });
    const { status, json } = await venue.paper.order();
    expect(status).toBe(201);
    ended = Date.parse(json.created_at);
    await venue.sandbox.close();
  }
  async function inRealTime(): Promise<void> {
    await runAhead(systemClock());
    venue = await openVenue({ dir, now: systemClock(), marketMaker: true });
  }

  it("gives a new time to everything, never one before the last run's", async () => {
    await inRealTime();
    const { paper } = venue;
    const first = (await paper.order()).json;
    const times = [await unixMs(), Date.parse(first.created_at)];
    await vi.waitFor(async () => expect(await unixMs()).toBeGreaterThan(Math.max(...times) + 20));
    const second = (await paper.order()).json;
    times.push(Date.parse(second.created_at));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(ended);
    expect(Math.max(...times)).toBeLessThan(ended + MINUTE);
    expect(second.created_at > first.created_at).toBe(true);
    expect(second.uuid > first.uuid).toBe(true);
  });

  it("cancels all orders when it said that it would", async () => {
    await inRealTime();
    const caller = new TradingCaller(venue.sandbox.baseUrl, venue.paper.credentials);
    const { currentTime, triggerTime } = (await caller.post("CancelAllOrdersAfter", { timeout: "1" })).json.result;
    expect(Date.parse(triggerTime) - Date.parse(currentTime)).toBe(1_000);
    const open = async () => (await venue.paper.get("/v1/orders")).json.orders;
    expect(await open()).toHaveLength(1);
    await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 5_000, interval: 50 });
    expect(await unixMs()).toBeGreaterThanOrEqual(Date.parse(triggerTime));
  });

  it("makes one candle after the other", async () => {
    let machine = START;
    await runAhead(() => machine);
    venue = await openVenue({ dir, now: () => machine });
    for (const minute of [0, 1, 2]) {
      machine = START + minute * MINUTE;
      await venue.maker.order({ side: "sell", price: "90000000" });
      await venue.paper.order();
    }
    const candles = (await venue.paper.get("/v1/candles/BTCKRW?interval=1m")).json.candles;
    expect(candles.map(({ time }: { time: string }) => Date.parse(time))).toEqual(
      [0, 1, 2].map((minute) => START + DAY + minute * MINUTE),
    );
  });

  it("delivers webhooks at once, and again when it is time", async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    let machine = START;
    await runAhead(() => machine);
    venue = await openVenue({ dir, now: () => machine });
    const { exchange, accountId } = venue.sandbox;
    const webhook = { webhookId: "w1", accountId, url: receiver.url, secret: receiver.secret } as const;
    must(exchange.apply({ type: "registerWebhook", webhook: { ...webhook, types: ["order.created"] } }, machine));
    receiver.behave(500, 200);
    await venue.paper.order();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), { timeout: 5_000 });
    const isSentAgain = () => {
      machine += 10_000;
      expect(receiver.received).toHaveLength(2);
    };
    await vi.waitFor(isSentAgain, { timeout: 5_000, interval: 100 });
  });
});
