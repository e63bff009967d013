import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import type { PlanRequest, PlansQuery } from "../../../src/desk/index.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { ABOVE, BELOW, made, openPlanWorld, type PlanWorld, type Process, shown } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

let market: PlanWorld;
let server: Process;

beforeEach(async () => {
  market = await openPlanWorld();
  server = await market.process();
});
afterEach(() => market.close());

const create = (request: PlanRequest) => server.plans.create(request, "assistant");
const listed = async (query: Partial<PlansQuery> = {}) =>
  (await unwrap(server.plans.list({ which: "open", limit: 10, ...query }))).plans.map(({ plan_id }) => plan_id);

describe("making a plan", () => {
  it("records an alert that is active at once, and tells of it", async () => {
    const report = await create({ ...ABOVE, note: "sell the rest" });
    const plan = made(report);
    expect(report).toMatchObject({ outcome: "accepted", state: "active", warnings: [] });
    expect(plan).toMatchObject({
      ...{ kind: "alert", state: "active", symbol: "BTC/KRW", trigger: won(110), note: "sell the rest" },
      ...{ worst_case_value: "0", reserved: "0" },
      terms: { kind: "alert", event: "price", symbol: "BTC/KRW", above: won(110), note: "sell the rest" },
    });
    expect(Date.parse(plan.until) - Date.parse(plan.created_at ?? "")).toBeGreaterThan(89 * 86_400_000);
    expect(await listed()).toEqual([plan.plan_id]);
    const [told, ...others] = await market.notices();
    expect(told).toMatchObject({ planId: plan.plan_id, type: "plan.active", body: { by: "assistant" } });
    expect(others).toEqual([]);
  });

  it("takes a percentage as the price that it is now", async () => {
    const plan = made(await create({ kind: "alert", symbol: "BTC/KRW", below: "-5%" }));
    expect(plan.trigger).toBe("98800000");
  });

  it("records nothing where it is only previewed, and refuses what would be refused", async () => {
    const seen = await server.plans.create({ ...ABOVE, preview: true }, "assistant");
    expect(seen).toMatchObject({ outcome: "not_sent", state: "preview", plan: { plan_id: null, trigger: won(110) } });
    expect(seen.error).toBeUndefined();
    const there = await server.plans.create({ ...ABOVE, above: won(104), preview: true }, "assistant");
    expect(there.error).toMatchObject({ code: "ELocal:Invalid input", field: "above" });
    expect(there.plan).toBeUndefined();
    expect(await listed({ which: "all" })).toEqual([]);
    expect(await market.notices()).toEqual([]);
  });

  it.each<[string, PlanRequest]>([
    ["base_volume", { kind: "stop", symbol: "BTC/KRW", stop_price: "-5%" }],
    ["kind", { kind: "nonsense" }],
    ["event", { kind: "alert", event: "volume", above: "1000000" }],
    ["symbol", { kind: "alert", event: "portfolio", symbol: "BTC/KRW", above: "1000000" }],
    ["below", { kind: "alert", event: "day_loss", below: "1000000" }],
    ["symbol", { kind: "alert", above: won(110) }],
    ["above", { kind: "alert", symbol: "BTC/KRW" }],
    ["below", { ...ABOVE, below: won(90) }],
    ["above", { ...ABOVE, above: won(104) }],
    ["until", { ...ABOVE, until: "2020-01-01" }],
    ["replaces", { ...ABOVE, replaces: "plan-00000000-0000-7000-8000-000000000000" }],
    ["schedule", { ...ABOVE, schedule: "daily 09:00" }],
  ])("refuses by its name a %s that is not taken: %j", async (field, request) => {
    const report = await create(request);
    expect(report).toMatchObject({ outcome: "not_sent", error: { field } });
    expect(report.state).toBeUndefined();
    expect(await listed({ which: "all" })).toEqual([]);
  });

  it("makes one plan of the same request within ten minutes, also where both come at once", async () => {
    const both = await Promise.all([create(ABOVE), create(ABOVE)]);
    const again = await create(ABOVE);
    const ids = [...both, again].map((report) => made(report).plan_id);
    expect(new Set(ids).size).toBe(1);
    expect(both.flatMap(({ warnings }) => warnings)).toHaveLength(1);
    expect(again.warnings).toEqual([expect.stringContaining("this is that plan")]);
    const another = made(await create(BELOW));
    expect(another.plan_id).not.toBe(ids[0]);
    market.clock.leap(11 * 60_000);
    expect(made(await create(ABOVE)).plan_id).not.toBe(ids[0]);
    expect(await listed()).toHaveLength(3);
  });

  it("makes it anew where the first one has ended", async () => {
    const first = made(await create(ABOVE));
    await server.plans.change(first.plan_id, "cancel", "assistant");
    expect(made(await create(ABOVE)).plan_id).not.toBe(first.plan_id);
  });

  it("is denied by the line of the file where there are as many alerts as it allows", async () => {
    const policy = changeablePolicy();
    policy.value = ok({ ...LOOSE, plans: { ...LOOSE.plans, maxAlerts: 1 } });
    server = await market.process({ policy });
    made(await create(ABOVE));
    const denied = await create(BELOW);
    expect(denied).toMatchObject({ outcome: "not_sent", error: { rule: "plans", figure: "2", limit: "1" } });
    expect(denied.next_action).toContain("max_alerts = 1");
    expect(await listed()).toHaveLength(1);
  });

  it("puts it in the place of another, which ends with it", async () => {
    const old = made(await create(ABOVE));
    const next = made(await create({ ...BELOW, replaces: old.plan_id }));
    expect(await listed()).toEqual([next.plan_id]);
    expect((await shown(server, old.plan_id)).state).toBe("replaced");
  });

  it("is refused while trading is halted", async () => {
    await market.during(server.desk.halt("a test", "a person"));
    expect((await create(ABOVE)).error).toMatchObject({ code: "ELocal:Trading halted" });
    expect(await listed({ which: "all" })).toEqual([]);
  });

  it("warns a command that ends where nobody watches, and not where a server does", async () => {
    const command = await market.process({ endsAfterCommand: true });
    await server.close();
    const alone = await market.during(command.plans.create(ABOVE, "person"));
    expect(alone.warnings).toEqual([expect.stringContaining("nobody watches")]);
    await market.process();
    const watched = await market.during(command.plans.create(BELOW, "person"));
    expect(watched.warnings).toEqual([]);
  });
});

