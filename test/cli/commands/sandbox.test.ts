import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { eventually, freePort } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/in-process.ts";
import { SignedClient, send } from "../../sandbox/http/signed-client.ts";
import { StreamClient, tokenOf } from "../../sandbox/stream/stream-client.ts";

afterAll(cleanUp);

interface Book {
  readonly tick: { readonly buys: readonly unknown[]; readonly asks: readonly unknown[] };
}

const book = async (baseUrl: string): Promise<Book> =>
  (await send(baseUrl, "GET", "/v1/orderbook/BTCKRW")).json as Book;

describe("hoga sandbox", () => {
  it("prints one JSON line, and a call signed with its key works", async () => {
    const sandbox = await startSandbox({});
    expect(Object.keys(sandbox.line)).toEqual(["base_url", "stream_url", "admin_url", "api_key", "api_secret"]);
    const { base_url, stream_url, api_key, api_secret } = sandbox.line;
    expect(base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.line.admin_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const client = new SignedClient(base_url, { apiKey: api_key, apiSecret: api_secret });
    const stream = await StreamClient.open(stream_url);
    await stream.follow("orders", { token: await tokenOf(client) });
    const placed = await client.order({ userref: "by-hand" });
    expect(placed).toMatchObject({ status: 201, json: { userref: "by-hand", state: "open" } });
    expect(await stream.event("orders")).toMatchObject({ orders: [placed.json] });
    await stream.close();
    const wrong = new SignedClient(base_url, { apiKey: api_key, apiSecret: Buffer.alloc(64).toString("base64") });
    expect(await wrong.get("/v1/accounts")).toMatchObject({
      status: 401,
      json: { error: { code: "EAPI:Invalid signature" } },
    });
    const { code, stdout, stderr } = await sandbox.stop("SIGTERM");
    expect({ code, stderr, stdout: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      stderr: "",
      stdout: sandbox.line,
    });
  });

  it("says how it is administered, and what it says works", async () => {
    const home = freshHome();
    const running = start(["sandbox", "--port", "0", "--no-market-maker"], { home });
    const shown = await eventually(
      () => /curl -H "Authorization: Bearer \$\(cat '(.+)'\)" (http\S+)/.exec(running.stdout()) ?? undefined,
    );
    const [, tokenFile = "", statusUrl = ""] = shown;
    expect(tokenFile).toBe(join(home, "sandbox", "admin-token"));
    const authorization = `Bearer ${readFileSync(tokenFile, "utf8").trim()}`;
    const status = await fetch(statusUrl, { headers: { authorization } });
    expect(await status.json()).toMatchObject({ clock_ahead_ms: 0, failed: null, webhooks: 0 });
    expect((await fetch(statusUrl)).status).toBe(401);
    expect(await (await fetch(new URL("/", statusUrl))).text()).toContain("POST   /webhooks\n");
    expect(running.stdout()).not.toContain(authorization.slice("Bearer ".length));
    expect(await running.stop()).toMatchObject({ code: 0, stderr: "" });
  });

  it("has an empty book without its market maker, and a lively one with it", async () => {
    const [still, lively] = await Promise.all([startSandbox({}), startSandbox({}, ["--speed", "50"])]);
    expect((await book(still.line.base_url)).tick).toEqual({ buys: [], asks: [] });
    await eventually(async () => (await book(lively.line.base_url)).tick.asks.length > 3 || undefined);
    await Promise.all([still.stop(), lively.stop()]);
  });

  it("makes the same market for the same seed, and another for another", async () => {
    const drawn = async (seed: string): Promise<unknown> => {
      const drawing = await startSandbox({}, ["--seed", seed, "--speed", "0.001"]);
      const answer = await send(drawing.line.base_url, "GET", "/v1/candles/BTCKRW?interval=1d");
      await drawing.stop();
      return (answer.json as { candles?: object[] }).candles ?? answer.json;
    };
    // But for today's, as the next minute may have begun for one of them.
    const prices = (await Promise.all(["7", "7", "8"].map(drawn))).map((candles) =>
      (candles as object[]).slice(0, -1).map((candle) => ({ ...candle, time: 0, start: 0 })),
    );
    // A day more in the first half hour of a day, UTC: the markets' past then ends on the day before.
    const isJustBegun = Date.now() % 86_400_000 < 1_800_000;
    expect(prices[0]).toHaveLength(isJustBegun ? 401 : 400);
    expect(prices[0]).toEqual(prices[1]);
    expect(prices[0]).not.toEqual(prices[2]);
  });

  it("says that the transfer APIs it also serves are drafts", async () => {
    const running = start(["sandbox", "--port", "0", "--no-market-maker", "--drafts"]);
    await eventually(() => running.stdout().includes("Ctrl-C stops it") || undefined);
    expect(running.stdout()).toMatch(/\n {2}drafts +http:\S+\/v0\.1\/ \(payments and remittances; may change\)\n/);
    expect(await running.stop()).toMatchObject({ code: 0 });
  });

  it("ends at once where its directory cannot be made", async () => {
    const ended = await run(["sandbox", "--port", "0", "--data", "/proc/hoga/deeper"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/\/proc\/hoga\/deeper .*cannot be created \(ENOENT\)\.\n {2}→ Choose a directory/);
  });

  it("refuses a port in use and an address that others could reach", async () => {
    const first = await startSandbox({});
    const { port } = new URL(first.line.base_url);
    const taken = await run(["sandbox", "--port", port]);
    expect(taken).toMatchObject({ code: 1, stdout: "" });
    expect(taken.stderr).toMatch(new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use\n {2}→ .*another port`));
    const open = await run(["sandbox", "--port", String(await freePort()), "--host", "0.0.0.0"]);
    expect(open).toMatchObject({ code: 1, stdout: "" });
    expect(open.stderr).toMatch(/→ .*127\.0\.0\.1.*ssh -L/);
    expect(open.stderr).not.toMatch(/allow/);
    await first.stop();
  });
});
