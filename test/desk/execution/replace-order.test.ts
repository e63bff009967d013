/** Changing an open order: what is checked before the old one is canceled, and what is placed when it is gone, whatever goes wrong between. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { inUnit, rate } from "../../../src/decimal/index.ts";
import type { Clock } from "../../../src/desk/index.ts";
import type { OpenApiClient } from "../../../src/venues/index.ts";
import { apiClass, has, units } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { unwrap } from "../../fixture/result.ts";
import {
  atVenue,
  BUY,
  CANCEL,
  cancels,
  fill,
  open,
  openDeskPerTest,
  placed,
  policy,
  replace,
  seat,
  sent,
  set,
  world,
} from "./changed-orders.ts";

openDeskPerTest();
afterEach(() => {
  vi.restoreAllMocks();
});

/** Something happens at the venue right before the next cancel, or right after it. */
function aroundCancel({ before, after }: { readonly before?: () => unknown; readonly after?: () => unknown }): void {
  const cancel = Reflect.get(apiClass().prototype, "cancel") as (
    ...named: unknown[]
  ) => ReturnType<OpenApiClient["cancel"]>;
  vi.spyOn(apiClass().prototype, "cancel").mockImplementationOnce(async function (this: OpenApiClient, ...named) {
    await before?.();
    const answer = await cancel.apply(this, named);
    await after?.();
    return answer;
  });
}
/** As exchanges do that show no more of an order than its terms. */
function hideHandling(): void {
  for (const name of ["order", "orders", "lookup"] as const) {
    const real = Reflect.get(apiClass().prototype, name) as (...given: unknown[]) => Promise<unknown>;
    vi.spyOn(apiClass().prototype, name).mockImplementation(async function (this: unknown, ...given: unknown[]) {
      const answer = JSON.stringify(await real.apply(this, given), (field, value: unknown) =>
        field === "post_only" || field === "time_in_force" ? undefined : value,
      );
      return JSON.parse(answer) as never;
    });
  }
}
const fillBeforeCancel = (volume: string) => aroundCancel({ before: () => fill(volume) });