describe("changing a plan", () => {
  it("pauses, resumes and cancels, each once, and tells it", async () => {
    const { plan_id: id } = made(await create(ABOVE));
    market.clock.leap(10);
    expect(await server.plans.change(id, "pause", "assistant")).toMatchObject({
      outcome: "accepted",
      state: "paused",
      plan: { why: "Paused by the assistant." },
    });
    market.clock.leap(10);
    const again = await server.plans.change(id, "pause", "assistant");
    expect(again).toMatchObject({ outcome: "accepted", state: "paused" });
    expect(again.warnings).toEqual(["The plan is paused already. Nothing was changed."]);
    const resumed = await server.plans.change(id, "resume", "person");
    expect(resumed).toMatchObject({ outcome: "accepted", state: "active" });
    expect(resumed.plan?.why).toBeUndefined();
    market.clock.leap(10);
    expect((await server.plans.change(id, "cancel", "person")).state).toBe("canceled");
    expect((await market.notices()).map(({ type, key }) => `${type} ${key}`)).toEqual([
      "plan.active 1",
      "plan.paused 2",
      "plan.active 3",
      "plan.ended 4",
    ]);
  });

  it("leaves what has ended as it is, and says so", async () => {
    const { plan_id: id } = made(await create(ABOVE));
    await server.plans.change(id, "cancel", "person");
    expect((await server.plans.change(id, "cancel", "person")).outcome).toBe("accepted");
    const ended = await server.plans.change(id, "resume", "person");
    expect(ended).toMatchObject({ outcome: "not_sent", state: "canceled", error: { code: "ELocal:Plan ended" } });
  });

  it("knows no plan of another account, and none that there is not", async () => {
    const unknown = await server.plans.change("plan-00000000-0000-7000-8000-000000000000", "cancel", "person");
    expect(unknown).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Unknown plan", field: "plan_id" } });
    const { plan_id: id } = made(await create(ABOVE));
    const stranger = await market.process({ scope: "elsewhere" });
    expect((await stranger.plans.change(id, "cancel", "person")).error?.code).toBe("ELocal:Unknown plan");
    expect((await stranger.plans.list({ planId: id, which: "all", limit: 1 })).ok).toBe(false);
    expect((await shown(server, id)).state).toBe("active");
  });

  it("is carried out where another process changed the plan meanwhile", async () => {
    const { plan_id: id } = made(await create(ABOVE));
    let isRead = false;
    const late = await market.process({
      plans: (book) => ({
        ...book,
        byId: async (planId) => {
          const found = await book.byId(planId);
          // Between reading and writing it.
          if (!isRead) await server.plans.change(planId, "pause", "person");
          isRead = true;
          return found;
        },
      }),
    });
    expect(await late.plans.change(id, "cancel", "person")).toMatchObject({ outcome: "accepted", state: "canceled" });
    const ended = (await market.notices()).find(({ type }) => type === "plan.ended");
    expect(ended?.key).toBe("3");
  });
});

