import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PublicTrade, Side } from "../../../src/contract/index.ts";
import type { IntentRecord } from "../../../src/desk/index.ts";
import { newestOfOthers, ownTradingIn, RECENT_MS, tradedPrice } from "../../../src/desk/market/recent-trades.ts";
import { textOf } from "../../decimal/arbitraries.ts";
import { order } from "../../fixture/order-sample.ts";

const NOW_MS = Date.UTC(2026, 6, 20, 9);
const SYMBOL = "BTC/KRW";

interface Print {
  readonly at: string;
  readonly volume?: string;
  readonly side?: Side;
  readonly agoMs?: number;
}

let made = 0;
function print({ at, volume = "1", side = "buy", agoMs = 1_000 }: Print): PublicTrade {
  const time = new Date(NOW_MS - agoMs).toISOString();
  return { trade_id: String(++made), symbol: SYMBOL, side, price: at, volume, time };
}

const middle = (prints: readonly Print[], own: readonly IntentRecord[] = [], offsetMs = 0): string | undefined =>
  tradedPrice(prints.map(print), own, { nowMs: NOW_MS, offsetMs })?.toString();

/** A buy of 2 at 100 at most, sent a minute ago and open since. */
function own(change: Partial<IntentRecord> = {}, order: Partial<IntentRecord["body"]["order"]> = {}): IntentRecord {
  return {
    intentId: "i",
    account: "paper",
    userref: "u",
    state: "open",
    nonce: "1",
    orderId: "o",
    body: {
      order: { symbol: SYMBOL, side: "buy", type: "limit", price: "100", volume: "2", ...order },
      environment: "sandbox",
      keyId: "k",
      digest: "d",
    },
    createdAtMs: 0,
    updatedAtMs: NOW_MS - 50_000,
    held: "200",
    isLive: true,
    unit: "KRW",
    sentAtMs: NOW_MS - 60_000,
    ...change,
  };
}

describe("what a market lately traded at", () => {
  it("is the price that half of the volume was traded at, or lower", () => {
    expect(middle([])).toBeUndefined();
    expect(middle([{ at: "100" }])).toBe("100");
    expect(middle([{ at: "100" }, { at: "900" }, { at: "101" }])).toBe("101");
    expect(middle([{ at: "100", volume: "3" }, { at: "900" }, { at: "901" }])).toBe("100");
    expect(middle([{ at: "200", volume: "0" }])).toBeUndefined();
  });

  it("is not bent by less volume than the others', however many trades that is", () => {
    const unit = fc.bigInt(1n, 10n ** 12n);
    fc.assert(
      fc.property(fc.array(fc.tuple(unit, unit), { minLength: 1 }), fc.array(unit), unit, (others, dust, far) => {
        const volume = others.reduce((sum, [, each]) => sum + each, 0n);
        const all = others.map(([at, each]) => ({ at: textOf(at), volume: textOf(each) }));
        const least = others.reduce((low, [at]) => (at < low ? at : low), 10n ** 12n);
        const most = others.reduce((high, [at]) => (at > high ? at : high), 0n);
        // Together less than what was traded besides.
        const share = volume / BigInt(dust.length + 1);
        fc.pre(share > 0n);
        const bent = dust.map((at) => ({ at: textOf(most + at + far), volume: textOf(share) }));
        const [low, high] = [textOf(least), textOf(most)].map(Number); // not money: compared in a test
        const found = Number(middle([...all, ...bent])); // not money: compared in a test
        expect(found).toBeGreaterThanOrEqual(low ?? 0);
        expect(found).toBeLessThanOrEqual(high ?? 0);
      }),
    );
  });

  it("is nothing of what is long past, by the clock of the exchange", () => {
    expect(
      middle([
        { at: "100", agoMs: RECENT_MS },
        { at: "90", agoMs: RECENT_MS + 1, volume: "9" },
      ]),
    ).toBe("100");
    expect(middle([{ at: "100", agoMs: RECENT_MS + 1 }])).toBeUndefined();
    expect(middle([{ at: "100", agoMs: RECENT_MS - 5_000 }], [], 6_000)).toBeUndefined();
    expect(middle([{ at: "100", agoMs: RECENT_MS + 5_000 }], [], -6_000)).toBe("100");
  });
});

