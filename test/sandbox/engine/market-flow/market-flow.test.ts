import { describe, expect, it } from "vitest";
import { createEngine, HOUSE, KRW_MARKETS, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import { endowAccount, krw, order, place, placed, refused, stateText, T0 } from "../exchange-kit.ts";

const alive = (seed = 7) => createEngine({ seed, marketMaker: true, openedAt: T0 });
const day = 86_400_000;

describe("the market flow", () => {
  it("is the same for the same seed and opening time, and differs otherwise", () => {
    const [one, two, other] = [alive(), alive(), alive(8)];
    for (let second = 1; second <= 50; second += 1)
      for (const engine of [one, two, other]) engine.apply({ type: "tick" }, T0 + second * 1_000);
    expect(stateText(two)).toBe(stateText(one));
    expect(other.trades("BTC/KRW", 50)).not.toEqual(one.trades("BTC/KRW", 50));
  });

  it("continues after a restore as if there had been none", () => {
    const engine = alive();
    const restored = restoreEngine(JSON.parse(stateText(engine)));
    for (let second = 1; second <= 100; second += 1)
      for (const each of [engine, restored]) each.apply({ type: "tick" }, T0 + second * 1_000);
    expect(stateText(restored)).toBe(stateText(engine));
  });

  it("opens with a day of candles, a ticker and trades in every market", () => {
    const engine = alive();
    for (const { symbol, last, anchorPrice } of engine.markets()) {
      const hours = engine.candles(symbol, 3_600_000, T0 - day, T0, 100);
      expect(hours.length).toBeGreaterThanOrEqual(24);
      expect(
        hours.every(({ low, high, open, close }) => low <= open && low <= close && high >= open && high >= close),
      ).toBe(true);
      const ticker = engine.ticker(symbol, T0);
      expect(ticker.open !== null && ticker.low !== null && ticker.high !== null && ticker.low < ticker.high).toBe(
        true,
      );
      expect(last !== null && last * 10n > anchorPrice * 7n && last * 10n < anchorPrice * 13n).toBe(true);
      expect(engine.trades(symbol, 100)).toHaveLength(100);
    }
  });

  it("never leaves a book empty or crossed, and keeps no closed house orders", () => {
    const engine = alive();
    for (let second = 1; second <= 500; second += 1) {
      engine.apply({ type: "tick" }, T0 + second * 1_000);
      for (const { symbol } of engine.markets()) {
        const { buys, asks } = engine.book(symbol, 30);
        expect(Math.min(buys.length, asks.length)).toBeGreaterThanOrEqual(5);
        expect((buys[0]?.[0] ?? 0n) < (asks[0]?.[0] ?? 0n)).toBe(true);
      }
    }
    expect(engine.snapshot().orders.length).toBeLessThan(KRW_MARKETS.length * 60);
    expect(engine.snapshot().fills).toEqual([]);
    for (const asset of ["KRW", "BTC", "PEPE"]) {
      const { total, deposited } = engine.conservation(asset);
      expect(total).toBe(deposited);
    }
    expect(engine.orders(HOUSE.maker, { states: ["filled"], limit: 10 }).orders).toEqual([]);
  });

  it.each(["buy", "sell"] as const)("fills a resting %s near the best price within tens of ticks", (side) => {
    const engine = alive();
    endowAccount(engine, "ann");
    let now = T0;
    const tick = () => {
      now += 1_000;
      engine.apply({ type: "tick" }, now);
    };
    const waited = Array.from({ length: 20 }, () => {
      tick();
      const { buys, asks } = engine.book("BTC/KRW", 1);
      const price = (side === "buy" ? buys : asks)[0]?.[0] ?? 0n;
      const resting = place(engine, { accountId: "ann", side, price, volume: 100_000n, postOnly: true });
      for (let ticks = 1; ticks <= 600; ticks += 1) {
        tick();
        if (engine.order("ann", resting.orderId)?.state === "filled") return ticks;
      }
      return Number.POSITIVE_INFINITY;
    }).sort((a, b) => a - b);
    expect(waited[10]).toBeLessThan(50);
  });

  it("stops in a halted market, and is off without a market maker", () => {
    const engine = alive();
    engine.apply({ type: "setMarketStatus", symbol: "ETH/KRW", status: "halted" }, T0);
    const { seq } = engine.book("ETH/KRW", 1);
    for (let second = 1; second <= 5; second += 1) engine.apply({ type: "tick" }, T0 + second * 1_000);
    expect(engine.book("ETH/KRW", 1).seq).toBe(seq);
    const blank = createEngine({ seed: 7, marketMaker: false, openedAt: T0 });
    const before = stateText(blank);
    expect(blank.apply({ type: "tick" }, T0).ok).toBe(true);
    expect(stateText(blank)).toBe(before);
  });

  it("fills a large market order over several levels", () => {
    const engine = alive();
    engine.apply({ type: "createAccount", accountId: "ann", krwAccountLinked: true }, T0);
    engine.apply({ type: "deposit", accountId: "ann", asset: "KRW", amount: krw(1_000_000_000) }, T0);
    const buy = order({ accountId: "ann", side: "buy", amount: krw(50_000_000) });
    expect(refused(engine.check({ ...buy, side: "sell" }, T0)).code).toBe("EOrder:Insufficient funds");
    expect(placed(engine.apply(buy, T0)).state).toBe("filled");
    expect(engine.fillsOf("ann", buy.orderId).length).toBeGreaterThan(3);
  });
});

describe("the list of markets", () => {
  it("has at least ten valid won markets, not all with the same fees", () => {
    expect(KRW_MARKETS.length).toBeGreaterThanOrEqual(10);
    expect(KRW_MARKETS.some((rule) => rule.makerFeeRate !== rule.takerFeeRate)).toBe(true);
    for (const rule of KRW_MARKETS) {
      expect(rule.priceDecimals + rule.volumeDecimals).toBeLessThanOrEqual(8);
      expect((rule.minVolume * rule.anchorPrice) / 100_000_000n <= rule.minNotional).toBe(true);
    }
  });

  it("refuses a market whose arithmetic would round", () => {
    const [rule] = KRW_MARKETS;
    const unsound = rule === undefined ? [] : [{ ...rule, priceDecimals: 1 }];
    expect(() => createEngine({ markets: unsound, seed: 1, marketMaker: false })).toThrow("at most 8 together");
  });
});
