import { describe, expect, it } from "vitest";
import type { BookLevel } from "../../../src/contract/index.ts";
import type { IntentRecord } from "../../../src/desk/index.ts";
import { restingOrders, withoutOwn } from "../../../src/desk/market/own-orders.ts";
import type { OwnOrder } from "../../../src/desk/model/policy.ts";
import { order as shown } from "../../fixture/order-sample.ts";
import { bookOf } from "../risk/policy-question.ts";

const SYMBOL = "BTC/KRW";

function intent(
  intentId: string,
  change: Partial<IntentRecord> = {},
  body: Partial<IntentRecord["body"]> = {},
): IntentRecord {
  return {
    intentId,
    account: "paper",
    userref: intentId,
    unit: "KRW",
    state: "open",
    nonce: "1",
    orderId: null,
    body: {
      order: { symbol: SYMBOL, side: "buy", type: "limit", price: "100", volume: "2" },
      environment: "sandbox",
      keyId: "k",
      digest: "d",
      ...body,
    },
    createdAtMs: 1,
    updatedAtMs: 1,
    held: "200",
    isLive: true,
    sentAtMs: 1,
    ...change,
  };
}

describe("own orders that may be in the book", () => {
  const whole = { side: "buy", price: "100", volume: "2" };

  it("are those at the venue and those without an answer, in full where nothing is known of them", () => {
    for (const state of ["submitting", "unknown", "accepted", "open", "cancel_requested"] as const)
      expect(restingOrders(SYMBOL, [intent("i", { state })])).toEqual([whole]);
  });

  it("count with what was last seen to remain", () => {
    const seen = { ...shown, remaining_volume: "0.5" };
    expect(restingOrders(SYMBOL, [intent("i", { state: "partially_filled" }, { seen })])).toEqual([
      { ...whole, volume: "0.5" },
    ]);
  });

  it("are none of another market, that have ended, or without a price", () => {
    const market = { symbol: SYMBOL, side: "buy", type: "market", amount: "5000" } as const;
    expect(restingOrders("ETH/KRW", [intent("i")])).toEqual([]);
    expect(restingOrders(SYMBOL, [intent("i", { state: "filled", isLive: false })])).toEqual([]);
    expect(restingOrders(SYMBOL, [intent("i", { state: "unknown" }, { order: market })])).toEqual([]);
  });

  it("count once, as they were read first", () => {
    const less = intent("i", {}, { seen: { ...shown, remaining_volume: "1" } });
    const gone = intent("i", { state: "canceled", isLive: false });
    expect(restingOrders(SYMBOL, [intent("i"), less, gone])).toEqual([whole]);
    expect(restingOrders(SYMBOL, [intent("i"), intent("j")])).toEqual([whole, whole]);
  });
});

describe("a book without them", () => {
  const buys: BookLevel[] = [
    ["101", "2"],
    ["100.00", "5"],
  ];
  const asks: BookLevel[] = [["102", "1"]];
  const left = (...own: readonly OwnOrder[]) => withoutOwn(bookOf(buys, asks), own).tick;

  it("has less at their prices, however these are written, and on their side alone", () => {
    expect(left()).toEqual({ buys, asks });
    expect(left({ side: "buy", price: "100", volume: "1" }, { side: "buy", price: "100.0", volume: "1.5" })).toEqual({
      buys: [buys[0], ["100.00", "2.5"]],
      asks,
    });
    expect(left({ side: "sell", price: "101", volume: "2" })).toEqual({ buys, asks });
  });

  it("does not have a level that is theirs alone, or may be", () => {
    expect(left({ side: "buy", price: "101", volume: "2" }).buys).toEqual([buys[1]]);
    expect(left({ side: "sell", price: "102", volume: "7" }).asks).toEqual([]);
  });
});