describe("trades of the account's own", () => {
  const taken: Print = { at: "99", agoMs: 60_000, volume: "2" };
  const made: Print = { at: "100", side: "sell", agoMs: 10_000 };
  const time = (agoMs: number): string => new Date(NOW_MS - agoMs).toISOString();
  /** As the exchange showed it: from a minute ago, and gone since 50 s. */
  const shown = (intent: IntentRecord, executed_volume = "2"): IntentRecord => {
    const seen = { ...order, executed_volume, created_at: time(60_000), updated_at: time(50_000) };
    return { ...intent, body: { ...intent.body, seen } };
  };
  const ended = (executed?: string): IntentRecord => shown(own({ state: "filled", isLive: false }), executed);

  it.each([
    ["without an answer", own({ state: "unknown" })],
    ["that is open", shown(own())],
  ])("are left out, of an order %s: what it took when it came, and what it made later at its price", (_, intent) => {
    for (const each of [taken, made]) {
      expect(middle([each])).toBe(each.at);
      expect(middle([each], [intent])).toBeUndefined();
    }
  });

  it("are left out of a market order, whose price is not known", () => {
    const market = own();
    const body = { ...market.body, order: { symbol: SYMBOL, side: "buy", type: "market", volume: "2" } } as const;
    expect(middle([{ ...taken, at: "900" }], [{ ...market, body }])).toBeUndefined();
    expect(middle([made], [{ ...market, body }])).toBe("100");
  });

  it.each<readonly [string, Print, IntentRecord]>([
    ["is larger than the order", { ...taken, volume: "2.1" }, own()],
    ["is larger than what it executed", { ...made, agoMs: 51_000 }, ended("0.9")],
    ["came before it", { ...taken, agoMs: 60_001 }, shown(own())],
    ["came before it was sent", { ...taken, agoMs: 65_001 }, own()],
    ["came after it had ended", { ...made, agoMs: 49_999 }, ended()],
    ["was taken after it had come", { ...taken, agoMs: 58_999 }, shown(own())],
    ["was taken long after it was sent", { ...taken, agoMs: 44_999 }, own()],
    ["was taken beyond its price", { ...taken, at: "101" }, own()],
    ["was made at another price", { ...made, at: "99" }, own()],
    ["was in another market", taken, own({}, { symbol: "ETH/KRW" })],
  ])("are not those of others: one that %s", (_, each, intent) => {
    expect(middle([each], [intent])).toBe(each.at);
  });

  it("are known to the very end of its life, and by the exchange's clock", () => {
    expect(middle([{ ...made, agoMs: 50_000 }], [ended()])).toBeUndefined();
    expect(middle([{ ...taken, agoMs: 59_000 }], [shown(own())])).toBeUndefined();
    expect(middle([{ ...taken, agoMs: 81_000 }], [own()], -16_000)).toBeUndefined();
    expect(middle([{ ...taken, agoMs: 81_001 }], [own()], -16_000)).toBe("99");
  });

  it("are of any of its orders, each by itself, however a price is written", () => {
    const prices = ["99", "100", "100.0", "100.50", "100.5"];
    const side = fc.constantFrom<Side>("buy", "sell");
    const trade = fc.record({
      at: fc.constantFrom(...prices),
      volume: fc.constantFrom("1", "2", "3.0"),
      side,
      agoMs: fc.constantFrom(1_000, 50_500, 59_500, 61_000),
    });
    const intent = fc
      .tuple(side, fc.constantFrom(...prices), fc.integer({ min: 0, max: 2 }))
      .map(
        ([side, price, kind]) =>
          [own(), shown(own()), ended("2")].map((each) => withOrder(each, { side, price }))[kind],
      )
      .filter((each) => each !== undefined);
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 8 }), fc.array(intent, { maxLength: 6 }), (trades, orders) => {
        const others = trades.filter((each) => orders.every((one) => middle([each], [one]) !== undefined));
        expect(middle(trades, orders)).toBe(middle(others));
      }),
    );
  });
});

function withOrder(intent: IntentRecord, order: Partial<IntentRecord["body"]["order"]>): IntentRecord {
  return { ...intent, body: { ...intent.body, order: { ...intent.body.order, ...order } } };
}

describe("the newest trade of others", () => {
  const newest = (prints: readonly Print[], orders: readonly IntentRecord[] = []) => {
    const trading = ownTradingIn(SYMBOL, orders, { fromMs: NOW_MS - RECENT_MS, offsetMs: 0 });
    return newestOfOthers(prints.map(print), trading)?.price.toString();
  };

  it("is the first that is told, whatever its time is: the exchange's clock may have gone back", () => {
    expect(newest([])).toBeUndefined();
    expect(
      newest([
        { at: "101", agoMs: 5_000 },
        { at: "102", agoMs: -3_600_000 },
      ]),
    ).toBe("101");
  });

  it("leaves out what may be one of the account's own", () => {
    const made = { at: "100", side: "sell" } as const;
    expect(newest([made, { at: "101", agoMs: 5_000 }], [own()])).toBe("101");
    expect(newest([made], [own()])).toBeUndefined();
    expect(newest([made], [])).toBe("100");
  });
});
