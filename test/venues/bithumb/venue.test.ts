import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Venue } from "../../../src/desk/index.ts";
import { detail, hang, ID, listed, NAME, page, placed, refuse, reply, routes, world } from "./scripted.ts";

let here: Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  here = await world();
});
afterEach(() => here.close());

const order = {
  symbol: "BTC/KRW",
  side: "buy",
  type: "limit",
  volume: "0.003",
  price: "95000000",
  userref: NAME,
} as const;
const yes = async (): Promise<boolean> => true;
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

it("the adapter has the shape of the desk's venue", () => {
  const venue: Venue = here.venue as Venue;
  expect(venue.card).toMatchObject({ name: "bithumb", absence: { by: "id", scope: "account" }, place_answer: "id" });
  expect(JSON.stringify(venue)).not.toContain("canary");
});

describe("an order", () => {
  it("is one request with its client_order_id, said by which program, and after beforeSend alone", async () => {
    here.state.answer = reply(placed, 201);
    const stamps: string[] = [];
    const answer = await here.venue.submit({ ...order, post_only: true }, async (nonce) => {
      stamps.push(`${nonce} ${here.lines.length}`);
      return true;
    });
    expect(answer).toEqual({ ok: true, value: { orderId: ID } });
    expect(here.lines).toEqual(["POST /v2/orders"]);
    expect(JSON.parse(here.bodies[0] ?? "")).toEqual({
      ...{ market: "KRW-BTC", side: "bid", order_type: "limit", price: "95000000", volume: "0.003" },
      ...{ time_in_force: "post_only", client_order_id: NAME },
    });
    expect(here.headers[0]).toMatchObject({ "user-agent": expect.stringMatching(/^hoga\//) });
    expect(here.headers[0]).not.toHaveProperty("origin");
    expect(stamps).toEqual([expect.stringMatching(/^\d{13} 0$/)]);
    const [, claims = ""] = String(here.headers[0]?.["authorization"]).split(".");
    const { timestamp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { timestamp: number };
    expect(stamps[0]).toBe(`${timestamp} 0`);
  });

  it("is not sent when beforeSend says no", async () => {
    const answer = await here.venue.submit(order, async () => false);
    expect(answer).toMatchObject({ ok: false, fault: { reachedVenue: "no" } });
    expect(here.lines).toEqual([]);
  });

  it.each([
    ["no answer in time", hang, "unknown"],
    ["an unlisted refusal", refuse("something_new"), "unknown"],
    ["a failure", refuse("server_error", 500), "unknown"],
    ["no service", refuse("x", 503), "unknown"],
    ["a page", reply("<html>", 400), "unknown"],
    ["too many calls", reply("<html>", 429), "unknown"],
    ["a redirect", reply("", 302, { location: "/v2/orders" }), "unknown"],
    ["an order of another name", reply({ ...placed, client_order_id: "hg9999999999999999" }, 201), "unknown"],
    ["an order of another market", reply({ ...placed, market: "KRW-ETH" }, 201), "unknown"],
    ["an order of the other side", reply({ ...placed, side: "ask" }, 201), "unknown"],
    ["an answer without an id", reply({ market: "KRW-BTC" }, 201), "unknown"],
    ["an order that is not ready", refuse("order_not_ready", 422), "unknown"],
    ["an order that is not found", refuse("order_not_found", 404), "unknown"],
    ["a listed refusal", refuse("insufficient_funds_bid"), "yes"],
    ["a listed refusal with a status of success", refuse("insufficient_funds_bid", 200), "yes"],
    ["a refusal at the gate", refuse("out_of_scope", 401), "no"],
    ["what a second delivery of its token may be told", refuse("jwt_verification", 401), "unknown"],
    ["what a late second delivery may be told", refuse("expired_jwt", 401), "unknown"],
    ["a repeated id", refuse("invalid_parameter", 400, "client_order_id already exists"), "unknown"],
  ] as const)("is one request after %s", async (_, behaviour, reachedVenue) => {
    here.state.answer = behaviour;
    expect(await here.venue.submit(order, yes)).toMatchObject({ ok: false, fault: { reachedVenue } });
    await settled();
    expect(here.lines).toHaveLength(1);
  });

  it("is taken where the first of two deliveries is shown again, and not where an old order of its name is", async () => {
    here.state.answer = reply({ ...placed, created_at: new Date(Date.now() - 2_000).toISOString() }, 201);
    expect(await here.venue.submit(order, yes)).toEqual({ ok: true, value: { orderId: ID } });
    here.state.answer = reply({ ...placed, created_at: "2026-07-04T15:05:46+09:00" }, 201);
    expect(await here.venue.submit(order, yes)).toMatchObject({
      fault: { code: "EOrder:Duplicate client id", reachedVenue: "unknown" },
    });
    expect(here.lines).toHaveLength(2);
  });

  it("is refused here where the exchange has no form for it", async () => {
    const market = { symbol: "BTC/KRW", type: "market", userref: NAME } as const;
    for (const wrong of [
      { ...market, side: "buy", volume: "1" },
      { ...market, side: "sell", amount: "5000" },
      { ...market, side: "buy", amount: "5000", time_in_force: "FOK" },
      { ...order, userref: "a name with spaces" },
      { ...order, userref: "a.name" },
    ] as const)
      expect(await here.venue.submit(wrong, yes)).toMatchObject({ ok: false, fault: { code: "ELocal:Invalid input" } });
    expect(here.lines).toEqual([]);
  });

  it("is an amount to buy and a volume to sell where it is at the market", async () => {
    here.state.answer = reply({ order_id: ID }, 201);
    await here.venue.submit({ symbol: "BTC/KRW", side: "buy", type: "market", amount: "6000", userref: NAME }, yes);
    await here.venue.submit({ symbol: "BTC/KRW", side: "sell", type: "market", volume: "0.5", userref: NAME }, yes);
    expect(here.bodies.map((body) => JSON.parse(body) as object)).toEqual([
      { market: "KRW-BTC", side: "bid", order_type: "price", price: "6000", client_order_id: NAME },
      { market: "KRW-BTC", side: "ask", order_type: "market", volume: "0.5", client_order_id: NAME },
    ]);
  });
});

describe("a look-up by name", () => {
  it("finds the order, or the exchange's own word that there is none, and else concludes nothing", async () => {
    const sought = { userref: NAME };
    here.state.answer = reply(detail);
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "found", item: [{ orderId: ID }] } });
    here.state.answer = reply({ ...detail, client_order_id: undefined });
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "found", item: [{ userref: NAME }] } });
    here.state.answer = refuse("order_not_found", 404);
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "none" } });
    for (const behaviour of [refuse(404, 404), refuse("order_not_found", 200), refuse("something_new")]) {
      here.state.answer = behaviour;
      expect((await here.venue.lookup(sought)).ok).toBe(false);
    }
    here.state.answer = reply({ ...detail, client_order_id: "another" });
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "cannot_say" } });
    expect(here.lines[0]).toBe(`GET /v1/order?client_order_id=${NAME}`);
  });

  it("cannot say while the order is not ready", async () => {
    here.state.answer = refuse("order_not_ready", 422);
    expect(await here.venue.lookup({ userref: NAME })).toMatchObject({ value: { kind: "cannot_say" } });
  });
});

