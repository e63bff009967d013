import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fault, Result } from "../../src/contract/index.ts";
import type { Lane } from "../../src/transport/index.ts";
import { OpenApiClient } from "../../src/venues/index.ts";
import { ORDER_ID, order } from "../fixture/order-sample.ts";
import {
  accounts,
  answer,
  type Behaviour,
  clientOf,
  cut,
  flood,
  garble,
  hang,
  hangUp,
  html,
  orderBody,
  refuse,
  reset,
  stall,
  startWire,
  type Wire,
} from "../venues/hoga/wire.ts";

const timeouts = { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 5_000, deadlineMs: 10_000 };

/** Every call that may change something at the venue. */
const writes: readonly (readonly [string, (client: OpenApiClient) => Promise<Result<unknown>>])[] = [
  ["submit", (client) => client.submit(orderBody, async () => true)],
  ["submit without beforeSend", (client) => client.submit(orderBody)],
  ["validateOrder", (client) => client.validateOrder(orderBody)],
  ["cancel", (client) => client.cancel("BTC/KRW", ORDER_ID)],
  ["cancelAll", (client) => client.cancelAll()],
];

/** What may happen to a write on the wire: behaviour, code, whether the venue was reached. */
const fates: readonly (readonly [string, Behaviour, string, Fault["reachedVenue"]])[] = [
  ["no answer in time", hang, "ELocal:No answer", "unknown"],
  ["a reset", reset, "ELocal:No answer", "unknown"],
  ["a connection closed after the request was read", hangUp, "ELocal:No answer", "unknown"],
  ["a cut answer", cut({ ...order, requested: [], failed: [] }), "ELocal:No answer", "unknown"],
  ["an answer that stalls", stall, "ELocal:No answer", "unknown"],
  ["bytes that are not HTTP", garble, "ELocal:Unreadable answer", "unknown"],
  ["an HTML page", html, "ELocal:Unreadable answer", "unknown"],
  ["an endless answer", flood, "ELocal:Unreadable answer", "unknown"],
  ["a 2xx of the wrong shape", answer({ uuid: 1 }), "ELocal:Unreadable answer", "unknown"],
  ["a 2xx without body", answer(""), "ELocal:Unreadable answer", "unknown"],
  ["a redirect", answer("", 302, { location: "/v1/orders" }), "ELocal:Unreadable answer", "unknown"],
  ["a 502 page", answer("<html>bad gateway</html>", 502), "ELocal:Unreadable answer", "unknown"],
  ["a 403 page of a proxy", answer("<html>denied</html>", 403), "ELocal:Unreadable answer", "unknown"],
  ["a 503 of the service", refuse("EService:Unavailable", 503), "EService:Unavailable", "unknown"],
  ["a 504 of the service", refuse("EService:Timeout", 504), "EService:Timeout", "unknown"],
  ["a 500 with an unlisted code", refuse("EService:Oops", 500), "EService:Oops", "unknown"],
  ["a refused nonce", refuse("EAPI:Invalid nonce", 401), "EAPI:Invalid nonce", "unknown"],
  ["a refusal in our own name", refuse("ELocal:Venue unreachable", 422), "ELocal:Unreadable answer", "unknown"],
  ["a rate limit", refuse("EAPI:Rate limit exceeded", 429, { retry_after_ms: 5 }), "EAPI:Rate limit exceeded", "yes"],
  ["a refusal", refuse("EOrder:Insufficient funds", 422), "EOrder:Insufficient funds", "yes"],
  ["a refusal with an unlisted code", refuse("EOrder:New rule", 422), "EOrder:New rule", "yes"],
];

let wire: Wire;
let client: OpenApiClient;
beforeEach(async () => {
  wire = await startWire(hang);
  client = clientOf(wire, { timeouts });
});
afterEach(async () => {
  await client.close();
  await wire.close();
});

