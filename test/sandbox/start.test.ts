import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openExchange } from "../../src/sandbox/engine/index.ts";
import { type SandboxOptions, SandboxStartError, startSandbox } from "../../src/sandbox/index.ts";
import { startMarketFlowTimer } from "../../src/sandbox/market-flow-timer.ts";
import { send } from "./http/signed-client.ts";
import { must, openVenue, type Venue } from "./http/venue.ts";

let dir: string;
const open: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "sandbox-start-"));
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  await rm(dir, { recursive: true, force: true });
});

async function venueOn(options: SandboxOptions = { dir }): Promise<Venue> {
  const venue = await openVenue(options);
  open.push(venue.sandbox);
  return venue;
}

async function startError(options: SandboxOptions): Promise<SandboxStartError> {
  const outcome = await startSandbox(options).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(SandboxStartError);
  return outcome as SandboxStartError;
}

describe("a first start", () => {
  it("creates an account with 10,000,000 KRW and a key to query and trade", async () => {
    const { sandbox, paper } = await venueOn();
    expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.streamUrl).toBe(`${sandbox.baseUrl.replace("http", "ws")}/v1/stream`);
    expect((await paper.get("/v1/accounts")).json).toEqual({
      account_id: sandbox.accountId,
      balances: [{ asset: "KRW", total: "10000000", available: "10000000", locked: "0", unsettled: "0" }],
    });
    expect(sandbox.exchange.key(sandbox.apiKey)).toMatchObject({ permissions: ["query", "trade"], tier: "pro" });
    expect(Buffer.from(sandbox.apiSecret, "base64")).toHaveLength(64);
  });

  it("writes the key to a file for its owner only", async () => {
    const { sandbox } = await venueOn();
    const path = join(dir, "key.json");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      api_key: sandbox.apiKey,
      api_secret: sandbox.apiSecret,
      account_id: sandbox.accountId,
    });
  });
});

