import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TOOLS } from "../../../src/mcp/index.ts";
import { oneLine, type RunningSandbox } from "../../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin, startSandbox } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { WIDE, writePolicy } from "../../fixture/home.ts";
import { UpbitClient } from "../../sandbox/families/upbit/upbit-client.ts";
import { writeUpbitProfile } from "./upbit-profile.ts";

// As real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

interface Step {
  readonly step: string;
  readonly result: string;
  readonly note: string;
  readonly asked: readonly string[];
  readonly unread_fields?: readonly string[];
  readonly missing_fields?: readonly string[];
}

interface Probed {
  readonly passed: boolean;
  readonly practice: boolean;
  readonly environment: string;
  readonly file: string;
  readonly steps: readonly Step[];
  readonly order?: readonly Step[];
}

const resultsOf = (steps: readonly Step[] = []): object =>
  Object.fromEntries(steps.map(({ step, result }) => [step, result]));
const READ = {
  ...{ clock: "ok", markets: "ok", rules: "ok", book: "ok", balances: "ok", open_orders: "ok", closed_orders: "ok" },
  ...{ lookup: "ok", key: "ok", order_test: "absent" },
};
const ORDERED = {
  ...{ place: "ok", found_by_client_id: "ok", found_by_order_id: "ok", listed: "ok", cancel: "ok" },
  found_canceled: "ok",
};

let exchange: RunningSandbox;
beforeAll(async () => {
  exchange = await startSandbox({ home: freshHome() }, ["--as", "upbit"]);
});

/** A data directory of its own, at the one exchange of this file. */
function upbitHome() {
  const { line } = exchange;
  const home = freshHome();
  mkdirSync(home, { recursive: true });
  writeUpbitProfile(home, line);
  return { home, line, there: new UpbitClient(line.base_url, { apiKey: line.api_key, apiSecret: line.api_secret }) };
}

type Orders = readonly Readonly<Record<string, string>>[];

/** Those that have ended, newest first. */
async function endedAt(there: UpbitClient): Promise<Orders> {
  return (await there.get("orders/closed")).json as Orders;
}

describe("hoga probe", () => {
  it("asks an exchange all that hoga needs there, keeps what came of it, and places nothing", async () => {
    const { home, line, there } = upbitHome();
    const probed = oneLine<Probed>(await run(["probe", "--json"], { home }));
    expect(resultsOf(probed.steps)).toEqual(READ);
    expect(probed).toMatchObject({ passed: true, practice: true, environment: "sandbox" });
    const text = readFileSync(probed.file, "utf8");
    expect(statSync(probed.file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(text)).toMatchObject({ passed: true, steps: probed.steps });
    const [held] = (await there.get("accounts")).json as readonly { readonly balance: string }[];
    for (const secret of [line.api_key, line.api_secret, held?.balance ?? ""]) expect(text).not.toContain(secret);
    expect((await there.get("orders/open")).json).toEqual([]);
  });

  it("says which fields of the answers hoga does not read, and which it knows and did not see", async () => {
    const { home } = upbitHome();
    const { steps } = oneLine<Probed>(await run(["probe", "--json"], { home }));
    const balances = steps.find(({ step }) => step === "balances");
    expect(balances?.unread_fields).toContain("avg_buy_price");
    expect(balances?.missing_fields).toEqual([]);
    expect(steps.find(({ step }) => step === "lookup")).toMatchObject({ asked: ["order 404"] });
  });

  it("tells a person of each step, in words", async () => {
    const { home } = upbitHome();
    const { code, stdout } = await run(["probe"], { home });
    expect(stdout).toContain("Upbit, profile upbit: reads only, nothing is placed or changed.");
    expect(stdout).toMatch(
      /look-up of an id that no order has: ok \(\d+ ms\)\n {2}The exchange says that there is none/,
    );
    expect(stdout).toMatch(/order that is only checked: not there/);
    expect(stdout).not.toContain("counts as tried");
    expect(code).toBe(0);
    const korean = await run(["probe"], { home, env: { LANG: "ko_KR.UTF-8" } });
    expect(korean.stdout).toContain("어떤 주문에도 없는 id 조회: 정상");
  });

  it("ends with 1 where a required step fails, and says which", async () => {
    const { home, line } = upbitHome();
    writeUpbitProfile(home, { ...line, api_secret: "not-the-secret-of-this-key-at-all" });
    const ended = await run(["probe", "--json"], { home });
    const probed = oneLine<Probed>(ended);
    expect(ended.code).toBe(1);
    expect(probed.passed).toBe(false);
    expect(resultsOf(probed.steps)).toMatchObject({ clock: "ok", markets: "ok", balances: "failed", lookup: "failed" });
    expect(probed.steps.find(({ step }) => step === "balances")).toMatchObject({ code: "EAPI:Invalid signature" });
  });

  it("does the same on a sandbox that it starts for that, which never counts as the exchange", async () => {
    const home = freshHome();
    const probed = oneLine<Probed>(await run(["probe", "--as", "upbit", "--json"], { home }));
    expect(resultsOf(probed.steps)).toEqual(READ);
    expect(readdirSync(join(home, "probes"))).toEqual([expect.stringMatching(/^upbit-sandbox-\d{4}-\d\d-\d\d\.json$/)]);
    for (const [args, words] of [
      [["--as", "nasdaq"], "does not speak the API of nasdaq"],
      [["--as", "upbit", "--order"], "takes no order"],
      [["--sell"], "Write --order --sell."],
    ] as const) {
      const ended = await run(["probe", ...args], { home });
      expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(words)]);
    }
  });
});

