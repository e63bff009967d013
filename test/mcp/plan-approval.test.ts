/** A plan from its preview to a person's answer, by real clients of both eras over HTTP, a real desk and exchange: what they are asked, and what comes of a yes, a no and of silence. */
import { StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as LegacyTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import {
  type Asker,
  DISMISSED,
  NO,
  openLegacy,
  openModern,
  type Question,
  type Reply,
  YES,
} from "../approval/clients.ts";
import { openWorld, type World } from "../fixture/desk-over-sandbox.ts";
import { addressOf, TOKEN } from "../fixture/http-address.ts";
import { changeablePolicy, LOOSE } from "../fixture/policy.ts";
import { ERAS, type Era } from "./client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const POLICY = {
  ...LOOSE,
  approveBy: ["client", "pin"] as const,
  plans: { ...LOOSE.plans, approve: "always", stopRemoval: "ask" } as const,
};
const BUYS = { kind: "recurring", symbol: "BTC/KRW", quote_amount: "50000", schedule: "daily 09:00" };
const STOP = { kind: "stop", symbol: "BTC/KRW", base_volume: "0.01", stop_price: "-10%" };
const ONLY_WHILE = "Plans work only while a hoga server of this profile runs.";

let world: World;
let desk: Desk;
let http: HttpServing;

beforeAll(async () => {
  world = await openWorld();
  world.rest("buy", "100000000", "1");
  world.rest("sell", "101000000", "1");
  ({ desk } = await world.seat({ patient: true, plans: (book) => book, policy: changeablePolicy(POLICY) }));
  http = await serveOverHttp({ factory: createMcpServer({ desk, version: "0.0.0" }), token: TOKEN, port: 0 });
});
afterAll(async () => {
  await http.close();
  await world.close();
});

const asked: Question[] = [];
let reply: Reply = DISMISSED;

async function opened(era: Era, hasForms = true): Promise<Asker> {
  const { url, headers } = addressOf(http);
  const person = {
    ...(hasForms && { elicitation: { form: {} } }),
    answer: (question: Question) => {
      asked.push(question);
      return reply;
    },
  };
  const settings = { requestInit: { headers } };
  return era === "2026-07-28"
    ? openModern(new ModernHttp(new URL(url), settings), "auto", person)
    : openLegacy(new LegacyHttp(new URL(url), settings) as unknown as LegacyTransport, person);
}

const headOf = ({ text }: { readonly text: string }) => text.split("\n")[0];

