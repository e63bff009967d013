/**
 * Two servers that share a store, an account and a stop, each with a proxy of its own: when the market falls one order comes, whoever leads, and also where the
 * one that led stands still in the middle of it, and wakes when the other has gone on.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { FIRST_LOOK, ORDER_POST } from "../../fixture/fault-proxy.ts";
import { openPlanFloor, type PlanFloor, type PlanHome, won } from "../../fixture/plan-floor.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { cleanUp, run } from "../../fixture/program.ts";
import { type Assistant, connect, endAssistants } from "../process/assistant.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const STOP = { kind: "stop", symbol: "BTC/KRW", base_volume: "0.01", stop_price: won(100) };
/** What one that wakes needs to see that it is not its turn any more. */
const AWAKE_MS = 2_000;

interface Story {
  readonly store: "postgres" | "sqlite";
  /** The leader stands still when the answer to such a request has come, before it knows. */
  readonly freezes?: RegExp;
}

const STORIES: readonly (readonly [string, Story])[] = [
  ["both look, on PostgreSQL", { store: "postgres" }],
  ["both look, on one file", { store: "sqlite" }],
  ["the leader stands still before its claim", { store: "postgres", freezes: FIRST_LOOK }],
  ["the leader stands still before it knows of its order", { store: "postgres", freezes: ORDER_POST }],
];

interface Watcher {
  readonly home: PlanHome;
  readonly server: Assistant;
}

interface Pair {
  readonly watchers: readonly [Watcher, Watcher];
  readonly frozen: Watcher[];
  state(): Promise<string>;
  steps(): Promise<readonly unknown[]>;
  told(): Promise<Readonly<Record<string, number>>>;
}

let floor: PlanFloor;
let database: PostgresDatabase;
const pairs = new Map<string, Pair>();
const outcomes = new Map<string, object>();

async function open({ store, freezes }: Story): Promise<Pair> {
  const schema = database.freshSchema();
  const env = store === "postgres" ? { HOGA_STORE_URL: database.url(schema) } : {};
  const here = await floor.home({ env });
  const there = await floor.home(store === "postgres" ? { env, beside: here } : { within: here });
  const watchers = [
    { home: here, server: await connect(here) },
    { home: there, server: await connect(there) },
  ] as const;
  expect(await watchers[0].server.call("create_plan", STOP)).toMatchObject({ outcome: "accepted", state: "active" });
  // Whoever looks after no plan yet finds it.
  await watchers[1].server.call("list_plans");
  const frozen: Watcher[] = [];
  const freeze = (watcher: Watcher): void => {
    if (frozen.length > 0) return;
    frozen.push(watcher);
    process.kill(watcher.server.pid, "SIGSTOP");
  };
  if (freezes !== undefined)
    for (const watcher of watchers)
      watcher.home.proxy.plan(freezes, (body) => {
        freeze(watcher);
        return body;
      });
  const rows = (sql: string) =>
    store === "postgres" ? database.query(sql.replaceAll("FROM ", `FROM ${schema}.`)) : here.rows(sql);
  return {
    ...{ watchers, frozen },
    state: async () => String((await rows("SELECT state FROM plans"))[0]?.["state"]),
    steps: async () => (await rows("SELECT state FROM plan_steps ORDER BY step")).map(({ state }) => state),
    told: async () => {
      const told = await rows("SELECT type, count(*) AS n FROM notices GROUP BY type");
      return Object.fromEntries(told.map(({ type, n }) => [String(type), Number(n)]));
    },
  };
}

async function ends(pair: Pair, { freezes }: Story): Promise<object> {
  const isDone = async () => ((await pair.state()) === "done" ? true : undefined);
  await eventually(isDone, 60_000);
  const [frozen] = pair.frozen;
  expect(frozen !== undefined).toBe(freezes !== undefined);
  if (frozen !== undefined) process.kill(frozen.server.pid, "SIGCONT");
  await pause(AWAKE_MS);
  for (const { server } of pair.watchers) await server.close();
  const [{ home }] = pair.watchers;
  const orders = await home.orders();
  return {
    ...{ state: await pair.state(), steps: await pair.steps(), told: await pair.told() },
    orders: orders.map(({ userref, state }) => [userref?.slice(-4), state]),
    posts: pair.watchers.reduce((sum, { home: { proxy } }) => sum + proxy.deliveries(ORDER_POST), 0),
    audit: (await run(["audit", "verify"], home)).code,
  };
}

beforeAll(async () => {
  database = await createPostgresDatabase();
  floor = await openPlanFloor();
  await Promise.all(STORIES.map(async ([name, story]) => pairs.set(name, await open(story))));
  await floor.others.stand(99, 99.8, 99.4);
  await Promise.all(
    STORIES.map(async ([name, story]) => {
      const pair = pairs.get(name);
      if (pair !== undefined) outcomes.set(name, await ends(pair, story));
    }),
  );
});
afterAll(async () => {
  await floor?.close();
  endAssistants();
  await cleanUp();
  await database?.remove();
});

describe("of two servers that watch one stop while the market falls", () => {
  it.each(STORIES)("one sends one order, told once, where %s", (name) => {
    expect(outcomes.get(name)).toEqual({
      ...{ state: "done", steps: ["done"], orders: [["0001", "filled"]], posts: 1, audit: 0 },
      told: expect.objectContaining({ "plan.triggered": 1, "plan.step_done": 1, "plan.ended": 1 }),
    });
  });
});
