import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { errorBody } from "../../../src/contract/index.ts";
import { nextNonce, send, signedHeaders } from "./signed-client.ts";
import { openVenue, type Venue } from "./venue.ts";

let venue: Venue;
afterEach(() => venue?.sandbox.close());

/** Sends bytes unchanged and collects the response until the server closes. */
function rawExchange(chunks: readonly (string | Buffer)[], keepOpen = true): Promise<string> {
  const { hostname, port } = new URL(venue.sandbox.baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("utf8");
    });
    socket.on("error", () => resolve(received));
    socket.on("close", () => resolve(received));
    for (const chunk of chunks) socket.write(chunk);
    if (!keepOpen) socket.end();
  });
}

/** The answers in a raw stream, by their Content-Length. */
function answersIn(text: string): { status: number; headers: string; json: unknown }[] {
  const answers = [];
  for (let rest = text; rest !== ""; ) {
    const headers = rest.slice(0, rest.indexOf("\r\n\r\n"));
    const start = headers.length + 4;
    const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
    answers.push({
      status: Number(headers.slice(9, 12)),
      headers,
      json: JSON.parse(rest.slice(start, start + length)),
    });
    rest = rest.slice(start + length);
  }
  return answers;
}

/** Expects that the next callers are served. */
async function stillAnswers(): Promise<boolean> {
  const open = await send(venue.sandbox.baseUrl, "GET", "/v1/time");
  const own = await venue.paper.get("/v1/accounts");
  return open.status === 200 && own.status === 200 && venue.defects.length === 0;
}

