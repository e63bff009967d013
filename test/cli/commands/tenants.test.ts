/** `hoga tenants`: keys that lie sealed and are rotated, tenants that are refused and removed, and what a server says of one that it cannot open. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openConnection } from "../../../src/store/sql/driver.ts";
import { type Ended, eventually, oneLine, type RunningSandbox } from "../../fixture/command.ts";
import { cleanUp, openTerminal, run, start, startSandbox } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn, type HttpAddress } from "../../fixture/http-address.ts";
import { connectHttp } from "../../mcp/client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

const master = () => randomBytes(32).toString("base64");
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" };

/** A command that is piped something. */
async function piped(
  args: readonly string[],
  home: string,
  env: Readonly<Record<string, string>>,
  text: string,
): Promise<Ended> {
  const command = start([...args, "--json"], { home, env });
  command.stdin.write(text);
  command.stdin.end();
  return command.ended;
}

async function edit(home: string, sql: string): Promise<void> {
  const connection = await openConnection(join(home, "hoga.db"), {
    ...{ journal: "wal", durability: "full", isStore: true, random: Math.random },
  });
  await connection.exec(sql);
  connection.close();
}

function writtenIn(dir: string): string {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n");
}

describe("the keys of tenants", () => {
  let home: string;
  let exchange: RunningSandbox;
  const [first, second] = [master(), master()];
  const KEYS = { HOGA_MASTER_KEY: first };
  const hoga = (env: Readonly<Record<string, string>>, ...args: string[]) => run([...args, "--json"], { home, env });

  beforeAll(async () => {
    home = freshHome();
    exchange = await startSandbox({ home: freshHome() });
    const profile = `environment = "sandbox"\nbase_url = "${exchange.line.base_url}"\n`;
    writeFileSync(join(home, "config.toml"), `[profiles.shared]\n${profile}`, { mode: 0o600 });
    for (const name of ["alice", "bob"]) await hoga({}, "tenants", "create", name, "--profile", "shared");
    await hoga({}, "tenants", "create", "carol");
  });

  it("lie in no file in plain, and open the account of their tenant alone", async () => {
    const { api_key, api_secret } = exchange.line;
    const set = await piped(["tenants", "key", "alice"], home, KEYS, `${api_key}\n${api_secret}\n`);
    expect(oneLine(set)).toMatchObject({ name: "alice", master_key: expect.stringMatching(/^[0-9a-f]{16}$/) });
    const again = await piped(["tenants", "key", "bob"], home, KEYS, `${api_key}\n${api_secret}\n`);
    expect(oneLine(again)).toMatchObject({ error: { message: expect.stringContaining("another tenant's") } });
    const other = `${api_key.slice(0, -4)}abcd\n${api_secret}\n`;
    expect(await piped(["tenants", "key", "bob"], home, KEYS, other)).toMatchObject({ code: 0 });
    const balances = await hoga(KEYS, "call", "--tenant", "alice", "get_balances");
    expect(balances).toMatchObject({ code: 0, stdout: expect.stringContaining("KRW") });
    expect(await hoga(KEYS, "call", "get_balances", "--tenant", "bob")).toMatchObject({ code: 1 });
    const written = writtenIn(home);
    const raw = Buffer.from(api_secret, "base64");
    for (const secret of [api_key, api_secret, first, raw.toString("latin1"), raw.toString("hex")])
      expect(written.includes(secret.slice(0, 12))).toBe(false);
    expect(written).toContain("tenant_key_set");
  });

  it.each([
    ["another master key", undefined, { HOGA_MASTER_KEY: master() }, "sealed under another master key"],
    ["no master key", undefined, {}, "There is no master key"],
    [
      "another tenant's row",
      "UPDATE tenant_keys SET sealed = (SELECT sealed FROM tenant_keys WHERE tenant = 'bob') WHERE tenant = 'alice'",
      KEYS,
      "was changed in the store, or is another's",
    ],
  ] as const)("are not opened with %s", async (_, change, env, why) => {
    if (change !== undefined) await edit(home, change);
    const ended = await hoga(env, "call", "get_balances", "--tenant", "alice");
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain(why);
  });

  it("are rotated one by one, and again where that broke off", async () => {
    const { api_key, api_secret } = exchange.line;
    await piped(["tenants", "key", "alice"], home, KEYS, `${api_key}\n${api_secret}\n`);
    const both = { HOGA_MASTER_KEY: second, HOGA_MASTER_KEY_OLD: first };
    // The second of the two cannot be written.
    await edit(
      home,
      "CREATE TRIGGER stuck BEFORE UPDATE ON tenant_keys WHEN old.tenant = 'bob' BEGIN SELECT RAISE(ABORT, 'stuck'); END",
    );
    expect(await hoga(both, "tenants", "rotate")).toMatchObject({ code: 1 });
    const { tenants } = oneLine<{ tenants: { master_key: string | null }[] }>(await hoga({}, "tenants", "list"));
    const [ofAlice, ofBob] = tenants.map(({ master_key }) => master_key);
    expect(ofAlice).not.toBe(ofBob);
    const balances = (env: Readonly<Record<string, string>>) => hoga(env, "call", "get_balances", "--tenant", "alice");
    expect(await balances(both)).toMatchObject({ code: 0 });
    await edit(home, "DROP TRIGGER stuck");
    expect(oneLine(await hoga(both, "tenants", "rotate"))).toEqual({ master_key: ofAlice, resealed: 1, already: 1 });
    expect(await balances({ HOGA_MASTER_KEY: second })).toMatchObject({ code: 0 });
    expect(await balances(KEYS)).toMatchObject({ code: 1 });
  });

  it("when they are missing, trouble their tenant alone: its callers are told, and the others served", async () => {
    const tokens = new Map<string, string>();
    for (const name of ["alice", "carol"]) {
      const made = await hoga({}, "tokens", "create", `of-${name}`, "--tenant", name, "--scopes", "all");
      tokens.set(name, oneLine<{ token: string }>(made).token);
    }
    mkdirSync(join(home, "tenants", "carol"), { recursive: true });
    const server = start(["serve", "--http", "--json", "--show-token", "--port", "0"], {
      home,
      env: { HOGA_MASTER_KEY: master() },
    });
    const { url } = addressIn(await server.firstLine());
    const address = (name: string): HttpAddress => ({
      url,
      headers: { Authorization: `Bearer ${tokens.get(name) ?? ""}` },
    });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_balances" } });
    const headers = { ...address("alice").headers, "content-type": "application/json" };
    const refused = await fetch(url, { method: "POST", headers, body });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringMatching(/tenant alice cannot be served now.*under another master key/) },
    });
    const carol = await connectHttp("2026-07-28", address("carol"));
    expect((await carol.call("place_order", ORDER)).structured).toMatchObject({ outcome: "accepted" });
    // One that is made now is served by the server that runs.
    await hoga({}, "tenants", "create", "dave");
    const made = await hoga({}, "tokens", "create", "of-dave", "--tenant", "dave", "--scopes", "all");
    tokens.set("dave", oneLine<{ token: string }>(made).token);
    const dave = await connectHttp("2025-11-25", address("dave"));
    expect(await dave.call("get_balances")).toMatchObject({ isError: false });
    // Removed once halted and empty; its session and its token end.
    expect(oneLine(await hoga({}, "tenants", "remove", "dave"))).toMatchObject({
      error: { message: "The tenant dave may trade." },
    });
    await hoga({}, "halt", "--tenant", "dave");
    expect(oneLine(await hoga({}, "tenants", "remove", "dave"))).toMatchObject({ removed: "dave" });
    await expect(dave.call("get_balances")).rejects.toThrow(/401|Unauthorized/i);
    expect(await hoga({}, "tenants", "create", "dave")).toMatchObject({ code: 1 });
    await eventually(() => (/tenant alice: it cannot be served/.test(server.stderr()) ? true : undefined));
    await Promise.all([carol.close(), dave.close()].map((closing) => closing.catch(() => undefined)));
    await server.stop();
  });

  it("are typed unseen on a terminal", async () => {
    const terminal = openTerminal(["tenants", "key", "bob"], { home, env: { HOGA_MASTER_KEY: second } });
    await terminal.see("API key: ");
    terminal.type("typed-key-of-bob\r");
    await terminal.see("API secret: ");
    terminal.type("dHlwZWQgc2VjcmV0\r");
    const { code, screen } = await terminal.ended;
    expect(code).toBe(0);
    expect(screen).not.toMatch(/typed-key|dHlwZWQ/);
  });
});

