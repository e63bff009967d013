/** The limit of what may be lost in a day, over a real exchange, in one process and in several. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FillPage, failed, localFault, ok, type Result } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { Policy } from "../../../src/desk/index.ts";
import { apiClass, ONE, openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { type ChangeablePolicy, changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { apply, endow, trade } from "./trading.ts";

const DAY_MS = 86_400_000;

let world: World;
let seat: Seat;
let policy: ChangeablePolicy;
beforeEach(async () => {
  world = await openWorld({ file: true });
  policy = changeablePolicy();
  seat = await world.seat({ policy, patient: true });
  endow(world);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
  expect(world.forbidden).toEqual([]);
});

const limit = (krw: string, change: Partial<Policy> = {}): void => {
  policy.value = ok({ ...LOOSE, maxDayLoss: inUnit(krw), ...change });
};
const btc = (side: "buy" | "sell", krw: bigint, volume: bigint, atMs?: number): void =>
  trade(world, { coin: "BTC", side, price: krw * ONE, volume }, atMs);
/** Others trade at another price, which is the market's from then on. */
const market = (krw: string): void => world.trade(krw, "0.01");
const lossNow = async (at = seat) => (await at.desk.status()).limits.find(({ rule }) => rule === "day_loss");
const BUY = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "50000000" } as const;
const SELL = { ...BUY, side: "sell", price: "200000000" } as const;

describe("what was lost today", () => {
  beforeEach(() => {
    // The bitcoin that it comes with is worth as much all day, unless a test says otherwise.
    apply(world, { type: "withdraw", accountId: world.sandbox.accountId, asset: "BTC", amount: ONE });
    limit("1000000");
  });

  it("is nothing while nothing is lost, and is not counted where there is no limit", async () => {
    expect(await lossNow()).toMatchObject({ used: "0", limit: "1000000", left: "1000000", frees_at: null });
    policy.value = ok(LOOSE);
    expect(await lossNow()).toBeUndefined();
  });

  it("has the fees of a buy in it, what is held now, and what a sell brought", async () => {
    btc("buy", 100_000_000n, ONE);
    expect(await lossNow()).toMatchObject({ used: "50000" });
    market("99000000");
    expect(await lossNow()).toMatchObject({ used: "1050000" });
    btc("sell", 99_500_000n, ONE);
    // 500 000 and both fees.
    expect(await lossNow()).toMatchObject({ used: "599750" });
    market("50000000");
    expect(await lossNow()).toMatchObject({ used: "599750" });
  });

  it("is of one day: what is held counts from where it stood when the day began", async () => {
    btc("buy", 100_000_000n, ONE);
    market("80000000");
    expect(await lossNow()).toMatchObject({ used: "20050000" });
    world.clock.skewMs = DAY_MS;
    world.venueClock.skewMs = DAY_MS;
    expect(await lossNow()).toMatchObject({ used: "0" });
    market("79000000");
    expect(await lossNow()).toMatchObject({ used: "1000000" });
    market("90000000");
    expect(await lossNow()).toMatchObject({ used: "0" });
  });

  it("is counted on in a process as one that begins now counts it, also where a fill comes late", async () => {
    const fills = Reflect.get(apiClass().prototype, "fills") as (...asked: unknown[]) => Promise<Result<FillPage>>;
    let hidden = "";
    vi.spyOn(apiClass().prototype, "fills").mockImplementation(async function (this: unknown, ...asked: unknown[]) {
      const page = await fills.apply(this, asked);
      return page.ok ? ok({ ...page.value, trades: page.value.trades.filter(({ price }) => price !== hidden) }) : page;
    });
    const atMs = Date.now();
    const both = async () => [await lossNow(), await lossNow(await world.seat({ policy, patient: true }))];
    const seen: unknown[] = [];
    // Two of one millisecond; one that is listed after those that came later.
    for (const [krw, ms, unlisted] of [
      [100_000_000n, 0, ""],
      [90_000_000n, 0, ""],
      [80_000_000n, 1, "80000000"],
      [70_000_000n, 2, "80000000"],
      [60_000_000n, 3, ""],
    ] as const) {
      hidden = unlisted;
      btc("buy", krw, ONE, atMs + ms);
      const [counted, fresh] = await both();
      expect(counted).toEqual(fresh);
      seen.push(counted?.used);
    }
    expect(new Set(seen).size).toBe(5);
  });

  it("is no deposit and no withdrawal", async () => {
    const { accountId } = world.sandbox;
    btc("buy", 100_000_000n, ONE);
    apply(world, { type: "deposit", accountId, asset: "BTC", amount: 5n * ONE });
    apply(world, { type: "withdraw", accountId, asset: "KRW", amount: 1_000n * ONE });
    expect(await lossNow()).toMatchObject({ used: "50000" });
    apply(world, { type: "withdraw", accountId, asset: "BTC", amount: 6n * ONE });
    expect(await lossNow()).toMatchObject({ used: "50000" });
  });
});

