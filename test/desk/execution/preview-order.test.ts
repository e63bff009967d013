import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Order } from "../../../src/contract/index.ts";
import type { Estimate, OrderRequest, Preview } from "../../../src/desk/index.ts";
import { ONE, units } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

openWorldPerTest();

async function previewOf(request: OrderRequest): Promise<Preview> {
  const preview = await seat.desk.preview(request);
  if (!preview.ok) throw new Error(JSON.stringify(preview.fault));
  return preview.value;
}

const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.01", price: "150000000" };

interface Case {
  readonly book: readonly (readonly [tick: number, volume: number])[];
  readonly side: "buy" | "sell";
  readonly kind: "limit" | "volume" | "amount";
  readonly volume: number;
  readonly limitTick: number;
  readonly tif: "GTC" | "IOC" | "FOK";
}

const cases: fc.Arbitrary<Case> = fc.record({
  book: fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 10_000, max: 40_000_000 })), {
    minLength: 1,
    maxLength: 6,
  }),
  side: fc.constantFrom("buy", "sell"),
  kind: fc.constantFrom("limit", "volume", "amount"),
  volume: fc.integer({ min: 10_000, max: 80_000_000 }),
  limitTick: fc.integer({ min: -3, max: 15 }),
  tif: fc.constantFrom("GTC", "IOC", "FOK"),
});

/** A count of 1e-8 as decimal text. */
const text = (count: number): string => `${Math.floor(count / 1e8)}.${String(count % 1e8).padStart(8, "0")}`;
const priceAt = (tick: number): string => String(150_000_000 + tick * 1_000);

function requestOf({ side, kind, volume, limitTick, tif }: Case): OrderRequest {
  const base = { symbol: "BTC/KRW", side } as const;
  switch (kind) {
    case "limit":
      return {
        ...base,
        type: "limit",
        base_volume: text(volume),
        price: priceAt(side === "buy" ? limitTick : -limitTick),
        time_in_force: tif,
      };
    case "volume":
      return { ...base, type: "market", base_volume: text(volume) };
    case "amount":
      return { ...base, type: "market", quote_amount: String(volume) };
  }
}

function clearBook(): void {
  for (const accountId of ["maker", world.sandbox.accountId])
    world.sandbox.exchange.apply({ type: "cancelAll", accountId, symbol: null }, Date.now());
}

function expectEqual(estimate: Estimate | undefined, made: Order | undefined, fills: number): void {
  if (estimate === undefined || made === undefined) throw new Error("nothing to compare");
  expect(units(estimate.expected_volume)).toBe(units(made.executed_volume));
  expect(units(estimate.expected_value)).toBe(units(made.executed_value ?? "not said"));
  expect(estimate.expected_avg_price === null ? null : units(estimate.expected_avg_price)).toBe(
    made.avg_price === null ? null : units(made.avg_price),
  );
  // The venue floors the fee of every fill, the estimate that of the whole.
  const apart = units(estimate.expected_fee) - units(made.fee ?? "not said");
  expect(apart >= 0n && apart <= BigInt(fills)).toBe(true);
  const resting = made.state === "open" ? units(made.remaining_volume ?? "0") : 0n;
  expect(units(estimate.resting_volume)).toBe(resting);
}

