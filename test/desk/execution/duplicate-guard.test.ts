import { describe, expect, it, vi } from "vitest";
import type { OrderRequest, WriteReport } from "../../../src/desk/index.ts";
import type { CrashPoint } from "../../fixture/desk-over-sandbox.ts";
import { has } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { LIMIT_BUY } from "../../fixture/order-sample.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const LOOK = /^GET \/v1\/orders\?/;
const BOOK = /orderbook|Depth/;
const order = LIMIT_BUY;
/** The first order in place of a second. */
const FIRST = { outcome: "accepted", state: "open", duplicate_of: expect.any(String) };
const TWIN = { outcome: "not_sent", state: "denied", error: { code: "ELocal:Twin unresolved" } };

openWorldPerTest({ file: true });

/** A process that is asked for the order and dies before it has answered. */
async function dies(crashAt: CrashPoint, request = order): Promise<void> {
  const doomed = await world.seat({ crashAt });
  void doomed.desk.place(request);
  await doomed.died;
}

/** An order at the venue whose process lives, and does not get to note the answer. */
async function hanging(request: OrderRequest): Promise<{ first: Promise<WriteReport>; readonly goOn: () => void }> {
  const numbered = seat.stallBefore("advance");
  const first = seat.desk.place(request);
  await numbered.reached;
  const noted = seat.stallBefore("advance");
  numbered.goOn();
  await noted.reached;
  return { first, goOn: noted.goOn };
}

/** Two processes are asked for the same; the second has its answer while the first still waits for the book. */
async function overtaken(request: OrderRequest): Promise<{ readonly slow: WriteReport; readonly fast: WriteReport }> {
  world.proxy.plan(BOOK, "swallow");
  const first = (await world.seat()).desk.place(request);
  await vi.waitFor(() => expect(world.proxy.log.some(({ path }) => BOOK.test(path))).toBe(true));
  const fast = await seat.desk.place(request);
  return { slow: await first, fast };
}

describe("an order like one whose process died", () => {
  it("when the venue had that one already, is not sent: that one is the answer, without an error", async () => {
    await dies("answered");
    const [first] = world.orders();
    const again = await seat.desk.place(order);
    expect(again).toMatchObject({ ...FIRST, order: { orderId: first?.orderId }, userref: first?.userref });
    expect(again.duplicate_of).toBe(again.intent_id);
    expect(again.error).toBeUndefined();
    expect(again.warnings.join()).toContain("No second order was placed");
    expect(world.orders()).toHaveLength(1);
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    expect(world.orders()).toHaveLength(2);
  });

  it("is not sent either where somebody settled that one meanwhile, whom nobody listened to", async () => {
    await dies("answered");
    const restarted = await world.seat();
    expect(await restarted.desk.reconcile()).toMatchObject({ accepted: 1 });
    expect(await restarted.desk.place(order)).toMatchObject(FIRST);
    expect(world.orders()).toHaveLength(1);
  });

  it("is sent where it has a name of its own, and that one is known to be placed: two are wanted", async () => {
    await dies("answered");
    const restarted = await world.seat();
    await restarted.desk.reconcile();
    expect(await restarted.desk.place({ ...order, userref: "second" })).toMatchObject({ userref: "second" });
    expect(world.orders()).toHaveLength(2);
  });

  it("is sent where that one was looked at meanwhile: whoever looked knows of it", async () => {
    await dies("answered");
    const [first] = world.orders();
    expect((await seat.desk.order({ userref: first?.userref ?? "" })).ok).toBe(true);
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });

  it.each(["a process that does not know its account yet", "the process that is looked with"])(
    "is not sent where it was looked at only after this one was asked for, of %s",
    async (whose) => {
      await dies("answered");
      const [first] = world.orders();
      const isFresh = whose.includes("not know");
      if (!isFresh) await seat.desk.balances();
      const hung = isFresh ? /^GET \/v1\/accounts/ : /^GET \/v1\/markets/;
      world.proxy.plan(hung, "swallow");
      const hanging = world.proxy.reached(hung);
      const asking = (isFresh ? await world.seat() : seat).desk.place(order);
      await hanging;
      expect((await seat.desk.order({ userref: first?.userref ?? "" })).ok).toBe(true);
      expect(await asking).toMatchObject(FIRST);
      expect(world.orders()).toHaveLength(1);
      expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    },
  );

  it.runIf(has("proof"))("is sent where that one is proven not placed", async () => {
    await dies("numbered");
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    expect(world.orders()).toHaveLength(1);
  });

  it("is not sent while that one may be about to be, and is once it cannot be any more", async () => {
    await dies("recorded");
    const early = await seat.desk.place(order);
    expect(early).toMatchObject(TWIN);
    expect(early.next_action).toContain("get_order");
    world.clock.skewMs = 31_000;
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });

  it("is not sent under another name of the caller's either, once that one has had its time", async () => {
    await dies("answered", { ...order, userref: "mine-1" });
    world.clock.skewMs = 60_000;
    expect(await seat.desk.place({ ...order, userref: "mine-2" })).toMatchObject({ ...FIRST, userref: "mine-1" });
    expect(world.orders()).toHaveLength(1);
  });

  it("a day later is another order", async () => {
    await dies("answered");
    await (await world.seat()).desk.reconcile();
    world.clock.skewMs = world.venueClock.skewMs = 25 * 3_600_000;
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });
});

