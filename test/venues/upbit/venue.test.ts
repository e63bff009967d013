import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Venue } from "../../../src/desk/index.ts";
import { detail, hang, ID, refuse, reply, world } from "./scripted.ts";

let here: Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  here = await world();
});
afterEach(() => here.close());

const order = {
  symbol: "BTC/KRW",
  side: "sell",
  type: "limit",
  volume: "1",
  price: "140000000",
  userref: "hg0123456789abcdef",
} as const;
const yes = async (): Promise<boolean> => true;

it("the adapter has the shape of the desk's venue", () => {
  const venue: Venue = here.venue as Venue;
  expect(venue.card).toMatchObject({ name: "upbit", absence: { by: "id", scope: "account_forever" } });
  expect(JSON.stringify(venue)).not.toContain("canary");
});

describe("an order", () => {
  it("is one request with its identifier, said by which program, and after beforeSend alone", async () => {
    here.state.answer = reply(detail, 201);
    const stamps: string[] = [];
    const answer = await here.venue.submit({ ...order, post_only: true }, async (nonce) => {
      stamps.push(`${nonce} ${here.lines.length}`);
      return true;
    });
    expect(answer).toMatchObject({ ok: true, value: { orderId: ID, userref: order.userref } });
    expect(here.lines).toEqual(["POST /v1/orders"]);
    expect(JSON.parse(here.bodies[0] ?? "")).toEqual({
      ...{
        market: "KRW-BTC",
        side: "ask",
        identifier: order.userref,
        ord_type: "limit",
        price: "140000000",
        volume: "1",
      },
      ...{ time_in_force: "post_only", smp_type: "none" },
    });
    expect(here.headers[0]).toMatchObject({ "user-agent": expect.stringMatching(/^hoga\//) });
    expect(here.headers[0]).not.toHaveProperty("origin");
    expect(stamps).toEqual([expect.stringMatching(/^\d{13} 0$/)]);
  });

  it("is not sent when beforeSend says no", async () => {
    const answer = await here.venue.submit(order, async () => false);
    expect(answer).toMatchObject({ ok: false, fault: { reachedVenue: "no" } });
    expect(here.lines).toEqual([]);
  });

  it.each([
    ["no answer in time", hang, "unknown"],
    ["an unlisted refusal", refuse("something_new"), "unknown"],
    ["a failure", refuse("x", 503), "unknown"],
    ["a page", reply("<html>", 400), "unknown"],
    ["a redirect", reply("", 302, { location: "/v1/orders" }), "unknown"],
    ["another order", reply({ ...detail, identifier: "hg9999999999999999" }, 201), "unknown"],
    ["a listed refusal", refuse("insufficient_funds_ask"), "yes"],
    ["a refusal at the gate", refuse("jwt_verification", 401), "no"],
    ["a repeated identifier", refuse("validation_error", 400, "identifier already exists"), "unknown"],
  ] as const)("is one request after %s", async (_, behaviour, reachedVenue) => {
    here.state.answer = behaviour;
    expect(await here.venue.submit(order, yes)).toMatchObject({ ok: false, fault: { reachedVenue } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(here.lines).toHaveLength(1);
  });

  it("is refused here where the exchange has no form for it", async () => {
    const market = { symbol: "BTC/KRW", type: "market", userref: "hg0123456789abcdef" } as const;
    for (const wrong of [
      { ...market, side: "buy", volume: "1" },
      { ...market, side: "sell", amount: "5000" },
      { ...market, side: "buy", amount: "5000", time_in_force: "FOK" },
    ] as const)
      expect(await here.venue.submit(wrong, yes)).toMatchObject({ ok: false, fault: { code: "ELocal:Invalid input" } });
    expect(here.lines).toEqual([]);
  });
});

describe("a key that is shut out", () => {
  it("sends nothing until that is over, no cancel either", async () => {
    here.state.answer = reply({ error: { name: "too_many_requests", message: "wait 2 seconds" } }, 418);
    await here.venue.accounts();
    expect(here.lines).toHaveLength(1);
    here.state.answer = reply(detail);
    const canceled = await here.venue.cancel("BTC/KRW", ID);
    expect(canceled).toMatchObject({ ok: false, fault: { code: "EAPI:Rate limit exceeded", reachedVenue: "no" } });
    expect(here.lines).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect((await here.venue.cancel("BTC/KRW", ID)).ok).toBe(true);
  });
});

describe("a look-up by name", () => {
  it("finds the order, or the exchange's own word that there is none, and else concludes nothing", async () => {
    const sought = { userref: order.userref };
    here.state.answer = reply(detail);
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "found", item: [{ orderId: ID }] } });
    here.state.answer = refuse("order_not_found", 404);
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "none" } });
    here.state.answer = refuse(404, 404);
    expect((await here.venue.lookup(sought)).ok).toBe(false);
    here.state.answer = reply({ ...detail, identifier: "another" });
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "cannot_say" } });
    expect(here.lines[0]).toBe(`GET /v1/order?identifier=${order.userref}`);
  });
});

