/** A stop and a take-profit that begin with a buy's fill, over the real exchange. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import type { PlanRequest } from "../../../src/desk/index.ts";
import { ONE } from "../../fixture/desk-over-sandbox.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { ASKING, begun, yesTo } from "./plan-requests.ts";
import type { Process } from "./plan-world.ts";
import { made, shown } from "./plan-world.ts";
import { openProtected, type Protected } from "./protected-market.ts";
import { won } from "./sandbox-market.ts";

const LONG = 60_000;

let at: Protected;
let server: Process;
const policy = changeablePolicy();
beforeEach(async () => {
  policy.value = ok(LOOSE);
  at = await openProtected({}, { policy });
  ({ server } = at);
  const { clock, world } = at.market;
  const deposit = {
    type: "deposit",
    accountId: world.sandbox.accountId,
    asset: "KRW",
    amount: 1_000_000_000n * ONE,
  } as const;
  world.sandbox.exchange.apply(deposit, clock.now());
});
afterEach(() => at.market.close());

/** A buy of the account that rests above all others who buy. */
async function buys(volume: string, price = 104.5, userref?: string): Promise<string> {
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: won(price), base_volume: volume } as const;
  const report = await server.desk.place({ ...order, ...(userref !== undefined && { userref }) });
  const { orderId } = report.order ?? {};
  if (report.outcome !== "accepted" || orderId === undefined) throw new Error(JSON.stringify(report));
  return orderId;
}

const bracket = (after: string, more: Partial<PlanRequest> = {}): PlanRequest => ({
  ...{ kind: "oco", symbol: "BTC/KRW", after, stop_price: "-5%", take_price: "+10%", ...more },
});

const create = (request: PlanRequest) => server.plans.create(request, "assistant");
/** Somebody sells to whoever pays that much. */
const fills = (volume: string, price = 104.5): void => at.market.sweep("sell", price, volume);
const view = (id: string) => shown(server, id);
/** It is asked about every five seconds, and the answer takes a busy machine longer than a test's seconds last. */
async function hasBegun(id: string): Promise<void> {
  await at.pass(7_000);
  for (let more = 0; more < 15 && (await view(id)).left_volume === undefined; more++) await at.pass(1_000);
}

