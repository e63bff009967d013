import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, limitBuy, oneLine, quartet } from "../fixture/command.ts";
import { WIDE, wideHome, writePolicy } from "../fixture/home.ts";
import { cleanUp, run, startSandbox } from "../fixture/in-process.ts";
import { type Relay, startRelay } from "../fixture/relay.ts";

interface Report {
  readonly outcome: string;
  readonly state: string;
  readonly userref?: string;
  readonly next_action?: string;
  readonly error?: { readonly code: string; readonly retryable: boolean };
}

const home = wideHome();
let relay: Relay;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { line } = await startSandbox({ home });
  relay = await startRelay(line.base_url);
  env = quartet(relay.url, line.api_key, line.api_secret);
});
afterAll(async () => {
  await relay.close();
  await cleanUp();
});

const call = (...args: readonly string[]): Promise<Ended> => run(["call", ...args], { home, env });

describe("the exit code of get_desk_status", () => {
  it("is 1 while the exchange refuses the account, though it is up, and 0 afterwards", async () => {
    relay.decide(({ path }) => (path.startsWith("/v1/accounts") ? "html" : "forward"));
    const ended = await call("get_desk_status", "--json");
    expect(ended.code).toBe(1);
    expect(oneLine(ended)).toMatchObject({ venue: "up", can_trade: false, error: { class: "ELocal" } });
    relay.decide(() => "forward");
    expect((await call("get_desk_status")).code).toBe(0);
  });
});

describe("the exit code of a write", () => {
  it("is 0 when the exchange accepted it", async () => {
    const ended = await call(...limitBuy("90000000"));
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^\[sandbox\] Accepted: /);
  });

  it("is 1 when the exchange rejected it", async () => {
    const ended = await call(...limitBuy("90000000", "100"), "--json");
    expect(ended.code).toBe(1);
    expect(oneLine<Report>(ended)).toMatchObject({ outcome: "rejected", error: { code: "EOrder:Insufficient funds" } });
  });

  it("is 1 when there is no such order to cancel", async () => {
    const ended = await call("cancel_order", "--order-id", "01a1fd2c-bbbe-71f9-b18c-81a227b96847", "--json");
    expect(ended.code).toBe(1);
    expect(oneLine<Report>(ended).outcome).not.toBe("accepted");
  });

  it("is 2 for a market that does not exist", async () => {
    const ended = await call(...limitBuy("90000000").map((word) => (word === "BTC/KRW" ? "BTX/KRW" : word)), "--json");
    expect(ended.code).toBe(2);
    expect(oneLine<Report>(ended)).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Unknown market" } });
  });

  it("is 3 when hoga itself refused it", async () => {
    const sent = relay.arrivals.filter(({ method }) => method === "POST").length;
    const ended = await call(...limitBuy("90000001"), "--json");
    expect(ended.code).toBe(3);
    expect(oneLine<Report>(ended)).toMatchObject({
      outcome: "not_sent",
      state: "denied",
      error: { code: "EOrder:Tick size check failed" },
    });
    expect(relay.arrivals.filter(({ method }) => method === "POST")).toHaveLength(sent);
  });

  it.each([
    ["denies it", { max_order_krw: "89999" }, { state: "denied", error: { code: "ELocal:Denied by policy" } }],
    ["asks a person", { mode: "confirm" }, { state: "awaiting_approval" }],
  ])("is 3 when the policy %s", async (_, settings, report) => {
    const sent = relay.arrivals.filter(({ method }) => method === "POST").length;
    writePolicy(home, { ...WIDE, ...settings });
    const ended = await call(...limitBuy("90000000"), "--json");
    writePolicy(home, WIDE);
    expect(ended).toMatchObject({ code: 3, stderr: "" });
    expect(oneLine<Report>(ended)).toMatchObject({ outcome: "not_sent", ...report });
    expect(relay.arrivals.filter(({ method }) => method === "POST")).toHaveLength(sent);
  });

  it.each([
    ["lose_answer", "open"],
    ["lose_request", "not_placed"],
  ] as const)("is 4 while nobody knows (%s); get_order then finds out: %s", async (fate, state) => {
    relay.decide(({ method, path }) => {
      if (method === "POST") return fate;
      return path.startsWith("/v1/orders") ? "html" : "forward";
    });
    const posts = relay.arrivals.filter(({ method }) => method === "POST").length;
    const ended = await call(...limitBuy("90000000"), "--json");
    const { userref = "", ...report } = oneLine<Report>(ended);
    expect(ended.code).toBe(4);
    expect(report).toMatchObject({ outcome: "unknown", state: "unknown", error: { retryable: false } });
    expect(report.next_action).toContain(userref);
    const still = await call("get_order", "--userref", userref, "--json");
    expect(oneLine<Report>(still).state).toBe("unknown");
    relay.decide(() => "forward");
    const settled = await call("get_order", "--userref", userref, "--json");
    expect(settled.code).toBe(0);
    expect(oneLine<Report>(settled).state).toBe(state);
    expect(relay.arrivals.filter(({ method }) => method === "POST")).toHaveLength(posts + 1);
  });
});
