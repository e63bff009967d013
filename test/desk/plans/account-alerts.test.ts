import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failed, localFault } from "../../../src/contract/index.ts";
import type { Notice, PlanRequest } from "../../../src/desk/index.ts";
import { apiClass } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { ABOVE, made, openPlanWorld, type PlanWorld, type Process, shown } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

let market: PlanWorld;
const opened = async (options?: { readonly file?: boolean }): Promise<PlanWorld> => {
  market = await openPlanWorld(options);
  return market;
};
afterEach(async () => {
  vi.restoreAllMocks();
  await market.close();
});

const FILL: PlanRequest = { kind: "alert", event: "fill", symbol: "BTC/KRW" };
const fired = async (): Promise<readonly Notice[]> =>
  (await market.notices()).filter(({ type }) => type === "alert.fired");
/** An order of the account rests, and others trade with it later. */
const rest = async ({ desk }: Process, at: number): Promise<string> => {
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: won(at), base_volume: "0.01" } as const;
  const report = await desk.place(order);
  if (report.outcome !== "accepted") throw new Error(`not placed: ${JSON.stringify(report)}`);
  return report.order?.orderId ?? "";
};
const fill = (at: number): void => market.sweep("sell", at, "0.01");
const moveTo = (at: number): void => {
  market.quotes(at - 0.5, at + 0.5);
  market.print(at);
};
/** What all of the account is worth now, in won. */
const worth = async ({ desk }: Process): Promise<bigint> =>
  BigInt((await unwrap(desk.portfolio({}))).totals.value.split(".")[0] ?? "");

describe("an alert on a fill", () => {
  it("tells once of the first fill since, with its figures and its time, and is done", async () => {
    await opened();
    const server = await market.process();
    await rest(server, 104.2);
    fill(104.2);
    await market.pass(1_000);
    const { plan_id: id, trigger } = made(await server.plans.create(FILL, "assistant"));
    expect(trigger).toBeUndefined();
    await market.pass(20_000);
    expect(await fired()).toEqual([]);
    expect((await shown(server, id)).watched_since).toBeDefined();
    const orderId = await rest(server, 104.1);
    const before = market.clock.now();
    fill(104.1);
    await market.pass(20_000);
    const [told, ...others] = await fired();
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      planId: id,
      body: { event: "fill", symbol: "BTC/KRW", side: "buy", volume: "0.01", price: won(104.1), order_id: orderId },
    });
    expect(Math.abs(Date.parse(String(told?.body["at"])) - before)).toBeLessThan(1_000);
    expect(await shown(server, id)).toMatchObject({ state: "done", told_at: expect.any(String) });
    await rest(server, 104.1);
    fill(104.1);
    await market.pass(20_000);
    expect(await fired()).toHaveLength(1);
  }, 60_000);

  it("tells within seconds where the exchange says that an order has changed", async () => {
    await opened();
    const server = await market.process();
    made(await server.plans.create({ kind: "alert", event: "fill" }, "assistant"));
    await rest(server, 104.1);
    await market.pass(12_000);
    fill(104.1);
    await market.pass(6_500);
    expect(await fired()).toHaveLength(1);
  }, 60_000);

  it("tells of an order that was placed elsewhere, and not of another market", async () => {
    await opened();
    const server = await market.process();
    const other = made(await server.plans.create({ ...FILL, symbol: "ETH/KRW" }, "assistant"));
    const any = made(await server.plans.create({ kind: "alert", event: "fill" }, "assistant"));
    const elsewhere = await market.world.seat({ freshStore: true, clock: market.clock });
    await rest({ ...server, desk: elsewhere.desk }, 104.1);
    fill(104.1);
    await market.pass(20_000);
    expect((await fired()).map(({ planId }) => planId)).toEqual([any.plan_id]);
    expect((await shown(server, other.plan_id)).state).toBe("active");
  }, 60_000);

  it("tells of what was filled while nobody watched, when somebody does again, and of no gap", async () => {
    await opened({ file: true });
    const first = await market.process();
    const { plan_id: id } = made(await first.plans.create(FILL, "assistant"));
    await market.pass(3_000);
    await rest(first, 104.1);
    await first.close();
    const at = market.clock.now();
    fill(104.1);
    await market.pass(60_000);
    await market.process();
    await market.pass(3_000);
    const told = (await market.notices()).filter(({ type }) => type !== "plan.active");
    expect(told).toMatchObject([{ planId: id, type: "alert.fired", body: { price: won(104.1) } }]);
    expect(Math.abs(Date.parse(String(told[0]?.body["at"])) - at)).toBeLessThan(1_000);
  }, 60_000);

  it("leaves out what was filled while it was paused", async () => {
    await opened();
    const server = await market.process();
    const { plan_id: id } = made(await server.plans.create(FILL, "assistant"));
    await rest(server, 104.1);
    await server.plans.change(id, "pause", "assistant");
    fill(104.1);
    await market.pass(5_000);
    // The ledger has it, whoever read it.
    await unwrap(server.desk.portfolio({}));
    await server.plans.change(id, "resume", "assistant");
    await market.pass(20_000);
    expect(await fired()).toEqual([]);
    await rest(server, 104.1);
    fill(104.1);
    await market.pass(20_000);
    expect(await fired()).toHaveLength(1);
  }, 60_000);

  it("is told when the store takes it, where that was away", async () => {
    await opened();
    let tries = 0;
    const server = await market.process({
      plans: (book) => ({
        ...book,
        change: async (change, admit) => {
          tries += 1;
          return tries <= 3 ? failed(localFault("ELocal:Store unavailable")) : book.change(change, admit);
        },
      }),
    });
    made(await server.plans.create(FILL, "assistant"));
    await rest(server, 104.1);
    fill(104.1);
    await market.pass(20_000);
    expect(tries).toBe(4);
    expect(await fired()).toHaveLength(1);
  }, 60_000);
});

