import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CrashPoint, has, openWorld, type World } from "../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../fixture/fault-proxy.ts";
import { LIMIT_BUY } from "../fixture/order-sample.ts";
import { unwrap } from "../fixture/result.ts";

const LOOK = /^GET \/v1\/orders\?/;
const userref = "survivor";
const order = { ...LIMIT_BUY, userref };

let world: World;
beforeEach(async () => {
  world = await openWorld({ file: true });
});
afterEach(async () => {
  await world.close();
  expect(world.forbidden).toEqual([]);
});

const stored = async () => unwrap(world.store.journal.byUserref("paper", userref));
const atVenue = () => world.orders().filter((each) => each.userref === userref).length;

/** The process dies at the point, and another one starts on the same store. */
async function dies(crashAt: CrashPoint) {
  const doomed = await world.seat({ crashAt });
  void doomed.desk.place(order);
  await doomed.died;
  return (await world.seat()).desk;
}

describe("a process that dies", () => {
  it("when its order is not numbered yet, has sent nothing, and nobody claims that it will not be sent", async () => {
    const next = await dies("recorded");
    expect((await stored())?.state).toBe("approved");
    await next.reconcile();
    expect(await next.order({ userref })).toMatchObject({ ok: true, value: { state: "not_sent_yet" } });
    expect((await next.status()).unresolved).toMatchObject([{ userref, state: "not_sent_yet" }]);
    world.clock.skewMs = 40_000;
    world.venueClock.skewMs = 40_000;
    expect(await next.reconcile()).toMatchObject({ checked: 1, not_placed: 1 });
    expect(await next.order({ userref })).toMatchObject({ ok: true, value: { state: "not_placed" } });
    expect(atVenue()).toBe(0);
  });

  it("when its order is not numbered yet, leaves it to be sent once by who asks again", async () => {
    const next = await dies("recorded");
    expect(await next.place(order)).toMatchObject({ outcome: "accepted", state: "open" });
    expect(await next.place(order)).toMatchObject({ outcome: "accepted", state: "open" });
    expect(atVenue()).toBe(1);
  });

  it.runIf(has("proof"))(
    "when the nonce is on disk, leaves an order proven not placed, then sent at most once",
    async () => {
      const next = await dies("numbered");
      expect(await stored()).toMatchObject({ state: "submitting", orderId: null });
      expect((await stored())?.nonce).not.toBeNull();
      expect((await next.status()).unresolved).toMatchObject([{ userref, state: "submitting" }]);
      expect(await next.reconcile()).toEqual({ checked: 1, accepted: 0, not_placed: 1, still_unknown: 0 });
      expect(atVenue()).toBe(0);
      expect(await next.place(order)).toMatchObject({ outcome: "accepted" });
      expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
    },
  );

  it("when the venue took the order, leaves it to be found, and never sent again", async () => {
    const next = await dies("answered");
    expect((await stored())?.state).toBe("submitting");
    expect(atVenue()).toBe(1);
    expect(await next.place(order)).toMatchObject({ outcome: "accepted", state: "open" });
    expect(await next.reconcile()).toMatchObject({ checked: 0 });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
  });

  it.runIf(has("proof")).each(["late", "swallow", "lose_hang"] as const)(
    "when the request is on its way (%s), leaves a truth that is found out",
    async (kind) => {
      const doomed = await world.seat();
      await doomed.desk.balances();
      world.proxy.plan(ORDER_POST, kind);
      const reached = world.proxy.reached(ORDER_POST);
      void doomed.desk.place(order);
      await reached;
      doomed.kill();
      const next = (await world.seat()).desk;
      await next.reconcile();
      const placed = kind === "lose_hang";
      expect((await stored())?.state).toBe(placed ? "open" : "not_placed");
      expect(atVenue()).toBe(placed ? 1 : 0);
      const late = await world.proxy.deliverLate();
      expect(late).toEqual(kind === "late" ? [401] : []);
      expect(atVenue()).toBe(placed ? 1 : 0);
      await next.place(order);
      expect(atVenue()).toBe(1);
    },
  );

  it("when an answer told nothing, leaves it unknown after any number of restarts, until the venue tells", async () => {
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(LOOK, "deny", 99);
    const first = await world.seat();
    expect(await first.desk.place(order)).toMatchObject({ outcome: "unknown" });
    for (let restart = 0; restart < 3; restart++) {
      const { desk } = await world.seat();
      expect(await desk.reconcile()).toMatchObject({ still_unknown: 1 });
      expect(await desk.place(order)).toMatchObject({ outcome: "unknown" });
    }
    world.proxy.heal();
    const { desk } = await world.seat();
    expect(await desk.reconcile()).toMatchObject({ accepted: 1, still_unknown: 0 });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
  });
});

describe("an answer that comes after the intent was settled and begun anew by another process", () => {
  it.runIf(has("proof"))("does not decide about the new request", async () => {
    const [slow, quick] = [await world.seat(), await world.seat()];
    await Promise.all([slow.desk.balances(), quick.desk.balances()]);
    world.proxy.plan(ORDER_POST, "limited");
    const numbered = slow.stallBefore("advance");
    const first = slow.desk.place(order);
    await numbered.reached;
    const noted = slow.stallBefore("advance");
    numbered.goOn();
    await noted.reached;
    await quick.desk.reconcile();
    expect((await stored())?.state).toBe("not_placed");
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(LOOK, "deny");
    expect(await quick.desk.place(order)).toMatchObject({ state: "unknown" });
    noted.goOn();
    expect((await first).state).not.toBe("rejected");
    expect((await quick.desk.place(order)).state).toBe("open");
    expect(atVenue()).toBe(1);
  });

  it.runIf(has("proof"))("does not let an old look at the venue free an intent that was sent anew since", async () => {
    const [stalled, other] = [await world.seat(), await world.seat()];
    await Promise.all([stalled.desk.balances(), other.desk.balances()]);
    world.proxy.plan(ORDER_POST, "refuse");
    world.proxy.plan(LOOK, "deny");
    expect(await other.desk.place(order)).toMatchObject({ state: "unknown" });
    // The stalled process has its answer, "no such order", but gets to note it only much later.
    const noted = stalled.stallBefore("advance");
    const old = stalled.desk.reconcile();
    await noted.reached;
    await other.desk.reconcile();
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(LOOK, "deny", 99);
    expect(await other.desk.place(order)).toMatchObject({ state: "unknown" });
    noted.goOn();
    await old;
    world.proxy.heal();
    expect((await stored())?.state).toBe("unknown");
    await other.desk.place(order);
    expect(atVenue()).toBe(1);
  });
});
