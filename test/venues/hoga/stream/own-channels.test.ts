import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Fill, localFault, type Order } from "../../../../src/contract/index.ts";
import type { Stream } from "../../../../src/venues/index.ts";
import { order as sample } from "../../../fixture/order-sample.ts";
import { type Call, eventually, fillOf, ScriptedVenue, settle, timeAt } from "./scripted-venue.ts";

let venue: ScriptedVenue;
let stream: Stream;
beforeEach(async () => {
  venue = await ScriptedVenue.open();
  stream = venue.stream();
});
afterEach(() => venue.close());

const id = (number: number): string => `01999f3e-7a10-7c31-9a52-${String(number).padStart(12, "0")}`;

function orderOf(number: number, change: Partial<Order> = {}): Order {
  const orderId = id(number);
  return {
    ...sample,
    uuid: orderId,
    orderId,
    txid: [orderId],
    created_at: timeAt(number),
    updated_at: timeAt(number),
    ...change,
  };
}

/** Ends this connection and returns the next one. */
async function reconnected(call: Call): Promise<Call> {
  const number = venue.calls.indexOf(call) + 1;
  call.web.close();
  await eventually(() => stream.state === "connecting");
  await venue.clock.advance(2_000);
  return venue.call(number);
}

function gate(): readonly [Promise<void>, () => void] {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, open];
}

describe("fills", () => {
  const received: string[] = [];
  beforeEach(() => {
    received.length = 0;
    stream.fills(({ trade_id: trade }) => received.push(trade));
  });
  /** A fill that the service lists by REST. */
  const made = (number: number, atMs = number): Fill => {
    const fill = fillOf(number, atMs);
    venue.account.fills.push(fill);
    return fill;
  };

  it("are delivered from now on: those of the first snapshot are history", async () => {
    const call = await venue.call();
    await call.grant("fills", { seq: 7, fills: [made(1), made(2)] });
    call.update("fills", { seq: 8, fills: [made(3), made(4)] });
    await eventually(() => received.length === 2);
    expect(received).toEqual(["3", "4"]);
    // Nothing can have been missed, so nothing was read.
    expect(venue.account.reads).toEqual(["token"]);
  });

  it("when a gap held them, come by REST, oldest first, before the stream is live, and none twice", async () => {
    const call = await venue.call();
    await call.grant("fills", { seq: 7, fills: [made(1)] });
    call.update("fills", { seq: 8, fills: [made(2)] });
    await eventually(() => received.length === 1);
    const second = await reconnected(call);
    const missed = [made(3), made(4), made(5)];
    const [slow, answer] = gate();
    const { id: asked } = await second.asked("fills");
    venue.account.held = slow;
    second.send({ op: "ack", id: asked, ok: true });
    const seen = [...venue.account.fills];
    second.send({ channel: "fills", symbol: null, type: "snapshot", time: timeAt(9), seq: 3, fills: seen });
    // Happens while REST answers, and REST lists it too.
    const during = made(6);
    second.update("fills", { seq: 4, fills: [during] });
    await settle();
    expect([stream.state, received]).toEqual(["syncing", ["2"]]);
    answer();
    await eventually(() => stream.state === "live");
    second.update("fills", { seq: 5, fills: [made(7)] });
    await eventually(() => received.length === 6);
    expect(received).toEqual(["2", ...missed.map((fill) => fill.trade_id), "6", "7"]);
    expect(venue.account.reads).toContain("fills from -59998");
  });

  it("all arrive when the gap is longer than a snapshot and a page", async () => {
    const call = await venue.call();
    await call.grant("fills", { seq: 7, fills: [] });
    await eventually(() => stream.state === "live");
    const second = await reconnected(call);
    for (let number = 1; number <= 250; number++) made(number, number * 10_000);
    await second.grant("fills", { seq: 1, fills: venue.account.fills.slice(-100) });
    await eventually(() => stream.state === "live");
    expect(received).toEqual(venue.account.fills.map((fill) => fill.trade_id));
  });

  it("do not include history that a full first snapshot left out", async () => {
    const call = await venue.call();
    for (let number = 1; number <= 150; number++) made(number);
    await call.grant("fills", { seq: 7, fills: venue.account.fills.slice(-100) });
    await eventually(() => stream.state === "live");
    const second = await reconnected(call);
    made(151);
    await second.grant("fills", { seq: 1, fills: venue.account.fills.slice(-100) });
    await eventually(() => stream.state === "live");
    expect(received).toEqual(["151"]);
  });

  it("when a gap held them, the stream asks for them until REST answers; meanwhile nothing is live", async () => {
    const call = await venue.call();
    await call.grant("fills", { seq: 7, fills: [] });
    const second = await reconnected(call);
    made(1);
    const { id: asked } = await second.asked("fills");
    venue.account.fault = localFault("ELocal:No answer");
    second.send({ op: "ack", id: asked, ok: true });
    second.send({ channel: "fills", symbol: null, type: "snapshot", time: timeAt(9), seq: 3, fills: [] });
    await eventually(() => venue.notices.some((each) => each.type === "refused"));
    await venue.clock.advance(3_000);
    expect([stream.state, received]).toEqual(["syncing", []]);
    venue.account.fault = undefined;
    await venue.clock.advance(3_000);
    expect([stream.state, received]).toEqual(["live", ["1"]]);
  });

  it("missing in the sequence are requested over the same connection", async () => {
    const call = await venue.call();
    await call.grant("fills", { seq: 7, fills: [] });
    made(1);
    call.update("fills", { seq: 9, fills: [made(2)] });
    await call.grant("fills", { seq: 9, fills: venue.account.fills });
    await eventually(() => stream.state === "live");
    expect([received, venue.calls.length, venue.resubscribed]).toEqual([["1", "2"], 1, ["fills: update 9 after 7"]]);
  });

  it("lost without a trace are found by a check every minute", async () => {
    const call = await venue.call();
    await call.grant("fills", { seq: 7, fills: [] });
    await eventually(() => stream.state === "live");
    made(1);
    for (let beat = 0; beat < 13; beat++) {
      await venue.clock.advance(5_000);
      call.send({ op: "heartbeat", time: timeAt(0) });
      await settle();
    }
    expect(received).toEqual(["1"]);
    // If it was only late, it is not delivered twice.
    call.update("fills", { seq: 8, fills: [fillOf(1)] });
    await settle();
    expect(received).toEqual(["1"]);
  });
});

