import { describe, expect, it } from "vitest";
import { BookTexts } from "../../../src/sandbox/wire/book-texts.ts";
import { orderbookView } from "../../../src/sandbox/wire/market-view.ts";
import { coins, krw, order, placed, T0, testEngine } from "../engine/exchange-kit.ts";

const DEPTHS = [1, 2, 15, 500];

describe("the text of a book", () => {
  it("is that of the book as it is, at each time and depth, whatever changed it", () => {
    const engine = testEngine("ann", "bob");
    const texts = new BookTexts(engine);
    const check = (at: number): void => {
      for (const symbol of ["BTC/KRW", "ETH/KRW"])
        for (const depth of DEPTHS) {
          const { text, bytes } = texts.text(symbol, depth, at);
          expect(text).toBe(JSON.stringify(orderbookView(symbol, engine.book(symbol, depth), at)));
          expect(bytes).toBe(Buffer.byteLength(text));
        }
    };
    check(T0);
    const resting = [];
    for (let level = 1; level <= 4; level += 1) {
      const rests = { side: "buy", price: krw(900 + level), volume: coins(2_000) } as const;
      resting.push(placed(engine.apply(order({ accountId: "ann", ...rests }), T0 + level)));
      check(T0 + level);
      engine.apply(order({ accountId: "bob", side: "sell", price: krw(1_000 + level), volume: coins(2_000) }), T0);
      check(T0 + level);
      check(T0 + level + 1);
    }
    engine.apply(order({ accountId: "bob", side: "sell", volume: coins(3_000) }), T0);
    check(T0);
    engine.apply({ type: "cancelAll", accountId: "ann", symbol: null }, T0);
    check(T0);
    // With more depths than are kept.
    for (let depth = 1; depth <= 40; depth += 1)
      expect(texts.text("BTC/KRW", depth, T0).text).toBe(
        JSON.stringify(orderbookView("BTC/KRW", engine.book("BTC/KRW", depth), T0)),
      );
    check(T0);
  });

  it("is not made again while neither the book nor the time has changed, nor its levels while the book has not", () => {
    const engine = testEngine("ann");
    const depths: number[] = [];
    const texts = new BookTexts({
      book(symbol, depth) {
        depths.push(depth);
        return engine.book(symbol, depth);
      },
    });
    const first = texts.text("BTC/KRW", 15, T0);
    expect(texts.text("BTC/KRW", 15, T0)).toBe(first);
    expect(texts.text("BTC/KRW", 15, T0 + 1)).not.toBe(first);
    expect(depths.filter((depth) => depth > 0)).toEqual([15]);
    engine.apply(order({ accountId: "ann", side: "buy", price: krw(900), volume: coins(2_000) }), T0);
    expect(texts.text("BTC/KRW", 15, T0 + 1).text).toContain('"900"');
  });
});
