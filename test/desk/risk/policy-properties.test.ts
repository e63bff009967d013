import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inUnit, rate } from "../../../src/decimal/index.ts";
import type { BudgetUsage } from "../../../src/desk/model/account-usage.ts";
import { orderValue } from "../../../src/desk/risk/policy-decision.ts";
import { textOf } from "../../decimal/arbitraries.ts";
import { BTC, bookOf, UNUSED } from "./policy-question.ts";
import {
  anyBook,
  anyOrder,
  type Book,
  bookText,
  ENDLESS,
  fullBook,
  judged,
  type Level,
  modest,
  modestBook,
  modestOrder,
  OPEN,
  type Order,
  orderText,
  ruleOf,
  side,
  units,
} from "./random-orders.ts";

/** A value of price × volume has 16 decimals, and one with mid another digit. */
const UNIT = 10n ** 16n;

function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

function largest(...values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a > b ? a : b));
}

/** What a market order meets, walked level by level. */
function walked(levels: readonly Level[], volume: bigint): { value: bigint; left: bigint } {
  let [value, left] = [0n, volume];
  for (const [price, held] of levels) {
    const take = held < left ? held : left;
    value += price * take;
    left -= take;
  }
  return { value, left };
}

/** What a sell until an amount is reached gets, level by level, each in whole steps of the volume. */
function soldFor(levels: readonly Level[], amount: bigint, step: bigint): bigint {
  let value = 0n;
  for (const [price, held] of levels) {
    const wanted = ceilDiv(ceilDiv(amount - value, price), step) * step;
    value += price * (held < wanted ? held : wanted);
    if (value >= amount) break;
  }
  return value;
}

/** The value of an order in whole KRW, from the definition. */
function oracle({ side, price, volume }: Order, { buys, asks }: Book): bigint | undefined {
  const [bid, ask] = [buys[0]?.[0], asks[0]?.[0]];
  if (side === "buy") {
    if (price !== undefined) return ceilDiv(price * volume, UNIT);
    const worst = asks.at(-1)?.[0];
    if (worst === undefined) return undefined;
    const { value, left } = walked(asks, volume);
    return ceilDiv(value + worst * left, UNIT);
  }
  const doubled = [price, bid].filter((each) => each !== undefined).map((each) => 2n * each);
  if (bid !== undefined && ask !== undefined) doubled.push(bid + ask);
  return doubled.length === 0 ? undefined : ceilDiv(largest(...doubled) * volume, 2n * UNIT);
}

