/** Turns and pieces with a limit, in a market that is far better than it, or that moves while they are judged. */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { rate } from "../../../src/decimal/index.ts";
import type { PlanRecord, PlanRequest } from "../../../src/desk/index.ts";
import type { RecurringTerms, SlicesTerms } from "../../../src/desk/model/plan.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { activePlan, BUYS, DAY_MS, stepAt, stepsInOrder, storedPlan } from "./active-plan.ts";
import { openPlanWorld, type PlanWorld } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

const LONG = 60_000;
const COLLARED = { ...LOOSE, priceCollar: rate("0.05") };

let market: PlanWorld;
const opened = async (): Promise<void> => {
  market = await openPlanWorld();
};
afterEach(() => market.close());

const statesOf = async (plan: PlanRecord): Promise<readonly string[]> =>
  (await stepsInOrder(market.world, plan.planId)).map(({ state }) => state);
/** What of the account executed, oldest first. */
const executed = () => [...market.world.orders()].reverse().map(({ executedVolume }) => executedVolume);
const prices = () => [...market.world.orders()].reverse().map(({ price }) => Number(price) / 100_000_000);

/** A turn of now, and one that is a day away. */
const turn = (more: Partial<RecurringTerms>): Promise<PlanRecord> => {
  const terms = { ...BUYS, ...more } as RecurringTerms;
  const { side } = terms;
  const now = market.clock.now();
  const size = "volume" in terms.size ? { volume: terms.size.volume } : {};
  return activePlan(market.world, {
    terms,
    bounds: {
      side,
      ...(side === "buy" ? { priceMax: terms.limitPrice ?? "0" } : { priceMin: terms.limitPrice ?? "0" }),
    },
    steps: [stepAt(1, now + 500, { side, ...size }), stepAt(2, now + DAY_MS, { side, ...size })],
  });
};

describe("an order with a limit, where the policy has a collar", () => {
  it(
    "buys while the market is far below its limit, at no more than the book asks for it",
    async () => {
      await opened();
      await market.process({ policy: changeablePolicy(COLLARED) });
      const plan = await turn({ limitPrice: won(250) });
      await market.pass(4_000);
      expect(await statesOf(plan)).toEqual(["done", "planned"]);
      // 50 000 won at 105.315 million, which is the best ask and a little room.
      expect([prices(), executed()]).toEqual([[105_315_000], [47_476n]]);
    },
    LONG,
  );

  it(
    "buys up to the edge of the collar where the book has less than its amount",
    async () => {
      await opened();
      market.quotes(104, undefined);
      market.rest("sell", 105, "0.0001");
      await market.process({ policy: changeablePolicy(COLLARED) });
      const plan = await turn({ limitPrice: won(250) });
      await market.pass(4_000);
      expect(await statesOf(plan)).toEqual(["done", "planned"]);
      // 5 % above 104.5 million, in the middle of the book and of the trades, is on no tick.
      expect([prices(), executed()]).toEqual([[109_725_000], [10_000n]]);
    },
    LONG,
  );

  it(
    "sells while the market is far above its limit, no lower than the collar lets it",
    async () => {
      await opened();
      await market.process({ policy: changeablePolicy(COLLARED) });
      const plan = await turn({ side: "sell", size: { volume: "0.001" }, limitPrice: won(80) });
      await market.pass(4_000);
      expect(await statesOf(plan)).toEqual(["done", "planned"]);
      expect([prices(), executed()]).toEqual([[99_275_000], [100_000n]]);
    },
    LONG,
  );

  it(
    "waits as ever while the best ask is beyond the collar, and buys when it is not",
    async () => {
      await opened();
      market.quotes(104, 125);
      await market.process({ policy: changeablePolicy(COLLARED) });
      const plan = await turn({ limitPrice: won(250) });
      await market.pass(4_000);
      expect([await statesOf(plan), prices()]).toEqual([["planned", "planned"], []]);
      market.quotes(104, 105);
      await market.pass(70_000);
      expect(await statesOf(plan)).toEqual(["done", "planned"]);
    },
    2 * LONG,
  );

  it(
    "reckons its price anew where the market has fallen by the time that it is judged",
    async () => {
      await opened();
      market.quotes(104, undefined);
      market.rest("sell", 105, "0.0001");
      let looks = 0;
      await market.process({
        policy: changeablePolicy(COLLARED),
        plans: (book) => ({
          ...book,
          children: async (planId) => {
            looks += 1;
            // Its price has been reckoned, and the market is about to be read once more.
            if (looks === 2) {
              market.quotes(98, undefined);
              market.rest("sell", 99, "0.0001");
              await pause(300);
            }
            return book.children(planId);
          },
        }),
      });
      const plan = await turn({ limitPrice: won(250) });
      await market.pass(20_000);
      expect(await statesOf(plan)).toEqual(["done", "planned"]);
      expect(prices()).toEqual([103_425_000]);
    },
    LONG,
  );
});

describe("an amount with a limit", () => {
  it(
    "is spent by nearly all of it in a market that is better than the limit, and never by more",
    async () => {
      await opened();
      const server = await market.process();
      market.quotes(100, 100.01);
      market.print(100.005);
      const asked: PlanRequest = {
        ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", quote_amount: "60000" },
        ...{ slices: 2, duration: "20s", limit_price: won(104) },
      };
      const { plan } = await market.during(server.plans.create(asked, "assistant"));
      await market.pass(25_000);
      const spent = market.world.orders().reduce((sum, order) => sum + Number(order.executedValue), 0) / 100_000_000;
      expect(spent).toBeGreaterThan(59_800);
      expect(spent).toBeLessThanOrEqual(60_000);
      expect((await storedPlan(market.world, plan?.plan_id ?? "")).state).toBe("done");
    },
    LONG,
  );

  it(
    "asks no more than its limit in a book that has too little below it",
    async () => {
      await opened();
      await market.process();
      market.quotes(104, undefined);
      market.rest("sell", 105, "0.0001");
      market.rest("sell", 107, "1");
      const terms: SlicesTerms = {
        ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "100000" } },
        ...{ count: 2, durationMs: 60_000, limitPrice: won(106) },
      };
      const { label: _, ...piece } = stepAt(1, market.clock.now() + 500);
      await activePlan(market.world, { terms, steps: [piece] });
      await market.pass(4_000);
      expect([prices(), executed()]).toEqual([[106_000_000], [10_000n]]);
    },
    LONG,
  );
});
