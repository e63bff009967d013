import { describe, expect, it } from "vitest";
import type { OrderName, OrderRequest } from "../../../src/desk/index.ts";
import type { Seat } from "../../fixture/desk-over-sandbox.ts";
import { has } from "../../fixture/desk-over-sandbox.ts";
import { placeOwn } from "../../fixture/own-orders.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const LIST = /^GET \/v1\/orders\?/;
const NOBODY = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77";
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };

openWorldPerTest({ totalMs: 3_000 });

async function placedBy(desk: Seat["desk"], userref: string): Promise<string> {
  const report = await desk.place({ ...order, userref });
  return report.order?.orderId ?? "";
}

async function refusal(name: OrderName): Promise<string> {
  const view = await seat.desk.order(name);
  return view.ok ? JSON.stringify(view.value) : view.fault.message;
}

describe("an order named with the wrong market", () => {
  it("is found by the journal, without a search", async () => {
    const orderId = await placedBy(seat.desk, "ours");
    expect(await seat.desk.order({ orderId, symbol: "ETH/KRW" })).toMatchObject({ ok: true, value: { state: "open" } });
    expect(world.proxy.deliveries(LIST)).toBe(0);
    expect(await seat.desk.cancel({ orderId, symbol: "ETH/KRW" })).toMatchObject({ state: "canceled" });
  });

  it("is found by a search where the journal does not know it", async () => {
    const other = await world.seat({ freshStore: true });
    const orderId = await placedBy(other.desk, "theirs");
    expect(await seat.desk.cancel({ orderId, symbol: "ETH/KRW" })).toMatchObject({
      outcome: "accepted",
      state: "canceled",
      order: { symbol: "BTC/KRW" },
    });
  });

  it.runIf(has("words"))(
    "when named by userref, is said not to be in that market, and nothing about the account",
    async () => {
      const other = await world.seat({ freshStore: true });
      await placedBy(other.desk, "theirs");
      expect(await refusal({ userref: "theirs", symbol: "ETH/KRW" })).toBe(
        "There is no order with userref theirs in ETH/KRW.",
      );
      expect(await refusal({ userref: "theirs" })).toContain('"state":"open"');
    },
  );
});

describe("an order that another process has let through", () => {
  it("is not said to be sent", async () => {
    const doomed = await world.seat({ crashAt: "recorded" });
    void doomed.desk.place({ ...order, userref: "waiting" });
    await doomed.died;
    const view = await seat.desk.order({ userref: "waiting" });
    expect(view).toMatchObject({ ok: true, value: { state: "not_sent_yet" } });
    expect(view.ok && view.value.next_action).toContain(
      "let through and not sent yet; another process may be about to",
    );
  });
});

describe("an order that is not there", () => {
  it("is said not to be on this account when all orders were looked at", async () => {
    const sentence = `There is no order with order_id ${NOBODY} on this account.`;
    expect(await refusal({ orderId: NOBODY })).toBe(sentence);
    expect(await refusal({ orderId: NOBODY, symbol: "ETH/KRW" })).toBe(sentence);
  });

  it.runIf(has("words"))(
    "is said not to be among the newest when there are more, and is found if its market is told",
    async () => {
      const [oldest = ""] = placeOwn(world, 1, "GTC", "ETH/KRW");
      placeOwn(world, 5_001, "IOC");
      expect(await refusal({ orderId: oldest })).toBe(
        `There is no order with order_id ${oldest} among the newest 5000 orders of this account. ` +
          "An older one is found if its symbol is given too.",
      );
      expect(await refusal({ orderId: oldest, symbol: "BTC/KRW" })).toContain(
        "in BTC/KRW, nor among the newest 5000 orders of this account.",
      );
      expect(await seat.desk.order({ orderId: oldest, symbol: "ETH/KRW" })).toMatchObject({ ok: true });
    },
  );
});
