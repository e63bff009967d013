/**
 * `kill -9` of the program at each step between a trigger and the end of its order: whoever comes next finds out what became of it, so that of a plan one order
 * comes, and is told once. All accounts are at one exchange, whose market falls for all of them.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { PIN, setPin } from "../../fixture/command-line.ts";
import { type FaultKind, ORDER_POST } from "../../fixture/fault-proxy.ts";
import { type KeptStep, openPlanFloor, type PlanFloor, type PlanHome, won } from "../../fixture/plan-floor.ts";
import { cleanUp } from "../../fixture/program.ts";
import { openTerminal } from "../../fixture/pseudo-terminal.ts";
import { type Assistant, connect, endAssistants } from "./assistant.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 });

const STOP = { kind: "stop", symbol: "BTC/KRW", base_volume: "0.01", stop_price: won(100) };
/** Its order rests between what others bid and ask. */
const RESTING = { ...STOP, limit_price: won(99.6) };
/** A minute apart, so that one that was claimed may be sent for half a minute. */
const SLICES = {
  ...{ kind: "slices", symbol: "BTC/KRW", side: "sell", base_volume: "0.02", slices: 2, duration: "2m" },
};

/** Sells BTC first, then buys ETH. */
const BASKET = { kind: "rebalance", weights: { BTC: "90%", ETH: "2%", KRW: "8%" } };
/** They begin at once, so that they are made when everything is ready for their death. */
const AT_ONCE: readonly object[] = [SLICES, BASKET];

interface Death {
  readonly plan: object;
  /** The write at which it is held until it is killed, or what becomes of its order's request. */
  readonly at: { readonly write: string } | { readonly request: FaultKind } | "rests" | "approving";
  readonly steps: readonly KeptStep["state"][];
  /** Of the one order that has come, or the last of them. */
  readonly step: number;
  /** Of a basket, one for each of its steps. */
  readonly orders?: 2;
  readonly state?: string;
}

const BEGIN = "BEFORE UPDATE ON intents WHEN old.state = 'approved' AND new.state = 'submitting'";
const DEATHS: readonly (readonly [string, Death])[] = [
  [
    "before the claim",
    { plan: STOP, at: { write: "BEFORE INSERT ON intents WHEN new.plan_id IS NOT NULL" }, steps: ["done"], step: 1 },
  ],
  [
    "after the claim of a stop, before its order is begun",
    { plan: STOP, at: { write: BEGIN }, steps: ["nothing", "done"], step: 2 },
  ],
  [
    "after the claim of a piece, before its order is begun",
    { plan: SLICES, at: { write: BEGIN }, steps: ["done"], step: 1, state: "active" },
  ],
  [
    "after its order is begun, before that has reached the exchange",
    { plan: STOP, at: { request: "late" }, steps: ["not_placed", "done"], step: 2 },
  ],
  [
    "after its order has reached the exchange, before the answer",
    { plan: STOP, at: { request: "lose_hang" }, steps: ["done"], step: 1 },
  ],
  [
    "after the answer, before that is written",
    {
      plan: STOP,
      at: { write: "BEFORE UPDATE ON intents WHEN old.state = 'submitting' AND new.state <> 'submitting'" },
      ...{ steps: ["done"], step: 1 },
    },
  ],
  [
    "after its order has ended, before its step has",
    {
      plan: STOP,
      at: { write: "BEFORE UPDATE ON plan_steps WHEN old.state = 'claimed' AND new.state <> 'claimed'" },
      ...{ steps: ["done"], step: 1 },
    },
  ],
  [
    "while its order rests, which is filled before anybody is back",
    { plan: RESTING, at: "rests", steps: ["done"], step: 1 },
  ],
  [
    "after the sell of a basket, before its buy is claimed",
    {
      plan: BASKET,
      at: { write: "BEFORE INSERT ON intents WHEN new.plan_step = 2" },
      ...{ steps: ["done", "done"], step: 2, orders: 2 },
    },
  ],
  [
    "after the buy of a basket has reached the exchange, before the answer is written",
    {
      plan: BASKET,
      at: {
        write:
          "BEFORE UPDATE ON intents WHEN new.plan_step = 2 AND old.state = 'submitting' AND new.state <> 'submitting'",
      },
      ...{ steps: ["done", "done"], step: 2, orders: 2 },
    },
  ],
  ["while a person approves it", { plan: STOP, at: "approving", steps: ["done"], step: 1 }],
];

let floor: PlanFloor;

interface Doomed {
  readonly home: PlanHome;
  readonly server: Assistant;
}

/** What was there when the next server was done with it. */
interface Outcome {
  readonly plan: string;
  readonly steps: readonly string[];
  readonly told: Readonly<Record<string, number>>;
  /** What the exchange answered to requests that came late. */
  readonly late: readonly number[];
  /** The end of the name of each order, and what became of it. */
  readonly orders: readonly unknown[];
}

