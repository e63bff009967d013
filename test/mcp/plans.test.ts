/** An alert from the tool that makes it to what tells of it: real clients of both eras over HTTP, a real desk and exchange, and time as it passes. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import type { OrderRecord } from "../../src/sandbox/model/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import { openWorld, type World } from "../fixture/desk-over-sandbox.ts";
import { addressOf, TOKEN } from "../fixture/http-address.ts";
import { connect, connectHttp, ERAS, type TestClient } from "./client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const PLANS = "hoga://plans";
const ALERT = { kind: "alert", symbol: "BTC/KRW" };
const SOON = { timeout: 30_000, interval: 250 };

interface Plan {
  readonly plan_id: string;
  readonly state: string;
  readonly told_at?: string;
}

let world: World;
let desk: Desk;
let http: HttpServing;
let client: TestClient;
let turning: NodeJS.Timeout;
/** What others sell at. */
let ask: OrderRecord;

/** As a process that stays has it. */
function keepUp(): void {
  turning = setInterval(() => {
    desk.upkeep().catch(() => undefined);
  }, 250);
}

beforeAll(async () => {
  world = await openWorld();
  world.rest("buy", "100000000", "1");
  ask = world.rest("sell", "110000000", "1");
  ({ desk } = await world.seat({ patient: true, plans: (book) => book }));
  http = await serveOverHttp({ factory: createMcpServer({ desk, version: "0.0.0" }), token: TOKEN, port: 0 });
  keepUp();
});
afterAll(async () => {
  clearInterval(turning);
  await http.close();
  await world.close();
});

/** Others pay 120.5 million and trade half a million above that, until it is over. @returns ends it: they are back where they were */
function risen(): () => void {
  world.withdraw(ask);
  const moved = [world.rest("buy", "120500000", "1"), world.rest("sell", "130000000", "1")];
  const trading = setInterval(() => world.trade("121000000", "0.01"), 500);
  return () => {
    clearInterval(trading);
    for (const order of moved) world.withdraw(order);
    ask = world.rest("sell", "110000000", "1");
  };
}

async function made(args: object): Promise<Plan> {
  const { structured, text } = await client.call("create_plan", { ...ALERT, ...args });
  expect({ outcome: structured["outcome"], text }).toEqual({ outcome: "accepted", text: expect.any(String) });
  return structured["plan"] as Plan;
}

async function listed(args: object = {}): Promise<readonly Plan[]> {
  return (await client.call("list_plans", args)).structured["plans"] as readonly Plan[];
}

describe.each(ERAS)("plans, to a client of %s", (era) => {
  beforeAll(async () => {
    client = await connectHttp(era, addressOf(http));
  });
  afterAll(() => client.close());

  it("previews an alert and records nothing, then records it once", async () => {
    const asked = { ...ALERT, above: "+10%", note: `once ${era}` };
    const preview = await client.call("create_plan", { ...asked, preview: true });
    expect(preview.isError).toBe(false);
    expect(preview.structured).toMatchObject({
      ...{ outcome: "not_sent", state: "preview" },
      plan: { plan_id: null, symbol: "BTC/KRW", trigger: "121000000", worst_case_value: "0" },
    });
    expect(preview.text).toContain("Tell once when the price of BTC/KRW has stood at or above ₩121,000,000.");
    expect(await listed()).toEqual([]);
    const plan = await made({ above: "+10%", note: asked.note });
    const again = await client.call("create_plan", asked);
    expect(again.structured).toMatchObject({ outcome: "accepted", plan: { plan_id: plan.plan_id } });
    expect(again.structured["warnings"]).not.toEqual([]);
    expect(await listed()).toMatchObject([{ plan_id: plan.plan_id, state: "active" }]);
    await client.call("change_plan", { plan_id: plan.plan_id, action: "cancel" });
  });

  it("pauses, resumes and cancels one without a person, and says of one that ended that it has", async () => {
    const { plan_id } = await made({ below: "50000000", note: `changed ${era}` });
    const change = (action: string) => client.call("change_plan", { plan_id, action });
    for (const [action, state] of [
      ["pause", "paused"],
      ["resume", "active"],
      ["cancel", "canceled"],
      ["cancel", "canceled"],
    ] as const)
      expect((await change(action)).structured).toMatchObject({ outcome: "accepted", state, plan_id });
    const late = await change("resume");
    expect([late.isError, late.structured["outcome"]]).toEqual([true, "not_sent"]);
    expect(late.structured).toMatchObject({ error: { code: expect.stringMatching(/^ELocal:/) } });
    expect(await listed()).toEqual([]);
    expect(await listed({ plan_id })).toMatchObject([{ plan_id, state: "canceled" }]);
    expect(world.orders()).toEqual([]);
  });

  it("is told of once when the price stands there: in the list, and by the resource that a client watches", async () => {
    const updates: string[] = [];
    const { plan_id } = await made({ above: "120000000", note: `told ${era}` });
    expect(await client.read(PLANS)).toMatchObject({ plans: [{ plan_id, state: "active" }] });
    const end = await client.follow([PLANS], (uri) => updates.push(uri));
    const fall = risen();
    try {
      await expect.poll(() => listed({ plan_id }), SOON).toMatchObject([{ plan_id, state: "done" }]);
    } finally {
      fall();
    }
    const [told] = await listed({ state: "ended", limit: 1 });
    expect(told).toMatchObject({ plan_id, told_at: expect.stringContaining("T") });
    await expect.poll(() => updates.length, SOON).toBeGreaterThan(0);
    const { plans, ended } = await client.read(PLANS);
    expect([plans, (ended as readonly Plan[])[0]]).toMatchObject([[], { plan_id, state: "done" }]);
    const { structured } = await client.call("get_audit_log", { limit: 200 });
    const steps = (structured["entries"] as readonly { event: string; detail: { plan_id?: string } }[]).filter(
      ({ event, detail }) => event === "plan_triggered" && detail.plan_id === plan_id,
    );
    expect(steps).toHaveLength(1);
    expect(world.orders()).toEqual([]);
    await end();
  });
});

describe("the resource of plans", () => {
  it("stays as it is while nothing changes, whoever looks after them", async () => {
    client = await connectHttp(ERAS[0], addressOf(http));
    const { plan_id } = await made({ above: "+40%", note: "stays" });
    await expect.poll(async () => (await client.read(PLANS))["watch"], SOON).toMatchObject({ watched: true });
    const first = await client.read(PLANS);
    const looks = async () =>
      (await client.call("list_plans")).structured["watch"] as { readonly last_look_at: string };
    const { last_look_at: lookedAt } = await looks();
    await expect.poll(async () => (await looks()).last_look_at, SOON).not.toBe(lookedAt);
    expect(await client.read(PLANS)).toEqual(first);
    await client.call("change_plan", { plan_id, action: "cancel" });
    expect(await client.read(PLANS)).not.toEqual(first);
    await client.close();
  });
});

describe("a client that may only look", () => {
  it("sees the plans, and can neither make nor change one", async () => {
    const factory = createMcpServer({ desk, version: "0.0.0" });
    const looking = await connect(ERAS[0], () => factory({ scopes: ["account:read"] }));
    expect((await looking.call("list_plans", { state: "all" })).isError).toBe(false);
    const made = await Promise.allSettled([
      looking.call("create_plan", { ...ALERT, above: "+50%" }),
      looking.call("change_plan", { plan_id: "plan-1", action: "cancel" }),
    ]);
    const ends = made.map((end) => (end.status === "fulfilled" ? JSON.stringify(end.value) : "refused"));
    expect(ends).toEqual(["refused", "refused"]);
    await looking.close();
  });
});