describe("a later start", () => {
  it("says on every answer that it is a sandbox, and which", async () => {
    const said = async (): Promise<readonly (string | null)[]> => {
      const { sandbox } = await venueOn();
      const paths = ["/v1/time", "/0/public/Time", "/api/v3/time", "/nothing", "/v1/accounts"];
      const answers = await Promise.all(paths.map((path) => fetch(`${sandbox.baseUrl}${path}`)));
      await sandbox.close();
      return answers.map(({ headers }) => headers.get("API-Sandbox"));
    };
    const first = await said();
    expect(new Set(first).size).toBe(1);
    expect(first[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(await said()).toEqual(first);
  });

  it("finds orders, balances, nonces, fills and the key as they were", async () => {
    const first = await venueOn();
    await first.maker.order({ side: "sell" });
    await first.paper.order({ volume: "0.0004" });
    await first.paper.order({ price: "80000000", userref: "kept" }, { nonce: "77000000" });
    const reads = ["/v1/orders?state=all", "/v1/accounts", "/v1/trades/history"];
    const before = [];
    for (const read of reads)
      before.push((await first.paper.get(read, { nonce: String(77_000_001 + before.length) })).json);
    await first.sandbox.close();

    const second = await venueOn();
    expect(second.sandbox.apiKey).toBe(first.sandbox.apiKey);
    expect(second.sandbox.apiSecret).toBe(first.sandbox.apiSecret);
    expect((await second.paper.get("/v1/accounts", { nonce: "77000003" })).json.error.code).toBe("EAPI:Invalid nonce");
    const after = [];
    for (const read of reads)
      after.push((await second.paper.get(read, { nonce: String(77_000_004 + after.length) })).json);
    expect(after).toEqual(before);
    const [kept] = after[0].orders;
    expect(kept.userref).toBe("kept");
    const canceled = await second.paper.delete(`/v1/orders/BTCKRW/${kept.uuid}`, { nonce: "77000009" });
    expect(canceled.json.state).toBe("canceled");
  });

  it("creates a new key for the same account when the file was removed", async () => {
    const first = await venueOn();
    await first.paper.order();
    await first.sandbox.close();
    await rm(join(dir, "key.json"));
    const second = await venueOn();
    expect(second.sandbox.apiKey).not.toBe(first.sandbox.apiKey);
    expect((await second.paper.get("/v1/orders")).json.orders).toHaveLength(1);
    expect((await second.paper.get("/v1/accounts")).json.balances[0].total).toBe("10000000");
  });

  it("leaves a revoked key revoked", async () => {
    const first = await venueOn();
    must(first.sandbox.exchange.apply({ type: "revokeKey", keyId: first.sandbox.apiKey }, first.clock.now));
    expect((await first.paper.get("/v1/accounts")).json.error.code).toBe("EAPI:Invalid key");
    await first.sandbox.close();
    const second = await venueOn();
    expect(second.sandbox.apiKey).toBe(first.sandbox.apiKey);
    expect((await second.paper.get("/v1/accounts")).json.error.code).toBe("EAPI:Invalid key");
  });

  it("completes an account whose creation was interrupted after the file", async () => {
    const first = await venueOn();
    const { apiKey } = first.sandbox;
    await first.sandbox.close();
    const key = await readFile(join(dir, "key.json"));
    await rm(dir, { recursive: true });
    const empty = await startSandbox({ dir, marketMaker: false });
    await empty.close();
    await writeFile(join(dir, "key.json"), key);
    const second = await venueOn();
    expect(second.sandbox.apiKey).toBe(apiKey);
    expect((await second.paper.get("/v1/accounts")).status).toBe(200);
  });
});

describe("a start is refused, with the reason and what to do", () => {
  it.each<[string, SandboxOptions]>([
    ["bad_option", { port: 70_000 }],
    ["bad_option", { port: 1.5 }],
    ["bad_option", { speed: 0 }],
    ["bad_option", { speed: Number.NaN }],
    ["bad_option", { seed: -1 }],
    ["host_not_loopback", { host: "0.0.0.0" }],
    ["host_not_loopback", { host: "::" }],
    ["host_not_loopback", { host: "192.0.2.1" }],
    ["host_not_loopback", { host: "127.0.0.1.example.com" }],
    ["host_unavailable", { host: "192.0.2.1", allowRemote: true }],
  ])("%s for %j", async (code, options) => {
    const error = await startError(options);
    expect(error.code).toBe(code);
    expect(error.message).not.toBe("");
    expect(error.fix).not.toBe("");
    if (code === "host_not_loopback") expect(error.fix).toMatch(/127\.0\.0\.1.*ssh -L/);
  });

  it("port_in_use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const error = await startError({ port, dir });
    expect([error.code, error.message]).toEqual(["port_in_use", `port ${port} on 127.0.0.1 is in use`]);
    other.close();
    // The failed start has released the directory.
    await venueOn();
  });

  it("dir_unusable, for a file in place of the directory", async () => {
    const path = join(dir, "file");
    await writeFile(path, "");
    for (const each of [path, join(path, "below")]) expect((await startError({ dir: each })).code).toBe("dir_unusable");
  });

  it("dir_in_use, while another sandbox runs there", async () => {
    await venueOn();
    expect((await startError({ dir })).code).toBe("dir_in_use");
    await rm(dir, { recursive: true });
  });

  it.runIf(process.platform === "linux")("dir_unusable, at once, where no directory can be made", async () => {
    for (const each of ["/proc/hoga", "/proc/hoga/deeper"]) {
      expect((await startError({ dir: each })).code).toBe("dir_unusable");
      await expect(openExchange({ dir: each, seed: 1, marketMaker: false, now: Date.now })).rejects.toThrow("ENOENT");
    }
  });

  it("key_file_unreadable, without showing what is in it", async () => {
    await writeFile(join(dir, "key.json"), '{ "api_key": "k", "api_secret": "canary-SECRET" ');
    const error = await startError({ dir });
    expect(error.code).toBe("key_file_unreadable");
    expect(JSON.stringify([error.message, error.fix, String(error.cause)])).not.toContain("canary");
  });
});

it("serves other machines on request", async () => {
  const { sandbox } = await venueOn({ host: "0.0.0.0", allowRemote: true });
  expect((await send(sandbox.baseUrl, "GET", "/v1/time")).status).toBe(200);
});

describe("market flow", () => {
  it("moves the markets, but not without a market maker", async () => {
    const moved = async (marketMaker: boolean): Promise<boolean> => {
      const sandbox = await startSandbox({ marketMaker, speed: 50, limits: {} });
      open.push(sandbox);
      const seq = () => sandbox.exchange.book("BTC/KRW", 1).seq;
      const before = seq();
      await new Promise((resolve) => setTimeout(resolve, 150));
      return seq() > before;
    };
    expect([await moved(true), await moved(false)]).toEqual([true, false]);
  });

  it("ticks every 500 ms divided by the speed, and does not catch up", async () => {
    vi.useFakeTimers();
    try {
      let ticks = 0;
      const count = () => {
        ticks++;
        return true;
      };
      const stop = startMarketFlowTimer(1, count);
      vi.advanceTimersByTime(499);
      expect(ticks).toBe(0);
      vi.advanceTimersByTime(1501);
      expect(ticks).toBe(4);
      await stop();
      vi.advanceTimersByTime(5000);
      expect(ticks).toBe(4);
      const stopFast = startMarketFlowTimer(1000, count);
      vi.advanceTimersByTime(1000);
      expect(ticks).toBe(4 + 2000);
      await stopFast();
    } finally {
      vi.useRealTimers();
    }
  });

  it("skips ticks that a busy process missed", async () => {
    let ticks = 0;
    const stop = startMarketFlowTimer(25, () => {
      ticks++;
      return true;
    });
    const until = performance.now() + 300;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(ticks).toBeLessThanOrEqual(2);
    await stop();
  });

  it("stops when a tick is refused", async () => {
    let ticks = 0;
    const stop = startMarketFlowTimer(50, () => ++ticks < 3);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(ticks).toBe(3);
    await stop();
  });
});