describe("a cancel of all", () => {
  it("asks for all that wait at once, then for what is left by ids", async () => {
    let asked = 0;
    here.state.answer = (response, line) => {
      if (line.startsWith("DELETE /v1/orders/open"))
        return reply({ success: { count: 1, orders: [{ uuid: "a" }] }, failed: { count: 0, orders: [] } })(
          response,
          line,
        );
      if (line.startsWith("DELETE /v1/orders/uuids"))
        return reply({ success: { orders: [{ uuid: "b" }] }, failed: { orders: [{ uuid: "c" }] } })(response, line);
      const left = asked++ === 0 ? ["a", "b", "c"] : [];
      return reply(left.map((uuid) => ({ ...detail, uuid, state: "watch" })))(response, line);
    };
    expect(await here.venue.cancelAll("BTC/KRW")).toMatchObject({
      value: { requested: ["a", "b"], failed: [{ uuid: "c" }] },
    });
    expect(here.lines.filter((line) => line.startsWith("DELETE"))).toEqual([
      "DELETE /v1/orders/open?pairs=KRW-BTC&count=300",
      "DELETE /v1/orders/uuids?uuids[]=b&uuids[]=c",
    ]);
  });
});

describe("what is read", () => {
  it("has the fills of closed orders, newest first, each ended order asked for once", async () => {
    const now = Date.now();
    const closed = { ...detail, trades: undefined, created_at: new Date(now - 60_000).toISOString() };
    const trades = detail.trades.map((trade) => ({ ...trade, created_at: new Date(now - 30_000).toISOString() }));
    here.state.answer = (response, line) => {
      const answer = line.includes("/orders/closed")
        ? [closed]
        : line.includes("/orders/open")
          ? []
          : { ...closed, trades };
      reply(answer)(response, line);
    };
    for (let reading = 0; reading < 2; reading++) {
      const found: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await here.venue.fills(cursor === undefined ? {} : { cursor });
        if (!page.ok) throw new Error(page.fault.code);
        found.push(...page.value.trades.map(({ trade_id }) => trade_id));
        cursor = page.value.next_cursor;
      }
      expect(new Set(found)).toEqual(new Set(["t-1", "t-2"]));
    }
    expect(here.lines.filter((line) => line.startsWith("GET /v1/order?uuid="))).toHaveLength(1);
  });

  it("leaves out markets of other quotes and letters, and takes the rules of one from the exchange", async () => {
    const names = ["KRW-BTC", "BTC-ETH", "KRW-한글"].map((market) => ({
      market,
      korean_name: "비",
      english_name: "B",
    }));
    const chance = { bid_fee: "0.0005", ask_fee: "0.0004", market: { state: "active", bid: { min_total: "5000.0" } } };
    here.state.answer = (response, line) => {
      if (line.includes("/market/all")) return reply(names)(response, line);
      if (line.includes("/chance")) return reply(chance)(response, line);
      if (line.includes("/instruments")) return reply([{ market: "KRW-BTC", tick_size: "500" }])(response, line);
      return reply('[{"market":"KRW-BTC","trade_price":148601000.00000000,"acc_trade_volume_24h":5.0E-5}]')(
        response,
        line,
      );
    };
    const markets = await here.venue.markets();
    if (!markets.ok) throw new Error(markets.fault.code);
    expect(markets.value.map(({ symbol, tick_size }) => [symbol, tick_size])).toEqual([["BTC/KRW", "1000"]]);
    const [btc] = markets.value;
    if (btc === undefined) throw new Error("no market");
    expect(await here.venue.rules(btc)).toMatchObject({
      value: { tick_bands: [{ from_price: "0", tick_size: "500" }], taker_fee_rate: "0.0005", min_notional: "5000" },
    });
    expect(await here.venue.tickers(["BTC/KRW"])).toMatchObject({ value: [{ last: "148601000", volume: "0.00005" }] });
  });

  it("has the balances under a steady name, and the time of an answer's date", async () => {
    here.state.answer = reply('[{"currency":"KRW","balance":"1000.5","locked":"0.0","avg_buy_price":"0"}]');
    const accounts = await here.venue.accounts();
    expect(accounts).toMatchObject({ value: { balances: [{ asset: "KRW", total: "1000.5", locked: "0" }] } });
    here.state.answer = reply("[]", 200, { date: "Thu, 27 Nov 2026 01:02:03 GMT" });
    expect(await here.venue.time()).toMatchObject({ value: { iso: expect.stringContaining("T01:02:03.000Z") } });
  });
});
