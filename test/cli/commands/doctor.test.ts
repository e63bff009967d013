import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { openConnection } from "../../../src/store/sql/driver.ts";
import { limitBuy, oneLine, type SandboxLine } from "../../fixture/command.ts";
import { cleanUp, run, setPin, start, startSandbox } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { widePaperHome, writePolicy } from "../../fixture/home.ts";

// As real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly required: boolean;
  readonly detail: string;
  readonly fix: string | null;
}

interface Examined {
  readonly code: number | null;
  readonly checks: Readonly<Record<string, Check>>;
  readonly advice: readonly string[];
}

async function examine(home: string, env: Readonly<Record<string, string>> = {}): Promise<Examined> {
  const ended = await run(["doctor", "--json"], { home, env });
  const { checks, advice } = oneLine<{ checks: readonly Check[]; advice: readonly string[] }>(ended);
  for (const { ok, fix } of checks) expect(fix === null).toBe(ok);
  return { code: ended.code, advice, checks: Object.fromEntries(checks.map((check) => [check.name, check])) };
}

const failedIn = ({ checks }: Examined): readonly string[] =>
  Object.values(checks).flatMap(({ name, ok, required }) => (ok ? [] : [required ? name : `${name}?`]));

/** Every file below a directory, with what is in it and when it was written; but where SQLite notes who reads. */
function treeOf(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.endsWith("-shm"))
    .sort()
    .map((name) => {
      const { mode, mtimeMs } = lstatSync(join(dir, name));
      const isFile = lstatSync(join(dir, name)).isFile();
      const hash = isFile
        ? createHash("sha256")
            .update(readFileSync(join(dir, name)))
            .digest("hex")
        : "";
      return `${name} ${mode} ${mtimeMs} ${hash}`;
    });
}

function writeProfile(home: string, { base_url, api_key, api_secret }: SandboxLine, more: string): void {
  const lines = [
    'default_profile = "desk"\n[profiles.desk]',
    `base_url = "${base_url}"\nkey = "${api_key}"\nsecret = "${api_secret}"`,
    more,
  ];
  writeFileSync(join(home, "config.toml"), `${lines.join("\n")}\n`, { mode: 0o600 });
}

