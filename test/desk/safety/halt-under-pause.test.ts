/** The kill switch while the venue asks for a pause, with the budgets and the patience of the product. */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createDesk, createIds, type Desk } from "../../../src/desk/index.ts";
import { OpenApiClient } from "../../../src/venues/index.ts";
import { createClock, openWorld, type World } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { placeOwn } from "../../fixture/own-orders.ts";
import { safetyParts } from "../../fixture/policy.ts";

const BY_USERREF = /^GET \/v1\/orders\?.*userref/;
const BATCH = /^DELETE \/v1\/orders\/batch/;
const LIMITS = { callsPerSecond: 30, weightPerMinute: 600 };

let world: World;
let client: OpenApiClient;
let desk: Desk;
beforeEach(async () => {
  world = await openWorld();
  const { sandbox, store } = world;
  const clock = createClock();
  client = new OpenApiClient({
    environment: "sandbox",
    baseUrl: world.proxy.url,
    credentials: { apiKey: sandbox.apiKey, apiSecret: sandbox.apiSecret },
    lane: store.lane({ limits: LIMITS, leaseWaitMs: 3_000, leaseMs: 3_000 }),
    clock,
  });
  const ids = createIds(clock, randomBytes);
  const { journal, audit } = store;
  desk = createDesk({ venue: client, journal, audit, ...safetyParts(store), clock, ids, profile: "test" });
});
afterEach(async () => {
  await client.close();
  await world.close();
});

it("sends its cancel at once, and tells what remains before long", async () => {
  placeOwn(world, 2);
  await desk.balances();
  await world.store.lane({ limits: LIMITS, leaseWaitMs: 3_000, leaseMs: 3_000 }).pause(client.keyId ?? "", 600_000);
  const began = Date.now();
  const sent = world.proxy.reached(BATCH).then(() => Date.now() - began);
  const report = await desk.halt("stop", "test");
  // A pause of ten minutes was asked for; the questions after the cancel leave three seconds apart.
  expect(await sent).toBeLessThan(2_500);
  expect(Date.now() - began).toBeLessThan(25_000);
  expect(report).toMatchObject({ brake: "everywhere", canceled: 2, remaining: 0 });
}, 40_000);

it("lets a cancel find out what became of an order without an answer", async () => {
  await desk.balances();
  await desk.markets();
  world.proxy.plan(ORDER_POST, "lose_reset");
  world.proxy.plan(BY_USERREF, "deny", 1);
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" } as const;
  expect(await desk.place({ ...order, userref: "lost" })).toMatchObject({ state: "unknown" });
  await world.store.lane({ limits: LIMITS, leaseWaitMs: 3_000, leaseMs: 3_000 }).pause(client.keyId ?? "", 600_000);
  expect(await desk.cancel({ userref: "lost" })).toMatchObject({ outcome: "accepted", state: "canceled" });
}, 40_000);

it("refused for the limit itself is told, and goes on in upkeep", async () => {
  placeOwn(world, 1);
  await desk.balances();
  world.proxy.plan(/^(DELETE|GET) \/v1\/orders/, "limited", 99);
  const began = Date.now();
  const report = await desk.halt("stop", "test");
  expect(Date.now() - began).toBeLessThan(30_000);
  expect(report).toMatchObject({ brake: "everywhere", canceled: 0, remaining: null });
  expect(report.next_action).toContain("not everything is known");
}, 45_000);

it("does not wait for how each of many orders ended, and says of how many that is not known", async () => {
  placeOwn(world, 30);
  await desk.balances();
  await world.store.lane({ limits: LIMITS, leaseWaitMs: 3_000, leaseMs: 3_000 }).pause(client.keyId ?? "", 600_000);
  world.proxy.plan(/^GET \/v1\/orders\?.*closed/, "limited", 99);
  const began = Date.now();
  const report = await desk.halt("stop", "test");
  expect(Date.now() - began).toBeLessThan(25_000);
  expect(report).toMatchObject({ brake: "everywhere", remaining: 0 });
  expect(report.results).toHaveLength(30);
  expect(report.warnings.join(" ")).toContain("How 30 orders that are no longer open ended is not known");
}, 120_000);
