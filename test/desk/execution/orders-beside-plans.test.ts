/** Orders by hand beside plans: canceling everything stops what may buy and takes no protection away, and a sell that would lock protected coins away is asked about. */
import { describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import type { NewPlan, OrderRequest, PlanBook, PlanTerms, Policy } from "../../../src/desk/index.ts";
import { defaultPolicy } from "../../../src/desk/risk/policy-decision.ts";
import type { Seat } from "../../fixture/desk-over-sandbox.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { storeBroken, unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, world } from "../../fixture/world-per-test.ts";
import { mandate, newPlan, planIdOf, RECURRING, STOP } from "../../store/plan.ts";

openWorldPerTest();

const BATCH = /^DELETE \/v1\/orders\/batch/;
const ETH: PlanTerms = { ...RECURRING, symbol: "ETH/KRW" };
const BUY: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
/** Rests above the market. */
const SELL: OrderRequest = { symbol: "BTC/KRW", side: "sell", type: "limit", base_volume: "0.6", price: "200000000" };
const ASKED = { plans: { ...defaultPolicy("sandbox").plans, stopRemoval: "ask" } } as const;

const withPlans = (more: Partial<Parameters<typeof world.seat>[0]> = {}): Promise<Seat> =>
  world.seat({ plans: (book) => book, ...more });

async function keep(n: number, terms: PlanTerms, more: Partial<NewPlan> = {}): Promise<string> {
  const untilMs = Date.now() + 86_400_000;
  const account = world.sandbox.accountId;
  const approved = { state: "active", mandate: mandate({ account, untilMs }), ...more } as const;
  await unwrap(world.store.plans.record(newPlan(n, { account, terms, untilMs, ...approved }), () => undefined));
  return planIdOf(n);
}

const stateOf = async (id: string) => (await unwrap(world.store.plans.byId(id)))?.state;

describe("canceling everything", () => {
  it("stops plans that may buy, takes back those that wait, and names the protections that go on", async () => {
    const seat = await withPlans();
    const [buys, stop, waits] = [
      await keep(1, RECURRING),
      await keep(2, STOP),
      await keep(3, STOP, { state: "awaiting_approval", mandate: null }),
    ];
    await seat.desk.place(BUY);
    const report = await seat.desk.cancelAll();
    expect(report).toMatchObject({ outcome: "accepted", canceled: 1, remaining: 0 });
    expect(report.withdrawn).toEqual([{ id: waits, userref: null, summary: "plan (stop) on BTC/KRW" }]);
    expect(report.warnings).toEqual([
      `Plans that may buy stand still until a person resumes them: ${buys}.`,
      `Plans that protect coins go on, as canceling orders takes no protection away: ${stop}.`,
    ]);
    expect([await stateOf(buys), await stateOf(stop), await stateOf(waits)]).toEqual(["paused", "active", "canceled"]);
  });

  it("does so where no order is open", async () => {
    const seat = await withPlans();
    const buys = await keep(1, RECURRING);
    expect(await seat.desk.cancelAll()).toMatchObject({ outcome: "accepted", results: [] });
    expect(await stateOf(buys)).toBe("paused");
  });

  it("concerns the market and the side that are named, and no other", async () => {
    const seat = await withPlans();
    const [btc, eth, waits] = [
      await keep(1, RECURRING),
      await keep(2, ETH),
      await keep(3, STOP, { state: "awaiting_approval", mandate: null }),
    ];
    await seat.desk.cancelAll("ETH/KRW", "sell");
    expect([await stateOf(btc), await stateOf(eth), await stateOf(waits)]).toEqual([
      "active",
      "active",
      "awaiting_approval",
    ]);
    await seat.desk.cancelAll("ETH/KRW");
    expect([await stateOf(btc), await stateOf(eth)]).toEqual(["active", "paused"]);
    await seat.desk.cancelAll(undefined, "sell");
    expect([await stateOf(btc), await stateOf(waits)]).toEqual(["active", "canceled"]);
  });

  it("is not held up by a store that fails, and says what was not stopped", async () => {
    const seat = await withPlans({
      plans: (book: PlanBook) => ({ ...book, pauseAll: async () => storeBroken() }),
    });
    await keep(1, RECURRING);
    await seat.desk.place(BUY);
    const report = await seat.desk.cancelAll();
    expect(report).toMatchObject({ outcome: "accepted", canceled: 1, remaining: 0 });
    expect(report.warnings.join(" ")).toContain("Plans that may buy, or wait for a person, could not be stopped");
  });

  it("goes on without a store that does not answer", async () => {
    const seat = await withPlans({ plans: (book: PlanBook) => ({ ...book, pauseAll: () => new Promise(() => {}) }) });
    await seat.desk.place(BUY);
    expect(await seat.desk.cancelAll()).toMatchObject({ outcome: "accepted", canceled: 1, remaining: 0 });
  });

  it("is done by the cancel timer too", async () => {
    const seat = await withPlans();
    const [buys, stop] = [await keep(1, RECURRING), await keep(2, STOP)];
    await seat.desk.place(BUY);
    await seat.desk.setCancelTimer(5);
    world.clock.skewMs = 6_000;
    await seat.desk.upkeep();
    expect(world.proxy.deliveries(BATCH)).toBeGreaterThan(0);
    expect([await stateOf(buys), await stateOf(stop)]).toEqual(["paused", "active"]);
  });
});

describe("a sell by hand", () => {
  /** Holds 1 BTC, of which half is protected. */
  async function protectedSeat(policy: Partial<Policy> = {}): Promise<Seat> {
    await keep(1, STOP);
    world.rest("buy", "150000000", "2");
    return withPlans({ policy: changeablePolicy({ ...LOOSE, ...policy }) });
  }

  it("is asked about where it would rest and leave protections too few coins, naming them", async () => {
    const seat = await protectedSeat(ASKED);
    const why = `it would lock away coins that open plans protect (${planIdOf(1)}), and leaves them too few`;
    const preview = await unwrap(seat.desk.preview(SELL));
    expect(preview.policy).toMatchObject({ verdict: "needs_approval", why });
    const report = await seat.desk.place(SELL);
    expect(report).toMatchObject({ state: "awaiting_approval", approval: { why } });
    const [waits] = (await unwrap(seat.desk.pending())).pending;
    expect(await seat.desk.approve(waits?.intent_id ?? "", "pin", waits?.digest ?? "")).toMatchObject({
      outcome: "accepted",
      state: "open",
    });
  });

  it("passes where it leaves enough", async () => {
    const seat = await protectedSeat(ASKED);
    const report = await seat.desk.place({ ...SELL, base_volume: "0.5" });
    expect(report).toMatchObject({ outcome: "accepted", state: "open", warnings: [] });
    // It locks the coins, so that these are none that could be sold.
    expect(await seat.desk.place({ ...SELL, base_volume: "0.01" })).toMatchObject({ state: "awaiting_approval" });
  });

  it.each([
    ["a market order", { type: "market", price: undefined }],
    ["IOC", { price: "150000000", time_in_force: "IOC" }],
  ] as const)("passes with a warning where it executes at once: %s", async (_, more) => {
    const seat = await protectedSeat(ASKED);
    const { price: _price, ...base } = SELL;
    const order = { ...base, ...more } as OrderRequest;
    const warning = `Open plans protect these coins (${planIdOf(1)}), and this sell leaves them too few: 0.4 BTC of 0.5 BTC.`;
    expect((await unwrap(seat.desk.preview(order))).warnings).toContain(warning);
    const report = await seat.desk.place(order);
    expect(report).toMatchObject({ outcome: "accepted", state: "filled" });
    expect(report.warnings).toContain(warning);
  });

  it("passes with a warning where the policy allows it", async () => {
    const seat = await protectedSeat();
    const report = await seat.desk.place(SELL);
    expect(report).toMatchObject({ outcome: "accepted", state: "open" });
    expect(report.warnings.join(" ")).toContain(planIdOf(1));
  });

  it("passes where the protection waits for a yes, or is of another coin", async () => {
    await keep(1, STOP, { state: "awaiting_approval", mandate: null });
    await keep(2, { ...STOP, symbol: "ETH/KRW" });
    const seat = await withPlans({ policy: changeablePolicy({ ...LOOSE, ...ASKED }) });
    expect(await seat.desk.place(SELL)).toMatchObject({ outcome: "accepted", warnings: [] });
  });

  it("is moved without a question, as it locks the same coins, and with one where it locks more", async () => {
    const policy = changeablePolicy(LOOSE);
    await keep(1, STOP);
    const seat = await withPlans({ policy });
    // More than is free of protections, which the policy allowed then.
    const placed = await seat.desk.place(SELL);
    policy.value = ok({ ...LOOSE, ...ASKED });
    const orderId = placed.order?.orderId ?? "";
    const moved = await seat.desk.replace({ orderId, price: "210000000" });
    expect(moved).toMatchObject({ outcome: "accepted" });
    const larger = { orderId: moved.order?.orderId ?? "", base_volume: "0.7" };
    expect(await seat.desk.replace(larger)).toMatchObject({ state: "awaiting_approval" });
  });

  it("is refused at the last moment where another has taken the coins since it was judged", async () => {
    const seat = await protectedSeat(ASKED);
    const half = { ...SELL, base_volume: "0.3" };
    const reports = await Promise.all([seat.desk.place(half), seat.desk.place({ ...half, price: "201000000" })]);
    expect(reports.map(({ outcome }) => outcome).sort()).toEqual(["accepted", "not_sent"]);
  });
});

describe("the status", () => {
  it("has no plans where none is open, and else how they stand", async () => {
    const seat = await withPlans();
    await unwrap(seat.desk.balances());
    expect(await seat.desk.status()).not.toHaveProperty("plans");
    await keep(1, RECURRING);
    await keep(2, STOP);
    expect((await seat.desk.status()).plans).toMatchObject({
      active: 2,
      protecting: 1,
      paused: 0,
      watched_since: null,
    });
    await seat.desk.cancelAll();
    expect((await seat.desk.status()).plans).toMatchObject({ active: 1, protecting: 1, paused: 1 });
  });

  it("says so where plans cannot be read", async () => {
    const seat = await withPlans({ plans: (book: PlanBook) => ({ ...book, open: async () => storeBroken() }) });
    await unwrap(seat.desk.balances());
    expect((await seat.desk.status()).warnings.join(" ")).toContain("Plans cannot be read, though none are shown.");
  });
});