describe("hoga doctor on paper", () => {
  it("finds nothing wrong where nothing was configured, and makes no data directory", async () => {
    const home = join(freshHome(), "none");
    const examined = await examine(home);
    expect(failedIn(examined)).toEqual([]);
    expect(examined.code).toBe(0);
    expect(existsSync(home)).toBe(false);
  });

  it("leaves every file as it was, while nobody has the store open and while somebody has", async () => {
    const home = await widePaperHome();
    await run(["call", ...limitBuy("91000000")], { home });
    const before = treeOf(home);
    const examined = await examine(home);
    expect(failedIn(examined)).toEqual([]);
    expect(examined.checks["audit"]?.detail).toMatch(/^The log of [1-9]\d* rows is whole\.$/);
    expect(treeOf(home)).toEqual(before);

    const server = start(["start", "--json", "--port", "0", "--exchange-port", "0"], { home });
    await server.firstLine();
    const running = await examine(home);
    expect(failedIn(running)).toEqual([]);
    expect(running.checks["reachability"]?.detail).toMatch(
      /^It answers at http:\/\/127\.0\.0\.1:\d+, in process \d+\.$/,
    );
    expect(running.checks["key"]?.ok).toBe(true);
    const database = (): string => readFileSync(join(home, "hoga.db")).toString("base64");
    const held = database();
    await examine(home);
    expect(database()).toBe(held);
    await server.stop();
  });

  it("fails where a row of the log was changed", async () => {
    const home = await widePaperHome();
    await run(["call", ...limitBuy("91000000")], { home });
    const settings = { journal: "wal", durability: "normal", random: Math.random } as const;
    const vandal = await openConnection(join(home, "hoga.db"), settings);
    await vandal.single(({ run: change }) => change("UPDATE audit SET detail = '{}' WHERE seq = 2", []));
    vandal.close();
    const examined = await examine(home);
    expect(examined.code).toBe(1);
    expect(failedIn(examined)).toEqual(["audit"]);
    expect(examined.checks["audit"]?.detail).toContain("row 2 (changed)");
  });

  it("warns of a payment without an answer, as of an order", async () => {
    const home = await widePaperHome();
    await run(["call", "get_balances"], { home });
    const settings = { journal: "wal", durability: "normal", random: Math.random } as const;
    const writer = await openConnection(join(home, "hoga.db"), settings);
    const columns =
      "transfer_id, account, family, request_key, idempotency_key, state, body, created_at_ms, updated_at_ms, unit";
    const insert = `INSERT INTO transfers (${columns}) VALUES ('pay-1', 'a', 'payment', 'r', 'i', 'unknown', '{}', 1, 1, 'KRW')`;
    await writer.single(({ run: change }) => change(insert, []));
    writer.close();
    const examined = await examine(home);
    expect(failedIn(examined)).toEqual(["orders?"]);
    expect(examined.checks["orders"]?.detail).toContain("1 without an answer of the exchange: pay-1.");
  });

  it("fails where the store is no store, and says that of the policy which is none", async () => {
    const home = freshHome();
    writeFileSync(join(home, "hoga.db"), "not a database, and long enough to be looked at".repeat(20), { mode: 0o600 });
    writePolicy(home, { max_order_usdt: "1" });
    const examined = await examine(home);
    expect(examined.code).toBe(1);
    expect(failedIn(examined)).toEqual(["policy", "store"]);
    expect(examined.checks["policy"]?.detail).toContain("write max_order_krw");
  });

  it("warns of a halt, and ends with 0", async () => {
    const home = await widePaperHome();
    await run(["halt", "--reason", "lunch"], { home });
    const examined = await examine(home);
    expect(examined.code).toBe(0);
    expect(failedIn(examined)).toEqual(["halt?"]);
    expect(examined.checks["halt"]?.detail).toContain("lunch");
  });

  it("fails where the settings cannot be used, looks at the rest, and shows no key", async () => {
    const home = freshHome();
    writeFileSync(
      join(home, "config.toml"),
      '[profiles.desk]\nenvironment = "live"\nkey = "shown-to-nobody"\nsecrets = "x"\n',
      {
        mode: 0o600,
      },
    );
    const { code, stdout, stderr } = await run(["doctor"], { home });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAILED {3}configuration: .*unknown setting "secrets"/m);
    expect(stdout).toMatch(/^ok {7}versions: hoga /m);
    expect(stdout + stderr).not.toContain("shown-to-nobody");
  });
});

