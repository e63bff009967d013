import { afterEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { PlanRecord, PlanRequest, PlanStep } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import { wordsInFull } from "../../../src/words/index.ts";
import { ONE } from "../../fixture/desk-over-sandbox.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { stepsInOrder, storedPlan } from "./active-plan.ts";
import { begun, yesTo } from "./plan-requests.ts";
import { openPlanWorld, type PlanWorld, type Process, shown } from "./plan-world.ts";

let market: PlanWorld;
afterEach(() => market.close());

/** BTC at 104.5 million, ETH at 4 million, XRP at 1 000: with 10 million in won the account has 134.5 million, and 1 million of XRP. */
async function opened(options?: { readonly file?: boolean }): Promise<PlanWorld> {
  market = await openPlanWorld(options);
  const { world } = market;
  const { sandbox } = world;
  const { accountId } = sandbox;
  for (const [asset, coins] of [["ETH", 5n] as const, ["XRP", 1_000n] as const])
    sandbox.exchange.apply({ type: "deposit", accountId, asset, amount: coins * ONE }, market.clock.now());
  world.rest("buy", "3999000", "100", "ETH/KRW");
  world.rest("sell", "4001000", "100", "ETH/KRW");
  world.trade("4000000", "0.01", "ETH/KRW");
  world.rest("buy", "999", "100000", "XRP/KRW");
  world.rest("sell", "1001", "100000", "XRP/KRW");
  world.trade("1000", "10", "XRP/KRW");
  return market;
}

const ROOMY = { ...LOOSE, plans: { ...LOOSE.plans, maxPlan: inUnit("1000000000") } };
const ASKING = { ...ROOMY, plans: { ...ROOMY.plans, approve: "always" as const } };
const server = (policy = changeablePolicy(ROOMY)): Promise<Process> => market.process({ policy });

/** Sells BTC and XRP, and buys ETH for what comes in and some of the cash. */
const SHARES: PlanRequest = { kind: "rebalance", weights: { BTC: "60%", ETH: "38%", XRP: "0%", KRW: "2%" } };

const stepsOf = (planId: string): Promise<readonly PlanStep[]> => stepsInOrder(market.world, planId);
const statesOf = async (planId: string): Promise<readonly string[]> =>
  (await stepsOf(planId)).map(({ label, state }) => `${label} ${state}`);
const planNow = (planId: string): Promise<PlanRecord> => storedPlan(market.world, planId);
const sent = (): readonly string[] =>
  [...market.world.orders()].reverse().map(({ side, symbol, orderType }) => `${side} ${symbol} ${orderType}`);
async function held(process: Process): Promise<Readonly<Record<string, number>>> {
  const { balances } = await unwrap(process.desk.balances());
  return Object.fromEntries(balances.map(({ asset, available }) => [asset, Number(available)]));
}
const ordersOf = async (planId: string) => {
  const { terms } = await planNow(planId);
  if (terms.kind !== "rebalance") throw new Error("no basket");
  return terms;
};
/** What an order has bought or sold for. */
const tradedFor = async (planId: string, step: number): Promise<number> => {
  const { value } =
    (await market.notices()).find(
      ({ type, key, planId: of }) => type === "plan.step_done" && of === planId && key === String(step),
    )?.body ?? {};
  return Number(value);
};

describe("a basket", () => {
  it("is shown as a list of its orders with its worst case, and nothing is recorded", async () => {
    await opened();
    const { plans } = await server();
    const report = await plans.create({ ...SHARES, preview: true }, "assistant");
    expect(report.state).toBe("preview");
    expect(report.plan?.terms).toMatchObject({
      orders: [
        { symbol: "BTC/KRW", side: "sell" },
        { symbol: "XRP/KRW", side: "sell", size: { volume: "1000" }, value: "999000" },
        { symbol: "ETH/KRW", side: "buy" },
      ],
      left: [],
    });
    expect(report.plan?.next_turns?.map(({ label }) => label)).toEqual(["sell BTC/KRW", "sell XRP/KRW", "buy ETH/KRW"]);
    // 23.2 million of BTC at the middle, a million of XRP, and ETH for 31.4 million with its fee.
    expect(Number(report.plan?.worst_case_value)).toBeGreaterThan(55_000_000);
    expect(report.warnings.join(" ")).toContain("Only the assets that are named are touched");
    expect((await unwrap(plans.list({ which: "all", limit: 10 }))).plans).toEqual([]);
  }, 30_000);

  it("is refused at once where the file takes no market orders, in a preview too", async () => {
    await opened();
    const { plans } = await server(changeablePolicy({ ...ROOMY, orderTypes: ["limit"] }));
    for (const preview of [true, false]) {
      const { outcome, error } = await plans.create({ ...SHARES, preview }, "assistant");
      expect([outcome, error?.code, error?.rule]).toEqual(["not_sent", "ELocal:Denied by policy", "order_type"]);
    }
    expect((await unwrap(plans.list({ which: "all", limit: 10 }))).plans).toEqual([]);
  }, 30_000);

  it("sells first, then buys for what came in and what was planned of the cash, and is done at its shares", async () => {
    await opened();
    const process = await server();
    const { plan_id: id } = await begun(process, SHARES);
    await market.pass(8_000);
    expect(sent()).toEqual(["sell BTC/KRW market", "sell XRP/KRW market", "buy ETH/KRW market"]);
    expect(await statesOf(id)).toEqual(["sell BTC/KRW done", "sell XRP/KRW done", "buy ETH/KRW done"]);
    const plan = await planNow(id);
    expect([plan.state, plan.progress.why]).toEqual(["done", "All 3 are over: 3 executed."]);
    const now = await held(process);
    const [btc = 0, eth = 0, krw = 0] = [now["BTC"], now["ETH"], now["KRW"]];
    const total = btc * 104_500_000 + eth * 4_000_000 + krw;
    const shares = [btc * 104_500_000, eth * 4_000_000, krw].map((worth) => (100 * worth) / total);
    expect(shares.map((share) => Math.round(share * 2) / 2)).toEqual([60, 38, 2]);
    expect(now["XRP"] ?? 0).toBe(0);
    const view = await shown(process, id);
    expect(Number(view.spent)).toBeGreaterThan(31_000_000);
  }, 30_000);

  it("names what cannot be traded, and leaves it", async () => {
    await opened();
    const { sandbox } = market.world;
    const halted = { type: "setMarketStatus", symbol: "ETH/KRW", status: "halted" } as const;
    expect(sandbox.exchange.apply(halted, market.clock.now()).ok).toBe(true);
    const process = await server();
    // XRP is all but at its share; ETH takes no orders.
    const weights = { BTC: "50%", ETH: "20%", XRP: "0.7407%", KRW: "29.2593%" };
    const { plan_id: id } = await begun(process, { kind: "rebalance", weights });
    expect((await ordersOf(id)).left).toEqual([
      { asset: "ETH", why: "halted" },
      { asset: "XRP", why: "small" },
    ]);
    await market.pass(5_000);
    expect(sent()).toEqual(["sell BTC/KRW market"]);
    expect((await planNow(id)).progress.why).toBe("All 1 are over: 1 executed. Left as they are: ETH, XRP.");
  }, 30_000);

  it("names the markets that nobody else quotes, and buys where somebody only sells", async () => {
    market = await openPlanWorld();
    const { plans } = await server();
    const weights = { BTC: "60%", ETH: "38%", XRP: "0%", KRW: "2%" };
    const asked = () => plans.create({ kind: "rebalance", weights, preview: true }, "assistant");
    const { error } = await asked();
    expect(error).toMatchObject({
      field: "weights",
      message: expect.stringMatching(/^Nobody else quotes ETH\/KRW, XRP\/KRW now,/),
    });
    const { korean } = await wordsInFull({ locale: "ko", timeZone: "Asia/Seoul" });
    expect(korean(error?.code ?? "", error?.message).meaning).toContain("지금 ETH/KRW, XRP/KRW 호가창에");
    for (const [symbol, at] of [["ETH/KRW", "4001000"] as const, ["XRP/KRW", "1001"] as const])
      market.world.rest("sell", at, "100000", symbol);
    const { state, plan } = await asked();
    expect([state, plan?.next_turns?.map(({ label }) => label)]).toEqual(["preview", ["sell BTC/KRW", "buy ETH/KRW"]]);
  }, 30_000);

  it("touches only the assets that are named, and no cash where it is not", async () => {
    await opened();
    const process = await server();
    const { plan_id: id } = await begun(process, { kind: "rebalance", weights: { BTC: "50%", ETH: "50%" } });
    await market.pass(5_000);
    expect((await planNow(id)).state).toBe("done");
    const now = await held(process);
    expect(now["XRP"]).toBe(1_000);
    // Not a won of what was there, and not more than a step beside it.
    expect(now["KRW"]).toBeGreaterThanOrEqual(10_000_000);
    expect(now["KRW"]).toBeLessThan(10_000_100);
  }, 30_000);

  it("buys for less where the sells have brought less", async () => {
    await opened();
    const process = await server(changeablePolicy(ASKING));
    const asked = await process.plans.create(SHARES, "assistant");
    expect(asked.state).toBe("awaiting_approval");
    market.quotes(100, 101);
    market.print(100.5);
    const { plan } = await yesTo(process, asked);
    const id = plan?.plan_id ?? "";
    await market.pass(8_000);
    const { orders, fromCash } = await ordersOf(id);
    const planned = Number(orders[2]?.value);
    const brought = (await tradedFor(id, 1)) * 0.9995 + (await tradedFor(id, 2)) * 0.9995;
    const bought = await tradedFor(id, 3);
    expect(bought).toBeLessThan(planned - 500_000);
    expect(bought * 1.0005).toBeLessThanOrEqual(brought + Number(fromCash));
    expect(bought * 1.0005).toBeGreaterThan(brought + Number(fromCash) - 10_000);
  }, 30_000);

  it("spends no more than is there, where somebody has spent the cash meanwhile", async () => {
    await opened();
    const policy = changeablePolicy({ ...ROOMY, maxOrdersPerMinute: 2 });
    const process = await server(policy);
    const { plan_id: id } = await begun(process, SHARES);
    await market.pass(4_000);
    expect(await statesOf(id)).toEqual(["sell BTC/KRW done", "sell XRP/KRW done", "buy ETH/KRW planned"]);
    const krw = (await held(process))["KRW"] ?? 0;
    const { accountId } = market.world.sandbox;
    const taken = BigInt(Math.floor(krw - 20_000_000)) * ONE;
    const spent = { type: "withdraw", accountId, asset: "KRW", amount: taken } as const;
    expect(market.world.sandbox.exchange.apply(spent, market.clock.now()).ok).toBe(true);
    policy.value = ok(ROOMY);
    await market.pass(64_000);
    expect(await statesOf(id)).toContain("buy ETH/KRW done");
    expect(await tradedFor(id, 3)).toBeLessThan(20_000_000);
  }, 60_000);

  it("buys nothing before its last sell has ended, or its time is over", async () => {
    await opened();
    const policy = changeablePolicy({ ...ROOMY, maxOrdersPerMinute: 1 });
    const process = await server(policy);
    const { plan_id: id } = await begun(process, SHARES);
    await market.pass(4_000);
    policy.value = ok(ROOMY);
    await market.pass(30_000);
    expect(await statesOf(id)).toEqual(["sell BTC/KRW done", "sell XRP/KRW planned", "buy ETH/KRW planned"]);
    await market.pass(34_000);
    expect(sent()).toEqual(["sell BTC/KRW market", "sell XRP/KRW market", "buy ETH/KRW market"]);
  }, 60_000);

  it("holds its buys back where nothing but a sell is held up", async () => {
    await opened();
    const policy = changeablePolicy({ ...ROOMY, maxOrdersPerMinute: 0 });
    const process = await server(policy);
    await begun(process, SHARES);
    await market.pass(4_000);
    const halted = { type: "setMarketStatus", symbol: "XRP/KRW", status: "halted" } as const;
    expect(market.world.sandbox.exchange.apply(halted, market.clock.now()).ok).toBe(true);
    policy.value = ok(ROOMY);
    await market.pass(70_000);
    expect(sent()).toContain("sell BTC/KRW market");
    expect(sent()).not.toContain("buy ETH/KRW market");
  }, 90_000);

  it("stands still where trading is halted between its sells and its buys, and goes on by a person", async () => {
    await opened();
    const policy = changeablePolicy({ ...ROOMY, maxOrdersPerMinute: 2 });
    const process = await server(policy);
    const { plan_id: id } = await begun(process, SHARES);
    await market.pass(4_000);
    await market.during(process.desk.halt("enough", "kim"));
    policy.value = ok(ROOMY);
    await market.pass(64_000);
    expect((await planNow(id)).state).toBe("paused");
    expect(sent()).toEqual(["sell BTC/KRW market", "sell XRP/KRW market"]);
    await market.during(process.desk.resume("kim"));
    await market.during(process.plans.change(id, "resume", "person"));
    await market.pass(64_000);
    expect(sent().at(-1)).toBe("buy ETH/KRW market");
    expect((await planNow(id)).state).toBe("done");
  }, 90_000);

  it("misses what is not sent within its time, and makes nothing up", async () => {
    await opened();
    const process = await server(changeablePolicy({ ...ROOMY, maxOrdersPerMinute: 2 }));
    const { plan_id: id } = await begun(process, SHARES);
    await market.pass(4_000);
    await market.during(process.plans.change(id, "pause", "person"));
    market.clock.leap(10 * 60_000);
    await market.during(process.plans.change(id, "resume", "person"));
    await market.pass(3_000);
    expect(await statesOf(id)).toEqual(["sell BTC/KRW done", "sell XRP/KRW done", "buy ETH/KRW missed"]);
    expect((await planNow(id)).state).toBe("done");
    expect(sent()).toEqual(["sell BTC/KRW market", "sell XRP/KRW market"]);
  }, 60_000);

  it("leaves the rest as it is where one order of it is denied, and buys for what the others bring", async () => {
    await opened();
    const policy = changeablePolicy(ASKING);
    const process = await server(policy);
    const asked = await process.plans.create(SHARES, "assistant");
    const { plan } = await yesTo(process, asked);
    const id = plan?.plan_id ?? "";
    policy.value = ok({ ...ASKING, markets: ["XRP/KRW", "ETH/KRW"] });
    await market.pass(8_000);
    expect(await statesOf(id)).toEqual(["sell BTC/KRW denied", "sell XRP/KRW done", "buy ETH/KRW done"]);
    const { fromCash } = await ordersOf(id);
    expect(await tradedFor(id, 3)).toBeLessThanOrEqual(Number(fromCash) + 999_000);
    expect((await planNow(id)).state).toBe("done");
  }, 30_000);

  it("sends one order of each step, however many processes look", async () => {
    await opened();
    const process = await server();
    await server();
    const { plan_id: id } = await begun(process, SHARES);
    await market.pass(8_000);
    expect([...market.world.orders()].reverse().map(({ userref }) => userref)).toEqual(
      [1, 2, 3].map((step) => userrefOfStep(id, step)),
    );
  }, 30_000);

  it("is the same plan when it is asked for again, also where the market has moved", async () => {
    await opened();
    const process = await server(changeablePolicy(ASKING));
    const first = await process.plans.create(SHARES, "assistant");
    market.quotes(103, 104);
    const again = await process.plans.create(SHARES, "assistant");
    expect(again.plan?.plan_id).toBe(first.plan?.plan_id);
    expect(again.plan?.terms).toEqual(first.plan?.terms);
  }, 30_000);

  it("is the same plan where it is done, and the market has moved away from the shares again", async () => {
    await opened();
    const process = await server();
    const { plan_id: id } = await begun(process, SHARES);
    await market.pass(8_000);
    expect((await planNow(id)).state).toBe("done");
    market.quotes(150, 151);
    expect(await process.plans.create(SHARES, "assistant")).toMatchObject({ state: "done", plan: { plan_id: id } });
    await market.pass(4_000);
    expect(sent()).toHaveLength(3);
  }, 30_000);

  it("says which plans protect what it sells, and how much of it it leaves", async () => {
    await opened();
    const process = await server();
    const { plan_id: id } = await begun(process, {
      ...{ kind: "stop", symbol: "BTC/KRW", base_volume: "1", stop_price: "-10%" },
    });
    const sold = { kind: "rebalance", weights: { BTC: "30%", KRW: "70%" }, preview: true };
    const { warnings } = await process.plans.create(sold, "assistant");
    expect(warnings).toContainEqual(
      expect.stringMatching(
        `^Open plans protect these coins \\(${id}\\), and this sell leaves them too few: 0\\.3\\d* BTC of 1 BTC\\.$`,
      ),
    );
  }, 30_000);

  it("is paused where all buys are canceled", async () => {
    await opened();
    const process = await server(changeablePolicy({ ...ROOMY, maxOrdersPerMinute: 2 }));
    const { plan_id: id } = await begun(process, SHARES);
    await market.pass(4_000);
    await market.during(process.desk.cancelAll(undefined, "buy"));
    expect((await planNow(id)).state).toBe("paused");
  }, 30_000);

  it.each([
    [{ BTC: "50%", KRW: "40%" }, "weights", "come to 90 %, and have to be exactly 100 %"],
    [{ BTC: "50%", ETH: "30%" }, "weights", 'give "KRW":"20%" too'],
    [{ BTC: "50", KRW: "50%" }, "weights", 'written as "50%"'],
    [{ KRW: "100%" }, "weights", "from one to 20 coins"],
    [{ btc: "100%" }, "weights", 'name assets such as "BTC"'],
    [{ NONE: "50%", KRW: "50%" }, "weights", "no market"],
  ])("is refused with what is wrong: %j", async (weights, field, message) => {
    await opened();
    const { plans } = await server();
    const { error } = await plans.create({ kind: "rebalance", weights }, "assistant");
    expect(error?.field).toBe(field);
    expect(error?.message).toContain(message);
  });

  it("is not rehearsed, as past prices say nothing of it", async () => {
    await opened();
    const { plans } = await server();
    const { error } = await plans.create({ ...SHARES, rehearse: "7d" }, "assistant");
    expect(error?.code).toBe("ELocal:Cannot rehearse");
  });

  it("counts what it buys against the limit of a plan, and each order against that of an order", async () => {
    await opened();
    const bought = { ...ROOMY, plans: { ...ROOMY.plans, maxPlan: inUnit("31000000") } };
    const { plans } = await server(changeablePolicy(bought));
    const over = await plans.create({ ...SHARES, preview: true }, "assistant");
    expect([over.error?.rule, over.error?.limit]).toEqual(["plans", "31000000"]);
    const { plans: others } = await server(changeablePolicy({ ...ROOMY, maxOrder: inUnit("20000000") }));
    const large = await others.create({ ...SHARES, preview: true }, "assistant");
    expect([large.error?.rule, large.error?.limit]).toEqual(["plans", "20000000"]);
    // Sells alone are held against none of a plan.
    const small = { ...ROOMY, plans: { ...ROOMY.plans, maxPlan: inUnit("1") } };
    const { plans: sellers } = await server(changeablePolicy(small));
    const sells = await sellers.create(
      { kind: "rebalance", weights: { BTC: "10%", KRW: "90%" }, preview: true },
      "assistant",
    );
    expect(sells.state).toBe("preview");
  }, 30_000);
});
