import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenedExchange, openExchange } from "../../../src/sandbox/engine/index.ts";
import { type Disk, NODE_DISK } from "../../../src/sandbox/engine/storage/disk.ts";
import { familiesOf } from "../../../src/sandbox/families.ts";
import { type ApiServer, createApiServer } from "../../../src/sandbox/http/server.ts";
import { ensurePaperAccount } from "../../../src/sandbox/paper-account.ts";
import { createService, DEFAULT_LIMITS } from "../../../src/sandbox/service/service.ts";
import { TradingCaller } from "../trading/trading-caller.ts";
import { SignedClient, send, signedHeaders } from "./signed-client.ts";

/** A disk whose writes and syncs can be made to fail, or to wait. */
const trouble: { write?: Error | undefined; sync?: Error | undefined; held?: Promise<void> | undefined } = {};
const disk: Disk = {
  ...NODE_DISK,
  write(file, line) {
    if (trouble.write !== undefined) throw trouble.write;
    NODE_DISK.write(file, line);
  },
  async sync(file) {
    await trouble.held;
    if (trouble.sync !== undefined) throw trouble.sync;
    await NODE_DISK.sync(file);
  },
};

let dir: string;
let opened: OpenedExchange;
let front: ApiServer;
let client: SignedClient;

beforeEach(async () => {
  trouble.write = trouble.sync = trouble.held = undefined;
  dir = await mkdtemp(join(tmpdir(), "sandbox-journal-"));
  const now = Date.now;
  opened = await openExchange({ dir, seed: 1, marketMaker: false, now, disk });
  const key = { accountId: "paper", apiKey: "key", apiSecret: randomBytes(64).toString("base64") };
  await ensurePaperAccount(opened, key, now());
  const service = createService({ journaled: opened, limits: DEFAULT_LIMITS, now, randomBytes, onDefect: () => {} });
  front = createApiServer(service, familiesOf(service));
  await new Promise<void>((resolve) => front.server.listen(0, "127.0.0.1", resolve));
  client = new SignedClient(`http://127.0.0.1:${(front.server.address() as AddressInfo).port}`, key);
});
afterEach(async () => {
  await front.close(100);
  await opened.close().catch(() => {});
  await rm(dir, { recursive: true, force: true });
});

const codeOf = async (reply: ReturnType<SignedClient["get"]>) => {
  const { status, json } = await reply;
  return [status, json.error?.code];
};

describe("an answer", () => {
  it("to what changed the exchange waits for the disk; reads, checks and refusals do not", async () => {
    let release = () => {};
    trouble.held = new Promise((resolve) => {
      release = resolve;
    });
    let answered = false;
    const order = client.order().then((reply) => {
      answered = true;
      return reply;
    });
    while (opened.exchange.orders("paper", { limit: 1 }).orders.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect((await client.get("/v1/orders")).json.orders).toHaveLength(1);
    expect((await client.order({ validate_only: true })).status).toBe(200);
    expect((await client.order({ volume: "9" })).status).toBe(422);
    expect(answered).toBe(false);
    release();
    expect((await order).status).toBe(201);
  });
});

describe("garbage behind an order that waits for the disk", () => {
  it("is not answered: an answer would be taken for the order's", async () => {
    let release = () => {};
    trouble.held = new Promise((resolve) => {
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
    while (opened.exchange.orders("paper", { limit: 1 }).orders.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    socket.write("garbage\r\n\r\n");
    await closed;
    expect(received).toBe("");
    release();
    expect((await client.get("/v1/orders")).json.orders).toHaveLength(1);
  });
});

describe("when the disk fails", () => {
  it("at the sync, the order that waits is answered with 503, and so is every later private call", async () => {
    trouble.sync = new Error("EIO: secret path");
    const reply = await client.order();
    expect([reply.status, reply.json.error.code]).toEqual([503, "EService:Unavailable"]);
    expect(reply.text).not.toContain("EIO");
    expect(await codeOf(client.order())).toEqual([503, "EService:Unavailable"]);
    const canceled = await client.delete("/v1/orders/batch");
    expect([canceled.status, canceled.json.error.code]).toEqual([503, "EService:Unavailable"]);
    expect(canceled.headers["ratelimit-limit"]).toBeDefined();
    // A read cannot use its nonce up, and would show what a restart may not know.
    expect(await codeOf(client.get("/v1/orders"))).toEqual([503, "EService:Unavailable"]);
  });

  it("at the sync, the Trading API says so in its own form, with the limits left", async () => {
    trouble.sync = new Error("EIO: secret path");
    const reply = await new TradingCaller(client.baseUrl, client.credentials).add();
    expect([reply.status, reply.text]).toEqual([200, '{"error":["EService:Unavailable"],"result":{}}']);
    expect(reply.headers["ratelimit-limit"]).toBeDefined();
    const { result } = (await send(client.baseUrl, "GET", "/0/public/SystemStatus")).json;
    expect(result.status).toBe("maintenance");
  });

  it("at the write, nothing is placed, and public data is still served", async () => {
    trouble.write = new Error("ENOSPC");
    const [status] = await codeOf(client.order());
    expect(status).toBe(503);
    expect(opened.exchange.orders("paper", { limit: 1 }).orders).toEqual([]);
    expect((await send(client.baseUrl, "GET", "/v1/markets")).status).toBe(200);
  });
});
