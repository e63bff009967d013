import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type Order, ok } from "../../../src/contract/index.ts";
import { canMove, type IntentRecord, type IntentState, type OrderRequest } from "../../../src/desk/index.ts";
import { updateFrom } from "../../../src/desk/model/intent-transition.ts";
import type { OpenApiClient } from "../../../src/venues/index.ts";
import { apiClass, has } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const CANCEL = /^DELETE \/v1\/orders\/BTC/;
const BATCH = /^DELETE \/v1\/orders\/batch/;
const ONE_ORDER = /^GET \/v1\/orders\/BTC/;
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.003", price: "100000000" };

openWorldPerTest();

const stored = async (userref: string) => unwrap(world.store.journal.byUserref("paper", userref));
const stateOf = async (userref: string) => (await stored(userref))?.state;
const fill = (volume: string) => world.rest("sell", "100000000", volume);
const openOrders = async () => (await unwrap(world.store.journal.usage("paper", Date.now()))).usage.openOrders;

async function placed(userref: string): Promise<string> {
  const report = await seat.desk.place({ ...order, userref });
  if (report.order === undefined) throw new Error(JSON.stringify(report));
  return report.order.orderId;
}

describe("an order at the venue", () => {
  it.each([
    ["a look by userref", () => seat.desk.order({ userref: "it" })],
    ["a list of orders", () => seat.desk.orders({ state: "all" })],
    ["a wait", () => seat.desk.awaitOrder({ userref: "it", until: "closed", timeoutMs: 1 })],
    ["asking for it again", () => seat.desk.place({ ...order, userref: "it" })],
    ["upkeep", () => seat.desk.upkeep()],
    ["a refused cancel", () => seat.desk.cancel({ userref: "it" })],
  ])("when it has executed, is told to the journal by %s", async (_way, look) => {
    await placed("it");
    expect(await stateOf("it")).toBe("open");
    fill("0.001");
    fill("0.002");
    await look();
    expect(await stored("it")).toMatchObject({ state: "filled", isLive: false, held: "300000" });
    expect(await openOrders()).toBe(0);
  });

  it("when it has executed in part, goes on counting whole, and moves on with every part", async () => {
    await placed("it");
    fill("0.001");
    await seat.desk.order({ userref: "it" });
    expect(await stored("it")).toMatchObject({ state: "partially_filled", isLive: true, held: "300000" });
    fill("0.001");
    await seat.desk.order({ userref: "it" });
    expect((await stored("it"))?.body.seen?.executed_volume).toBe("0.002");
    fill("0.001");
    await seat.desk.order({ userref: "it" });
    expect(await stateOf("it")).toBe("filled");
  });

  it("when it has executed, is told to the journal, though that has hundreds of older ones that are open", async () => {
    await placed("one");
    await placed("it");
    const like = await stored("one");
    if (like === undefined) throw new Error("no intent");
    for (let n = 0; n < 600; n++) {
      const id = `older-${n}`;
      await unwrap(world.store.journal.record({ ...like, intentId: id, userref: id, orderId: id, createdAtMs: n }));
    }
    fill("0.006");
    await seat.desk.orders({ state: "all" });
    expect(await stateOf("it")).toBe("filled");
  });

  it("when it has ended, says so to who asks for it again, with nothing left to follow or cancel", async () => {
    await placed("it");
    fill("0.003");
    const again = await seat.desk.place({ ...order, userref: "it" });
    expect(again).toMatchObject({ outcome: "accepted", state: "filled" });
    expect(again.next_action).toBeUndefined();
  });

  it("when it was placed while an earlier look still hung, is looked at as soon as that has ended", async () => {
    await placed("before");
    let answer = (): void => {};
    const hanging = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const list = Reflect.get(apiClass().prototype, "orders") as OpenApiClient["orders"];
    const asking = vi.spyOn(apiClass().prototype, "orders").mockImplementationOnce(async function (
      this: OpenApiClient,
      ...asked
    ) {
      await hanging;
      return list.call(this, ...asked);
    });
    await seat.desk.upkeep();
    expect(asking).toHaveBeenCalledOnce();
    await seat.desk.place({ ...order, base_volume: "0.002", userref: "since" });
    fill("0.004");
    answer();
    world.clock.skewMs = 61_000;
    await seat.desk.upkeep();
    asking.mockRestore();
    expect([await stateOf("before"), await stateOf("since")]).toEqual(["filled", "partially_filled"]);
  });

  it("when somebody else canceled it, is found by upkeep, and gives its share back", async () => {
    const orderId = await placed("it");
    const other = await world.seat({ freshStore: true });
    await other.desk.cancel({ orderId });
    expect(await openOrders()).toBe(1);
    await seat.desk.upkeep();
    expect(await stored("it")).toMatchObject({ state: "canceled", held: "0", isLive: false });
  });

  it("is not asked about where there is none", async () => {
    await seat.desk.upkeep();
    const before = world.proxy.log.length;
    world.clock.skewMs = 31_000;
    await seat.desk.upkeep();
    expect(world.proxy.log.slice(before)).toEqual([]);
  });

  it("keeps nobody from looking or canceling when the journal cannot take the news", async () => {
    await placed("it");
    fill("0.001");
    world.breakStore(true);
    expect(await seat.desk.order({ userref: "it" })).toMatchObject({ ok: true, value: { state: "partially_filled" } });
    expect(await seat.desk.cancel({ userref: "it" })).toMatchObject({ outcome: "accepted", state: "canceled" });
    world.breakStore(false);
    await seat.desk.upkeep();
    expect(await stored("it")).toMatchObject({ state: "canceled", held: "100000" });
  });
});

