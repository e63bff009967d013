/** What the journal lacks in a store that was put back from a copy, and what a person's go is then for. Source: decision 0100. */
import { describe, expect, it } from "vitest";
import type { OrderRequest, ResumeReport, SinceCopy } from "../../../src/desk/index.ts";
import { placeOwn } from "../../fixture/own-orders.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

openWorldPerTest();

const MINUTE_MS = 60_000;
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };

/** Writes what a store says of itself at its opening when it was put back. @param lastMs the time of the newest step in the copy, from now */
async function putBack(lastMs: number): Promise<void> {
  const { audit } = world.store;
  await unwrap(audit.append({ event: "pin_set", account: "", detail: {} }, Date.now() + lastMs));
  const [newest] = await unwrap(audit.recent({ limit: 1 }));
  const detail = { why: "older", rows_before: 900, rows_now: newest?.seq, succeeds: [] };
  await unwrap(audit.append({ event: "restored", account: "", detail }, Date.now()));
  await seat.desk.halt("put back", "hoga");
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
    const [unknown = ""] = placeOwn(world, 1);
    await putBack(-10 * MINUTE_MS);
    const list = await listed();
    expect(list.orders).toMatchObject([{ orderId: unknown, symbol: "BTC/KRW", side: "buy" }]);
    expect(list).toMatchObject({ complete: true, account: expect.any(String) as string });
    expect(await seat.desk.resume("a person", { shown: list.digest })).toMatchObject({ resumed: true });
    expect(await resumed()).toMatchObject([{ by: "a person", since_copy: { orders: [unknown] } }]);
    expect(await unwrap(seat.desk.sinceCopy())).toBeUndefined();
    await putBack(10 * MINUTE_MS);
    expect((await listed()).orders).toEqual([]);
  });

  it("are looked for from the first of several copies on", async () => {
    const [unknown = ""] = placeOwn(world, 1);
    await putBack(-10 * MINUTE_MS);
    await putBack(10 * MINUTE_MS);
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

  it("are read to the end, and said to be more where there are too many to read", async () => {
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
    placeOwn(world, 1);
    await putBack(-10 * MINUTE_MS);
    const list = await listed();
    const unshown = await seat.desk.resume("a person");
    expect(outcomeOf(unshown)).toEqual([false, "ELocal:Not approved"]);
    expect(unshown.since_copy).toEqual(list);
    expect(outcomeOf(await seat.desk.resume("a person", { unseen: true }))).toEqual([false, "ELocal:Not approved"]);
    const [newest = ""] = placeOwn(world, 1);
    const late = await seat.desk.resume("a person", { shown: list.digest });
    expect(outcomeOf(late)).toEqual([false, "ELocal:Not approved"]);
    expect(late.since_copy?.orders.map(({ orderId }) => orderId)).toContain(newest);
    expect(await seat.desk.place(order)).toMatchObject({ error: { code: "ELocal:Trading halted" } });
    expect(await resumed()).toEqual([]);
    expect(outcomeOf(await seat.desk.resume("a person", { shown: late.since_copy?.digest }))).toEqual([true, undefined]);
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
    placeOwn(world, 1);
    await seat.desk.halt("enough", "a person");
    const before = world.proxy.deliveries(/./);
    expect(await unwrap(seat.desk.sinceCopy())).toBeUndefined();
    expect(await seat.desk.resume("a person")).toMatchObject({ resumed: true });
    expect(world.proxy.deliveries(/./)).toBe(before);
    expect(await resumed()).toEqual([{ by: "a person" }]);
  });
});