const outcomes = new Map<string, Outcome>();

/** A server whose plan is to die there. */
async function arm({ plan, at }: Death): Promise<Doomed> {
  const home = await floor.home(at === "approving" ? { plans: ['approve = "always"'] } : {});
  const server = await connect(home);
  const made = AT_ONCE.includes(plan) ? await server.call("get_balances") : await server.call("create_plan", plan);
  if (at === "approving") await approveTwice(home, made);
  else if (at !== "rests" && "write" in at) await home.holdAt(at.write);
  else if (at !== "rests") home.proxy.plan(ORDER_POST, at.request);
  return { home, server };
}

/** The program of the first yes is killed inside of it. */
async function approveTwice(home: PlanHome, made: object): Promise<void> {
  const { plan } = made as { readonly plan: { readonly plan_id: string } };
  await setPin(home.home);
  await home.holdAt("BEFORE UPDATE ON plans WHEN old.state = 'awaiting_approval' AND new.state = 'active'");
  const words = ["approve", plan.plan_id];
  const terminal = openTerminal(words, home);
  await terminal.see("PIN: ");
  terminal.type(`${PIN}\r`);
  await home.held();
  terminal.kill();
  expect([(await terminal.ended).code === 0, await home.planState()]).toEqual([false, "awaiting_approval"]);
  await home.letGo();
  const again = openTerminal(words, home);
  await again.see("PIN: ");
  again.type(`${PIN}\r`);
  expect(await again.ended).toMatchObject({ code: 0 });
}

/** It stands at its step. */
async function reached({ plan, at }: Death, { home, server }: Doomed): Promise<void> {
  if (AT_ONCE.includes(plan)) server.call("create_plan", plan).catch(() => undefined);
  if (at === "approving") return;
  if (at === "rests") {
    const isResting = async () =>
      (await home.rows("SELECT 1 FROM intents WHERE state = 'open'")).length > 0 || undefined;
    await eventually(isResting, 40_000);
  } else if ("write" in at) await home.held();
  else await home.proxy.reached(ORDER_POST);
}

async function dies(death: Death, { home, server }: Doomed): Promise<Outcome> {
  await reached(death, { home, server });
  if (death.at !== "approving") await server.kill();
  await home.letGo();
  if (death.at === "rests") await floor.others.take("buy", 99.6, "0.01");
  const next = death.at === "approving" ? server : await connect(home);
  const isOver = async () => {
    const done = (await home.steps()).filter(({ state }) => state === "done");
    if (done.length < (death.orders ?? 1)) return undefined;
    return (await home.planState()) === (death.state ?? "done") ? true : undefined;
  };
  await eventually(isOver, 60_000);
  const late = await home.proxy.deliverLate();
  await next.close();
  const orders = (await home.orders()).map(({ userref, state, executed_volume }) => [
    ...[userref?.slice(-4), state, executed_volume],
  ]);
  const steps = (await home.steps()).map(({ state }) => state);
  return { plan: await home.planState(), steps, told: await home.told(), late, orders };
}

beforeAll(async () => {
  floor = await openPlanFloor();
  await floor.others.quote("ETH/KRW", 3.999, 4.001, 4);
  const armed = await Promise.all(DEATHS.map(async ([name, death]) => [name, death, await arm(death)] as const));
  await floor.others.stand(99, 99.8, 99.4);
  await Promise.all(
    armed.map(async ([name, death, doomed]) => {
      outcomes.set(name, await dies(death, doomed));
    }),
  );
}, 110_000);
afterAll(async () => {
  await floor?.close();
  endAssistants();
  await cleanUp();
});

describe("a server that is killed with a plan", () => {
  it.each(DEATHS)(
    "%s leaves one order, and what is next is told once",
    (name, { step, steps, state, at, orders = 1 }) => {
      const told = { "plan.active": 1, "plan.step_done": orders, ...(state === undefined && { "plan.ended": 1 }) };
      expect(outcomes.get(name)).toMatchObject({
        ...{ plan: state ?? "done", steps, told },
        // Behind the fence what was held on its way is nothing any more.
        late: typeof at === "object" && "request" in at && at.request === "late" ? [401] : [],
        orders:
          orders === 1
            ? [[String(step).padStart(4, "0"), "filled", "0.01"]]
            : [
                // By the middle of the market, 99.4, or 99.3 or 99.2 while others rest at 99.6 or 99.4; the buy for what that brought and some of the cash.
                ["0001", "filled", expect.stringMatching(/^0\.00(94567|93655|92741)/)],
                ["0002", "filled", expect.stringMatching(/^0\.54/)],
              ],
      });
    },
  );
});
