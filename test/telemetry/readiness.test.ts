import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually, freePort, limitBuy, oneLine, quartet } from "../fixture/command.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { openAccount } from "../fixture/exchange-account.ts";
import { ORDER_POST, startFaultProxy } from "../fixture/fault-proxy.ts";
import { WIDE, wideHome, writePolicy } from "../fixture/home.ts";
import { addressIn } from "../fixture/http-address.ts";
import { cleanUp, run, start, startSandbox } from "../fixture/in-process.ts";
import { connectHttp } from "../mcp/client.ts";
import { operated } from "./operated.ts";

afterAll(cleanUp);

/** A probe without a token, as a supervisor asks. */
async function probe(url: string, path = "/readyz"): Promise<{ status: number; body: unknown; ms: number }> {
  const begun = performance.now();
  const answer = await fetch(new URL(path, url));
  return { status: answer.status, body: await answer.json(), ms: performance.now() - begun };
}

const LOOK = /^GET \/v1\/orders\?/;
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const READY = { status: 200, body: { status: "ready" } };
const unready = (part: string) => ({ status: 503, body: { status: "not ready", part } });
/** Supervisors wait a second; a busy machine is given more. */
const IN_TIME_MS = 2_000;

describe("readiness", () => {
  it("goes while the exchange is stopped, and comes back with it", async () => {
    const [home, port] = [freshHome(), String(await freePort())];
    const venue = await startSandbox({ home }, ["--no-market-maker", "--port", port]);
    const { base_url, api_key, api_secret } = venue.line;
    const server = start(["serve", "--http", "--port", "0", "--json", "--show-token"], {
      home: wideHome(),
      env: quartet(base_url, api_key, api_secret),
    });
    const { url } = addressIn(await server.firstLine());
    expect(await probe(url)).toMatchObject(READY);
    await venue.stop();
    const down = await eventually(async () => {
      const answer = await probe(url);
      return answer.status === 503 ? answer : undefined;
    });
    expect(down).toMatchObject(unready("venue"));
    expect(down.ms).toBeLessThan(IN_TIME_MS);
    expect(await probe(url, "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    await startSandbox({ home }, ["--no-market-maker", "--port", port]);
    await eventually(async () => ((await probe(url)).status === 200 ? true : undefined));
  });

  it("is answered in time where the exchange hangs, and asks it once a second at most", async () => {
    const { address, proxy } = await operated();
    await eventually(async () => ((await probe(address.url)).status === 200 ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    proxy.plan(/^GET \/v1\/time/, "swallow", 99);
    const before = proxy.log.length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => probe(address.url)));
    for (const answer of answers) {
      expect(answer).toMatchObject(unready("venue"));
      expect(answer.ms).toBeLessThan(IN_TIME_MS);
    }
    expect(proxy.log.slice(before).filter(({ path }) => path.startsWith("/v1/time")).length).toBeLessThanOrEqual(2);
  });

  it("is there from the start on, as nobody is served before what is without an answer is settled; a tenant's callers wait for theirs no longer than 5 s", async () => {
    const [venueHome, home, port] = [freshHome(), wideHome(), String(await freePort())];
    const { line } = await startSandbox({ home: venueHome }, ["--no-market-maker", "--admin-port", "0"]);
    const proxy = await startFaultProxy(line.base_url);
    onTestFinished(() => proxy.close());
    const profile = `[profiles.shared]\nenvironment = "sandbox"\nbase_url = "${proxy.url}"\n`;
    writeFileSync(join(home, "config.toml"), profile, { mode: 0o600 });
    const env = { ...quartet(proxy.url, line.api_key, line.api_secret), HOGA_MASTER_KEY: MASTER_KEY };
    const place = { home, env };
    await run(["tenants", "create", "alice", "--profile", "shared"], place);
    const { api_key, api_secret } = await openAccount(line, venueHome, "alice");
    const sealing = start(["tenants", "key", "alice"], place);
    sealing.stdin.write(`${api_key}\n${api_secret}\n`);
    sealing.stdin.end();
    expect((await sealing.ended).code).toBe(0);
    writePolicy(join(home, "tenants", "alice"), WIDE);
    const made = await run(["tokens", "create", "a", "--tenant", "alice", "--scopes", "all", "--json"], place);
    proxy.plan(ORDER_POST, "lose_reset", 2);
    proxy.plan(LOOK, "deny", 99);
    for (const whose of [[], ["--tenant", "alice"]])
      expect((await run(["call", ...limitBuy(), ...whose], place)).code).toBe(4);
    proxy.heal();
    proxy.plan(LOOK, "swallow", 99);
    const server = start(["serve", "--http", "--port", port, "--json", "--show-token"], place);
    const url = `http://127.0.0.1:${port}/mcp`;
    const life = await eventually(async () => probe(url, "/healthz").catch(() => undefined));
    expect(life).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await probe(url)).toMatchObject(unready("starting"));
    const ask = async (token: string): Promise<{ status: number; text: string; retry: string | null }> => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const answer = await fetch(url, { method: "POST", headers, body: "{}" });
      return { status: answer.status, text: await answer.text(), retry: answer.headers.get("retry-after") };
    };
    const starts = { status: 503, retry: "5", text: expect.stringContaining("The server starts") };
    expect(await ask("whoever")).toMatchObject(starts);
    expect(server.stdout()).toBe("");
    // Whoever was not answered asks again.
    const goOn = (): void => {
      proxy.heal();
      proxy.down(true);
      proxy.down(false);
    };
    goOn();
    await server.firstLine();
    expect(await probe(url)).toMatchObject(READY);
    proxy.plan(/^GET \/v1\/(accounts|orders)/, "swallow", 99);
    expect((await ask("whoever")).status).toBe(401);
    const { token } = oneLine<{ token: string }>(made);
    const opens = { status: 503, retry: "5", text: expect.stringContaining("it is being opened") };
    expect(await ask(token)).toMatchObject(opens);
    goOn();
    await eventually(async () => ((await ask(token)).status === 400 ? true : undefined));
    await eventually(() => /tenant alice: settled 1 orders/.test(server.stderr()) || undefined);
  });

  it("goes while the store takes no writes", async () => {
    const { address, home } = await operated();
    expect(await probe(address.url)).toMatchObject(READY);
    const other = new Database(join(home, "hoga.db"));
    onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    const locked = await eventually(async () => {
      const answer = await probe(address.url);
      return answer.status === 503 ? answer : undefined;
    });
    expect(locked).toMatchObject(unready("store"));
    expect(locked.ms).toBeLessThan(IN_TIME_MS);
    other.exec("ROLLBACK");
    await eventually(async () => ((await probe(address.url)).status === 200 ? true : undefined));
  });

  it("goes where the log of a running server was put back, as the status says and an order finds; the desk that is halted stays ready", async () => {
    const { address, home, client } = await operated();
    const assistant = await client("2025-11-25");
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
    const status = async () => (await assistant.call("get_desk_status", {})).structured;
    expect((await assistant.call("place_order", order)).structured).toMatchObject({ outcome: "accepted" });
    expect(await status()).toMatchObject({ can_trade: true });
    await assistant.call("halt_trading", { reason: "enough" });
    expect(await probe(address.url)).toMatchObject(READY);
    const halted = expect.arrayContaining([expect.stringMatching(/^Trading was halted at/)]);
    expect(await status()).toMatchObject({ can_trade: false, warnings: halted });
    const other = new Database(join(home, "hoga.db"));
    onTestFinished(() => void other.close());
    // The halt too: what comes last may have been written without waiting for the disk, and a crash may lose that.
    other.exec(`BEGIN IMMEDIATE; DELETE FROM audit WHERE seq >= (SELECT max(seq) FROM audit WHERE event = 'halted');
      UPDATE audit_head SET (count, seq, hash) = (SELECT count(*), max(seq), (SELECT hash FROM audit ORDER BY seq DESC LIMIT 1) FROM audit); COMMIT`);
    const putBack = await eventually(async () => {
      const answer = await probe(address.url);
      return answer.status === 503 ? answer : undefined;
    });
    expect(putBack).toMatchObject(unready("store"));
    const lacking = expect.arrayContaining([expect.stringMatching(/lacks what this process has written/)]);
    expect(await status()).toMatchObject({ can_trade: false, warnings: lacking });
  });

  it("goes while our clock is far from the exchange's, where money may be real", async () => {
    const home = freshHome();
    const { line } = await startSandbox({ home }, ["--no-market-maker", "--admin-port", "0"]);
    const server = start(["serve", "--http", "--port", "0", "--json", "--show-token"], {
      home: wideHome(),
      env: { ...quartet(line.base_url, line.api_key, line.api_secret), HOGA_ENVIRONMENT: "live" },
    });
    const printed = await server.firstLine();
    const { url } = addressIn(printed);
    expect(await probe(url)).toMatchObject(READY);
    const moved = await fetch(new URL("/clock", line.admin_url), {
      method: "POST",
      headers: {
        Authorization: `Bearer ${readFileSync(join(home, "sandbox", "admin-token"), "utf8").trim()}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ advance_ms: 60_000 }),
    });
    expect(moved.status).toBe(200);
    const off = await eventually(async () => {
      const answer = await probe(url);
      return answer.status === 503 ? answer : undefined;
    });
    expect(off).toMatchObject(unready("clock"));
    const assistant = await connectHttp("2025-11-25", addressIn(printed));
    onTestFinished(() => assistant.close());
    const clockOff = expect.stringMatching(/This machine's clock is \d+ ms behind the exchange's/);
    const { structured: status } = await assistant.call("get_desk_status", {});
    expect(status).toMatchObject({ can_trade: false, warnings: expect.arrayContaining([clockOff]) });
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
    const { structured: placed } = await assistant.call("place_order", order);
    expect(placed).toMatchObject({ outcome: "not_sent", error: { message: clockOff } });
  });

  it("goes the moment a stop begins, and nothing new is taken", async () => {
    const { address, client, server } = await operated();
    const assistant = await client("2025-11-25");
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
    const { structured } = await assistant.call("place_order", order);
    const order_id = (structured["order"] as { orderId: string }).orderId;
    const waiting = assistant.call("await_order", { order_id, until: "filled", timeout_s: 30 }).catch(String);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const stopped = server.stop();
    expect(await probe(address.url)).toMatchObject(unready("stopping"));
    expect((await probe(address.url, "/healthz")).status).toBe(200);
    const refused = await fetch(address.url, {
      method: "POST",
      headers: { ...address.headers, "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain("The server stops");
    await waiting;
    expect(await stopped).toMatchObject({ code: 0 });
    await expect(probe(address.url)).rejects.toThrow("fetch failed");
  });
});