describe("a change of an open order", () => {
  it("is handled as the old one was asked for, where the exchange does not say how that is handled", async () => {
    const old = await placed({ post_only: true, userref: "unsaid" });
    hideHandling();
    expect(await replace({ orderId: old.orderId, price: "51000000" })).toMatchObject({ outcome: "accepted" });
    expect(open()).toMatchObject([{ postOnly: true }]);
    expect(atVenue(old.orderId)?.state).toBe("canceled");
  });

  it("does not begin where nobody knows how the old one is handled", async () => {
    const elsewhere = await world.seat({ freshStore: true });
    const { order } = await elsewhere.desk.place(BUY);
    hideHandling();
    const report = await replace({ orderId: order?.orderId ?? "", price: "51000000" });
    expect(report).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Invalid input" } });
    expect(report.error?.message).toContain("does not say whether this order, which was not placed here, is post-only");
    expect(cancels()).toBe(0);
  });

  it("puts one order at another price in the place of the other, with what was left and how it was handled", async () => {
    const old = await placed({ post_only: true, userref: "mine" });
    const report = await replace({ orderId: old.orderId, price: "51000000" });
    expect(report).toMatchObject({
      outcome: "accepted",
      state: "open",
      replaced: { order_id: old.orderId, state: "canceled", executed_volume: "0" },
      order: {
        price: "51000000",
        volume: "0.004",
        side: "buy",
        symbol: "BTC/KRW",
        post_only: true,
        time_in_force: "GTC",
      },
      warnings: [],
    });
    expect(atVenue(old.orderId)?.state).toBe("canceled");
    expect(open().map(({ orderId }) => orderId)).toEqual([report.order?.orderId]);
    expect(await unwrap(seat.desk.order({ userref: report.userref ?? "" }))).toMatchObject({ state: "open" });
  });

  it("keeps the compliance data of the old one", async () => {
    const compliance = {
      vasp_purpose_code: "P2B_TRADE",
      originator_vasp_id: "VASP-KR-2",
      kyc_level: "TIER2",
      settlement_mode: "STANDARD_KRW",
    } as const;
    const old = await placed({ compliance });
    const report = await replace({ orderId: old.orderId, price: "51000000" });
    const stored = await unwrap(world.store.journal.byId(report.intent_id ?? ""));
    expect(stored?.body.order.compliance).toEqual(compliance);
  });

  it.each([
    ["smaller", "0.001"],
    ["larger", "0.009"],
  ])("leaves that much open when the volume becomes %s", async (_, base_volume) => {
    const { orderId } = await placed({ userref: "mine" });
    const report = await replace({ userref: "mine", base_volume });
    expect(report).toMatchObject({
      outcome: "accepted",
      replaced: { order_id: orderId },
      order: { volume: base_volume },
    });
    expect(open()).toHaveLength(1);
  });

  it("takes what is open of a partly filled order, and counts in coins to be left", async () => {
    const { orderId } = await placed();
    fill("0.001");
    const moved = await replace({ orderId, price: "49000000" });
    expect(moved).toMatchObject({
      replaced: { state: "canceled", executed_volume: "0.001" },
      order: { volume: "0.003", price: "49000000" },
    });
    const again = await replace({ orderId: moved.order?.orderId ?? "", base_volume: "0.002" });
    expect(again).toMatchObject({ order: { volume: "0.002", price: "49000000" } });
    expect(open()).toHaveLength(1);
  });

  it("takes an order of another program too", async () => {
    const other = await world.seat({ freshStore: true });
    const { order } = await other.desk.place(BUY);
    expect(await replace({ orderId: order?.orderId ?? "", price: "51000000" })).toMatchObject({ state: "open" });
  });

  it("is refused, and leaves everything, where there is nothing to change", async () => {
    const old = await placed();
    const { orderId } = old;
    const refusals = [
      [{ orderId, price: "50000000" }, "ELocal:Invalid input"],
      [{ orderId, price: "50000000.0", base_volume: "0.0040" }, "ELocal:Invalid input"],
      [{ orderId, price: "50000001" }, "EOrder:Tick size check failed"],
      [{ orderId, base_volume: "0.00000001" }, "EOrder:Order minimum not met"],
      [{ userref: "nobody", price: "1" }, "ELocal:Unknown order"],
    ] as const;
    for (const [request, code] of refusals)
      expect(await replace(request)).toMatchObject({ outcome: "not_sent", state: "denied", error: { code } });
    await seat.desk.cancel({ orderId });
    const before = cancels();
    expect(await replace({ orderId, price: "51000000" })).toMatchObject({
      outcome: "not_sent",
      error: { code: "EOrder:Order already closed", message: expect.stringContaining("is canceled") },
    });
    expect([sent(), cancels()]).toEqual([1, before]);
  });
});

