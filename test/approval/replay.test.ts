/** Whoever gets hold of questions and answers of a person's client, and sends them again, or for something else. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cleanUp, run } from "../fixture/command-line.ts";
import { venueOrders } from "../fixture/witness.ts";
import { confirmHome, LIMIT, setPolicy, waitingIn } from "./home.ts";
import { openHttpWire, openStdioWire, type RpcAnswer, serveHttp, type Wire } from "./wire.ts";

// Many commands one after the other, as real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

const MODERN = "2026-07-28";
const FORMS = { elicitation: { form: {} } };
const YES = { approval: { action: "accept", content: { approve: true } } };

const placing = (wire: Wire, args: object, more: object = {}): Promise<RpcAnswer> =>
  wire.request("tools/call", { name: "place_order", arguments: args, ...more });
const structured = (answer: RpcAnswer) => (answer.result?.["structuredContent"] ?? {}) as Record<string, unknown>;

/** The state of the question that an order leads to. */
async function stateOf(wire: Wire, args: object): Promise<string> {
  const { result } = await placing(wire, args);
  expect(result).toMatchObject({
    resultType: "input_required",
    inputRequests: { approval: { method: "elicitation/create" } },
  });
  return String(result?.["requestState"]);
}

const MISMATCH = { outcome: "not_sent", state: "denied", error: { code: "ELocal:Approval mismatch" } };

describe("questions and answers of a person", () => {
  let home: string;
  let person: Wire;
  let others: readonly Wire[];
  beforeAll(async () => {
    home = await confirmHome();
    const address = await serveHttp(home);
    person = await openHttpWire(address, MODERN, FORMS);
    others = await Promise.all([
      openHttpWire(address, MODERN, FORMS),
      openStdioWire(home, MODERN, FORMS),
      openHttpWire(address, MODERN),
      openHttpWire(address, "2025-11-25"),
      openStdioWire(home, "2025-11-25"),
    ]);
  });

  const a = { ...LIMIT, base_volume: "0.001", userref: "a" };
  const b = { ...LIMIT, base_volume: "0.002", userref: "b" };
  let stateA = "";
  let stateB = "";

  it("are worth nothing to a client that shows none", async () => {
    stateA = await stateOf(person, a);
    stateB = await stateOf(person, b);
    for (const wire of others.slice(2))
      expect(structured(await placing(wire, a, { requestState: stateA, inputResponses: YES }))).toMatchObject(MISMATCH);
    expect(await venueOrders(home)).toEqual([]);
  });

  it("count for that order only, with every field as it was shown", async () => {
    const { price: _price, base_volume: _volume, ...bare } = a;
    const compliance = {
      vasp_purpose_code: "P2B_TRADE",
      originator_vasp_id: "v-1",
      kyc_level: "TIER2",
      settlement_mode: "INSTANT_KRW",
    };
    const edited: readonly object[] = [
      { ...a, symbol: "ETH/KRW" },
      { ...a, side: "sell" },
      { ...a, type: "market", price: undefined },
      { ...bare, type: "market", quote_amount: "90000" },
      { ...a, base_volume: "0.0010001" },
      { ...a, base_volume: "0.01" },
      { ...a, price: "90001000" },
      { ...a, time_in_force: "IOC" },
      { ...a, post_only: true },
      { ...a, userref: "a2" },
      { ...a, compliance },
      { draft_id: "a" },
      b,
    ];
    for (const order of edited)
      expect({
        order,
        ...structured(await placing(person, order, { requestState: stateA, inputResponses: YES })),
      }).toMatchObject({ outcome: "not_sent", state: "denied", order });
    expect(structured(await placing(person, a, { requestState: stateB, inputResponses: YES }))).toMatchObject(MISMATCH);
    const cut = [
      stateA.slice(0, -1),
      `${stateA}A`,
      stateA.replace(".", ".."),
      `${stateB.split(".")[0]}.${stateA.split(".")[1]}`,
    ];
    for (const requestState of cut)
      expect(structured(await placing(person, a, { requestState, inputResponses: YES }))).toMatchObject(MISMATCH);
    expect(await venueOrders(home)).toEqual([]);
    expect((await waitingIn(home)).map(({ userref }) => userref).sort()).toEqual(["a", "b"]);
  });

  it("count once: sent again they lead to the existing order, and in another session to nothing", async () => {
    const answer = { requestState: stateA, inputResponses: YES };
    const placed = structured(await placing(person, a, answer));
    expect(placed).toMatchObject({ outcome: "accepted", userref: "a" });
    const again = await Promise.all([person, person, ...others.slice(0, 1)].map((wire) => placing(wire, a, answer)));
    for (const each of again)
      expect(structured(each)).toMatchObject({ intent_id: placed["intent_id"], outcome: "accepted" });
    for (const stdio of others.slice(1, 2)) expect(structured(await placing(stdio, a, answer))).toMatchObject(MISMATCH);
    expect(await venueOrders(home)).toHaveLength(1);
    // Not for another order either, now that one was approved.
    for (const wire of [person, ...others]) expect(structured(await placing(wire, b, answer))).toMatchObject(MISMATCH);
    expect(await venueOrders(home)).toHaveLength(1);
  });

  it("do not place the order anew after it was canceled, or asked for a second time", async () => {
    const answer = { requestState: stateA, inputResponses: YES };
    const canceled = await person.request("tools/call", { name: "cancel_order", arguments: { userref: "a" } });
    expect(structured(canceled)).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(structured(await placing(person, a, answer))).toMatchObject({ state: "canceled" });
    const { userref: _a, ...same } = a;
    const second = await stateOf(person, same);
    expect(structured(await placing(person, same, answer))).toMatchObject({ state: "canceled" });
    expect((await venueOrders(home)).map(({ userref, state }) => [userref, state])).toEqual([["a", "canceled"]]);
    // Only the second question's own answer places the second order.
    expect(structured(await placing(person, same, { requestState: second, inputResponses: YES }))).toMatchObject({
      outcome: "accepted",
    });
    expect(await venueOrders(home)).toHaveLength(2);
  });

  it("do not place what a person has denied since, by two answers at once or one after the other", async () => {
    expect((await run(["deny", "b"], { home })).code).toBe(0);
    const answer = { requestState: stateB, inputResponses: YES };
    const late = await Promise.all([person, ...others.slice(0, 2)].map((wire) => placing(wire, b, answer)));
    for (const each of late) expect(structured(each)).toMatchObject({ outcome: "not_sent", state: "denied" });
    expect(await venueOrders(home)).toHaveLength(2);
  });

  it("place one order when they arrive many times at once", async () => {
    const c = { ...LIMIT, base_volume: "0.003", userref: "c" };
    const requestState = await stateOf(person, c);
    // The witness asks with the same key, and the lane does not know of it: together they may be more calls in a second than the exchange takes.
    await pause(1_000);
    const wires = [person, others[0], others[1], person, others[0], others[1]].filter((wire) => wire !== undefined);
    const answers = await Promise.all(wires.map((wire) => placing(wire, c, { requestState, inputResponses: YES })));
    expect(answers.map((each) => structured(each)["outcome"])).toContain("accepted");
    expect((await venueOrders(home)).filter(({ userref }) => userref === "c")).toHaveLength(1);
  });
});