describe("a list of plans", () => {
  it("has the open ones, newest first, page by page, of a market, and the ended ones apart", async () => {
    const ids: string[] = [];
    for (const above of [110, 111, 112]) {
      ids.unshift(made(await create({ ...ABOVE, above: won(above) })).plan_id);
      market.clock.leap(10);
    }
    await server.plans.change(ids[2] ?? "", "cancel", "person");
    expect(await listed()).toEqual(ids.slice(0, 2));
    expect(await listed({ which: "ended" })).toEqual(ids.slice(2));
    expect(await listed({ which: "all", symbol: "btckrw" })).toEqual(ids);
    expect(await listed({ which: "all", symbol: "ETH/KRW" })).toEqual([]);
    const first = await unwrap(server.plans.list({ which: "all", limit: 2 }));
    expect(first.plans.map(({ plan_id }) => plan_id)).toEqual(ids.slice(0, 2));
    expect(await listed({ which: "all", cursor: first.next_cursor ?? "" })).toEqual(ids.slice(2));
    expect((await unwrap(server.plans.list({ which: "all", limit: 3 }))).next_cursor).toBeNull();
  });

  it.each([
    ["symbol", { symbol: "ETH/KRW" }],
    ["cursor", { cursor: "plan-00000000-0000-4000-8000-000000000000" }],
  ])("takes no %s beside the id of one, and says so", async (field, more) => {
    const { plan_id: planId } = made(await create(ABOVE));
    const asked = await server.plans.list({ which: "all", limit: 2, planId, ...more });
    expect(asked).toMatchObject({ ok: false, fault: { field, message: expect.stringContaining("leave") as string } });
  });

  it("takes no cursor of its caller's making", async () => {
    const asked = await server.plans.list({ which: "all", limit: 2, cursor: "plan-' OR 1=1" });
    expect(asked).toMatchObject({ ok: false, fault: { code: "ELocal:Invalid input", field: "cursor" } });
  });

  it("says since when somebody watches, and that nobody does", async () => {
    const { plan_id: id } = made(await create(ABOVE));
    const before = await unwrap(server.plans.list({ which: "open", limit: 10 }));
    expect(before.watch).toEqual({ watched_since: null, last_look_at: null, gaps: [] });
    await market.pass(2_000);
    const now = await unwrap(server.plans.list({ which: "open", limit: 10 }));
    const since = Date.parse(now.watch.watched_since ?? "");
    expect(since).toBeGreaterThanOrEqual(Date.parse(now.plans[0]?.created_at ?? "") - 100);
    expect(Date.parse(now.plans[0]?.watched_since ?? "")).toBeGreaterThanOrEqual(since);
    await server.close();
    const other = await market.process({ endsAfterCommand: true });
    expect((await shown(other, id)).watched_since).toBeUndefined();
    const after = await unwrap(other.plans.list({ which: "open", limit: 10 }));
    expect(after.watch.watched_since).toBeNull();
    expect(Date.parse(after.watch.last_look_at ?? "")).toBeGreaterThanOrEqual(since);
  });
});
