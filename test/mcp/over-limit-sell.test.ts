/** A position that was bought in parts and is too large to sell at once. Real clients over Streamable HTTP, the default limits. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../src/contract/index.ts";
import { inUnit, rate } from "../../src/decimal/index.ts";
import { type Desk, defaultPolicy, type Policy } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import { openWorld, type Seat, type World } from "../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../fixture/fault-proxy.ts";
import { addressOf, TOKEN } from "../fixture/http-address.ts";
import { approveShown } from "../fixture/person.ts";
import { type ChangeablePolicy, changeablePolicy } from "../fixture/policy.ts";
import { connectHttp, ERAS, type TestClient } from "./client.ts";

let world: World;
let http: HttpServing;
let client: TestClient;
let seat: Seat;
let desk: Desk;
let policy: ChangeablePolicy;

/** One bitcoin is held, and the book stands at 100 000 000. */
beforeEach(async () => {
  world = await openWorld({ file: true });
  policy = changeablePolicy(defaultPolicy("sandbox"));
  seat = await world.seat({ policy, patient: true });
  ({ desk } = seat);
  http = await serveOverHttp({ factory: createMcpServer({ desk, version: "0.0.0" }), token: TOKEN, port: 0 });
  client = await connectHttp(ERAS[1], addressOf(http));
  world.rest("buy", "99900000", "5");
  world.rest("sell", "100100000", "5");
});
afterEach(async () => {
  await client.close();
  await http.close();
  await world.close();
});

const set = (change: Partial<Policy>) => {
  policy.value = ok(defaultPolicy("sandbox", change));
};
const BALANCE = /^GET \/v1\/accounts/;
const SELL = { symbol: "BTC/KRW", side: "sell", type: "limit", price: "100000000" } as const;
const sell = async (fields: object) => (await client.call("place_order", { ...SELL, ...fields })).structured;
const market = { type: "market", price: undefined } as const;
const ASKED = { outcome: "not_sent", state: "awaiting_approval" };
const deniedBy = (rule: string) => ({ outcome: "not_sent", state: "denied", error: { rule } });
const intentOf = (report: object) => (report as { readonly intent_id: string }).intent_id;

describe("a sell of what is held that is over a limit", () => {
  it.each([
    ["by volume", { base_volume: "0.05" }, "₩5,000,000"],
    ["by volume, at the market", { ...market, base_volume: "0.05" }, "₩5,000,000"],
    ["by amount", { ...market, quote_amount: "4995000" }, "₩4,995,000"],
  ])("is a question that names the limit, and goes with a person's yes: %s", async (_, size, value) => {
    const asked = await sell(size);
    expect(asked).toMatchObject(ASKED);
    const why = `it sells what is held and goes over max_order_krw (${value} of ₩1,000,000)`;
    expect((asked["approval"] as { readonly why: string }).why).toContain(why);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
    expect(await approveShown(desk, intentOf(asked))).toMatchObject({ outcome: "accepted" });
    expect(world.orders()).toHaveLength(1);
  });

  it("names every limit it goes over, in a preview too", async () => {
    set({ maxDay: inUnit("3000000"), maxOpen: inUnit("2000000") });
    const why =
      "it sells what is held and goes over max_order_krw (₩5,000,000 of ₩1,000,000) and " +
      "max_open_krw (₩5,000,000 of ₩2,000,000) and max_day_krw (₩5,000,000 of ₩3,000,000)";
    const preview = await client.call("preview_order", { ...SELL, base_volume: "0.05" });
    expect(preview.structured).toMatchObject({ valid: true, policy: { verdict: "needs_approval" } });
    expect(preview.text).toContain(why);
    const { draft_id } = preview.structured;
    expect((await client.call("place_order", { draft_id })).structured).toMatchObject({ ...ASKED });
  });

  it("is denied where the person says so, and names what would pass", async () => {
    set({ overLimitSells: "deny" });
    const asked = world.proxy.deliveries(BALANCE);
    expect(await sell({ base_volume: "0.05" })).toMatchObject({
      ...deniedBy("order_size"),
      error: { message: expect.stringContaining("make it at most 0.01 BTC, ") },
    });
    expect(await sell({ ...market, quote_amount: "4995000" })).toMatchObject({
      error: { message: expect.stringContaining("make it at most ₩999,999, ") },
    });
    expect(world.proxy.deliveries(BALANCE) - asked).toBeLessThanOrEqual(1);
    expect(await sell({ base_volume: "0.01" })).toMatchObject({ outcome: "accepted" });
  });

  it("is denied beyond what is held: neither what is locked nor what somebody else has counts", async () => {
    expect(await sell({ base_volume: "1.00000001" })).toMatchObject(deniedBy("order_size"));
    expect(await sell({ base_volume: "0.009", price: "104000000" })).toMatchObject({ outcome: "accepted" });
    expect(await sell({ base_volume: "0.99100001" })).toMatchObject(deniedBy("order_size"));
    expect(await sell({ base_volume: "0.991" })).toMatchObject(ASKED);
  });

  it.each<readonly [string, object, Partial<Policy>]>([
    ["price_collar", { price: "90000000" }, {}],
    ["price_collar", { ...market }, { priceCollar: rate("0.0001") }],
    ["mode", {}, { mode: "read-only" }],
    ["market", {}, { markets: ["ETH/KRW"] }],
    ["open_orders", {}, { maxOpenOrders: 0 }],
  ])("is denied by every other rule: %s", async (rule, fields, change) => {
    set(change);
    expect(await sell({ base_volume: "0.05", ...fields })).toMatchObject(deniedBy(rule));
  });

  it.each([
    ["0.4", ASKED, { base_volume: "0.6" }],
    ["0.40000001", deniedBy("order_size"), { base_volume: "0.6" }],
    // Nobody knows how much it takes.
    ["0.02", deniedBy("order_size"), { ...market, quote_amount: "4000000" }],
  ])("when it is %s beside one without an answer, counts that one as sold", async (left, result, size) => {
    const asked = await sell(size);
    world.proxy.plan(ORDER_POST, "refuse");
    world.proxy.plan(/^GET \/v1\/orders\?/, "deny", 99);
    expect(await approveShown(desk, intentOf(asked))).toMatchObject({ outcome: "unknown" });
    expect(await sell({ base_volume: left, price: "99950000" })).toMatchObject(result);
  });

  it("is denied where what is held is not known", async () => {
    await desk.balances();
    world.proxy.plan(BALANCE, "deny", 99);
    expect(await sell({ base_volume: "0.05" })).toMatchObject(deniedBy("order_size"));
  });

  it("stays a denial when it is a buy", async () => {
    expect(await sell({ side: "buy", base_volume: "0.05" })).toMatchObject(deniedBy("order_size"));
  });
});

