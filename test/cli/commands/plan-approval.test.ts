/** Plans that send orders, by a person at a terminal: made, listed, approved, denied, changed, and what stands still after a halt. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Ended, oneLine, quartet } from "../../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, setPin } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { openWorld, type World } from "../../fixture/desk-over-sandbox.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let world: World;
beforeAll(async () => {
  world = await openWorld({ totalMs: 20_000 });
  world.rest("sell", "101000000", "5");
  world.rest("buy", "99000000", "5");
  world.trade("100000000", "0.01");
});
afterAll(async () => {
  await cleanUp();
  await world.close();
});

interface Shown {
  readonly outcome: string;
  readonly state: string;
  readonly plan: { readonly plan_id: string; readonly state: string; readonly summary: string };
  readonly approval?: { readonly id: string };
}

interface Command {
  (...args: readonly string[]): Promise<Ended>;
  readonly home: string;
  /** At a terminal, with the PIN where it is asked for. */
  readonly person: (...args: readonly string[]) => ReturnType<typeof runTerminal>;
}

function hogaIn(home: string, env: Readonly<Record<string, string>>): Command {
  const place = { home, env };
  return Object.assign((...args: readonly string[]) => run(args, place), {
    home,
    person: (...args: readonly string[]) => runTerminal(args, place, [["PIN: ", PIN]]),
  });
}

const sandboxEnv = () => quartet(world.sandbox.baseUrl, world.sandbox.apiKey, world.sandbox.apiSecret);

/** Where a person approves every plan, or as the policy given says. */
async function practice(plans = 'approve = "always"\nstop_removal = "ask"'): Promise<Command> {
  const home = freshHome();
  writeFileSync(
    join(home, "policy.toml"),
    `max_order_krw = "900000000"\nmax_day_krw = "900000000"\nmax_open_krw = "900000000"\n[plans]\n${plans}\n`,
    { mode: 0o600 },
  );
  await setPin(home);
  return hogaIn(home, sandboxEnv());
}

/** The same exchange, called live, so that the rules of real money hold. */
async function live(): Promise<Command> {
  const home = freshHome();
  const { baseUrl, apiKey, apiSecret } = world.sandbox;
  const profile = { environment: "live", base_url: baseUrl, key: apiKey, secret: apiSecret };
  const lines = Object.entries(profile).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  writeFileSync(join(home, "config.toml"), `default_profile = "real"\n[profiles.real]\n${lines.join("")}`, {
    mode: 0o600,
  });
  writeFileSync(
    join(home, "policy.toml"),
    'max_order_krw = "900000000"\nmax_day_krw = "900000000"\nmax_open_krw = "900000000"\n',
    { mode: 0o600 },
  );
  await setPin(home);
  return hogaIn(home, {});
}

const STOP = ["stop", "--symbol", "BTC/KRW", "--base-volume", "0.1", "--stop-price", "-10%"] as const;
const BUYS = ["recurring", "--symbol", "BTC/KRW", "--quote-amount", "50000", "--schedule", "daily 09:00"] as const;

/** Options of a terminal as a tool takes them. */
function argumentOf(name: string, value: string): unknown {
  if (name === "--weights") return Object.fromEntries(value.split(",").map((each) => each.split("=")));
  return name === "--slices" ? Number(value) : value;
}

function argumentsOf(fields: readonly string[]): Readonly<Record<string, unknown>> {
  const names = fields.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(
    names.map((name, index) => {
      const value = fields[index * 2 + 1] ?? "";
      return [name.slice(2).replaceAll("-", "_"), argumentOf(name, value)];
    }),
  );
}

const made = async (hoga: Command, ...kind: readonly string[]): Promise<Shown & { readonly code: number | null }> => {
  const ended = await hoga("plans", "create", ...kind, "--json");
  return { ...oneLine<Shown>(ended), code: ended.code };
};

const begun = async (hoga: Command, ...kind: readonly string[]): Promise<string> => {
  const { plan } = await made(hoga, ...kind);
  const yes = await hoga.person("approve", plan.plan_id);
  expect([yes.code, yes.screen]).toEqual([0, expect.stringContaining("The plan is active.")]);
  return plan.plan_id;
};

const stateOf = async (hoga: Command, id: string): Promise<string | undefined> =>
  oneLine<{ readonly plans: readonly { readonly state: string }[] }>(await hoga("plans", "show", id, "--json")).plans[0]
    ?.state;

