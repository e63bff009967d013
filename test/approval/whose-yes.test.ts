/** Whose yes counts: in the session that asked, and for real money with a PIN, never over a port of this machine. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cleanUp, PIN, runTerminal, setPin, start, startSandbox } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { type Asker, DISMISSED, kinds, type Reply, YES } from "./clients.ts";
import { confirmHome, LIMIT, setPolicy, waitingIn } from "./home.ts";
import { openStdioWire } from "./wire.ts";

const askers: Asker[] = [];
// Many commands one after the other, as real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(async () => {
  await Promise.all(askers.map((asker) => asker.close()));
  await cleanUp();
});

const AWAITING = { outcome: "not_sent", state: "awaiting_approval" };
const SAYS_YES = { approval: { action: "accept", content: { approve: true } } };

/** A client, and how often its person was asked. */
async function opened(kind: string, home: string, reply: Reply): Promise<Asker & { readonly asked: () => number }> {
  let asked = 0;
  const asker = await kinds()
    .find(({ name }) => name === kind)
    ?.open(home, {
      elicitation: { form: {} },
      answer: () => {
        asked += 1;
        return reply;
      },
    });
  if (asker === undefined) throw new Error(kind);
  askers.push(asker);
  return { raw: asker.raw, call: (...given) => asker.call(...given), close: () => asker.close(), asked: () => asked };
}

const OVER_STDIO = "client 2.x over stdio";
const OVER_HTTP = "client 2.x over HTTP";

describe("an order that one client left waiting", () => {
  let home: string;
  let orders = 0;
  beforeAll(async () => {
    home = await confirmHome();
  });

  it.each([
    [OVER_STDIO, OVER_STDIO],
    ["sdk 1.x over stdio", OVER_HTTP],
    [OVER_HTTP, OVER_HTTP],
    ["sdk 1.x over HTTP", "sdk 1.x over HTTP"],
    [OVER_HTTP, "sdk 1.x over stdio"],
  ])("is not another's to approve: asked for %s, and again %s", async (first, second) => {
    orders += 1;
    const order = { ...LIMIT, base_volume: `0.00${orders}`, userref: `left-${orders}` };
    const one = await opened(first, home, DISMISSED);
    const { intent_id } = (await one.call("place_order", order)).structured;
    expect(one.asked()).toBe(1);
    const other = await opened(second, home, YES);
    for (const wish of [order, { ...order, userref: "mine" }, { ...LIMIT, base_volume: order.base_volume }])
      expect((await other.call("place_order", wish)).structured).toMatchObject({ ...AWAITING, intent_id });
    expect(other.asked()).toBe(0);
    // What it asks for itself is its own.
    const own = { ...order, base_volume: `0.01${orders}`, userref: `own-${orders}` };
    expect((await other.call("place_order", own)).structured).toMatchObject({ outcome: "accepted" });
  });

  it("is not approved with the seal of its question from another session", async () => {
    const elicitation = { elicitation: { form: {} } };
    const [one, other] = [
      await openStdioWire(home, "2026-07-28", elicitation),
      await openStdioWire(home, "2026-07-28", elicitation),
    ];
    const params = { name: "place_order", arguments: { ...LIMIT, base_volume: "0.0111", userref: "sealed" } };
    const { requestState } = (await one.request("tools/call", params)).result ?? {};
    expect(requestState).toBeTypeOf("string");
    const answer = { ...params, requestState, inputResponses: SAYS_YES };
    expect((await other.request("tools/call", answer)).result?.["structuredContent"]).toMatchObject({
      outcome: "not_sent",
      error: { code: "ELocal:Approval mismatch" },
    });
    expect((await one.request("tools/call", answer)).result?.["structuredContent"]).toMatchObject({
      outcome: "accepted",
    });
  });
});

describe("on a live exchange", () => {
  let home: string;
  beforeAll(async () => {
    // An exchange of this machine, called live, so that the rules of real money hold.
    const { line } = await startSandbox({ home: freshHome() });
    home = freshHome();
    const profile = { environment: "live", base_url: line.base_url, key: line.api_key, secret: line.api_secret };
    const lines = Object.entries(profile).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
    writeFileSync(join(home, "config.toml"), `default_profile = "real"\n[profiles.real]\n${lines.join("")}`, {
      mode: 0o600,
    });
    setPolicy(home, {});
  });

  it("nothing that needs a person is taken before there is a PIN; start, status and denial say so", async () => {
    const running = start(["serve", "--http", "--port", "0"], { home });
    await expect.poll(() => running.stderr()).toContain("No PIN is set");
    expect(running.stderr()).toMatch(/ pin --profile real`/);
    const client = await opened(OVER_STDIO, home, YES);
    const status = await client.call("get_desk_status", {});
    expect(status.structured).toMatchObject({ can_trade: false, waiting: [], pin_set: false, largest_buy: "0" });
    expect(status.text).toMatch(/No PIN is set.* pin --profile real`/);
    const denied = await client.call("place_order", LIMIT);
    const error = { code: "ELocal:Not approved" };
    expect(denied).toMatchObject({ isError: true, structured: { outcome: "not_sent", state: "denied", error } });
    expect(denied.text).toMatch(/No PIN is set.*\n.* pin --profile real`/);
    expect(client.asked()).toBe(0);
    expect(await waitingIn(home)).toEqual([]);
    await setPin(home);
    expect((await client.call("get_desk_status", {})).structured).toMatchObject({ can_trade: true });
  });

  it("the PIN alone approves by default, and nobody is asked in a client", async () => {
    const client = await opened(OVER_STDIO, home, YES);
    const placed = await client.call("place_order", { ...LIMIT, userref: "by-pin" });
    expect(placed.structured).toMatchObject(AWAITING);
    expect(client.asked()).toBe(0);
    const approved = await runTerminal(["approve", "by-pin"], { home }, [["PIN: ", PIN]]);
    expect(approved.screen).toContain("Accepted: buy 0.001 BTC");
  });

  it("when policy.toml takes a client's yes, it counts over stdio alone", async () => {
    setPolicy(home, { approve_by: '["client", "pin"]' });
    for (const [index, kind] of [OVER_HTTP, "sdk 1.x over HTTP"].entries()) {
      const client = await opened(kind, home, YES);
      const placed = await client.call("place_order", { ...LIMIT, base_volume: `0.002${index}` });
      expect(placed.structured).toMatchObject(AWAITING);
      expect(client.asked()).toBe(0);
    }
    const client = await opened(OVER_STDIO, home, YES);
    const placed = await client.call("place_order", { ...LIMIT, base_volume: "0.003" });
    expect(placed.structured).toMatchObject({ outcome: "accepted" });
    expect(client.asked()).toBe(1);
  });
});