describe("news that comes early or late", () => {
  it("when it comes before the answer to the order itself, is not taken back by that answer", async () => {
    const other = await world.seat();
    await other.desk.balances();
    const numbering = seat.stallBefore("advance");
    const placing = seat.desk.place({ ...order, userref: "it" });
    await numbering.reached;
    const noting = seat.stallBefore("advance");
    numbering.goOn();
    await noting.reached;
    // The answer, "open", is in and not noted yet; the other process has found out, and more has happened.
    await other.desk.reconcile();
    expect(await stateOf("it")).toBe("open");
    fill("0.001");
    // On a busy machine a look may be given up.
    await vi.waitFor(async () => {
      await other.desk.order({ userref: "it" });
      expect(await stateOf("it")).toBe("partially_filled");
    }, 20_000);
    noting.goOn();
    expect((await placing).outcome).toBe("accepted");
    expect(await stored("it")).toMatchObject({
      state: "partially_filled",
      body: { seen: { executed_volume: "0.001" } },
    });
  });

  it("says filled when a fill comes after a cancel was asked for", async () => {
    await placed("it");
    world.proxy.plan(CANCEL, "late");
    const held = world.proxy.reached(CANCEL);
    const canceling = seat.desk.cancel({ userref: "it" });
    await held;
    expect(await stateOf("it")).toBe("cancel_requested");
    fill("0.003");
    expect((await canceling).state).toBe("filled");
    expect(await stored("it")).toMatchObject({ state: "filled", held: "300000", isLive: false });
  });

  it("changes nothing when it is an older look's, after a newer one", async () => {
    const orderId = await placed("it");
    const other = await world.seat();
    const read = Reflect.get(apiClass().prototype, "order") as OpenApiClient["order"];
    let [asked, letGo] = [() => {}, () => {}];
    const [wasAsked, mayGo] = [
      new Promise<void>((done) => (asked = done)),
      new Promise<void>((done) => (letGo = done)),
    ];
    const reading = vi.spyOn(apiClass().prototype, "order").mockImplementationOnce(async function (
      this: OpenApiClient,
      ...names
    ) {
      const answer = await read.call(this, ...names);
      asked();
      await mayGo;
      return answer;
    });
    fill("0.001");
    const old = other.desk.order({ orderId });
    await wasAsked;
    fill("0.001");
    await seat.desk.order({ orderId });
    letGo();
    await old;
    reading.mockRestore();
    expect(await stored("it")).toMatchObject({
      state: "partially_filled",
      body: { seen: { executed_volume: "0.002" } },
    });
  });

  const volumes = ["0", "0.001", "0.002", "0.003"] as const;
  const shown = (state: Order["state"], executed: string) =>
    ({
      orderId: "o-1",
      state,
      executed_volume: executed,
      executed_value: executed === "0" ? "0" : `${executed.slice(-1)}00000`,
    }) as Order;
  const endings = fc.constantFrom<Order["state"]>("canceled", "expired");
  const histories = fc
    .tuple(fc.nat({ max: 3 }), endings)
    .map(([most, end]) => [
      ...volumes.slice(0, most + 1).map((volume) => shown(volume === "0.003" ? "filled" : "open", volume)),
      ...(most === 3 ? [] : [shown(end, volumes[most] ?? "0")]),
    ]);
  const heard = histories.chain((history) =>
    fc.tuple(fc.constant(history), fc.array(fc.nat({ max: history.length - 1 }), { maxLength: 12 }), fc.boolean()),
  );

  it("leads to the newest that was heard, in any order, any number of times", () => {
    fc.assert(
      fc.property(heard, ([history, indexes, isCanceling]) => {
        const start: IntentState = isCanceling ? "cancel_requested" : "open";
        let intent = { state: start, orderId: "o-1", unit: "KRW", body: {} } as IntentRecord;
        for (const index of indexes) {
          const news = updateFrom(intent, history[index] as Order);
          if (news === undefined) continue;
          expect(news.from).toEqual([intent.state]);
          expect(canMove(intent.state, news.to)).toBe(true);
          intent = { ...intent, state: news.to, body: news.body ?? intent.body };
        }
        const newest = history[Math.max(-1, ...indexes)];
        if (newest === undefined) expect(intent.state).toBe(start);
        else if (newest.state !== "open") expect(intent).toMatchObject({ state: newest.state, body: { seen: newest } });
        // While a cancel is on its way, an order that is still open is no news.
        else if (isCanceling) expect(intent.state).toBe("cancel_requested");
        else if (newest.executed_volume === "0") expect(intent.state).toBe("open");
        else expect(intent).toMatchObject({ state: "partially_filled", body: { seen: newest } });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("an order whose cancel was asked for", () => {
  it("is canceled when the venue shows it, and counts for what it executed", async () => {
    await placed("it");
    fill("0.001");
    await seat.desk.cancel({ userref: "it" });
    expect(await stored("it")).toMatchObject({ state: "canceled", held: "100000", isLive: false });
  });

  it.runIf(has("proof")).each(["refuse", "late", "busy", "deny"] as const)(
    "is open again when that is proven to have had no effect (%s)",
    async (kind) => {
      await placed("it");
      world.proxy.plan(CANCEL, kind);
      await seat.desk.cancel({ userref: "it" });
      expect(await stored("it")).toMatchObject({ state: "open", isLive: true });
      await world.proxy.deliverLate();
      expect(await seat.desk.cancel({ userref: "it" })).toMatchObject({ state: "canceled" });
    },
  );

  it("stays so where nothing is proven, until the venue shows how it ended", async () => {
    const unfenced = await world.seat({ absence: { by: "none" } });
    await placed("it");
    world.proxy.plan(CANCEL, "late");
    await unfenced.desk.cancel({ userref: "it" });
    expect(await stateOf("it")).toBe("cancel_requested");
    await unfenced.desk.order({ userref: "it" });
    expect(await stateOf("it")).toBe("cancel_requested");
    const other = await world.seat({ freshStore: true });
    await other.desk.cancel({ userref: "it" });
    await unfenced.desk.order({ userref: "it" });
    expect(await stateOf("it")).toBe("canceled");
  });

  it("stays so while the venue has taken the cancel and does not show it yet", async () => {
    await placed("it");
    world.proxy.plan(CANCEL, "still_open");
    world.proxy.plan(ONE_ORDER, "still_open", 99);
    await seat.desk.cancel({ userref: "it" });
    expect(await stateOf("it")).toBe("cancel_requested");
    world.proxy.heal();
    await seat.desk.order({ userref: "it" });
    expect(await stateOf("it")).toBe("canceled");
  });

  it.runIf(has("proof"))(
    "when the process died before it sent the cancel, is open again after a look at all that is open",
    async () => {
      await placed("it");
      const doomed = await world.seat();
      world.proxy.plan(CANCEL, "swallow");
      const reached = world.proxy.reached(CANCEL);
      void doomed.desk.cancel({ userref: "it" });
      await reached;
      doomed.kill();
      await seat.desk.upkeep();
      expect(await stateOf("it")).toBe("open");
    },
  );

  it("when its cancel among all was refused by itself, is open again", async () => {
    const orderId = await placed("it");
    const answer = ok({ requested: [], failed: [{ uuid: orderId, error: "EOrder:Cancel not allowed" }] });
    const answering = vi.spyOn(apiClass().prototype, "cancelAll").mockResolvedValue(answer);
    await seat.desk.cancelAll();
    answering.mockRestore();
    expect(await stateOf("it")).toBe("open");
  });

  it.runIf(has("proof")).each(["refuse", "late", "deny"] as const)(
    "when the cancel of all had no effect (%s), is open again",
    async (kind) => {
      await placed("it");
      world.proxy.plan(BATCH, kind);
      expect((await seat.desk.cancelAll()).remaining).toBe(1);
      expect(await stateOf("it")).toBe("open");
    },
  );

  it("is still one order, however often it was asked for", async () => {
    await placed("it");
    await seat.desk.cancel({ userref: "it" });
    await seat.desk.place({ ...order, userref: "it" });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
    expect(await stateOf("it")).toBe("canceled");
  });
});