describe("a cancel", () => {
  it("is one request, answered with no more than that it was taken", async () => {
    here.state.answer = reply({ order_id: ID, created_at: detail.created_at });
    expect(await here.venue.cancel("BTC/KRW", ID)).toEqual({ ok: true, value: { count: 1 } });
    here.state.answer = reply({ order_id: "C9" });
    expect(await here.venue.cancel("BTC/KRW", ID)).toMatchObject({ fault: { reachedVenue: "unknown" } });
    here.state.answer = refuse("order_not_ready", 422);
    expect(await here.venue.cancel("BTC/KRW", ID)).toMatchObject({ fault: { reachedVenue: "unknown" } });
    here.state.answer = refuse("order_not_found", 404);
    expect(await here.venue.cancel("BTC/KRW", ID)).toMatchObject({ fault: { reachedVenue: "yes" } });
    expect(here.lines).toEqual(Array.from({ length: 4 }, () => `DELETE /v2/order?order_id=${ID}`));
  });
});

describe("a cancel of all", () => {
  it("cancels each order that waits, and again only one that was not ready and is open still", async () => {
    const open = new Set(["a", "b", "c"]);
    let asked = 0;
    here.state.answer = (response, line) => {
      if (line.includes("state=watch"))
        return reply(page([{ ...listed, order_id: "w", state: "watch" }]))(response, line);
      if (line.startsWith("GET"))
        return reply(page([...open].map((id) => ({ ...listed, order_id: id, state: "wait" }))))(response, line);
      const id = line.split("order_id=")[1] ?? "";
      if (id === "b" && asked++ === 0) return refuse("order_not_ready", 422)(response, line);
      if (id === "c") return refuse("order_not_found", 404)(response, line);
      open.delete(id);
      return reply({ order_id: id })(response, line);
    };
    const answer = await here.venue.cancelAll();
    if (!answer.ok) throw new Error(answer.fault.code);
    expect(answer.value.requested.toSorted()).toEqual(["a", "b", "w"]);
    expect(answer.value.failed).toEqual([{ uuid: "c", error: "EOrder:Unknown order" }]);
    const cancels = here.lines.filter((line) => line.startsWith("DELETE")).map((line) => line.slice(-1));
    expect(cancels.toSorted()).toEqual(["a", "b", "b", "c", "w"]);
  });

  it("asks for those of one market alone where one is named", async () => {
    here.state.answer = reply(page([]));
    expect(await here.venue.cancelAll("BTC/KRW")).toEqual({ ok: true, value: { requested: [], failed: [] } });
    expect(here.lines).toEqual(
      ["wait", "watch"].map((state) => `GET /v2/orders/pending?market=KRW-BTC&state=${state}&limit=100&order_by=desc`),
    );
  });

  it("is not known to have had an effect where no cancel was answered", async () => {
    here.state.answer = routes({ GET: page([{ ...listed, state: "wait" }]), DELETE: refuse("server_error", 500) });
    expect(await here.venue.cancelAll()).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
    expect(here.lines.filter((line) => line.startsWith("DELETE"))).toHaveLength(1);
  });
});

