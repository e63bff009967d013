import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type PolicySource, policySource } from "../../src/config/index.ts";
import type { Fault } from "../../src/contract/index.ts";
import { defaultPolicy } from "../../src/desk/risk/policy-decision.ts";
import type { Policy } from "../../src/policy/index.ts";

let dir: string;
let path: string;
let source: PolicySource;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-policy-"));
  path = join(dir, "policy.toml");
  source = sourceOf("live");
});
afterEach(() => rmSync(dir, { recursive: true }));

const sourceOf = (environment: "live" | "sandbox"): PolicySource =>
  policySource(path, "KRW", (given) => defaultPolicy(environment, given));

function write(text: string | Buffer, mode = 0o644): void {
  writeFileSync(path, text);
  chmodSync(path, mode);
}

function policy(from: PolicySource = source): Policy {
  const answer = from.read();
  if (!answer.ok) throw new Error(answer.fault.message);
  return answer.value;
}

function plain(from?: PolicySource): unknown {
  return JSON.parse(JSON.stringify(policy(from)));
}

function fault(): Fault {
  const answer = source.read();
  if (answer.ok) throw new Error("nothing was refused");
  return answer.fault;
}

/** What is wrong, without the path in front and the sentence that ends every such message. */
function problem(text: string): string {
  write(text);
  const { message } = fault();
  const end = ". No order is placed until that is repaired.";
  expect(message.startsWith(path)).toBe(true);
  expect(message.endsWith(end)).toBe(true);
  return message.slice(path.length, -end.length).replace(/^: /, "");
}

const EVERYTHING = `
# what I allow
mode = "bounded"
markets = ["BTC/KRW", "ETH/KRW"]
order_types = ["limit"]
times_in_force = ["GTC", "FOK"]
max_order_krw = "250000"
max_day_krw = "999999999999999"
max_open_orders = 7
max_open_krw = "0"
max_day_loss_krw = "150000"
day_loss_action = "halt"
max_orders_per_minute = 3
price_collar_pct = "2.5"
max_slippage_pct = "0.00000001"
approval_over_krw = "100000"
approval_ttl_s = 60
approval_drift_pct = "100"
approve_by = ["pin"]
book_max_age_ms = 1500
over_limit_sells = "deny"
[plans]
approve = "bounded"
stop_removal = "allow"
max_plans = 3
max_alerts = 0
max_plan_krw = "700000"
max_days = 30
protective_slippage_pct = "1.5"
protective_floor_pct = "4"
late_s = 60
`;

