import { beforeEach, describe, expect, it } from "vitest";
import { type Engine, HOUSE } from "../../../../src/sandbox/engine/index.ts";
import { balance, coins, krw, order, place, placed, refused, stateText, T0, testEngine } from "../exchange-kit.ts";

let engine: Engine;
beforeEach(() => {
  engine = testEngine("ann", "bob", "cid");
});

const sell = (accountId: string, won: number, volume: number) =>
  place(engine, { accountId, side: "sell", price: krw(won), volume: coins(volume) });
const buy = (accountId: string, won: number, volume: number) =>
  place(engine, { accountId, side: "buy", price: krw(won), volume: coins(volume) });

describe("matching", () => {
  it("fills the better price first, then the older order, at the resting price", () => {
    const later = sell("ann", 1_001, 10_000);
    const first = sell("ann", 1_000, 10_000);
    const second = sell("bob", 1_000, 10_000);
    const answer = engine.apply(order({ accountId: "cid", side: "buy", price: krw(1_005), volume: coins(25_000) }), T0);
    expect(placed(answer)).toMatchObject({
      state: "filled",
      executedVolume: coins(25_000),
      executedValue: krw(2_500) + krw(1) / 2n,
    });
    expect(engine.order("ann", first.orderId)?.state).toBe("filled");
    expect(engine.order("bob", second.orderId)?.state).toBe("filled");
    expect(engine.order("ann", later.orderId)).toMatchObject({ state: "open", executedVolume: coins(5_000) });
    expect(engine.trades("BTC/KRW", 10).map(({ price }) => price)).toEqual([krw(1_001), krw(1_000), krw(1_000)]);
    expect(engine.fills("ann", { limit: 10 }).fills.map(({ orderId }) => orderId)).toEqual([
      later.orderId,
      first.orderId,
    ]);
  });

  it("rests what a limit order could not fill, and holds funds for the rest alone", () => {
    sell("ann", 1_000, 10_000);
    const taken = buy("bob", 1_010, 30_000);
    expect(taken).toMatchObject({ state: "open", executedVolume: coins(10_000), fee: krw(1_000) / 2_000n });
    expect(balance(engine, "bob", "KRW").locked).toBe(krw(2_020) + krw(2_020) / 2_000n);
    expect(engine.book("BTC/KRW", 5)).toMatchObject({ buys: [[krw(1_010), coins(20_000)]], asks: [] });
  });

  it("charges the maker and the taker their own rates and pays both to the house", () => {
    sell("ann", 1_000, 10_000);
    buy("bob", 1_000, 10_000);
    expect(balance(engine, "ann", "KRW").available).toBe(krw(10_000_000) + krw(1_000) - krw(1_000) / 2_500n);
    expect(balance(engine, "bob", "KRW").available).toBe(krw(10_000_000) - krw(1_000) - krw(1_000) / 2_000n);
    expect(balance(engine, HOUSE.fees, "KRW").available).toBe(krw(1_000) / 2_500n + krw(1_000) / 2_000n);
    const [fill] = engine.fills("ann", { limit: 1 }).fills;
    expect(fill).toMatchObject({ liquidity: "maker", fee: krw(1_000) / 2_500n, side: "sell" });
  });

  it("releases everything that an ended order held", () => {
    buy("ann", 1_003, 12_345);
    sell("bob", 1_000, 2_345);
    const rest = engine.orders("ann", { states: ["open"], limit: 1 }).orders[0];
    engine.apply({ type: "cancel", accountId: "ann", symbol: "BTC/KRW", orderId: rest?.orderId ?? "" }, T0);
    buy("ann", 1_000, 10_000);
    sell("bob", 1_000, 10_000);
    for (const accountId of ["ann", "bob"])
      for (const asset of ["KRW", "BTC"]) expect(balance(engine, accountId, asset).locked).toBe(0n);
  });
});