describe("a yes to it", () => {
  it("covers the limits that its question named, and no other", async () => {
    const asked = await sell({ base_volume: "0.05" });
    set({ maxDay: inUnit("4000000") });
    expect(await approveShown(desk, intentOf(asked))).toMatchObject({
      outcome: "not_sent",
      error: { rule: "day_budget" },
    });
    expect(world.orders()).toEqual([]);
    set({});
    expect(await approveShown(desk, intentOf(asked))).toMatchObject({ outcome: "accepted" });
  });

  it("lets one of two through that are both held, but not together", async () => {
    const one = await sell({ base_volume: "0.6" });
    const two = await sell({ base_volume: "0.7" });
    expect([one, two]).toMatchObject([ASKED, ASKED]);
    const reports = await Promise.all([one, two].map((each) => approveShown(desk, intentOf(each))));
    expect(reports.map(({ outcome }) => outcome).sort()).toEqual(["accepted", "not_sent"]);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
  });

  it("lets one of two through that are both held, but not together, when one is on its way meanwhile", async () => {
    const one = await sell({ base_volume: "0.6" });
    const two = await sell({ base_volume: "0.7" });
    // Assessed, and stopped where its budget would be taken.
    const numbering = seat.stallBefore("advance");
    const first = approveShown(desk, intentOf(one));
    await numbering.reached;
    const other = await world.seat({ policy, patient: true });
    expect(await approveShown(other.desk, intentOf(two))).toMatchObject({ outcome: "accepted" });
    numbering.goOn();
    expect(await first).toMatchObject({ outcome: "not_sent", error: { rule: "order_size" } });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
  });
});

describe("a denial for a budget", () => {
  it("says when enough of it is free again", async () => {
    set({ maxDay: inUnit("1000000"), overLimitSells: "deny" });
    const before = Date.now();
    expect(await sell({ ...market, base_volume: "0.006" })).toMatchObject({ state: "filled" });
    const { error } = (await sell({ ...market, base_volume: "0.006" })) as {
      readonly error: { readonly message: string };
    };
    const [, until = ""] =
      /make it at most 0\.00[34]\d* BTC, wait until (\S+Z), when enough of the budget is free, /.exec(error.message) ??
      [];
    const inMs = Date.parse(until) - before;
    expect(inMs).toBeGreaterThanOrEqual(86_400_000);
    expect(inMs).toBeLessThan(86_400_000 + 60_000);
    world.clock.skewMs = inMs + 1_000;
    world.venueClock.skewMs = inMs + 1_000;
    expect(await sell({ ...market, base_volume: "0.006" })).toMatchObject({ state: "filled" });
  });
});
