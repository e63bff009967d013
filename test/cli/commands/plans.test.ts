import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { systemClock } from "../../../src/transport/index.ts";
import { type Ended, eventually, oneLine, quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { openWorld, type World } from "../../fixture/desk-over-sandbox.ts";
import { cleanUp, run, start } from "../../fixture/in-process.ts";
import { NOTIFY_SECRET, noticeReceiver } from "../../fixture/notice-receiver.ts";
import { unwrap } from "../../fixture/result.ts";
import { ALERT, newPlan, planIdOf } from "../../store/plan.ts";

vi.setConfig({ testTimeout: 60_000 });

let world: World;
const env = () => quartet(world.sandbox.baseUrl, world.sandbox.apiKey, world.sandbox.apiSecret);
const hogaIn =
  (home: string, more: Readonly<Record<string, string>> = {}) =>
  (...args: readonly string[]): Promise<Ended> =>
    run(args, { home, env: { ...env(), ...more } });

beforeAll(async () => {
  world = await openWorld({ totalMs: 20_000 });
  world.rest("sell", "110000000", "5");
  world.rest("sell", "101000000", "0.5");
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
  readonly plan: { readonly plan_id: string | null; readonly state: string; readonly summary: string };
}

const ABOVE = ["plans", "create", "alert", "--symbol", "btckrw", "--above", "105000000"] as const;

describe("hoga plans", () => {
  it("previews, makes, lists, shows, pauses, resumes and cancels an alert", async () => {
    const hoga = hogaIn(freshHome());
    expect((await hoga("plans")).stdout).toMatch(/^\[sandbox\] No plans of account "[^"]+"\.\n$/);
    const preview = oneLine<Shown>(await hoga(...ABOVE, "--preview", "--json"));
    expect(preview).toMatchObject({ outcome: "not_sent", state: "preview", plan: { plan_id: null } });
    expect((await hoga("plans", "list", "--json")).stdout).toContain('"plans":[]');

    const made = await hoga(...ABOVE, "--note", "look at it", "--json");
    expect(made.code).toBe(0);
    const { plan, outcome } = oneLine<Shown>(made);
    expect([outcome, plan.state]).toEqual(["accepted", "active"]);
    expect(plan.summary).toBe("Tell once when the price of BTC/KRW has stood at or above ₩105,000,000.");
    expect(plan).not.toHaveProperty("terms");
    const id = plan.plan_id ?? "";

    const again = await hoga(...ABOVE, "--note", "look at it");
    expect(again.stdout).toContain("this is that plan, and no second one was made");
    const listed = await hoga("plans", "--all");
    expect(listed.stdout).toContain(`- active  ${plan.summary}\n  ${id} · until `);
    expect(listed.stdout).toContain('not watched now · note: "look at it"\nNobody watches');
    expect((await hoga("plans", "show", id)).stdout).toContain(id);

    for (const [action, state] of [
      ["pause", "paused"],
      ["resume", "active"],
      ["cancel", "canceled"],
    ] as const) {
      const changed = await hoga("plans", action, id, "--json");
      expect([changed.code, oneLine<Shown>(changed).state]).toEqual([0, state]);
    }
    expect((await hoga("plans")).stdout).toContain("No plans");
    expect((await hoga("plans", "list", "--all")).stdout).toContain("why: Canceled by a person.");
    const late = await hoga("plans", "resume", id);
    expect([late.code, late.stdout]).toEqual([1, expect.stringContaining("has ended")]);
  });

  it("refuses what it cannot be made of, names the field, and ends with the code that says so", async () => {
    const hoga = hogaIn(freshHome());
    expect(await hoga("plans", "create", "strategy", "--symbol", "BTC/KRW")).toMatchObject({ code: 2, stdout: "" });
    const sizeless = await hoga("plans", "create", "stop", "--symbol", "BTC/KRW", "--json");
    expect(oneLine(sizeless)).toMatchObject({ error: { code: "ELocal:Invalid input", field: "base_volume" } });
    const none = await hoga("plans", "create", "alert", "--symbol", "BTC/KRW", "--json");
    expect([none.code, oneLine(none)]).toEqual([2, expect.objectContaining({ outcome: "not_sent" })]);
    expect(oneLine(none)).toMatchObject({ error: { code: "ELocal:Invalid input", field: "above" } });
    const there = await hoga("plans", "create", "alert", "--symbol", "BTC/KRW", "--above", "90000000");
    expect([there.code, there.stdout]).toEqual([2, expect.stringContaining("above")]);
    const unknown = await hoga("plans", "show", planIdOf(7), "--json");
    expect([unknown.code, oneLine(unknown)]).toEqual([
      1,
      expect.objectContaining({ error: expect.objectContaining({ code: "ELocal:Unknown plan" }) }),
    ]);
  });

  it("denies what the policy does not allow, and a plan while trading is halted", async () => {
    const home = freshHome();
    const hoga = hogaIn(home);
    writeFileSync(join(home, "policy.toml"), "[plans]\nmax_alerts = 1\n", { mode: 0o600 });
    expect((await hoga(...ABOVE)).code).toBe(0);
    const more = await hoga("plans", "create", "alert", "--symbol", "BTC/KRW", "--above", "106000000");
    expect([more.code, more.stdout]).toEqual([3, expect.stringContaining("max_alerts")]);
    await hoga("halt");
    expect((await hoga("plans")).stdout).toContain("- paused  ");
    writeFileSync(join(home, "policy.toml"), "[plans]\nmax_alerts = 2\n", { mode: 0o600 });
    const halted = await hoga("plans", "create", "alert", "--symbol", "BTC/KRW", "--above", "107000000");
    expect([halted.code, halted.stdout]).toEqual([3, expect.stringContaining("Trading is halted")]);
  });

  it("speaks Korean, and to programs English", async () => {
    const hoga = hogaIn(freshHome(), { HOGA_LOCALE: "ko" });
    const made = await hoga(...ABOVE);
    expect(made.stdout).toContain("예약이 진행 중입니다");
    expect(made.stdout).toContain("참고: 이 프로필의 hoga 서버가 꺼져 있어, 켜질 때까지 아무도");
    const listed = await hoga("plans");
    expect(listed.stdout).toContain("진행 중  BTC/KRW 시세가 ₩105,000,000");
    expect(listed.stdout).not.toMatch(/\b(the|watches|until|note)\b/);
    expect((await hoga("plans", "list", "--json")).stdout).toContain("Tell once when the price of BTC/KRW");
  });
});

describe("an alert of the command line", () => {
  it("is told once to a receiver that fails first, by a server that runs, and says what was seen", async () => {
    const receiver = await noticeReceiver((n) => (n === 0 ? 500 : 204));
    onTestFinished(() => receiver.close());
    const home = freshHome();
    const settings = `[notify]\nwebhook_url = "${receiver.url}"\nwebhook_secret_env = "NOTIFY_SECRET"\n`;
    writeFileSync(join(home, "config.toml"), settings, { mode: 0o600 });
    const hoga = hogaIn(home);
    const server = start(["serve", "--http", "--port", "0"], { home, env: { ...env(), NOTIFY_SECRET } });
    await server.firstLine();
    const made = await hoga(...ABOVE, "--json");
    const { plan } = oneLine<Shown>(made);
    const symbol = "BTC/KRW";
    await eventually(async () => {
      const { stdout } = await hoga("plans", "list", "--json");
      return stdout.includes('"watched_since":"') ? true : undefined;
    });

    world.take("buy", "101000000", "0.5");
    world.rest("buy", "106000000", "1");
    world.trade("107000000", "0.01");
    const fired = await eventually(() => receiver.received.find(({ body }) => body?.type === "alert.fired"));
    expect(fired.body?.data).toMatchObject({ plan_id: plan.plan_id, symbol, above: "105000000", print: "107000000" });
    const active = await eventually(() => receiver.received.filter(({ body }) => body?.type === "plan.active")[1]);
    expect(active.id).toBe(receiver.received[0]?.id);
    const { stdout } = await hoga("plans", "show", plan.plan_id ?? "");
    expect(stdout).toMatch(/^- done /m);
    expect(stdout).toContain("told at");
    await pause(2_500);
    expect(receiver.received.filter(({ body }) => body?.type === "alert.fired")).toHaveLength(1);
    const { stderr, stdout: printed } = await server.stop();
    expect(stderr).toMatch(
      /A notice \(plan\.active of plan-\S+\) was not taken by 127\.0\.0\.1:\d+: it answered 500\./,
    );
    expect(stderr + printed).not.toContain(NOTIFY_SECRET);
  });

  it("is no reason not to trade where the secret's variable is not set: that is said, by the server and the doctor", async () => {
    const home = freshHome();
    const settings = '[notify]\nwebhook_url = "https://hooks.example.com/in"\nwebhook_secret_env = "NOTIFY_SECRET"\n';
    writeFileSync(join(home, "config.toml"), settings, { mode: 0o600 });
    const server = start(["serve", "--http", "--port", "0"], { home, env: env() });
    await server.firstLine();
    const { stderr } = await server.stop();
    expect(stderr).toMatch(/Notices are not sent: .*\[notify\].*NOTIFY_SECRET, which is not set/);
    const { checks } = await doctor(home);
    expect(checks).toContainEqual(expect.objectContaining({ name: "notices", ok: false, required: false }));
  });

  it("is named by the doctor where its receiver took nothing, for a week", async () => {
    const home = freshHome();
    const parts = { clock: systemClock, random: Math.random };
    const store = await openStore<string, unknown>({ path: join(home, "hoga.db") }, parts);
    const nowMs = Date.now();
    for (const [n, atMs] of [
      [1, nowMs - 86_400_000],
      [2, nowMs - 8 * 86_400_000],
    ] as const) {
      const notices = [{ type: "alert.fired", key: "1", body: {} }] as const;
      const plan = newPlan(n, { terms: ALERT, state: "active", createdAtMs: atMs, notices });
      await unwrap(store.plans.record(plan, () => undefined));
    }
    for (const { noticeId } of await unwrap(store.notices.recent({ account: "main", sinceMs: 0, limit: 9 })))
      for (let tries = 0; tries < 7; tries++) await unwrap(store.notices.failed(noticeId, nowMs));
    store.close();
    const { code, checks } = await doctor(home);
    const [notices] = checks.filter(({ name }) => name === "notices");
    expect(code).toBe(0);
    expect(notices).toMatchObject({ ok: false, required: false, fix: expect.stringContaining("plans list --all") });
    expect(notices?.detail).toContain(`1 of the last 7 days`);
    expect(notices?.detail).toContain(`alert.fired (${planIdOf(1)})`);
  });
});

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly required: boolean;
  readonly detail: string;
  readonly fix: string | null;
}

async function doctor(home: string): Promise<{ readonly code: number | null; readonly checks: readonly Check[] }> {
  const ended = await run(["doctor", "--json"], { home });
  return { code: ended.code, checks: oneLine<{ checks: readonly Check[] }>(ended).checks };
}