describe("hoga probe --order", () => {
  it("is a person's at a terminal: without one nothing is asked, and no tool reaches it", async () => {
    const { home, there } = upbitHome();
    const ended = await run(["probe", "--order", "--json"], { home });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("A real order to try an exchange is a person's to do");
    expect(readdirSync(home)).not.toContain("probes");
    expect((await there.get("orders/open")).json).toEqual([]);
    expect(TOOLS.filter(({ name, description }) => /probe/i.test(`${name} ${description}`))).toEqual([]);
    const called = await run(["call", "probe", "{}"], { home });
    expect(called.code).toBe(2);
  });

  it("says what will happen, and places nothing where the PIN is wrong", async () => {
    const { home, there } = upbitHome();
    writePolicy(home, WIDE);
    await setPin(home);
    const before = await endedAt(there);
    const { code, screen } = await runTerminal(["probe", "--order"], { home }, [["PIN: ", "not the pin"]]);
    expect(code).toBe(3);
    expect(screen).toContain("What will happen at Upbit, profile upbit, with paper money:");
    expect(screen).toMatch(/One order is placed by the desk.*BUY .* BTC on BTC\/KRW at .* post-only/);
    expect(await endedAt(there)).toEqual(before);
  });

  it("places the smallest order by the desk, finds it by both ids, cancels it and finds it canceled", async () => {
    const { home, there } = upbitHome();
    writePolicy(home, WIDE);
    await setPin(home);
    const before = await endedAt(there);
    const { code, screen } = await runTerminal(["probe", "--order"], { home }, [["PIN: ", PIN]]);
    expect(screen).toContain("found by our own id: ok");
    expect(screen).toMatch(/Visible \d+ ms after the answer; hoga's card of this exchange assumes 10000 ms at most/);
    expect(screen).toContain("Canceled; nothing of it was executed.");
    expect(code).toBe(0);
    const [kept = ""] = readdirSync(join(home, "probes"));
    const text = readFileSync(join(home, "probes", kept), "utf8");
    const probed = JSON.parse(text) as Probed & { readonly ordered_at: string };
    expect(resultsOf(probed.order)).toEqual(ORDERED);
    expect(probed.ordered_at).toMatch(/^\d{4}-/);
    const orders = await endedAt(there);
    expect(orders).toHaveLength(before.length + 1);
    const [order] = orders;
    expect(order).toMatchObject({ state: "cancel", side: "bid", ord_type: "limit", executed_volume: "0" });
    for (const id of [order?.["uuid"] ?? "", order?.["identifier"] ?? ""]) expect(text).not.toContain(id);
    const log = await run(["audit", "--json", "--limit", "100"], { home });
    expect(log.stdout).toContain(order?.["identifier"] ?? "no identifier");
  });

  it("asks once more where policy has a person approve it, and then sells too where that is wanted", async () => {
    const { home, there } = upbitHome();
    writePolicy(home, { ...WIDE, mode: "confirm" });
    await setPin(home);
    const before = await endedAt(there);
    const { code, screen } = await runTerminal(["probe", "--order", "--sell"], { home }, [
      ["PIN: ", PIN],
      ["PIN: ", PIN],
    ]);
    expect(screen).toContain("policy.toml has a person approve it:");
    expect(screen).toContain("Approve this order?");
    expect(screen).toContain("No order was placed. The account has too little of BTC for a sell of the minimum.");
    expect(code).toBe(1);
    const orders = (await endedAt(there)).slice(0, -before.length || undefined);
    expect(orders.map(({ side, state }) => [side, state])).toEqual([["bid", "cancel"]]);
  });

  it("withdraws what waits for an approval that is not given", async () => {
    const { home, there } = upbitHome();
    writePolicy(home, { ...WIDE, mode: "confirm" });
    await setPin(home);
    const before = await endedAt(there);
    const { code } = await runTerminal(["probe", "--order"], { home }, [
      ["PIN: ", PIN],
      ["PIN: ", "not the pin"],
    ]);
    expect(code).toBe(3);
    expect((await run(["pending"], { home })).stdout).toContain("No order waits for approval.");
    expect(await endedAt(there)).toEqual(before);
  });
});