describe("a program that answers forms by itself", () => {
  it("is a person as far as anybody can see, until the policy takes the PIN alone", async () => {
    const home = await confirmHome();
    const robot = await openHttpWire(await serveHttp(home), MODERN, FORMS);
    const answering = async (order: object): Promise<Record<string, unknown>> => {
      const asked = await placing(robot, order);
      const { requestState } = asked.result ?? {};
      return requestState === undefined
        ? structured(asked)
        : structured(await placing(robot, order, { requestState, inputResponses: YES }));
    };
    expect(await answering({ ...LIMIT, userref: "first" })).toMatchObject({ outcome: "accepted" });
    const left = { ...LIMIT, base_volume: "0.002", userref: "left" };
    const requestState = await stateOf(robot, left);

    setPolicy(home, { approve_by: '["pin"]' });
    const second = { ...LIMIT, base_volume: "0.003", userref: "second" };
    expect(await answering(second)).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
    // A question that was put before the policy changed is no way around it.
    const late = structured(await placing(robot, left, { requestState, inputResponses: YES }));
    expect(late).toMatchObject({
      outcome: "not_sent",
      state: "awaiting_approval",
      error: { code: "ELocal:Not approved" },
    });
    expect((await waitingIn(home)).map(({ userref }) => userref).sort()).toEqual(["left", "second"]);
    expect((await venueOrders(home)).map(({ userref }) => userref)).toEqual(["first"]);
  });
});