describe("hoga tenants", () => {
  it.each([
    [["tenants", "create", "Alice"], 2, "cannot be the name of a tenant"],
    [["tenants", "create", "a_b"], 2, "cannot be the name of a tenant"],
    [["tenants", "create", "../x"], 2, "cannot be the name of a tenant"],
    [["tenants", "create", "x".repeat(33)], 2, "cannot be the name of a tenant"],
    [["tenants", "create", "alice", "--profile", "none"], 1, 'no profile "none"'],
    [["tenants", "create", "alice", "--profile", "keyed"], 1, "has a key, and the tenant alice trades by it"],
    [["tenants", "remove", "nobody"], 1, 'no tenant "nobody"'],
    [["tokens", "create", "t", "--tenant", "nobody"], 1, 'no tenant "nobody"'],
    [["pending", "--tenant", "nobody"], 1, 'no tenant "nobody"'],
    [["halt", "--tenant", "../.."], 1, 'no tenant \\"../..\\"'],
  ])("%j is refused, and leaves nothing", async (args, code, message) => {
    const home = freshHome();
    const keyed =
      'environment = "sandbox"\nbase_url = "http://127.0.0.1:9"\nkey = "some-key-of-mine"\nsecret = "c2VjcmV0"\n';
    writeFileSync(join(home, "config.toml"), `[profiles.keyed]\n${keyed}`, { mode: 0o600 });
    const ended = await run([...args, "--json"], { home });
    expect([ended.code, ended.stdout.replaceAll('\\"', '"')]).toEqual([
      code,
      expect.stringContaining(message.replaceAll('\\"', '"')),
    ]);
    expect(readdirSync(home)).not.toContain("tenants");
  });
});
