/** Totals of a period that takes several pages, over a real account: from the venue's pages, and from the ledger where that was read. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FillPage, type FillsRequest, failed, type Result, venueFault } from "../../../src/contract/index.ts";
import type { FillsQuery, FillView } from "../../../src/desk/index.ts";
import { totalsByMarket, totalsOf } from "../../../src/desk/index.ts";
import { apiClass, ONE, openWorld, type Seat, units, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { text } from "./random-history.ts";
import { endow, trade } from "./trading.ts";

let world: World;
let seat: Seat;
beforeEach(async () => {
  world = await openWorld({ totalMs: 20_000 });
  seat = await world.seat({ patient: true });
  endow(world);
  world.clock.skewMs = 10_000;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

const PRICE = { BTC: 100_000_000n, ETH: 4_000_000n, XRP: 3_000n } as const;
const buy = (atMs: number, coin: keyof typeof PRICE = "BTC", side: "buy" | "sell" = "buy") =>
  trade(world, { coin, side, price: PRICE[coin] * ONE, volume: ONE / 100n }, atMs);
const look = (query: FillsQuery = {}): Promise<FillView> => unwrap(seat.desk.fills({ ...query, withTotals: true }));

/** Of every reading of fills, in its order, made of at most two fills a page. */
function asked(change: (page: Result<FillPage>, reading: number) => Result<FillPage> = (page) => page): FillsRequest[] {
  const prototype = apiClass().prototype;
  const real = Reflect.get(prototype, "fills") as (request: FillsRequest) => Promise<Result<FillPage>>;
  const requests: FillsRequest[] = [];
  vi.spyOn(prototype, "fills").mockImplementation(async function (this: unknown, request: FillsRequest = {}) {
    requests.push(request);
    return change(await real.call(this, { ...request, limit: 2 }), requests.length);
  });
  return requests;
}

describe("the totals of a period", () => {
  it("are those of all its pages, on every page", async () => {
    const beganMs = Date.now() + 1_000;
    for (let n = 0; n < 5; n++) buy(beganMs + n);
    buy(beganMs + 5, "ETH");
    const requests = asked();
    const period = { symbol: "BTC/KRW", fromMs: beganMs + 1, toMs: beganMs + 9 };
    const first = await look(period);
    // Four of 1 000 000 KRW each, fee 0.05 %.
    const whole = { buy_value: "4000000", sell_value: "0", fees: [{ currency: "KRW", amount: "2000" }] };
    expect([first.trades.length, first.totals, first.warnings]).toEqual([2, whole, []]);
    const second = await look({ ...period, cursor: first.next_cursor ?? "" });
    expect([second.trades.length, second.totals]).toEqual([2, whole]);
    expect(requests.filter(({ symbol }) => symbol === "BTC/KRW").map(({ fromMs }) => fromMs)).toEqual([
      period.fromMs,
      period.fromMs,
    ]);
  });

  it("cost no further reading where the page is the whole period", async () => {
    buy(Date.now());
    const requests = asked();
    expect(await look()).toMatchObject({ totals: { buy_value: "1000000" }, warnings: [] });
    expect(requests).toHaveLength(1);
  });

  it("come from the ledger where that has been read, which reads only what is new", async () => {
    const beganMs = Date.now() + 1_000;
    for (let n = 0; n < 20; n++) buy(beganMs + n);
    await unwrap(seat.desk.portfolio({}));
    buy(beganMs + 30, "BTC", "sell");
    buy(beganMs + 31, "ETH");
    const requests = asked();
    const period = { symbol: "BTC/KRW", fromMs: beganMs + 10 };
    expect((await look({ ...period, toMs: beganMs + 30 })).totals).toMatchObject({
      buy_value: "10000000",
      sell_value: "1000000",
    });
    expect((await look({ ...period, toMs: beganMs + 29 })).totals).toMatchObject({ sell_value: "0" });
    // The page itself, and the day before the newest fill once more: not all of that, as it was looked through within the hour.
    expect(requests.filter(({ symbol }) => symbol === undefined).length).toBeLessThanOrEqual(2 * 12);
    expect(requests.filter(({ symbol }) => symbol !== undefined)).toHaveLength(2);
  });

  it("are absent where a page fails, and what is shown stays", async () => {
    for (let n = 0; n < 6; n++) buy(Date.now());
    const fault = venueFault("EService:Unavailable");
    asked((page, reading) => (reading === 3 ? failed(fault) : page));
    const { totals, warnings, trades } = await look();
    expect([trades.length, totals, warnings]).toEqual([2, undefined, [`No totals: ${fault.message}`]]);
  });

  it("are not read where they were not asked for", async () => {
    for (let n = 0; n < 6; n++) buy(Date.now());
    const requests = asked();
    expect(await unwrap(seat.desk.fills({}))).toMatchObject({ warnings: [] });
    expect(requests).toHaveLength(1);
  });
});

describe("sums of fills", () => {
  it("are exact, and those of the markets make the whole", () => {
    const figure = fc.bigInt({ min: 0n, max: 10n ** 20n }).map(text);
    const fill = fc.record({
      symbol: fc.constantFrom("BTC/KRW", "ETH/KRW"),
      side: fc.constantFrom("buy" as const, "sell" as const),
      volume: figure,
      value: figure,
      fee: figure,
      fee_currency: fc.constantFrom("KRW", "BTC"),
    });
    fc.assert(
      fc.property(fc.array(fill, { maxLength: 40 }), (fills) => {
        const sum = (texts: readonly string[]): bigint => texts.reduce((all, each) => all + units(each), 0n);
        const whole = totalsOf(fills);
        const markets = totalsByMarket(fills);
        for (const side of ["buy", "sell"] as const) {
          const of = fills.filter((each) => each.side === side);
          expect(units(whole[`${side}_value`])).toBe(sum(of.map(({ value }) => value)));
          expect(sum(markets.map((each) => each[`${side}_value`]))).toBe(units(whole[`${side}_value`]));
          expect(sum(markets.map((each) => each[`${side}_volume`]))).toBe(sum(of.map(({ volume }) => volume)));
        }
        for (const { currency, amount } of whole.fees) {
          expect(units(amount)).toBe(sum(fills.filter((f) => f.fee_currency === currency).map(({ fee }) => fee)));
          const parts = markets.flatMap(({ fees }) => fees.filter((each) => each.currency === currency));
          expect(sum(parts.map((each) => each.amount))).toBe(units(amount));
        }
      }),
    );
  });
});
