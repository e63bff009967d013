/** What is checked when a plan that may trade is made, and what is made of it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { PlanRequest } from "../../../src/desk/index.ts";
import { planFiguresWorst, wordsFor } from "../../../src/words/index.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { ASKING, begun, OCO, SLICES, STOP, TAKE, TRAILING, WEEKLY, yesTo } from "./plan-requests.ts";
import { openPlanWorld, type PlanWorld, type Process, shown } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

let market: PlanWorld;
let server: Process;
const policy = changeablePolicy();

beforeEach(async () => {
  policy.value = ok(LOOSE);
  market = await openPlanWorld();
  server = await market.process({ policy });
});
afterEach(() => market.close());

const create = (request: PlanRequest) => server.plans.create(request, "assistant");
const all = async () => (await unwrap(server.plans.list({ which: "all", limit: 50 }))).plans;
const stored = async (id: string) => unwrap(market.world.store.plans.byId(id));

describe("a plan of each kind", () => {
  it.each<[string, PlanRequest, object]>([
    ["stop", STOP, { trigger: won(100), floor: won(90), left_volume: "0.4" }],
    ["take_profit", TAKE, { trigger: won(110), floor: won(110), left_volume: "0.4" }],
    ["trailing_stop", TRAILING, { trigger: won(98.8), high: won(104), floor: won(88.92) }],
    ["oco", OCO, { trigger: won(100), floor: won(90), left_volume: "0.4" }],
    ["recurring", WEEKLY, { reserved: expect.any(String), spent: "0", filled_volume: "0" }],
    ["slices", SLICES, { reserved: "4000000", turns_left: 4, spent: "0" }],
  ])("begins without a person where the file of a practice exchange lets it: %s", async (kind, request, view) => {
    const report = await create(request);
    expect(report).toMatchObject({ outcome: "accepted", state: "active", plan: { kind, ...view } });
    expect((await stored(report.plan?.plan_id ?? ""))?.mandate).toMatchObject({ by: "policy" });
  });

  it.each([STOP, TRAILING, OCO, WEEKLY, SLICES])(
    "is only shown where it is previewed, with its worst case: %j",
    async (request) => {
      policy.value = ok(ASKING);
      const report = await server.plans.create({ ...request, preview: true }, "assistant");
      expect(report).toMatchObject({ outcome: "not_sent", state: "preview", plan: { plan_id: null } });
      expect(report.plan?.worst_case_value).toMatch(/^[1-9]\d*$/);
      expect(report.plan?.shown?.worstValue).toBe(report.plan?.worst_case_value);
      expect(report.warnings).toEqual([expect.stringContaining("A person would have to approve it")]);
      expect(await all()).toEqual([]);
    },
  );

  it("says that a share of what is available is the volume that it comes to", async () => {
    const half = await create({ ...STOP, base_volume: "50%" });
    expect(half.plan).toMatchObject({ left_volume: "0.5" });
    const sold = { ...SLICES, side: "sell", quote_amount: undefined, base_volume: "2%" };
    expect((await create(sold)).plan).toMatchObject({ terms: { size: { volume: "0.02" } }, left_volume: "0.02" });
  });

  it("names of regular sells the coins of all turns as its worst case, previewed and begun", async () => {
    const sells = { ...WEEKLY, side: "sell", quote_amount: undefined, base_volume: "0.002" } as const;
    const reports = [await server.plans.create({ ...sells, preview: true }, "assistant"), await create(sells)];
    const turns = reports.map(({ plan }) => plan?.turns_left ?? 0);
    expect(turns.every((count) => count > 1)).toBe(true);
    const worst = reports.map(({ plan }) => plan && planFiguresWorst(plan, "KRW", wordsFor()));
    expect(worst).toEqual(turns.map((count) => expect.stringMatching(`^${(count * 2) / 1_000} BTC sold`)));
  });

  it("waits for a person beyond what the file lets begin alone, and where money may be real", async () => {
    policy.value = ok({ ...LOOSE, approvalOver: inUnit("4000000") });
    const asked = await create(SLICES);
    expect(asked).toMatchObject({ state: "awaiting_approval" });
    expect(asked.approval?.why).toContain("₩4,002,000");
    policy.value = ok(LOOSE);
    const real = await market.process({ policy, forRealMoney: true });
    expect(await real.plans.create(STOP, "assistant")).toMatchObject({ state: "awaiting_approval" });
  });

  it("is warned of a trigger that ordinary movement reaches", async () => {
    for (const at of [104.1, 104.9, 104.2, 104.8]) market.print(at);
    const report = await create({ ...STOP, stop_price: won(103.9) });
    expect(report.warnings).toEqual([expect.stringContaining("Ordinary movement will trigger it")]);
  });
});

describe("the same request", () => {
  it("is the same plan, also while that waits for a person", async () => {
    policy.value = ok(ASKING);
    const [first, second] = [await create(SLICES), await create(SLICES)];
    expect(second).toMatchObject({
      ...{ outcome: "not_sent", state: "awaiting_approval", plan: { plan_id: first.plan?.plan_id } },
      warnings: [expect.stringContaining("this is that plan")],
    });
    expect(second.approval).toEqual(first.approval);
    await yesTo(server, first);
    expect(await create(SLICES)).toMatchObject({ state: "active", plan: { plan_id: first.plan?.plan_id } });
    expect(await all()).toHaveLength(1);
  });

  it("buys once, also where all of it was bought before it is asked for again", async () => {
    const pieces = { ...SLICES, quote_amount: "40000", slices: 2, duration: "20s" };
    const { plan_id: id } = await begun(server, pieces);
    await market.pass(14_000);
    expect((await stored(id))?.state).toBe("done");
    const warning = expect.stringMatching(
      /^The same was asked for at \S+: .+ With another note it is a plan of its own\.$/,
    );
    expect(await create(pieces)).toMatchObject({ state: "done", plan: { plan_id: id }, warnings: [warning] });
    const shownAgain = await server.plans.create({ ...pieces, preview: true }, "assistant");
    expect(shownAgain).toMatchObject({ state: "preview", warnings: [warning] });
    await market.pass(14_000);
    expect(market.world.orders()).toHaveLength(2);
    expect((await create({ ...pieces, note: "two more" })).plan?.plan_id).not.toBe(id);
  }, 30_000);

  it("is told by its words, whatever the market makes of them, and whichever process hears it", async () => {
    const stop = { ...STOP, base_volume: "10%", stop_price: "-5%" };
    const { plan_id: id } = await begun(server, stop);
    market.quotes(103, 105);
    const other = await market.process({ policy });
    const again = await Promise.all([create(stop), other.plans.create(stop, "assistant")]);
    expect(again.map(({ plan }) => plan?.plan_id)).toEqual([id, id]);
    expect(await all()).toHaveLength(1);
  });

  it("is told by its words in the transaction that records it, where two processes hear it at once", async () => {
    const stop = { ...STOP, base_volume: "10%", stop_price: "-5%" };
    const ids: (string | null | undefined)[] = [];
    // It has judged the request, and found no such plan, when the other records one.
    const slow = await market.process({
      policy,
      plans: (book) => ({
        ...book,
        record: async (...plan) => {
          market.quotes(103, 105);
          ids.push((await create(stop)).plan?.plan_id);
          return book.record(...plan);
        },
      }),
    });
    ids.push((await slow.plans.create(stop, "assistant")).plan?.plan_id);
    expect(new Set(ids).size).toBe(1);
    expect(await all()).toHaveLength(1);
  });

  it("is no reason to sell again where the stop has sold", async () => {
    const { plan_id: id } = await begun(server, STOP);
    market.quotes(99, 100);
    market.print(99.5);
    await market.pass(6_000);
    expect((await stored(id))?.state).toBe("done");
    expect(await create(STOP)).toMatchObject({ state: "done", plan: { plan_id: id } });
  }, 30_000);

  it("is made anew where nobody answered the first in time", async () => {
    policy.value = ok({ ...ASKING, approvalTtlMs: 60_000 });
    const first = await create(STOP);
    market.clock.leap(61_000);
    const second = await create(STOP);
    expect(second.plan?.plan_id).not.toBe(first.plan?.plan_id);
    expect((await shown(server, first.plan?.plan_id ?? "")).state).toBe("lapsed");
  });
});

describe("the limits of the file", () => {
  it.each<[string, object, PlanRequest, object]>([
    ["mode", { mode: "read-only" }, STOP, { rule: "mode" }],
    ["markets", { markets: ["ETH/KRW"] }, STOP, { rule: "market", field: "symbol" }],
    ["max_order", { maxOrder: inUnit("999999") }, SLICES, { rule: "plans", figure: "1000000" }],
    ["max_day", { maxDay: inUnit("3999999") }, SLICES, { rule: "plans", figure: "4000000" }],
  ])("deny what goes over %s, and nothing is recorded", async (_line, changed, request, error) => {
    policy.value = ok({ ...LOOSE, ...changed });
    expect(await create(request)).toMatchObject({
      outcome: "not_sent",
      error: { code: "ELocal:Denied by policy", ...error },
    });
    expect(await server.plans.create({ ...request, preview: true }, "assistant")).toMatchObject({ error });
    expect(await all()).toEqual([]);
  });

  it("count what other plans have set aside, and what orders have used", async () => {
    policy.value = ok({ ...LOOSE, maxDay: inUnit("8000000") });
    await begun(server, SLICES);
    expect((await create({ ...SLICES, quote_amount: "4000004" })).error).toMatchObject({ figure: "8000004" });
    const more = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.01", price: won(104) } as const;
    expect((await server.desk.place(more)).outcome).toBe("accepted");
    expect((await create({ ...SLICES, quote_amount: "3000000" })).error).toMatchObject({ figure: "8040000" });
    expect((await create({ ...SLICES, quote_amount: "2960000" })).outcome).toBe("accepted");
  });

  it("take no protection for a spending", async () => {
    policy.value = ok({
      ...LOOSE,
      maxDay: inUnit("1"),
      maxOrder: inUnit("1"),
      plans: { ...LOOSE.plans, maxPlan: inUnit("1") },
    });
    expect((await create(STOP)).outcome).toBe("accepted");
  });
});

describe("coins", () => {
  it("are promised once: a second stop over them is denied with both figures", async () => {
    await begun(server, { ...STOP, base_volume: "0.7" });
    const second = await create({ ...STOP, base_volume: "0.4", stop_price: won(99) });
    expect(second.error).toMatchObject({ rule: "plans", figure: "1.1", limit: "1", field: "base_volume" });
    expect(second.error?.message).toContain("0.7");
    expect((await create({ ...TAKE, base_volume: "0.3" })).outcome).toBe("accepted");
  });

  it("are promised by what has begun, and the later yes finds them taken", async () => {
    policy.value = ok(ASKING);
    const stop = await create({ ...STOP, base_volume: "0.7" });
    const take = await create({ ...TAKE, base_volume: "0.7" });
    const [first, second] = [await yesTo(server, stop), await yesTo(server, take)];
    expect(first.state).toBe("active");
    expect(second).toMatchObject({ state: "awaiting_approval", error: { rule: "plans", figure: "1.4" } });
  });

  it("are not counted of the plan whose place is taken", async () => {
    policy.value = ok({ ...LOOSE, plans: { ...LOOSE.plans, stopRemoval: "allow" } });
    const old = await begun(server, { ...STOP, base_volume: "0.7" });
    const next = await create({ ...STOP, base_volume: "0.9", stop_price: won(101), replaces: old.plan_id });
    expect(next).toMatchObject({ outcome: "accepted", state: "active" });
    expect((await shown(server, old.plan_id)).state).toBe("replaced");
  });
});

describe("a plan that goes by the clock", () => {
  it.each<[string, PlanRequest, string]>([
    [
      "pieces that sell",
      { ...SLICES, side: "sell", quote_amount: undefined, base_volume: "3" },
      "Its orders sell 3 BTC",
    ],
    ["pieces that buy", { ...SLICES, quote_amount: "400000000" }, "Its orders cost ₩400,"],
    ["turns that buy", { ...WEEKLY, quote_amount: "90000000" }, "Its orders cost ₩1,1"],
  ])("tells in its preview, and when it is made, of more than is free: %s", async (_, request, told) => {
    const huge = inUnit("100000000000");
    policy.value = ok({ ...LOOSE, maxOrder: huge, maxDay: huge, plans: { ...LOOSE.plans, maxPlan: huge } });
    const preview = await server.plans.create({ ...request, preview: true }, "assistant");
    const made = await create(request);
    for (const { warnings } of [preview, made])
      expect(warnings.filter((text) => text.startsWith("Its orders"))).toEqual([expect.stringContaining(told)]);
  });
});

describe("a plan that sells what others protect", () => {
  const pieces = { ...SLICES, side: "sell", quote_amount: undefined };
  const daily = { kind: "recurring", symbol: "BTC/KRW", side: "sell", schedule: "daily 09:00" };
  const tells = async (request: PlanRequest) => {
    const { state, warnings, error } = await server.plans.create({ ...request, preview: true }, "assistant");
    expect([state, error]).toEqual(["preview", undefined]);
    return warnings;
  };
  const huge = inUnit("100000000000");
  const roomy = { ...LOOSE, maxOrder: huge, maxDay: huge, plans: { ...LOOSE.plans, maxPlan: huge } };

  it("says which plans, and how much it leaves them: in its preview and its sheet", async () => {
    policy.value = ok(roomy);
    const { plan_id: first } = await begun(server, STOP);
    const { plan_id: second } = await begun(server, TAKE);
    const short = (rest: string) =>
      `Open plans protect these coins (${first}, ${second}), and this sell leaves them too few: ${rest} of 0.8 BTC`;
    expect(await tells({ ...pieces, base_volume: "0.5" })).toEqual([`${short("0.5 BTC")}.`]);
    expect(await tells({ ...daily, base_volume: "0.1" })).toEqual([
      `${short("0 BTC")}.`,
      "Its orders sell 9 BTC in all, and 1 BTC is free now: one that comes when too little is free is refused, and told.",
    ]);
    expect(await tells({ ...pieces, base_volume: "0.2" })).toEqual([]);
    expect(await tells({ ...SLICES })).toEqual([]);
    policy.value = ok({ ...roomy, plans: { ...roomy.plans, approve: "always" } });
    const asked = await create({ ...pieces, base_volume: "0.5" });
    expect(asked.warnings).toEqual([`${short("0.5 BTC")}.`]);
    expect((await unwrap(server.plans.pending())).map(({ warnings }) => warnings)).toEqual([[short("0.5 BTC")]]);
    const instead = await tells({ ...pieces, base_volume: "0.5", replaces: first });
    expect(instead.filter((text) => text.startsWith("Open plans"))).toEqual([]);
  });
});

describe("a plan that takes the place of a protection", () => {
  beforeEach(() => {
    policy.value = ok({ ...LOOSE, plans: { ...LOOSE.plans, stopRemoval: "ask" } });
  });

  it("waits for a person on practice too, and the old one protects until their yes", async () => {
    const old = await begun(server, STOP);
    const asked = await create({ ...STOP, stop_price: won(101), replaces: old.plan_id });
    expect(asked).toMatchObject({ state: "awaiting_approval" });
    expect(asked.approval?.why).toContain("stop_removal");
    expect((await shown(server, old.plan_id)).state).toBe("active");
    expect((await yesTo(server, asked)).state).toBe("active");
    expect((await shown(server, old.plan_id)).state).toBe("replaced");
  });

  it("lapses where that has ended meanwhile", async () => {
    const old = await begun(server, STOP);
    const asked = await create({ ...STOP, stop_price: won(101), replaces: old.plan_id });
    await server.plans.change(old.plan_id, "cancel", "person");
    const report = await yesTo(server, asked);
    expect(report).toMatchObject({ outcome: "not_sent", state: "lapsed" });
    expect(report.plan?.why).toContain(old.plan_id);
  });

  it("may not be one that waits itself, or that there is not", async () => {
    policy.value = ok(ASKING);
    const first = await create(STOP);
    const second = await create({ ...STOP, stop_price: won(101), replaces: first.plan?.plan_id ?? "" });
    expect(second.error).toMatchObject({ code: "ELocal:Unknown plan", field: "replaces" });
  });
});