describe("the list of open orders", () => {
  const waiting = (id: string) => ({ ...listed, order_id: id, state: "wait" });

  it("is all pages of both states, the key of a page hashed the other way where the first is refused", async () => {
    here.state.answer = (response, line) => {
      if (line.includes("state=watch")) return reply(page([]))(response, line);
      if (!line.includes("next_key")) return reply(page([waiting("a")], "k+/="))(response, line);
      const isFirst = here.lines.filter((each) => each.includes("next_key")).length === 1;
      return (isFirst ? refuse("invalid_query_payload", 401) : reply(page([waiting("b")])))(response, line);
    };
    const answer = await here.venue.orders({});
    if (!answer.ok) throw new Error(answer.fault.code);
    expect(answer.value.orders.map(({ orderId }) => orderId)).toEqual(["a", "b"]);
    expect(here.lines.filter((line) => line.includes("next_key=k%2B%2F%3D"))).toHaveLength(2);
  });

  it("is none where a page leads to itself, or says that there are more and not where", async () => {
    here.state.answer = reply(page([waiting("a")], "same"));
    expect((await here.venue.orders({})).ok).toBe(false);
    here.state.answer = reply({ ...page([waiting("a")]), has_next: true });
    expect((await here.venue.orders({})).ok).toBe(false);
  });
});

