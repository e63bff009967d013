import { describe, expect, it } from "vitest";
import type { Order } from "../../../src/contract/index.ts";
import { has } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { LIMIT_BUY, order as sample } from "../../fixture/order-sample.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const request = { ...LIMIT_BUY, base_volume: "0.003" };

openWorldPerTest();

const stored = async (userref = "it") => unwrap(world.store.journal.byUserref("paper", userref));
const fill = (volume: string) => world.rest("sell", "100000000", volume);

async function placed(): Promise<Order> {
  const { order } = await seat.desk.place({ ...request, userref: "it" });
  if (order === undefined) throw new Error("not placed");
  return order;
}

/** What the desk sent because of what was said. */
async function askedWhen(said: Order, by = seat): Promise<readonly string[]> {
  const before = world.proxy.log.length;
  const noticed = await by.desk.notice(said);
  const asked = world.proxy.log.slice(before).map(({ method, path }) => `${method} ${path.split("?")[0]}`);
  expect(noticed).toEqual({ ok: true, value: asked.length > 0 });
  return asked;
}

const saying = (order: Order, part: Partial<Order>): Order => ({ ...order, ...part });

describe("what is said of an order", () => {
  it("is a reason to look, and what the venue shows then is what counts", async () => {
    const order = await placed();
    fill("0.001");
    // It is said to be filled whole; it is not.
    const asked = await askedWhen(saying(order, { state: "filled", executed_volume: "0.003" }));
    expect(asked).toEqual([`GET /v1/orders/BTC%2FKRW/${order.orderId}`]);
    expect(await stored()).toMatchObject({
      state: "partially_filled",
      isLive: true,
      body: { seen: { executed_volume: "0.001" } },
    });
    fill("0.002");
    await askedWhen(saying(order, { state: "filled", executed_volume: "0.003" }));
    expect(await stored()).toMatchObject({ state: "filled", isLive: false, held: "300000" });
  });

  it("is never itself written down: said to be canceled, and open at the venue, it stays open and counts", async () => {
    const order = await placed();
    const lie = saying(order, { state: "canceled", reject_reason: "nonsense" });
    expect(await askedWhen(lie)).toHaveLength(1);
    expect(await stored()).toMatchObject({ state: "open", isLive: true, held: "300000" });
    expect(JSON.stringify(await stored())).not.toContain("nonsense");
  });

  it("asks nobody when it is known, older, or about an order that has ended", async () => {
    const order = await placed();
    expect(await askedWhen(order)).toEqual([]);
    fill("0.002");
    const partly = saying(order, { executed_volume: "0.002" });
    expect(await askedWhen(partly)).toHaveLength(1);
    expect(await askedWhen(partly)).toEqual([]);
    expect(await askedWhen(saying(order, { executed_volume: "0.001" }))).toEqual([]);
    fill("0.001");
    expect(await askedWhen(saying(order, { state: "filled", executed_volume: "0.003" }))).toHaveLength(1);
    for (const late of [order, partly, saying(order, { state: "canceled" })]) expect(await askedWhen(late)).toEqual([]);
    expect(await stored()).toMatchObject({ state: "filled" });
  });

  it("asks nobody when the order is not ours", async () => {
    await placed();
    expect(await askedWhen(sample)).toEqual([]);
    expect(await askedWhen(saying(sample, { userref: null }))).toEqual([]);
  });

  it("leads to one look when it is said many times over", async () => {
    const order = await placed();
    fill("0.003");
    const filled = saying(order, { state: "filled", executed_volume: "0.003" });
    const before = world.proxy.log.length;
    for (let times = 0; times < 20; times++) await seat.desk.notice(filled);
    expect(world.proxy.log.length - before).toBe(1);
  });
});

describe("what is said of an order without an answer", () => {
  /** The answer does not come, and neither does one to the desk's own first question. */
  async function unanswered(what: "lose_hang" | "swallow"): Promise<void> {
    world.proxy.plan(ORDER_POST, what);
    world.proxy.plan(/^GET \/v1\/orders\?/, "deny");
    expect(await seat.desk.place({ ...request, userref: "it" })).toMatchObject({ outcome: "unknown" });
  }

  it.runIf(has("proof"))("settles nothing by itself: the venue is asked behind the fence", async () => {
    await unanswered("lose_hang");
    const { nonce } = (await stored()) ?? {};
    const [at] = world.orders();
    const said = saying(sample, {
      orderId: at?.orderId ?? "",
      userref: "it",
      state: "filled",
      executed_volume: "0.003",
    });
    const asked = await askedWhen(said);
    expect(asked).toEqual(["GET /v1/orders"]);
    expect(world.proxy.log.at(-1)?.nonce).toBeGreaterThan(BigInt(nonce ?? 0));
    expect(await stored()).toMatchObject({ state: "open", orderId: at?.orderId, isLive: true });
  });

  it.runIf(has("proof"))("does not make one of an order that the venue does not have", async () => {
    await unanswered("swallow");
    await askedWhen(saying(sample, { userref: "it", state: "filled" }));
    expect(await stored()).toMatchObject({ state: "not_placed", isLive: false });
  });

  it("leaves it unknown while the venue cannot be asked", async () => {
    await unanswered("lose_hang");
    world.proxy.down(true);
    await seat.desk.notice(saying(sample, { userref: "it", state: "filled" }));
    expect(await stored()).toMatchObject({ state: "unknown", isLive: true });
  });

  it("lets an answer that is on its way come first", async () => {
    const sending = seat.stallBefore("advance");
    const placing = seat.desk.place({ ...request, userref: "it" });
    await sending.reached;
    const noting = seat.stallBefore("advance");
    sending.goOn();
    await noting.reached;
    const other = await world.seat();
    await other.desk.balances();
    expect(await stored()).toMatchObject({ state: "submitting" });
    expect(await askedWhen(saying(sample, { userref: "it" }), other)).toEqual([]);
    noting.goOn();
    expect(await placing).toMatchObject({ outcome: "accepted", state: "open" });
  });
});

describe("when the desk cannot look", () => {
  it("says so of a store that cannot be read, and of an exchange that does not tell the account", async () => {
    const stranger = await world.seat({ freshStore: true });
    world.proxy.down(true);
    expect(await stranger.desk.notice(sample)).toMatchObject({ ok: false });
    world.proxy.down(false);
    expect(await stranger.desk.notice(sample)).toEqual({ ok: true, value: false });
  });
});
