import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fill } from "../../../src/contract/index.ts";
import { ONE, openWorld, type Seat, units, type World } from "../../fixture/desk-over-sandbox.ts";

let world: World;
let seat: Seat;
beforeAll(async () => {
  world = await openWorld();
  seat = await world.seat();
});
afterAll(() => world.close());

describe("looking", () => {
  it("shows the book with best prices, mid and spread, and null where a side is empty", async () => {
    expect(await seat.desk.orderbook("XRP/KRW")).toMatchObject({
      ok: true,
      value: { symbol: "XRP/KRW", best_bid: null, best_ask: null, mid: null, spread: null },
    });
    world.rest("sell", "3401", "10", "XRP/KRW");
    world.rest("buy", "3398", "10", "XRP/KRW");
    expect(await seat.desk.orderbook("엑스알피", 5)).toMatchObject({
      ok: true,
      value: { best_bid: "3398", best_ask: "3401", mid: "3399.5", spread: "3" },
    });
  });

  it("shows what an order that waits would do now, and nothing where the exchange does not say so at once", async () => {
    const order = { symbol: "XRP/KRW", side: "buy", type: "limit", volume: "1", price: "3000" } as const;
    const asked = { order, price_seen: "1699.75" };
    expect(await seat.desk.outlook(asked)).toMatchObject({ price: "3399.5", drift_pct: "100" });
    world.proxy.plan(/orderbook/, "swallow", 9);
    const startedAt = performance.now();
    const { desk } = await world.seat({ patient: true });
    expect(await desk.outlook(asked)).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    world.proxy.heal();
  });

  it("lists open orders, all orders, and those of one market, stamped", async () => {
    const at = { side: "buy", type: "limit", base_volume: "0.01", price: "3000000" } as const;
    await seat.desk.place({ ...at, symbol: "BTC/KRW", userref: "r-1" });
    await seat.desk.place({ ...at, symbol: "ETH/KRW", userref: "r-2" });
    const refs = async (request: Parameters<typeof seat.desk.orders>[0]) => {
      const page = await seat.desk.orders(request);
      return page.ok ? page.value.orders.map(({ userref }) => userref) : page.fault.code;
    };
    expect(await refs({})).toEqual(["r-2", "r-1"]);
    expect(await refs({ symbol: "krw-eth" })).toEqual(["r-2"]);
    expect(await refs({ symbol: "krw-etx" })).toBe("ELocal:Unknown market");
    await seat.desk.cancelAll();
    expect(await refs({})).toEqual([]);
    expect(await refs({ state: "closed", limit: 1 })).toEqual(["r-2"]);
    expect(await seat.desk.orders({})).toMatchObject({
      value: { environment: "sandbox", account: "paper", unit: "KRW" },
    });
  });

  it("is down, with the reason, when the venue does not answer, and does not claim that nothing is unresolved", async () => {
    const other = await openWorld();
    const desk = (await other.seat()).desk;
    await other.proxy.close();
    const status = await desk.status();
    expect(status).toMatchObject({ venue: "down", can_trade: false, account: "unknown", unresolved: [] });
    expect(status.error?.code).toBe("ELocal:Venue unreachable");
    expect(status.warnings.join()).toContain("though none are shown");
    await other.close();
  });

  it.each(["deny", "busy"] as const)(
    "cannot trade while account calls fail (%s), whatever worked before",
    async (kind) => {
      const other = await openWorld();
      const { desk } = await other.seat();
      expect(await desk.status()).toMatchObject({ can_trade: true });
      other.proxy.plan(/^GET \/v1\/accounts/, kind, 99);
      const status = await desk.status();
      expect(status).toMatchObject({ venue: "up", can_trade: false, account: "paper", warnings: [] });
      expect(status.error?.code).toBe(kind === "deny" ? "EGeneral:Permission denied" : "EService:Unavailable");
      other.proxy.heal();
      expect(await desk.status()).toMatchObject({ can_trade: true });
      await other.close();
    },
  );

  it("is up with everything in order", async () => {
    const status = await seat.desk.status();
    expect(status).toMatchObject({ venue: "up", can_trade: true, account: "paper", warnings: [], unresolved: [] });
    expect(status.clock_offset_ms).toBeTypeOf("number");
  });
});

describe("balances", () => {
  it("are valued in KRW at the last price, to the last digit", async () => {
    const { exchange, accountId } = world.sandbox;
    exchange.apply({ type: "deposit", accountId, asset: "ETH", amount: 3n * ONE }, Date.now());
    world.rest("sell", "151000000", "0.001");
    await seat.desk.place({ symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "151000000" });
    const view = await seat.desk.balances();
    if (!view.ok) throw new Error(view.fault.message);
    const of = (asset: string) => view.value.balances.find((balance) => balance.asset === asset);
    const btc = of("BTC");
    expect(btc?.value).toBe(((units(btc?.total ?? "") * 151_000_000n) / ONE).toString());
    // Nobody has traded it, so nobody knows what it is worth.
    expect(of("ETH")?.value).toBeNull();
    const known = view.value.balances.flatMap(({ value }) => (value === null ? [] : [units(value)]));
    expect(units(view.value.value)).toBe(known.reduce((sum, value) => sum + value, 0n));
    expect(view.value).toMatchObject({ environment: "sandbox", account: "paper", unit: "KRW" });
  });
});

describe("fills", () => {
  it("come with exact totals by side and fee currency", async () => {
    let bought = 0n;
    let sold = 0n;
    let fees = 0n;
    const amounts = fc.sample(fc.tuple(fc.boolean(), fc.integer({ min: 10_007, max: 90_011 })), {
      numRuns: 12,
      seed: 7,
    });
    for (const [buys, size] of amounts) {
      const volume = `0.00${String(size).padStart(6, "0")}`;
      const side = buys ? ("buy" as const) : ("sell" as const);
      world.rest(buys ? "sell" : "buy", "149999000", volume);
      await seat.desk.place({ symbol: "BTC/KRW", side, type: "limit", base_volume: volume, price: "149999000" });
    }
    const view = await seat.desk.fills({ symbol: "BTC/KRW", limit: 100, withTotals: true });
    if (!view.ok) throw new Error(view.fault.message);
    for (const fill of view.value.trades as readonly Fill[]) {
      const value = (units(fill.price) * units(fill.volume)) / ONE;
      if (fill.side === "buy") bought += value;
      else sold += value;
      fees += units(fill.fee);
    }
    expect(view.value.trades.length).toBeGreaterThanOrEqual(12);
    const { totals } = view.value;
    expect([units(totals?.buy_value ?? ""), units(totals?.sell_value ?? "")]).toEqual([bought, sold]);
    expect(totals?.fees.map(({ currency, amount }) => [currency, units(amount)])).toEqual([["KRW", fees]]);
    const none = await seat.desk.fills({ symbol: "ETH/KRW", withTotals: true });
    expect(none).toMatchObject({ ok: true, value: { totals: { buy_value: "0", sell_value: "0", fees: [] } } });
  });
});