describe("before the old one is canceled", () => {
  /** All but what a move needs is locked in the old order. */
  const lockAll = async () => {
    const { balances } = await unwrap(seat.desk.balances());
    const krw = BigInt((balances.find(({ asset }) => asset === "KRW")?.available ?? "0").split(".")[0] ?? "0");
    // 0.004 at so much takes nearly all, fee included.
    const at = ((krw * 9_980n) / 10_000n / 4n) * 1_000n;
    return placed({ price: String(at - (at % 1_000n)) });
  };

  it("money and budgets are counted as if it were gone: all of them may be locked in it", async () => {
    set({ maxOpenOrders: 1, maxOpen: inUnit("200000"), maxDay: inUnit("200000") });
    const { orderId } = await placed();
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({ outcome: "accepted", state: "open" });
    expect(open()).toHaveLength(1);
  });

  it("money that it does not lock is needed, or the old one stays", async () => {
    const old = await lockAll();
    expect(await replace({ orderId: old.orderId, base_volume: "0.0039" })).toMatchObject({ outcome: "accepted" });
    const [now] = open();
    expect(await replace({ orderId: now?.orderId ?? "", base_volume: "0.005" })).toMatchObject({
      outcome: "not_sent",
      error: { code: "EOrder:Insufficient funds" },
    });
    expect(open().map(({ orderId }) => orderId)).toEqual([now?.orderId]);
    expect(cancels()).toBe(1);
  });

  it("coins that a sell locks may be sold by the new one, and no more", async () => {
    const { orderId } = await placed({ side: "sell", base_volume: "1", price: "90000000" });
    expect(await replace({ orderId, base_volume: "1.1" })).toMatchObject({
      error: { code: "EOrder:Insufficient funds" },
    });
    expect(await replace({ orderId, price: "91000000" })).toMatchObject({
      outcome: "accepted",
      order: { volume: "1" },
    });
  });

  it.each([
    ["the budget of a day", { maxDay: inUnit("250000") }, "day_budget"],
    ["what is open", { maxOpen: inUnit("250000") }, "open_exposure"],
    ["one order", { maxOrder: inUnit("250000") }, "order_size"],
    ["a minute", { maxOrdersPerMinute: 1 }, "orders_per_minute"],
    ["a mode that places nothing", { mode: "read-only" }, "mode"],
  ] as const)("the policy judges the new one by %s", async (_, change, rule) => {
    const { orderId } = await placed();
    set(change);
    expect(await replace({ orderId, base_volume: "0.0060" })).toMatchObject({ outcome: "not_sent", error: { rule } });
    expect(cancels()).toBe(0);
    expect(atVenue(orderId)?.state).toBe("open");
  });

  it("the price is held against the market", async () => {
    world.rest("sell", "50500000", "1");
    world.rest("buy", "50000000", "1");
    set({ priceCollar: rate("0.05") });
    const { orderId } = await placed({ price: "49500000" });
    expect(await replace({ orderId, price: "60000000" })).toMatchObject({ error: { rule: "price_collar" } });
    expect(cancels()).toBe(0);
  });

  it("a post-only one rests by the book, or the old one stays", async () => {
    world.rest("sell", "50500000", "1");
    const { orderId } = await placed({ post_only: true });
    expect(await replace({ orderId, price: "50600000" })).toMatchObject({
      outcome: "not_sent",
      error: { code: "EOrder:Post only order", message: expect.stringContaining("Nothing was sent") },
    });
    expect([sent(), cancels(), atVenue(orderId)?.state]).toEqual([1, 0, "open"]);
    expect(await replace({ orderId, price: "50400000" })).toMatchObject({ outcome: "accepted", state: "open" });
  });

  it("what the old one executed still counts for the day", async () => {
    set({ maxDay: inUnit("200000") });
    const { orderId } = await placed();
    fill("0.002");
    expect(await replace({ orderId, base_volume: "0.003" })).toMatchObject({ error: { rule: "day_budget" } });
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({ outcome: "accepted" });
  });
});

describe("what the old one executes while it is being canceled", () => {
  it.each([
    ["what was left where the volume was to stay", {}, "0.003"],
    ["what was asked for where more is left", { base_volume: "0.002" }, "0.002"],
    ["what is left where less is left than was asked for", { base_volume: "0.0035" }, "0.003"],
    ["that much less of a larger one", { base_volume: "0.009" }, "0.008"],
  ])("is not placed again: %s", async (_, change, volume) => {
    const { orderId } = await placed();
    fillBeforeCancel("0.001");
    const report = await replace({ orderId, price: "49000000", ...change });
    expect(report).toMatchObject({
      outcome: "accepted",
      replaced: { state: "canceled", executed_volume: "0.001" },
      order: { volume, state: "open" },
    });
    expect(open()).toHaveLength(1);
  });

  it("may be all of it: then nothing is placed", async () => {
    const { orderId } = await placed();
    fillBeforeCancel("0.004");
    const report = await replace({ orderId, price: "49000000" });
    expect(report).toMatchObject({
      outcome: "not_sent",
      state: "not_placed",
      replaced: { state: "filled", executed_volume: "0.004" },
      error: {
        code: "EOrder:Order already closed",
        message: expect.stringContaining("filled before it could be canceled"),
      },
    });
    expect([sent(), open().length]).toEqual([1, 0]);
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      replaced: { state: "filled" },
      state: "not_placed",
    });
  });

  it("may leave less than the market takes: then nothing is placed, and nothing stands", async () => {
    const { orderId } = await placed();
    fillBeforeCancel("0.00399");
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      outcome: "not_sent",
      state: "not_placed",
      replaced: { state: "canceled", executed_volume: "0.00399" },
      error: { code: "EOrder:Order minimum not met", message: expect.stringContaining("neither is open now") },
    });
    expect([sent(), open().length]).toEqual([1, 0]);
  });
});

