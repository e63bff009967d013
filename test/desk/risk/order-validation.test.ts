import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Market } from "../../../src/contract/index.ts";
import { quantity } from "../../../src/decimal/index.ts";
import { checkOrder, type OrderRequest } from "../../../src/desk/index.ts";
import { openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";

let world: World;
let seat: Seat;
let btc: Market;
let xrp: Market;
beforeAll(async () => {
  world = await openWorld();
  seat = await world.seat();
  [btc, xrp] = (await Promise.all(["BTC/KRW", "XRP/KRW"].map(marketOf))) as [Market, Market];
});
afterAll(() => world.close());

async function marketOf(symbol: string): Promise<Market> {
  const market = await seat.desk.market(symbol);
  if (!market.ok) throw new Error(market.fault.message);
  return market.value;
}

const limit = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
const market = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" };

/** What is wrong, the field named, and what the message must tell to repair it. */
const BAD: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
  ["an unknown field", { ...limit, dryRun: true }, "dryRun", /did you mean/],
  ["a misspelled field", { ...limit, timeInforce: "IOC" }, "timeInforce", /did you mean time_in_force/],
  ["the wire's name for the size", { ...limit, volume: "1" }, "volume", /did you mean base_volume/],
  ["a name that every object has", { ...limit, constructor: "x" }, "constructor", /unknown field/],
  ["a side with a space", { ...limit, side: "BUY " }, "side", /buy.*sell/],
  ["no side", { ...limit, side: undefined }, "side", /buy.*sell/],
  ["a type that is none", { ...limit, type: "banana" }, "type", /limit.*market/],
  ["a time in force that is none", { ...limit, time_in_force: "DAY" }, "time_in_force", /GTC/],
  ["a post_only that is no boolean", { ...limit, post_only: "yes" }, "post_only", /boolean/],
  ["a userref with a space", { ...limit, userref: "my order" }, "userref", /1 to 64 characters/],
  ["an empty userref", { ...limit, userref: "" }, "userref", /1 to 64 characters/],
  [
    "half of the compliance fields",
    { ...limit, compliance: { kyc_level: "TIER1" } },
    "compliance.vasp_purpose_code",
    /./,
  ],
  ["a limit order without a price", { ...limit, price: undefined }, "price", /needs price/],
  ["a limit order without a size", { ...limit, base_volume: undefined }, "base_volume", /needs base_volume/],
  ["a limit order with two sizes", { ...limit, quote_amount: "50000" }, "quote_amount", /exactly one/],
  ["a share of coins to buy", { ...limit, base_volume: "50%" }, "base_volume", /quote_amount "50%"/],
  ["a share of KRW to sell for", { ...market, side: "sell", quote_amount: "50%" }, "quote_amount", /base_volume "50%"/],
  ["a share above all", { ...market, quote_amount: "100.1%" }, "quote_amount", /at most 100/],
  ["a market order with a price", { ...market, price: "1000" }, "price", /type limit/],
  ["a market order with two sizes", { ...market, base_volume: "1" }, "base_volume", /exactly one/],
  ["a market order without a size", { ...market, quote_amount: undefined }, "base_volume", /exactly one/],
  ["a post-only market order", { ...market, post_only: true }, "post_only", /leave it out/],
  ["a post-only order that may not rest", { ...limit, post_only: true, time_in_force: "IOC" }, "post_only", /GTC/],
  ["a number for a string", { ...limit, base_volume: 0.001 }, "base_volume", /string|text|quotes/],
  ["null", { ...limit, price: null }, "price", /string|text|quotes/],
  ["nothing", { ...limit, price: "" }, "price", /empty/],
  ["NaN", { ...limit, base_volume: "NaN" }, "base_volume", /base_volume/],
  ["a negative size", { ...limit, base_volume: "-1" }, "base_volume", /sign/],
  ["zero", { ...limit, base_volume: "0" }, "base_volume", /greater than 0/],
  ["a price of zero", { ...limit, price: "0.00" }, "price", /greater than 0/],
  ["an amount of zero", { ...market, quote_amount: "0" }, "quote_amount", /greater than 0/],
  ["an exponent", { ...limit, price: "1e8" }, "price", /exponent.*100000000/],
  ["thousands separators", { ...limit, price: "100,000,000" }, "price", /thousands.*100000000/],
  ["a huge number", { ...limit, base_volume: "1".repeat(30) }, "base_volume", /18 digits/],
  ["too many decimals for anything", { ...limit, base_volume: "0.0010000001" }, "base_volume", /8 digits/],
  ["a price between two ticks", { ...limit, price: "100000100" }, "price", /₩100,000,000 or ₩100,001,000/],
  ["less than the minimum", { ...limit, base_volume: "0.000001" }, "base_volume", /at least 0.00001 BTC/],
  ["less than the minimum value", { ...limit, price: "1000" }, "base_volume", /minimum of ₩5,000/],
  ["less than the minimum amount", { ...market, quote_amount: "4999" }, "quote_amount", /at least ₩5,000/],
  [
    "too many decimals for the market",
    { symbol: "XRP/KRW", side: "buy", type: "limit", price: "3000", base_volume: "10.1234567" },
    "base_volume",
    /6 decimals: use 10.123456/,
  ],
  [
    "less than one step",
    { symbol: "XRP/KRW", side: "buy", type: "limit", price: "3000", base_volume: "0.0000001" },
    "base_volume",
    /at least 0.1 XRP/,
  ],
];

