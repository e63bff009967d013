import { beforeEach, describe, expect, it, vi } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import type { OrderRequest, Policy, WriteReport } from "../../../src/desk/index.ts";
import type { Seat, World } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { approveShown, sealShown } from "../../fixture/person.ts";
import { type ChangeablePolicy, changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { storeBroken, unwrap } from "../../fixture/result.ts";
import { openWorldPerTest } from "../../fixture/world-per-test.ts";

const CONFIRM: Policy = { ...LOOSE, mode: "confirm" };
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
const UNAVAILABLE = { code: "ELocal:Store unavailable" } as const;

let world: World;
let policy: ChangeablePolicy;
let seat: Seat;
openWorldPerTest({}, (opened) => {
  world = opened;
  policy = changeablePolicy(CONFIRM);
});
beforeEach(async () => {
  seat = await world.seat({ policy, patient: true });
});
const set = (change: Partial<Policy>) => {
  policy.value = ok({ ...CONFIRM, ...change });
};

async function asked(request: Partial<OrderRequest> = {}): Promise<{ id: string; userref: string }> {
  const report = await seat.desk.place({ ...order, ...request });
  expect(report).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
  return { id: report.intent_id ?? "", userref: report.userref ?? "" };
}
async function sealOf(id: string): Promise<string> {
  const seal = await sealShown(seat.desk, id);
  if (!seal.ok) throw new Error(seal.fault.message);
  return seal.value;
}
const stateOf = async (id: string) => (await unwrap(world.store.journal.byId(id)))?.state;
const sent = () => world.proxy.deliveries(ORDER_POST);
const deny = async (by: Seat, id: string) => {
  const ended = await by.desk.deny(id);
  if (!ended.ok) throw new Error(ended.fault.message);
  return ended.value;
};
const said = (report: WriteReport) => report.error?.message;

describe("what is said to a person and to the model", () => {
  it("says of a no that it was one", async () => {
    const { id } = await asked();
    expect(said(await deny(seat, id))).toBe("A person has denied this order. Nothing was sent.");
    expect(said(await approveShown(seat.desk, id))).toBe("A person has denied this order. Nothing was sent.");
  });

  it("says of an order taken back that it was, to whoever comes later", async () => {
    const { id, userref } = await asked();
    expect((await seat.desk.cancel({ userref })).next_action).toBeUndefined();
    expect(said(await approveShown(seat.desk, id))).toBe(
      "The order was withdrawn before anybody approved it. Nothing was sent.",
    );
  });

  it("says of an order that nobody answered that nobody approved it in time", async () => {
    const { id } = await asked();
    world.clock.skewMs = CONFIRM.approvalTtlMs + 1_000;
    expect(await seat.desk.pending()).toMatchObject({ ok: true, value: { pending: [] } });
    expect(said(await approveShown(seat.desk, id))).toBe("Nobody approved this order in time. Nothing was sent.");
  });

  it("says of an unknown id that nothing waits under it", async () => {
    const message = "No order with this id waits for approval.";
    const unknown = { code: "ELocal:Unknown order", message };
    expect(await approveShown(seat.desk, "none")).toMatchObject({ outcome: "not_sent", error: unknown });
    expect(await seat.desk.deny("none")).toMatchObject({ ok: false, fault: unknown });
    expect(await sealShown(seat.desk, "none")).toMatchObject({ fault: unknown });
  });

  it("names the way that the policy does not take, and the order waits for the other", async () => {
    const { id } = await asked();
    set({ approveBy: ["client"] });
    const report = await approveShown(seat.desk, id);
    expect(report).toMatchObject({ state: "awaiting_approval", approval: { intent_id: id } });
    expect(said(report)).toBe("The policy does not take approval by pin (approve_by).");
  });

  it("says what to do about a rule that holds a yes back, not to ask for a yes", async () => {
    const { id } = await asked();
    // Another process has halted, and has not come to what waits yet.
    await unwrap(world.store.killSwitch.engage({ reason: "a test", by: "test", atMs: Date.now() }));
    const report = await approveShown(seat.desk, id);
    expect(report).toMatchObject({ state: "awaiting_approval", error: { code: "ELocal:Trading halted" } });
    expect(report.next_action).toBe(localFault("ELocal:Trading halted").nextAction);
  });
});

describe("an answer that fits no question", () => {
  it("is told why: no seal of ours, or a seal of ours over something else", async () => {
    const { id } = await asked();
    const { digest } = (await unwrap(world.store.journal.byId(id)))?.body.approval ?? {};
    const others = [
      {},
      { order: id },
      { digest },
      { order: 1, digest },
      { order: id, digest: 1 },
      { transfer: id, digest },
    ];
    const seals = await Promise.all(others.map((each) => unwrap(world.store.seal.sign(JSON.stringify(each)))));
    for (const seal of ["", ...seals]) {
      const report = await seat.desk.answerApproval({ seal, said: "yes", request: order });
      expect(report).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Approval mismatch" } });
      expect(said(report)).toBe("The answer does not carry the seal of a question asked here. Nothing was sent.");
    }
    expect(await stateOf(id)).toBe("awaiting_approval");
  });

  it("is told that the call asks for another order, or that the order is another one now", async () => {
    const { id } = await asked();
    const seal = await sealOf(id);
    const call = await seat.desk.answerApproval({ seal, said: "yes", request: { ...order, side: "sell" } });
    expect(said(call)).toBe("The call asks for another order than the one that was asked about. Nothing was sent.");
    const intent = await unwrap(world.store.journal.byId(id));
    if (intent === undefined) throw new Error("no such intent");
    const body = { ...intent.body, keyId: "another" };
    const change = { from: ["awaiting_approval"], to: "awaiting_approval", body } as const;
    await unwrap(world.store.journal.advance(id, change, Date.now()));
    expect(said(await approveShown(seat.desk, id))).toBe(
      "The order is not the one that was asked about. Nothing was sent.",
    );
    expect(sent()).toBe(0);
  });
});

describe("a question that is to be sealed", () => {
  it("is, for the call that asks for this very order, by its arguments or its draft", async () => {
    const { id } = await asked();
    expect(await sealShown(seat.desk, id, order)).toMatchObject({ ok: true });
    const preview = await seat.desk.preview({ ...order, base_volume: "0.002" });
    const draft = { draft_id: (preview.ok && preview.value.draft_id) || "" };
    const waiting = await seat.desk.place(draft);
    expect(await sealShown(seat.desk, waiting.intent_id ?? "", draft)).toMatchObject({ ok: true });
    expect(await sealShown(seat.desk, id, draft)).toMatchObject({ ok: false });
  });

  it("is not for a call whose answer would not count", async () => {
    const { id } = await asked();
    expect(await sealShown(seat.desk, id, { ...order, price: "100001000" })).toMatchObject({
      fault: {
        code: "ELocal:Approval mismatch",
        message: "The call asks for another order than the one that waits. Nothing was sent.",
      },
    });
    set({ approveBy: ["pin"] });
    expect(await sealShown(seat.desk, id, order)).toMatchObject({
      fault: { code: "ELocal:Not approved", message: "The policy does not take approval by client (approve_by)." },
    });
    policy.value = failed(localFault("ELocal:Store unavailable"));
    expect(await sealShown(seat.desk, id, order)).toMatchObject({ ok: false, fault: UNAVAILABLE });
    set({});
    await seat.desk.deny(id);
    expect(await sealShown(seat.desk, id)).toMatchObject({
      fault: { code: "ELocal:Not approved", message: "This order does not wait for approval." },
    });
  });
});

describe("an order that lapses when the yes comes", () => {
  it("was never let through, not even for a moment", async () => {
    const { id } = await asked();
    world.rest("sell", "150000000", "1");
    const moving = vi.spyOn(world.store.journal, "advance");
    expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "not_sent", state: "not_placed" });
    expect(moving.mock.calls.map(([, { to }]) => to)).toEqual(["lapsed"]);
    moving.mockRestore();
    expect(await stateOf(id)).toBe("lapsed");
  });
});

