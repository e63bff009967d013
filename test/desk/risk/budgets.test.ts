import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { OrderRequest, Policy } from "../../../src/desk/index.ts";
import { has, ONE, openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { type ChangeablePolicy, changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest } from "../../fixture/world-per-test.ts";

const LOOK = /^GET \/v1\/orders\?/;
const BOOK = /^GET \/v1\/.*book/;
const DAY_MS = 86_400_000;
/** Counts for 100,000 KRW. */
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };

let world: World;
let policy: ChangeablePolicy;
openWorldPerTest({ file: true }, (opened) => {
  world = opened;
  policy = changeablePolicy();
});
const newSeat = (change: Partial<Policy> = {}): Promise<Seat> => {
  set(change);
  // Budgets are the subject here, not answers that a busy machine loses.
  return world.seat({ policy, patient: true });
};
const set = (change: Partial<Policy>) => {
  policy.value = ok({ ...LOOSE, ...change });
};
/** Everywhere: some exchanges take no request whose time is far from theirs. */
const pass = (ms: number) => {
  world.clock.skewMs += ms;
  world.venueClock.skewMs += ms;
};
const usage = async () => (await unwrap(world.store.journal.usage("paper", Date.now() + world.clock.skewMs))).usage;
const sent = () => world.proxy.deliveries(ORDER_POST);
const deniedBy = (rule: string) => ({
  outcome: "not_sent",
  state: "denied",
  error: { code: "ELocal:Denied by policy", rule },
});

/** Each lets exactly three of the orders through. */
const THREE: readonly [string, Partial<Policy>][] = [
  ["day_budget", { maxDay: inUnit("300000") }],
  ["open_exposure", { maxOpen: inUnit("300000") }],
  ["open_orders", { maxOpenOrders: 3 }],
  ["orders_per_minute", { maxOrdersPerMinute: 3 }],
];

