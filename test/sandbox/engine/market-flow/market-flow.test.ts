import { describe, expect, it } from "vitest";
import { createEngine, HOUSE, KRW_MARKETS, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import { endowAccount, krw, order, place, placed, refused, stateText, T0 } from "../exchange-kit.ts";

const alive = (seed = 7) => createEngine({ seed, marketMaker: true, openedAt: T0 });
const TICK = { type: "tick", paced: true } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("the market flow", () => {
  it("is the same for the same seed and opening time, and differs otherwise", () => {
    const [one, two, other] = [alive(), alive(), alive(8)];
    for (let second = 1; second <= 50; second += 1)
      for (const engine of [one, two, other]) engine.apply(TICK, T0 + second * 1_000);
    expect(stateText(two)).toBe(stateText(one));
    const [past, same, differing] = [one, two, other].map((engine) => engine.candles("BTC/KRW", DAY, 0, T0, 500));
    expect(same).toEqual(past);
    expect(differing).not.toEqual(past);
    expect(other.trades("BTC/KRW", 50)).not.toEqual(one.trades("BTC/KRW", 50));
  });

  it("continues after a restore as if there had been none", () => {
    const engine = alive();
    const restored = restoreEngine(JSON.parse(stateText(engine)));
    for (let second = 1; second <= 100; second += 1)
      for (const each of [engine, restored]) each.apply(TICK, T0 + second * 1_000);
    expect(stateText(restored)).toBe(stateText(engine));
  });

  it("opens with 400 days of candles in every interval, a ticker and the trades of an hour, in every market", () => {
    const engine = alive();
    for (const [rank, { symbol, last, anchorPrice }] of engine.markets().entries()) {
      expect(engine.candles(symbol, DAY, 0, T0, 500)).toHaveLength(401);
      expect(engine.candles(symbol, HOUR, 0, T0, 500)).toHaveLength(500);
      expect(engine.candles(symbol, MINUTE, T0 - 300 * DAY, T0 - 299 * DAY, 100)).toHaveLength(100);
      const { open, low, high, volume } = engine.ticker(symbol, T0);
      expect(open !== null && low !== null && high !== null && low < high && volume > 0n).toBe(true);
      expect(last !== null && last * 10n > anchorPrice * 9n && last * 10n < anchorPrice * 11n).toBe(true);
      expect(engine.trades(symbol, 500).length).toBeGreaterThan(rank === 0 ? 300 : 20);
    }
  });

  it("goes on where its past ends, without a step, and looks as it did", () => {
    const engine = alive();
    for (let now = T0; now < T0 + 6 * HOUR; now += 15_000) engine.apply(TICK, now);
    for (const { symbol } of engine.markets().slice(0, 3)) {
      const minutes = engine.candles(symbol, MINUTE, T0 - 7 * HOUR, T0 + 6 * HOUR, 1_000);
      for (const [index, { open }] of minutes.entries()) {
        const before = minutes[index - 1]?.close ?? open;
        expect(Math.abs(Number(open) / Number(before) - 1)).toBeLessThan(0.01);
      }
      const [past, live] = [
        minutes.filter(({ start }) => start < T0 - HOUR),
        minutes.filter(({ start }) => start >= T0),
      ];
      const ofBoth = (figure: (candle: (typeof minutes)[number]) => number) =>
        [past, live].map((candles) => candles.reduce((sum, candle) => sum + figure(candle), 0) / candles.length);
      for (const figure of [
        ({ high, low }: (typeof minutes)[number]) => Number(high - low) / Number(low),
        ({ trades }: (typeof minutes)[number]) => trades,
        ({ quoteVolume }: (typeof minutes)[number]) => Number(quoteVolume),
      ]) {
        const [before = 0, since = 0] = ofBoth(figure);
        expect(Math.max(before / since, since / before)).toBeLessThan(3);
      }
    }
  });

  it("opens at the anchor prices, at whatever hour", () => {
    for (const [openedAt, seed] of [
      [T0, 7],
      [T0 + 11 * HOUR + 29 * MINUTE, 7],
      [T0 + 90 * DAY + 31 * MINUTE, 8],
    ] as const) {
      const engine = createEngine({ seed, marketMaker: true, openedAt });
      for (const { symbol, anchorPrice } of engine.markets()) {
        const { bestBid, bestAsk } = engine.ticker(symbol, openedAt);
        expect(bestBid !== null && bestAsk !== null && bestBid <= anchorPrice && anchorPrice < bestAsk).toBe(true);
      }
    }
  });

  it("trades several times a minute in the largest market, and pauses in the smallest", () => {
    const engine = alive();
    for (let now = T0; now < T0 + HOUR; now += 500) engine.apply(TICK, now);
    const minutes = (symbol: string) => engine.candles(symbol, MINUTE, T0, T0 + HOUR - 1, 60);
    const large = minutes("BTC/KRW");
    expect(large.length).toBeGreaterThan(55);
    expect(large.reduce((sum, { trades }) => sum + trades, 0)).toBeGreaterThan(4 * 60);
    expect(large.reduce((sum, { trades }) => sum + trades, 0)).toBeLessThan(60 * 60);
    const small = minutes("PEPE/KRW");
    expect(small.length).toBeGreaterThan(10);
    expect(small.length).toBeLessThan(55);
  });

  it("does not make up for a pause: neither takers nor candles fill it", () => {
    const engine = alive();
    const before = engine.trades("BTC/KRW", 1)[0]?.tradeSeq ?? 0;
    engine.apply(TICK, T0 + 5 * DAY);
    expect(engine.trades("BTC/KRW", 500).filter(({ tradeSeq }) => tradeSeq > before).length).toBeLessThan(50);
    expect(engine.candles("BTC/KRW", DAY, T0 + DAY, T0 + 4 * DAY, 10)).toEqual([]);
  });

  it("has no past without a market maker", () => {
    const engine = createEngine({ seed: 7, marketMaker: false, openedAt: T0 });
    for (const interval of [MINUTE, HOUR, DAY]) expect(engine.candles("BTC/KRW", interval, 0, T0, 500)).toEqual([]);
    expect(engine.ticker("BTC/KRW", T0)).toMatchObject({ open: null, last: null, trades: 0 });
  });

  it("never leaves a book empty or crossed, and keeps no closed house orders", () => {
    const engine = alive();
    for (let second = 1; second <= 500; second += 1) {
      engine.apply(TICK, T0 + second * 1_000);
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
      engine.apply(TICK, now);
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
    for (let second = 1; second <= 5; second += 1) engine.apply(TICK, T0 + second * 1_000);
    expect(engine.book("ETH/KRW", 1).seq).toBe(seq);
    const blank = createEngine({ seed: 7, marketMaker: false, openedAt: T0 });
    const before = stateText(blank);
    expect(blank.apply(TICK, T0).ok).toBe(true);
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
