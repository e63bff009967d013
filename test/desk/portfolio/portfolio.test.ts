/** The portfolio of a real account, over whichever API the file speaks, against a computation that shares no code with it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PortfolioRequest, PortfolioView } from "../../../src/desk/index.ts";
import { ONE, openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { apply, coinsOf, endow, expectedAssets, fillsOf, trade, tradeAtRandom } from "./trading.ts";

let world: World;
let seat: Seat;
beforeEach(async () => {
  world = await openWorld({ totalMs: 20_000 });
  seat = await world.seat({ patient: true });
  endow(world);
});
afterEach(async () => {
  await world.close();
});

const look = (request: PortfolioRequest = {}, at: Seat = seat): Promise<PortfolioView> =>
  unwrap(at.desk.portfolio(request));

/** Small, fast and seeded; not money. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const btc = (side: "buy" | "sell", krw: bigint, volume: bigint) =>
  ({ coin: "BTC", side, price: krw * ONE, volume }) as const;

describe("the portfolio", () => {
  it("agrees with an independent computation over 10 000 fills, deposits and withdrawals", async () => {
    const seed = Number(process.env["HOGA_TEST_SEED"]);
    const beganMs = Date.now();
    tradeAtRandom(world, generator(seed), 10_000, beganMs);
    expect(fillsOf(world)).toHaveLength(10_000);
    expect(coinsOf(await look()), `seed ${seed}`).toEqual(expectedAssets(world, "average"));
    expect(coinsOf(await look({ method: "fifo" })), `seed ${seed}`).toEqual(expectedAssets(world, "fifo"));
  }, 120_000);

  it("counts a period's profits and fees, at the cost of all fills", async () => {
    const beganMs = Date.now();
    tradeAtRandom(world, generator(7), 300, beganMs);
    world.clock.skewMs = 10_000;
    const [fromMs, toMs] = [beganMs + 100, beganMs + 200];
    expect(coinsOf(await look({ fromMs, toMs }))).toEqual(expectedAssets(world, "average", fromMs, toMs));
    const whole = await look();
    expect(whole.period).toMatchObject({ name: "all", from: null });
    expect(whole.totals.fees).not.toBe((await look({ fromMs, toMs })).totals.fees);
    expect(await seat.desk.portfolio({ fromMs: 2, toMs: 1 })).toMatchObject({ fault: { field: "from" } });
  });

  it("says what it costs, is worth and earned, fees in, and totals it", async () => {
    trade(world, btc("buy", 100_000_000n, ONE / 10n));
    trade(world, btc("sell", 110_000_000n, ONE / 20n));
    const { assets, totals, warnings, environment, account } = await look({ period: "today" });
    // Bought 0.1 for 10 000 000 and 5 000 of fees; half of it sold for 5 500 000 less 2 750.
    const cost = { average_price: "100000000", average_cost: "100050000", realized: "494750", fees: "7750" };
    const now = { unrealized: "497500", unrealized_pct: "9.945", uncosted_volume: "1" };
    expect(assets.find(({ asset }) => asset === "BTC")).toMatchObject({ volume: "1.05", ...cost, ...now });
    expect(totals).toMatchObject({
      cost: "5002500",
      unrealized: "497500",
      realized: "494750",
      fees: "7750",
    });
    expect([warnings, environment, account]).toEqual([[], "sandbox", "paper"]);
  });

  it("sells what is known first, and says what was sold without a known cost", async () => {
    trade(world, btc("buy", 100_000_000n, ONE / 10n));
    trade(world, btc("sell", 100_000_000n, ONE / 2n));
    const { assets, warnings } = await look();
    expect(assets.find(({ asset }) => asset === "BTC")).toMatchObject({
      volume: "0.6",
      uncosted_volume: "0.6",
      average_cost: null,
    });
    expect(warnings.join()).toContain("0.4 BTC that had no known cost were sold");
  });

  it("takes what was withdrawn out at its cost", async () => {
    apply(world, { type: "withdraw", accountId: world.sandbox.accountId, asset: "BTC", amount: ONE });
    trade(world, btc("buy", 100_000_000n, ONE / 10n));
    apply(world, { type: "withdraw", accountId: world.sandbox.accountId, asset: "BTC", amount: ONE / 20n });
    const { assets } = await look();
    const left = { volume: "0.05", uncosted_volume: "0", average_price: "100000000", realized: "0" };
    expect(assets.find(({ asset }) => asset === "BTC")).toMatchObject(left);
  });

  describe("of coins that were withdrawn and bought again", () => {
    const withdrawn = () =>
      apply(world, { type: "withdraw", accountId: world.sandbox.accountId, asset: "XRP", amount: held() });
    const held = () =>
      world.sandbox.exchange.balances(world.sandbox.accountId).find(({ asset }) => asset === "XRP")?.available ?? 0n;
    const buy = (krw: bigint) => trade(world, { coin: "XRP", side: "buy", price: krw * ONE, volume: 100n * ONE });
    const xrp = async (request: PortfolioRequest) => {
      const { assets, warnings } = await look(request);
      return {
        ...assets.find(({ asset }) => asset === "XRP"),
        warnings: warnings.filter((text) => text.includes("XRP")),
      };
    };

    it.each(["average", "fifo"] as const)(
      "has the cost of the new ones where it was seen that they had gone (%s)",
      async (method) => {
        buy(3_000n);
        expect(await xrp({ method })).toMatchObject({ volume: "100", average_price: "3000" });
        withdrawn();
        expect((await xrp({ method })).volume).toBe("0");
        buy(4_000n);
        const again = { volume: "100", average_price: "4000", unrealized: "-200", realized: "0", warnings: [] };
        expect(await xrp({ method })).toMatchObject(again);
        expect(await xrp({ method })).toMatchObject(again);
      },
    );

    it("says that it is not known where nobody looked meanwhile", async () => {
      buy(3_000n);
      await look();
      withdrawn();
      buy(4_000n);
      const unsure = [expect.stringContaining("XRP left the account without a fill, and was traded meanwhile")];
      expect((await xrp({})).warnings).toEqual(unsure);
      // Once they are sold, only a period in which it was has anything to do with it.
      trade(world, { coin: "XRP", side: "sell", price: 4_000n * ONE, volume: held() });
      expect((await xrp({})).warnings).toEqual(unsure);
      world.clock.skewMs = 60_000;
      world.venueClock.skewMs = 60_000;
      expect((await xrp({ fromMs: Date.now() + 30_000 })).warnings).toEqual([]);
    });
  });

  it("shows equity day by day, and today's as the total", async () => {
    trade(world, btc("buy", 100_000_000n, ONE / 10n));
    const { equity, totals } = await look({ period: "7d", withEquity: true });
    expect(equity?.at(-1)).toEqual({ date: new Date().toISOString().slice(0, 10), value: totals.value });
    expect((await look({ period: "7d" })).equity).toBeUndefined();
  });

  it("is not shown where the venue does not answer", async () => {
    await look();
    await world.proxy.close();
    expect(await seat.desk.portfolio({})).toMatchObject({ ok: false, fault: { code: "ELocal:Venue unreachable" } });
  });
});
