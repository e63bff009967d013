import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { price, quantity, rate } from "../../../src/decimal/index.ts";
import type { PlanRequest } from "../../../src/desk/model/plan-report.ts";
import type { PlanFacts } from "../../../src/desk/plans/terms/plan-request.ts";
import { rehearse } from "../../../src/desk/plans/terms/rehearsal.ts";
import { boundsOfTerms, worstCase } from "../../../src/desk/plans/terms/worst-case.ts";
import { defaultPolicy } from "../../../src/desk/risk/policy-decision.ts";
import { asked, BASE, baseOf, DAY_MS, drafted, FACTS, MARKET, NOW_MS, refused, termsOf } from "./plan-facts.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

describe("the terms of a protection", () => {
  it("are the prices and the volume as written, with the floor that the file has by default", () => {
    expect(termsOf("stop")).toEqual({
      ...{ kind: "stop", symbol: "BTC/KRW", volume: "0.1" },
      ...{ stopPrice: "95000000", floorPrice: "85500000" },
    });
    expect(termsOf("take_profit")).toEqual({
      ...{ kind: "take_profit", symbol: "BTC/KRW", volume: "0.1", takePrice: "110000000" },
    });
    expect(termsOf("oco")).toEqual({
      ...{ kind: "oco", symbol: "BTC/KRW", volume: "0.1", stop: { stopPrice: "95000000" } },
      ...{ takePrice: "110000000", floorPrice: "85500000" },
    });
  });

  it("have of a trailing stop a floor only where one was given, as another follows its trigger", () => {
    expect(termsOf("trailing_stop")).toEqual({
      ...{ kind: "trailing_stop", symbol: "BTC/KRW", volume: "0.1", trail: { percent: "5" } },
    });
    expect(termsOf("trailing_stop", { trail: "3000000", floor_price: "90000000" })).toMatchObject({
      ...{ trail: { amount: "3000000" }, floorPrice: "90000000" },
    });
    const oco = { ...baseOf("oco"), trail: "2.5%" };
    const { stop_price: _, ...trailing } = oco;
    expect(drafted(trailing).terms).toEqual({
      ...{ kind: "oco", symbol: "BTC/KRW", volume: "0.1", stop: { trail: { percent: "2.5" } } },
      takePrice: "110000000",
    });
  });

  it("have a stop's limit in the place of a floor", () => {
    expect(termsOf("stop", { limit_price: "94000000" })).toEqual({
      ...{ kind: "stop", symbol: "BTC/KRW", volume: "0.1", stopPrice: "95000000", limitPrice: "94000000" },
    });
  });

  it.each([
    ["stop", "stop_price", "-5%", "stopPrice", "95000000"],
    ["stop", "stop_price", "−5%", "stopPrice", "95000000"],
    ["stop", "stop_price", "-0.0013%", "stopPrice", "99998000"],
    ["take_profit", "take_price", "+10%", "takePrice", "110110000"],
    ["take_profit", "take_price", "+0.0013%", "takePrice", "100102000"],
  ] as const)(
    "turn of a %s %s %s into %s %s: by the best price of others, away from the market",
    (kind, field, written, name, at) => {
      expect(termsOf(kind, { [field]: written })).toMatchObject({ [name]: at });
    },
  );

  it("turn a share into coins, of what is available, down to the step", () => {
    expect(termsOf("stop", { base_volume: "50%" })).toMatchObject({ volume: "0.15" });
    const available = quantity("0.10000001");
    expect(termsOf("stop", { base_volume: "33.3%" }, { available })).toMatchObject({ volume: "0.0333" });
    expect(termsOf("stop", { base_volume: "100%" }, { available })).toMatchObject({ volume: "0.10000001" });
  });

  it("keep the caller's words, and nothing where there are none", () => {
    expect(termsOf("stop", { note: "비상" })).toMatchObject({ note: "비상" });
    expect(termsOf("stop", { note: "" })).not.toHaveProperty("note");
  });
});

