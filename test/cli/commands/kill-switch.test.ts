import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import { openConnection } from "../../../src/store/sql/driver.ts";
import { type Ended, freePort, limitBuy, oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run, startSandbox } from "../../fixture/in-process.ts";
import { paperHome } from "../../fixture/paper-home.ts";

vi.setConfig({ testTimeout: 60_000 });

const writeConfig = (home: string, text: string): void =>
  writeFileSync(join(home, "config.toml"), text, { mode: 0o600 });
const isOn = (home: string): boolean => readFileSync(join(home, "hoga.db.brake"), "utf8").startsWith('{"brake":"on"');
/** Makes the store one that this version refuses to open. */
async function outdate(home: string): Promise<void> {
  const connection = await openConnection(join(home, "hoga.db"), {
    journal: "wal",
    durability: "full",
    random: () => 0,
  });
  await connection.transaction(({ run: execute }) => execute("INSERT INTO schema_version VALUES (99, 1)", []));
  connection.close();
}

function expectHaltedOnly(ended: Ended): void {
  expect(ended).toMatchObject({ code: 1, stderr: "" });
  expect(ended.stdout).toContain("Trading is halted in every process");
  expect(ended.stdout).toContain("could not be verified");
  expect(ended.stdout).not.toContain("in this process");
}

afterAll(cleanUp);

describe("a halt where the profile's desk does not open", () => {
  it("holds for every process all the same, and says what it could not cancel", async () => {
    const home = await paperHome();
    const locked = [
      "[profiles.paper]",
      'environment = "sandbox"',
      "[profiles.locked]",
      'environment = "live"',
      'base_url = "https://127.0.0.1:9"',
      'key_command = "exit 7"',
      "",
    ];
    writeFileSync(join(home, "config.toml"), locked.join("\n"), { mode: 0o600 });
    const halted = await run(["halt", "--profile", "locked", "--json"], { home });
    expect(halted.code).toBe(1);
    expect(oneLine(halted)).toMatchObject({ brake: "everywhere", remaining: null, outcome: "not_sent" });
    const denied = await run(["call", "--json", ...limitBuy("145000000", "0.0001")], { home });
    expect(denied.code).toBe(3);
    expect(oneLine(denied)).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Trading halted" } });
    const resumed = await run(["resume", "--profile", "paper"], { home });
    expect(resumed).toMatchObject({ code: 3, stderr: expect.stringContaining("a person's to do") });
  });
});

describe("a halt where something else is wrong", () => {
  it.each<[string, string, Record<string, string>, string]>([
    ["a mistake in config.toml", 'default_profile = "paper\n', {}, "not valid TOML"],
    ["a profile that is not there", 'default_profile = "gone"\n', {}, 'no profile "gone"'],
    ["a log level that is none", "", { HOGA_LOG_LEVEL: "verbose" }, "HOGA_LOG_LEVEL"],
    ["a stray variable", "", { HOGA_API_KEY: "x" }, "HOGA_API_SECRET"],
  ])("is on all the same, and says what was not canceled and why: %s", async (_, config, env, why) => {
    const home = await paperHome();
    writeConfig(home, config);
    const halted = await run(["halt", "--reason", "in a hurry"], { home, env });
    expectHaltedOnly(halted);
    expect(halted.stdout).toContain(why);
    expect(isOn(home)).toBe(true);
    const again = await run(["call", "halt_trading", "--json"], { home, env });
    expect(again.code).toBe(1);
    expect(oneLine(again)).toMatchObject({ brake: "everywhere", environment: "unknown", remaining: null });
    writeConfig(home, "");
    const log = oneLine<{ entries: { event: string; detail: object }[] }>(
      await run(["audit", "show", "--json"], { home }),
    );
    expect(log.entries.map(({ event }) => event)).toContain("halted");
    const shown = oneLine<typeof log>(await run(["call", "get_audit_log", "--json"], { home }));
    expect(shown.entries.map(({ event }) => event)).toContain("halted");
  });

  it("cancels without the store where that does not open", async () => {
    const box = await startSandbox({});
    const home = await paperHome();
    const { base_url, api_key, api_secret } = box.line;
    writeConfig(
      home,
      `default_profile = "d"\n[profiles.d]\nenvironment = "sandbox"\nbase_url = "${base_url}"\nkey = "${api_key}"\nsecret = "${api_secret}"\n`,
    );
    writeFileSync(join(home, "policy.toml"), 'price_collar_pct = "off"\n', { mode: 0o600 });
    expect(await run(["call", ...limitBuy()], { home })).toMatchObject({ code: 0 });
    await outdate(home);
    const halted = await run(["halt", "--json"], { home });
    expect(halted.code).toBe(1);
    const report = oneLine<{ warnings: string[] }>(halted);
    expect(report).toMatchObject({ brake: "everywhere", canceled: 1, remaining: 0, environment: "sandbox" });
    expect(report.warnings.join()).toContain("by the kill-switch file");
    expect(isOn(home)).toBe(true);
  });

  it("when it can be written nowhere, says that trading is NOT halted", async () => {
    const home = freshHome();
    for (const name of ["hoga.db", "hoga.db.brake"]) mkdirSync(join(home, name));
    const halted = await run(["halt"], { home });
    expect(halted.code).toBe(1);
    expect(halted.stdout).toContain("Trading is NOT halted");
    expect(halted.stdout).not.toContain("in this process");
    const called = await run(["call", "halt_trading"], { home });
    expect(called.code).toBe(1);
    expect(called.stdout).toContain("NOT HALTED");
  });

  it.each<[readonly string[], string]>([
    [["halt", "--now", "please"], '"--now"'],
    [["halt", "--reason"], ""],
    [["halt", "--profile="], ""],
    [["call", "halt_trading", "--profile"], ""],
    [["call", "halt_trading", "--profile=", "--json"], ""],
    [["halt", "--reason", "line one\nline two"], ""],
    [["call", "halt_trading", "{", "--json"], ""],
    [["call", "halt_trading", '{"why":"panic"}'], '"why"'],
  ])("is not refused for how it is written: %j", async (words, misfit) => {
    const home = await paperHome();
    const halted = await run(words, { home });
    expect(halted.code).toBe(0);
    expect(halted.stdout).toContain(misfit);
    expect(isOn(home)).toBe(true);
  });

  it("is not refused where the profile has no module for it", async () => {
    const home = await paperHome();
    writeConfig(home, '[profiles.paper]\nenvironment = "sandbox"\nmodules = ["market"]\n');
    expect(await run(["call", "halt_trading"], { home })).toMatchObject({ code: 0 });
  });
});