describe("when the cancel does not go as it should", () => {
  it.each(["lose_reset", "garble", "html", "fail_after", "stale_nonce", "twice"] as const)(
    "an answer that is lost (%s) is asked for, and the new one is placed once",
    async (kind) => {
      const { orderId } = await placed();
      world.proxy.plan(CANCEL, kind);
      expect(await replace({ orderId, price: "49000000" })).toMatchObject({
        outcome: "accepted",
        replaced: { state: "canceled" },
        state: "open",
      });
      expect([sent(), open().length]).toEqual([2, 1]);
    },
  );

  it.runIf(has("proof"))(
    "and has no effect, the old one stands and the same change goes when it is asked for again",
    async () => {
      const { orderId } = await placed();
      world.proxy.plan(CANCEL, "busy");
      const refused = await replace({ orderId, price: "49000000" });
      expect(refused).toMatchObject({ outcome: "not_sent", state: "not_placed", replaced: { state: "open" } });
      expect(refused.error?.message).toContain("still open");
      expect([sent(), open().length]).toEqual([1, 1]);
      expect(await replace({ orderId, price: "49000000" })).toMatchObject({ outcome: "accepted", state: "open" });
      expect([sent(), open().length]).toEqual([2, 1]);
    },
  );

  it("and nobody can tell, the new one is not sent, then or later", async () => {
    const { orderId } = await placed();
    world.proxy.plan(CANCEL, "lose_reset");
    world.proxy.plan(/^GET \/v1\/orders\/BTC/, (body) => body, 1);
    world.proxy.plan(/^GET \/v1\/orders\/BTC/, "deny", 20);
    const report = await replace({ orderId, price: "49000000" });
    expect(report).toMatchObject({
      outcome: "unknown",
      state: "not_placed",
      replaced: { order_id: orderId, state: "unknown" },
      error: { code: "ELocal:No answer" },
      next_action: expect.stringContaining(`order_id ${orderId}`),
    });
    world.proxy.heal();
    world.clock.skewMs = 40_000;
    await seat.desk.reconcile();
    await seat.desk.upkeep();
    expect([sent(), open().length]).toEqual([1, 0]);
    // The venue shows by now that it is gone; what is still wanted is a new order.
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      state: "not_placed",
      replaced: { state: "canceled" },
    });
    expect(sent()).toBe(1);
  });

  it("but is taken and not shown yet, the new one is not sent", async () => {
    const { orderId } = await placed();
    // Which waits between its looks for nothing here; for the store, and to say that it works on it still, as long as ever.
    const clock: Clock = {
      now: () => world.clock.now(),
      rising: () => world.clock.rising(),
      sleep: async (ms, signal) => (ms === 200 ? undefined : world.clock.sleep(ms, signal)),
    };
    const { desk } = await world.seat({ policy, clock });
    world.proxy.plan(CANCEL, "still_open");
    world.proxy.plan(/^GET \/v1\/orders\/BTC/, (body) => body, 1);
    world.proxy.plan(/^GET \/v1\/orders\/BTC/, "still_open", 20);
    expect(await replace({ orderId, price: "49000000" }, desk)).toMatchObject({
      outcome: "unknown",
      replaced: { state: "cancel_requested" },
    });
    expect(sent()).toBe(1);
  });

  it("places nothing when somebody else has canceled it", async () => {
    const { orderId } = await placed();
    const { exchange, accountId } = world.sandbox;
    const cancel = { type: "cancel", accountId, symbol: "BTC/KRW", orderId } as const;
    aroundCancel({ before: () => exchange.apply(cancel, Date.now()) });
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      outcome: "not_sent",
      replaced: { state: "canceled" },
      error: { message: expect.stringContaining("already ended as canceled") },
    });
    expect([sent(), open().length]).toEqual([1, 0]);
  });
});

