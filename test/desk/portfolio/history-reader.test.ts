/** History that takes long to read: nobody waits longer than a while for it, and no order waits for it at all. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FillPage, type FillsRequest, ok, type Result } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import {
  type Clock,
  type FillsQuery,
  HISTORY_WAIT_MS,
  type HistoryReading,
  type PortfolioView,
} from "../../../src/desk/index.ts";
import { apiClass, ONE, openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { endow, fillsOf, trade } from "./trading.ts";

let world: World;
let seat: Seat;
beforeEach(async () => {
  world = await openWorld();
  seat = await world.seat({ patient: true, clock: leaping() });
  endow(world);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

/** What waits for a while has waited for it at once. */
function leaping(): Clock {
  let skewMs = 0;
  return {
    now: () => Date.now() + world.clock.skewMs + skewMs,
    rising: () => performance.now() + skewMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          skewMs += ms;
          resolve();
        }, 20);
        signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

const buy = (atMs?: number) =>
  trade(world, { coin: "BTC", side: "buy", price: 100_000_000n * ONE, volume: ONE / 100n }, atMs);

/** Asked until the reading has come to its end: here the time that a call waits is over at once. */
async function whole(): Promise<PortfolioView> {
  let view = await unwrap(seat.desk.portfolio({}));
  while (view.reading !== undefined) view = await unwrap(seat.desk.portfolio({}));
  return view;
}

async function totalsOf(at: Seat, query: FillsQuery) {
  let view = await unwrap(at.desk.fills({ ...query, withTotals: true, limit: 1 }));
  while (view.reading !== undefined) view = await unwrap(at.desk.fills({ ...query, withTotals: true, limit: 1 }));
  return view;
}

interface Asked extends FillsRequest {
  readonly background: boolean;
}

/** Pages of two; those behind the first `pages` with a cursor come when the gate is opened. */
function gated(pages: number) {
  const prototype = apiClass().prototype;
  type Fills = (request: FillsRequest, options?: { background?: boolean }) => Promise<Result<FillPage>>;
  const real = Reflect.get(prototype, "fills") as Fills;
  const asked: Asked[] = [];
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let read = 0;
  vi.spyOn(prototype, "fills").mockImplementation(async function (
    this: unknown,
    request: FillsRequest = {},
    options: { background?: boolean } = {},
  ) {
    asked.push({ ...request, background: options.background === true });
    if (request.cursor !== undefined) read += 1;
    if (request.cursor !== undefined && read > pages) await gate;
    return real.call(this, { ...request, limit: 2 }, options);
  });
  return { asked, open };
}

describe("a portfolio over a long history", () => {
  it("answers after a while with what is known and how far it is, and reads on behind everybody", async () => {
    for (let n = 0; n < 20; n++) buy();
    const { asked, open } = gated(2);
    const told: HistoryReading[] = [];
    const early = await unwrap(
      seat.desk.portfolio({
        onProgress: (reading, elapsedMs) => {
          expect(elapsedMs).toBeLessThanOrEqual(HISTORY_WAIT_MS + 500);
          told.push(reading);
        },
      }),
    );
    // The first page and two more, of two each.
    const back_to = new Date(fillsOf(world).at(-6)?.atMs ?? 0).toISOString();
    expect(early.reading).toEqual({ trades: 6, back_to });
    expect(told.at(-1)).toEqual(early.reading);
    expect(early.totals).toMatchObject({ cost: null, unrealized: null, realized: null, fees: null });
    expect(early.assets.find(({ asset }) => asset === "BTC")).toMatchObject({
      volume: "1.2",
      value: "120000000",
      average_cost: null,
      realized: null,
      uncosted_volume: null,
    });
    expect(early.warnings.join()).toMatch(/Cost and profit are not known yet: .*6 so far, back to 20.* Ask again/);
    expect(asked.map(({ background, cursor }) => background === (cursor !== undefined))).not.toContain(false);
    open();
    const asks = vi.spyOn(seat.desk, "portfolio");
    const late = await whole();
    expect(late.totals).toMatchObject({ cost: "20010000", fees: "10000" });
    // Nothing was read twice but what is looked through again, once by whoever asks: on a slow machine more than once.
    const beginnings = asked.filter(({ cursor }) => cursor === undefined).length;
    expect(beginnings).toBeGreaterThanOrEqual(2);
    expect(beginnings).toBeLessThanOrEqual(1 + asks.mock.calls.length);
  });

  it("is one reading, however many ask", async () => {
    for (let n = 0; n < 20; n++) buy();
    const { asked, open } = gated(1);
    const looks = await Promise.all([1, 2, 3].map(() => unwrap(seat.desk.portfolio({}))));
    expect(looks.map(({ reading }) => reading?.trades)).toEqual([4, 4, 4]);
    expect(asked).toHaveLength(3);
    open();
    await whole();
  });

  it("is right for a trade that was made while an earlier call was reading", async () => {
    for (let n = 0; n < 6; n++) buy();
    const { open } = gated(1);
    await unwrap(seat.desk.portfolio({}));
    buy();
    open();
    const { assets } = await whole();
    expect(assets.find(({ asset }) => asset === "BTC")).toMatchObject({ volume: "1.07", uncosted_volume: "1" });
  });
});