describe("what is wrong with a protection is told by its field, with what to write:", () => {
  it.each([
    [
      "stop",
      { stop_price: "100000000" },
      /^stop_price: The market is there already.*best bid is ₩100,000,000.*place an order/,
    ],
    ["stop", { stop_price: "101000000" }, /^stop_price: The market is there already/],
    ["take_profit", { take_price: "100100000" }, /^take_price: The market is there already.*best ask is ₩100,100,000/],
    ["stop", { stop_price: "95000500" }, /^stop_price: .*between two ticks of BTC\/KRW: use 95000000 or 95001000/],
    ["stop", { stop_price: "5%" }, /^stop_price: .*written as "-5%"/],
    ["stop", { stop_price: "+5%" }, /^stop_price: .*written as "-5%"/],
    ["stop", { stop_price: "-100%" }, /^stop_price: .*less than 100 %/],
    ["stop", { stop_price: "-1,5%" }, /^stop_price: .*written as "-5%"/],
    ["take_profit", { take_price: "-5%" }, /^take_price: .*written as "\+10%"/],
    ["stop", { stop_price: "95,000,000" }, /^stop_price: Stop_price: /],
    ["stop", { stop_price: "0" }, /^stop_price: .*more than 0/],
    ["stop", { base_volume: "0" }, /^base_volume: .*less than BTC\/KRW takes/],
    ["stop", { base_volume: "0.00001" }, /^base_volume: .*at least 0.0001/],
    ["stop", { base_volume: "0.123456789" }, /^base_volume: /],
    ["stop", { base_volume: "101%" }, /^base_volume: /],
    ["stop", { floor_price: "95000000" }, /^floor_price: .*not below the trigger.*for ₩85,500,000/],
    [
      "stop",
      { floor_price: "85499000" },
      /^DENIED floor_price: .*protective_floor_pct 10.00%: choose ₩85,500,000 or more/,
    ],
    ["stop", { limit_price: "95001000" }, /^limit_price: .*above stop_price/],
    [
      "stop",
      { limit_price: "92149000" },
      /^DENIED limit_price: .*protective_slippage_pct 3.00%: choose ₩92,150,000 or more, or floor_price/,
    ],
    ["stop", { limit_price: "94000000", floor_price: "93000000" }, /^floor_price: .*leave floor_price out/],
    ["take_profit", { take_price: "1000000001000" }, /^take_price: .*is no price of BTC\/KRW/],
    ["take_profit", { take_price: "+999999999%" }, /^take_price: .*is no price of BTC\/KRW/],
    ["trailing_stop", { trail: "100%" }, /^trail: .*never sell/],
    ["trailing_stop", { trail: "100000000" }, /^trail: .*never sell/],
    ["trailing_stop", { trail: "0" }, /^trail: .*more than 0/],
    ["trailing_stop", { trail: "-5%" }, /^trail: /],
    ["trailing_stop", { stop_price: "95000000" }, /^stop_price: .*trailing_stop takes no stop_price: leave it out/],
    ["oco", { trail: "5%" }, /^trail: .*one stop/],
    [
      "stop",
      { side: "buy" },
      /^side: .*to buy below the market, place a limit order; to buy above it, ask for an alert/,
    ],
    ["stop", { side: "sell" }, /^side: .*takes no side: leave it out/],
    ["take_profit", { floor_price: "90000000" }, /^floor_price: .*takes no floor_price/],
    ["stop", { quote_amount: "5000" }, /^quote_amount: .*takes no quote_amount/],
    ["stop", { note: "x".repeat(201) }, /^note: .*200 characters/],
  ] as const)("a %s with %j", (kind, changed, told) => {
    expect(refused(kind, changed)).toMatch(told);
  });

  it("a kind that there is not, and a field that nobody knows", () => {
    expect(refused("stop", { kind: "dca" })).toMatch(/^kind: There is no plan of kind "dca": use stop, /);
    expect(refused("stop", { kind: "constructor" })).toMatch(/^kind: /);
    expect(refused("stop", { after: "x" } as Partial<PlanRequest>)).toMatch(/^after: .*takes no after/);
  });

  it.each(Object.keys(BASE).filter((kind) => kind !== "alert"))("each field that a %s needs and has not", (kind) => {
    const { kind: _, ...fields } = baseOf(kind);
    for (const field of Object.keys(fields)) expect(refused(kind, { [field]: undefined })).not.toBe("");
  });

  it("nobody else who is there to be the market", () => {
    const [noBid, noAsk] = [
      { bid: undefined, ask: price("1") },
      { bid: price("1"), ask: undefined },
    ];
    expect(refused("stop", {}, { quotes: noBid })).toMatch(/^stop_price: Nobody else buys on BTC\/KRW now/);
    expect(refused("trailing_stop", {}, { quotes: noBid })).toMatch(/Nobody else buys/);
    expect(refused("take_profit", {}, { quotes: noAsk })).toMatch(/^take_price: Nobody else sells/);
  });

  it("the line of the file, where that does not allow it", () => {
    const draft = asked({ ...baseOf("stop"), floor_price: "85499000" });
    expect(!draft.ok && draft.fault).toMatchObject({
      ...{ code: "ELocal:Denied by policy", rule: "plans", figure: "85499000", limit: "85500000" },
      nextAction: expect.stringContaining('protective_floor_pct = "10"'),
    });
  });
});