describe("a budget", () => {
  it.each(THREE)(
    "when the rule is %s, several processes at once never exceed it, and use it to its end",
    async (rule, limits) => {
      const seats = [await newSeat(limits), await newSeat(limits), await newSeat(limits)];
      // Named, as an order just like one that is under way is taken for that one.
      const named = [...seats, ...seats, ...seats].map(({ desk }, index) => ({ desk, userref: `n${index}` }));
      const reports = await Promise.all(named.map(({ desk, userref }) => desk.place({ ...order, userref })));
      expect(reports.filter(({ outcome }) => outcome === "accepted")).toHaveLength(3);
      expect(sent()).toBe(3);
      expect(world.orders()).toHaveLength(3);
      for (const report of reports.filter(({ outcome }) => outcome !== "accepted"))
        expect(report).toMatchObject(deniedBy(rule));
      // That the answers were heard is on disk a moment after them; until then a process takes the same order for the one that another has answered.
      const unheard = () => unwrap(world.store.journal.unresolvedOrUnacknowledged("paper", [], 9));
      await expect.poll(unheard).toEqual([]);
      expect(await seats[0]?.desk.place(order)).toMatchObject(deniedBy(rule));
      expect([sent(), world.orders().length]).toEqual([3, 3]);
      expect(await usage()).toEqual({ day: "300000", open: "300000", openOrders: 3, lastMinute: 3 });
    },
  );

  it("is shown in the status, with what is used of it", async () => {
    const seat = await newSeat({ maxDay: inUnit("250000"), maxOpenOrders: 7, maxOrdersPerMinute: 9 });
    const fromMs = Date.now();
    await seat.desk.place(order);
    const toMs = Date.now();
    const { limits, largest_buy } = await seat.desk.status();
    const of = (name: string) => limits.find(({ rule }) => rule === name);
    expect(of("day_budget")).toMatchObject({ used: "100000", limit: "250000", left: "150000", frees_at: null });
    expect(of("open_orders")).toMatchObject({ used: "1", limit: "7", left: "6" });
    expect(of("orders_per_minute")).toMatchObject({ used: "1", limit: "9", left: "8" });
    const freesMs = Date.parse(of("orders_per_minute")?.frees_at ?? "") - 60_000;
    expect([freesMs >= fromMs, freesMs <= toMs]).toEqual([true, true]);
    expect(largest_buy).toBe("150000");
    expect(await seat.desk.place({ ...order, base_volume: "0.0015" })).toMatchObject({ outcome: "accepted" });
    const denied = await seat.desk.place(order);
    expect(denied).toMatchObject({ error: { figure: "350000", limit: "250000" } });
  });

  it.runIf(has("proof"))(
    "is given back by what the venue rejected, what is not placed and what is canceled",
    async () => {
      const seat = await newSeat();
      expect((await seat.desk.place({ ...order, base_volume: "9" })).outcome).toBe("rejected");
      expect(await usage()).toEqual({ day: "0", open: "0", openOrders: 0, lastMinute: 1 });
      world.proxy.plan(ORDER_POST, "refuse");
      expect((await seat.desk.place(order)).state).toBe("not_placed");
      expect(await usage()).toEqual({ day: "0", open: "0", openOrders: 0, lastMinute: 1 });
      await seat.desk.place({ ...order, userref: "gone" });
      expect(await usage()).toEqual({ day: "100000", open: "100000", openOrders: 1, lastMinute: 2 });
      await seat.desk.cancel({ userref: "gone" });
      expect(await usage()).toEqual({ day: "0", open: "0", openOrders: 0, lastMinute: 2 });
    },
  );

  it.runIf(has("proof"))("is kept by an order without an answer until the venue has told", async () => {
    const seat = await newSeat({ maxOpenOrders: 1 });
    world.proxy.plan(ORDER_POST, "refuse");
    world.proxy.plan(LOOK, "deny", 99);
    expect((await seat.desk.place(order)).state).toBe("unknown");
    expect(await usage()).toEqual({ day: "100000", open: "100000", openOrders: 1, lastMinute: 1 });
    expect(await seat.desk.place({ ...order, price: "90000000" })).toMatchObject(deniedBy("open_orders"));
    world.proxy.heal();
    await seat.desk.reconcile();
    expect(await usage()).toEqual({ day: "0", open: "0", openOrders: 0, lastMinute: 0 });
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });

  it.runIf(has("told"))("is settled by what was executed, not by what was asked for", async () => {
    const seat = await newSeat();
    world.rest("sell", "90000000", "0.001");
    expect((await seat.desk.place(order)).state).toBe("filled");
    expect(await usage()).toEqual({ day: "90000", open: "0", openOrders: 0, lastMinute: 1 });
    await seat.desk.place({ ...order, base_volume: "0.003", userref: "part" });
    world.rest("sell", "100000000", "0.001");
    await seat.desk.order({ userref: "part" });
    expect(await usage()).toMatchObject({ day: "390000", open: "300000", openOrders: 1 });
    await seat.desk.cancel({ userref: "part" });
    expect(await usage()).toMatchObject({ day: "190000", open: "0", openOrders: 0 });
  });

  it.runIf(has("told"))("counts a sell at what the book would pay, however low its own price", async () => {
    world.rest("buy", "149000000", "1");
    const seat = await newSeat({ maxOrder: inUnit("140000"), overLimitSells: "deny" });
    const low: OrderRequest = { ...order, side: "sell", price: "10000000" };
    expect(await seat.desk.place(low)).toMatchObject({
      state: "denied",
      error: { rule: "order_size", figure: "149000" },
    });
    set({ maxDay: inUnit("149000"), overLimitSells: "deny" });
    expect(await seat.desk.place(low)).toMatchObject({ outcome: "accepted", state: "filled" });
    expect(await usage()).toMatchObject({ day: "149000", openOrders: 0 });
    expect(await seat.desk.place(low)).toMatchObject(deniedBy("day_budget"));
  });

  it.each(THREE.slice(1, 3))(
    "when the rule is %s, frees what a filled order held, without anybody asking for that order",
    async (rule, limits) => {
      const seat = await newSeat(limits);
      for (const userref of ["a", "b", "c"]) expect((await seat.desk.place({ ...order, userref })).state).toBe("open");
      expect(await seat.desk.place(order)).toMatchObject(deniedBy(rule));
      world.rest("sell", "100000000", "0.001");
      // The venue was asked a moment ago, and is not asked again for every denial.
      expect(await seat.desk.place(order)).toMatchObject(deniedBy(rule));
      pass(5_001);
      expect(await seat.desk.place({ ...order, userref: "d" })).toMatchObject({ outcome: "accepted" });
      expect(await seat.desk.place(order)).toMatchObject(deniedBy(rule));
      expect(await usage()).toMatchObject({ day: "400000", open: "300000", openOrders: 3 });
    },
  );

  it.runIf(has("told"))("moves with the clock, by the day and by the minute", async () => {
    const seat = await newSeat({ maxDay: inUnit("150000"), maxOrdersPerMinute: 1 });
    world.rest("sell", "100000000", "0.001");
    expect((await seat.desk.place(order)).state).toBe("filled");
    expect(await seat.desk.place(order)).toMatchObject(deniedBy("orders_per_minute"));
    world.clock.skewMs = 61_000;
    expect(await seat.desk.place(order)).toMatchObject(deniedBy("day_budget"));
    world.clock.skewMs = DAY_MS - 60_000;
    expect(await seat.desk.place(order)).toMatchObject(deniedBy("day_budget"));
    world.clock.skewMs = DAY_MS + 1_000;
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted", state: "open" });
    // What is open counts for as long as it is.
    world.clock.skewMs = 3 * DAY_MS;
    expect(await seat.desk.place(order)).toMatchObject(deniedBy("day_budget"));
  });
});