describe("the policy", () => {
  it("is the environment's default without a file, and with one that says nothing", () => {
    expect(policy()).toEqual(defaultPolicy("live"));
    expect(policy(sourceOf("sandbox"))).toEqual(defaultPolicy("sandbox"));
    write("\n# nothing\n");
    expect(policy()).toEqual(defaultPolicy("live"));
  });

  it("is what the file says, in exact numbers and milliseconds", () => {
    write(EVERYTHING);
    expect(plain()).toEqual({
      unit: "KRW",
      mode: "bounded",
      markets: ["BTC/KRW", "ETH/KRW"],
      orderTypes: ["limit"],
      timesInForce: ["GTC", "FOK"],
      maxOrder: "250000",
      maxDay: "999999999999999",
      maxOpenOrders: 7,
      maxOpen: "0",
      maxDayLoss: "150000",
      dayLossAction: "halt",
      maxOrdersPerMinute: 3,
      priceCollar: "0.025",
      maxSlippage: "0.0000000001",
      approvalOver: "100000",
      approvalTtlMs: 60_000,
      approvalDrift: "1",
      approveBy: ["pin"],
      bookMaxAgeMs: 1500,
      overLimitSells: "deny",
      plans: {
        ...{ approve: "bounded", stopRemoval: "allow", maxPlans: 3, maxAlerts: 0, maxPlan: "700000", maxDays: 30 },
        ...{ protectiveSlippage: "0.015", protectiveFloor: "0.04", lateMs: 60_000 },
      },
    });
  });

  it("keeps of plans what the file leaves open, also where it has their section alone", () => {
    const { plans } = defaultPolicy("live");
    write("[plans]\nmax_plans = 1");
    expect(policy().plans).toEqual({ ...plans, maxPlans: 1 });
    expect(policy(sourceOf("sandbox")).plans).toMatchObject({ maxPlans: 1, approve: "bounded", stopRemoval: "allow" });
    write("[plans]");
    expect(policy()).toEqual(defaultPolicy("live"));
  });

  it("is the default where the file says nothing", () => {
    write('max_order_krw = "2000000"');
    expect(plain()).toEqual({ ...JSON.parse(JSON.stringify(defaultPolicy("live"))), maxOrder: "2000000" });
    expect(plain(sourceOf("sandbox"))).toMatchObject({ mode: "bounded", approvalOver: "2000000" });
  });

  it("is read again when it is asked for", () => {
    write("max_open_orders = 1");
    expect(policy().maxOpenOrders).toBe(1);
    write("max_open_orders = 22");
    expect(policy().maxOpenOrders).toBe(22);
    write("max_open_orders = x");
    expect(fault().code).toBe("ELocal:Policy unreadable");
    write("max_open_orders = 3");
    expect(policy().maxOpenOrders).toBe(3);
    rmSync(path);
    expect(policy().maxOpenOrders).toBe(50);
  });

  it("is read again after a change that leaves length and time as they were", () => {
    write("max_open_orders = 1");
    const { atime, mtime } = statSync(path);
    expect(policy().maxOpenOrders).toBe(1);
    write("max_open_orders = 2");
    utimesSync(path, atime, mtime);
    expect(policy().maxOpenOrders).toBe(2);
    writeFileSync(`${path}.new`, "max_open_orders = 3");
    renameSync(`${path}.new`, path);
    expect(policy().maxOpenOrders).toBe(3);
  });

  it("is worked out once while the file says the same", () => {
    write(EVERYTHING);
    const first = policy().maxOrder;
    write(EVERYTHING);
    expect(policy().maxOrder).toBe(first);
    write(`${EVERYTHING}#`);
    expect(policy().maxOrder).not.toBe(first);
    expect(policy().maxOrder).toEqual(first);
  });

  it("may begin with the mark that some editors put there, and have their line ends", () => {
    write('\ufeffmode = "read-only"\r\nmax_open_orders = 4\r\n');
    expect(policy()).toMatchObject({ mode: "read-only", maxOpenOrders: 4 });
  });
});

