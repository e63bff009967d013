import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { send } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { StreamClient, streamClients } from "./stream-client.ts";

let venue: Venue;
const clients = streamClients();
beforeEach(async () => {
  venue = await openVenue();
});
afterEach(async () => {
  await clients.close();
  await venue.sandbox.close();
  expect(venue.defects).toEqual([]);
});

const book = { op: "subscribe", channel: "orderbook", symbol: "BTC/KRW" };

describe("a handshake", () => {
  it("states the version", async () => {
    const web = new WebSocket(venue.sandbox.streamUrl);
    const headers = new Promise((resolve) => web.on("upgrade", (answer) => resolve(answer.headers)));
    expect(await headers).toMatchObject({ "api-version": "1.4.0" });
    await new StreamClient(web).close();
  });

  it("is needed", async () => {
    const plain = await send(venue.sandbox.baseUrl, "GET", "/v1/stream");
    expect([plain.status, plain.headers.upgrade]).toEqual([426, "websocket"]);
    expect(plain.json.error).toMatchObject({ code: "EGeneral:Invalid arguments:Upgrade" });
  });

  it("fails when it asks for another major version", async () => {
    const open = StreamClient.open(venue.sandbox.streamUrl, { headers: { "API-Version": "2.0.0" } });
    await expect(open).rejects.toThrow("400");
  });

  it("is refused when there are too many connections", async () => {
    const small = await openVenue({ limits: { streamConnectionsMax: 1 } });
    const first = await StreamClient.open(small.sandbox.streamUrl);
    await expect(StreamClient.open(small.sandbox.streamUrl)).rejects.toThrow("503");
    await first.close();
    await (await StreamClient.open(small.sandbox.streamUrl)).close();
    await small.sandbox.close();
  });
});