describe("orders", () => {
  const received: string[] = [];
  beforeEach(() => {
    received.length = 0;
    stream.orders(({ orderId, state, executed_volume: done }) =>
      received.push(`${Number(orderId.slice(-4))} ${state} ${done}`),
    );
  });

  it("are delivered as they change, never an older version after a newer", async () => {
    const call = await venue.call();
    await call.grant("orders", { seq: 1, orders: [orderOf(1), orderOf(2)] });
    call.update("orders", { seq: 2, orders: [orderOf(1, { executed_volume: "0.01" })] });
    call.update("orders", { seq: 3, orders: [orderOf(1, { executed_volume: "0.005" })] });
    call.update("orders", { seq: 4, orders: [orderOf(2, { state: "canceled" })] });
    call.update("orders", { seq: 5, orders: [orderOf(2)] });
    await settle();
    expect(received).toEqual(["1 open 0", "2 open 0", "1 open 0.01", "2 canceled 0"]);
  });

  it("when they ended in a gap, or were placed and ended in it, arrive before the stream is live", async () => {
    const call = await venue.call();
    const { orders } = venue.account;
    // It ended before the first snapshot: the service still lists it, but it is history.
    orders.push(orderOf(1, { state: "filled" }));
    await call.grant("orders", { seq: 1, orders: [orderOf(2), orderOf(3)], time: timeAt(3) });
    await eventually(() => received.length === 2);
    orders.push(orderOf(2), orderOf(3, { state: "filled", updated_at: timeAt(4) }), orderOf(5, { state: "expired" }));
    orders.push(orderOf(6));
    const second = await reconnected(call);
    await second.grant("orders", { seq: 9, orders: [orderOf(2), orderOf(6)] });
    await eventually(() => stream.state === "live");
    expect(received.slice(2).sort()).toEqual(["3 filled 0", "5 expired 0", "6 open 0"]);
  });

  it("older than the list are read one by one", async () => {
    const call = await venue.call();
    await call.grant("orders", { seq: 1, orders: [orderOf(1), orderOf(200_000)] });
    await eventually(() => received.length === 2);
    venue.account.orders.push(orderOf(1, { state: "canceled" }), orderOf(200_000));
    const second = await reconnected(call);
    await second.grant("orders", { seq: 9, orders: [orderOf(200_000)] });
    await eventually(() => stream.state === "live");
    expect(received.slice(2)).toEqual(["1 canceled 0"]);
    expect(venue.account.reads).toContain(`order ${id(1)}`);
  });

  it("when only the trade history of the gap names them, the stream reads them one by one", async () => {
    const call = await venue.call();
    await call.grant("orders", { seq: 1, orders: [], time: timeAt(3) });
    await eventually(() => stream.state === "live");
    // History: the first snapshot has what came of it.
    venue.account.fills.push({ ...fillOf(1, 2), orderId: id(1) });
    for (const number of [2, 3, 4]) venue.account.fills.push({ ...fillOf(number, 4), orderId: id(7) });
    venue.account.unlisted.push(orderOf(1, { state: "filled" }), orderOf(7, { state: "filled" }));
    const second = await reconnected(call);
    await second.grant("orders", { seq: 9, orders: [], time: timeAt(9) });
    await eventually(() => stream.state === "live");
    expect(received).toEqual(["7 filled 0"]);
    expect(venue.account.reads.filter((read) => read.startsWith("order "))).toEqual([`order ${id(7)}`]);
    // Page by page.
    expect(venue.account.reads.filter((read) => read.startsWith("fills"))).toHaveLength(2);
  });

  it("can be read at any time while they are open", async () => {
    const orders = stream.orders(() => {});
    expect(orders.value).toBeUndefined();
    const call = await venue.call();
    await call.grant("orders", { seq: 1, orders: [orderOf(1), orderOf(2)] });
    await eventually(() => orders.live);
    call.update("orders", { seq: 2, orders: [orderOf(1, { state: "filled" })] });
    await eventually(() => orders.value?.length === 1);
    expect(orders.value).toEqual([orderOf(2)]);
  });
});