describe("when the old one is gone", () => {
  it("and everything is canceled by then, the new one is withdrawn with all others", async () => {
    const { orderId } = await placed();
    const other = await world.seat({ policy });
    let all: Awaited<ReturnType<typeof other.desk.cancelAll>> | undefined;
    aroundCancel({
      after: async () => {
        all = await other.desk.cancelAll();
      },
    });
    const report = await replace({ orderId, price: "49000000" });
    expect(report).toMatchObject({ outcome: "not_sent", state: "not_placed", replaced: { state: "canceled" } });
    expect(all).toMatchObject({ remaining: 0, withdrawn: [{ id: report.intent_id }] });
    expect([sent(), open().length]).toEqual([1, 0]);
  });

  it("and the brake is on by then, the new one is not sent, and that nothing stands is said", async () => {
    const { orderId } = await placed();
    const atMs = Date.now();
    aroundCancel({ after: () => world.store.killSwitch.engage({ reason: "enough", by: "a person", atMs }) });
    const report = await replace({ orderId, price: "49000000" });
    expect(report).toMatchObject({
      outcome: "not_sent",
      state: "denied",
      replaced: { state: "canceled" },
      error: { code: "ELocal:Trading halted", message: expect.stringContaining("neither is open now") },
    });
    expect(report.error?.message).not.toContain("Nothing was sent");
    expect([sent(), open().length]).toEqual([1, 0]);
  });

  it.runIf(has("words"))("and the exchange refuses the new one, that nothing stands is said", async () => {
    const { orderId } = await placed();
    world.proxy.plan(ORDER_POST, "deny");
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      outcome: "rejected",
      state: "rejected",
      replaced: { state: "canceled" },
    });
    expect(open()).toHaveLength(0);
  });

  it.each(["lose_reset", "swallow", "fail_after"] as const)(
    "and the new one has no answer (%s), it is found out and never sent again",
    async (kind) => {
      const { orderId } = await placed();
      world.proxy.plan(ORDER_POST, kind);
      await replace({ orderId, price: "49000000" });
      await seat.desk.reconcile();
      await replace({ orderId, price: "49000000" });
      expect([sent() <= 2, open().length <= 1]).toEqual([true, true]);
      expect(world.orders().filter(({ price }) => price === units("49000000")).length).toBe(kind === "swallow" ? 0 : 1);
    },
  );
});

describe("asked for again", () => {
  it("the same change is answered with what became of the first; by whatever name the old one is called", async () => {
    const { orderId } = await placed({ userref: "mine" });
    const first = await replace({ orderId, price: "49000000" });
    for (const name of [{ orderId }, { userref: "mine" }])
      expect(await replace({ ...name, price: "49000000.0" })).toMatchObject({
        outcome: "accepted",
        order: { orderId: first.order?.orderId },
        replaced: { order_id: orderId, state: "canceled" },
      });
    expect([sent(), open().length]).toEqual([2, 1]);
  });

  it("makes one change when it is asked for at the same moment, by one process or two", async () => {
    const { orderId } = await placed();
    const second = await world.seat({ policy });
    const prices = ["49000000", "49000000", "48000000", "47000000"];
    const desks = [seat.desk, second.desk];
    const reports = await Promise.all(prices.map((price, index) => replace({ orderId, price }, desks[index % 2])));
    expect(reports.filter(({ order }) => order?.state === "open").length).toBeGreaterThanOrEqual(1);
    expect([sent(), open().length]).toEqual([2, 1]);
  });
});