describe("between the check and the sending", () => {
  const placing = async (seat: Seat, meanwhile: () => void) => {
    const numbering = seat.stallBefore("advance");
    const report = seat.desk.place({ ...order, userref: "it" });
    await numbering.reached;
    meanwhile();
    return { report, goOn: () => numbering.goOn() };
  };

  it("a book that grew too old is looked at again", async () => {
    const seat = await newSeat({ bookMaxAgeMs: 3_000 });
    const { report, goOn } = await placing(seat, () => {
      pass(10_000);
    });
    expect(world.proxy.deliveries(BOOK)).toBe(1);
    goOn();
    expect(await report).toMatchObject({ outcome: "accepted", state: "open" });
    expect(world.proxy.deliveries(BOOK)).toBe(2);
    expect(sent()).toBe(1);
  });

  it("an order whose book is always too old by then is denied in the end, and nothing is sent", async () => {
    const seat = await newSeat({ bookMaxAgeMs: 3_000 });
    const { report, goOn } = await placing(seat, () => {});
    let [release, tries] = [goOn, 1];
    for (; tries <= 3; tries++) {
      pass(10_000);
      const next = seat.stallBefore("advance");
      release();
      await next.reached;
      release = () => next.goOn();
    }
    release();
    expect(await report).toMatchObject(deniedBy("book_age"));
    expect(world.proxy.deliveries(BOOK)).toBe(3);
    expect(sent()).toBe(0);
  });

  it.each([
    ["mode", { mode: "read-only" }],
    ["day_budget", { maxDay: inUnit("99999") }],
    ["market", { markets: ["ETH/KRW"] }],
    ["order_size", { maxOrder: inUnit("99999") }],
  ] as const)("the policy is asked once more: %s", async (rule, change) => {
    const seat = await newSeat();
    const { report, goOn } = await placing(seat, () => set(change));
    goOn();
    expect(await report).toMatchObject(deniedBy(rule));
    expect(sent()).toBe(0);
    expect(await usage()).toEqual({ day: "0", open: "0", openOrders: 0, lastMinute: 0 });
  });

  it("a policy that needs a yes by now holds the order back", async () => {
    const seat = await newSeat();
    const { report, goOn } = await placing(seat, () => set({ mode: "confirm" }));
    goOn();
    expect(await report).toMatchObject({
      outcome: "not_sent",
      state: "denied",
      error: { code: "ELocal:Not approved" },
    });
    expect(sent()).toBe(0);
  });

  it("a policy that cannot be read any more holds the order back", async () => {
    const seat = await newSeat();
    const { report, goOn } = await placing(seat, () => {
      policy.value = failed(localFault("ELocal:Store unavailable"));
    });
    goOn();
    expect(await report).toMatchObject({ outcome: "not_sent", state: "denied" });
    expect(sent()).toBe(0);
  });

  it("another process may use the budget up", async () => {
    const [seat, other] = [await newSeat({ maxOpenOrders: 1 }), await newSeat({ maxOpenOrders: 1 })];
    const { report, goOn } = await placing(seat, () => {});
    expect(await other.desk.place({ ...order, base_volume: "0.002" })).toMatchObject({ outcome: "accepted" });
    goOn();
    expect(await report).toMatchObject(deniedBy("open_orders"));
    expect(sent()).toBe(1);
  });
});