describe("hoga doctor at an exchange with a key", () => {
  it("proves the key of a hoga exchange again and again, and uses up no nonce of an order", async () => {
    const sandbox = await startSandbox({ home: freshHome() });
    const home = freshHome();
    writeProfile(home, sandbox.line, 'environment = "sandbox"');
    for (const turn of [1, 2]) {
      const examined = await examine(home);
      expect({ turn, failed: failedIn(examined) }).toEqual({ turn, failed: [] });
      expect(examined.checks["key"]?.detail).toBe("The exchange takes the key and its signature.");
      expect(examined.advice.join()).toContain("Never the right to withdraw");
    }
    expect((await run(["call", "get_balances"], { home })).code).toBe(0);
    expect(failedIn(await examine(home))).toEqual([]);
    writeProfile(home, { ...sandbox.line, api_secret: Buffer.alloc(64).toString("base64") }, 'environment = "sandbox"');
    const refused = await examine(home);
    expect(refused.code).toBe(1);
    expect(failedIn(refused)).toEqual(["key"]);
    await sandbox.stop();
  });

  it.each(["upbit", "bithumb", "korbit", "coinone"])("looks at clock, key and rights of %s", async (exchange) => {
    const sandbox = await startSandbox({ home: freshHome() }, ["--as", exchange]);
    const home = freshHome();
    writeProfile(home, sandbox.line, `environment = "sandbox"\nexchange = "${exchange}"`);
    const examined = await examine(home);
    expect(failedIn(examined)).toEqual([]);
    expect(examined.checks["clock"]?.detail).toMatch(/^Its clock is \d+ ms (ahead of|behind) this machine's\.$/);
    if (exchange === "korbit") expect(examined.checks["permissions"]?.detail).toContain("writeOrders");
    if (exchange === "upbit") expect(examined.checks["permissions"]?.detail).toContain("The key ends on");
    expect(readdirSync(home)).toEqual(["config.toml"]);
    writeProfile(
      home,
      { ...sandbox.line, api_secret: "x".repeat(40) },
      `environment = "sandbox"\nexchange = "${exchange}"`,
    );
    expect(failedIn(await examine(home))).toEqual(["key"]);
    await sandbox.stop();
  });

  it("warns of a key that may withdraw", async () => {
    const sandbox = await startSandbox({ home: freshHome() }, ["--as", "korbit"]);
    const pass = async ({ url = "", headers }: IncomingMessage, answer: ServerResponse): Promise<void> => {
      const { host: _, ...rest } = headers;
      const found = await fetch(`${sandbox.line.base_url}${url}`, { headers: rest as Record<string, string> });
      const text = await found.text();
      answer.writeHead(found.status, { "content-type": "application/json" });
      answer.end(text.replace('"writeOrders"', '"writeOrders","writeWithdrawals"'));
    };
    const generous = createServer((request, answer) => void pass(request, answer)).listen(0, "127.0.0.1");
    await once(generous, "listening");
    const { port } = generous.address() as AddressInfo;
    const home = freshHome();
    writeProfile(
      home,
      { ...sandbox.line, base_url: `http://127.0.0.1:${port}` },
      'environment = "sandbox"\nexchange = "korbit"',
    );
    const examined = await examine(home);
    expect({ code: examined.code, failed: failedIn(examined) }).toEqual({ code: 0, failed: ["permissions?"] });
    expect(examined.checks["permissions"]?.detail).toContain("It may withdraw: make one that may not.");
    generous.close();
    await sandbox.stop();
  });

  it("fails where the exchange is not reached, and warns of a live desk without PIN that was never tried", async () => {
    const home = freshHome();
    const line = { base_url: "http://127.0.0.1:9", api_key: "k".repeat(20), api_secret: "s".repeat(20) } as SandboxLine;
    writeProfile(home, line, 'environment = "live"\nexchange = "upbit"');
    const examined = await examine(home);
    expect(examined.code).toBe(1);
    expect(failedIn(examined)).toEqual(["proof?", "pin?", "reachability"]);
    await setPin(home);
    expect(failedIn(await examine(home))).toEqual(["proof?", "reachability"]);
    rmSync(join(home, "config.toml"));
  });
});

describe("hoga doctor in Korean", () => {
  const KOREAN = { HOGA_LOCALE: "ko" };

  it("says to a person in Korean what it says to programs in English", async () => {
    const home = await widePaperHome();
    await run(["call", ...limitBuy("91000000")], { home });
    await run(["halt", "--reason", "a pause"], { home });
    const { stdout, code } = await run(["doctor"], { home, env: KOREAN });
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.filter((line) => !/[가-힣]/.test(line))).toEqual([]);
    expect(stdout).toMatch(/^정상 {2}감사 기록: 기록 [1-9]\d*줄이 모두 온전합니다\.$/m);
    expect(stdout).toMatch(
      /^주의 {2}거래 정지: \d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC\+9부터 거래가 정지되어 있습니다: a pause\n {6}→ 재개는 사람이 합니다: /m,
    );
    const forPrograms = await examine(home, KOREAN);
    expect(JSON.stringify(forPrograms.checks)).not.toMatch(/[가-힣]/);
    expect(forPrograms.checks["audit"]?.detail).toMatch(/^The log of/);
  });

  it("shows what is well in green there too", async () => {
    const { stdout } = await run(["doctor"], { home: freshHome(), env: { ...KOREAN, FORCE_COLOR: "1" } });
    expect(stdout).toContain("\u001b[32m정상\u001b[39m  설정:");
  });

  it("says in Korean, with the English of the moment, what the exchange refuses", async () => {
    const home = freshHome();
    const lines =
      'default_profile = "desk"\n[profiles.desk]\nenvironment = "sandbox"\nbase_url = "http://127.0.0.1:9"\n';
    writeFileSync(join(home, "config.toml"), lines, { mode: 0o600 });
    const { stdout, code } = await run(["doctor"], { home, env: KOREAN });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^실패 {2}연결: .*[가-힣].* 자세히\(영문\): No connection/m);
  });
});
