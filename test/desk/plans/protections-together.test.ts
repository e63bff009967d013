/** Protections that follow the market, and processes that look after the same ones. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inUnit, rate } from "../../../src/decimal/index.ts";
import type { PlanBook, PlanRecord, PlanRequest } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { sentElsewhere } from "./active-plan.ts";
import { OCO, openProtected, type Protected, STOP, TRAIL } from "./protected-market.ts";
import { won } from "./sandbox-market.ts";

const LONG = 60_000;
const heldNow = async () => {
  const { balances } = await unwrap(at.server.parts.venue.accounts());
  const own = balances.find(({ asset }) => asset === "BTC");
  if (own === undefined) throw new Error("no coins");
  return own;
};

let at: Protected;
afterEach(() => at.market.close());

describe("a trailing stop", () => {
  beforeEach(async () => {
    at = await openProtected({ file: true });
  });

  it(
    "follows the market up, keeps the high that it has seen, and sells when the market has fallen by its distance",
    async () => {
      const plan = await at.begun(TRAIL);
      await at.stands(111, 112, 111.5, 8);
      expect((await at.now(plan)).progress.high).toBe(won(111));
      await at.stands(106, 107, 106.5, 5);
      expect(at.sent()).toEqual([]);
      expect((await at.now(plan)).progress.high).toBe(won(111));
      // 5 % below 111.
      await at.stands(104, 105.45, 105, 5);
      expect(at.sent()).toMatchObject([{ at: 100.88, executed: 0.5 }]);
      expect(await at.now(plan)).toMatchObject({ state: "done", progress: { high: won(111), leg: "stop" } });
    },
    LONG,
  );

  it(
    "goes on from the high that was stored when a server starts again: what rose while nobody watched does not count",
    async () => {
      const plan = await at.begun(TRAIL);
      await at.stands(111, 112, 111.5, 8);
      await at.server.close();
      await at.stands(130, 131, 130.5, 8);
      at.market.quotes(113, 114);
      at.market.print(113.5);
      await at.market.process();
      await at.stands(113, 114, 113.5, 2);
      // 5 % below 130 is 123.5.
      expect(at.sent()).toEqual([]);
      await at.stands(110, 111, 110.5, 5);
      expect(at.sent()).toEqual([]);
      await at.stands(104, 105, 104.5, 6);
      expect(at.sent()).toMatchObject([{ executed: 0.5 }]);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );

  it(
    "stays where it was once it has claimed, however high the market goes",
    async () => {
      const plan = await at.begun({ ...TRAIL, kind: "oco", take_price: won(140) });
      await at.thin(97, "0.1", 98, 97.5, 4);
      const before = at.sent();
      expect(before.length).toBeGreaterThan(0);
      await at.stands(130, 131, 130.5, 6);
      await at.stands(120, 121, 120.5, 6);
      expect(at.sent()).toEqual(before);
      // 5 % below 104.
      await at.stands(97, 98, 97.5, 6);
      expect(at.sent()).toHaveLength(before.length + 1);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );
});

describe("a stop", () => {
  beforeEach(async () => {
    at = await openProtected({ file: true });
  });

  it(
    "waits for a person where the exchange has an order under the name of its next one, and sends none",
    async () => {
      const plan = await at.begun(STOP);
      const elsewhere = await at.market.world.seat({ freshStore: true });
      const order = { symbol: "BTC/KRW", side: "sell", type: "limit", volume: "0.1", price: won(120) } as const;
      await sentElsewhere(elsewhere, { ...order, userref: userrefOfStep(plan.planId, 1) });
      expect(at.sent()).toMatchObject([{ at: 120 }]);
      await at.stands(97, 99, 98, 8);
      expect(at.sent()).toHaveLength(1);
      expect((await at.now(plan)).state).toBe("attention");
      expect(await at.told("plan.attention")).toHaveLength(1);
    },
    LONG,
  );

  it(
    "sends no other order while the answer to one is lost, and counts what that has sold",
    async () => {
      const plan = await at.begun(STOP);
      at.market.world.proxy.plan(ORDER_POST, "lose_reset");
      await at.stands(97, 99, 98, 14);
      expect(at.sent()).toMatchObject([{ step: 1, executed: 0.5 }]);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );

  it(
    "sells nothing while trading is halted, nor when it goes on before a person starts the plan again",
    async () => {
      const plan = await at.begun(STOP);
      await at.market.during(at.server.desk.halt("a test", "a person"));
      await at.stands(97, 99, 98, 6);
      await at.market.during(at.server.desk.resume("a person"));
      await at.stands(97, 99, 98, 6);
      expect(at.sent()).toEqual([]);
      expect((await at.now(plan)).state).toBe("paused");
    },
    LONG,
  );
});

it(
  "a stop is never denied for what other orders are bound by: its own rule of prices stands in their place",
  async () => {
    const bound = { maxOrder: inUnit("10000"), maxDay: inUnit("10000"), maxOpen: inUnit("10000") };
    const strict = { ...LOOSE, ...bound, priceCollar: rate("0.01"), maxSlippage: rate("0.001") };
    at = await openProtected({}, { policy: changeablePolicy({ ...strict, maxOrdersPerMinute: 0 }) });
    const plan = await at.begun(STOP);
    await at.stands(93, 99, 98, 8);
    expect(at.sent()).toMatchObject([{ executed: 0.5 }]);
    expect((await at.now(plan)).state).toBe("done");
  },
  LONG,
);

describe("an order of a stop that rests", () => {
  const RESTING: PlanRequest = { ...STOP, limit_price: won(100) };
  beforeEach(async () => {
    const policy = changeablePolicy({ ...LOOSE, plans: { ...LOOSE.plans, stopRemoval: "ask" } });
    at = await openProtected({ file: true }, { policy });
  });

  it(
    "is named with its plan where all orders are canceled, beside the protections that go on",
    async () => {
      const [resting, waiting] = [await at.begun(RESTING), await at.begun({ ...STOP, stop_price: won(80) })];
      await at.stands(97, 99, 98, 6);
      expect(at.sent()).toMatchObject([{ at: 100, state: "open" }]);
      const { warnings } = await at.market.during(at.server.desk.cancelAll());
      expect(warnings).toEqual([
        `Plans that protect coins go on, as canceling orders takes no protection away: ${waiting.planId}.`,
        `Stops whose order rests stand still where that was canceled too, and protect nothing until a person starts them again: ${resting.planId}.`,
      ]);
      await at.pass(3_000);
      expect([(await at.now(resting)).state, (await at.now(waiting)).state]).toEqual(["paused", "active"]);
    },
    LONG,
  );

  it(
    "leaves no question whether its plan may be paused, once it was canceled by hand and the plan is",
    async () => {
      const plan = await at.begun(RESTING);
      await at.stands(97, 99, 98, 6);
      const asked = await at.market.during(at.server.plans.change(plan.planId, "pause", "assistant"));
      expect([asked.outcome, (await at.now(plan)).asked?.action]).toEqual(["not_sent", "pause"]);
      await at.market.during(at.server.desk.cancelAll());
      await at.pass(3_000);
      expect(await at.now(plan)).toMatchObject({ state: "paused", asked: null });
    },
    LONG,
  );
});

describe("two protections that trigger together where coins were sold by hand", () => {
  beforeEach(async () => {
    at = await openProtected({ file: true }, { policy: changeablePolicy({ ...LOOSE, priceCollar: rate("0.01") }) });
  });

  it.each([
    ["two stops", STOP],
    ["a stop and one that trails", TRAIL],
    ["a stop and one cancels other", OCO],
  ])(
    "sell what there is, each by one order: %s",
    async (_, second) => {
      const plans = [await at.begun(STOP), await at.begun(second)];
      const { available } = await heldNow();
      const byHand = Number(available) - 0.75;
      await at.market.during(
        at.server.desk.place({ symbol: "BTC/KRW", side: "sell", type: "market", base_volume: byHand.toFixed(8) }),
      );
      await at.stands(97, 98, 97.5, 12);
      expect(at.sent().map(({ executed }) => executed)).toEqual([0.5, 0.25]);
      expect(await Promise.all(plans.map((plan) => at.steps(plan)))).toEqual([1, 1]);
    },
    LONG,
  );
});

describe("processes on one store", () => {
  /** Takes itself for the one that has the watch, whatever the store says. */
  const usurping = (book: PlanBook): PlanBook => ({
    ...book,
    takeWatch: async (account, claim) => {
      const turn = await book.takeWatch(account, claim);
      if (!turn.ok) return turn;
      const watch = { ...turn.value.watch, holder: claim.holder, sinceMs: claim.nowMs - 60_000 };
      return { ok: true, value: { watch, isMine: true } };
    },
  });
  /** Claims only when both are about to. */
  const meeting = () => {
    let [met, goOn] = [0, (): void => undefined];
    const both = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return {
      met: () => met,
      plans: (book: PlanBook): PlanBook => ({
        ...usurping(book),
        claim: async (claim) => {
          met += 1;
          if (met === 2) goOn();
          await both;
          return book.claim(claim);
        },
      }),
    };
  };

  /** A stop, looked after by two, of which the first dies when it claims. @param dies what of the claim it still does */
  const withDying = async (
    dies: (book: PlanBook, claim: Parameters<PlanBook["claim"]>[0]) => Promise<unknown>,
  ): Promise<PlanRecord> => {
    const dying: { kill?: () => void } = {};
    const plans = (book: PlanBook): PlanBook => ({
      ...book,
      claim: async (claim) => {
        await dies(book, claim);
        dying.kill?.();
        return new Promise(() => undefined);
      },
    });
    at = await openProtected({ file: true }, { plans });
    dying.kill = () => at.server.kill();
    await at.market.process();
    return at.begun(STOP);
  };

  it(
    "send one order where two of them believe to have the watch, and see the fall at once",
    async () => {
      const { met, plans } = meeting();
      at = await openProtected({ file: true }, { plans });
      await at.market.process({ plans });
      const plan = await at.begun(OCO);
      await at.stands(97, 99, 98, 8);
      expect(met()).toBe(2);
      expect(at.market.world.orders().map(({ userref }) => userref)).toEqual([userrefOfStep(plan.planId, 1)]);
      expect(await at.steps(plan)).toBe(1);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );

  it(
    "sell by another where one dies right before its claim",
    async () => {
      const plan = await withDying(async () => undefined);
      await at.stands(97, 99, 98, 16);
      expect(at.sent()).toMatchObject([{ step: 1, executed: 0.5 }]);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );

  it(
    "sell by another where one dies between its claim and its order, which then never leaves",
    async () => {
      const plan = await withDying((book, claim) => book.claim(claim));
      await at.stands(97, 99, 98, 30);
      expect(at.sent()).toMatchObject([{ step: 2, executed: 0.5 }]);
      expect(await at.steps(plan)).toBe(2);
      expect(await at.now(plan)).toMatchObject({ state: "done" });
    },
    LONG,
  );
});
