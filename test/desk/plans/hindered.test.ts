/** Plans whose price has come, or whose market or account cannot be read, over the real exchange: what is said while it lasts, and when it is over. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PlanRecord, PlanRequest, PlanView } from "../../../src/desk/index.ts";
import { wordsInFull } from "../../../src/words/index.ts";
import { activePlan, DAY_MS, stepAt } from "./active-plan.ts";
import { begun } from "./plan-requests.ts";
import { made, shown } from "./plan-world.ts";
import { OCO, openProtected, type Protected, STOP, TAKE, TRAIL } from "./protected-market.ts";
import { won } from "./sandbox-market.ts";

const LONG = 60_000;

let at: Protected;
beforeEach(async () => {
  at = await openProtected();
});
afterEach(() => at.market.close());

const listed = ({ planId }: Pick<PlanRecord, "planId">): Promise<PlanView> => shown(at.server, planId);
const alerted = async (more: Omit<PlanRequest, "kind">) =>
  made(await at.market.during(at.server.plans.create({ kind: "alert", ...more }, "assistant")));

const revoke = (): void => {
  const { exchange, apiKey } = at.market.world.sandbox;
  const revoked = exchange.apply({ type: "revokeKey", keyId: apiKey }, at.market.clock.now());
  if (!revoked.ok) throw new Error(JSON.stringify(revoked));
};

const UNSENT =
  "Its price has come, and no order of it could leave (EAPI:Invalid key). The API key is not known to the service.";

const UNREAD = "What it waits for cannot be read (EAPI:Invalid key). The API key is not known to the service.";

describe("a stop whose price has come", () => {
  it(
    "waits for a person within half a minute where its key was revoked, who is told why once",
    async () => {
      const plan = await at.begun(STOP);
      revoke();
      await at.stands(97, 99, 98, 10);
      expect((await at.now(plan)).state).toBe("active");
      await at.stands(97, 99, 98, 18);
      expect(await at.now(plan)).toMatchObject({ state: "attention", progress: { why: UNSENT } });
      expect(await at.told("plan.attention", "plan.triggered")).toMatchObject([
        { type: "plan.attention", why: UNSENT },
      ]);
      expect(at.sent()).toEqual([]);
      const { told } = await wordsInFull({ locale: "ko", timeZone: "UTC" });
      expect(told(UNSENT)).toBe("발동 가격에 도달했지만 주문을 내지 못했습니다. 거래소가 이 API 키를 모릅니다.");
    },
    LONG,
  );

  it(
    "says once what hinders it where the exchange does not tell what is held, and sells when it does",
    async () => {
      const plan = await at.begun(STOP);
      const { proxy } = at.market.world;
      proxy.plan(/^GET \/v1\/accounts/, "busy", 1_000);
      await at.stands(97, 99, 98, 10);
      expect(await at.told("plan.triggered")).toEqual([]);
      await at.stands(97, 99, 98, 30);
      expect(await at.told("plan.triggered")).toMatchObject([{ leg: "stop", below: won(100), sent: false }]);
      expect((await listed(plan)).why).toMatch(/^Its price has come, and no order of it could leave \(/);
      proxy.heal();
      await at.stands(97, 99, 98, 6);
      expect(at.sent()).toMatchObject([{ executed: 0.5 }]);
      expect(await at.now(plan)).toMatchObject({ state: "done", progress: { why: "All of it was sold." } });
    },
    LONG,
  );

  it(
    "is listed with why it sells nothing while the market is below its floor, and without when it no more is",
    async () => {
      const plan = await at.begun({ ...STOP, floor_price: won(99) });
      await at.stands(95, 99.5, 98, 8);
      expect(await listed(plan)).toMatchObject({
        ...{ state: "active", why: "The market is below its floor, so nothing is sold." },
      });
      // Above its floor, and not at its price.
      await at.stands(99.5, 101, 100.5, 3);
      expect(await listed(plan)).not.toHaveProperty("why");
      await at.stands(95, 99.5, 98, 8);
      await at.stands(104, 105, 104.5, 3);
      expect(await listed(plan)).not.toHaveProperty("why");
      expect(await at.told("plan.below_floor")).toHaveLength(2);
    },
    LONG,
  );
});

describe("a book with one side", () => {
  it(
    "is told once after 15 s of what waits there and needs that side, is said in the list, and is told when it is over",
    async () => {
      const [stop, take] = [await at.begun(STOP), await at.begun(TAKE)];
      const below = await alerted({ symbol: "BTC/KRW", below: won(100) });
      const above = await alerted({ symbol: "BTC/KRW", above: won(120) });
      const why = "Nobody else sells on BTC/KRW, so nothing comes of it until somebody does.";
      await at.stands(104, undefined, 104, 13);
      expect(await at.told("plan.gap")).toEqual([]);
      await at.stands(104, undefined, 104, 20);
      expect(await at.told("plan.gap")).toMatchObject([{ why }, { why }]);
      expect((await listed(stop)).why).toBe(why);
      expect((await shown(at.server, below.plan_id)).why).toBe(why);
      expect(await listed(stop)).not.toHaveProperty("watched_since");
      expect(await listed(take)).not.toHaveProperty("why");
      expect(await listed(take)).toHaveProperty("watched_since");
      expect(await shown(at.server, above.plan_id)).not.toHaveProperty("why");
      await at.stands(104, 105, 104, 2);
      expect(await listed(stop)).not.toHaveProperty("why");
      expect((await at.told("plan.gap")).slice(2)).toMatchObject([{ over: true }, { over: true }]);
      expect(await at.now(stop)).toMatchObject({ state: "active", progress: {} });
    },
    LONG,
  );

  it(
    "is told of a stop at whose price nobody buys, which sells when somebody does",
    async () => {
      const plan = await at.begun(STOP);
      await at.stands(undefined, 99, 98, 20);
      expect(await at.told("plan.gap")).toMatchObject([
        { symbol: "BTC/KRW", why: "Nobody else buys on BTC/KRW, so nothing comes of it until somebody does." },
      ]);
      await at.stands(97, 99, 98, 5);
      expect(at.sent()).toMatchObject([{ executed: 0.5 }]);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );
});

describe("a stop that trails", () => {
  const RULES = /^GET \/v1\/markets(\?.*)?$/;
  /** What was told of it that no time of nobody's looking is. */
  const unread = async () => (await at.told("plan.gap")).filter(({ from }) => from === undefined);
  const unlisted = (body: string): string => body.replaceAll("BTC/KRW", "XYZ/KRW");

  it.each([
    ["do not come", "busy", "(EService:Unavailable). The service cannot answer now."],
    ["are not listed", unlisted, "(ELocal:Unknown market). The exchange does not list BTC/KRW."],
  ] as const)(
    "is told once where the rules of its market %s, is not said to be watched meanwhile, and sells when they are there",
    async (_, answer, fault) => {
      const { proxy } = at.market.world;
      at.server.kill();
      await at.pass(6_000);
      proxy.plan(RULES, answer, 1_000);
      const server = await at.market.process();
      const plan = await at.begun(TRAIL);
      await at.stands(104, 105, 104.5, 8);
      expect(await shown(server, plan.planId)).not.toHaveProperty("why");
      await at.stands(96, 98, 97, 25);
      const why = `What it waits for cannot be read ${fault}`;
      expect(await unread()).toMatchObject([{ symbol: "BTC/KRW", why }]);
      const waiting = await shown(server, plan.planId);
      expect(waiting).toMatchObject({ state: "active", why });
      expect(waiting).not.toHaveProperty("watched_since");
      proxy.heal();
      // What was read of the markets holds for a minute.
      await at.stands(96, 98, 97, 70);
      expect(at.sent()).toMatchObject([{ executed: 0.5 }]);
      expect((await unread()).slice(1)).toMatchObject([{ over: true }]);
    },
    LONG,
  );

  it(
    "is watched on where its market is listed no more, and is told of when its price has come",
    async () => {
      const plan = await at.begun(TRAIL);
      at.market.world.proxy.plan(RULES, unlisted, 1_000);
      await at.stands(104, 105, 104.5, 70);
      await at.stands(96, 98, 97, 30);
      expect(await listed(plan)).toMatchObject({ state: "active", why: expect.stringMatching(/^Its price has come/) });
      expect(await at.told("plan.triggered")).toMatchObject([{ leg: "stop", sent: false }]);
    },
    LONG,
  );

  it(
    "tells of one thing at a time where its oco's take has come meanwhile",
    async () => {
      const { proxy } = at.market.world;
      at.server.kill();
      await at.pass(6_000);
      proxy.plan(RULES, "busy", 1_000);
      await at.market.process();
      await at.begun({ ...TRAIL, kind: "oco", take_price: won(110) });
      await at.stands(104, 105, 104.5, 20);
      await at.stands(111, 112, 111.5, 30);
      expect(await unread()).toHaveLength(1);
      expect(await at.told("plan.triggered")).toMatchObject([{ leg: "take", sent: false }]);
    },
    LONG,
  );
});