describe("time in force", () => {
  it("expires what an IOC order could not fill", () => {
    sell("ann", 1_000, 10_000);
    const ioc = place(engine, {
      accountId: "bob",
      side: "buy",
      price: krw(1_000),
      volume: coins(20_000),
      timeInForce: "IOC",
    });
    expect(ioc).toMatchObject({ state: "expired", executedVolume: coins(10_000) });
    expect(balance(engine, "bob", "KRW").locked).toBe(0n);
    expect(engine.book("BTC/KRW", 1).buys).toEqual([]);
  });

  it("fills a FOK order whole or not at all", () => {
    sell("ann", 1_000, 10_000);
    const fok = { accountId: "bob", side: "buy", price: krw(1_000), timeInForce: "FOK" } as const;
    expect(place(engine, { ...fok, volume: coins(10_001) })).toMatchObject({ state: "expired", executedVolume: 0n });
    expect(place(engine, { ...fok, volume: coins(10_000) })).toMatchObject({ state: "filled" });
  });

  it("ends a post-only order that would match, where it is to be taken, and changes nothing else", () => {
    const resting = sell("ann", 1_000, 10_000);
    const crossing = { price: krw(1_000), volume: coins(10_000), postOnly: true, whenCrossing: "cancel" } as const;
    const before = [balance(engine, "bob", "KRW"), balance(engine, "ann", "KRW")];
    for (const accountId of ["bob", "ann"])
      expect(place(engine, { accountId, side: "buy", ...crossing })).toMatchObject({
        ...{ state: "canceled", reason: "post_only_would_match", executedVolume: 0n },
      });
    expect([balance(engine, "bob", "KRW"), balance(engine, "ann", "KRW")]).toEqual(before);
    expect(engine.order("ann", resting.orderId)?.state).toBe("open");
    expect(place(engine, { accountId: "bob", side: "buy", ...crossing, price: krw(999) }).state).toBe("open");
  });

  it("refuses a post-only order that would match, and rests one that would not", () => {
    sell("ann", 1_000, 10_000);
    const postOnly = { accountId: "bob", side: "buy", postOnly: true, volume: coins(10_000) } as const;
    const before = stateText(engine);
    expect(refused(engine.apply(order({ ...postOnly, price: krw(1_000) }), T0)).code).toBe("EOrder:Post only order");
    expect(stateText(engine)).toBe(before);
    expect(place(engine, { ...postOnly, price: krw(999) }).state).toBe("open");
  });
});

describe("self-trade prevention", () => {
  it("keeps earlier fills and cancels the rest of the newer order", () => {
    sell("bob", 999, 10_000);
    const own = sell("ann", 1_000, 10_000);
    const newer = buy("ann", 1_001, 30_000);
    expect(newer).toMatchObject({ state: "canceled", reason: "self_trade_prevented", executedVolume: coins(10_000) });
    expect(engine.order("ann", own.orderId)?.state).toBe("open");
    expect(balance(engine, "ann", "KRW").locked).toBe(0n);
  });

  it("does not apply to an own order behind the last fill", () => {
    sell("bob", 999, 10_000);
    sell("ann", 1_000, 10_000);
    expect(buy("ann", 1_001, 10_000).state).toBe("filled");
  });
});

describe("market orders", () => {
  it("expire by volume when the book is exhausted", () => {
    sell("ann", 1_000, 10_000);
    expect(place(engine, { accountId: "bob", side: "buy", volume: coins(15_000) })).toMatchObject({
      state: "expired",
      executedVolume: coins(10_000),
    });
    expect(place(engine, { accountId: "bob", side: "buy", volume: coins(15_000) })).toMatchObject({
      state: "expired",
      executedVolume: 0n,
    });
  });

  it("buy no more than their amount, fee on top", () => {
    sell("ann", 1_000, 10_000);
    sell("ann", 1_007, 10_000);
    const bought = place(engine, { accountId: "bob", side: "buy", amount: krw(1_500) });
    expect(bought.state).toBe("filled");
    // 500 / 1007 = 0.49652…, rounded down to four decimals.
    expect(bought.executedVolume).toBe(coins(10_000) + coins(4_965));
    expect(bought.executedValue).toBeLessThanOrEqual(krw(1_500));
    expect(balance(engine, "bob", "KRW")).toMatchObject({
      available: krw(10_000_000) - bought.executedValue - bought.fee,
      locked: 0n,
    });
  });

  it("sell until the proceeds reach the amount, and no step further", () => {
    buy("ann", 1_007, 10_000);
    const sold = place(engine, { accountId: "bob", side: "sell", amount: krw(500) });
    expect(sold).toMatchObject({ state: "filled", executedVolume: coins(4_966) });
    expect(sold.executedValue).toBeGreaterThanOrEqual(krw(500));
  });

  it("expire by amount when the book is exhausted", () => {
    sell("ann", 1_000, 10_000);
    expect(place(engine, { accountId: "bob", side: "buy", amount: krw(2_000) })).toMatchObject({
      state: "expired",
      executedValue: krw(1_000),
    });
  });
});