describe("a distance that ordinary movement covers", () => {
  const candles = [
    ["10", "9"],
    ["12", "9"],
    ["1000000", "0.5"],
  ].map(([high = "", low = ""]) => ({ high, low }));

  it("is warned of from under three median ranges on", () => {
    const moved = (range: string): PlanFacts["candles"] => [{ high: range, low: "0" }];
    expect(drafted(baseOf("stop"), { candles: moved("1666666") }).warnings).toEqual([]);
    expect(drafted(baseOf("stop"), { candles: moved("1666667") }).warnings).toEqual([
      "ordinary movement will trigger it: stop_price is ₩5,000,000 from the market, which lately moved ₩1,666,667 in an ordinary minute",
    ]);
    expect(drafted(baseOf("oco"), { candles: moved("4000000") }).warnings).toHaveLength(2);
    expect(drafted(baseOf("trailing_stop"), { candles: moved("4000000") }).warnings[0]).toContain("trail is");
  });

  it("is not told by one candle that is out of the ordinary", () => {
    expect(drafted(baseOf("stop"), { candles }).warnings).toEqual([]);
  });
});

describe("the end of a plan", () => {
  it("is as long as the policy allows, or the end of the local day that is named", () => {
    expect(drafted(baseOf("stop")).untilMs).toBe(NOW_MS + 90 * DAY_MS);
    const { untilMs } = drafted({ ...baseOf("stop"), until: "2026-12-24" });
    expect(iso(untilMs)).toBe("2026-12-24T14:59:59.999Z");
    expect(iso(drafted({ ...baseOf("stop"), until: "2026-12-24T09:00" }).untilMs)).toBe("2026-12-24T00:00:00.000Z");
  });

  it("is not before now, and no later than max_days", () => {
    expect(refused("stop", { until: "2026-11-29" })).toMatch(/^until: .*is over/);
    expect(refused("stop", { until: "tomorrow" })).toMatch(/^until: .*a day 2026-03-31/);
    expect(refused("stop", { until: "2027-02-28" })).toMatch(
      /^DENIED until: .*max_days 90: choose a time up to 2027-02-28T00:00/,
    );
    expect(iso(drafted({ ...baseOf("stop"), until: "2027-02-28T00:00Z" }).untilMs)).toBe("2027-02-28T00:00:00.000Z");
  });

  it("is of slices after the last of them, whenever the plan is approved", () => {
    const ttl = FACTS.policy.approvalTtlMs;
    expect(drafted(baseOf("slices")).untilMs).toBe(NOW_MS + ttl + 2 * 3_600_000);
    expect(refused("slices", { until: "2026-11-30T10:30" })).toMatch(/^until: .*before the last piece/);
  });
});

describe("the terms of what repeats", () => {
  it("are an amount a turn to buy and coins to sell, by the reader's clock", () => {
    expect(termsOf("recurring")).toEqual({
      ...{ kind: "recurring", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "50000" } },
      ...{ schedule: "weekly mon 10:00", timezone: "Asia/Seoul" },
    });
    const sells = { side: "sell", quote_amount: undefined, base_volume: "10%", limit_price: "101000000" };
    expect(termsOf("recurring", sells)).toMatchObject({
      side: "sell",
      size: { volume: "0.03" },
      limitPrice: "101000000",
    });
  });

  it.each([
    [{ schedule: "daily 9:00" }, /^schedule: .*"daily 09:00"/],
    [{ schedule: "monthly 1 09:00", until: "2026-11-30" }, /^schedule: .*no turn until/],
    [{ side: "both" }, /^side: Side is buy or sell/],
    [{ base_volume: "0.1" }, /^base_volume: .*give quote_amount in KRW/],
    [{ side: "sell" }, /^quote_amount: .*give base_volume in BTC/],
    [{ quote_amount: "50%" }, /^quote_amount: .*another sum each time/],
    [{ quote_amount: "4999" }, /^quote_amount: .*at least ₩5,000/],
    [{ quote_amount: "50000.5" }, /^quote_amount: .*decimals of KRW/],
    [{ quote_amount: undefined }, /^quote_amount: .*needs quote_amount/],
    [{ limit_price: "99999500" }, /^limit_price: .*use 99999000 or 100000000/],
    [{ stop_price: "1" }, /^stop_price: .*takes no stop_price/],
  ] as const)("are refused with %j", (changed, told) => {
    expect(refused("recurring", changed)).toMatch(told);
  });

  it("have at most 366 turns", () => {
    const { plans } = FACTS.policy;
    const policy = { ...FACTS.policy, plans: { ...plans, maxDays: 366 } };
    expect(drafted({ ...baseOf("recurring"), schedule: "daily 10:00" }, { policy }).terms.kind).toBe("recurring");
    const longer = { ...FACTS.policy, plans: { ...plans, maxDays: 400 } };
    expect(refused("recurring", { schedule: "daily 10:00" }, { policy: longer })).toMatch(
      /^until: .*366 turns: let it end by 2027-11-30/,
    );
  });

  it("come with a warning where the market is beyond their limit now", () => {
    expect(drafted({ ...baseOf("recurring"), limit_price: "90000000" }).warnings).toEqual([
      "nothing is bought while the market is above limit_price: the best ask is ₩100,100,000",
    ]);
    expect(drafted({ ...baseOf("recurring"), limit_price: "100100000" }).warnings).toEqual([]);
  });
});

