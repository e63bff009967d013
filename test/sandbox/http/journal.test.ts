import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TradingCaller } from "../trading/trading-caller.ts";
import { FaultyDisk, PAPER_KEY, serveOn } from "./faulty-disk.ts";
import { SignedClient, send, signedHeaders } from "./signed-client.ts";

let dir: string;
let disk: FaultyDisk;
let served: Awaited<ReturnType<typeof serveOn>>;
let client: SignedClient;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "sandbox-journal-"));
  disk = new FaultyDisk();
  served = await serveOn(disk, dir);
  client = new SignedClient(served.url, PAPER_KEY);
});
afterEach(async () => {
  await served.close();
  await rm(dir, { recursive: true, force: true });
});

const codeOf = async (reply: ReturnType<SignedClient["get"]>) => {
  const { status, json } = await reply;
  return [status, json.error?.code];
};

describe("an answer", () => {
  it("waits for the disk when the call changed the exchange; reads, checks and refusals do not", async () => {
    let release = () => {};
    disk.syncWaitsFor = new Promise((resolve) => {
      release = resolve;
    });
    let answered = false;
    const order = client.order().then((reply) => {
      answered = true;
      return reply;
    });
    while (served.opened.exchange.orders("paper", { limit: 1 }).orders.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect((await client.get("/v1/orders")).json.orders).toHaveLength(1);
    expect((await client.order({ validate_only: true })).status).toBe(200);
    expect((await client.order({ volume: "9" })).status).toBe(422);
    expect(answered).toBe(false);
    release();
    expect((await order).status).toBe(201);
  });
});

describe("a malformed request after an order that waits for the disk", () => {
  it("is not answered, as its answer would be mistaken for the order's", async () => {
    let release = () => {};
    disk.syncWaitsFor = new Promise((resolve) => {
      release = resolve;
    });
    const body = JSON.stringify({ symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: "90000000" });
    const headers = signedHeaders(client.credentials, "POST", "/v1/orders", body);
    const lines = Object.entries({ ...headers, "Content-Type": "application/json", "Content-Length": body.length });
    const { hostname, port } = new URL(client.baseUrl);
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString();
    });
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()).on("error", () => resolve()));
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`POST /v1/orders HTTP/1.1\r\nHost: x\r\n${head}\r\n${body}`);
    while (served.opened.exchange.orders("paper", { limit: 1 }).orders.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    socket.write("garbage\r\n\r\n");
    await closed;
    expect(received).toBe("");
    release();
    expect((await client.get("/v1/orders")).json.orders).toHaveLength(1);
  });
});

describe("when the disk fails", () => {
  it("when it fails at the sync, the waiting order is answered with 503, and so is every later private call", async () => {
    disk.syncError = new Error("EIO: secret path");
    const reply = await client.order();
    expect([reply.status, reply.json.error.code]).toEqual([503, "EService:Unavailable"]);
    expect(reply.text).not.toContain("EIO");
    expect(await codeOf(client.order())).toEqual([503, "EService:Unavailable"]);
    const canceled = await client.delete("/v1/orders/batch");
    expect([canceled.status, canceled.json.error.code]).toEqual([503, "EService:Unavailable"]);
    expect(canceled.headers["ratelimit-limit"]).toBeDefined();
    // A read cannot use up its nonce, and would show what a restart may not find.
    expect(await codeOf(client.get("/v1/orders"))).toEqual([503, "EService:Unavailable"]);
  });

  it("when it fails at the sync, the Trading API says so in its own form, with the limits left", async () => {
    disk.syncError = new Error("EIO: secret path");
    const reply = await new TradingCaller(client.baseUrl, client.credentials).add();
    expect([reply.status, reply.text]).toEqual([200, '{"error":["EService:Unavailable"],"result":{}}']);
    expect(reply.headers["ratelimit-limit"]).toBeDefined();
    const { result } = (await send(client.baseUrl, "GET", "/0/public/SystemStatus")).json;
    expect(result.status).toBe("maintenance");
  });

  it("when it fails at the write, the order is answered with 503 and not there after a restart, and public data is still served", async () => {
    disk.writeError = new Error("ENOSPC");
    expect(await codeOf(client.order())).toEqual([503, "EService:Unavailable"]);
    expect((await send(client.baseUrl, "GET", "/v1/markets")).status).toBe(200);
    disk.writeError = undefined;
    expect(await codeOf(client.get("/v1/orders"))).toEqual([503, "EService:Unavailable"]);
    await served.close();
    served = await serveOn(disk, dir);
    client = new SignedClient(served.url, PAPER_KEY);
    expect((await client.get("/v1/orders?state=all")).json.orders).toEqual([]);
  });

  it("when it fails at the write, a read is answered with 503 and what is left of its limits, as its nonce is not kept", async () => {
    disk.writeError = new Error("ENOSPC");
    const read = await client.get("/v1/orders");
    expect([read.status, read.json.error.code]).toEqual([503, "EService:Unavailable"]);
    expect(read.headers["ratelimit-limit"]).toBeDefined();
  });
});