describe("the totals of a period", () => {
  it("are there as soon as its own trades are, and say how far the reading is where they are not", async () => {
    const beganMs = Date.now() + 1_000;
    for (let n = 0; n < 20; n++) buy(beganMs + n * 1_000);
    world.clock.skewMs = 60_000;
    const { open } = gated(3);
    const recent = { fromMs: beganMs + 16_000 };
    expect(await totalsOf(seat, recent)).toMatchObject({ totals: { buy_value: "4000000" }, warnings: [] });
    expect((await totalsOf(seat, { ...recent, toMs: beganMs + 17_000 })).totals?.buy_value).toBe("2000000");
    const all = await unwrap(seat.desk.fills({ withTotals: true, limit: 1 }));
    expect([all.totals, all.reading?.trades]).toEqual([undefined, 8]);
    expect(all.warnings.join()).toMatch(/^No totals yet: .*8 so far, back to /);
    open();
    expect((await totalsOf(seat, {})).totals?.buy_value).toBe("20000000");
  });

  it("are those of what is new too, where an earlier process left a reading", async () => {
    const beganMs = Date.now() + 1_000;
    for (let n = 0; n < 20; n++) buy(beganMs + n * 1_000);
    world.clock.skewMs = 60_000;
    gated(3);
    await unwrap(seat.desk.portfolio({}));
    // It never gets its next page.
    seat.kill();
    vi.restoreAllMocks();
    for (let n = 20; n < 24; n++) buy(beganMs + n * 1_000);
    const next = await world.seat({ patient: true, clock: leaping() });
    const { open } = gated(4);
    expect((await totalsOf(next, { fromMs: beganMs + 15_000 })).totals?.buy_value).toBe("9000000");
    open();
  });
});

describe("an order under a limit of the day's loss", () => {
  it("waits for the fills of the day, and not for the history", async () => {
    const policy = changeablePolicy();
    policy.value = ok({ ...LOOSE, maxDayLoss: inUnit("1000000") });
    const dayMs = 86_400_000;
    for (let n = 0; n < 20; n++) buy();
    world.clock.skewMs = 3 * dayMs;
    world.venueClock.skewMs = 3 * dayMs;
    buy(Date.now() + 3 * dayMs);
    const strict = await world.seat({ patient: true, clock: leaping(), policy });
    const { asked } = gated(0);
    expect((await unwrap(strict.desk.portfolio({}))).reading).toBeDefined();
    asked.length = 0;
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: "90000000", base_volume: "0.001" } as const;
    expect(await strict.desk.place(order)).toMatchObject({ outcome: "accepted" });
    expect(asked.length).toBeGreaterThan(0);
    for (const { fromMs = 0, background } of asked) {
      expect(fromMs).toBeGreaterThan(Date.now() + dayMs);
      expect(background).toBe(false);
    }
  });
});