describe("the terms of slices", () => {
  it("are the total, how many, and how long", () => {
    expect(termsOf("slices")).toEqual({
      ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "1000000" } },
      ...{ count: 10, durationMs: 7_200_000 },
    });
  });

  it.each([
    [{ slices: 1 }, /^slices: .*from 2 to 200/],
    [{ slices: 201, duration: "24h", quote_amount: "99000000" }, /^slices: .*from 2 to 200/],
    [{ slices: 2.5 }, /^slices: /],
    [{ duration: "99s" }, /^slices: 10 slices in 99 s are less than 10 s apart: choose at most 9/],
    [
      { slices: 3, duration: "15s" },
      /^duration: 3 slices in 15 s are less than 10 s apart: choose a duration of 20s or/,
    ],
    [{ duration: "24h1s" }, /^duration: .*at most 24h/],
    [{ duration: "soon" }, /^duration: .*"2h"/],
    [{ slices: 20, quote_amount: "200199" }, /^quote_amount: 20 pieces of ₩10,009 each are less than twice/],
    [{ side: "sell", quote_amount: undefined, base_volume: "0.00199" }, /^base_volume: 10 pieces of 0.000199 BTC each/],
  ] as const)("are refused with %j", (changed, told) => {
    expect(refused("slices", changed)).toMatch(told);
  });

  it("pass at their least", () => {
    expect(termsOf("slices", { duration: "100s" })).toMatchObject({ durationMs: 100_000 });
    expect(termsOf("slices", { slices: 20, quote_amount: "400400" })).toMatchObject({ count: 20 });
    expect(termsOf("slices", { side: "sell", quote_amount: undefined, base_volume: "0.002" })).toMatchObject({
      size: { volume: "0.002" },
    });
  });
});

describe("the terms of an alert", () => {
  it.each([
    [{}, { event: "price", symbol: "BTC/KRW", above: "120000000" }],
    [{ above: "+1%" }, { event: "price", above: "101101000" }],
    [{ above: "100100001" }, "above: The market is there already"],
    [
      { above: undefined, below: "-1%" },
      { event: "price", below: "99000000" },
    ],
    [{ above: undefined, below: "99999999.5" }, "below: The market is there already"],
    [
      { above: undefined, below: "99998999.5" },
      { event: "price", below: "99998999.5" },
    ],
    [
      { event: "fill", above: undefined },
      { event: "fill", symbol: "BTC/KRW" },
    ],
    [{ event: "fill", above: undefined, symbol: undefined }, { event: "fill" }],
    [
      { event: "portfolio", symbol: undefined, above: "5000000" },
      { event: "portfolio", above: "5000000" },
    ],
    [
      { event: "day_loss", symbol: undefined, above: "5000" },
      { event: "day_loss", above: "5000" },
    ],
    [{ event: "day_loss", symbol: undefined, above: undefined, below: "5000" }, "below: A loss is told from a sum on"],
    [{ event: "portfolio" }, "symbol: An alert on portfolio is of the whole account"],
    [{ event: "portfolio", symbol: undefined, above: "0" }, "above: Above must be more than"],
    [{ event: "fill" }, "above: An alert on a fill takes no bound"],
    [{ event: "moon" }, "event: Event is one of"],
    [{ below: "1" }, "below: An alert takes one of above and below"],
    [{ above: undefined }, "above: An alert needs above or below"],
    [{ base_volume: "1" }, "base_volume: A plan of kind alert takes no base_volume"],
  ] as const)("are, asked for with %j, %j", (changed, expected) => {
    const request = { ...baseOf("alert"), ...changed };
    const market = request.symbol === undefined ? undefined : MARKET;
    if (typeof expected === "string") expect(refused("alert", changed, { market })).toContain(expected);
    else expect(drafted(request, { market }).terms).toMatchObject({ kind: "alert", ...expected });
  });
});