describe("a plan that begins with a buy", () => {
  it(
    "waits and watches nothing while the buy rests, and begins with what it bought at its average price",
    async () => {
      const order = await buys("0.4");
      const plan = await begun(server, bracket(order));
      expect(plan).toMatchObject({
        state: "active",
        why: `It waits for order ${order} to end, and protects nothing before.`,
      });
      fills("0.1");
      await at.stands(116, 117, 116.5, 4);
      expect(at.sent()).toEqual([]);
      const waits = await view(plan.plan_id);
      expect(waits).toMatchObject({ state: "active", terms: { after: { order } } });
      expect(waits).not.toHaveProperty("watched_since");
      at.market.quotes(104, 105);
      fills("0.3");
      await at.pass(3_000);
      const now = await view(plan.plan_id);
      expect(now).toMatchObject({ state: "active", trigger: "99275000", left_volume: "0.4" });
      expect(now.why).toBeUndefined();
      expect(now.terms).not.toHaveProperty("after");
      expect(await at.told("plan.active")).toMatchObject([
        { by: "assistant" },
        {
          by: "order",
          order_id: order,
          volume: "0.4",
          average_price: won(104.5),
          trigger: "99275000",
          take_price: "114950000",
        },
      ]);
    },
    LONG,
  );

  it(
    "sells by its stop what the buy brought and nothing else",
    async () => {
      const plan = await begun(server, bracket(await buys("0.4")));
      fills("0.4");
      await at.pass(3_000);
      await at.stands(98, 99, 98.5, 8);
      expect(at.sent()).toMatchObject([{ volume: 0.4, executed: 0.4 }]);
      expect(await view(plan.plan_id)).toMatchObject({
        state: "done",
        leg: "stop",
        filled_volume: "0.4",
        left_volume: "0",
      });
    },
    LONG,
  );

  it(
    "takes its profit at that far above the average price",
    async () => {
      const plan = await begun(server, bracket(await buys("0.4"), { floor_price: "-8%" }));
      fills("0.4");
      await at.pass(3_000);
      expect(await view(plan.plan_id)).toMatchObject({ floor: "96140000" });
      await at.stands(116, 117, 116.5, 8);
      expect(at.sent()).toMatchObject([{ at: 114.95, volume: 0.4, executed: 0.4 }]);
      expect(await view(plan.plan_id)).toMatchObject({ state: "done", leg: "take" });
    },
    LONG,
  );

  it(
    "follows the market from the average price where it trails",
    async () => {
      const plan = await begun(server, bracket(await buys("0.4"), { stop_price: undefined, trail: "5%" }));
      fills("0.4");
      await at.pass(1_500);
      expect(await view(plan.plan_id)).toMatchObject({ high: won(104.5), trigger: "99275000" });
      await at.stands(110, 111, 110.5, 9);
      expect(await view(plan.plan_id)).toMatchObject({ high: won(110), trigger: won(104.5) });
      await at.stands(103, 104, 103.5, 8);
      expect(at.sent()).toMatchObject([{ volume: 0.4, executed: 0.4 }]);
    },
    LONG,
  );

  it(
    "begins over half where the buy is canceled with half of it filled",
    async () => {
      const order = await buys("0.4");
      const plan = await begun(server, bracket(order));
      fills("0.2");
      await at.pass(1_000);
      expect(await at.market.during(server.desk.cancel({ orderId: order }))).toMatchObject({ outcome: "accepted" });
      await at.pass(2_000);
      expect(await view(plan.plan_id)).toMatchObject({ state: "active", left_volume: "0.2" });
      await at.stands(98, 99, 98.5, 8);
      expect(at.sent()).toMatchObject([{ volume: 0.2, executed: 0.2 }]);
    },
    LONG,
  );

  it(
    "ends where the buy ends with nothing filled, and says why",
    async () => {
      const order = await buys("0.4");
      const plan = await begun(server, bracket(order));
      await at.market.during(server.desk.cancel({ orderId: order }));
      await at.pass(2_000);
      const why = `Order ${order} has ended and bought nothing.`;
      expect(await view(plan.plan_id)).toMatchObject({ state: "canceled", why });
      expect(await at.told("plan.ended")).toMatchObject([{ state: "canceled", why }]);
    },
    LONG,
  );

  it(
    "begins at once with a yes where the buy has been filled, and sells where the market is beyond a level already",
    async () => {
      policy.value = ok(ASKING);
      const order = await buys("0.4", 105, "bought");
      at.market.quotes(98, 99);
      const asked = await create(bracket("bought"));
      expect(asked).toMatchObject({
        state: "awaiting_approval",
        plan: { worst_case_value: "42000000", trigger: "99750000" },
      });
      expect((await yesTo(server, asked)).state).toBe("active");
      await at.stands(98, 99, 98.5, 8);
      expect(at.sent()).toMatchObject([{ volume: 0.4, executed: 0.4 }]);
      expect(order).not.toBe("bought");
    },
    LONG,
  );

  it(
    "begins in the process that comes after, and once where two look",
    async () => {
      const plan = await begun(server, bracket(await buys("0.4")));
      await at.pass(1_000);
      server.kill();
      fills("0.4");
      const [one, other] = [await at.market.process({ policy }), await at.market.process({ policy })];
      await at.pass(9_000);
      expect(await shown(one, plan.plan_id)).toMatchObject({ state: "active", trigger: "99275000" });
      expect((await at.told("plan.active")).map(({ by }) => by)).toEqual(["assistant", "order"]);
      await at.stands(98, 99, 98.5, 8);
      expect(at.sent()).toMatchObject([{ volume: 0.4, executed: 0.4 }]);
      expect(await shown(other, plan.plan_id)).toMatchObject({ state: "done" });
    },
    LONG,
  );

  it(
    "begins with what other plans leave of it, and says so: coins are promised once",
    async () => {
      const order = await buys("0.4");
      const { plan_id: id } = await begun(server, bracket(order));
      fills("0.2");
      await at.pass(1_000);
      const stop: PlanRequest = { kind: "stop", symbol: "BTC/KRW", base_volume: "1.1", stop_price: won(90) };
      await begun(server, stop);
      fills("0.2");
      await at.pass(9_000);
      const why = `Of 0.4 BTC that order ${order} has bought other plans protect 0.1 BTC already: this one begins with the rest.`;
      expect(await view(id)).toMatchObject({ state: "active", left_volume: "0.3", why });
      expect(await at.told("plan.active")).toContainEqual(expect.objectContaining({ by: "order", volume: "0.3", why }));
      const denied = await create({ ...stop, base_volume: "0.01", stop_price: won(91) });
      expect(denied).toMatchObject({ error: { rule: "plans", figure: "1.41", limit: "1.4" } });
    },
    LONG,
  );

  it(
    "waits for a person where other plans protect all of it, and begins when it is started again and they do not",
    async () => {
      const order = await buys("0.4");
      const { plan_id: id } = await begun(server, bracket(order));
      fills("0.2");
      await at.pass(1_000);
      const stop = { kind: "stop", symbol: "BTC/KRW", base_volume: "1.2", stop_price: won(90) };
      const { plan_id: other } = await begun(server, stop);
      await at.market.during(server.desk.cancel({ orderId: order }));
      await at.pass(9_000);
      const why = `Other plans protect the 0.2 BTC that order ${order} has bought: cancel one of them and start this one again, or cancel this one.`;
      expect(await view(id)).toMatchObject({ state: "attention", why });
      expect(await at.told("plan.attention")).toMatchObject([{ state: "attention", why }]);
      await server.plans.change(other, "cancel", "person");
      await server.plans.change(id, "resume", "person");
      await at.pass(3_000);
      const now = await view(id);
      expect(now).toMatchObject({ state: "active", left_volume: "0.2" });
      expect(now.why).toBeUndefined();
    },
    LONG,
  );

  it(
    "protects no coins before the buy has ended, and its own after",
    async () => {
      const plan = await begun(server, bracket(await buys("0.4")));
      const stop = { kind: "stop", symbol: "BTC/KRW", base_volume: "1", stop_price: won(90) };
      expect(await create({ ...stop, preview: true } as PlanRequest)).toMatchObject({ state: "preview" });
      expect((await unwrap(server.plans.standing())).protecting).toBe(0);
      fills("0.4");
      await at.pass(3_000);
      expect((await unwrap(server.plans.standing())).protecting).toBe(1);
      const denied = await create({ ...stop, base_volume: "1.01" });
      expect(denied).toMatchObject({ error: { rule: "plans", figure: "1.41", limit: "1.4" } });
      expect(plan.left_volume).toBeUndefined();
    },
    LONG,
  );
});