describe("a file that cannot be used means no order, never the default", () => {
  it("is reported with the code, what to do, and that nothing was sent", () => {
    write("x");
    expect(fault()).toMatchObject({
      code: "ELocal:Policy unreadable",
      reachedVenue: "no",
      retry: "never",
      nextAction: expect.stringContaining("person"),
    });
  });

  it("such as a directory", () => {
    mkdirSync(path);
    expect(fault().message).toContain(`${path} is not a file: make it one`);
  });

  it("such as a pipe, which is not waited for", () => {
    execFileSync("mkfifo", [path]);
    expect(fault().message).toContain("is not a file");
  });

  it("such as a link whose target is gone", () => {
    symlinkSync(join(dir, "elsewhere.toml"), path);
    expect(fault().message).toContain("cannot be read (ENOENT)");
    writeFileSync(join(dir, "elsewhere.toml"), "max_open_orders = 5", { mode: 0o600 });
    expect(policy().maxOpenOrders).toBe(5);
  });

  it("such as a link to itself", () => {
    symlinkSync(path, path);
    expect(fault().message).toContain("cannot be read (ELOOP): make it a file that you may read, or take it away");
  });

  it("such as one below a file", () => {
    writeFileSync(join(dir, "file"), "");
    source = policySource(join(dir, "file", "policy.toml"), "KRW", (given) => defaultPolicy("live", given));
    expect(fault().message).toContain("cannot be read (ENOTDIR)");
  });

  it("such as one that fails while it is read", () => {
    // Memory of this process from its first byte: may be opened, cannot be read.
    source = policySource("/proc/self/mem", "KRW", (given) => defaultPolicy("live", given));
    expect(existsSync("/proc/self/mem")).toBe(true);
    expect(fault().message).toContain("cannot be read (EIO)");
  });

  it.each([0o666, 0o664, 0o646, 0o620, 0o602])("such as one of mode %o, which others may change", (mode) => {
    write('mode = "read-only"', mode);
    expect(fault().message).toContain(`can be changed by other users of this machine: run chmod go-w "${path}"`);
  });

  it("such as an empty one, as an editor leaves it for a moment", () => {
    write("");
    expect(fault().message).toContain("is empty");
  });

  it("such as one that others may replace, or one behind a link to where they may", () => {
    write('mode = "read-only"');
    const open = join(dir, "open");
    mkdirSync(open);
    writeFileSync(join(open, "policy.toml"), 'mode = "bounded"');
    chmodSync(open, 0o777);
    expect(policy().mode).toBe("read-only");
    rmSync(path);
    symlinkSync(join(open, "policy.toml"), path);
    expect(fault().message).toContain(`can be replaced by other users of this machine: run chmod go-w "${open}"`);
    chmodSync(open, 0o1777);
    expect(policy().mode).toBe("bounded");
    chmodSync(dir, 0o770);
    expect(fault().message).toContain(`chmod go-w "${dir}"`);
    chmodSync(dir, 0o700);
  });

  it("such as one behind a link that leads through a directory, or another link, that others may change", () => {
    const [deep, open] = [join(dir, "etc/hoga"), join(dir, "open")];
    mkdirSync(deep, { recursive: true });
    mkdirSync(open);
    writeFileSync(join(deep, "policy.toml"), 'mode = "bounded"');
    // As a ConfigMap lies there: the file is a link into a directory that is a link.
    symlinkSync("etc/hoga", join(dir, "data"));
    symlinkSync("data/../hoga/policy.toml", path);
    expect(policy().mode).toBe("bounded");
    chmodSync(join(dir, "etc"), 0o777);
    expect(fault().message).toContain(
      `can be replaced by other users of this machine: run chmod go-w "${join(dir, "etc")}"`,
    );
    chmodSync(join(dir, "etc"), 0o755);
    expect(policy().mode).toBe("bounded");
    rmSync(path);
    symlinkSync(join(open, "on"), path);
    symlinkSync(join(deep, "policy.toml"), join(open, "on"));
    expect(policy().mode).toBe("bounded");
    chmodSync(open, 0o775);
    expect(fault().message).toContain(`chmod go-w "${open}"`);
    chmodSync(open, 0o755);
    if (process.getuid?.() !== 0) return;
    lchownSync(join(open, "on"), 1234, 1234);
    expect(fault().message).toContain(`is behind a link of another user of this machine: ${join(open, "on")}`);
    lchownSync(join(open, "on"), 0, 0);
    chownSync(join(dir, "etc"), 1234, 1234);
    expect(fault().message).toContain(`is in a directory of another user of this machine: ${join(dir, "etc")}`);
  });

  it("such as one that belongs to another user", () => {
    write('mode = "read-only"');
    const getuid = vi.spyOn(process, "geteuid").mockReturnValue((process.geteuid?.() ?? 0) + 1);
    const { uid } = statSync(path);
    if (uid === 0) chownSync(path, 1234, 1234);
    expect(fault().message).toContain("belongs to another user of this machine");
    getuid.mockRestore();
  });

  it("such as one that others may change from now on", () => {
    write("# nothing");
    expect(source.read().ok).toBe(true);
    chmodSync(path, 0o666);
    expect(source.read().ok).toBe(false);
  });

  it.each([0o600, 0o644, 0o755, 0o444, 0o400])("but not one of mode %o", (mode) => {
    write('mode = "read-only"', mode);
    expect(policy().mode).toBe("read-only");
  });

  it("such as one far too long", () => {
    write("");
    truncateSync(path, 256 * 1024 + 1);
    expect(fault().message).toContain("is longer than 262144 bytes");
    write(`#${"x".repeat(256 * 1024 - 1)}`);
    expect(source.read().ok).toBe(true);
  });

  it("such as one that is no text", () => {
    write(Buffer.from([0x23, 0xff, 0xfe, 0x0a]));
    expect(fault().message).toContain("is not UTF-8 text: save it as UTF-8");
  });

  const CANARY = "canary-7f3a91";

  it.each([
    ["an open string", `mode = "confirm"\n  markets = ["${CANARY}`, "line 2, column"],
    ["a bare word", `mode = ${CANARY}`, "line 1, column 8"],
    ["a setting twice", `mode = "confirm"\nmode = "${CANARY}"`, "line 2, column 1"],
    ["a broken table", `[${CANARY}`, "line 1, column"],
  ])("such as one that is not TOML, with %s: the place is told, the text is not", (_, text, place) => {
    const told = problem(text);
    expect(told).toContain(place);
    expect(told).toMatch(/^line \d+, column \d+: not valid TOML: correct the line$/);
    expect(JSON.stringify(fault())).not.toContain(CANARY);
  });
});