describe("whatever is asked for", () => {
  const texts = fc.oneof(
    fc.constantFrom(
      ...[
        "95000000",
        "110000000",
        "-5%",
        "+10%",
        "5%",
        "50%",
        "0",
        "1e9",
        "",
        "9".repeat(18),
        `+${"9".repeat(18)}%`,
        "1000000000000",
        "0.00000001",
        "매수",
        "100%",
      ],
    ),
    fc.string({ maxLength: 12 }),
  );
  const fields = ["base_volume", "quote_amount", "stop_price", "take_price", "trail", "limit_price", "floor_price"];
  const change = fc.oneof(
    fc.tuple(fc.constantFrom(...fields, "above", "below", "until", "schedule", "duration"), texts),
    fc.tuple(fc.constant("slices"), fc.integer({ min: 0, max: 300 })),
    fc.tuple(fc.constant("side"), fc.constantFrom("buy", "sell")),
  );
  // Those of its own kind alone, but for one in ten: most others are refused by their name.
  const requests = fc
    .tuple(fc.constantFrom(...Object.keys(BASE)), fc.array(change, { maxLength: 3 }), fc.integer({ min: 0, max: 9 }))
    .map(([kind, changes, draw]) => {
      const base = baseOf(kind);
      const own = changes.filter(([name]) => draw === 0 || name in base || name.startsWith("limit"));
      return { ...base, ...Object.fromEntries(own) } as PlanRequest;
    });

  it("a plan or a fault with its field comes of it, and of a plan its worst case, bounds and rehearsal", () => {
    const candles = [
      { time: "2026-11-29T00:00:00Z", open: "100000000", high: "101000000", low: "90000000", close: "1" },
    ];
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(requests, (request) => {
        const draft = asked(request);
        outcomes.add(draft.ok ? request.kind : "refused");
        if (!draft.ok) return /^[a-z_]+$/.test(draft.fault.field ?? "");
        const { terms, untilMs } = draft.value;
        const rules = FACTS.policy.plans;
        const facts = { market: MARKET, quotes: FACTS.quotes, unit: "KRW", rules, fromMs: NOW_MS, untilMs } as const;
        const worst = worstCase(terms, facts);
        const bounds = worst && boundsOfTerms(terms, worst, { ...facts, account: "main", environment: "live" });
        const past = rehearse(terms, { market: MARKET, candles, intervalMs: 3_600_000, rules });
        const isRehearsed = past.ok || past.fault.code === "ELocal:Cannot rehearse";
        return isRehearsed && worst !== undefined && (bounds === undefined) === (terms.kind === "alert");
      }),
      { numRuns: 1_000 },
    );
    expect([...outcomes].sort()).toEqual([...Object.keys(BASE), "refused"].sort());
  });

  it("a protection's prices lie in order: floor below trigger, trigger below the market, take above it", () => {
    const percent = fc.integer({ min: 1, max: 99_999 }).map((at) => (at / 1_000).toString());
    const ticks = fc.constantFrom("1", "10", "1000", "0.01");
    fc.assert(
      fc.property(percent, percent, fc.integer({ min: 100, max: 1_000_000 }), ticks, (down, up, bid, tick) => {
        const market = { ...MARKET, min_notional: "0", tick_bands: [{ from_price: "0", tick_size: tick }] };
        const at = price(tick).scale(rate(String(bid)));
        const quotes = { bid: at, ask: at.plus(price(tick)) };
        const draft = asked({ ...baseOf("oco"), stop_price: `-${down}%`, take_price: `+${up}%` }, { market, quotes });
        // Below the lowest tick there is no price.
        fc.pre(draft.ok || !draft.fault.message.includes("below the lowest price"));
        if (!draft.ok) throw new Error(draft.fault.message);
        const { terms } = draft.value;
        if (terms.kind !== "oco" || !("stopPrice" in terms.stop)) throw new Error(terms.kind);
        const [floor, stop, take] = [terms.floorPrice ?? "", terms.stop.stopPrice, terms.takePrice].map((text) =>
          price(text),
        );
        if (floor === undefined || stop === undefined || take === undefined) throw new Error("no price");
        expect([floor.lt(stop), stop.lt(quotes.bid), take.gt(quotes.ask)]).toEqual([true, true, true]);
      }),
      { numRuns: 500 },
    );
  });

  it("a practice policy's slippage and floor count as its file has them", () => {
    const policy = defaultPolicy("sandbox", { plans: { protectiveFloor: rate("0.2") } });
    expect(termsOf("stop", {}, { policy })).toMatchObject({ floorPrice: "76000000" });
  });
});
