import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openVenue, type Venue } from "../http/venue.ts";
import { type Frame, type StreamClient, streamClients, tokenOf } from "./stream-client.ts";

let venue: Venue;
let client: StreamClient;
let token: string;
const clients = streamClients();
beforeEach(async () => {
  venue = await openVenue();
  client = await clients.open(venue);
  token = await tokenOf(venue.paper);
});
afterEach(async () => {
  await clients.close();
  await venue.sandbox.close();
  expect(venue.defects).toEqual([]);
});

const ask = (volume: string, price = "91000000") => venue.maker.order({ side: "sell", price, volume });

describe("private channels", () => {
  it("begin with open orders, latest fills and all balances", async () => {
    await ask("0.01");
    const { json: filled } = await venue.paper.order({ price: "91000000", volume: "0.01" });
    const { json: first } = await venue.paper.order({ price: "90000000" });
    const { json: second } = await venue.paper.order({ price: "89000000" });
    const orders = await client.follow("orders", { token });
    expect(orders).toMatchObject({ symbol: null, type: "snapshot" });
    expect(orders["orders"]).toEqual([first, second]);
    const fills = await client.follow("fills", { token });
    expect(fills["fills"]).toMatchObject([
      { orderId: filled.uuid, price: "91000000", volume: "0.01", liquidity: "taker" },
    ]);
    const balances = await client.follow("balances", { token });
    expect(balances["balances"]).toEqual((await venue.paper.get("/v1/accounts")).json.balances);
  });

  it("are refused while they cannot be read, which ends neither the connection nor the exchange", async () => {
    const fills = vi.spyOn(venue.sandbox.exchange, "fills").mockImplementation(() => {
      throw new Error("a damaged archive");
    });
    const subscribe = { op: "subscribe", channel: "fills", token };
    expect(await client.say(subscribe)).toMatchObject({ ok: false, error: { code: "EService:Unavailable" } });
    expect(venue.defects.splice(0)).toMatchObject([{ message: "a damaged archive" }]);
    fills.mockRestore();
    expect(await client.say(subscribe)).toMatchObject({ ok: true });
  });

  it("show what one command changed, as REST shows it afterwards", async () => {
    for (const channel of ["orders", "fills", "balances"]) await client.follow(channel, { token });
    await ask("0.004", "91000000");
    await ask("0.004", "91010000");
    const { json: order } = await venue.paper.order({ price: "91010000", volume: "0.01" });
    const [orders, fills, balances] = [
      await client.event("orders"),
      await client.event("fills"),
      await client.event("balances"),
    ];
    expect(orders).toMatchObject({ type: "update", orders: [{ ...order, executed_volume: "0.008" }] });
    const history = (await venue.paper.get("/v1/trades/history")).json.trades;
    expect(fills["fills"]).toEqual([...history].reverse());
    expect(balances["balances"]).toEqual((await venue.paper.get("/v1/accounts")).json.balances);
    await venue.maker.order({ side: "sell", price: "91010000", volume: "0.002" });
    expect(await client.event("orders")).toMatchObject({
      seq: (orders.seq ?? 0) + 1,
      orders: [{ uuid: order.uuid, state: "filled" }],
    });
    expect(await client.event("fills")).toMatchObject({ fills: [{ liquidity: "maker", volume: "0.002" }] });
    await venue.paper.order({ price: "90000000" });
    const canceled = await client.event("orders");
    await venue.paper.delete("/v1/orders/batch");
    expect(canceled).toMatchObject({ orders: [{ state: "open" }] });
    expect(await client.event("orders")).toMatchObject({ orders: [{ state: "canceled" }] });
  });

  it("show the token's account alone", async () => {
    const other = await clients.open(venue);
    const makers = await tokenOf(venue.maker);
    for (const channel of ["orders", "fills", "balances"]) await other.follow(channel, { token: makers });
    await client.follow("orders", { token });
    await venue.paper.order();
    await client.event("orders");
    await other.say({ op: "ping" });
    expect(other.frames).toEqual([]);
  });

  it("can be limited to a market, as a sequence of its own", async () => {
    const all = await clients.open(venue);
    await all.follow("orders", { token: await tokenOf(venue.paper) });
    const narrow = await client.follow("orders", { token, symbol: "ethkrw" });
    expect(narrow).toMatchObject({ symbol: "ETH/KRW", orders: [] });
    await venue.paper.order();
    await venue.paper.order({ symbol: "ETH/KRW", price: "4000000", volume: "0.01" });
    expect(await client.event("orders")).toMatchObject({ symbol: "ETH/KRW", seq: (narrow.seq ?? 0) + 1 });
    const [first, second] = [await all.event("orders"), await all.event("orders")];
    expect([first, second]).toMatchObject([{ symbol: null }, { symbol: null, seq: (first.seq ?? 0) + 1 }]);
  });

  it("continue with a gap after nobody was connected, so that a client sees what it missed", async () => {
    const both = async (who: StreamClient, given: string): Promise<readonly [number, number]> => {
      const orders = await who.follow("orders", { token: given });
      const trades = await who.follow("trades", { symbol: "BTC/KRW" });
      return [orders.seq ?? 0, trades.seq ?? 0];
    };
    const before = await both(client, token);
    await client.close();
    await venue.paper.order();
    const after = await both(await clients.open(venue), await tokenOf(venue.paper));
    expect(after[0]).toBeGreaterThan(before[0]);
    expect(after[1]).toBeGreaterThan(before[1]);
  });
});

