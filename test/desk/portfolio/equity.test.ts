/** Equity by day, over a real exchange whose days pass. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { ONE, openWorld, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { endow, trade } from "./trading.ts";

const DAY_MS = 86_400_000;

let world: World;
beforeEach(async () => {
  world = await openWorld();
  endow(world);
});
afterEach(() => world.close());

it("is what was held on each day at that day's close, and what is held now today", async () => {
  const { desk } = await world.seat({ patient: true });
  const noonMs = Math.floor(Date.now() / DAY_MS + 1) * DAY_MS + DAY_MS / 2;
  const btc = (day: number, side: "buy" | "sell", krw: bigint, volume: bigint): void =>
    trade(world, { coin: "BTC", side, price: krw * ONE, volume }, noonMs + day * DAY_MS);
  btc(0, "buy", 100_000_000n, ONE);
  // Nothing is traded on the next day; on the one after that half of it is sold, dearer.
  btc(2, "sell", 200_000_000n, ONE / 2n);
  world.clock.skewMs = noonMs + 3 * DAY_MS - Date.now();
  world.venueClock.skewMs = world.clock.skewMs;
  const { equity, totals } = await unwrap(desk.portfolio({ withEquity: true }));
  // Two bitcoin, one of them from the beginning, and the money: 10 000 000 and what it was endowed with, less what was spent.
  const before = 1_000_000_000_000n + 10_000_000n;
  const bought = before - 100_000_000n - 50_000n;
  const sold = bought + 100_000_000n - 50_000n;
  const points = [bought + 200_000_000n, bought + 200_000_000n, sold + 300_000_000n, sold + 300_000_000n];
  expect(equity?.map(({ value_krw }) => value_krw)).toEqual(points.map(String));
  expect(equity?.at(-1)?.value_krw).toBe(totals.value_krw);
  const { equity: part } = await unwrap(desk.portfolio({ withEquity: true, fromMs: noonMs, toMs: noonMs + DAY_MS }));
  expect(part?.map(({ value_krw }) => value_krw)).toEqual(points.slice(0, 2).map(String));
});