describe("an order that does not fit", () => {
  it.each(BAD)("%s: names the field and the fix, and nothing is sent or recorded", async (_, request, field, fix) => {
    const report = await seat.desk.place(request as unknown as OrderRequest);
    expect(report).toMatchObject({ outcome: "not_sent", state: "denied", error: { field, retryable: false } });
    expect(report.error?.message).toMatch(fix);
    expect(report.error?.message).toContain("Nothing was sent");
    expect(report.intent_id).toBeUndefined();
    const preview = await seat.desk.preview(request as unknown as OrderRequest);
    expect(preview).toMatchObject({ ok: true, value: { valid: false } });
    expect(preview.ok && preview.value.problems[0]?.field).toBe(field);
    expect(preview.ok && preview.value.draft_id).toBeFalsy();
    expect(world.proxy.log.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(await unwrap(world.store.audit.recent({ limit: 1 }))).toEqual([]);
  });

  it("is told of everything that is wrong at once", async () => {
    const request = { ...limit, price: "100000100", base_volume: "0" } as OrderRequest;
    expect(checkOrder(btc, request).problems.map(({ field }) => field)).toEqual(["price", "base_volume"]);
    const { error } = await seat.desk.place(request);
    expect(error?.message).toMatch(/two ticks.*greater than 0/);
  });

  it("is not taken while the market is halted", () => {
    const { problems } = checkOrder({ ...btc, status: "halted" }, limit as OrderRequest);
    expect(problems).toMatchObject([{ code: "EOrder:Market halted", reachedVenue: "no" }]);
  });
});

describe("a proposal", () => {
  it("fits, is the nearest, and is never applied by itself", () => {
    fc.assert(
      fc.property(fc.integer({ min: 5_000, max: 400_000_000 }), (won) => {
        const request = { ...limit, base_volume: "1", price: String(won) } as OrderRequest;
        const { problems, proposals } = checkOrder(btc, request);
        if (problems.length === 0) return;
        const [proposal] = proposals;
        expect(proposal).toMatchObject({ field: "price", given: String(won) });
        expect(checkOrder(btc, { ...request, price: proposal?.proposed ?? "" }).problems).toEqual([]);
        expect(Math.abs(Number(proposal?.proposed) - won)).toBeLessThanOrEqual(500); // not money: a distance in the test
        expect(request.price).toBe(String(won));
        // The other neighbour is as far on the other side, or further.
        const sides = proposals.map(({ proposed }) => Number(proposed) - won); // not money: a distance in the test
        expect(sides.length === 1 || (sides[0] ?? 0) * (sides[1] ?? 0) < 0).toBe(true);
        for (const { proposed } of proposals)
          expect(checkOrder(btc, { ...request, price: proposed }).problems).toEqual([]);
      }),
    );
  });

  it("raises a size to the least that the market takes at that price, and no further", () => {
    const price = fc.integer({ min: 1, max: 1_000_000 }).map((ticks) => `${ticks}000`);
    const volume = fc.integer({ min: 1, max: 50_000_000 }).map((units) => `0.${String(units).padStart(8, "0")}`);
    fc.assert(
      fc.property(price, volume, (at, base_volume) => {
        const request = { ...limit, price: at, base_volume } as OrderRequest;
        const [proposal] = checkOrder(btc, request).proposals.filter(({ field }) => field === "base_volume");
        if (proposal === undefined) return;
        const { proposed } = proposal;
        const fitAt = (size: string) =>
          checkOrder(btc, { ...request, base_volume: size }).problems.every(({ field }) => field !== "base_volume");
        expect(fitAt(proposed)).toBe(true);
        const lower = quantity(proposed).minus(quantity("0.00000001")).toString();
        expect(lower === "0" || fitAt(lower)).toBe(false);
      }),
    );
  });

  it("rounds a volume down, and only to something that can be ordered", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 0, max: 100 }), (fraction, whole) => {
        const given = `${whole}.${String(fraction).padStart(8, "0")}`;
        const request: OrderRequest = {
          symbol: "XRP/KRW",
          side: "sell",
          type: "limit",
          price: "3000000",
          base_volume: given,
        };
        const [proposal] = checkOrder(xrp, request).proposals;
        if (proposal === undefined) return;
        expect(checkOrder(xrp, { ...request, base_volume: proposal.proposed }).problems).toEqual([]);
        // Below the least that the market takes it can only be raised.
        const fits = proposal.reason.startsWith("the least") || given.startsWith(proposal.proposed.split(".")[0] ?? "");
        expect(fits).toBe(true);
      }),
    );
  });
});