const LIMITS = { day: 1_200_000n, open: 700_000n, orders: 3, minute: 9 };
const TIGHT: Partial<Policy> = {
  maxDay: inUnit(String(LIMITS.day)),
  maxOpen: inUnit(String(LIMITS.open)),
  maxOpenOrders: LIMITS.orders,
  maxOrdersPerMinute: LIMITS.minute,
};
const FAULTS = ["refuse", "swallow", "late", "busy", "lose_reset", "lose_hang", "fail_after", "bad_gateway"] as const;

type Step =
  | { readonly do: "place"; readonly seat: number; readonly milliBtc: number }
  | { readonly do: "cancel"; readonly seat: number; readonly nth: number }
  | { readonly do: "fill"; readonly milliBtc: number }
  | { readonly do: "fault"; readonly kind: (typeof FAULTS)[number]; readonly isDark: boolean }
  | { readonly do: "reconcile"; readonly seat: number };

const seats = fc.nat({ max: 2 });
const milliBtc = fc.integer({ min: 1, max: 4 });
const place = fc.record({ do: fc.constant("place" as const), seat: seats, milliBtc });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: place },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel" as const), seat: seats, nth: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fill" as const), milliBtc }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("fault" as const), kind: fc.constantFrom(...FAULTS), isDark: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reconcile" as const), seat: seats }) },
);

/** What the venue itself shows, in whole KRW rounded up. */
function counted(at: World) {
  const krw = (value: bigint) => (value + ONE - 1n) / ONE;
  const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
  const orders = at.orders();
  const open = orders
    .filter(({ state }) => state === "open")
    .map(({ price, volume }) => krw(((price ?? 0n) * (volume ?? 0n)) / ONE));
  const ended = orders.filter(({ state }) => state !== "open").map(({ executedValue }) => krw(executedValue));
  return { open: sum(open), orders: open.length, day: sum(open) + sum(ended), sent: orders.length };
}

function expectWithin(at: World): void {
  const { open, orders, day, sent: all } = counted(at);
  expect({
    day: day <= LIMITS.day,
    open: open <= LIMITS.open,
    orders: orders <= LIMITS.orders,
    minute: all <= LIMITS.minute,
  }).toEqual({
    day: true,
    open: true,
    orders: true,
    minute: true,
  });
}

async function take(at: World, desks: readonly Seat[], each: Step): Promise<void> {
  const desk = (seat: number) => (desks[seat] as Seat).desk;
  switch (each.do) {
    case "place": {
      const { outcome, error } = await desk(each.seat).place({ ...order, base_volume: `0.00${each.milliBtc}` });
      if (outcome === "not_sent" && error?.rule !== undefined)
        expect(["day_budget", "open_exposure", "open_orders", "orders_per_minute"]).toContain(error.rule);
      return;
    }
    case "cancel": {
      const orderId = at.orders()[each.nth]?.orderId;
      if (orderId !== undefined) await desk(each.seat).cancel({ orderId });
      return;
    }
    case "fill":
      at.rest("sell", "100000000", `0.00${each.milliBtc}`);
      return;
    case "fault":
      at.proxy.plan(ORDER_POST, each.kind);
      if (each.isDark) at.proxy.plan(LOOK, "deny", 2);
      return;
    case "reconcile":
      await desk(each.seat).reconcile();
      return;
    default:
      each satisfies never;
  }
}

describe("any sequence of orders, fills, cancels and lost answers over several processes", () => {
  it.runIf(has("proof"))(
    "stays within all budgets at the venue itself, and is counted to the last won once all is known",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 9 }),
          async (batches) => {
            const own = await openWorld({ file: true, totalMs: 120 });
            try {
              const tight = changeablePolicy({ ...LOOSE, ...TIGHT });
              const desks = [
                await own.seat({ policy: tight }),
                await own.seat({ policy: tight }),
                await own.seat({ policy: tight }),
              ];
              for (const batch of batches) {
                await Promise.all(batch.map((each) => take(own, desks, each)));
                expectWithin(own);
              }
              own.proxy.heal();
              await own.proxy.deliverLate();
              expectWithin(own);
              const last = await own.seat({ policy: tight, patient: true });
              await last.desk.reconcile();
              await last.desk.upkeep();
              const { usage: used } = await unwrap(own.store.journal.usage("paper", Date.now()));
              const { open, orders, day } = counted(own);
              expect(used).toMatchObject({ day: String(day), open: String(open), openOrders: orders });
              expect(own.forbidden).toEqual([]);
            } finally {
              await own.close();
            }
          },
        ),
        { numRuns: 12 },
      );
    },
    120_000,
  );
});
