import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SignedClient, send } from "../sandbox/http/signed-client.ts";
import { StreamClient, tokenOf } from "../sandbox/stream/stream-client.ts";
import { cleanUp, eventually, freePort, freshHome, oneLine, run, start, startSandbox } from "./program.ts";

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

  it("prints address and key for people, and ends on Ctrl-C", async () => {
    const running = start(["sandbox", "--port", "0", "--no-market-maker"]);
    await eventually(() => running.stdout().includes("Ctrl-C stops it") || undefined);
    expect(running.stdout()).toMatch(
      /running at http:\/\/127\.0\.0\.1:\d+\n(.*\n)* {2}API-Key +\S+\n +API secret +\S+\n +admin +\S+\n +data +\S+\n/,
    );
    expect(await running.stop("SIGINT")).toMatchObject({ code: 0, stderr: "" });
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

  it("draws the same market for the same seed, and another for another", async () => {
    const drawn = async (seed: string): Promise<unknown> => {
      const drawing = await startSandbox({}, ["--seed", seed, "--speed", "0.001"]);
      const answer = await send(drawing.line.base_url, "GET", "/v1/candles/BTCKRW?interval=1d");
      await drawing.stop();
      return (answer.json as { candles?: object[] }).candles ?? answer.json;
    };
    const prices = (await Promise.all(["7", "7", "8"].map(drawn))).map((candles) =>
      (candles as object[]).map((candle) => ({ ...candle, time: 0, start: 0 })),
    );
    expect(prices[0]).toEqual(prices[1]);
    expect(prices[0]).not.toEqual(prices[2]);
  });

  it("keeps account, key and orders in --data", async () => {
    const [home, data] = [freshHome(), join(freshHome(), "deeper", "exchange")];
    const first = await startSandbox({ home }, ["--no-market-maker", "--data", data]);
    const { api_key: apiKey, api_secret: apiSecret } = first.line;
    const placed = await new SignedClient(first.line.base_url, { apiKey, apiSecret }).order();
    await first.stop("SIGKILL");
    const second = await startSandbox({ home }, ["--no-market-maker", "--data", data]);
    expect(second.line).toMatchObject({ api_key: apiKey, api_secret: apiSecret });
    const { json } = await new SignedClient(second.line.base_url, { apiKey, apiSecret }).get("/v1/orders");
    expect(json).toMatchObject({ orders: [{ orderId: placed.json.orderId, state: "open" }] });
    expect(JSON.parse(readFileSync(join(data, "key.json"), "utf8"))).toMatchObject({ api_key: apiKey });
    await second.stop();
  });

  it("serves the drafts when they are asked for, and a request made before it was killed stays made once", async () => {
    const place = { home: freshHome() };
    const client = ({ line }: Awaited<ReturnType<typeof startSandbox>>) =>
      new SignedClient(line.base_url, { apiKey: line.api_key, apiSecret: line.api_secret });
    const asked = { source_asset: "KRW", target_currency: "USD", amount: "138000", destination_country: "US" };
    const rest = { originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY" };
    const beneficiary = { name: "Kim Minji", account: "123", bank_code: "BOFAUS3N", country: "US" };
    const post = (to: SignedClient, target: string, body: object, key: string) =>
      to.post(`/v0.1/remittances${target}`, body, { headers: { "Idempotency-Key": key } });
    const plain = await startSandbox(place);
    const off = await post(client(plain), "/quotes", asked, "q1");
    expect(off).toMatchObject({
      status: 404,
      json: { error: { message: expect.stringContaining("--drafts") as string } },
    });
    await plain.stop();
    const first = await startSandbox(place, ["--no-market-maker", "--drafts"]);
    const quoted = await post(client(first), "/quotes", asked, "q1");
    const body = { quote_id: quoted.json.quote_id as string, beneficiary, ...rest };
    const made = await post(client(first), "", body, "r1");
    expect(made).toMatchObject({ status: 201, json: { draft: true, state: "created" } });
    await first.stop("SIGKILL");
    const second = await startSandbox(place, ["--no-market-maker", "--drafts"]);
    expect((await post(client(second), "", body, "r1")).text).toBe(made.text);
    const list = await client(second).get("/v0.1/remittances");
    expect(list.json.remittances).toMatchObject([{ remittance_id: made.json.remittance_id as string }]);
    await second.stop();
  });

  it("says that what it serves besides is a draft", async () => {
    const running = start(["sandbox", "--port", "0", "--no-market-maker", "--drafts"]);
    await eventually(() => running.stdout().includes("Ctrl-C stops it") || undefined);
    expect(running.stdout()).toMatch(/\n {2}drafts +http:\S+\/v0\.1\/ \(payments and remittances; may change\)\n/);
    expect(await running.stop()).toMatchObject({ code: 0 });
  });

  it("refuses to host a directory twice, and names the address that serves it", async () => {
    const home = freshHome();
    const first = await startSandbox({ home });
    const second = await run(["sandbox", "--port", "0", "--json"], { home });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`hosted by another process already, at ${first.line.base_url}`);
    expect(second.stderr).toContain("--data");
    expect(oneLine(second)).toMatchObject({ error: { message: expect.stringContaining("another process") } });
    await first.stop();
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