describe("whoever comes second", () => {
  it("changes nothing with a no to what was approved, and sees the order", async () => {
    const { id } = await asked();
    await approveShown(seat.desk, id);
    const report = await deny(seat, id);
    expect(report).toMatchObject({ outcome: "accepted", state: "open", intent_id: id });
    expect(report.warnings).toEqual(["This order does not wait for approval any more; nothing was sent now."]);
    expect(world.orders()[0]?.state).toBe("open");
  });

  it("sees, with a no at the same moment, what the yes made of it", async () => {
    const other = await world.seat({ policy, patient: true });
    const { id } = await asked();
    const denying = seat.stallBefore("advance");
    const no = seat.desk.deny(id);
    await denying.reached;
    expect(await approveShown(other.desk, id)).toMatchObject({ outcome: "accepted" });
    denying.goOn();
    expect(await no).toMatchObject({ value: { outcome: "accepted", state: "open", intent_id: id } });
    expect(await stateOf(id)).toBe("open");
  });

  it("sees, with a yes that the policy would not take any more, what the first made of it", async () => {
    const other = await world.seat({ policy, patient: true });
    const { id } = await asked();
    const { journal } = world.store;
    const standing = journal.usage.bind(journal);
    let goOn = (): void => {};
    const reached = new Promise<void>((tell) => {
      vi.spyOn(journal, "usage").mockImplementationOnce(async (...of) => {
        tell();
        await new Promise<void>((resolve) => (goOn = resolve));
        return standing(...of);
      });
    });
    set({ maxOpenOrders: 1 });
    const late = approveShown(seat.desk, id);
    await reached;
    expect(await approveShown(other.desk, id)).toMatchObject({ outcome: "accepted" });
    goOn();
    expect(await late).toMatchObject({ outcome: "accepted", state: "open", intent_id: id });
  });

  it("cancels, with a cancel at the same moment, what the yes has placed", async () => {
    const other = await world.seat({ policy, patient: true });
    const { id, userref } = await asked();
    const withdrawing = seat.stallBefore("advance");
    const canceling = seat.desk.cancel({ userref });
    await withdrawing.reached;
    expect(await approveShown(other.desk, id)).toMatchObject({ outcome: "accepted" });
    withdrawing.goOn();
    expect(await canceling).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(world.orders().map(({ state }) => state)).toEqual(["canceled"]);
  });

  it("learns that an order whose row cannot be read again does not wait, and no more than that", async () => {
    const { id } = await asked();
    await seat.desk.deny(id);
    const intent = await unwrap(world.store.journal.byId(id));
    for (const then of [storeBroken, async () => ok(undefined)]) {
      const reading = vi.spyOn(world.store.journal, "byId");
      reading.mockImplementationOnce(async () => ok(intent)).mockImplementationOnce(then);
      const report = await approveShown(seat.desk, id);
      reading.mockRestore();
      expect(report).toMatchObject({ outcome: "unknown", state: "unknown", intent_id: id });
      expect(report.next_action).toContain("get_order");
      expect(said(report)).toBe("This order does not wait for approval any more.");
    }
  });
});

