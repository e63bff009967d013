/**
 * Plans over whichever exchange the suite runs over, the specified one or the sandbox that speaks another's API: made as an assistant makes them, looked after by one
 * process that asks for book and trades, as none of these has a stream that tells its own time. Entry point: `openExchange`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { clientIdOf } from "../../../src/desk/core/ids.ts";
import type { Notice, PlanDesk, PlanRequest, PlanView } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import type { OrderRecord } from "../../../src/sandbox/model/index.ts";
import { has, openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { othersOf, type SandboxMarket, WorldClock } from "./sandbox-market.ts";

const STEP_MS = 250;
const UPKEEP_EVERY_MS = 1_000;
const UNIT = 100_000_000;

/** An order of a plan as it is at the exchange: volumes in coins, prices in the shapes' measure. */
export interface PlanOrder {
  readonly step: number;
  readonly at: number | undefined;
  readonly volume: number | undefined;
  readonly amount: number | undefined;
  readonly executed: number;
  readonly state: OrderRecord["state"];
}

export interface ExchangePlans extends Pick<SandboxMarket, "quotes" | "print" | "rest"> {
  readonly world: World;
  readonly clock: WorldClock;
  readonly desk: Seat["desk"];
  readonly plans: PlanDesk;
  /** Another process takes over, with a journal that knows the plan as it was made and nothing that came of it. */
  putBack(planId: string): Promise<Pick<ExchangePlans, "now">>;
  /** Made, and begun at once. */
  begun(request: PlanRequest): Promise<PlanView & { readonly plan_id: string }>;
  now(planId: string): Promise<PlanView>;
  /** What of the plan left for the exchange, by its steps' own names. */
  sent(planId: string): readonly PlanOrder[];
  told(...types: readonly Notice["type"][]): Promise<readonly Notice[]>;
  pass(ms: number): Promise<void>;
  /** The market is there, and somebody trades there every second. */
  stands(bid: number, ask: number, at: number, seconds: number): Promise<void>;
  close(): Promise<void>;
}

export async function openExchange(): Promise<ExchangePlans> {
  const world = await openWorld({ totalMs: 5_000 });
  const clock = new WorldClock(world);
  const others = othersOf(world);
  others.quotes(104, 105);
  others.print(104.5);
  const seat = await world.seat({ clock, plans: (book) => book });
  const { desk } = seat;
  const { plans } = desk;
  if (plans === undefined) throw new Error("the desk has no plans");
  const other = await world.seat({ clock, freshStore: true, plans: (book) => book });
  const upkeep = new Set([desk]);
  let keptMs = clock.rising();
  let keeping: Promise<unknown> = Promise.resolve();
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      clock.leap(Math.min(STEP_MS, ms - passed));
      clock.ring();
      // What was asked for at this moment is answered.
      await quiet(world);
      if (clock.rising() - keptMs < UPKEEP_EVERY_MS) continue;
      keptMs = clock.rising();
      keeping = keeping.then(() => Promise.all([...upkeep].map((each) => each.upkeep())));
      await Promise.race([keeping, pause(100)]);
    }
  };
  return {
    ...{ world, clock, desk, plans, pass, ...others },
    begun: async (request) => {
      const { outcome, state, plan, ...report } = await plans.create(request, "assistant");
      if (outcome !== "accepted" || state !== "active" || plan?.plan_id == null)
        throw new Error(JSON.stringify(report));
      await pass(3_000);
      return { ...plan, plan_id: plan.plan_id };
    },
    now: (planId) => nowOf(plans, planId),
    putBack: async (planId) => {
      const plan = await unwrap(world.store.plans.byId(planId));
      if (plan === undefined) throw new Error(`there is no plan ${planId}`);
      seat.kill();
      upkeep.clear();
      // What the dead one was doing does not end.
      keeping = Promise.resolve();
      const { plans: book } = other.parts;
      const { plans: others } = other.desk;
      if (book === undefined || others === undefined) throw new Error("the desk has no plans");
      const asMade = { ...plan, state: "active" as const, asked: null, progress: {}, steps: [], notices: [] };
      await unwrap(book.record(asMade, () => undefined));
      upkeep.add(other.desk);
      return { now: (id) => nowOf(others, id) };
    },
    sent: (planId) => sentOf(world, planId),
    told: async (...types) => {
      const account = (await unwrap(desk.balances())).account ?? "";
      const all = await unwrap(world.store.notices.recent({ account, sinceMs: 0, limit: 1_000 }));
      return [...all].reverse().filter(({ type }) => types.includes(type));
    },
    stands: async (bid, ask, at, seconds) => {
      others.quotes(bid, ask);
      for (let passed = 0; passed < seconds; passed++) {
        others.print(at);
        await pass(1_000);
      }
    },
    close: () => world.close(),
  };
}

async function nowOf(plans: PlanDesk, planId: string): Promise<PlanView> {
  const [plan] = (await unwrap(plans.list({ planId, which: "all", limit: 1 }))).plans;
  if (plan === undefined) throw new Error(`there is no plan ${planId}`);
  return plan;
}

/** Until no request has come for a moment. */
async function quiet({ proxy }: World): Promise<void> {
  for (let seen = -1; seen !== proxy.log.length; ) {
    seen = proxy.log.length;
    await pause(8);
  }
}

function sentOf({ sandbox }: World, planId: string): readonly PlanOrder[] {
  const { orders } = sandbox.exchange.orders(sandbox.accountId, { limit: 10_000 });
  const names = Array.from({ length: 20 }, (_, index) => userrefOfStep(planId, index + 1));
  return names.flatMap((name, index) =>
    orders
      .filter(({ userref }) => userref === (has("names") ? name : clientIdOf(name)))
      .map(({ price, volume, amount, executedVolume, state }) => ({
        ...{ step: index + 1, at: price === null ? undefined : Number(price) / UNIT / 1_000_000, state },
        ...{ volume: volume === null ? undefined : Number(volume) / UNIT, executed: Number(executedVolume) / UNIT },
        amount: amount === null ? undefined : Number(amount) / UNIT,
      })),
  );
}