describe("an order", () => {
  it("is denied from the limit on, but for a sell of what is held", async () => {
    btc("buy", 100_000_000n, ONE);
    limit("50001");
    expect(await seat.desk.place(BUY)).toMatchObject({ outcome: "accepted" });
    limit("50000");
    const denied = {
      outcome: "not_sent",
      state: "denied",
      error: { rule: "day_loss", figure: "50000", limit: "50000" },
    };
    expect(await seat.desk.place(BUY)).toMatchObject(denied);
    expect(await seat.desk.place({ ...SELL, base_volume: "1.9" })).toMatchObject({ outcome: "accepted" });
    // What is on its way already is not held any more.
    expect(await seat.desk.place({ ...SELL, base_volume: "0.2" })).toMatchObject(denied);
    const status = await seat.desk.status();
    expect(status.warnings.join()).toContain(
      "The loss of the day has reached its limit. Only sells of what is held pass.",
    );
    expect(status.brake).toBeUndefined();
  });

  it("is denied for what another process lost, or another program", async () => {
    limit("50000");
    const other = await world.seat({ policy, patient: true });
    expect(await other.desk.place(BUY)).toMatchObject({ outcome: "accepted" });
    btc("buy", 100_000_000n, ONE);
    const next = { ...BUY, base_volume: "0.002" };
    for (const { desk } of [seat, other]) expect(await desk.place(next)).toMatchObject({ error: { rule: "day_loss" } });
  });

  it("is denied where the loss cannot be counted, and the status says so", async () => {
    limit("1000000");
    vi.spyOn(apiClass().prototype, "fills").mockResolvedValue(failed(localFault("ELocal:No answer")));
    expect(await seat.desk.place(BUY)).toMatchObject({ error: { rule: "day_loss", figure: "unknown" } });
    expect(await seat.desk.place({ ...SELL, base_volume: "1" })).toMatchObject({ outcome: "accepted" });
    expect(await lossNow()).toMatchObject({ used: null, limit: "1000000", left: null });
    expect((await seat.desk.status()).warnings.join()).toContain("What was lost today cannot be counted.");
  });

  it("halts trading in every process where the policy says so, and what is open is canceled", async () => {
    limit("50000", { dayLossAction: "halt" });
    const other = await world.seat({ policy, patient: true });
    expect(await other.desk.place(BUY)).toMatchObject({ outcome: "accepted" });
    btc("buy", 100_000_000n, ONE);
    const report = await seat.desk.place({ ...SELL, base_volume: "1" });
    expect(report).toMatchObject({ outcome: "not_sent", error: { rule: "day_loss" } });
    expect(report.warnings.join()).toContain("Trading was halted: ₩50,000 were lost today");
    expect(world.orders().filter(({ state }) => state === "open")).toEqual([]);
    expect(await other.desk.place(BUY)).toMatchObject({ error: { rule: "brake" } });
    expect((await seat.desk.status()).brake).toMatchObject({ by: "hoga" });
  });

  it("is not waited for: a process that stays halts by itself", async () => {
    limit("50000", { dayLossAction: "halt" });
    await seat.desk.place(BUY);
    await seat.desk.upkeep();
    expect((await seat.desk.status()).brake).toBeUndefined();
    btc("buy", 100_000_000n, ONE);
    world.clock.skewMs = 31_000;
    await seat.desk.upkeep();
    expect((await seat.desk.status()).brake?.reason).toContain("₩50,000 were lost today");
    expect(world.orders().filter(({ state }) => state === "open")).toEqual([]);
  });
});