describe("a token", () => {
  const subscribe = (who: StreamClient, given: string): Promise<Frame> =>
    who.say({ op: "subscribe", channel: "orders", token: given });
  const refused = {
    ok: false,
    error: {
      code: "EGeneral:Invalid arguments:token",
      field: "token",
      message: expect.stringContaining("/v1/ws/token"),
    },
  };

  it("opens several channels of one connection, and none of another", async () => {
    await client.follow("orders", { token });
    await client.follow("fills", { token });
    expect(await subscribe(await clients.open(venue), token)).toMatchObject(refused);
  });

  it("opens nothing when it is unknown or expired", async () => {
    expect(await subscribe(client, "made-up")).toMatchObject(refused);
    venue.clock.now += 15 * 60_000;
    expect(await subscribe(client, token)).toMatchObject(refused);
  });

  it("is not needed to unsubscribe", async () => {
    await client.follow("orders", { token });
    expect(await client.say({ op: "unsubscribe", channel: "orders" })).toMatchObject({ ok: true });
    await venue.paper.order();
    await client.say({ op: "ping" });
    expect(client.frames).toEqual([]);
  });

  it("opens nothing from an address that is not on the key's allow-list", async () => {
    // The token was issued while the key could be used from this address.
    const own = venue.sandbox.exchange.key(venue.sandbox.apiKey);
    if (own === undefined) throw new Error("the sandbox has a key");
    Object.assign(own, { ipAllowList: ["192.0.2.1"] });
    expect(await subscribe(client, token)).toMatchObject({ ok: false, error: { code: "EAPI:IP not allowed" } });
  });

  it("permits a key ten connections, and a connection one key", async () => {
    const more: StreamClient[] = [client];
    for (let count = 1; count < 10; count++) more.push(await clients.open(venue));
    for (const each of more) expect(await subscribe(each, await tokenOf(venue.paper))).toMatchObject({ ok: true });
    const tooMany = await clients.open(venue);
    expect(await subscribe(tooMany, await tokenOf(venue.paper))).toMatchObject({
      ok: false,
      error: { code: "EAPI:Rate limit exceeded", message: expect.stringContaining("10 connections") },
    });
    expect(await subscribe(client, await tokenOf(venue.maker))).toMatchObject({ ok: false });
    await more[1]?.close();
    expect(await subscribe(tooMany, await tokenOf(venue.paper))).toMatchObject({ ok: true });
  });
});