describe("another account's order", () => {
  it("cannot be approved, denied, asked about or listed", async () => {
    const { id } = await asked();
    const stranger = await world.seat({ policy, scope: "elsewhere" });
    const unknown = { code: "ELocal:Unknown order" } as const;
    expect(await approveShown(stranger.desk, id)).toMatchObject({ outcome: "not_sent", error: unknown });
    expect(await stranger.desk.deny(id)).toMatchObject({ ok: false, fault: unknown });
    expect(await sealShown(stranger.desk, id)).toMatchObject({ ok: false, fault: unknown });
    const answer = { seal: await sealOf(id), said: "yes" as const, request: order };
    expect(await stranger.desk.answerApproval(answer)).toMatchObject({ outcome: "not_sent", error: unknown });
    expect(await stranger.desk.pending()).toMatchObject({ ok: true, value: { pending: [] } });
    expect(await stateOf(id)).toBe("awaiting_approval");
  });
});

describe("where something is broken nothing is sent and the order goes on waiting:", () => {
  it("the store cannot be read", async () => {
    const { id } = await asked();
    const seal = await sealOf(id);
    const spies = [
      vi.spyOn(world.store.journal, "byId").mockImplementation(storeBroken),
      vi.spyOn(world.store.journal, "inStates").mockImplementation(storeBroken),
    ];
    expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "not_sent", error: UNAVAILABLE });
    expect(await seat.desk.deny(id)).toMatchObject({ ok: false, fault: UNAVAILABLE });
    expect(await sealShown(seat.desk, id)).toMatchObject({ ok: false, fault: UNAVAILABLE });
    const answer = { seal, said: "yes" as const, request: order };
    expect(await seat.desk.answerApproval(answer)).toMatchObject({ outcome: "not_sent", error: UNAVAILABLE });
    expect(await seat.desk.pending()).toMatchObject({ ok: false, fault: UNAVAILABLE });
    expect(await seat.desk.place({ ...order, userref: "more" })).toMatchObject({ error: UNAVAILABLE });
    for (const spy of spies) spy.mockRestore();
    expect(await stateOf(id)).toBe("awaiting_approval");
    expect(sent()).toBe(0);
  });

  it("the store cannot be written", async () => {
    const { id, userref } = await asked();
    world.breakStore(true);
    expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "not_sent", error: UNAVAILABLE });
    expect(await seat.desk.deny(id)).toMatchObject({ ok: false, fault: UNAVAILABLE });
    expect(await seat.desk.cancel({ userref })).toMatchObject({ outcome: "not_sent", error: UNAVAILABLE });
    world.rest("sell", "150000000", "1");
    expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "not_sent", error: UNAVAILABLE });
    world.breakStore(false);
    expect(await stateOf(id)).toBe("awaiting_approval");
    expect(sent()).toBe(0);
  });

  it("the seal cannot be read or made", async () => {
    const { id } = await asked();
    const answer = { seal: await sealOf(id), said: "yes" as const, request: order };
    vi.spyOn(world.store.seal, "open").mockImplementationOnce(storeBroken);
    expect(await seat.desk.answerApproval(answer)).toMatchObject({ outcome: "not_sent", error: UNAVAILABLE });
    vi.spyOn(world.store.seal, "sign").mockImplementationOnce(storeBroken);
    expect(await sealShown(seat.desk, id)).toMatchObject({ ok: false, fault: UNAVAILABLE });
    expect(await stateOf(id)).toBe("awaiting_approval");
  });

  it("the exchange does not say whose key it is", async () => {
    const { id } = await asked();
    const fresh = await world.seat({ policy });
    world.proxy.down(true);
    // It is not said that there is no such order.
    const unchecked = { code: "ELocal:Not checked" };
    const unsent = { outcome: "not_sent", account: "unknown", error: unchecked };
    expect(await approveShown(fresh.desk, id)).toMatchObject(unsent);
    expect(await fresh.desk.deny(id)).toMatchObject({ ok: false, fault: unchecked });
    expect(await fresh.desk.pending()).toMatchObject({ ok: false });
    expect(await sealShown(fresh.desk, id)).toMatchObject({ ok: false });
    world.proxy.down(false);
    expect(await stateOf(id)).toBe("awaiting_approval");
    expect(sent()).toBe(0);
  });
});
