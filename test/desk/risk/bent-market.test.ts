/** What may not bend the collar, and what a person may let go over a limit, over orders and books at random. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inUnit, price, quantity, rate } from "../../../src/decimal/index.ts";
import { policyCase } from "../../../src/desk/market/judged-market.ts";
import type { OwnOrder } from "../../../src/desk/model/policy.ts";
import { largestSize } from "../../../src/desk/risk/largest-size.ts";
import type { Policy, PolicyQuestion } from "../../../src/desk/risk/policy-decision.ts";
import { textOf } from "../../decimal/arbitraries.ts";
import { BOOK, BTC, LIMIT_BUY, MARKET_BUY, POLICY, QUESTION, UNUSED } from "./policy-question.ts";
import {
  anyOrder,
  type Book,
  bookText,
  fullBook,
  judged,
  type Level,
  modest,
  modestBook,
  modestOrder,
  OPEN,
  orderText,
  ruleOf,
  side,
  units,
} from "./random-orders.ts";

const COLLAR = { ...OPEN, priceCollar: rate("0.05"), maxSlippage: rate("0.01") };

type Own = readonly (readonly [side: "buy" | "sell", level: Level])[];

/** One side of a book with the volume of own orders in it, as the exchange would show it. */
function joined(levels: readonly Level[], side: "buy" | "sell", own: Own): readonly Level[] {
  const volumes = new Map(levels);
  for (const [each, [at, volume]] of own) if (each === side) volumes.set(at, volume + (volumes.get(at) ?? 0n));
  return [...volumes].sort(([a], [b]) => (a < b === (side === "sell") ? -1 : 1));
}

function withOwn({ buys, asks }: Book, own: Own): Book {
  return { buys: joined(buys, "buy", own), asks: joined(asks, "sell", own) };
}

/** Each price once, as the book has it. */
const distinct = ({ buys, asks }: Book): boolean =>
  [buys, asks].every((levels) => new Set(levels.map(([at]) => at)).size === levels.length);

describe("own orders", () => {
  const owns = fc.array(fc.tuple(side, fc.tuple(units, units)), { maxLength: 4 });

  it("change no verdict on the price, whatever they are", () => {
    fc.assert(
      fc.property(anyOrder, fullBook.filter(distinct), owns, (order, book, own) => {
        const ownOrders = own.map(
          ([each, [at, volume]]): OwnOrder => ({ side: each, price: textOf(at), volume: textOf(volume) }),
        );
        const asked = { order: orderText(order) };
        const alone = ruleOf(COLLAR, { ...asked, book: bookText(book) });
        expect(ruleOf(COLLAR, { ...asked, book: bookText(withOwn(book, own)), ownOrders })).toBe(alone);
      }),
    );
  });

  it("never make an order count for less", () => {
    fc.assert(
      fc.property(anyOrder, fullBook.filter(distinct), owns, (order, book, own) => {
        const ownOrders = own.map(
          ([each, [at, volume]]): OwnOrder => ({ side: each, price: textOf(at), volume: textOf(volume) }),
        );
        const asked = { ...QUESTION, order: orderText(order) };
        const alone = policyCase(POLICY, { ...asked, book: bookText(book) }).value;
        const whole = policyCase(POLICY, { ...asked, book: bookText(withOwn(book, own)) }).value;
        const { value } = policyCase(POLICY, { ...asked, book: bookText(withOwn(book, own)), ownOrders });
        // One of the account's own may be what it executes against.
        expect(value).toEqual(alone?.gt(whole ?? alone) === true ? alone : whole);
      }),
    );
  });

  it("raise a question when they are too many to be known, where a price can be too far at all", () => {
    expect(judged({}, { ownOrders: "too many" })).toMatchObject({
      kind: "ask",
      why: "more than 1000 own orders are open, so that it is not known what of the book others make",
    });
    expect(judged({ priceCollar: "off" }, { ownOrders: "too many" })).toEqual({ kind: "allow" });
  });
});

describe("what was traded", () => {
  it("bounds a price like the book, to the last digit", () => {
    fc.assert(
      fc.property(units, units, fc.bigInt(0n, 100n * 10n ** 8n), side, (at, traded, percent, each) => {
        const distance = at > traded ? at - traded : traded - at;
        const isDearer = each === "buy" ? at > traded : at < traded;
        const isFar = isDearer && distance * 100n * 10n ** 8n > traded * percent;
        const policy = { ...OPEN, priceCollar: rate(textOf(percent)).scale(rate("0.01")) };
        const order = orderText({ side: each, price: at, volume: 1n });
        const book = bookText({ buys: [[at, 1n]], asks: [[at, 1n]] });
        const said = ruleOf(policy, { order, book, tradedPrice: price(textOf(traded)) });
        expect(said).toBe(isFar ? "price_collar" : "allow");
      }),
    );
  });

  it("bounds a market order by what it would get", () => {
    const tradedPrice = price("95000000");
    expect(judged({}, { order: MARKET_BUY, tradedPrice })).toMatchObject({
      denial: {
        rule: "price_collar",
        message: expect.stringContaining("% from the middle of the last trades ₩95,000,000"),
      },
    });
    expect(judged({}, { order: { ...MARKET_BUY, side: "sell" }, tradedPrice: price("96000000") })).toEqual({
      kind: "allow",
    });
  });

  it("is not asked where the collar is off", () => {
    expect(judged({ priceCollar: "off" }, { tradedPrice: price("1") })).toEqual({ kind: "allow" });
  });
});