describe("the value of an order", () => {
  it("is that of exact integers, rounded up once", () => {
    fc.assert(
      fc.property(anyOrder, anyBook, (order, book) => {
        expect(orderValue(BTC, orderText(order), bookText(book), "KRW")?.toString()).toBe(
          oracle(order, book)?.toString(),
        );
      }),
    );
  });

  it("never falls below, for a sell, what the best bid would pay, whatever its price", () => {
    fc.assert(
      fc.property(anyOrder, fullBook, ({ price, volume }, book) => {
        const value = orderValue(BTC, orderText({ side: "sell", price, volume }), bookText(book), "KRW");
        expect(BigInt(value?.toString() ?? "-1")).toBeGreaterThanOrEqual(
          ceilDiv((book.buys[0]?.[0] ?? 0n) * volume, UNIT),
        );
      }),
    );
  });

  it("never falls when the order grows", () => {
    fc.assert(
      fc.property(anyOrder, anyBook, units, (order, book, more) => {
        const smaller = orderValue(BTC, orderText(order), bookText(book), "KRW");
        const larger = orderValue(BTC, orderText({ ...order, volume: order.volume + more }), bookText(book), "KRW");
        fc.pre(smaller !== undefined && larger !== undefined);
        expect(smaller?.cmp(larger ?? ENDLESS)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it("equals the amount, or what a sell's last step makes of it, rounded up", () => {
    fc.assert(
      fc.property(side, units, anyBook, fc.integer({ min: 0, max: 8 }), (side, amount, book, decimals) => {
        const order = { symbol: "BTC/KRW", side, type: "market", amount: textOf(amount) } as const;
        const market = { ...BTC, volume_decimals: decimals };
        const whole = amount * 10n ** 8n;
        const sold = soldFor(book.buys, whole, 10n ** BigInt(8 - decimals));
        const value = side === "buy" ? whole : largest(whole, sold);
        expect(orderValue(market, order, bookText(book), "KRW")?.toString()).toBe(ceilDiv(value, UNIT).toString());
      }),
      // The first level holds less than a step and exceeds the amount.
      {
        examples: [
          [
            "sell",
            1n,
            {
              buys: [
                [1_428_571_428_571_429n, 7n],
                [1n, 1n],
              ],
              asks: [],
            },
            0,
          ],
          // The one level is worth a little more than one won, and is rounded up.
          ["sell", 1n, { buys: [[588_235_294_117_648n, 17n]], asks: [] }, 0],
        ],
      },
    );
  });
});

describe("the verdict", () => {
  /** Percentages with up to 8 decimals, in units of 10^-8 of a percent. */
  const percentUnits = fc.oneof(fc.bigInt(0n, 100n * 10n ** 8n), fc.bigInt(0n, 1000n));
  const asRate = (percent: bigint) => rate(textOf(percent)).scale(rate("0.01"));

  it("agrees on the collar with exact integers", () => {
    fc.assert(
      fc.property(anyOrder, fullBook, units, percentUnits, (order, book, price, percent) => {
        const doubledMid = (book.buys[0]?.[0] ?? 0n) + (book.asks[0]?.[0] ?? 0n);
        const distance = 2n * price - doubledMid;
        const dearer = order.side === "buy" ? distance : -distance;
        const isFar = dearer * 100n * 10n ** 8n > doubledMid * percent;
        const [bid, ask] = [book.buys[0]?.[0] ?? 0n, book.asks[0]?.[0] ?? 0n];
        const isWide = (ask > bid ? ask - bid : bid - ask) * 2n * 100n * 10n ** 8n > doubledMid * percent;
        const question = { order: orderText({ ...order, price, volume: 1n }), book: bookText(book) };
        const policy = { ...OPEN, priceCollar: asRate(percent) };
        expect(ruleOf(policy, question)).toBe(isFar ? "price_collar" : isWide ? "ask" : "allow");
        expect(ruleOf(policy, { ...question, approved: true })).toBe(isFar ? "price_collar" : "allow");
      }),
    );
  });

  it("keeps to the very edge of the collar", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 8n), fc.bigInt(0n, 99n), side, (whole, percent, side) => {
        const [mid, step] = [whole * 100n, whole];
        const book = bookOf([[textOf(mid), "9"]], [[textOf(mid), "9"]]);
        const policy = { ...OPEN, priceCollar: asRate(percent * 10n ** 8n) };
        const at = (price: bigint) => ruleOf(policy, { order: orderText({ side, price, volume: 1n }), book });
        for (const price of [mid - step * percent, mid + step * percent]) expect(at(price)).toBe("allow");
        const [below, above] = [mid - step * percent - 1n, mid + step * percent + 1n];
        const [cheaper, dearer] = side === "buy" ? [below, above] : [above, below];
        expect([at(dearer), at(cheaper)]).toEqual(["price_collar", "allow"]);
      }),
    );
  });

  it("agrees on slippage with exact integers", () => {
    fc.assert(
      fc.property(fullBook, side, units, percentUnits, (book, side, volume, percent) => {
        const taken = side === "buy" ? book.asks : book.buys;
        const { value, left } = walked(taken, volume);
        const atBest = (taken[0]?.[0] ?? 0n) * (volume - left);
        const moved = value > atBest ? value - atBest : atBest - value;
        const isFar = left > 0n || moved * 100n * 10n ** 8n > atBest * percent;
        const question = { order: orderText({ side, price: undefined, volume }), book: bookText(book) };
        expect(ruleOf({ ...OPEN, maxSlippage: asRate(percent) }, question)).toBe(isFar ? "slippage" : "allow");
      }),
    );
  });

  const SIZE_RULES = ["order_size", "open_exposure", "day_budget"];
  const krw = fc.bigInt(0n, 10n ** 15n);

  it("is never a size rule's no to an order smaller than one that is allowed", () => {
    fc.assert(
      fc.property(
        modestOrder,
        modestBook,
        modest,
        fc.tuple(krw, krw, krw, krw),
        (order, book, part, [open, day, o, d]) => {
          const value = oracle(order, book) ?? 0n;
          // Limits that the order fills, or nearly so.
          const policy = {
            ...OPEN,
            maxOrder: inUnit(String(value + (o % 3n))),
            maxOpen: inUnit(String(open + value + (o % 5n))),
            maxDay: inUnit(String(day + value + (d % 5n))),
          };
          const standing = {
            usage: { ...UNUSED, open: String(open), day: String(day) },
            settled: [],
            killSwitch: undefined,
          };
          const asked = (volume: bigint) => ({
            order: orderText({ ...order, volume }),
            book: bookText(book),
            accountUsage: standing,
          });
          const smaller = 1n + (part % order.volume);
          expect(SIZE_RULES).not.toContain(ruleOf(policy, asked(order.volume)));
          expect(SIZE_RULES).not.toContain(ruleOf(policy, asked(smaller)));
        },
      ),
    );
  });

  it("is a size rule's no, the first one's, exactly when the value is beyond its limit", () => {
    fc.assert(
      fc.property(
        modestOrder,
        modestBook,
        fc.tuple(krw, krw),
        fc.integer({ min: 0, max: 3 }),
        (order, book, used, broken) => {
          fc.pre(order.price !== undefined);
          const value = oracle(order, book) ?? 0n;
          const [open, day] = used;
          const less = (at: number) => (broken === at ? 1n : 0n);
          fc.pre(value > 0n);
          const policy = {
            ...OPEN,
            maxOrder: inUnit(String(value - less(1))),
            maxOpen: inUnit(String(open + value - less(2))),
            maxDay: inUnit(String(day + value - less(3))),
          };
          const standing = {
            usage: { ...UNUSED, open: String(open), day: String(day) },
            settled: [],
            killSwitch: undefined,
          };
          const said = ruleOf(policy, { order: orderText(order), book: bookText(book), accountUsage: standing });
          expect(said).toBe(broken === 0 ? "allow" : SIZE_RULES[broken - 1]);
        },
      ),
    );
  });
});

describe("orders one after another", () => {
  type Step = { readonly place: Order; readonly approved: boolean } | { readonly close: number };
  // From nothing to 2000 KRW, so that a sequence fills each budget some time.
  const price = fc.bigInt(10n ** 7n, 10n ** 9n);
  const volume = fc.bigInt(10n ** 6n, 2n * 10n ** 10n);
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ place: fc.record({ side, price, volume }), approved: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ close: fc.nat({ max: 20 }) }) },
  );
  const nearBook: fc.Arbitrary<Book> = fc
    .tuple(price, price)
    .map(([a, b]) => ({ buys: [[a < b ? a : b, 1n]], asks: [[a < b ? b : a, 1n]] }));
  const limits = fc.record({
    order: fc.bigInt(0n, 2000n),
    day: fc.bigInt(0n, 8000n),
    open: fc.bigInt(0n, 5000n),
    openOrders: fc.nat({ max: 6 }),
    aMinute: fc.nat({ max: 12 }),
  });

  it("never get past a budget, whatever their number, sizes and sides", () => {
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 40 }), nearBook, (limit, steps, book) => {
        const policy = {
          ...OPEN,
          mode: "confirm" as const,
          maxOrder: inUnit(String(limit.order)),
          maxDay: inUnit(String(limit.day)),
          maxOpen: inUnit(String(limit.open)),
          maxOpenOrders: limit.openOrders,
          maxOrdersPerMinute: limit.aMinute,
        };
        const open: bigint[] = [];
        let [day, sent] = [0n, 0];
        const usage = (): BudgetUsage => {
          const sum = open.reduce((a, b) => a + b, 0n);
          return { day: String(day), open: String(sum), openOrders: open.length, lastMinute: sent };
        };
        for (const each of steps) {
          if ("close" in each) {
            open.splice(each.close % (open.length + 1), 1);
            continue;
          }
          const question = { order: orderText(each.place), book: bookText(book), approved: each.approved };
          const verdict = judged(policy, {
            ...question,
            accountUsage: { usage: usage(), settled: [], killSwitch: undefined },
          });
          if (verdict.kind !== "deny") expect(verdict.kind).toBe(each.approved ? "allow" : "ask");
          if (verdict.kind !== "allow") continue;
          const value = oracle(each.place, book) ?? 0n;
          open.push(value);
          day += value;
          sent += 1;
          expect(value).toBeLessThanOrEqual(limit.order);
          expect(day).toBeLessThanOrEqual(limit.day);
          expect(BigInt(usage().open)).toBeLessThanOrEqual(limit.open);
          expect(open.length).toBeLessThanOrEqual(limit.openOrders);
          expect(sent).toBeLessThanOrEqual(limit.aMinute);
        }
      }),
    );
  });
});
