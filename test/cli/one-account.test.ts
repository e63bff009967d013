/** Who an account is, whatever its exchange is called: one budget, one label, and relaxed rules only where the exchange itself says that it is a sandbox. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { limitBuy, oneLine, quartet, type SandboxLine } from "../fixture/command.ts";
import { cleanUp, run, setPin, startSandbox } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { writePolicy } from "../fixture/home.ts";
import { AdminClient } from "../sandbox/admin/admin-client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const closing: (() => void)[] = [];
afterAll(async () => {
  for (const close of closing) close();
  await cleanUp();
});

interface Key {
  readonly api_key: string;
  readonly api_secret: string;
}

/** Counts for ₩270,000. */
const ORDER = ["call", ...limitBuy("90000000", "0.003"), "--json"];
const NO_COLLAR = { price_collar_pct: "off" } as const;
const HALF = { ...NO_COLLAR, mode: "bounded", approval_over_krw: "900000", max_day_krw: "500000" } as const;
/** Another order of the same size. */
const ANOTHER = ["call", ...limitBuy("89000000", "0.003"), "--json"];
const named = (url: string, host: string): string => url.replace("127.0.0.1", host);

function placeAt(home: string, url: string, { api_key, api_secret }: Key, environment = "sandbox") {
  return run(ORDER, { home, env: { ...quartet(url, api_key, api_secret), HOGA_ENVIRONMENT: environment } });
}

describe("a budget", () => {
  it.each(["sandbox", "live"])("is one for an account, whatever the address is called: %s", async (environment) => {
    const { line } = await startSandbox({ home: freshHome() });
    const home = freshHome();
    writePolicy(home, HALF);
    const first = await placeAt(home, line.base_url, line, environment);
    expect({ code: first.code, said: first.stdout + first.stderr }).toMatchObject({ code: 0 });
    for (const host of ["127.0.0.1", "localhost", "LocalHost"]) {
      const env = {
        ...quartet(named(line.base_url, host), line.api_key, line.api_secret),
        HOGA_ENVIRONMENT: environment,
      };
      const denied = await run(ANOTHER, { home, env });
      expect(oneLine(denied)).toMatchObject({ error: { code: "ELocal:Denied by policy", rule: "day_budget" } });
    }
  });

  it("is one for an account with two keys", async () => {
    const exchange = freshHome();
    const { line } = await startSandbox({ home: exchange });
    const token = readFileSync(join(exchange, "sandbox", "admin-token"), "utf8").trim();
    const admin = new AdminClient({ url: line.admin_url, token });
    const other = await admin.must("POST", "/keys", { account_id: "paper", permissions: ["query", "trade"] });
    const home = freshHome();
    writePolicy(home, HALF);
    expect((await placeAt(home, line.base_url, line)).code).toBe(0);
    const env = quartet(named(line.base_url, "localhost"), other.api_key, other.api_secret);
    const denied = await run(ANOTHER, { home, env });
    expect(oneLine(denied)).toMatchObject({ error: { rule: "day_budget" } });
  });
});

/** Passes everything on but the header by which the sandbox says what it is. */
async function startSilent(exchange: string): Promise<string> {
  const server = createServer((incoming, response) => {
    const { method = "GET", headers, url = "" } = incoming;
    const onward = request(`${exchange}${url}`, { method, headers }, (answered) => {
      const { "api-sandbox": _said, ...rest } = answered.headers;
      response.writeHead(answered.statusCode ?? 502, rest);
      answered.pipe(response);
    });
    onward.on("error", () => response.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the word sandbox in a profile", () => {
  it("relaxes nothing where the exchange does not say it too", async () => {
    const { line } = await startSandbox({ home: freshHome() });
    const silent = await startSilent(line.base_url);
    const home = freshHome();
    writePolicy(home, NO_COLLAR);
    const env = quartet(silent, line.api_key, line.api_secret);
    const status = await run(["call", "get_desk_status", "--json"], { home, env });
    expect(oneLine(status)).toMatchObject({ environment: "sandbox", mode: "confirm", can_trade: false });
    const unset = await placeAt(home, silent, line);
    expect(oneLine(unset)).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Not approved" } });
    expect(unset.stdout).toContain("No PIN is set");
    await setPin(home);
    expect(oneLine(await placeAt(home, silent, line))).toMatchObject({ state: "awaiting_approval" });
  });

  it("is enough where it does, on this machine", async () => {
    const { line } = await startSandbox({ home: freshHome() });
    const home = freshHome();
    writePolicy(home, NO_COLLAR);
    expect(oneLine(await placeAt(home, line.base_url, line))).toMatchObject({ outcome: "accepted" });
  });
});

describe("a key under two labels", () => {
  const profile = (name: string, environment: string, { base_url }: SandboxLine, key: string): string =>
    `[profiles.${name}]\nenvironment = "${environment}"\nbase_url = "${base_url}"\n${key}\n`;

  it("is refused when the settings are read, and the message shows no key", async () => {
    const { line } = await startSandbox({ home: freshHome() });
    const home = freshHome();
    const key = `key = "${line.api_key}"\nsecret = "${line.api_secret}"`;
    const text =
      profile("play", "sandbox", line, key) + profile("real", "live", line, 'key_env = "K"\nsecret_env = "S"');
    writeFileSync(join(home, "config.toml"), text, { mode: 0o600 });
    for (const name of ["play", "real"]) {
      const ended = await run(["orders", "--profile", name], {
        home,
        env: { K: line.api_key, S: line.api_secret },
      });
      expect(ended.code).toBe(1);
      expect(ended.stderr).toMatch(/\[profiles\.play\].*\[profiles\.real\].*same key/s);
      expect(ended.stderr).not.toContain(line.api_key);
    }
  });

  it.each([
    ["sandbox", "live"],
    ["live", "sandbox"],
  ])("is refused where it was seen before: as %s, then as %s", async (first, second) => {
    const { line } = await startSandbox({ home: freshHome() });
    const home = freshHome();
    const orders = (environment: string) =>
      run(["orders"], {
        home,
        env: { ...quartet(line.base_url, line.api_key, line.api_secret), HOGA_ENVIRONMENT: environment },
      });
    expect((await orders(first)).code).toBe(0);
    const refused = await orders(second);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(new RegExp(`environment = "${first}".*now says "${second}"`, "s"));
    expect((await orders(first)).code).toBe(0);
  });
});