describe("an alert on the account", () => {
  it(
    "waits for a person where its key was revoked, who is told why",
    async () => {
      const worth = await alerted({ event: "portfolio", above: "900000000000" });
      await at.pass(2_000);
      revoke();
      await at.pass(70_000);
      expect(await shown(at.server, worth.plan_id)).toMatchObject({
        state: "attention",
        why: UNREAD,
      });
      expect(await at.told("plan.attention")).toHaveLength(1);
    },
    LONG,
  );
});

describe("an oco", () => {
  it(
    "names the leg that has sold first, also when the other triggers later",
    async () => {
      const plan = await at.begun(OCO);
      await at.thin(111, "0.1", 112, 111.5, 4);
      expect(await listed(plan)).toMatchObject({ leg: "take" });
      await at.thin(97, "0.01", 99, 98, 4);
      expect(await listed(plan)).toMatchObject({ leg: "take", latched: true });
      expect((await at.now(plan)).progress.attempts).toBeGreaterThanOrEqual(1);
    },
    LONG,
  );
});

describe("a plan that repeats", () => {
  it(
    "waits for a person where its key was revoked, before its turn is over",
    async () => {
      const { world, clock } = at.market;
      const plan = await activePlan(world, {
        steps: [stepAt(1, clock.now() + 2_000), stepAt(2, clock.now() + DAY_MS)],
      });
      revoke();
      await at.pass(70_000);
      expect(await at.now(plan)).toMatchObject({
        state: "attention",
        progress: { why: UNSENT.replace("price", "time") },
      });
      expect(await at.told("plan.attention", "plan.step_missed")).toHaveLength(1);
    },
    LONG,
  );
});

describe("a plan that begins with a buy", () => {
  it(
    "waits for a person where its key was revoked, as nobody can tell what becomes of the buy",
    async () => {
      const { world, clock } = at.market;
      // A thousand million won, in the steps that the exchange counts in.
      const amount = 10n ** 17n;
      world.sandbox.exchange.apply(
        { type: "deposit", accountId: world.sandbox.accountId, asset: "KRW", amount },
        clock.now(),
      );
      const buy = { symbol: "BTC/KRW", side: "buy", type: "limit", price: won(103), base_volume: "0.4" } as const;
      const { order } = await at.server.desk.place(buy);
      const after = { after: order?.orderId ?? "", stop_price: "-5%", take_price: "+10%" };
      const { plan_id: planId } = await begun(at.server, { kind: "oco", symbol: "BTC/KRW", ...after });
      revoke();
      await at.pass(30_000);
      expect(await listed({ planId })).toMatchObject({
        ...{ state: "attention", why: UNREAD },
      });
      expect(await at.told("plan.attention")).toMatchObject([{ why: UNREAD }]);
    },
    LONG,
  );
});