describe("what is read", () => {
  it("has the fills of closed orders, each ended order asked for once", async () => {
    const at = (agoMs: number) => new Date(Date.now() - agoMs).toISOString();
    const closed = { ...listed, created_at: at(60_000) };
    const trades = detail.trades.map((trade) => ({ ...trade, created_at: at(30_000) }));
    here.state.answer = routes({
      "GET /v2/orders/history": page([closed]),
      "GET /v2/orders/pending": page([]),
      "GET /v1/order?": { ...detail, created_at: closed.created_at, trades },
    });
    for (let reading = 0; reading < 2; reading++) {
      const found: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const fills = await here.venue.fills(cursor === undefined ? {} : { cursor });
        if (!fills.ok) throw new Error(fills.fault.code);
        found.push(...fills.value.trades.map(({ trade_id }) => trade_id));
        cursor = fills.value.next_cursor;
      }
      expect(new Set(found)).toEqual(new Set(["t-1", "t-2"]));
    }
    expect(here.lines.filter((line) => line.startsWith("GET /v1/order?uuid="))).toHaveLength(1);
    const spans = here.lines.flatMap((line) => {
      const [, start, end] = /start_time=(\d+)&end_time=(\d+)/.exec(line) ?? [];
      return start === undefined ? [] : [Number(end) - Number(start)];
    });
    expect(Math.max(...spans)).toBeLessThanOrEqual(7 * 86_400_000);
  });

  it("leaves out markets of other quotes and letters, and takes minimum and fees of one from the exchange", async () => {
    const names = ["KRW-BTC", "BTC-ETH", "KRW-한글"].map((market) => ({
      market,
      korean_name: "비",
      english_name: "B",
    }));
    const chance = { bid_fee: "0.0004", ask_fee: "0.0005", market: { state: "active", bid: { min_total: "5000.0" } } };
    here.state.answer = routes({
      "GET /v1/market/all": names,
      "GET /v1/orders/chance": chance,
      "GET /v1/ticker": reply('[{"market":"KRW-BTC","trade_price":95539000.0,"acc_trade_volume_24h":5.0E-5}]'),
    });
    const markets = await here.venue.markets();
    if (!markets.ok) throw new Error(markets.fault.code);
    expect(markets.value.map(({ symbol, tick_size }) => [symbol, tick_size])).toEqual([["BTC/KRW", "1000"]]);
    const [btc] = markets.value;
    if (btc === undefined) throw new Error("no market");
    expect(btc.tick_bands.slice(0, 4)).toEqual(
      [
        ["0", "0.0001"],
        ["1", "0.001"],
        ["10", "0.01"],
        ["100", "1"],
      ].map(([from_price, tick_size]) => ({ from_price, tick_size })),
    );
    for (let asked = 0; asked < 2; asked++)
      expect(await here.venue.rules(btc)).toMatchObject({ value: { taker_fee_rate: "0.0005", min_notional: "5000" } });
    expect(here.lines.filter((line) => line.includes("chance"))).toHaveLength(1);
    expect(await here.venue.tickers()).toMatchObject({ value: [{ last: "95539000", volume: "0.00005" }] });
  });

  it("asks for tickers a hundred at a time", async () => {
    here.state.answer = reply("[]");
    const symbols = Array.from({ length: 250 }, (_, at) => `C${at}/KRW`);
    expect(await here.venue.tickers(symbols)).toEqual({ ok: true, value: [] });
    expect(here.lines).toHaveLength(3);
  });

  it("asks for candles before a moment of Korean time, without a zone", async () => {
    here.state.answer = reply("[]");
    await here.venue.candles("BTC/KRW", "1h", { toMs: Date.parse("2026-07-04T05:59:00Z") });
    expect(here.lines[0]).toBe("GET /v1/candles/minutes/60?market=KRW-BTC&to=2026-07-04T15%3A00%3A00&count=200");
  });

  it("has the balances under a steady name, and the time of an answer's date", async () => {
    here.state.answer = reply('[{"currency":"KRW","balance":"1000.5","locked":"0.0","avg_buy_price":"0"}]');
    const accounts = await here.venue.accounts();
    expect(accounts).toMatchObject({ value: { balances: [{ asset: "KRW", total: "1000.5", locked: "0" }] } });
    here.state.answer = reply("[]", 200, { date: "Thu, 27 Nov 2026 01:02:03 GMT" });
    expect(await here.venue.time()).toMatchObject({ value: { iso: expect.stringContaining("T01:02:03.000Z") } });
  });

  it("is the exchange's refusal where that comes with a status of success", async () => {
    here.state.answer = refuse(404, 200);
    expect(await here.venue.orderbook("NO/KRW")).toMatchObject({ fault: { code: "EQuery:Unknown asset pair" } });
  });
});
