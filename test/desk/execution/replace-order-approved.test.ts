/** A change of an open order that a person has to approve: what a yes or a no does, by how the old order stands then. */
import { describe, expect, it } from "vitest";
import { inUnit } from "../../../src/decimal/index.ts";
import { approveShown, sealShown } from "../../fixture/person.ts";
import { unwrap } from "../../fixture/result.ts";
import {
  atVenue,
  BUY,
  cancels,
  fill,
  open,
  openDeskPerTest,
  placed,
  replace,
  seat,
  sent,
  set,
  world,
} from "./changed-orders.ts";

openDeskPerTest();

describe("a change that a person has to approve", () => {
  const waiting = async () => {
    const { orderId } = await placed({ userref: "mine" });
    set({ mode: "confirm" });
    const report = await replace({ orderId, price: "49000000" });
    expect(report).toMatchObject({
      outcome: "not_sent",
      state: "awaiting_approval",
      approval: {
        replaces: { order_id: orderId, price: "50000000", open_volume: "0.004" },
        order: { price: "49000000" },
      },
      replaced: { state: "open" },
    });
    return { orderId, intentId: report.intent_id ?? "", userref: report.userref ?? "" };
  };

  it("waits with the old one standing, and is made with the yes, once", async () => {
    const { orderId, intentId } = await waiting();
    expect([sent(), cancels()]).toEqual([1, 0]);
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      state: "awaiting_approval",
      intent_id: intentId,
    });
    expect(await replace({ orderId, price: "48000000" })).toMatchObject({ error: { code: "ELocal:Twin unresolved" } });
    // What it executes while it waits is off the new one, also where limits are judged again.
    set({ mode: "confirm", maxDay: inUnit("200000") });
    fill("0.001");
    const report = await approveShown(seat.desk, intentId);
    expect(report).toMatchObject({
      outcome: "accepted",
      order: { volume: "0.003" },
      replaced: { executed_volume: "0.001" },
    });
    expect(await approveShown(seat.desk, intentId)).toMatchObject({ outcome: "accepted" });
    expect([sent(), open().length]).toEqual([2, 1]);
  });

  it("lapses where the old one has ended meanwhile", async () => {
    const { intentId } = await waiting();
    await seat.desk.cancel({ userref: "mine" });
    expect(await approveShown(seat.desk, intentId)).toMatchObject({ outcome: "not_sent", state: "not_placed" });
    expect((await unwrap(world.store.journal.byId(intentId)))?.state).toBe("lapsed");
    expect(sent()).toBe(1);
  });

  it.each(["yes", "no"])("is answered (%s) with the old one as it is by then, not as it was", async (said) => {
    const { intentId } = await waiting();
    fill("0.004");
    const gone = { outcome: "not_sent", replaced: { state: "filled", executed_volume: "0.004" } };
    const answer = () => (said === "yes" ? approveShown(seat.desk, intentId) : unwrap(seat.desk.deny(intentId)));
    for (const _again of [1, 2]) expect(await answer()).toMatchObject(gone);
    expect(sent()).toBe(1);
  });

  it("is withdrawn by its own userref, by a cancel of everything and by a halt; the first leaves the old one", async () => {
    const { orderId, userref } = await waiting();
    expect(await seat.desk.cancel({ userref })).toMatchObject({ state: "not_placed" });
    expect(atVenue(orderId)?.state).toBe("open");
    const again = await replace({ orderId, price: "49000000" });
    expect(again).toMatchObject({ state: "awaiting_approval" });
    const all = await seat.desk.cancelAll();
    expect(all.withdrawn).toMatchObject([{ id: again.intent_id }]);
    // It has just been canceled.
    expect(JSON.stringify(all.withdrawn)).not.toContain("stands");
    expect(await approveShown(seat.desk, again.intent_id ?? "")).toMatchObject({ state: "not_placed" });
    set({});
    const { orderId: next } = await placed({ price: "48000000" });
    set({ mode: "confirm" });
    const last = await replace({ orderId: next, price: "47000000" });
    expect((await seat.desk.halt("", "a person")).withdrawn).toMatchObject([{ id: last.intent_id }]);
    expect(open()).toHaveLength(0);
  });

  it("is not the plain order with the same fields, nor that one it", async () => {
    const { intentId, userref } = await waiting();
    const plain = await seat.desk.place({ ...BUY, price: "49000000" });
    expect(plain).toMatchObject({ state: "awaiting_approval" });
    expect(plain.intent_id).not.toBe(intentId);
    const named = await seat.desk.place({ ...BUY, price: "49000000", time_in_force: "GTC", post_only: false, userref });
    expect(named).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Userref in use" } });
  });

  it("takes the answer of the call that asked for it, and of no other", async () => {
    const { orderId, intentId } = await waiting();
    const request = { replace: { orderId, price: "49000000" } };
    const seal = await unwrap(sealShown(seat.desk, intentId, request));
    for (const other of [
      { orderId, price: "48000000" },
      { orderId: "x", price: "49000000" },
      { orderId, base_volume: "1" },
    ])
      expect(await seat.desk.answerApproval({ seal, said: "yes", request: { replace: other } })).toMatchObject({
        error: { code: "ELocal:Approval mismatch" },
      });
    expect(sent()).toBe(1);
    expect(await seat.desk.answerApproval({ seal, said: "yes", request })).toMatchObject({ outcome: "accepted" });
  });
});