describe("bodies", () => {
  it("when over 64 KiB, are refused with 413, also without a Content-Length", async () => {
    venue = await openVenue();
    const body = "x".repeat(64 * 1024 + 1);
    const announced = await send(venue.sandbox.baseUrl, "POST", "/v1/orders", {}, body);
    expect([announced.status, announced.json.error.code]).toEqual([413, "EGeneral:Invalid arguments:body"]);
    expect(announced.json).toEqual(errorBody.parse(announced.json));
    expect(announced.headers["connection"]).toBe("close");
    const head = "POST /v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    const [chunked] = answersIn(await rawExchange([head, `11000\r\n${"x".repeat(0x11000)}\r\n0\r\n\r\n`]));
    expect(chunked?.status).toBe(413);
    expect(await stillAnswers()).toBe(true);
  });

  it("may have exactly 64 KiB", async () => {
    venue = await openVenue();
    const order = {
      symbol: "BTC/KRW",
      side: "buy",
      type: "limit",
      volume: "0.001",
      price: "90000000",
      validate_only: true,
    };
    const rawBody = JSON.stringify(order).padEnd(64 * 1024, " ");
    expect((await venue.paper.post("/v1/orders", undefined, { rawBody })).status).toBe(200);
  });

  it("when they never end, are cut off: a huge one is answered while it is still arriving", async () => {
    venue = await openVenue();
    const head = "POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n";
    const [answer] = answersIn(await rawExchange([head, "x".repeat(100_000)]));
    expect(answer?.status).toBe(413);
    expect(await stillAnswers()).toBe(true);
  });

  it("when they arrive too slowly, end in 408, and the order in them is not placed", async () => {
    venue = await openVenue({ limits: { requestTimeoutMs: 200 } });
    const body = '{"symbol":"BTC/KRW","side":"buy","type":"limit","volume":"0.001","price":"90000000"}';
    const headers = {
      ...signedHeaders(venue.paper.credentials, "POST", "/v1/orders", body),
      "Content-Type": "application/json",
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const head = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${lines.join("\r\n")}\r\n\r\n`;
    const [slow] = answersIn(await rawExchange([head, body.slice(0, -1)]));
    expect([slow?.status, slow?.json]).toMatchObject([408, { error: { code: "EService:Timeout" } }]);
    const [stalled] = answersIn(await rawExchange(["GET /v1/time HTTP/1.1\r\nHos"]));
    expect(stalled?.status).toBe(408);
    expect((await venue.paper.get("/v1/orders?state=all")).json.orders).toEqual([]);
    expect(await stillAnswers()).toBe(true);
  });

  it("have no effect when they are aborted", async () => {
    venue = await openVenue();
    const body = '{"symbol":"BTC/KRW","side":"buy","type":"limit","volume":"0.001","price":"90000000"}';
    const head = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
    await rawExchange([head, body.slice(0, 20)], false);
    expect(await stillAnswers()).toBe(true);
  });
});

describe("a malformed request", () => {
  it.each<[string, string | Buffer, number]>([
    ["no HTTP", "hello\r\n\r\n", 400],
    ["binary", Buffer.from([0x16, 0x03, 0x01, 0x00, 0xff, 0x00, 0x0d, 0x0a]), 400],
    ["another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["two lengths", "POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nxx", 400],
    [
      "length and chunks",
      "POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nxx",
      400,
    ],
    ["a bad chunk", "POST /v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400],
    ["a huge header", `GET /v1/time HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(40_000)}\r\n\r\n`, 431],
  ])("%s is answered in the error form, and the next caller as ever", async (_, bytes, status) => {
    venue = await openVenue();
    const [answer] = answersIn(await rawExchange([bytes]));
    expect(answer?.status).toBe(status);
    expect(answer?.json).toEqual(errorBody.parse(answer?.json));
    expect(answer?.headers).toContain("API-Version: 1.4.0");
    expect(await stillAnswers()).toBe(true);
  });

  it("when it follows an order, has the one answer, and the order is not placed", async () => {
    venue = await openVenue();
    const body = '{"symbol":"BTC/KRW","side":"buy","type":"limit","volume":"0.001","price":"90000000"}';
    const headers = {
      ...signedHeaders(venue.paper.credentials, "POST", "/v1/orders", body),
      "Content-Type": "application/json",
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const order = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
    const answers = answersIn(await rawExchange([`${order}garbage\r\n\r\n`]));
    const placed = (await venue.paper.get("/v1/orders")).json.orders.length;
    expect([answers.map(({ status }) => status), placed]).toEqual([[400], 0]);
    expect(await stillAnswers()).toBe(true);
  });
});

describe("connections", () => {
  it("answer pipelined requests in their order", async () => {
    venue = await openVenue();
    const request = (target: string) => {
      const headers = signedHeaders(venue.paper.credentials, "GET", target, "", nextNonce());
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      return `GET ${target} HTTP/1.1\r\nHost: x\r\n${lines.join("")}`;
    };
    const bytes = `${request("/v1/accounts")}\r\n${request("/v1/orders")}\r\n${request("/v1/nowhere")}Connection: close\r\n\r\n`;
    const answers = answersIn(await rawExchange([bytes]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(answers[1]?.json).toHaveProperty("orders");
  });

  it("are dated by the exchange's clock", async () => {
    venue = await openVenue();
    for (const ms of [1_000, 86_400_000]) {
      venue.clock.now += ms;
      const answers = [
        await send(venue.sandbox.baseUrl, "GET", "/v1/time"),
        await send(venue.sandbox.baseUrl, "PUT", "/"),
      ];
      const whole = Math.floor(venue.clock.now / 1_000) * 1_000;
      expect(answers.map(({ headers }) => Date.parse(headers["date"] ?? ""))).toEqual([whole, whole]);
    }
  });

  it("serve all of 100 concurrent callers", async () => {
    venue = await openVenue();
    const calls = Array.from({ length: 100 }, () => send(venue.sandbox.baseUrl, "GET", "/v1/orderbook/BTCKRW"));
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
  });
});

describe("defects", () => {
  it("are answered with 500 and reported to the operator, not to the caller", async () => {
    venue = await openVenue();
    const { exchange } = venue.sandbox;
    const markets = exchange.markets.bind(exchange);
    exchange.markets = () => {
      throw new Error("secret detail");
    };
    const reply = await send(venue.sandbox.baseUrl, "GET", "/v1/markets");
    exchange.markets = markets;
    expect([reply.status, reply.json.error.code]).toEqual([500, "EService:Unavailable"]);
    expect(reply.text).not.toContain("secret");
    expect(venue.defects).toHaveLength(1);
    expect((await send(venue.sandbox.baseUrl, "GET", "/v1/markets")).status).toBe(200);
  });
});

describe("closing", () => {
  it("answers everything that took effect, accepts nothing new, and closes idle connections at once", async () => {
    const dir = await mkdtemp(join(tmpdir(), "sandbox-closing-"));
    venue = await openVenue({ dir });
    await Promise.all(Array.from({ length: 20 }, () => send(venue.sandbox.baseUrl, "GET", "/v1/time")));
    const answers = Promise.allSettled(Array.from({ length: 20 }, () => venue.paper.order()));
    const placed = () => venue.sandbox.exchange.orders("paper", { limit: 100 }).orders.length;
    while (placed() === 0) await new Promise((resolve) => setImmediate(resolve));
    const begun = Date.now();
    await Promise.all([venue.sandbox.close(), venue.sandbox.close()]);
    expect(Date.now() - begun).toBeLessThan(900);
    const answered = (await answers).flatMap((each) => (each.status === "fulfilled" ? [each.value.status] : []));
    expect(answered).toEqual(Array(placed()).fill(201));
    await expect(send(venue.sandbox.baseUrl, "GET", "/v1/time")).rejects.toThrow(/ECONNREFUSED|reset|hang up/);
    await rm(dir, { recursive: true });
  });

  it("cuts off a request that does not end", async () => {
    venue = await openVenue();
    const cut = rawExchange(["POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf"]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const begun = Date.now();
    await venue.sandbox.close();
    expect(Date.now() - begun).toBeLessThan(2500);
    await cut;
  });
});
