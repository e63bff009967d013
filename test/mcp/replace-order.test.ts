/** Changing an order as a client sees it: both eras, over stdio as in memory, against the real exchange. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../src/contract/index.ts";
import { inUnit } from "../../src/decimal/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { openWorld, type Seat, type World } from "../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../fixture/fault-proxy.ts";
import { type ChangeablePolicy, changeablePolicy, LOOSE } from "../fixture/policy.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

const LIMIT = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.004", price: "50000000" };
const CANCEL = /^DELETE \/v1\/orders\/BTC/;

let world: World;
let client: TestClient;
let seat: Seat;
let policy: ChangeablePolicy;
let orderId: string;

async function open(era: (typeof ERAS)[number]): Promise<void> {
  client = await connect(era, createMcpServer({ desk: seat.desk, version: "0.0.0" }));
  await client.listTools();
  const { structured } = await client.call("place_order", { ...LIMIT, userref: "mine" });
  ({ orderId } = structured["order"] as { readonly orderId: string });
}

beforeEach(async () => {
  world = await openWorld();
  policy = changeablePolicy();
  seat = await world.seat({ policy, patient: true });
});
afterEach(async () => {
  await client.close();
  await world.close();
});

const openAtVenue = () => world.orders().filter(({ state }) => state === "open");

describe.each(ERAS)("replace_order, to a client of %s,", (era) => {
  beforeEach(() => open(era));

  it("moves an order, says what became of the old one and what stands", async () => {
    world.rest("sell", "50000000", "0.001");
    const { text, structured, isError } = await client.call("replace_order", { order_id: orderId, price: "49000000" });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({
      outcome: "accepted",
      state: "open",
      replaced: { order_id: orderId, state: "canceled", executed_volume: "0.001" },
      order: { price: "49000000", volume: "0.003", state: "open" },
    });
    expect(text).toContain("Accepted: buy 0.003 BTC on BTC/KRW at ₩49,000,000");
    expect(text).toContain(`The old order, order_id ${orderId}, is canceled; 0.001 of it executed.`);
    const again = await client.call("replace_order", { userref: "mine", price: "49000000" });
    expect(again.structured).toMatchObject({ intent_id: structured["intent_id"], state: "open" });
    expect(openAtVenue()).toHaveLength(1);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(2);
  });

  it("leaves it its name: to look at, to wait for and to cancel", async () => {
    for (const price of ["49000000", "48000000"]) await client.call("replace_order", { userref: "mine", price });
    const looked = await client.call("get_order", { userref: "mine" });
    expect(looked.structured).toMatchObject({ state: "canceled", moved_to: { price: "48000000" } });
    expect(looked.text).toMatch(
      /Canceled: nothing of it is open any more.*\nMoved to: buy 0\.004 BTC on BTC\/KRW at ₩48,000,000/s,
    );
    const awaited = await client.call("await_order", { order_id: orderId, until: "filled", timeout_s: 1 });
    expect(awaited.structured).toMatchObject({ reached: false, moved_to: { state: "open" } });
    const canceled = await client.call("cancel_order", { userref: "mine" });
    expect(canceled.structured).toMatchObject({ outcome: "accepted", order: { price: "48000000", state: "canceled" } });
    expect(openAtVenue()).toHaveLength(0);
    const log = await client.call("get_audit_log", { userref: "mine" });
    expect(JSON.stringify(log.structured)).toContain(String(canceled.structured["intent_id"]));
  });

  it("waits for a person with both orders in the text, and the old one stands", async () => {
    policy.value = ok({ ...LOOSE, mode: "confirm" });
    const { text, structured, isError } = await client.call("replace_order", { order_id: orderId, price: "49000000" });
    expect([isError, structured["state"]]).toEqual([false, "awaiting_approval"]);
    expect(structured).not.toHaveProperty("approval");
    expect(text).toMatch(/^\[sandbox\] WAITING FOR A PERSON: nothing was sent yet\. It is to buy 0\.004 BTC/);
    expect(text).toContain(`The old order, order_id ${orderId}, stands until then; nothing of it executed.`);
    expect(text).toContain(`hoga approve ${String(structured["intent_id"])}`);
    expect(openAtVenue().map((order) => order.orderId)).toEqual([orderId]);
  });

  it("is withdrawn while it waits, in a result that the client takes", async () => {
    policy.value = ok({ ...LOOSE, mode: "confirm" });
    const { structured } = await client.call("replace_order", { order_id: orderId, price: "49000000" });
    const withdrawn = await client.call("cancel_order", { userref: structured["userref"] });
    expect(withdrawn.structured).toMatchObject({ outcome: "not_sent", state: "not_placed" });
    expect(withdrawn.text).toContain("Withdrawn: the order was waiting for approval and is not placed");
    expect(openAtVenue().map((order) => order.orderId)).toEqual([orderId]);
  });
});

describe("replace_order", () => {
  beforeEach(() => open(ERAS[0]));

  it("denied leaves the old one as it is, and says so", async () => {
    policy.value = ok({ ...LOOSE, maxOrder: inUnit("250000") });
    const { text, isError } = await client.call("replace_order", { order_id: orderId, base_volume: "0.006" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^\[sandbox\] Denied by hoga: nothing was sent\./);
    expect(openAtVenue().map((order) => order.orderId)).toEqual([orderId]);
  });

  it("says that neither stands where the new one is refused after the cancel", async () => {
    world.proxy.plan(ORDER_POST, "deny");
    const { text, structured } = await client.call("replace_order", { order_id: orderId, price: "49000000" });
    expect(structured).toMatchObject({ outcome: "rejected", replaced: { state: "canceled" } });
    expect(text).toContain("Rejected by the exchange: nothing was placed.");
    expect(text).toContain(`The old order, order_id ${orderId}, is canceled; nothing of it executed.`);
    expect(openAtVenue()).toHaveLength(0);
  });

  it("is unknown, with what to do, where nobody can tell whether the old one is canceled", async () => {
    world.proxy.plan(CANCEL, "lose_reset");
    world.proxy.plan(/^GET \/v1\/orders\/BTC/, (body) => body, 1);
    world.proxy.plan(/^GET \/v1\/orders\/BTC/, "deny", 20);
    const { text, structured, isError } = await client.call("replace_order", { order_id: orderId, price: "49000000" });
    expect([isError, structured["outcome"]]).toEqual([true, "unknown"]);
    expect(text).toMatch(/^\[sandbox\] UNKNOWN: The old order was to be canceled, and it is not known whether it is\./);
    expect(text).toContain("The new one was not sent and will not be.");
    expect(text).toContain(`get_order, order_id ${orderId}`);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
  });

  it.each([
    [{ price: "49000000" }, "name the order by order_id or by userref"],
    [{ userref: "mine", order_id: "00000000-0000-7000-8000-000000000000", price: "1" }, "not both"],
    [{ userref: "mine" }, "give a new price, a new base_volume, or both"],
    [{ userref: "mine", price: 49 }, "price"],
    [{ userref: "mine", price: "49000000", side: "sell" }, "side"],
    [{ userref: "mine", price: "50000000" }, "give another price or base_volume"],
  ])("refuses %j with the fix", async (args, fix) => {
    const { text, structured, isError } = await client.call("replace_order", args);
    expect([isError, structured["outcome"]]).toEqual([true, "not_sent"]);
    expect(text).toContain(fix);
    expect(world.proxy.deliveries(CANCEL)).toBe(0);
  });
});