const KRW = 'must be a whole number of KRW in quotes, of at most 15 digits, such as "1000000"';
const PCT = 'must be a percentage from 0 to 100 in quotes, such as "0.5"';
const MARKETS =
  'must be a list of markets written as "BTC/KRW", or ["*"] for all; to forbid all, set mode to "read-only"';

describe('a limit that a person switches off by writing "off"', () => {
  it("is off, and every other stays as it is", () => {
    write('price_collar_pct = "off"\nmax_slippage_pct = "off"\n');
    expect(source.read()).toMatchObject({ ok: true, value: { priceCollar: "off", maxSlippage: "off" } });
    expect(problem('approval_drift_pct = "off"')).toContain("approval_drift_pct must be a percentage");
  });
});

describe("a setting that cannot be used", () => {
  it.each([
    ["mode", '"Confirm"', 'must be one of "read-only", "confirm", "bounded"'],
    ["mode", "true", 'must be one of "read-only", "confirm", "bounded"'],
    ["markets", '"*"', MARKETS],
    ["markets", "[]", MARKETS],
    ["markets", '["BTC"]', MARKETS],
    ["markets", '["btc/krw"]', MARKETS],
    ["markets", '["**"]', MARKETS],
    ["markets", '["BTC /KRW"]', MARKETS],
    ["markets", "[1]", MARKETS],
    ["order_types", '["stop"]', 'must be a list with at least one of "limit", "market"'],
    ["order_types", "[]", 'must be a list with at least one of "limit", "market"'],
    ["order_types", '"limit"', 'must be a list with at least one of "limit", "market"'],
    ["times_in_force", '["DAY"]', 'must be a list with at least one of "GTC", "IOC", "FOK"'],
    ["times_in_force", "[]", 'must be a list with at least one of "GTC", "IOC", "FOK"'],
    ["times_in_force", "7", 'must be a list with at least one of "GTC", "IOC", "FOK"'],
    ["approve_by", '["model"]', 'must be a list with at least one of "client", "passkey", "pin"'],
    ["approve_by", "[]", 'must be a list with at least one of "client", "passkey", "pin"'],
    ["approve_by", '"pin"', 'must be a list with at least one of "client", "passkey", "pin"'],
    ...["max_order_krw", "max_day_krw", "max_open_krw", "approval_over_krw"].flatMap((name) =>
      ["1000000", '"1,000,000"', '"-1"', '"1.5"', '"1e6"', '"01"', '""', '"1 0"', `"${"9".repeat(16)}"`].map(
        (value) => [name, value, KRW] as const,
      ),
    ),
    ...["1000000", '"-1"', '"1.5"', '"none"', "false"].map(
      (value) => ["max_day_loss_krw", value, `${KRW}, or "off"`] as const,
    ),
    ["day_loss_action", '"stop"', 'must be one of "reduce_only", "halt"'],
    ...["price_collar_pct", "max_slippage_pct", "approval_drift_pct"].flatMap((name) =>
      ["5", '"5%"', '"-1"', '"100.00000001"', '"1e1"', '""', "inf"].map(
        (value) => [name, value, name === "approval_drift_pct" ? PCT : `${PCT}, or "off"`] as const,
      ),
    ),
    ...["max_open_orders", "max_orders_per_minute"].flatMap((name) =>
      ['"5"', "-1", "1.5", "100001", "nan", "inf"].map(
        (value) => [name, value, "must be a whole number from 0 to 100000, without quotes"] as const,
      ),
    ),
    ["approval_ttl_s", "0", "must be a whole number from 1 to 86400, without quotes"],
    ["approval_ttl_s", "86401", "must be a whole number from 1 to 86400, without quotes"],
    ["over_limit_sells", '"allow"', 'must be one of "approve", "deny"'],
    ["over_limit_sells", "true", 'must be one of "approve", "deny"'],
    ["book_max_age_ms", "0", "must be a whole number from 1 to 600000, without quotes"],
    ["book_max_age_ms", "600001", "must be a whole number from 1 to 600000, without quotes"],
  ] as const)("%s = %s is told with its line and the rule, without the value", (name, value, rule) => {
    expect(problem(`\n# a comment\n${name} = ${value}\n`)).toBe(`line 3: ${name} ${rule}`);
  });

  it.each([
    ["max_open_orders", "0"],
    ["max_open_orders", "100000"],
    ["approval_ttl_s", "1"],
    ["approval_ttl_s", "86400"],
    ["book_max_age_ms", "1"],
    ["book_max_age_ms", "600000"],
    ["price_collar_pct", '"0"'],
    ["price_collar_pct", '"100.0"'],
    ["max_order_krw", `"${"9".repeat(15)}"`],
    ["markets", '["*", "1INCH/KRW"]'],
    ["markets", '["*"]'],
    ["order_types", '["market"]'],
    ["times_in_force", '["IOC"]'],
    ["over_limit_sells", '"deny"'],
    ["max_day_loss_krw", '"off"'],
    ["day_loss_action", '"reduce_only"'],
    ["approve_by", '["client"]'],
  ])("is not %s = %s", (name, value) => {
    write(`${name} = ${value}`);
    expect(source.read().ok).toBe(true);
  });

  it("is reported together with every other, each once", () => {
    const text = 'mode = "x"\nmarkets = ["a", "b"]\n\nmax_order_krw = 1\nmax_opn_orders = 5';
    expect(problem(text).split("; line ")).toEqual([
      'line 1: mode must be one of "read-only", "confirm", "bounded"',
      `2: markets ${MARKETS}`,
      `4: max_order_krw ${KRW}`,
      '5: unknown setting "max_opn_orders": did you mean max_open_orders',
    ]);
  });

  it("is reported with nine others at most", () => {
    const lines = Array.from({ length: 30 }, (_, at) => `x${at} = 1`);
    expect(problem(lines.join("\n")).match(/unknown setting/g)).toHaveLength(10);
  });

  it("is reported quickly, whatever the file holds", () => {
    const started = performance.now();
    problem(`x = 1\n${" ".repeat(200_000)}`);
    problem(`${"[".repeat(50_000)}`);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it.each([
    ["max_order", "max_order_krw"],
    ["max_order_kwr", "max_order_krw"],
    ["order_max_krw", "max_order_krw"],
    ["MODE", "mode"],
    ["market", "markets"],
    ["max_slippage", "max_slippage_pct"],
    ["approval_ttl", "approval_ttl_s"],
    ["time_in_force", "times_in_force"],
  ])("when there is none called %s, the refusal proposes %s", (typed, meant) => {
    expect(problem(`${typed} = 1`)).toBe(`line 1: unknown setting "${typed}": did you mean ${meant}`);
  });

  it.each(["x", "colour", "constructor", "__proto__", "profiles"])(
    "when it is like none, %s, the refusal lists those that there are",
    (name) => {
      const told = problem(`${name} = 1`);
      expect(told).toContain(`line 1: unknown setting "${name}": there are mode, markets, order_types,`);
      expect(told).toContain(", approve_by, book_max_age_ms");
    },
  );

  it.each([
    ["[limits]\nx = 1", 'line 1: unknown setting "limits": there are'],
    ['\n[[ "limits" ]]\nx = 1', 'line 2: unknown setting "limits": there are'],
    ["limits.x = 1", 'line 1: unknown setting "limits": there are'],
    ["'mode' = 1", "line 1: mode must be"],
    ["  mode=1", "line 1: mode must be"],
    ["[mode]\nx = 1", "line 1: mode must be"],
    ["#mode = 1\nmodes = 1\nmode = 1", "line 3: mode must be"],
    ['"mo\\u0064e" = 1', "mode must be"],
    [`"${"a b".repeat(40)}" = 1`, `unknown setting "${"a b".repeat(40).slice(0, 40)}": there are`],
  ])("is found in %j", (text, told) => {
    expect(problem(text)).toContain(told);
    if (!told.startsWith("line")) expect(problem(text).startsWith(told)).toBe(true);
  });
});

describe("sections for payments and remittances", () => {
  const SECTIONS = `
[payments]
max_krw = "100000"
max_day_krw = "300000"

[remittances]
max_krw = "500000"
max_day_krw = "900000"
approval_over_krw = "50000"
countries = ["US", "JP"]
beneficiaries = ["CHASUS33/000123456789"]
`;

  it("are absent unless written, and a person is asked every time unless they say otherwise", () => {
    expect(policy()).not.toHaveProperty("payments");
    expect(policy(sourceOf("sandbox"))).not.toHaveProperty("remittances");
    write(SECTIONS);
    expect(plain()).toMatchObject({
      payments: { max: "100000", maxDay: "300000", approvalOver: "0" },
      remittances: {
        approvalOver: "50000",
        countries: ["US", "JP"],
        beneficiaries: ["CHASUS33/000123456789"],
      },
    });
  });

  it.each([
    ['[payments]\nmax_krw = "1"', "payments.max_day_krw must be a whole number of KRW"],
    ['[payments]\nmax_krw = 1\nmax_day_krw = "1"', "line 2: payments.max_krw must be a whole number of KRW"],
    ["payments = 1", "line 1: payments must be a section of settings, under [payments]"],
    [SECTIONS.replace('"JP"', '"Japan"'), "line 10: remittances.countries must be a list with at least one country"],
    [SECTIONS.replace('countries = ["US", "JP"]', ""), "remittances.countries must be a list"],
    [SECTIONS.replace("CHASUS33/", ""), "line 11: remittances.beneficiaries must be a list of"],
    [
      SECTIONS.replace("approval_over", "aproval_over"),
      'line 9: in [remittances], unknown setting "aproval_over_krw": did you mean',
    ],
  ])("when they are not sound, nothing is placed or paid: %j", (text, told) => {
    expect(problem(text)).toContain(told);
  });
});

describe("the section for plans", () => {
  const COUNT = "must be a whole number from 0 to 1000, without quotes";
  const PCT = 'must be a percentage from 0 to 100 in quotes, such as "0.5"';

  it.each([
    ["approve", '"never"', 'must be one of "always", "bounded"'],
    ["stop_removal", '"deny"', 'must be one of "ask", "allow"'],
    ["max_plans", '"20"', COUNT],
    ["max_alerts", "1001", COUNT],
    ["max_days", "0", "must be a whole number from 1 to 366, without quotes"],
    ["max_days", "367", "must be a whole number from 1 to 366, without quotes"],
    ["protective_slippage_pct", "3", PCT],
    ["protective_slippage_pct", '"off"', PCT],
    ["protective_floor_pct", '"100.1"', PCT],
    ["late_s", "86401", "must be a whole number from 1 to 86400, without quotes"],
  ])("refuses %s = %s with its line and the rule", (name, value, rule) => {
    expect(problem(`\n[plans]\n${name} = ${value}\n`)).toBe(`line 3: plans.${name} ${rule}`);
  });

  it("names what it does not know, and a sum of another unit", () => {
    expect(problem("[plans]\nmax_plan = 3")).toBe(
      'line 2: in [plans], unknown setting "max_plan": did you mean max_plans',
    );
    expect(problem('[plans]\nmax_plan_usdt = "3"')).toContain("write max_plan_krw with a figure in KRW");
    expect(problem("plans = 1")).toBe("line 1: plans must be a section of settings, under [plans]");
  });

  it("counts in the profile's unit", () => {
    const dollars = policySource(path, "USDT", (given) => defaultPolicy("live", given, "USDT"));
    expect(policy(dollars).plans.maxPlan.toString()).toBe("2500");
    write('[plans]\nmax_plan_usdt = "12.5"');
    expect(policy(dollars).plans.maxPlan.toString()).toBe("12.5");
  });
});