const LIMITS = ["order_size", "open_exposure", "day_budget"];
const krw = fc.bigInt(0n, 10n ** 13n);
/** Limits that orders at random are within or over, each by itself. */
const tight: fc.Arbitrary<{ policy: Partial<Policy>; question: Partial<PolicyQuestion> }> = fc
  .tuple(krw, krw, krw, krw, krw)
  .map(([order, open, day, openUsed, settled]) => ({
    policy: {
      ...OPEN,
      maxOrder: inUnit(String(order)),
      maxOpen: inUnit(String(open)),
      maxDay: inUnit(String(day)),
    },
    question: {
      accountUsage: {
        usage: { ...UNUSED, open: String(openUsed), day: String(openUsed + settled) },
        settled: [],
        killSwitch: undefined,
      },
    },
  }));

describe("a sell of what is held", () => {
  it("is never denied by a limit, and one of more is as ever", () => {
    fc.assert(
      fc.property(modestOrder, modestBook, tight, modest, (order, book, { policy, question }, other) => {
        const asked = { ...question, order: orderText({ ...order, side: "sell" }), book: bookText(book) };
        const held = (volume: bigint) => ({ ...asked, held: quantity(textOf(volume)) });
        const denied = ruleOf({ ...policy, overLimitSells: "deny" }, asked);
        for (const volume of [order.volume, order.volume + other])
          expect(LIMITS).not.toContain(ruleOf(policy, held(volume)));
        expect(ruleOf(policy, held(order.volume - 1n))).toBe(denied);
        expect(ruleOf(policy, asked)).toBe(denied);
        expect(ruleOf({ ...policy, overLimitSells: "deny" }, held(order.volume))).toBe(denied);
        const bought = orderText({ ...order, side: "buy" });
        const buying = ruleOf({ ...policy, overLimitSells: "deny" }, { ...asked, order: bought });
        expect(ruleOf(policy, { ...held(order.volume), order: bought })).toBe(buying);
      }),
    );
  });

  it("goes over the limits that were named in the question, and over no other", () => {
    fc.assert(
      fc.property(modestOrder, modestBook, tight, fc.subarray([0, 1, 2]), (order, book, { policy, question }, left) => {
        const asked = {
          ...question,
          order: orderText({ ...order, side: "sell" }),
          book: bookText(book),
          held: quantity(textOf(order.volume)),
        };
        const verdict = judged(policy, asked);
        fc.pre(verdict.kind !== "deny");
        const over = verdict.kind === "ask" ? verdict.over : [];
        const approvedOver = over.filter((_, at) => !left.includes(at));
        const after = judged(policy, { ...asked, approved: true, approvedOver });
        if (approvedOver.length === over.length) expect(after).toEqual({ kind: "allow" });
        else
          expect(after).toMatchObject({
            kind: "deny",
            denial: { rule: over.find((limit) => !approvedOver.includes(limit)) },
          });
      }),
    );
  });
});

describe("the largest size that would pass", () => {
  it("passes, and a step more does not", () => {
    const decimals = fc.integer({ min: 0, max: 8 });
    fc.assert(
      fc.property(modestOrder, modestBook, tight, decimals, (order, book, { policy, question }, volume_decimals) => {
        const market = { ...BTC, volume_decimals, min_volume: "0.00000001", min_notional: "0" };
        const asked = { ...QUESTION, ...question, market, order: orderText(order), book: bookText(book) };
        const verdict = judged(policy, asked);
        fc.pre(verdict.kind === "deny" && LIMITS.includes(verdict.denial.rule));
        const largest = largestSize(policyCase({ ...POLICY, ...policy }, asked));
        const sized = (volume: string) => ruleOf(policy, { ...asked, order: { ...asked.order, volume } });
        const step = quantity(volume_decimals === 0 ? "1" : `0.${"1".padStart(volume_decimals, "0")}`);
        if (largest !== undefined) expect(LIMITS).not.toContain(sized(largest));
        // A step may also be more than the book holds.
        expect([...LIMITS, "slippage"]).toContain(
          sized(
            quantity(largest ?? "0")
              .plus(step)
              .toString(),
          ),
        );
      }),
    );
  });

  it.each([
    ["a limit order", LIMIT_BUY, "1000000", "0.01"],
    ["an order by amount, in whole KRW", { ...MARKET_BUY, volume: undefined, amount: "7000000" }, "1000000", "1000000"],
    ["none, below the least worth", LIMIT_BUY, "4999", undefined],
    ["the least worth", LIMIT_BUY, "10000", "0.0001"],
    ["none, below the least volume", LIMIT_BUY, "9999", undefined],
  ] as const)("is, of %s, what the market takes", (_, order, limit, largest) => {
    const maxOrder = inUnit(limit);
    const { volume: _volume, ...rest } = order;
    const body = "amount" in order ? rest : { ...rest, volume: "1" };
    expect(largestSize(policyCase({ ...POLICY, maxOrder }, { ...QUESTION, order: body, book: BOOK }))).toBe(largest);
  });
});
