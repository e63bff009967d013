/** What plans tell, as log messages to clients of the 2025 era: real clients, a real desk and exchange, and time as it passes. */
import type { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { NewNotice, PlanDesk } from "../../src/desk/index.ts";
import { createMcpServer, type ServerFactory } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import { openWorld, type World } from "../fixture/desk-over-sandbox.ts";
import { addressOf, TOKEN } from "../fixture/http-address.ts";
import { unwrap } from "../fixture/result.ts";
import { connect, connectHttp, connectSse, type TestClient } from "./client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const SOON = { timeout: 15_000, interval: 100 };
/** Longer than from one look to the next. */
const LATER_MS = 3_000;

interface Message {
  readonly level: string;
  readonly logger?: string | undefined;
  readonly data: unknown;
}

let world: World;
let plans: PlanDesk;
let factory: ServerFactory;
let http: HttpServing;
const clients: TestClient[] = [];

beforeAll(async () => {
  world = await openWorld();
  world.rest("buy", "100000000", "1");
  world.rest("sell", "110000000", "1");
  const { desk } = await world.seat({ patient: true, plans: (book) => book });
  await unwrap(desk.balances());
  if (desk.plans === undefined) throw new Error("the desk has no plans");
  plans = desk.plans;
  factory = createMcpServer({ desk, version: "0.0.0" });
  http = await serveOverHttp({ factory, token: TOKEN, port: 0 });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await http.close();
  await world.close();
});

/** What a client hears from now on. */
function heardBy(client: TestClient): readonly Message[] {
  clients.push(client);
  const heard: Message[] = [];
  const raw = client.raw as LegacyClient;
  raw.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params));
  return heard;
}

let made = 0;
/** An alert that nobody looks after. */
async function alert(note: string): Promise<string> {
  made += 1;
  const above = String(120_000_000 + made * 1_000);
  const { plan } = await plans.create({ kind: "alert", symbol: "BTC/KRW", above, note }, "assistant");
  if (plan?.plan_id == null) throw new Error("not made");
  return plan.plan_id;
}

/** Whoever looks after it tells this of it. */
async function tell(planId: string, notice: NewNotice): Promise<void> {
  const plan = await unwrap(world.store.plans.byId(planId));
  if (plan === undefined) throw new Error("there is no such plan");
  const atMs = world.clock.now();
  await unwrap(world.store.plans.change({ planId, version: plan.version, notices: [notice], atMs }));
}

const WAYS: readonly (readonly [string, () => Promise<TestClient>])[] = [
  ["stdio", () => connect("2025-11-25", () => factory())],
  ["Streamable HTTP", () => connectHttp("2025-11-25", addressOf(http))],
  ["HTTP+SSE", () => connectSse(addressOf(http))],
];

describe.each(WAYS)("a client of the 2025 era over %s", (way, open) => {
  it("hears each notice once, from when it connected, in words", async () => {
    await alert(`before ${way}`);
    const heard = heardBy(await open());
    await new Promise((resolve) => setTimeout(resolve, 200));
    const id = await alert(`heard ${way}`);
    await expect.poll(() => heard.length, SOON).toBe(1);
    await plans.change(id, "pause", "person");
    await expect.poll(() => heard.length, SOON).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, LATER_MS));
    const [begun, paused, ...others] = heard;
    expect(others).toEqual([]);
    expect(begun).toMatchObject({ level: "notice", logger: "hoga.plans" });
    expect(begun?.data).toMatch(/^\[sandbox\] Started: Tell once when the price of BTC\/KRW .* Your note: "heard /);
    expect(paused?.data).toMatch(/^\[sandbox\] Paused: .* Why: Paused by a person\./);
  });

  it("hears no more than its level lets through", async () => {
    const client = await open();
    const heard = heardBy(client);
    await (client.raw as LegacyClient).setLoggingLevel("warning");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const id = await alert(`quiet ${way}`);
    await tell(id, { type: "plan.attention", key: "9", body: { why: "Its order is not found." } });
    await expect.poll(() => heard.length, SOON).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, LATER_MS));
    expect(heard).toMatchObject([{ level: "warning", data: expect.stringContaining("It cannot go on without you") }]);
    expect(heard).toHaveLength(1);
  });
});

it("a client that may not see the account hears nothing of its plans, nor does one of the later era", async () => {
  const hidden = heardBy(await connect("2025-11-25", () => factory({ scopes: ["market:read"] })));
  const seen = heardBy(await connect("2025-11-25", () => factory({ scopes: ["account:read"] })));
  const later = await connect("2026-07-28", () => factory());
  clients.push(later);
  const heardLater: unknown[] = [];
  Reflect.set(later.raw, "fallbackNotificationHandler", async (message: unknown) => void heardLater.push(message));
  await later.call("list_plans");
  await new Promise((resolve) => setTimeout(resolve, 200));
  await alert("hidden");
  await expect.poll(() => seen.length, SOON).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, LATER_MS));
  expect([hidden, heardLater]).toEqual([[], []]);
});

it("a client that was there before it had a server hears what was told meanwhile", async () => {
  await alert("meanwhile");
  const heard = heardBy(await connect("2025-11-25", () => factory({ waitedMs: LATER_MS })));
  await expect.poll(() => heard.some(({ data }) => String(data).includes('"meanwhile"')), SOON).toBe(true);
});

it("a client that does not keep up hears it when it does, once", async () => {
  let isReady = false;
  const heard = heardBy(await connect("2025-11-25", () => factory({ ready: () => isReady })));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await alert("late");
  await new Promise((resolve) => setTimeout(resolve, LATER_MS));
  expect(heard).toEqual([]);
  isReady = true;
  await expect.poll(() => heard.length, SOON).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, LATER_MS));
  expect(heard).toHaveLength(1);
});

it("a Korean reader hears the whole in Korean, with why the policy has denied it", async () => {
  const { desk } = await world.seat({ patient: true, plans: (book) => book });
  await unwrap(desk.balances());
  const korean = createMcpServer({ desk, version: "0.0.0", reader: { locale: "ko", timeZone: "Asia/Seoul" } });
  const heard = heardBy(await connect("2025-11-25", () => korean()));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const id = await alert("korean");
  const why = "The policy is read-only: look only. Nothing was sent.";
  await tell(id, { type: "plan.attention", key: "9", body: { why } });
  await expect.poll(() => heard.length, SOON).toBe(2);
  expect(heard[1]?.data).toContain(
    " 이유: 조회 전용(mode = read-only)입니다. 조회만 하십시오. 보낸 것은 없습니다. 메모:",
  );
});