describe("a plan that sends orders", () => {
  it.each([
    [["take_profit", "--symbol", "BTC/KRW", "--base-volume", "0.1", "--take-price", "+10%"], "₩111,100,000"],
    [["trailing_stop", "--symbol", "BTC/KRW", "--base_volume", "0.1", "--trail", "5%"], "5 %"],
    [
      ["oco", "--symbol", "BTC/KRW", "--base-volume", "0.1", "--stop-price", "90000000", "--take-price", "120000000"],
      "₩90,000,000",
    ],
    [
      [
        "slices",
        "--symbol",
        "BTC/KRW",
        "--side",
        "buy",
        "--quote-amount",
        "1000000",
        "--slices",
        "10",
        "--duration",
        "2h",
      ],
      "10 pieces",
    ],
    [["rebalance", "--weights", "BTC=91.5%,KRW=8.5%"], "buy BTC for up to ₩64"],
    [STOP, "₩89,100,000"],
    [BUYS, "daily 09:00"],
  ] as const)("is previewed with its worst case, of every kind: %j", async (kind, words) => {
    const hoga = hogaIn(freshHome(), sandboxEnv());
    const preview = await hoga("plans", "create", ...kind, "--preview");
    expect([preview.code, preview.stderr]).toEqual([0, ""]);
    expect(preview.stdout).toContain("A preview: nothing was recorded.");
    expect(preview.stdout).toContain(words);
    expect(preview.stdout).toContain("At worst: ");
    const [name, ...fields] = kind;
    const args = { kind: name, preview: true, ...argumentsOf(fields) };
    expect(await hoga("call", "create_plan", JSON.stringify(args))).toMatchObject({ code: 0 });
    expect((await hoga("plans", "--all")).stdout).toContain("No plans");
  });

  it("is refused where the exchange has no order for it, with what to do instead", async () => {
    const home = freshHome();
    writeFileSync(join(home, "config.toml"), '[profiles.paper]\nexchange = "coinone"\n', { mode: 0o600 });
    const refused = await hogaIn(home, {})("plans", "create", ...BUYS, "--limit-price", "100000000");
    expect(refused).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("Coinone has no IOC for limit buy orders"),
    });
    expect(refused.stdout).toContain("leave limit_price out");
  });

  it("waits for a person, is listed, and begins by the PIN after its sheet was shown", async () => {
    const hoga = await practice();
    const { plan, code, outcome } = await made(hoga, ...STOP);
    expect([code, outcome, plan.state]).toEqual([3, "not_sent", "awaiting_approval"]);
    const again = await hoga("plans", "create", ...STOP);
    expect(again.code).toBe(3);
    expect(again.stdout).toContain(` approve ${plan.plan_id}`);

    const listed = await hoga("pending");
    expect(listed.stdout).toContain(plan.plan_id);
    expect(listed.stdout).toContain("start: Sell up to 0.1 BTC");
    const waits = oneLine<{ readonly plans: readonly object[] }>(await hoga("pending", "--json"));
    expect(waits.plans).toMatchObject([{ id: plan.plan_id, action: "start", plan: { state: "awaiting_approval" } }]);

    const piped = await hoga("approve", plan.plan_id, "--json");
    expect([piped.code, await stateOf(hoga, plan.plan_id)]).toEqual([3, "awaiting_approval"]);
    const yes = await hoga.person("approve", plan.plan_id);
    expect(yes.code).toBe(0);
    const [sheet = "", after = ""] = yes.screen.split("PIN: ");
    expect(sheet).toContain("[sandbox] Approve this plan of account");
    expect(sheet).toContain("Yes starts exactly this plan.");
    expect(after).toContain("The plan is active.");
    expect((await hoga("pending")).stdout).toBe("[sandbox] No order waits for approval.\n");
    const detail = await hoga("plans", "show", plan.plan_id);
    expect(detail.stdout).toMatch(/At worst: .*\n {2}Trigger: ₩89,100,000\n {2}Never sells below: ₩/);
  });

  it("is denied by a person, and does nothing", async () => {
    const hoga = await practice();
    const { plan } = await made(hoga, ...BUYS);
    const denied = await hoga("deny", plan.plan_id);
    expect([denied.code, denied.stdout]).toEqual([0, `Denied: ${plan.plan_id}. Nothing was sent.\n`]);
    expect(await stateOf(hoga, plan.plan_id)).toBe("denied");
    expect((await hoga("deny", plan.plan_id)).code).toBe(1);
  });

  it("is approved with others by one PIN, each as it was shown", async () => {
    const hoga = await practice();
    const [stop, buys] = [await made(hoga, ...STOP), await made(hoga, ...BUYS)];
    const yes = await hoga.person("approve", "--all", "--json");
    expect(yes.code).toBe(0);
    const { results } = JSON.parse(yes.screen.trimEnd().split("\n").at(-1) ?? "") as {
      readonly results: readonly object[];
    };
    const active = (id: string) => ({ outcome: "accepted", state: "active", plan: { plan_id: id } });
    expect(results).toMatchObject([active(stop.plan.plan_id), active(buys.plan.plan_id)]);
  });

  it("changes by an assistant's wish are answered with approve and deny", async () => {
    const hoga = await practice();
    const id = await begun(hoga, ...STOP);
    const ask = async () => hoga("call", "change_plan", JSON.stringify({ plan_id: id, action: "cancel" }), "--json");
    const asked = await ask();
    expect([asked.code, oneLine(asked)]).toMatchObject([3, { outcome: "not_sent", state: "active" }]);
    const { stdout } = await hoga("pending");
    expect(stdout).toContain("cancel: Sell up to 0.1 BTC");
    expect(stdout).not.toContain("(draft)");
    expect(await hoga("deny", id)).toMatchObject({ code: 0, stdout: `Denied: ${id}. Nothing was sent.\n` });
    expect(await stateOf(hoga, id)).toBe("active");
    await ask();
    const yes = await hoga.person("approve", id);
    expect(yes.screen).toContain("Take this protection away?");
    expect([yes.code, await stateOf(hoga, id)]).toEqual([0, "canceled"]);
  });

  it("is rehearsed on past prices, and nothing is recorded", async () => {
    const hoga = hogaIn(freshHome(), sandboxEnv());
    expect((await hoga("plans", "create", ...BUYS, "--rehearse", "9d")).code).toBe(2);
    expect((await hoga("plans", "create", ...BUYS, "--rehearse", "7d")).stderr).toBe("");
    expect((await hoga("plans", "--all")).stdout).toContain("No plans");
  });

  it("stands still after a halt, and resume lists it with how it is started again", async () => {
    const hoga = await practice();
    const [stop, buys] = [await begun(hoga, ...STOP), await begun(hoga, ...BUYS)];
    await hoga("halt");
    expect(await stateOf(hoga, stop)).toBe("paused");
    const doctor = await hoga("doctor");
    expect(doctor.stdout).toContain("2 stand still");
    const resumed = await hoga.person("resume");
    expect(resumed.code).toBe(0);
    expect(resumed.screen).toContain("Trading goes on.");
    for (const id of [stop, buys]) expect(resumed.screen).toContain(` plans resume ${id}`);
    expect(resumed.screen).not.toContain("\\n");
    expect(await hoga("plans", "resume", stop)).toMatchObject({ code: 0 });
    expect((await hoga("doctor")).stdout).toContain("nobody watches");
  });

  it("speaks Korean", async () => {
    const hoga = await practice();
    const korean = hogaIn(hoga.home, { ...sandboxEnv(), LANG: "ko_KR.UTF-8" });
    const waits = await korean("plans", "create", ...STOP);
    expect(waits.stdout).toContain("사람의 승인을 기다립니다");
    expect((await korean("pending")).stdout).toContain("시작: BTC/KRW 시세가");
  });
});

