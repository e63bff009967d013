/** What the journal lacks in a store that was put back from a copy, and what a person's go is then for. Source: decision 0100. */
import { describe, expect, it } from "vitest";
import type { OrderRequest, ResumeReport, SinceCopy } from "../../../src/desk/index.ts";
import { has } from "../../fixture/desk-over-sandbox.ts";
import { placeOwn } from "../../fixture/own-orders.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

openWorldPerTest();

const MINUTE_MS = 60_000;
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };

/** Writes what a store says of itself at its opening when it was put back. @param lastMs the time of the newest step in the copy, from now */
async function putBack(lastMs: number): Promise<void> {
  const { audit } = world.store;
  await unwrap(audit.append({ event: "pin_set", account: "", detail: {} }, world.clock.now() + lastMs));
  const [newest] = await unwrap(audit.recent({ limit: 1 }));
  const detail = { why: "older", rows_before: 900, rows_now: newest?.seq, succeeds: [] };
  await unwrap(audit.append({ event: "restored", account: "", detail }, world.clock.now()));
  // As at the opening: nothing is canceled, which Coinone would list no more.
  await unwrap(world.store.killSwitch.engage({ reason: "put back", by: "hoga", atMs: world.clock.now() }));
}

/** Another program of the account, whose orders the journal does not know. @returns the id of an order of it */
async function placedElsewhere(): Promise<string> {
  const other = await world.seat({ freshStore: true });
  const { order: shown, outcome } = await other.desk.place({ ...order, userref: `elsewhere-${world.orders().length}` });
  expect(outcome).toBe("accepted");
  return shown?.orderId ?? world.orders()[0]?.orderId ?? "";
}

async function listed(): Promise<SinceCopy> {
  const list = await unwrap(seat.desk.sinceCopy());
  if (list === undefined) throw new Error("it is not seen that the store was put back");
  return list;
}

/** Whether trading goes on, and the code of the fault where it does not. */
const outcomeOf = ({ resumed, error }: ResumeReport) => [resumed, error?.code];
const resumed = async () => {
  const rows = await unwrap(world.store.audit.recent({ event: "resumed", limit: 10 }));
  return rows.map(({ detail }) => detail);
};

describe("the orders since the copy", () => {
  it("are those that the journal lacks, from its newest step on", async () => {
    const known = await seat.desk.place({ ...order, userref: "known" });
    expect(known).toMatchObject({ outcome: "accepted" });
    const unknown = await placedElsewhere();
    await putBack(-10 * MINUTE_MS);
    const list = await listed();
    expect(list.orders).toMatchObject([{ orderId: unknown, symbol: "BTC/KRW", side: "buy" }]);
    expect(list).toMatchObject({ complete: true, account: expect.any(String) as string });
    expect(await seat.desk.resume("a person", { shown: list.digest })).toMatchObject({ resumed: true });
    expect(await resumed()).toMatchObject([{ by: "a person", since_copy: { orders: [unknown] } }]);
    expect(await unwrap(seat.desk.sinceCopy())).toBeUndefined();
    world.clock.skewMs = 10 * MINUTE_MS;
    world.venueClock.skewMs = 10 * MINUTE_MS;
    await putBack(0);
    expect((await listed()).orders).toEqual([]);
    const later = await placedElsewhere();
    expect((await listed()).orders).toMatchObject([{ orderId: later }]);
  });

  it("are looked for from the first of several copies on", async () => {
    const unknown = await placedElsewhere();
    await putBack(-10 * MINUTE_MS);
    world.clock.skewMs = 10 * MINUTE_MS;
    world.venueClock.skewMs = 10 * MINUTE_MS;
    await putBack(0);
    expect((await listed()).orders.map(({ orderId }) => orderId)).toEqual([unknown]);
  });

  it("have none whose answer is missing in the copy alone", async () => {
    const dying = await world.seat({ crashAt: "answered" });
    void dying.desk.place({ ...order, userref: "unanswered" });
    await dying.died;
    await putBack(-10 * MINUTE_MS);
    expect(world.orders()).toHaveLength(1);
    expect((await listed()).orders).toEqual([]);
  });

  // Put straight into the engine, under ids of the specified exchange.
  it.runIf(has("words"))("are read to the end, and said to be more where there are too many to read", async () => {
    await putBack(-10 * MINUTE_MS);
    const all = placeOwn(world, 130);
    const list = await listed();
    expect(new Set(list.orders.map(({ orderId }) => orderId))).toEqual(new Set(all));
    expect(list.complete).toBe(true);
    placeOwn(world, 400);
    expect(await listed()).toMatchObject({ complete: false, orders: { length: 500 } });
  });
});

describe("a person's go", () => {
  it("is for exactly the list that was shown", async () => {
    await placedElsewhere();
    await putBack(-10 * MINUTE_MS);
    const list = await listed();
    const unshown = await seat.desk.resume("a person");
    expect(outcomeOf(unshown)).toEqual([false, "ELocal:Not approved"]);
    expect(unshown.since_copy).toEqual(list);
    expect(outcomeOf(await seat.desk.resume("a person", { unseen: true }))).toEqual([false, "ELocal:Not approved"]);
    const newest = await placedElsewhere();
    const late = await seat.desk.resume("a person", { shown: list.digest });
    expect(outcomeOf(late)).toEqual([false, "ELocal:Not approved"]);
    expect(late.since_copy?.orders.map(({ orderId }) => orderId)).toContain(newest);
    expect(await seat.desk.place(order)).toMatchObject({ error: { code: "ELocal:Trading halted" } });
    expect(await resumed()).toEqual([]);
    expect(outcomeOf(await seat.desk.resume("a person", { shown: late.since_copy?.digest }))).toEqual([
      true,
      undefined,
    ]);
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });

  it("needs another word where the exchange cannot be asked, which the log keeps", async () => {
    await putBack(-10 * MINUTE_MS);
    world.proxy.plan(/orders/, "refuse", 200);
    expect(outcomeOf(await seat.desk.resume("a person"))).toMatchObject([false, expect.stringMatching(/^E/)]);
    expect(await resumed()).toEqual([]);
    expect(outcomeOf(await seat.desk.resume("a person", { unseen: true }))).toEqual([true, undefined]);
    expect(await resumed()).toMatchObject([{ since_copy: { unseen: expect.any(String) as string } }]);
  });

  it("asks the exchange nothing in a store that was not put back", async () => {
    await placedElsewhere();
    await seat.desk.halt("enough", "a person");
    const before = world.proxy.deliveries(/./);
    expect(await unwrap(seat.desk.sinceCopy())).toBeUndefined();
    expect(await seat.desk.resume("a person")).toMatchObject({ resumed: true });
    expect(world.proxy.deliveries(/./)).toBe(before);
    expect(await resumed()).toEqual([{ by: "a person" }]);
  });
});
