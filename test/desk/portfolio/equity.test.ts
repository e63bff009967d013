/** Equity by day, over a real exchange whose days pass. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { ONE, openWorld, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { apply, endow, trade } from "./trading.ts";

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
  expect(equity?.map(({ value }) => value)).toEqual(points.map(String));
  expect(equity?.at(-1)?.value).toBe(totals.value);
  const { equity: part } = await unwrap(desk.portfolio({ withEquity: true, fromMs: noonMs, toMs: noonMs + DAY_MS }));
  expect(part?.map(({ value }) => value)).toEqual(points.slice(0, 2).map(String));
});

it("has money and coins from when they were seen to have come, and says what cannot be dated", async () => {
  const { desk } = await world.seat({ patient: true });
  const { accountId } = world.sandbox;
  const noonMs = Math.floor(Date.now() / DAY_MS + 1) * DAY_MS + DAY_MS / 2;
  const goTo = (day: number): void => {
    world.clock.skewMs = noonMs + day * DAY_MS - Date.now();
    world.venueClock.skewMs = world.clock.skewMs;
  };
  const equity = async () => {
    const { equity: points, warnings } = await unwrap(desk.portfolio({ withEquity: true }));
    return { points: points?.map(({ value }) => BigInt(value)), warnings };
  };
  trade(world, { coin: "BTC", side: "buy", price: 100_000_000n * ONE, volume: ONE }, noonMs);
  goTo(1);
  const first = await equity();
  const [began = 0n] = first.points ?? [];
  expect(first.points).toEqual([began, began]);
  const earlier = expect.stringMatching(/^Deposits and withdrawals of before .* are not known/);
  expect(first.warnings).toEqual([earlier]);
  apply(world, { type: "deposit", accountId, asset: "KRW", amount: 5_000_000n * ONE }, noonMs + DAY_MS);
  apply(world, { type: "withdraw", accountId, asset: "BTC", amount: ONE }, noonMs + DAY_MS);
  const afterwards = began + 5_000_000n - 100_000_000n;
  // On the day on which the account was first seen, too.
  expect(await equity()).toEqual({ points: [began, afterwards], warnings: [earlier] });
  goTo(2);
  expect((await equity()).points).toEqual([began, afterwards, afterwards]);
  goTo(4);
  apply(world, { type: "deposit", accountId, asset: "KRW", amount: 1_000_000n * ONE }, noonMs + 4 * DAY_MS);
  const last = await equity();
  expect(last.points).toEqual([began, ...Array(3).fill(afterwards), afterwards + 1_000_000n]);
  expect(last.warnings).toEqual([
    earlier,
    expect.stringMatching(/^What came or went without a fill between .* and .* counts from then on/),
  ]);
});