describe("balances", () => {
  const balance = (asset: string, available: string) => ({ asset, total: available, available, locked: "0" });

  it("are delivered where they changed, and after a gap are those of REST with later updates", async () => {
    const received: string[][] = [];
    const balances = stream.balances((changed) =>
      received.push(changed.map(({ asset, total }) => `${asset} ${total}`)),
    );
    const call = await venue.call();
    await call.grant("balances", { seq: 1, balances: [balance("KRW", "100"), balance("BTC", "1")] });
    call.update("balances", { seq: 2, balances: [balance("KRW", "90")] });
    await eventually(() => received.length === 2);
    const second = await reconnected(call);
    // A deposit after the snapshot, whose event has not arrived yet.
    venue.account.balances = [balance("KRW", "70"), balance("BTC", "2")];
    await second.grant("balances", { seq: 5, balances: [balance("KRW", "80"), balance("BTC", "1")] });
    await eventually(() => stream.state === "live");
    second.update("balances", { seq: 6, balances: [balance("KRW", "70"), balance("BTC", "2")] });
    await settle();
    expect(received).toEqual([["KRW 100", "BTC 1"], ["KRW 90"], ["KRW 70", "BTC 2"]]);
    expect(balances.value).toEqual(venue.account.balances);
  });
});

describe("several own channels", () => {
  it("close their gaps with one token before the stream is live", async () => {
    stream.fills(() => {});
    stream.orders(() => {});
    stream.balances(() => {});
    const grantAll = async (call: Call): Promise<void> => {
      await call.grant("fills", { seq: 1, fills: [] });
      await call.grant("orders", { seq: 1, orders: [] });
      await call.grant("balances", { seq: 1, balances: [] });
    };
    const call = await venue.call();
    await grantAll(call);
    await stream.until("live");
    const states: string[] = [];
    stream.onState((state) => states.push(`${state} after ${venue.account.reads.length}`));
    await grantAll(await reconnected(call));
    await eventually(() => stream.state === "live");
    const [fills, ofOrders] = ["fills from the first", "fills from -60000"];
    expect(venue.account.reads).toEqual(["token", "token", fills, "orders", "accounts", ofOrders]);
    expect(states.at(-1)).toBe("live after 6");
  });
});