describe("an estimate", () => {
  it("is what the order then does on a book that stands still", async () => {
    const { exchange, accountId } = world.sandbox;
    exchange.apply({ type: "deposit", accountId, asset: "KRW", amount: 1_000_000_000_000n * ONE }, Date.now());
    exchange.apply({ type: "deposit", accountId, asset: "BTC", amount: 1_000_000n * ONE }, Date.now());
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        clearBook();
        const other = given.side === "buy" ? "sell" : "buy";
        for (const [tick, volume] of given.book)
          world.rest(other, priceAt(given.side === "buy" ? tick : -tick), text(volume));
        const locked = () => exchange.balances(accountId).map(({ asset, locked: held }) => `${asset} ${held}`);
        const before = locked();
        const preview = await previewOf(requestOf(given));
        expect(preview).toMatchObject({ valid: true });
        const report = await seat.desk.place({ draft_id: preview.draft_id ?? "" });
        // The book may be too thin for a fill-or-kill or a market order; that is a state, not a refusal.
        expect(report).toMatchObject({ outcome: "accepted" });
        expectEqual(preview.estimate, report.order, given.book.length);
        if (preview.estimate?.expected_volume === "0") expect(preview.estimate.slippage_pct).toBeNull();
        // By the desk, which would take it for its own part of the next book.
        if (report.order?.state === "open") await seat.desk.cancelAll();
        clearBook();
        expect(locked()).toEqual(before);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it("goes by a book without own orders, as far as these have not ended at the exchange meanwhile", async () => {
    const { exchange, accountId } = world.sandbox;
    await seat.desk.place({ ...order, side: "sell", base_volume: "0.5", price: "150000000" });
    const buy = { symbol: "BTC/KRW", side: "buy", type: "market", base_volume: "0.01" } as const;
    exchange.apply({ type: "cancelAll", accountId, symbol: null }, Date.now());
    world.rest("sell", "150000000", "0.1");
    expect(await previewOf(buy)).toMatchObject({ valid: true, estimate: { expected_volume: "0.01" } });
  });

  it("counts nothing of an order that would be killed or refused; what would be refused gets no draft", async () => {
    world.rest("sell", "150000000", "0.005");
    const killed = await previewOf({ ...order, time_in_force: "FOK" });
    expect(killed.estimate).toMatchObject({ expected_volume: "0", expected_value: "0", expected_fee: "0" });
    expect(killed.warnings.join()).toContain("FOK");
    const crossing = await previewOf({ ...order, post_only: true });
    expect(crossing).toMatchObject({
      valid: false,
      estimate: { expected_volume: "0" },
      problems: [{ code: "EOrder:Post only order", field: "price", message: expect.stringContaining("₩150,000,000") }],
    });
    expect(crossing.draft_id).toBeUndefined();
    expect(await seat.desk.place({ ...order, post_only: true })).toMatchObject({
      outcome: "rejected",
      error: { code: "EOrder:Post only order" },
    });
    const resting = await previewOf({ ...order, price: "149999000", post_only: true });
    expect(resting).toMatchObject({ valid: true, problems: [], estimate: { resting_volume: "0.01" } });
  });

  it("warns of a limit more than 5 % through the market, with the distance", async () => {
    world.rest("sell", "100000000", "0.01");
    world.rest("buy", "90000000", "0.01");
    const warningsAt = async (side: "buy" | "sell", price: string) =>
      (await previewOf({ ...order, side, base_volume: "0.001", price })).warnings.join();
    expect(await warningsAt("buy", "105000000")).toBe("");
    expect(await warningsAt("buy", "105100000")).toContain("₩105,100,000 is 5.10% above the best ask of ₩100,000,000");
    expect(await warningsAt("buy", "950000000")).toContain("850.00% above");
    expect(await warningsAt("sell", "85500000")).toBe("");
    expect(await warningsAt("sell", "9000000")).toContain("₩9,000,000 is 90.00% below the best bid of ₩90,000,000");
    expect(await warningsAt("buy", "9000000")).toBe("");
    expect(await warningsAt("sell", "950000000")).toBe("");
  });

  it("warns of an own order in the way, which ends what would meet it", async () => {
    const own = "An own sell order at ₩150,000,000 is in the way";
    await seat.desk.place({ ...order, side: "sell", base_volume: "0.5", price: "150000000" });
    const market = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "1500000" } as const;
    for (const request of [order, { ...order, price: "151000000" }, market])
      expect((await previewOf(request)).warnings.join()).toContain(own);
    const placed = await seat.desk.place(order);
    expect(placed.warnings.join()).toContain(own);
    expect(placed.order).toMatchObject({ executed_volume: "0", reject_reason: "self_trade_prevented" });
    // Below it, and of what somebody else sells before it.
    expect((await previewOf({ ...order, price: "149999000" })).warnings.join()).not.toContain("own sell");
    world.rest("sell", "149999000", "0.01");
    expect((await previewOf(order)).warnings.join()).not.toContain("own sell");
    expect((await previewOf({ ...order, base_volume: "0.011" })).warnings.join()).toContain(own);
  });

  it("tells slippage, best prices, and what is needed and there", async () => {
    world.rest("sell", "150000000", "0.01");
    world.rest("sell", "153000000", "0.01");
    world.rest("buy", "149000000", "0.01");
    const preview = await previewOf({ symbol: "BTC/KRW", side: "buy", type: "market", base_volume: "0.02" });
    expect(preview.estimate).toEqual({
      expected_volume: "0.02",
      expected_value: "3030000",
      expected_avg_price: "151500000",
      expected_fee: "1515",
      taker_fee: "1515",
      maker_fee: "0",
      fee_currency: "KRW",
      total: "3031515",
      proceeds: null,
      break_even_price: null,
      slippage_pct: "1",
      resting_volume: "0",
      needed: "3031515",
      needed_asset: "KRW",
      available: "10000000",
      best_bid: "149000000",
      best_ask: "150000000",
      mid: "149500000",
    });
    expect(preview.warnings).toEqual([
      "The book is thin for this size: the average price would be ₩151,500,000, 1.00% from the best.",
    ]);
  });

  it("is not valid without the money, and warns when the book does not suffice", async () => {
    world.rest("sell", "150000000", "0.01");
    const dear = await previewOf({ ...order, base_volume: "0.1" });
    expect(dear).toMatchObject({
      valid: false,
      estimate: { needed: "15007500", available: "10000000" },
      problems: [{ code: "EOrder:Insufficient funds", field: "base_volume" }],
    });
    expect(dear.problems[0]?.message).toBe("base_volume 0.1 needs ₩15,007,500 with the fee, available is ₩10,000,000");
    expect(dear.draft_id).toBeUndefined();
    expect(await seat.desk.place({ ...order, base_volume: "0.1" })).toMatchObject({
      error: { code: "EOrder:Insufficient funds" },
    });
    const both = await previewOf({ ...order, base_volume: "0.1", post_only: true });
    expect(both.problems.map(({ code }) => code)).toEqual(["EOrder:Post only order", "EOrder:Insufficient funds"]);
    const much = await previewOf({ symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "20000000" });
    expect(much).toMatchObject({ valid: false, problems: [{ field: "quote_amount" }] });
    const thin = await previewOf({ symbol: "BTC/KRW", side: "buy", type: "market", base_volume: "0.02" });
    expect(thin.warnings.join()).toContain("does not hold the whole size");
    const empty = await previewOf({ symbol: "ETH/KRW", side: "sell", type: "market", base_volume: "0.02" });
    expect(empty).toMatchObject({
      valid: false,
      // A book without a price is the policy's to refuse, as the order cannot be valued by it.
      problems: [{ code: "EOrder:Insufficient funds" }, { code: "ELocal:Denied by policy", rule: "price_collar" }],
    });
    expect(empty.problems[0]?.message).toBe("base_volume 0.02 needs 0.02 ETH, available is 0 ETH");
    expect(empty.estimate).toMatchObject({ expected_volume: "0", expected_avg_price: null, best_bid: null, mid: null });
  });
});

describe("a preview", () => {
  it("sends nothing, records only the draft, and shows the order with its canonical market", async () => {
    const preview = await previewOf({ ...order, symbol: "비트코인" });
    expect(preview).toMatchObject({
      valid: true,
      order: { symbol: "BTC/KRW" },
      environment: "sandbox",
      account: "paper",
    });
    expect(world.proxy.log.every(({ method }) => method === "GET")).toBe(true);
    expect((await unwrap(world.store.audit.recent({ limit: 9 }))).map(({ event }) => event)).toEqual([
      "intent_recorded",
    ]);
    expect((await unwrap(world.store.journal.byId(preview.draft_id ?? "")))?.state).toBe("draft");
  });

  it("proposes both neighbours of a value between two steps, the nearer one first, and gives no draft", async () => {
    const preview = await previewOf({ ...order, price: "150000400" });
    expect(preview).toMatchObject({
      valid: false,
      problems: [{ code: "EOrder:Tick size check failed", field: "price" }],
      proposals: [
        { field: "price", given: "150000400", proposed: "150000000" },
        { field: "price", given: "150000400", proposed: "150001000" },
      ],
    });
    expect(preview.draft_id).toBeUndefined();
    expect(preview.order.price).toBe("150000400");
  });

  it("carries the profile's compliance into the order, unless the order brings its own", async () => {
    const compliance = {
      vasp_purpose_code: "P2B_TRADE",
      originator_vasp_id: "vasp-1",
      kyc_level: "TIER2",
      settlement_mode: "STANDARD_KRW",
    } as const;
    const strict = await world.seat({ compliance });
    expect((await strict.desk.place(order)).order?.settlement?.mode).toBe("STANDARD_KRW");
    const own = { ...compliance, settlement_mode: "INSTANT_KRW" as const };
    expect((await strict.desk.place({ ...order, compliance: own })).order?.settlement?.mode).toBe("INSTANT_KRW");
  });
});