describe.each(writes)("%s", (_, write) => {
  it.each(fates)("is one request after %s, and its fault is truthful", async (_name, behaviour, code, reachedVenue) => {
    wire.script = [behaviour];
    const result = await write(client);
    expect(result).toMatchObject({ ok: false, fault: { code, reachedVenue } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(wire.arrivals).toHaveLength(1);
  });

  it("is one request on a reused connection that the venue closes", async () => {
    wire.script = [answer(accounts), hangUp, answer(order)];
    expect((await client.accounts()).ok).toBe(true);
    expect(await write(client)).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(wire.arrivals).toHaveLength(2);
  });

  it("sends nothing and says so when no server listens", async () => {
    const nobody = clientOf(wire, { timeouts, baseUrl: await deadUrl() });
    expect(await write(nobody)).toMatchObject({
      ok: false,
      fault: { code: "ELocal:Venue unreachable", reachedVenue: "no" },
    });
    await nobody.close();
  });

  it("sends nothing and says so when the host name does not resolve, or the address is not available", async () => {
    const nowhere = [
      clientOf(wire, { timeouts, baseUrl: "http://venue.invalid" }),
      clientOf(wire, { timeouts, baseUrl: () => Promise.reject(new Error("no port file")) }),
      clientOf(wire, { timeouts, baseUrl: async () => "ftp://venue" }),
    ];
    for (const lost of nowhere) {
      expect(await write(lost)).toMatchObject({
        ok: false,
        fault: { code: "ELocal:Venue unreachable", reachedVenue: "no" },
      });
      await lost.close();
    }
  });

  it("sends nothing without a key, or after close", async () => {
    const open = new OpenApiClient({ environment: "sandbox", baseUrl: wire.url });
    expect(await write(open)).toMatchObject({ ok: false, fault: { code: "ELocal:No key", reachedVenue: "no" } });
    await open.close();
    await client.close();
    expect(await write(client)).toMatchObject({ ok: false, fault: { reachedVenue: "no" } });
    expect(wire.arrivals).toHaveLength(0);
  });
});

describe("a stale connection", () => {
  it("never carries a write twice, even when it closes at the moment of sending", async () => {
    const counted = await startDyingServer();
    for (let round = 0; round < 10; round++) {
      const dying = clientOf({ url: counted.url }, { timeouts });
      await dying.accounts();
      const before = counted.writes();
      const result = await dying.cancel("BTC/KRW", ORDER_ID);
      await new Promise((resolve) => setTimeout(resolve, 10));
      const sent = counted.writes() - before;
      const mostSent = !result.ok && result.fault.reachedVenue === "no" ? 0 : 1;
      expect(result.ok).toBe(false);
      expect(sent).toBeLessThanOrEqual(mostSent);
      await dying.close();
    }
    await counted.close();
  });
});

describe("beforeSend", () => {
  it("gets the nonce of the request before it is sent", async () => {
    wire.script = [answer(order, 201)];
    const seen: [string, number][] = [];
    const result = await client.submit(orderBody, async (nonce) => {
      seen.push([nonce, wire.arrivals.length]);
      return true;
    });
    expect(result).toMatchObject({ ok: true, value: { uuid: ORDER_ID, state: "open" } });
    expect(seen).toEqual([[wire.arrivals[0]?.headers["api-nonce"], 0]]);
  });

  it("is the last word on no order whose turn was over by then", async () => {
    let holds = true;
    const lane: Lane = {
      enter: async () => ({ nonce: 7n, holds: () => holds, leave: async () => undefined }),
      pause: async () => undefined,
    };
    const slow = clientOf(wire, { lane });
    const stoodStill = await slow.submit(orderBody, async () => {
      holds = false;
      return true;
    });
    expect(stoodStill).toMatchObject({ ok: false, fault: { code: "ELocal:Not placed", reachedVenue: "no" } });
    expect(wire.arrivals).toHaveLength(0);
    wire.script = [answer({ ...order, requested: [], failed: [] })];
    await slow.cancel("BTC/KRW", ORDER_ID);
    expect(wire.arrivals).toHaveLength(1);
    await slow.close();
  });

  it("stops the order when it resolves to false, and the lane is free again", async () => {
    const result = await client.submit(orderBody, async () => false);
    expect(result).toMatchObject({ ok: false, fault: { code: "ELocal:Not placed", reachedVenue: "no" } });
    expect(wire.arrivals).toHaveLength(0);
    wire.script = [answer(accounts)];
    expect((await client.accounts()).ok).toBe(true);
  });

  it("stops the order when it throws, and the lane is free again", async () => {
    const broken = new Error("journal is full");
    await expect(client.submit(orderBody, () => Promise.reject(broken))).rejects.toBe(broken);
    expect(wire.arrivals).toHaveLength(0);
    wire.script = [answer(accounts)];
    expect((await client.accounts()).ok).toBe(true);
  });
});

describe("an order", () => {
  it.each([
    ["price", { ...orderBody, price: "0,95" }],
    ["volume", { ...orderBody, volume: undefined }],
    ["dryRun", { ...orderBody, dryRun: true }],
    ["validate_only", { ...orderBody, validate_only: true }],
  ])("is not sent with a wrong %s", async (field, body) => {
    const result = await client.submit(body as typeof orderBody);
    expect(result).toMatchObject({ ok: false, fault: { code: "ELocal:Invalid input", reachedVenue: "no", field } });
    expect(wire.arrivals).toHaveLength(0);
  });

  it.each([
    ["another userref", { ...order, userref: "desk-2" }],
    ["another side", { ...order, side: "sell" }],
  ])("is unknown when the answer shows %s: it belongs to another request", async (_, body) => {
    wire.script = [answer(body, 201)];
    expect(await client.submit(orderBody)).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
  });

  it("when it was to be checked but was placed, does not pass for checked", async () => {
    wire.script = [answer({ descr: order.descr }), answer(order, 201)];
    expect(await client.validateOrder(orderBody)).toEqual({ ok: true, value: { descr: order.descr } });
    expect(await client.validateOrder(orderBody)).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
    expect(wire.arrivals.map(({ body }) => JSON.parse(body).validate_only)).toEqual([true, true]);
  });
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

async function deadUrl(): Promise<string> {
  const server = createServer();
  const url = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

/** Answers the first request of a connection, and destroys the connection right after that answer or at the next byte. */
async function startDyingServer() {
  let deletes = 0;
  let rounds = 0;
  const sockets = new Set<Socket>();
  const body = JSON.stringify(accounts);
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const text = data.toString();
      deletes += text.split("DELETE /v1/orders/").length - 1;
      if (!text.startsWith("GET")) {
        socket.destroy();
        return;
      }
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      if (text.startsWith("GET /v1/accounts") && rounds++ % 2 === 0) setImmediate(() => socket.destroy());
    });
  });
  const url = await listening(server);
  return {
    url,
    writes: () => deletes,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
