import { describe, expect, it } from "vitest";
import { localFault, type Order } from "../../../src/contract/index.ts";
import { INTENT_STATES, type IntentRecord, type IntentState } from "../../../src/desk/index.ts";
import { changeShownBy, holdAfter, notPlaced, updateFrom } from "../../../src/desk/model/intent-transition.ts";
import { order } from "../../fixture/order-sample.ts";

const EXECUTED: Partial<Order> = { executed_volume: "0.005", executed_value: "475000.01", remaining_volume: "0.01" };
const body: IntentRecord["body"] = {
  order: { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.015", price: "95000000" },
  environment: "sandbox",
  keyId: "k",
  digest: "",
  fault: localFault("ELocal:No answer"),
};
const { fault: _lost, ...resolved } = body;

function shown(change: Partial<Order> = {}): Order {
  return { ...order, ...change };
}

function intent(state: IntentState, seen?: Order): IntentRecord {
  return {
    intentId: "i-1",
    account: "paper",
    userref: "desk-1",
    state,
    nonce: "1",
    orderId: order.orderId,
    body: seen === undefined ? body : { ...resolved, seen },
    createdAtMs: 0,
    updatedAtMs: 0,
    held: "1425000",
    isLive: true,
    unit: "KRW",
    sentAtMs: 0,
  };
}

describe("what an intent counts for", () => {
  it("is nothing, and no open order, once it is known that it has no effect", () => {
    for (const state of ["denied", "lapsed", "rejected", "not_placed"] as const)
      for (const seen of [undefined, shown(EXECUTED)])
        expect(holdAfter(state, seen, "KRW")).toEqual({ value: "0", isLive: false });
  });

  it("is what executed once it has ended, in whole KRW, rounded up", () => {
    for (const state of ["filled", "canceled", "expired"] as const) {
      expect(holdAfter(state, shown(EXECUTED), "KRW")).toEqual({ value: "475001", isLive: false });
      expect(holdAfter(state, shown({ executed_value: "475000" }), "KRW")).toEqual({ value: "475000", isLive: false });
      expect(holdAfter(state, undefined, "KRW")).toEqual({ value: "0", isLive: false });
    }
  });

  it("stays as it is in every other state", () => {
    const changing = ["denied", "lapsed", "rejected", "not_placed", "filled", "canceled", "expired"];
    for (const state of INTENT_STATES.filter((each) => !changing.includes(each)))
      expect(holdAfter(state, shown(EXECUTED), "KRW")).toBeUndefined();
  });
});

describe("an order that the venue shows", () => {
  it("resolves its intent, whose fault is gone", () => {
    expect(changeShownBy({ body, unit: "KRW" }, shown())).toEqual({
      to: "open",
      orderId: order.orderId,
      body: { ...resolved, seen: shown() },
    });
    const canceled = shown({ state: "canceled", ...EXECUTED });
    expect(changeShownBy({ body, unit: "KRW" }, canceled)).toEqual({
      to: "canceled",
      orderId: order.orderId,
      body: { ...resolved, seen: canceled },
      hold: { value: "475001", isLive: false },
    });
  });

  it("moves its intent on without waiting for the disk, from the state it was seen in", () => {
    const seen = shown(EXECUTED);
    const partly = { from: ["open"], to: "partially_filled", orderId: order.orderId, body: { ...resolved, seen } };
    expect(updateFrom(intent("open"), seen)).toEqual({ ...partly, lazy: true });
    expect(updateFrom(intent("open", shown()), seen)).toEqual({ ...partly, lazy: true });
    expect(updateFrom(intent("partially_filled"), seen)?.body?.seen).toEqual(seen);
    const more = shown({ executed_volume: "0.006" });
    expect(updateFrom(intent("partially_filled", seen), more)?.body?.seen).toEqual(more);
  });

  it("adds nothing where it is as it was, or older, or the intent has ended", () => {
    expect(updateFrom(intent("partially_filled", shown(EXECUTED)), shown(EXECUTED))).toBeUndefined();
    const older = shown({ ...EXECUTED, executed_volume: "0.004" });
    expect(updateFrom(intent("partially_filled", shown(EXECUTED)), older)).toBeUndefined();
    expect(updateFrom(intent("partially_filled", shown(EXECUTED)), { ...older, state: "canceled" })).toBeUndefined();
    expect(updateFrom(intent("open", shown()), shown())).toBeUndefined();
    expect(updateFrom(intent("filled"), shown({ state: "canceled" }))).toBeUndefined();
  });

  it("is open again after a cancel only where the cancel is proven to have had no effect", () => {
    const requested = intent("cancel_requested", shown());
    expect(updateFrom(requested, shown())).toBeUndefined();
    expect(updateFrom(requested, shown(EXECUTED))).toBeUndefined();
    expect(updateFrom(requested, shown(), true)?.to).toBe("open");
    expect(updateFrom(requested, shown({ state: "canceled" }))?.to).toBe("canceled");
  });
});

describe("an order that was not placed", () => {
  it("counts for nothing, not even as sent, and says who knows it", () => {
    const { fault, ...rest } = notPlaced({ body, held: "7" }).body ?? body;
    expect({ ...notPlaced({ body, held: "7" }), body: rest }).toEqual({
      to: "not_placed",
      body: resolved,
      unsend: true,
      hold: { value: "0", isLive: false },
    });
    expect(fault?.code).toBe("ELocal:Not placed");
    expect(fault?.message).not.toContain("person");
    const said = notPlaced({ body: { ...body, settledBy: "person" }, held: "7" });
    expect(said.body?.fault?.message).toContain("A person has looked");
    // It counts again where the venue shows it after all.
    expect(said).toMatchObject({ hold: { value: "0", isLive: false }, body: { heldBeforeWord: "7" } });
  });
});