describe("a process that dies", () => {
  it("when it dies before the cancel, leaves everything as it was, and the change can be asked for anew once that is known", async () => {
    const { orderId } = await placed();
    const doomed = await world.seat({ policy, crashAt: "recorded" });
    void replace({ orderId, price: "49000000" }, doomed.desk);
    await doomed.died;
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      outcome: "unknown",
      replaced: { state: "open" },
    });
    expect(await replace({ orderId, price: "48000000" })).toMatchObject({ error: { code: "ELocal:Twin unresolved" } });
    expect([sent(), cancels()]).toEqual([1, 0]);
    world.clock.skewMs = 40_000;
    expect(await seat.desk.reconcile()).toMatchObject({ not_placed: 1 });
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({ outcome: "accepted", state: "open" });
    expect([sent(), open().length]).toEqual([2, 1]);
  });

  it("or goes on, is alone in making its change: who asked at the same moment makes none", async () => {
    const { orderId } = await placed();
    const doomed = await world.seat({ policy, crashAt: "recorded" });
    void replace({ orderId, price: "49000000" }, doomed.desk);
    await doomed.died;
    // Looked before the other had recorded it.
    vi.spyOn(world.store.journal, "byUserref").mockImplementationOnce(async () => ok(undefined));
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      outcome: "unknown",
      replaced: { state: "open" },
    });
    expect([sent(), cancels()]).toEqual([1, 0]);
  });

  it("when it dies between cancel and place, never sends the new one, and that nothing stands is said", async () => {
    const { orderId } = await placed();
    const doomed = await world.seat({ policy });
    const reached = world.proxy.reached(CANCEL);
    void replace({ orderId, price: "49000000" }, doomed.desk);
    await reached;
    doomed.kill();
    world.clock.skewMs = 40_000;
    await seat.desk.reconcile();
    const again = await replace({ orderId, price: "49000000" });
    expect(again).toMatchObject({ outcome: "not_sent", state: "not_placed", replaced: { state: "canceled" } });
    expect(again.next_action).toContain("place_order");
    expect([sent(), open().length]).toEqual([1, 0]);
  });

  it("or only stood still until it was given up, does not cancel any more", async () => {
    const { orderId } = await placed();
    const other = await world.seat({ policy });
    const record = Reflect.get(world.store.journal, "record");
    vi.spyOn(world.store.journal, "record").mockImplementationOnce(async (intent) => {
      const recorded = await record(intent);
      world.clock.skewMs = 40_000;
      await other.desk.reconcile();
      return recorded;
    });
    const late = await replace({ orderId, price: "49000000" });
    expect(late).toMatchObject({ outcome: "not_sent", state: "not_placed", replaced: { state: "open" } });
    expect([sent(), cancels(), atVenue(orderId)?.state]).toEqual([1, 0, "open"]);
  });

  it("or is given up while it cancels, places nothing, and says that the old one is gone", async () => {
    const { orderId } = await placed();
    const other = await world.seat({ policy });
    aroundCancel({
      after: async () => {
        world.clock.skewMs = 40_000;
        await other.desk.reconcile();
      },
    });
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({
      outcome: "not_sent",
      state: "not_placed",
      replaced: { state: "canceled" },
    });
    expect([sent(), open().length]).toEqual([1, 0]);
  });

  it.runIf(has("proof"))(
    "when the new one is numbered, or taken, leaves it to be settled and never sent again",
    async () => {
      for (const crashAt of ["numbered", "answered"] as const) {
        const { orderId } = await placed();
        const before = sent();
        const doomed = await world.seat({ policy, crashAt });
        void replace({ orderId, price: "49000000" }, doomed.desk);
        await doomed.died;
        await seat.desk.reconcile();
        const isTaken = crashAt === "answered";
        expect(await replace({ orderId, price: "49000000" })).toMatchObject({ state: isTaken ? "open" : "not_placed" });
        expect(sent() - before).toBe(isTaken ? 1 : 0);
      }
    },
  );
});
