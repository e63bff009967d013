/** What a protection does where things change between the moment that its price has come and its order. */
import { afterEach, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { FIRST_LOOK } from "../../fixture/fault-proxy.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { openProtected, type Protected, STOP } from "./protected-market.ts";

let at: Protected;
afterEach(() => at.market.close());

it("a stop sells nothing where the market has left its price while it was being looked at", async () => {
  let isHeld = false;
  let held = 0;
  let goOn = (): void => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  at = await openProtected(
    {},
    {
      plans: (book) => ({
        ...book,
        children: async (planId) => {
          if (isHeld) {
            held++;
            await gate;
          }
          return book.children(planId);
        },
      }),
    },
  );
  const plan = await at.begun(STOP);
  isHeld = true;
  await at.stands(97, 99, 98, 5);
  expect(held).toBe(1);
  await at.stands(104, 105, 104.5, 3);
  isHeld = false;
  goOn();
  await at.stands(104, 105, 104.5, 3);
  expect(at.sent()).toEqual([]);
  expect((await at.now(plan)).state).toBe("active");
  // It is looked after as before.
  await at.stands(97, 99, 98, 8);
  expect(at.sent()).toMatchObject([{ step: 1, executed: 0.5 }]);
}, 60_000);

it("a stop sells nothing where the market has left its price while the exchange was asked whether it has its order", async () => {
  at = await openProtected({}, { patient: true });
  const { proxy } = at.market.world;
  const looks = (): number => proxy.log.filter(({ path }) => path.startsWith("/v1/orders-before-sending")).length;
  const plan = await at.begun(STOP);
  proxy.plan(FIRST_LOOK, "slow");
  await at.stands(97, 99, 98, 5);
  expect(looks()).toBe(1);
  await at.stands(104, 105, 104.5, 3);
  expect(await proxy.deliverLate()).toEqual([200]);
  await at.stands(104, 105, 104.5, 3);
  expect([looks(), at.sent(), await at.steps(plan)]).toEqual([1, [], 0]);
  expect((await at.now(plan)).state).toBe("active");
  await at.stands(97, 99, 98, 8);
  expect(at.sent()).toMatchObject([{ step: 1, executed: 0.5 }]);
}, 60_000);

it("a stop that the limits deny for good waits for a person, who is told again when they would let it sell", async () => {
  const policy = changeablePolicy(LOOSE);
  at = await openProtected({}, { policy });
  const plan = await at.begun(STOP);
  policy.value = ok({ ...LOOSE, mode: "read-only" });
  await at.stands(97, 99, 98, 8);
  expect((await at.now(plan)).state).toBe("attention");
  expect(await at.told("plan.attention")).toHaveLength(1);
  await at.pass(65_000);
  expect(await at.told("plan.attention")).toHaveLength(1);
  policy.value = ok(LOOSE);
  await at.pass(65_000);
  const [, over, ...more] = await at.told("plan.attention");
  expect(more).toEqual([]);
  expect(over).toMatchObject({ state: "attention", why: expect.stringContaining("would let it leave now") });
  expect(at.sent()).toEqual([]);
}, 90_000);
