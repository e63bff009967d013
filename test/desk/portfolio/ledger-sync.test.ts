/** Reading the fills of a real account into a real store. What the venue does wrong is done to its answers, on their way. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FillPage } from "../../../src/contract/index.ts";
import { type FillsRequest, failed, localFault, ok, type Result, venueFault } from "../../../src/contract/index.ts";
import { apiClass, ONE, openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { keptFills } from "../../store/fill.ts";
import { endow, fillsOf, trade } from "./trading.ts";

let world: World;
let seat: Seat;
beforeEach(async () => {
  world = await openWorld({ file: true });
  seat = await world.seat({ patient: true });
  endow(world);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

const DAY_MS = 86_400_000;
const buy = (krw: bigint, atMs?: number) =>
  trade(world, { coin: "BTC", side: "buy", price: krw * ONE, volume: ONE / 100n }, atMs);
const kept = async () => keptFills(world.store.fills, "paper");
const look = (at = seat) => at.desk.portfolio({});

/** Changes what the client makes of the venue's answers to one reading of fills after the other. */
function answering(change: (page: Result<FillPage>, request: FillsRequest, reading: number) => Result<FillPage>): void {
  const prototype = apiClass().prototype;
  const real = Reflect.get(prototype, "fills") as (request: FillsRequest) => Promise<Result<FillPage>>;
  let reading = 0;
  vi.spyOn(prototype, "fills").mockImplementation(async function (this: unknown, request: FillsRequest = {}) {
    reading += 1;
    return change(await real.call(this, { ...request, limit: 2 }), request, reading);
  });
}

describe("the ledger", () => {
  it("has every fill of every page once, and reads only what is new the next time", async () => {
    const asked: FillsRequest[] = [];
    answering((page, request) => {
      asked.push(request);
      return page;
    });
    for (let n = 0; n < 5; n++) buy(100_000_000n);
    await unwrap(look());
    expect(await kept()).toHaveLength(5);
    expect(asked.map(({ fromMs, cursor }) => [fromMs, cursor === undefined])).toEqual([
      [undefined, true],
      [undefined, false],
      [undefined, false],
    ]);
    asked.length = 0;
    const newestMs = fillsOf(world).at(-1)?.atMs ?? 0;
    buy(100_000_000n);
    await unwrap(look());
    expect(await kept()).toHaveLength(6);
    expect(asked[0]).toMatchObject({ fromMs: newestMs - DAY_MS });
  });

  it("looks through the last day again, of many fills once an hour", async () => {
    const beganMs = Date.now();
    for (let n = 0; n < 9; n++) buy(100_000_000n, beganMs + n * 600_000);
    let readings = 0;
    answering((page) => {
      readings += 1;
      return page;
    });
    const readingsOf = async () => {
      readings = 0;
      await unwrap(look());
      return readings;
    };
    // Five pages of two; then down to one that is known for longer than ten minutes.
    expect([await readingsOf(), await readingsOf()]).toEqual([5, 2]);
    world.clock.skewMs = 3_600_001;
    expect([await readingsOf(), await readingsOf()]).toEqual([5, 2]);
  });

  it("goes on where a reading was interrupted, in another process, and reads what came since too", async () => {
    for (let n = 0; n < 9; n++) buy(100_000_000n);
    answering((page, _, reading) => (reading > 2 ? failed(localFault("ELocal:No answer")) : page));
    expect(await look()).toMatchObject({ ok: false });
    expect(await kept()).toHaveLength(4);
    buy(90_000_000n);
    vi.restoreAllMocks();
    const cursors: (string | undefined)[] = [];
    const before = await unwrap(world.store.fills.progress("paper"));
    answering((page, { cursor }) => {
      cursors.push(cursor);
      return page;
    });
    await unwrap(look(await world.seat({ patient: true })));
    // What is new goes first, as the rest may take long.
    expect(cursors.indexOf(undefined)).toBeLessThan(cursors.indexOf(before.pass?.cursor));
    expect(cursors).toContain(before.pass?.cursor);
    expect(await kept()).toHaveLength(10);
    expect(await unwrap(world.store.fills.progress("paper"))).toMatchObject({ pass: undefined });
  });

  it("begins anew where the venue has forgotten the cursor, and says so where it fails otherwise", async () => {
    for (let n = 0; n < 5; n++) buy(100_000_000n);
    answering((page, _, reading) => (reading > 1 ? failed(localFault("ELocal:No answer")) : page));
    await look();
    vi.restoreAllMocks();
    const { pass } = await unwrap(world.store.fills.progress("paper"));
    const forgotten = failed(venueFault("EGeneral:Invalid arguments"));
    let refusals = 0;
    answering((page, { cursor, fromMs }) => {
      // Of what was left, not of the look for new ones that goes first, whose cursor the venue has just given.
      const isOld = cursor === pass?.cursor && fromMs === undefined;
      return isOld && refusals++ === 0 ? forgotten : page;
    });
    await unwrap(look());
    expect(refusals).toBeGreaterThan(0);
    expect(await kept()).toHaveLength(5);
  });

  it("finds a fill that the venue lists a day late, and corrects cost and profit by it", async () => {
    buy(100_000_000n);
    buy(200_000_000n, Date.now() + 23 * 3_600_000);
    const [hidden] = fillsOf(world);
    answering((page) => {
      if (!page.ok) return page;
      return ok({ ...page.value, trades: page.value.trades.filter(({ price }) => price !== "100000000") });
    });
    const early = await unwrap(look());
    // The coins are there, and nobody knows yet what they cost.
    expect(early.assets.find(({ asset }) => asset === "BTC")).toMatchObject({
      uncosted_volume: "1.01",
      average_price: "200000000",
    });
    vi.restoreAllMocks();
    const late = await unwrap(look());
    expect(late.assets.find(({ asset }) => asset === "BTC")).toMatchObject({
      uncosted_volume: "1",
      average_price: "150000000",
    });
    expect((await kept())[0]).toMatchObject({ atMs: hidden?.atMs, price: "100000000" });
  });

  it("ends where the venue's cursor leads to itself", async () => {
    buy(100_000_000n);
    answering((page) => (page.ok ? ok({ ...page.value, next_cursor: "always" }) : page));
    expect(await look()).toMatchObject({
      fault: { code: expect.stringMatching(/Unreadable answer|Invalid arguments/) },
    });
  });

  it("is the same for two desks that read it at once", async () => {
    for (let n = 0; n < 30; n++) buy(100_000_000n);
    answering((page) => page);
    const other = await world.seat({ patient: true });
    const views = await Promise.all([look(), look(other), look(), look(other)]);
    const volumes = await Promise.all(views.map(async (view) => (await unwrap(Promise.resolve(view))).totals));
    expect(new Set(volumes.map((totals) => JSON.stringify(totals))).size).toBe(1);
    expect(await kept()).toHaveLength(30);
  });

  it("takes no fill for a deposit, nor the other way round, while orders execute", async () => {
    let executing = 2;
    answering((page) => {
      // After the fills were listed, and before the balances are read again.
      if (executing > 0) buy(100_000_000n);
      executing -= 1;
      return page;
    });
    const { assets, warnings } = await unwrap(look());
    expect(assets.find(({ asset }) => asset === "BTC")).toMatchObject({ volume: "1.02", uncosted_volume: "1" });
    expect(warnings).toEqual([]);
    executing = Number.POSITIVE_INFINITY;
    expect((await unwrap(look())).warnings.join()).toContain("The balances moved while they were read");
  });
});