describe("a halt and the orders of another profile", () => {
  it("names its own account, lists theirs as not canceled, and how to cancel them", async () => {
    const box = await startSandbox({});
    const home = await paperHome();
    const { base_url, api_key, api_secret } = box.line;
    writeConfig(
      home,
      `default_profile = "paper"\n[profiles.desk1]\nenvironment = "sandbox"\nbase_url = "${base_url}"\nkey = "${api_key}"\nsecret = "${api_secret}"\n`,
    );
    writeFileSync(join(home, "policy.toml"), 'price_collar_pct = "off"\n', { mode: 0o600 });
    const placed = await run(["call", "--profile", "desk1", "--json", ...limitBuy()], { home });
    const { userref } = oneLine<{ userref: string }>(placed);
    const halted = await run(["halt"], { home });
    expect(halted.code).toBe(1);
    expect(halted.stdout).toContain("On sandbox, account paper: 0 orders canceled, 0 still open.");
    expect(halted.stdout).toContain(`NOT canceled: BTC/KRW, userref ${userref}`);
    expect(halted.stdout).toContain("--profile desk1");
    const json = await run(["halt", "--json"], { home });
    expect(json.code).toBe(1);
    expect(oneLine(json)).toMatchObject({
      environment: "sandbox",
      account: "paper",
      elsewhere: [{ userref, symbol: "BTC/KRW", state: "open", profiles: ["desk1"] }],
    });
    const theirs = await run(["halt", "--profile", "desk1", "--json"], { home });
    expect(theirs.code).toBe(0);
    expect(oneLine(theirs)).toMatchObject({ canceled: 1, remaining: 0, elsewhere: [] });
    expect(await run(["halt"], { home })).toMatchObject({ code: 0 });
  });
});

describe("a halt while the store's server is out of reach", () => {
  it("says where it holds and where not, and does not contradict itself", async () => {
    const home = await paperHome();
    const env = { HOGA_STORE_URL: `postgres://u@127.0.0.1:${await freePort()}/hoga` };
    const { code, stdout } = await run(["halt"], { home, env });
    expect(code).toBe(1);
    expect(isOn(home)).toBe(true);
    expect(stdout).toContain("halted in every process of this data directory, and NOT in those that share its store");
    expect(stdout).not.toMatch(/NOT halted: the halt could not be written|no other process obeys/);
    expect(oneLine(await run(["halt", "--json"], { home, env }))).toMatchObject({ brake: "directory" });
  });
});

describe("the cancel timer of commands that end", () => {
  it("fires with the next command that reaches the exchange, and is then off", async () => {
    const home = await paperHome();
    writeFileSync(join(home, "policy.toml"), 'price_collar_pct = "off"\n', { mode: 0o600 });
    expect(await run(["call", ...limitBuy()], { home })).toMatchObject({ code: 0 });
    const set = await run(["call", "set_cancel_timer", "--timeout-s", "5"], { home });
    expect(set.stdout).toContain("of another profile does not");
    await pause(5_500);
    const orders = await run(["orders", "--json"], { home });
    expect(oneLine(orders)).toMatchObject({ orders: [] });
    const status = await run(["call", "get_desk_status", "--json"], { home });
    expect(oneLine(status)).toMatchObject({ cancel_timer_fires_at: null });
  });
});

describe("a person who is to start trading again", () => {
  it.each([
    ["hoga halt", ["halt"], "resume"],
    ["halt_trading", ["call", "halt_trading"], "resume --profile paper"],
    ["get_desk_status", ["call", "get_desk_status"], "resume --profile paper"],
  ])("is told the command that reaches this directory from any shell, by %s", async (_, words, command) => {
    const home = await paperHome();
    await run(["halt"], { home });
    const { stdout } = await run(words, { home });
    expect(stdout).toMatch(new RegExp(`HOGA_HOME=${home} \\S+ \\S+ ${command}(?! --profile)`));
    expect(stdout).not.toMatch(/(?<!\S)hoga resume/);
  });

  it("is told it with the tenant whose trading it is", async () => {
    const home = await paperHome();
    await run(["tenants", "create", "alice"], { home });
    const own = await run(["halt", "--tenant", "alice"], { home });
    expect(own.stdout).toMatch(/ resume --tenant alice\b/);
    const all = await run(["halt"], { home });
    expect(all.stdout.match(/ resume --tenant alice\b/g)).toHaveLength(1);
  });
});
