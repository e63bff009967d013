import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freePort, limitBuy, oneLine, quartet } from "../fixture/command.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { cleanUp, run, start, startSandbox } from "../fixture/in-process.ts";
import { CANARY, expectClear } from "../fixture/refusal.ts";
import { startRelay } from "../fixture/relay.ts";

afterAll(cleanUp);

const ORDER = ["call", ...limitBuy()];

describe("a damaged data directory", () => {
  it("is named with what to do: hoga.db", async () => {
    const home = freshHome();
    writeFileSync(join(home, "hoga.db"), randomBytes(8192));
    for (const args of [
      ["orders"],
      ORDER,
      ["serve"],
      ["serve", "--http", "--port", "0"],
      ["start", "--port", "0", "--exchange-port", "0"],
    ]) {
      const ended = await run(args, { home });
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expectClear(ended, /hoga\.db is damaged or is not a database/);
    }
    const json = await run(["orders", "--json"], { home });
    expect(json.code).toBe(1);
    expect(oneLine(json)).toMatchObject({
      error: { code: "ELocal:Store damaged", message: expect.stringContaining("hoga.db") },
    });
  });

  it("is named with what to do: the paper account's key", async () => {
    const home = freshHome();
    mkdirSync(join(home, "sandbox"), { recursive: true });
    writeFileSync(join(home, "sandbox", "key.json"), `{"api_key": "k", "api_secret": "${CANARY}"`);
    const ended = await run(["orders"], { home });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expectClear(ended, /key\.json cannot be read/);
  });

  it("is named with what to do: HOGA_HOME that is a file", async () => {
    const file = join(freshHome(), "file");
    writeFileSync(file, "");
    for (const args of [["orders"], ["sandbox", "--port", "0"], ["serve"], ["start"]]) {
      const ended = await run(args, { env: { HOGA_HOME: file } });
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expectClear(ended, /data directory .*file cannot be (created or )?used|file.*cannot be/);
    }
    const data = await run(["sandbox", "--port", "0", "--data", join(file, "x")]);
    expect(data).toMatchObject({ code: 1, stdout: "" });
    expectClear(data, /cannot|ENOTDIR/);
  });

  it("is named with what to do: a configuration with a typing error beside a secret", async () => {
    const home = freshHome();
    const config = `[profiles.desk]\nenvironment = "live"\nsecret = "${CANARY}\n`;
    writeFileSync(join(home, "config.toml"), config, { mode: 0o600 });
    const broken = await run(["orders"], { home });
    expect(broken).toMatchObject({ code: 1, stdout: "" });
    expectClear(broken, /config\.toml is not valid TOML at line 3/);
    writeFileSync(join(home, "config.toml"), `[profiles.desk]\nenvironment = "live"\nsecrte = "${CANARY}"\n`, {
      mode: 0o600,
    });
    const misspelled = await run(["orders", "--json"], { home });
    expect(misspelled.code).toBe(1);
    expectClear(misspelled, /unknown setting "secrte"/);
    expect(oneLine(misspelled)).toMatchObject({ error: { message: expect.stringContaining("secrte") } });
  });
});