describe("an order like one that is on its way", () => {
  it("asked for at the very same moment is sent once, in one process as in two", async () => {
    const other = await world.seat();
    for (const [round, seats] of [
      [seat, seat, seat],
      [seat, other, other],
    ].entries()) {
      const request = { ...order, price: `${100_000_000 + round * 1_000_000}` };
      const reports = await Promise.all(seats.map((each) => each.desk.place(request)));
      expect(reports.filter((each) => each.outcome === "accepted" && each.duplicate_of === undefined)).toHaveLength(1);
      for (const report of reports.filter(({ outcome }) => outcome !== "accepted")) expect(report).toMatchObject(TWIN);
      expect(world.orders()).toHaveLength(round + 1);
    }
  });

  it("is not sent where that one was asked for later, and is placed and told by now", async () => {
    const { slow, fast } = await overtaken(order);
    expect(fast).toMatchObject({ outcome: "accepted" });
    expect(slow).toMatchObject({ ...FIRST, intent_id: fast.intent_id });
    expect(world.orders()).toHaveLength(1);
  });

  it("gets an answer of its own where that one was asked for later, and is refused", async () => {
    const { slow, fast } = await overtaken({ ...order, base_volume: "0.2" });
    expect(fast).toMatchObject({ outcome: "rejected" });
    expect(slow).toMatchObject({ outcome: "rejected" });
  });

  it("is another order where both were given names at the same moment, whatever became of that one", async () => {
    world.proxy.plan(BOOK, "swallow");
    const named = (await world.seat()).desk.place({ ...order, userref: "mine-2" });
    await vi.waitFor(() => expect(world.proxy.log.some(({ path }) => BOOK.test(path))).toBe(true));
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(LOOK, "deny", 99);
    const placed = await Promise.all([seat.desk.place({ ...order, userref: "mine-1" }), named]);
    // Whichever of the two is sent first loses its answer.
    expect(placed.map(({ outcome }) => outcome).sort()).toEqual(["accepted", "unknown"]);
  });

  it("is another order where the clock was set back since that one was told", async () => {
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    world.clock.skewMs = -600_000;
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });

  it("is answered with that one where it is found, before its own process has noted it", async () => {
    const { first, goOn } = await hanging(order);
    // Another process finds it at the exchange.
    expect(await (await world.seat()).desk.place(order)).toMatchObject(FIRST);
    goOn();
    expect(await first).toMatchObject({ outcome: "accepted" });
    expect(world.orders()).toHaveLength(1);
  });

  it("says where to look, and not that it is placed, while nobody can tell", async () => {
    await dies("answered");
    const [first] = world.orders();
    world.proxy.plan(LOOK, "deny", 99);
    const again = await seat.desk.place(order);
    expect(again).toMatchObject(TWIN);
    expect(again.error?.message).toContain("no answer yet");
    expect(again.next_action).toContain(`get_order, userref ${first?.userref}`);
    expect(await seat.desk.place(order)).toMatchObject(TWIN);
    expect(world.orders()).toHaveLength(1);
  });

  it("is another order where both were given names of their own at the same time", async () => {
    const { first, goOn } = await hanging({ ...order, userref: "mine-1" });
    expect(await (await world.seat()).desk.place({ ...order, userref: "mine-2" })).toMatchObject({
      outcome: "accepted",
    });
    goOn();
    expect(await first).toMatchObject({ outcome: "accepted" });
    expect(world.orders()).toHaveLength(2);
  });
});