describe("where money may be real", () => {
  it("asks for the PIN to take a protection away and to start a plan again, and to stop a buyer for nothing", async () => {
    const hoga = await live();
    const [stop, buys] = [await begun(hoga, ...STOP), await begun(hoga, ...BUYS)];
    for (const action of ["pause", "cancel"]) {
      const piped = await hoga("plans", action, stop, "--json");
      expect([piped.code, oneLine(piped)]).toMatchObject([3, { error: { code: "ELocal:Not approved" } }]);
    }
    expect(await stateOf(hoga, stop)).toBe("active");
    const wrong = await runTerminal(["plans", "cancel", stop], { home: hoga.home, env: {} }, [["PIN: ", "wrong one"]]);
    expect([wrong.code, await stateOf(hoga, stop)]).toEqual([3, "active"]);
    expect((await hoga.person("plans", "cancel", stop)).code).toBe(0);
    expect(await stateOf(hoga, stop)).toBe("canceled");

    expect(await hoga("plans", "pause", buys)).toMatchObject({ code: 0 });
    expect(await hoga("plans", "resume", buys)).toMatchObject({ code: 3 });
    expect(await stateOf(hoga, buys)).toBe("paused");
    expect((await hoga.person("plans", "resume", buys)).code).toBe(0);
    expect(await stateOf(hoga, buys)).toBe("active");
    expect(await hoga("plans", "cancel", buys)).toMatchObject({ code: 0 });
  });
});