describe("a port in use", () => {
  it("ends start and serve --http with what to do, and keeps nothing running", async () => {
    const taken = await startRelay();
    const { port } = new URL(taken.url);
    for (const args of [
      ["serve", "--http", "--port", port],
      ["start", "--port", port, "--exchange-port", "0"],
    ]) {
      const ended = await run(args);
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expectClear(ended, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
    }
    await taken.close();
  });

  it("when it is the exchange's, does not stop start: it takes another", async () => {
    const taken = await startRelay();
    const { port } = new URL(taken.url);
    const running = start(["start", "--json", "--port", String(await freePort()), "--exchange-port", port]);
    const addresses = JSON.parse(await running.firstLine()) as { exchange_url: string };
    expect(new URL(addresses.exchange_url).port).not.toBe(port);
    expect(await running.stop()).toMatchObject({ code: 0, stderr: "" });
    await taken.close();
  });
});

describe("an exchange that does not work", () => {
  const places = async (): Promise<readonly [string, string, RegExp, () => Promise<void>][]> => {
    const html = await startRelay();
    html.decide(() => "html");
    const sandbox = await startSandbox({});
    return [
      [
        "is down",
        // Nothing listens there; a port that was free a moment ago may be another test's by now.
        "http://127.0.0.1:1",
        /No connection to the venue could be made/,
        async () => undefined,
      ],
      ["answers HTML", html.url, /not the service's form/, () => html.close()],
      [
        "does not know the key",
        sandbox.line.base_url,
        /API key is not known/,
        async () => {
          await sandbox.stop();
        },
      ],
    ];
  };

  it("is reported by every command with exit code 1 and what to do", async () => {
    for (const [what, baseUrl, message, close] of await places()) {
      const place = { env: quartet(baseUrl, "key-of-somebody-else", CANARY) };
      // Of an order it is told that the question before it had no answer, as the order itself was not sent.
      const placing = what === "answers HTML" ? /got no readable answer/ : message;
      const [orders, json, balances, placed, placedJson] = await Promise.all([
        run(["orders"], place),
        run(["orders", "--json"], place),
        run(["call", "get_balances"], place),
        run(ORDER, place),
        run([...ORDER, "--json"], place),
      ]);
      expect([orders, json, balances, placed, placedJson].map(({ code }) => code)).toEqual([1, 1, 1, 1, 1]);
      expect(orders.stdout).toBe("");
      expectClear(orders, message);
      expect(oneLine(json)).toMatchObject({
        environment: "sandbox",
        error: { message: expect.stringMatching(message) },
      });
      expect(balances.stdout).toMatch(message);
      expect(placed.stdout).toMatch(placing);
      expect(placed.stdout).toMatch(/nothing was sent/i);
      expect(oneLine(placedJson)).toMatchObject({
        outcome: "not_sent",
        error: { message: expect.stringMatching(placing) },
      });
      for (const { stdout, stderr } of [json, balances, placed, placedJson])
        expect(stdout + stderr).not.toContain(CANARY);
      await close();
    }
  });

  it("is reported when the secret is wrong, without showing it", async () => {
    const sandbox = await startSandbox({});
    const { line } = sandbox;
    const wrong = await run(["orders"], { env: quartet(line.base_url, line.api_key, CANARY) });
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expectClear(wrong, /signature does not fit/);
    await sandbox.stop();
  });
});

describe("settings that contradict each other", () => {
  const four = quartet("http://127.0.0.1:1", "k", CANARY);
  it.concurrent.each([
    ["half a key", { HOGA_API_KEY: "k" }, [], /some are set and .* are not/],
    ["a key and a named profile", four, ["--profile", "paper"], /never both|are set too/],
    ["an environment of another spelling", { ...four, HOGA_ENVIRONMENT: "Live" }, [], /HOGA_ENVIRONMENT has a value/],
    [
      "a password in the address",
      { ...four, HOGA_BASE_URL: `http://u:${CANARY}@127.0.0.1:1` },
      [],
      /HOGA_BASE_URL has a value/,
    ],
    ["an address with a query", { ...four, HOGA_BASE_URL: `http://127.0.0.1:1/?k=${CANARY}` }, [], /HOGA_BASE_URL has/],
    ["a key with a line break", { ...four, HOGA_API_KEY: `${CANARY}\n` }, [], /HOGA_API_KEY is not an API key/],
    [
      "a secret that is not base64",
      { ...four, HOGA_API_SECRET: `${CANARY}, no!` },
      [],
      /HOGA_API_SECRET is not base64/,
    ],
    [
      "a live exchange without TLS",
      { ...four, HOGA_ENVIRONMENT: "live", HOGA_BASE_URL: "http://192.0.2.1" },
      [],
      /clear/,
    ],
    ["a store of another kind", { HOGA_STORE_URL: `mysql://u:${CANARY}@db/x` }, [], /HOGA_STORE_URL has a value/],
    ["a store in the clear", { HOGA_STORE_URL: `postgres://u:${CANARY}@192.0.2.1/x` }, [], /another machine/],
    ["a log level that there is not", { HOGA_LOG_LEVEL: "loud" }, [], /HOGA_LOG_LEVEL has a value/],
    ["a profile that is not there", { HOGA_PROFILE: "desk1" }, [], /There is no profile "desk1"/],
  ] as const)("are refused: %s", async (_, env, options, message) => {
    const ended = await run(["orders", ...options], { env });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expectClear(ended, message);
  });

  it("are refused by hoga sandbox too: a log level that does not exist", async () => {
    const ended = await run(["sandbox", "--port", "0"], { env: { HOGA_LOG_LEVEL: "loud" } });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expectClear(ended, /HOGA_LOG_LEVEL has a value/);
  });
});

describe("a profile limited to some modules", () => {
  it("limits hoga call to their tools, naming the setting", async () => {
    const home = freshHome();
    const modules = '[profiles.look]\nenvironment = "sandbox"\nmodules = ["market", "account"]\n';
    writeFileSync(join(home, "config.toml"), modules, { mode: 0o600 });
    const refused = await run([...ORDER, "--profile", "look"], { home });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expectClear(refused, /place_order .*module "trade".*modules = \["market", "account"\]/);
    expect(refused.stderr).toMatch(/→ .*modules of \[profiles\.look\].*config\.toml/);
    const json = await run([...ORDER, "--profile", "look", "--json"], { home });
    expect(oneLine(json)).toMatchObject({ error: { code: "ELocal:Invalid input" } });
    expect(await run(["call", "get_balances", "--profile", "look"], { home })).toMatchObject({ code: 0 });
  });
});