describe("an alert on what the account is worth", () => {
  let server: Process;
  beforeEach(async () => {
    await opened();
    server = await market.process();
  });

  it("tells once when that has been so in two looks, half a minute apart, with the sum and the time", async () => {
    const bound = String((await worth(server)) + 1n);
    const { plan_id: id, trigger } = made(
      await server.plans.create({ kind: "alert", event: "portfolio", above: bound }, "assistant"),
    );
    expect(trigger).toBe(bound);
    await market.pass(5_000);
    moveTo(110);
    await market.pass(26_000);
    moveTo(104.5);
    await market.pass(35_000);
    expect(await fired()).toEqual([]);
    moveTo(110);
    await market.pass(28_000);
    expect(await fired()).toEqual([]);
    await market.pass(36_000);
    const [told, ...others] = await fired();
    expect(others).toEqual([]);
    expect(told).toMatchObject({ planId: id, body: { event: "portfolio", above: bound, unit: "KRW" } });
    expect(String(told?.body["worth"]).split(".")[0]).toBe(String(await worth(server)));
    expect(Math.abs(Date.parse(String(told?.body["at"])) - market.clock.now())).toBeLessThan(40_000);
    expect((await shown(server, id)).state).toBe("done");
  }, 60_000);

  it("begins anew where a look could not be had", async () => {
    const bound = String((await worth(server)) - 1n);
    made(await server.plans.create({ kind: "alert", event: "portfolio", above: bound }, "assistant"));
    await market.pass(4_000);
    market.world.proxy.down(true);
    await market.pass(30_000);
    market.world.proxy.down(false);
    await market.pass(31_000);
    expect(await fired()).toEqual([]);
    await market.pass(31_000);
    expect(await fired()).toHaveLength(1);
  }, 60_000);
});

it("an alert on the day's loss tells once what the limit on it would count", async () => {
  await opened();
  const server = await market.process();
  const { plan_id: id } = made(
    await server.plans.create({ kind: "alert", event: "day_loss", above: "1000" }, "assistant"),
  );
  await market.pass(5_000);
  expect(await fired()).toEqual([]);
  moveTo(90);
  await market.pass(32_000);
  const [told, ...others] = await fired();
  expect(others).toEqual([]);
  expect(told).toMatchObject({ planId: id, body: { event: "day_loss", above: "1000", unit: "KRW" } });
  expect(Number(told?.body["loss"])).toBeGreaterThan(1_000);
  await market.pass(61_000);
  expect(await fired()).toHaveLength(1);
}, 60_000);

it("asks the exchange nothing of the account where no alert is about it", async () => {
  await opened();
  const server = await market.process();
  const { prototype } = apiClass();
  const asked = (["accounts", "fills", "tickers"] as const).map((name) => vi.spyOn(prototype, name));
  const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
  await market.pass(35_000);
  expect(asked.flatMap((spy) => spy.mock.calls)).toEqual([]);
  const about = made(await server.plans.create({ kind: "alert", event: "portfolio", below: "1" }, "assistant"));
  await market.pass(35_000);
  expect(asked.map((spy) => spy.mock.calls.length)).toEqual([2, 0, 2]);
  await server.plans.change(about.plan_id, "pause", "assistant");
  await market.pass(35_000);
  expect(asked.map((spy) => spy.mock.calls.length)).toEqual([2, 0, 2]);
  expect((await shown(server, id)).state).toBe("active");
}, 60_000);