describe("a plan whose buy has ended", () => {
  const UNREAD = "What it waits for cannot be read (EService:Unavailable). The service cannot answer now.";
  const asked = (path: RegExp): number => at.market.world.proxy.log.filter((passage) => path.test(passage.path)).length;

  it(
    "waits for a person where the file of limits could not be read for a minute, and begins when it is started again",
    async () => {
      const { plan_id: id } = await begun(server, bracket(await buys("0.4")));
      await at.pass(2_000);
      policy.value = failed(localFault("ELocal:Invalid input"));
      fills("0.4");
      await at.pass(50_000);
      expect((await view(id)).state).toBe("active");
      await at.pass(20_000);
      const why = "The file of limits (policy.toml) cannot be read, so no order of it may leave.";
      expect(await view(id)).toMatchObject({ state: "attention", why });
      expect(await at.told("plan.attention")).toMatchObject([{ symbol: "BTC/KRW", why }]);
      policy.value = ok(LOOSE);
      await server.plans.change(id, "resume", "person");
      await at.pass(3_000);
      expect(await view(id)).toMatchObject({ state: "active", trigger: "99275000", left_volume: "0.4" });
    },
    LONG,
  );

  it(
    "says once what keeps it from beginning where its market cannot be read, and begins when it can",
    async () => {
      const { plan_id: id } = await begun(server, bracket(await buys("0.4")));
      // What is known of the markets is used for some seconds.
      await at.pass(12_000);
      const { proxy } = at.market.world;
      proxy.plan(/^GET \/v1\/markets/, "busy", 1_000);
      fills("0.4");
      await at.pass(35_000);
      expect(await at.told("plan.gap")).toMatchObject([{ symbol: "BTC/KRW", why: UNREAD }]);
      const waiting = await view(id);
      expect(waiting).toMatchObject({ state: "active", why: UNREAD });
      expect(waiting).not.toHaveProperty("watched_since");
      proxy.heal();
      await hasBegun(id);
      const now = await view(id);
      expect(now).toMatchObject({ state: "active", trigger: "99275000", watched_since: expect.any(String) });
      expect(now).not.toHaveProperty("why");
    },
    LONG,
  );

  it(
    "says so where others protect the coin and what is held cannot be read",
    async () => {
      const { plan_id: id } = await begun(server, bracket(await buys("0.4")));
      await begun(server, { kind: "stop", symbol: "BTC/KRW", base_volume: "0.5", stop_price: won(90) });
      await at.pass(2_000);
      const { proxy } = at.market.world;
      proxy.plan(/^GET \/v1\/accounts/, "busy", 1_000);
      fills("0.4");
      await at.pass(30_000);
      expect(await view(id)).toMatchObject({ state: "active", why: UNREAD });
      expect(await at.told("plan.gap")).toMatchObject([{ why: UNREAD }]);
      proxy.heal();
      await hasBegun(id);
      expect(await view(id)).toMatchObject({ state: "active", left_volume: "0.4" });
    },
    LONG,
  );

  it(
    "begins without a question about what is held where no other plan protects the coin",
    async () => {
      const { plan_id: id } = await begun(server, bracket(await buys("0.4")));
      await at.pass(2_000);
      const before = asked(/^\/v1\/accounts/);
      fills("0.4");
      await at.pass(3_000);
      expect(asked(/^\/v1\/accounts/)).toBe(before);
      expect(await view(id)).toMatchObject({ state: "active", left_volume: "0.4" });
    },
    LONG,
  );

  it.each([
    ["what is held", /^GET \/v1\/accounts/],
    ["its market", /^GET \/v1\/markets/],
  ])(
    "keeps no other from being looked after where the exchange is slow to say %s",
    async (_, slow) => {
      const own = await at.market.process({ policy, patient: true });
      server.kill();
      const alert: PlanRequest = { kind: "alert", symbol: "BTC/KRW", below: won(100) };
      const { plan_id: id } = made(await at.market.during(own.plans.create(alert, "assistant")));
      server = own;
      const { plan_id: other } = await begun(own, bracket(await buys("0.4")));
      await begun(own, { kind: "stop", symbol: "BTC/KRW", base_volume: "0.5", stop_price: won(80) });
      await at.pass(12_000);
      const { proxy } = at.market.world;
      proxy.plan(slow, "slow", 100);
      fills("0.4");
      await at.pass(8_000);
      await at.stands(97, 99, 98, 10);
      expect((await at.now({ planId: other })).progress.begins).toBeUndefined();
      expect((await at.now({ planId: id })).state).toBe("done");
      proxy.heal();
      await proxy.deliverLate();
    },
    LONG,
  );
});

