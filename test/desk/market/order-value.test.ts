import { describe, expect, it } from "vitest";
import type { BookLevel, CreateOrderBody } from "../../../src/contract/index.ts";
import { orderValue } from "../../../src/desk/risk/policy-decision.ts";
import { BTC, bookOf } from "../risk/policy-question.ts";

describe("an order counts for", () => {
  const asks: BookLevel[] = [
    ["100", "1"],
    ["110", "2"],
  ];
  const buys: BookLevel[] = [
    ["90", "1"],
    ["80", "2"],
  ];
  const both = bookOf(buys, asks);
  const order = (fields: Partial<CreateOrderBody>): CreateOrderBody => ({
    symbol: "BTC/KRW",
    side: "buy",
    type: "market",
    ...fields,
  });
  const sell = { side: "sell" } as const;

  it.each([
    ["a limit buy, its own price", { type: "limit", price: "50", volume: "2" }, both, "100"],
    ["a limit buy, without any book", { type: "limit", price: "50", volume: "2" }, undefined, "100"],
    ["a market buy by amount, the amount", { amount: "5000" }, both, "5000"],
    ["a market buy by amount, rounded up", { amount: "5000.00000001" }, undefined, "5001"],
    ["a market buy by volume, what it takes of one ask", { volume: "0.5" }, both, "50"],
    ["a market buy by volume, all asks that it takes", { volume: "2" }, both, "210"],
    ["a market buy by volume, the rest at the worst ask seen", { volume: "5" }, both, "540"],
    [
      "a market buy by volume, asks of zero left out",
      { volume: "1" },
      bookOf([], [["0", "9"], ["7", "0"], ...asks]),
      "100",
    ],
    ["a limit sell below the book, mid", { ...sell, type: "limit", price: "1", volume: "2" }, both, "190"],
    ["a limit sell between, mid", { ...sell, type: "limit", price: "94", volume: "2" }, both, "190"],
    ["a limit sell above mid, its own price", { ...sell, type: "limit", price: "96", volume: "2" }, both, "192"],
    [
      "a limit sell, the best bid of a one-sided book",
      { ...sell, type: "limit", price: "1", volume: "2" },
      bookOf(buys, []),
      "180",
    ],
    [
      "a limit sell, its own price where nobody buys",
      { ...sell, type: "limit", price: "50", volume: "2" },
      bookOf([], asks),
      "100",
    ],
    [
      "a limit sell, its own price without any book",
      { ...sell, type: "limit", price: "50", volume: "2" },
      undefined,
      "100",
    ],
    ["a sell, the best bid where the book is crossed", { ...sell, volume: "2" }, bookOf([["120", "1"]], asks), "240"],
    ["a market sell by volume, mid", { ...sell, volume: "2" }, both, "190"],
    [
      "a market sell, bids of zero left out",
      { ...sell, volume: "1" },
      bookOf([["0", "1"], ["95", "0"], ...buys], []),
      "90",
    ],
    ["a market sell by amount, the amount", { ...sell, amount: "5000" }, undefined, "5000"],
    ["a market sell by amount, what its last step comes to", { ...sell, amount: "100.000001" }, both, "101"],
    ["a fraction of a KRW, a whole one", { type: "limit", price: "0.00000001", volume: "0.00000001" }, both, "1"],
    ["a whole number, no more than that", { type: "limit", price: "0.5", volume: "2" }, both, "1"],
    [
      "the largest the wire can say",
      { type: "limit", price: "9".repeat(18), volume: "9".repeat(18) },
      both,
      "999999999999999998000000000000000001",
    ],
  ] as const)("%s", (_, fields, book, value) => {
    expect(orderValue(BTC, order(fields), book, "KRW")?.toString()).toBe(value);
  });

  it.each([
    ["a market buy by volume without a book", { volume: "1" }, undefined],
    ["a market buy by volume that nobody sells to", { volume: "1" }, bookOf(buys, [])],
    ["a market buy by volume from asks of nothing", { volume: "1" }, bookOf(buys, [["100", "0"]])],
    ["a market sell by volume without a book", { ...sell, volume: "1" }, undefined],
    ["a market sell by volume that nobody buys", { ...sell, volume: "1" }, bookOf([], asks)],
    ["an order without any size", {}, both],
  ] as const)("nothing that is known: %s", (_, fields, book) => {
    expect(orderValue(BTC, order(fields), book, "KRW")).toBeUndefined();
  });
});
