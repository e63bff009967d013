import { describe, expect, it, vi } from "vitest";
import { has, openWorld } from "../../fixture/desk-over-sandbox.ts";
import { type FaultKind, FIRST_LOOK, LOST_ANSWERS, NONE_YET, ORDER_POST } from "../../fixture/fault-proxy.ts";
import { LIMIT_BUY } from "../../fixture/order-sample.ts";
import { storeBroken, unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const LOOK = /^GET \/v1\/orders\?/;
const resting = LIMIT_BUY;

openWorldPerTest();

const atVenueWith = (userref: string) => world.orders().filter((order) => order.userref === userref);
const stateOf = async (userref: string) => (await unwrap(world.store.journal.byUserref("paper", userref)))?.state;

describe("an order that the venue answers", () => {
  it("rests as open, stamped with environment and account", async () => {
    const report = await seat.desk.place({ ...resting, userref: "a-1" });
    expect(report).toMatchObject({
      outcome: "accepted",
      state: "open",
      userref: "a-1",
      environment: "sandbox",
      account: "paper",
      order: { symbol: "BTC/KRW", price: "100000000", executed_volume: "0" },
      warnings: [],
    });
    expect(world.orders()).toHaveLength(1);
    expect(await stateOf("a-1")).toBe("open");
  });

  it("is looked for by its userref before, unless that was minted for it", async () => {
    const looked = vi.spyOn(world.store.journal, "byUserref");
    expect(await seat.desk.place(resting)).toMatchObject({ state: "open" });
    expect(looked).not.toHaveBeenCalled();
    expect(await seat.desk.place({ ...resting, userref: "a-1" })).toMatchObject({ state: "open" });
    expect(looked).toHaveBeenCalledTimes(1);
    looked.mockRestore();
  });

  it.runIf(has("told"))("is filled, partially filled or expired, each in its own word", async () => {
    world.rest("sell", "150000000", "0.001");
    expect(await seat.desk.place({ ...resting, price: "150000000" })).toMatchObject({ state: "filled" });
    world.rest("sell", "150000000", "0.001");
    const partial = await seat.desk.place({ ...resting, price: "150000000", base_volume: "0.003" });
    expect(partial).toMatchObject({ outcome: "accepted", state: "partially_filled" });
    const expired = await seat.desk.place({ ...resting, time_in_force: "IOC" });
    expect(expired.state).not.toBe("open");
    expect(expired).toMatchObject({ outcome: "accepted", order: { executed_volume: "0" } });
  });

  it("is rejected with the code, the state and no second try", async () => {
    const report = await seat.desk.place({ ...resting, base_volume: "9", userref: "big" });
    expect(report).toMatchObject({
      outcome: "rejected",
      state: "rejected",
      error: { code: "EOrder:Insufficient funds", class: "EOrder", retryable: false },
    });
    expect(report.order).toBeUndefined();
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
    expect(await stateOf("big")).toBe("rejected");
    expect(await seat.desk.place({ ...resting, base_volume: "9", userref: "big" })).toMatchObject({
      state: "rejected",
    });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
  });

  it.runIf(has("words"))(
    "is rejected by a rate limit with the time to wait, and is not sent again by itself",
    async () => {
      world.proxy.plan(ORDER_POST, "limited");
      const report = await seat.desk.place({ ...resting, userref: "limited" });
      expect(report).toMatchObject({
        outcome: "rejected",
        error: { code: "EAPI:Rate limit exceeded", retryable: true, retry_after_ms: expect.any(Number) },
      });
      expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
      expect(world.orders()).toHaveLength(0);
    },
  );
});

describe("an order whose answer is lost after the venue took it", () => {
  it.each(LOST_ANSWERS)("%s: is found by asking, and is one order", async (kind) => {
    world.proxy.plan(ORDER_POST, kind);
    const report = await seat.desk.place({ ...resting, userref: "lost-1" });
    expect(report).toMatchObject({ outcome: "accepted", state: "open", order: { userref: "lost-1" } });
    expect(report.error).toBeUndefined();
    expect(world.orders()).toHaveLength(1);
    expect(await stateOf("lost-1")).toBe("open");
  });

  it("stays unknown while the venue does not answer questions either, never says try again, and is settled later", async () => {
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(LOOK, "deny", 99);
    const report = await seat.desk.place({ ...resting, userref: "dark" });
    expect(report).toMatchObject({ outcome: "unknown", state: "unknown", error: { retryable: false } });
    expect(report.next_action).toContain("get_order");
    expect(JSON.stringify(report)).not.toMatch(/try again|retry[^a]|once more/i);
    const again = await seat.desk.place({ ...resting, userref: "dark" });
    expect(again).toMatchObject({ outcome: "unknown", state: "unknown" });
    expect((await seat.desk.status()).unresolved).toMatchObject([{ userref: "dark", state: "unknown" }]);
    world.proxy.heal();
    expect(await seat.desk.reconcile()).toEqual({ checked: 1, accepted: 1, not_placed: 0, still_unknown: 0 });
    expect((await seat.desk.order({ userref: "dark" })).ok).toBe(true);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
    expect((await seat.desk.status()).unresolved).toEqual([]);
  });
});

describe("an order that never reached the venue", () => {
  const unsent: readonly FaultKind[] = ["refuse", "swallow", "late", "busy"];
  it.runIf(has("proof")).each(unsent)(
    "%s: is proven not placed, and only then sent again, under the same intent",
    async (kind) => {
      world.proxy.plan(ORDER_POST, kind);
      const first = await seat.desk.place({ ...resting, userref: "never" });
      expect(first).toMatchObject({ outcome: "not_sent", state: "not_placed", error: { code: "ELocal:Not placed" } });
      expect(world.orders()).toHaveLength(0);
      const second = await seat.desk.place({ ...resting, userref: "never" });
      expect(second).toMatchObject({ outcome: "accepted", state: "open", intent_id: first.intent_id });
      expect(world.orders()).toHaveLength(1);
      await seat.desk.place({ ...resting, userref: "never" });
      expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
    },
  );

  it.runIf(has("proof"))(
    "has no effect when it is delivered late, behind the fence, and stays not placed",
    async () => {
      world.proxy.plan(ORDER_POST, "late");
      expect(await seat.desk.place({ ...resting, userref: "late" })).toMatchObject({ state: "not_placed" });
      expect(await world.proxy.deliverLate()).toEqual([401]);
      expect(world.orders()).toHaveLength(0);
      expect(await seat.desk.order({ userref: "late" })).toMatchObject({ ok: true, value: { state: "not_placed" } });
      expect(await stateOf("late")).toBe("not_placed");
    },
  );

  it("is an order like any other when it is delivered late but before anybody asked", async () => {
    world.proxy.plan(ORDER_POST, "late");
    world.proxy.plan(LOOK, "deny", 99);
    expect(await seat.desk.place({ ...resting, userref: "slow" })).toMatchObject({ outcome: "unknown" });
    expect(await world.proxy.deliverLate()).toEqual([201]);
    world.proxy.heal();
    expect(await seat.desk.order({ userref: "slow" })).toMatchObject({ ok: true, value: { state: "open" } });
    expect(world.orders()).toHaveLength(1);
  });

  it("is denied with nothing recorded when nothing listens, as it cannot be judged without the book", async () => {
    expect((await seat.desk.balances()).ok).toBe(true);
    await seat.desk.market("BTC/KRW");
    world.proxy.down(true);
    const report = await seat.desk.place({ ...resting, userref: "closed" });
    world.proxy.down(false);
    expect(report).toMatchObject({ outcome: "not_sent", state: "denied", error: { class: "ELocal" } });
    expect(await stateOf("closed")).toBeUndefined();
    expect(world.orders()).toHaveLength(0);
  });

  it.runIf(has("proof"))("is not sent when nothing listens any more once it was let through", async () => {
    const numbering = seat.stallBefore("advance");
    const placing = seat.desk.place({ ...resting, userref: "closed" });
    await numbering.reached;
    world.proxy.down(true);
    numbering.goOn();
    const report = await placing;
    world.proxy.down(false);
    expect(["not_placed", "unknown"]).toContain(report.state);
    await seat.desk.reconcile();
    expect(await stateOf("closed")).toBe("not_placed");
    expect(world.orders()).toHaveLength(0);
  });

  it("is denied by us when the account cannot even be asked", async () => {
    await world.proxy.close();
    const report = await seat.desk.place(resting);
    expect(report).toMatchObject({
      outcome: "not_sent",
      state: "denied",
      error: { code: "ELocal:Venue unreachable", retryable: true },
    });
  });
});

describe("a venue without the nonce fence", () => {
  it("is believed when it finds the order, and about absence never: not after 40 s, nor after a day", async () => {
    const unfenced = await world.seat({ absence: { by: "none" } });
    world.proxy.plan(ORDER_POST, "late");
    const report = await unfenced.desk.place({ ...resting, userref: "slow" });
    expect(report).toMatchObject({ outcome: "unknown", state: "unknown" });
    for (const ms of [10_500, 41_000, 86_400_000]) {
      world.clock.skewMs = world.venueClock.skewMs = ms;
      await unfenced.desk.reconcile();
      expect(await stateOf("slow")).toBe("unknown");
    }
    expect(await unfenced.desk.place({ ...resting, userref: "slow" })).toMatchObject({ outcome: "unknown" });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
    world.proxy.plan(ORDER_POST, "lose_reset");
    const other = { ...resting, price: "90000000", userref: "other" };
    expect(await unfenced.desk.place(other)).toMatchObject({ state: "open" });
  });

  it.runIf(has("proof"))("is not believed on the word of another key's fence", async () => {
    world.proxy.plan(ORDER_POST, "late");
    world.proxy.plan(LOOK, "deny", 99);
    expect(await seat.desk.place({ ...resting, userref: "slow" })).toMatchObject({ state: "unknown" });
    world.proxy.heal();
    const other = await world.seat({ key: world.addKey() });
    await other.desk.reconcile();
    // Nor does age settle it there.
    world.clock.skewMs = world.venueClock.skewMs = 3_600_000;
    await other.desk.reconcile();
    expect(await stateOf("slow")).toBe("unknown");
    world.clock.skewMs = world.venueClock.skewMs += 1_000_000;
    await seat.desk.reconcile();
    expect(await stateOf("slow")).toBe("not_placed");
  });

  it("judges by the key that signed, also when another process had recorded the order under its own", async () => {
    const dying = await world.seat({ crashAt: "recorded" });
    void dying.desk.place({ ...resting, userref: "handed-over" });
    await dying.died;
    const other = await world.seat({ key: world.addKey() });
    world.proxy.plan(ORDER_POST, "late");
    world.proxy.plan(LOOK, "deny", 99);
    expect(await other.desk.place({ ...resting, userref: "handed-over" })).toMatchObject({ state: "unknown" });
    world.proxy.heal();
    // The first key's fence says nothing about a request of the second.
    await seat.desk.reconcile();
    expect(await stateOf("handed-over")).toBe("unknown");
    expect(await world.proxy.deliverLate()).toEqual([201]);
    world.clock.skewMs += 1_000;
    await seat.desk.reconcile();
    expect(await stateOf("handed-over")).toBe("open");
  });
});

describe("an order like one that had no answer", () => {
  const lose = async (): Promise<string> => {
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(LOOK, "deny");
    const lost = await seat.desk.place(resting);
    expect(lost.state).toBe("unknown");
    return lost.userref ?? "";
  };

  it("is not sent while that one may stand, under whatever name, and says which one", async () => {
    const userref = await lose();
    world.proxy.plan(LOOK, "deny", 99);
    const again = await seat.desk.place(resting);
    expect(again).toMatchObject({ outcome: "not_sent", state: "denied", error: { code: "ELocal:Twin unresolved" } });
    expect(again.error?.message).toContain(userref);
    expect(atVenueWith(userref)).toHaveLength(1);
    expect(world.orders()).toHaveLength(1);
  });

  it("has to be asked for once more when that one turns out to be placed", async () => {
    const userref = await lose();
    expect(await seat.desk.place(resting)).toMatchObject({ state: "open", userref, duplicate_of: expect.any(String) });
    expect(await seat.desk.place(resting)).toMatchObject({ state: "open" });
    expect(world.orders()).toHaveLength(2);
  });

  it.runIf(has("proof"))(
    "goes through when that one turns out not to be placed, and another order always does",
    async () => {
      world.proxy.plan(ORDER_POST, "refuse");
      world.proxy.plan(LOOK, "deny");
      expect(await seat.desk.place(resting)).toMatchObject({ state: "unknown" });
      expect(await seat.desk.place({ ...resting, base_volume: "0.002" })).toMatchObject({ state: "open" });
      expect(await seat.desk.place(resting)).toMatchObject({ state: "open" });
      expect(world.orders()).toHaveLength(2);
    },
  );

  it("whose market cannot be looked up is denied as not sent, in words that do not say it was", async () => {
    world.proxy.plan(/^GET \/v1\/markets/, "garble", 99);
    const fresh = await world.seat();
    const report = await fresh.desk.place(resting);
    expect(report).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Not checked" } });
    expect(report.error?.message).toContain("Nothing was sent");
    expect(JSON.stringify(report)).not.toContain("The request was sent");
  });
});

describe("the same request twice", () => {
  it("when userref and fields are the same, gives the same order, shown as it is now", async () => {
    const first = await seat.desk.place({ ...resting, userref: "twin", price: "140000000" });
    expect(first.state).toBe("open");
    world.rest("sell", "140000000", "0.001");
    const second = await seat.desk.place({ ...resting, userref: "twin", price: "140000000" });
    expect(second).toMatchObject({ outcome: "accepted", state: "filled", intent_id: first.intent_id });
    expect(second.warnings[0]).toContain("twin");
    expect(world.orders()).toHaveLength(1);
  });

  it.runIf(has("conditions"))(
    "when the userref is the same and another field differs, is refused, whatever the field",
    async () => {
      await seat.desk.place({ ...resting, userref: "twin" });
      for (const other of [
        { price: "100001000" },
        { base_volume: "0.002" },
        { side: "sell" as const },
        { symbol: "ETH/KRW", price: "5000000" },
        { post_only: true },
        { time_in_force: "IOC" as const },
      ]) {
        const report = await seat.desk.place({ ...resting, userref: "twin", ...other });
        expect(report).toMatchObject({
          outcome: "not_sent",
          state: "denied",
          error: { code: "ELocal:Userref in use", field: "userref" },
        });
      }
      expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
    },
  );

  it("places two orders without a userref", async () => {
    await seat.desk.place(resting);
    await seat.desk.place(resting);
    expect(world.orders()).toHaveLength(2);
  });

  it("is one order, whoever wins, when several processes ask at once", async () => {
    const seats = [seat, await world.seat(), await world.seat()];
    for (const userref of ["race-1", "race-2", "race-3"]) {
      const reports = await Promise.all([...seats, ...seats].map(({ desk }) => desk.place({ ...resting, userref })));
      expect(new Set(reports.map((report) => report.intent_id)).size).toBe(1);
      expect(world.orders().filter((order) => order.userref === userref)).toHaveLength(1);
      expect(reports.filter((report) => report.outcome === "accepted").length).toBeGreaterThan(0);
      expect(reports.map((report) => report.state)).not.toContain("not_placed");
      expect(reports.map((report) => report.state)).not.toContain("rejected");
    }
  });

  it("is not sent under a userref that the exchange has an order under, of whoever", async () => {
    const other = await world.seat({ freshStore: true });
    expect(await other.desk.place({ ...resting, userref: "theirs" })).toMatchObject({ state: "open" });
    for (const more of [{}, { base_volume: "0.002" }]) {
      const report = await seat.desk.place({ ...resting, ...more, userref: "theirs" });
      expect(report).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Userref in use", field: "userref" } });
    }
    expect(atVenueWith("theirs")).toHaveLength(1);
  });

  it("is not sent where the exchange cannot be asked for its userref, and may be requested again", async () => {
    world.proxy.plan(FIRST_LOOK, "deny");
    const denied = await seat.desk.place({ ...resting, userref: "asked" });
    expect(denied).toMatchObject({ outcome: "not_sent", state: "denied" });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
    expect(await seat.desk.place({ ...resting, userref: "asked" })).toMatchObject({ state: "open" });
  });

  it("is sent without that question under a userref that was minted for it", async () => {
    expect(await seat.desk.place(resting)).toMatchObject({ state: "open" });
    expect(world.proxy.log.filter(({ path }) => path.startsWith("/v1/orders-before-sending"))).toEqual([]);
  });

  it.runIf(has("names"))(
    "decides nothing where an order of long ago, with the same userref and fields, may or may not be its own",
    async () => {
      const old = await seat.desk.place({ ...resting, userref: "reused" });
      expect(old.outcome).toBe("accepted");
      // Another machine, with a store of its own, two days later.
      world.clock.skewMs = world.venueClock.skewMs = 2 * 86_400_000;
      const later = await world.seat({ freshStore: true });
      world.proxy.plan(FIRST_LOOK, NONE_YET);
      world.proxy.plan(ORDER_POST, "swallow");
      const report = await later.desk.place({ ...resting, userref: "reused" });
      expect(report).toMatchObject({ outcome: "unknown", state: "unknown" });
      expect(report.order).toBeUndefined();
      expect(atVenueWith("reused")).toHaveLength(1);
    },
  );

  it.runIf(has("proof"))("is not held up by an order of long ago with the same userref and other fields", async () => {
    await seat.desk.place({ ...resting, userref: "reused", base_volume: "0.002" });
    world.clock.skewMs = world.venueClock.skewMs = 2 * 86_400_000;
    const later = await world.seat({ freshStore: true });
    world.proxy.plan(FIRST_LOOK, NONE_YET);
    world.proxy.plan(ORDER_POST, "swallow");
    const report = await later.desk.place({ ...resting, userref: "reused" });
    expect(report).toMatchObject({ outcome: "not_sent", state: "not_placed" });
  });

  it("finds its own order by a minted userref however wrong the clock was", async () => {
    world.clock.skewMs = 3 * 86_400_000;
    const wrong = await world.seat();
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(LOOK, "deny", 99);
    const lost = await wrong.desk.place(resting);
    expect(lost).toMatchObject({ state: "unknown" });
    world.proxy.heal();
    world.clock.skewMs = 0;
    await (await world.seat()).desk.reconcile();
    expect(await stateOf(lost.userref ?? "")).toBe("open");
  });

  it.runIf(has("names"))("is not called accepted where the exchange does not know the order any more", async () => {
    expect(await seat.desk.place({ ...resting, userref: "gone" })).toMatchObject({ state: "open" });
    const reset = await openWorld();
    const later = await world.seat({ at: reset });
    const report = await later.desk.place({ ...resting, userref: "gone" });
    expect(report).toMatchObject({ outcome: "unknown", state: "unknown", error: { code: "ELocal:Unknown order" } });
    expect(reset.orders()).toHaveLength(0);
    await reset.close();
  });

  it("counts as another request at another exchange, and neither exchange settles the other's", async () => {
    const elsewhere = await openWorld();
    const [here, there] = [await world.seat({ scope: "here" }), await world.seat({ scope: "there", at: elsewhere })];
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(LOOK, "deny", 99);
    expect(await here.desk.place({ ...resting, userref: "one" })).toMatchObject({ state: "unknown" });
    world.proxy.heal();
    expect(await there.desk.reconcile()).toMatchObject({ checked: 0 });
    expect(await there.desk.place({ ...resting, userref: "one" })).toMatchObject({ state: "open" });
    expect(elsewhere.orders()).toHaveLength(1);
    expect(await here.desk.place({ ...resting, userref: "one" })).toMatchObject({ state: "open" });
    expect(atVenueWith("one")).toHaveLength(1);
    await elsewhere.close();
  });

  it.runIf(has("proof"))(
    "is not held up by another program's order with the same userref and other fields",
    async () => {
      const other = await world.seat({ freshStore: true });
      expect(await other.desk.place({ ...resting, userref: "shared", base_volume: "0.002" })).toMatchObject({
        state: "open",
      });
      world.proxy.plan(FIRST_LOOK, NONE_YET);
      world.proxy.plan(ORDER_POST, "refuse");
      const report = await seat.desk.place({ ...resting, userref: "shared" });
      expect(report).toMatchObject({ outcome: "not_sent", state: "not_placed" });
      expect(report.order).toBeUndefined();
    },
  );

  it.runIf(has("names"))("is not told as another program's order of the same fields, made hours before", async () => {
    const other = await world.seat({ freshStore: true });
    expect(await other.desk.place({ ...resting, userref: "dca" })).toMatchObject({ state: "open" });
    world.clock.skewMs = world.venueClock.skewMs = 20 * 3_600_000;
    world.proxy.plan(FIRST_LOOK, NONE_YET);
    world.proxy.plan(ORDER_POST, "refuse");
    const report = await seat.desk.place({ ...resting, userref: "dca" });
    expect(report).toMatchObject({ outcome: "unknown", state: "unknown" });
    expect(report.order).toBeUndefined();
    expect(report.next_action).toContain("hoga settle dca");
    // What to look for there, as a person has to look.
    expect(report.next_action).toMatch(
      /looks at the exchange for buy \S+ BTC on BTC\/KRW at ₩[\d,]+, sent at 20\S+Z, and settles/,
    );
  });

  it.each(["written", "written or read"])(
    "asked for twice at once is not called not placed where the store cannot be %s",
    async (how) => {
      const { journal } = world.store;
      const [begin, record] = [journal.begin.bind(journal), journal.record.bind(journal)];
      const recording = vi.spyOn(journal, "record").mockImplementation((intent) => record(intent));
      vi.spyOn(journal, "begin").mockImplementationOnce(async (...send) => {
        // The other call has found the order let through, and waits for its turn to send it.
        await vi.waitFor(() => expect(recording).toHaveBeenCalledTimes(2), 20_000);
        await new Promise((resolve) => setTimeout(resolve, 50));
        const begun = await begin(...send);
        world.breakStore(true);
        if (how !== "written") vi.spyOn(journal, "byId").mockImplementation(storeBroken);
        return begun;
      });
      const twice = [
        seat.desk.place({ ...resting, userref: "twice" }),
        seat.desk.place({ ...resting, userref: "twice" }),
      ];
      const reports = await Promise.all(twice);
      world.breakStore(false);
      vi.restoreAllMocks();
      expect(atVenueWith("twice")).toHaveLength(1);
      for (const report of reports) expect(report).not.toMatchObject({ outcome: "not_sent" });
    },
  );

  it.runIf(has("patient"))(
    "never takes the wrong order when the clock is set back or forth between sending and asking",
    async () => {
      for (const [index, skewMs] of [-3_600_000, -60_000, 60_000, 3_600_000].entries()) {
        const userref = `clock-${index}`;
        world.clock.skewMs = skewMs;
        world.proxy.plan(ORDER_POST, "lose_reset");
        world.proxy.plan(LOOK, "deny", 99);
        expect(await seat.desk.place({ ...resting, userref })).toMatchObject({ state: "unknown" });
        world.proxy.heal();
        world.clock.skewMs = 0;
        const restarted = await world.seat();
        await restarted.desk.reconcile();
        expect(await stateOf(userref)).not.toBe("not_placed");
        await restarted.desk.place({ ...resting, userref });
        expect(world.orders().filter((order) => order.userref === userref)).toHaveLength(1);
        // The other process knows only what is noted, which happens behind the answer.
        await vi.waitFor(async () =>
          expect(await unwrap(world.store.journal.unresolvedOrUnacknowledged(undefined, [], 9))).toEqual([]),
        );
      }
    },
  );
});