describe.each(ERAS)("a plan, asked for by a client of %s,", (era) => {
  let asker: Asker;
  beforeAll(async () => {
    asker = await opened(era);
  });
  afterAll(() => asker.close());

  const ask = async (answer: Reply, name: string, args: object) => {
    reply = answer;
    asked.length = 0;
    return asker.call(name, args);
  };

  it("is previewed with its worst case without anybody being asked, and nothing is recorded", async () => {
    const preview = await ask(NO, "create_plan", { ...BUYS, note: `preview ${era}`, preview: true });
    expect([headOf(preview), preview.isError, asked.length]).toEqual([
      "[sandbox] A preview: nothing was recorded.",
      false,
      0,
    ]);
    expect(preview.structured).toMatchObject({
      ...{ outcome: "not_sent", state: "preview" },
      plan: { plan_id: null, kind: "recurring", worst_case: expect.stringContaining("spent, fees in") },
    });
    expect(preview.text).toContain(ONLY_WHILE);
    expect((await asker.call("list_plans", {})).structured).toMatchObject({ plans: [] });
  });

  it("is active after a person's yes in the form, which shows every line of its sheet", async () => {
    const made = await ask(YES, "create_plan", { ...BUYS, note: `yes ${era}` });
    expect([headOf(made), made.isError]).toEqual(["[sandbox] Recorded, and active.", false]);
    const { plan_id } = made.structured["plan"] as { readonly plan_id: string };
    expect(asked).toHaveLength(1);
    for (const line of [
      /^\[sandbox\] Approve this plan of account ".+"\? One yes covers all its orders\.$/m,
      /^Buy ₩50,000 of BTC\/KRW daily 09:00 \(UTC\), \d+ times, next .+\.$/m,
      /^At most: ₩[\d,.]+ spent, fees in\. Ends .+\.$/m,
      /^It works only while hoga runs\./m,
      /^Why you are asked: a person approves every plan/m,
      /^Yes starts exactly this plan\. It can be answered until .+\.$/m,
    ])
      expect(asked[0]?.message).toMatch(line);
    expect((await asker.call("list_plans", { plan_id })).structured).toMatchObject({
      plans: [{ plan_id, state: "active", turns_left: expect.any(Number), spent: "0" }],
    });
    await asker.call("change_plan", { plan_id, action: "cancel" });
  });

  it("is denied by a person's no, and does not come back", async () => {
    const denied = await ask(NO, "create_plan", { ...BUYS, note: `no ${era}` });
    expect([headOf(denied), denied.isError]).toEqual([
      "[sandbox] Withdrawn by a person's no: nothing comes of it.",
      true,
    ]);
    expect(denied.structured).toMatchObject({ outcome: "not_sent", state: "denied", plan: { state: "denied" } });
    expect((await asker.call("list_plans", {})).structured).toMatchObject({ plans: [] });
  });

  it("is shown with what ends as it begins: in the form, and where it is only previewed", async () => {
    const old = await ask(YES, "create_plan", { ...STOP, note: `old ${era}` });
    const { plan_id: replaces } = old.structured["plan"] as { readonly plan_id: string };
    const small = { ...STOP, base_volume: "0.001", stop_price: "-50%", replaces };
    const goes = `${replaces} (stop): Sell up to 0.01 BTC on BTC/KRW when the price has stood at or below ₩90,000,000, not below ₩81,000,000.`;
    const preview = await ask(NO, "create_plan", { ...small, preview: true });
    expect(preview.text).toContain(`\nIn the place of plan ${goes}\n`);
    await ask(NO, "create_plan", small);
    expect(asked.map(({ message }) => message.split("\n"))).toEqual([
      expect.arrayContaining([
        expect.stringMatching(/^Sell up to 0\.001 BTC on BTC\/KRW when/),
        `It takes the place of plan ${replaces}, which stays as it is until you have said yes, and then ends. What ends ${goes.slice(replaces.length + 1)}`,
      ]),
    ]);
    await ask(YES, "change_plan", { plan_id: replaces, action: "cancel" });
  });

  it("waits where nobody answers, and says that a person has to approve it, and where", async () => {
    const waiting = await ask(DISMISSED, "create_plan", { ...BUYS, note: `silence ${era}` });
    const { plan_id } = waiting.structured["plan"] as { readonly plan_id: string };
    expect([waiting.isError, waiting.structured["state"]]).toEqual([false, "awaiting_approval"]);
    expect(headOf(waiting)).toMatch(/^\[sandbox\] WAITING FOR A PERSON: recorded, and it does nothing until/);
    expect(waiting.structured).toMatchObject({
      approval: { id: plan_id, action: "start", text: expect.stringContaining("Yes starts exactly this plan.") },
    });
    expect(waiting.text).toContain(`approve ${plan_id}`);
    const withdrawn = await asker.call("change_plan", { plan_id, action: "cancel" });
    expect(withdrawn.structured).toMatchObject({ outcome: "accepted", state: "canceled", plan_id });
  });

  it("protects until a person has said yes to taking it away", async () => {
    const made = await ask(YES, "create_plan", { ...STOP, note: `stop ${era}` });
    expect(headOf(made)).toBe("[sandbox] Recorded, and active.");
    expect(asked[0]?.message).toMatch(/below the best bid in place of the price collar/);
    const { plan_id } = made.structured["plan"] as { readonly plan_id: string };
    const pause = { plan_id, action: "pause" };
    const silent = await ask(DISMISSED, "change_plan", pause);
    expect(silent.structured).toMatchObject({ outcome: "not_sent", state: "active", approval: { action: "pause" } });
    expect(headOf(silent)).toMatch(/^\[sandbox\] WAITING FOR A PERSON: not done, and the plan stays active/);
    expect(asked[0]?.message).toContain(`The assistant wants to pause plan ${plan_id}, which protects 0.01 BTC.`);
    const denied = await ask(NO, "change_plan", { plan_id, action: "cancel" });
    expect(denied.structured).toMatchObject({ outcome: "not_sent", state: "active" });
    expect(headOf(denied)).toBe("[sandbox] Nothing was changed: the plan is active.");
    const canceled = await ask(YES, "change_plan", { plan_id, action: "cancel" });
    expect(canceled.structured).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(asked).toHaveLength(1);
  });

  it("is not asked about at a client that shows no forms", async () => {
    const plain = await opened(era, false);
    asked.length = 0;
    const waiting = await plain.call("create_plan", { ...BUYS, note: `plain ${era}` });
    expect([waiting.structured["state"], asked.length]).toEqual(["awaiting_approval", 0]);
    const { plan_id } = waiting.structured["plan"] as { readonly plan_id: string };
    await plain.call("change_plan", { plan_id, action: "cancel" });
    await plain.close();
  });
});