it(
  "keeps no other from being looked after by a defect as it begins, and begins when that is over",
  async () => {
    server.kill();
    let unwritable: string | undefined;
    const told: unknown[] = [];
    server = await at.market.process({
      policy,
      onDefect: (error) => told.push(error),
      plans: (book) => ({
        ...book,
        change: async (change, admit) => {
          if (change.planId === unwritable) throw new Error("it is broken");
          return book.change(change, admit);
        },
      }),
    });
    const { plan_id: id } = await begun(server, bracket(await buys("0.4")));
    const { plan_id: alert } = await begun(server, { kind: "alert", symbol: "BTC/KRW", above: won(110) });
    await at.pass(7_000);
    unwritable = id;
    fills("0.4");
    await at.stands(112, 113, 112.5, 8);
    expect((await at.now({ planId: alert })).state).toBe("done");
    expect(told.map(String)).toEqual(["Error: it is broken"]);
    unwritable = undefined;
    at.market.quotes(104, 105);
    await hasBegun(id);
    expect(await view(id)).toMatchObject({ left_volume: "0.4" });
  },
  LONG,
);

describe("what is asked for with after", () => {
  const refused = async (request: PlanRequest) => (await create(request)).error;

  it.each<[string, Partial<PlanRequest>, object]>([
    ["an order that nobody knows", { after: "nobodys" }, { field: "after" }],
    ["a price for the stop", { stop_price: won(100) }, { field: "stop_price" }],
    ["a price to take", { take_price: won(120) }, { field: "take_price" }],
    ["a price for the floor", { floor_price: won(90) }, { field: "floor_price" }],
    ["a volume of its own", { base_volume: "0.1" }, { field: "base_volume" }],
    ["no stop", { stop_price: undefined }, { field: "stop_price" }],
    ["a floor above its stop", { floor_price: "-4%" }, { field: "floor_price" }],
    ["a floor further than the file lets it be", { floor_price: "-20%" }, { rule: "plans", field: "floor_price" }],
    ["another kind of plan", { kind: "stop" }, { field: "after" }],
    ["another market", { symbol: "ETH/KRW" }, { field: "after" }],
  ])("is refused by its field: %s", async (_, more, error) => {
    await buys("0.4", 104.5, "buy-1");
    expect(await refused(bracket("buy-1", more))).toMatchObject(error);
  });

  it("is refused of a sell, and of a buy that brought nothing", async () => {
    const sell = await server.desk.place({
      ...{ symbol: "BTC/KRW", side: "sell", type: "limit", price: won(120), base_volume: "0.1", userref: "sell-1" },
    });
    expect(sell.outcome).toBe("accepted");
    expect(await refused(bracket("sell-1"))).toMatchObject({
      field: "after",
      message: expect.stringContaining("sells"),
    });
    const order = await buys("0.4");
    await server.desk.cancel({ orderId: order });
    const error = await refused(bracket(order));
    expect(error).toMatchObject({ field: "after", message: expect.stringContaining("bought nothing") });
  });

  it("is one plan of one buy", async () => {
    const order = await buys("0.4");
    const first = await begun(server, bracket(order));
    expect((await begun(server, bracket(order))).plan_id).toBe(first.plan_id);
    expect(await refused(bracket(order, { take_price: "+20%" }))).toMatchObject({ rule: "plans", field: "after" });
    const other = await create(bracket(order, { take_price: "+20%", replaces: first.plan_id }));
    expect(other.error).toBeUndefined();
  });

  it("is not rehearsed", async () => {
    const report = await server.plans.create({ ...bracket(await buys("0.4")), rehearse: "1d" }, "assistant");
    expect(report.error).toMatchObject({ code: "ELocal:Cannot rehearse" });
  });

  it("is previewed by the limit of the buy, all of it", async () => {
    const report = await server.plans.create({ ...bracket(await buys("0.4")), preview: true }, "assistant");
    expect(report).toMatchObject({
      ...{ state: "preview", plan: { worst_case_value: "41800000", trigger: "99275000" } },
      // 104.5 less 5 %, less 10 % more.
      plan: { shown: { atLeast: { price: "89348000" } } },
    });
  });

  it("lapses where the buy has brought nothing by the time of the yes", async () => {
    policy.value = ok(ASKING);
    const order = await buys("0.4");
    const asked = await create(bracket(order));
    await server.desk.cancel({ orderId: order });
    expect(await yesTo(server, asked)).toMatchObject({ state: "lapsed" });
  });
});
