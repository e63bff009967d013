import { describe, expect, it } from "vitest";
import type { Desk, OrderRequest } from "../../../src/desk/index.ts";
import { has } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const order: OrderRequest = {
  symbol: "btckrw",
  side: "buy",
  type: "limit",
  base_volume: "0.001",
  price: "100000000",
};
const MINUTE = 60_000;

openWorldPerTest({ file: true });

async function draftOf(desk: Desk, request: OrderRequest = order): Promise<string> {
  const preview = await desk.preview(request);
  if (!preview.ok || preview.value.draft_id === undefined) throw new Error(JSON.stringify(preview));
  return preview.value.draft_id;
}
const refusal = { outcome: "not_sent", state: "denied", error: { code: "ELocal:Draft not usable", field: "draft_id" } };

describe("a draft", () => {
  it("places exactly what was previewed, once; a second use leads to the same order", async () => {
    const draft_id = await draftOf(seat.desk, { ...order, userref: "mine" });
    expect(world.orders()).toHaveLength(0);
    const first = await seat.desk.place({ draft_id });
    expect(first).toMatchObject({
      outcome: "accepted",
      userref: "mine",
      order: { symbol: "BTC/KRW", volume: "0.001" },
    });
    const second = await seat.desk.place({ draft_id });
    expect(second).toMatchObject({ outcome: "accepted", intent_id: first.intent_id });
    expect(world.orders()).toHaveLength(1);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
  });

  it("is one order, also when several processes use it at once", async () => {
    const draft_id = await draftOf(seat.desk);
    const seats = [seat, await world.seat(), await world.seat()];
    const reports = await Promise.all([...seats, ...seats].map(({ desk }) => desk.place({ draft_id })));
    expect(new Set(reports.map((report) => report.intent_id)).size).toBe(1);
    expect(reports.map((report) => report.outcome)).toContain("accepted");
    expect(world.orders()).toHaveLength(1);
  });

  it.runIf(has("patient"))("is usable for ten minutes, then refused, for good", async () => {
    const [kept, late] = [await draftOf(seat.desk), await draftOf(seat.desk)];
    world.clock.skewMs = 9 * MINUTE;
    expect(await seat.desk.place({ draft_id: kept })).toMatchObject({ outcome: "accepted" });
    world.clock.skewMs = 11 * MINUTE;
    expect(await seat.desk.place({ draft_id: late })).toMatchObject(refusal);
    world.clock.skewMs = 0;
    expect(await seat.desk.place({ draft_id: late })).toMatchObject(refusal);
    expect(world.orders()).toHaveLength(1);
  });

  it.runIf(has("proof"))("still leads to its order after its end, and sends nothing then", async () => {
    const [sent, lost, dropped] = [await draftOf(seat.desk), await draftOf(seat.desk), await draftOf(seat.desk)];
    const first = await seat.desk.place({ draft_id: sent });
    world.proxy.plan(ORDER_POST, "refuse");
    expect(await seat.desk.place({ draft_id: lost })).toMatchObject({ state: "not_placed" });
    const doomed = await world.seat({ crashAt: "recorded" });
    void doomed.desk.place({ draft_id: dropped });
    await doomed.died;
    world.clock.skewMs = 11 * MINUTE;
    expect(await seat.desk.place({ draft_id: sent })).toMatchObject({
      outcome: "accepted",
      intent_id: first.intent_id,
    });
    expect(await seat.desk.place({ draft_id: lost })).toMatchObject(refusal);
    expect(await seat.desk.place({ draft_id: dropped })).toMatchObject(refusal);
    expect(world.orders()).toHaveLength(1);
  });

  it.runIf(has("proof"))("whose order was proven not placed may be used again in its time", async () => {
    const draft_id = await draftOf(seat.desk);
    world.proxy.plan(ORDER_POST, "refuse");
    expect(await seat.desk.place({ draft_id })).toMatchObject({ state: "not_placed" });
    expect(await seat.desk.place({ draft_id })).toMatchObject({ outcome: "accepted" });
    expect(world.orders()).toHaveLength(1);
  });

  it("survives a crash between its use and its order", async () => {
    const draft_id = await draftOf(seat.desk);
    const doomed = await world.seat({ crashAt: "recorded" });
    void doomed.desk.place({ draft_id });
    await doomed.died;
    expect(await seat.desk.place({ draft_id })).toMatchObject({ outcome: "accepted" });
    expect(await seat.desk.place({ draft_id })).toMatchObject({ outcome: "accepted" });
    expect(world.orders()).toHaveLength(1);
  });

  it("when nobody made it, is refused, also when an order has this id", async () => {
    expect(await seat.desk.place({ draft_id: "nothing" })).toMatchObject(refusal);
    const { intent_id = "" } = await seat.desk.place(order);
    expect(await seat.desk.place({ draft_id: intent_id })).toMatchObject(refusal);
    expect(world.orders()).toHaveLength(1);
  });
});
