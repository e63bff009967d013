import { beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../../src/sandbox/engine/index.ts";
import { type KeyRecord, ONE, type PlaceCommand } from "../../../../src/sandbox/model/index.ts";
import { coins, krw, order, place, refused, stateText, T0, testEngine } from "../exchange-kit.ts";

let engine: Engine;
beforeEach(() => {
  engine = testEngine("ann", "bob");
});

const limit = { accountId: "ann", side: "buy", price: krw(1_000), volume: coins(10_000) } as const;
const market = { accountId: "ann", side: "buy" } as const;
const hour = 3_600_000;

describe("refusals", () => {
  it.each<[string, Partial<PlaceCommand> & Pick<PlaceCommand, "accountId" | "side">, string, string | undefined]>([
    ["a market that is not there", { ...limit, symbol: "XXX/KRW" }, "EQuery:Unknown asset pair", "symbol"],
    [
      "a limit order without price",
      { ...limit, orderType: "limit", price: null },
      "EGeneral:Invalid arguments",
      "price",
    ],
    ["a limit order by amount", { ...limit, amount: krw(1_000) }, "EGeneral:Invalid arguments", "amount"],
    ["no volume", { ...limit, volume: 0n }, "EGeneral:Invalid arguments", "volume"],
    ["no amount", { ...market, amount: 0n }, "EGeneral:Invalid arguments", "amount"],
    ["volume and amount", { ...market, amount: krw(500), volume: ONE }, "EGeneral:Invalid arguments", "volume"],
    ["a market order with price", { ...limit, orderType: "market" }, "EGeneral:Invalid arguments", "price"],
    ["a price of zero", { ...limit, price: 0n }, "EOrder:Invalid price", "price"],
    ["a price off its tick", { ...limit, price: krw(10_005) }, "EOrder:Tick size check failed", "price"],
    ["a volume off its step", { ...limit, volume: coins(10_000) + 1n }, "EOrder:Tick size check failed", "volume"],
    ["too little volume", { ...limit, volume: coins(99) }, "EOrder:Order minimum not met", "volume"],
    ["too little notional", { ...limit, volume: coins(999) }, "EOrder:Order minimum not met", "volume"],
    ["too little amount", { ...market, amount: krw(100) - 1n }, "EOrder:Order minimum not met", "amount"],
    ["more than is there", { ...limit, volume: coins(100_000_000) }, "EOrder:Insufficient funds", undefined],
  ])("name %s and change nothing", (_, terms, code, field) => {
    const before = stateText(engine);
    const answer = refused(engine.apply(order(terms), T0));
    expect([answer.code, answer.field]).toEqual([code, field]);
    expect(refused(engine.check(order(terms), T0))).toMatchObject({ code });
    expect(stateText(engine)).toBe(before);
  });

  it.each<[string, Partial<PlaceCommand>, "TIER1" | "TIER2" | "TIER3"]>([
    ["10,000,000 KRW", { price: krw(10_000_000), volume: ONE }, "TIER1"],
    ["10,010,000 KRW", { price: krw(10_010_000), volume: ONE }, "TIER2"],
    ["100,000,000 KRW", { price: krw(10_000_000), volume: 10n * ONE }, "TIER2"],
    ["100,100,000 KRW", { price: krw(10_010_000), volume: 10n * ONE }, "TIER3"],
    ["10,000,000 KRW by amount", { amount: krw(10_000_000) }, "TIER1"],
    ["a hair over 10,000,000 KRW by amount", { amount: krw(10_000_000) + 1n }, "TIER2"],
    ["10,000,000 KRW at market", { volume: 5n * ONE }, "TIER1"],
    ["12,000,000 KRW at market", { volume: 6n * ONE }, "TIER2"],
  ])("when the value is %s, stop a lower KYC level than needed", (_, terms, least) => {
    const levels = ["TIER1", "TIER2", "TIER3"] as const;
    place(engine, { accountId: "bob", side: "sell", price: krw(2_000_000), volume: 100n * ONE });
    const isTooLow = (kycLevel: PlaceCommand["kycLevel"]) => {
      const answer = engine.check(order({ ...market, ...terms, kycLevel }), T0);
      return !answer.ok && answer.code === "ECompliance:KYC level too low";
    };
    expect(levels.filter((level) => !isTooLow(level))).toEqual(levels.slice(levels.indexOf(least)));
    expect(isTooLow(undefined)).toBe(false);
  });

  it("name the nearest valid prices, also across the edge of a tick band", () => {
    const message = (price: bigint) => refused(engine.check(order({ ...limit, price }), T0)).message;
    expect(message(krw(10_005))).toBe("price 10005 is not on the tick of 10; nearest valid: 10000 and 10010");
    expect(message(krw(9_999) + 1n)).toContain("nearest valid: 9999 and 10000");
    expect(message(ONE / 2n)).toContain("nearest valid: 1");
  });

  it("state what a market order needs, fee included, and what is available", () => {
    place(engine, { accountId: "bob", side: "sell", price: krw(2_000_000), volume: coins(100_000) });
    const answer = refused(engine.check(order({ ...market, volume: coins(50_000) }), T0));
    expect(answer.message).toBe("needs 10005000 KRW, available 10000000 KRW");
    const selling = refused(engine.check(order({ ...market, side: "sell", volume: krw(1_001) }), T0));
    expect(selling.message).toBe("needs 1001 BTC, available 1000 BTC");
  });

  it("come from a halted or delisting market, where cancels still work", () => {
    const { orderId } = place(engine, limit);
    for (const status of ["halted", "delisting"] as const) {
      engine.apply({ type: "setMarketStatus", symbol: "BTC/KRW", status }, T0);
      expect(refused(engine.apply(order(limit), T0)).code).toBe("EOrder:Market halted");
    }
    expect(engine.apply({ type: "cancel", accountId: "ann", symbol: "BTC/KRW", orderId }, T0).ok).toBe(true);
  });

  it("stop the 1001st open order, but not one that cannot rest", () => {
    for (let count = 0; count < 1_000; count += 1) place(engine, limit);
    expect(refused(engine.apply(order(limit), T0)).code).toBe("EOrder:Orders limit exceeded");
    expect(place(engine, { ...limit, timeInForce: "IOC" }).state).toBe("expired");
    expect(place(engine, { ...limit, accountId: "bob" }).state).toBe("open");
  });
});

describe("userrefs", () => {
  const key: KeyRecord = {
    keyId: "k1",
    secret: "c2VjcmV0",
    accountId: "ann",
    permissions: ["query", "trade"],
    tier: "pro",
    ipAllowList: [],
    rejectDuplicateUserref: true,
  };

  it("can be used once in 24 hours by a key that rejects duplicates", () => {
    engine.apply({ type: "createKey", key }, T0);
    engine.apply({ type: "createKey", key: { ...key, keyId: "k2", rejectDuplicateUserref: false } }, T0);
    const named = { ...limit, userref: "r1" };
    place(engine, { ...named, keyId: "k1" });
    const again = order({ ...named, keyId: "k1" });
    expect(refused(engine.apply(again, T0 + 24 * hour - 1)).code).toBe("EOrder:Duplicate userref");
    expect(place(engine, { ...named, keyId: "k2" }).state).toBe("open");
    expect(engine.apply(again, T0 + 24 * hour).ok).toBe(true);
    expect(engine.orders("ann", { userref: "r1", limit: 10 }).orders).toHaveLength(3);
  });

  it("are not used up by a refused order", () => {
    engine.apply({ type: "createKey", key }, T0);
    refused(engine.apply(order({ ...limit, keyId: "k1", userref: "r1", price: 0n }), T0));
    expect(place(engine, { ...limit, keyId: "k1", userref: "r1" }).state).toBe("open");
  });
});

describe("cancels", () => {
  it("refuse what is unknown, someone else's or in another market", () => {
    const { orderId } = place(engine, limit);
    const cancel = { type: "cancel", accountId: "ann", symbol: "BTC/KRW", orderId } as const;
    for (const wrong of [{ orderId: "x" }, { accountId: "bob" }, { symbol: "ETH/KRW" }])
      expect(refused(engine.apply({ ...cancel, ...wrong }, T0)).code).toBe("EOrder:Unknown order");
  });

  it("refuse an ended order and show its final state, which never changes", () => {
    const { orderId } = place(engine, limit);
    const cancel = { type: "cancel", accountId: "ann", symbol: "BTC/KRW", orderId } as const;
    engine.apply(cancel, T0 + 5);
    const ended = engine.order("ann", orderId);
    expect(ended).toMatchObject({ state: "canceled", updatedAt: T0 + 5 });
    expect(refused(engine.apply(cancel, T0 + 9))).toMatchObject({
      code: "EOrder:Order already closed",
      state: "canceled",
    });
    expect(engine.order("ann", orderId)).toEqual(ended);
  });

  it("keep to the account and the market when all orders are canceled", () => {
    const [one, two] = [place(engine, limit), place(engine, { ...limit, symbol: "ETH/KRW" })];
    const other = place(engine, { ...limit, accountId: "bob" });
    const all = { type: "cancelAll", accountId: "ann" } as const;
    expect(engine.apply({ ...all, symbol: "BTC/KRW" }, T0)).toMatchObject({ orderIds: [one.orderId] });
    expect(engine.apply({ ...all, symbol: null }, T0)).toMatchObject({ orderIds: [two.orderId] });
    expect(engine.order("bob", other.orderId)?.state).toBe("open");
  });
});

describe("nonces", () => {
  it("must rise", () => {
    const key = { keyId: "k", secret: "", accountId: "ann", permissions: [], tier: "pro", ipAllowList: [] } as const;
    engine.apply({ type: "createKey", key: { ...key, rejectDuplicateUserref: false } }, T0);
    const send = (nonce: bigint) => engine.apply({ type: "nonce", keyId: "k", nonce }, T0);
    expect(send(5n).ok).toBe(true);
    expect(refused(send(5n)).code).toBe("EAPI:Invalid nonce");
    expect(refused(send(4n)).code).toBe("EAPI:Invalid nonce");
    expect(send(2n ** 63n).ok).toBe(true);
    expect(engine.lastNonce("k")).toBe(2n ** 63n);
  });
});