describe("a message", () => {
  it.each([
    [{ ...book, pair: "BTC/KRW" }, "EGeneral:Invalid arguments:pair", "this field is not known"],
    [{ ...book, simbol: "BTC/KRW" }, "EGeneral:Invalid arguments:simbol", "did you mean symbol?"],
    [{ ...book, symbol: undefined }, "EGeneral:Invalid arguments:symbol", "orderbook needs a symbol"],
    [{ ...book, symbol: "NOPE/KRW" }, "EQuery:Unknown asset pair", "there is no market NOPE/KRW"],
    [{ ...book, depth: 0 }, "EGeneral:Invalid arguments:depth", "from 1 to 500"],
    [{ ...book, channel: "candles" }, "EGeneral:Invalid arguments:channel", "orderbook"],
    [{ ...book, op: "subscrive" }, "EGeneral:Invalid arguments:op", "did you mean subscribe?"],
    [{ op: "unsubscribe", channel: "ticker", symbol: "BTC/KRW" }, "EGeneral:Invalid arguments:channel", "no such"],
    [{ op: "subscribe", channel: "fills" }, "EGeneral:Invalid arguments:token", "POST /v1/ws/token"],
  ])("%j is refused with field and remedy", async (message, code, fix) => {
    const ack = await (await clients.open(venue)).say(message);
    expect(ack).toMatchObject({ op: "ack", ok: false, error: { code, message: expect.stringContaining(fix) } });
    expect((ack["error"] as { field: string }).field).toBeTypeOf("string");
  });

  it.each([
    ['{"op":"ping"}', "id"],
    ['{"op":"ping","id":{}}', "id"],
    ["[]", "message"],
    ["null", "message"],
    ['"ping"', "message"],
  ])("%s, without a readable id, is refused with none", async (text, field) => {
    const client = await clients.open(venue);
    client.send(text);
    expect(await client.next((frame) => frame["op"] === "ack")).toMatchObject({
      id: null,
      ok: false,
      error: { field },
    });
  });

  it("when it is not JSON, is refused with no id, and what is said next is heard", async () => {
    const client = await clients.open(venue);
    client.send("{");
    expect(await client.next((frame) => frame["op"] === "ack")).toEqual({
      op: "ack",
      id: null,
      ok: false,
      error: {
        code: "EGeneral:Invalid arguments:message",
        message: "this is not JSON: send a JSON object",
        field: "message",
      },
    });
    expect(await client.say({ op: "ping" })).toMatchObject({ ok: true });
  });

  it("when more than ten in a row are not JSON, ends the connection, and does not when others come between", async () => {
    const client = await StreamClient.open(venue.sandbox.streamUrl);
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 10; count++) client.send("{");
      expect(await client.say({ op: "ping" })).toMatchObject({ ok: true });
      venue.clock.now += 1000;
    }
    for (let count = 0; count <= 10; count++) client.send("{");
    expect(await client.ended).toEqual({ code: 1007, reason: "a message is a JSON object" });
  });

  it("when it has a field twice, is refused", async () => {
    const client = await clients.open(venue);
    client.send('{"op":"subscribe","id":1,"channel":"ticker","symbol":"BTC/KRW","symbol":"ETH/KRW"}');
    expect(await client.next((frame) => frame["op"] === "ack")).toMatchObject({
      ok: false,
      error: { field: "symbol" },
    });
  });

  it("is acknowledged with its own id, text or number", async () => {
    const client = await clients.open(venue);
    client.send({ op: "ping", id: 7 });
    client.send({ op: "ping", id: "seven" });
    expect(await client.next(() => true)).toEqual({ op: "ack", id: 7, ok: true });
    expect(await client.next(() => true)).toEqual({ op: "ack", id: "seven", ok: true });
  });

  it.each([
    ["not text", Buffer.from("{}"), 1003, "send JSON as text"],
    ["too long", `"${"x".repeat(5000)}"`, 1009, "a message has at most 4096 bytes"],
    ["far too long", `"${"x".repeat(100_000)}"`, 1009, "a message has at most 4096 bytes"],
  ])("ends the connection with a reason when it is %s", async (_, text, code, reason) => {
    const client = await StreamClient.open(venue.sandbox.streamUrl);
    client.web.send(text);
    expect(await client.ended).toEqual({ code, reason });
  });

  it.each([
    ["not UTF-8", Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]), 1007, "a message is UTF-8 text"],
    ["not masked", Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002, "this is no frame that a client may send"],
  ])("ends the connection with a reason when its frame is %s", async (_, bytes, code, reason) => {
    const client = await StreamClient.open(venue.sandbox.streamUrl);
    (client.web as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(bytes);
    expect(await client.ended).toEqual({ code, reason });
  });

  it("is limited to twenty in a second; more are refused with how long to wait, many more end the connection", async () => {
    const client = await StreamClient.open(venue.sandbox.streamUrl);
    for (let count = 0; count < 20; count++) expect(await client.say({ op: "ping" })).toMatchObject({ ok: true });
    expect(await client.say({ op: "ping" })).toMatchObject({
      ok: false,
      error: { code: "EAPI:Rate limit exceeded", retry_after_ms: 1000 },
    });
    venue.clock.now += 1000;
    for (let count = 0; count < 20; count++) expect(await client.say({ op: "ping" })).toMatchObject({ ok: true });
    for (let count = 0; count <= 100; count++) client.send({ op: "ping", id: count });
    expect(await client.ended).toEqual({ code: 1008, reason: "too many messages a second" });
  });
});

describe("a connection", () => {
  it("has a maximum of subscriptions; one that replaces another does not count", async () => {
    const small = await openVenue({ limits: { streamSubscriptionsMax: 2 } });
    const client = await StreamClient.open(small.sandbox.streamUrl);
    await client.follow("orderbook", { symbol: "BTC/KRW" });
    await client.follow("ticker", { symbol: "BTC/KRW" });
    const third = { op: "subscribe", channel: "trades", symbol: "BTC/KRW" };
    expect(await client.say(third)).toMatchObject({ ok: false, error: { code: "EAPI:Rate limit exceeded" } });
    await client.follow("orderbook", { symbol: "BTC/KRW", depth: 5 });
    await client.say({ op: "unsubscribe", channel: "ticker", symbol: "BTC/KRW" });
    expect(await client.say(third)).toMatchObject({ ok: true });
    await client.close();
    await small.sandbox.close();
  });
});
