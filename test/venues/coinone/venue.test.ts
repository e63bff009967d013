import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Venue } from "../../../src/desk/index.ts";
import { checkCard } from "../../../src/desk/risk/order-validation.ts";
import { orderOf } from "../../../src/venues/coinone/answers.ts";
import { CARD } from "../../../src/venues/coinone/card.ts";
import {
  active,
  type Behaviour,
  canceled,
  fill,
  hang,
  ID,
  limit,
  marketSell,
  NAME,
  refuse,
  reply,
  success,
  world,
} from "./scripted.ts";

let here: Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  here = await world();
});
afterEach(() => here.close());

const order = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "1", price: "100000", userref: NAME } as const;
const yes = async (): Promise<boolean> => true;
const PAIR = { quote_currency: "KRW", target_currency: "BTC" };
const placed = success({ order_id: ID });
const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

it("the adapter has the shape of the desk's venue", () => {
  const venue: Venue = here.venue as Venue;
  expect(venue.card).toMatchObject({ name: "coinone", absence: { by: "id", scope: "account_forever" } });
  expect(JSON.stringify(venue)).not.toContain("canary");
});

describe("an order", () => {
  it("is one signed request with its own id, after beforeSend alone, and answered with the exchange's", async () => {
    here.state.answer = placed;
    const stamps: string[] = [];
    const answer = await here.venue.submit({ ...order, post_only: true }, async (nonce) => {
      stamps.push(`${nonce} ${here.heard.length}`);
      return true;
    });
    expect(answer).toEqual({ ok: true, value: { orderId: ID } });
    const [only] = here.heard;
    expect(here.heard).toHaveLength(1);
    expect(only?.line).toBe("POST /v2.1/order");
    expect(JSON.parse(only?.body ?? "")).toEqual({
      ...{
        access_token: "token-1",
        nonce: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab]/),
        side: "BUY",
      },
      ...{ ...PAIR, type: "LIMIT", price: "100000", qty: "1", post_only: true, user_order_id: NAME },
    });
    expect(Buffer.from(String(only?.headers["x-coinone-payload"]), "base64").toString()).toBe(only?.body);
    expect(only?.headers).toMatchObject({ "user-agent": expect.stringMatching(/^hoga\//) });
    expect(only?.headers).not.toHaveProperty("origin");
    expect(stamps).toEqual([expect.stringMatching(/^\d{13} 0$/)]);
  });

  it.each([
    ["a limit order", order, { side: "BUY", type: "LIMIT", price: "100000", qty: "1", post_only: false }],
    [
      "a market buy",
      { ...order, type: "market", amount: "5000.0001" },
      { side: "BUY", type: "MARKET", amount: "5000.0001" },
    ],
    [
      "a market sell",
      { ...order, type: "market", side: "sell", volume: "0.1" },
      { side: "SELL", type: "MARKET", qty: "0.1" },
    ],
  ] as const)("has the fields of %s", async (_, { price, volume, ...rest }, fields) => {
    here.state.answer = placed;
    const sized = rest.type === "limit" ? { price, volume } : rest.side === "sell" ? { volume } : {};
    expect((await here.venue.submit({ ...rest, ...sized }, yes)).ok).toBe(true);
    expect(here.asked()).toEqual([expect.stringMatching(/^POST \/v2\.1\/order \{/)]);
    const { access_token: _token, nonce: _nonce, ...sent } = JSON.parse(here.heard[0]?.body ?? "");
    expect(sent).toEqual({ ...PAIR, ...fields, user_order_id: NAME });
  });

  it("is not sent when beforeSend says no", async () => {
    expect(await here.venue.submit(order, async () => false)).toMatchObject({
      ok: false,
      fault: { reachedVenue: "no" },
    });
    expect(here.heard).toEqual([]);
  });

  it.each([
    ["no answer in time", hang, "unknown"],
    ["an unlisted refusal", refuse("54"), "unknown"],
    ["a failure", refuse("103", 503), "unknown"],
    ["a failure without a word", reply("", 503), "unknown"],
    ["a page", reply("<html>", 403), "unknown"],
    ["a page with a status of success", reply("<html>"), "unknown"],
    ["a redirect", reply("", 302, { location: "/v2.1/order" }), "unknown"],
    ["no id", success({}), "unknown"],
    ["neither a success nor a refusal", reply({ order_id: ID }), "unknown"],
    ["a server error with a status of success", refuse("405"), "unknown"],
    ["a nonce that was used", refuse("132"), "unknown"],
    ["a repeated id", refuse("312"), "unknown"],
    ["an order that is said to be there", refuse("118"), "unknown"],
    ["no such order", refuse("104"), "unknown"],
    ["a listed refusal", refuse("103"), "yes"],
    ["a listed refusal with another status", refuse("103", 400), "yes"],
    ["a refusal at the gate", refuse("40"), "no"],
    ["too many calls", refuse("4"), "no"],
  ] as const)("is one request after %s", async (_, behaviour, reachedVenue) => {
    here.state.answer = behaviour;
    expect(await here.venue.submit(order, yes)).toMatchObject({ ok: false, fault: { reachedVenue } });
    await soon();
    expect(here.heard).toHaveLength(1);
  });

  it("is refused here where the exchange has no form for it", async () => {
    const market = { symbol: "BTC/KRW", type: "market", userref: NAME } as const;
    for (const wrong of [
      { ...market, side: "buy", volume: "1" },
      { ...market, side: "sell", amount: "5000" },
      { ...market, side: "buy", amount: "5000.00001" },
      { ...market, side: "buy", amount: "5000", time_in_force: "FOK" },
      { ...order, time_in_force: "IOC" },
      { ...order, time_in_force: "FOK" },
      { ...order, userref: "Capitals" },
      { ...order, validate_only: true },
    ] as const)
      expect(await here.venue.submit(wrong, yes)).toMatchObject({ ok: false, fault: { code: "ELocal:Invalid input" } });
    expect(here.heard).toEqual([]);
  });

  it("goes as a market order with a lowest price where it sells at once at a limit, and is read as what it was sent for", async () => {
    here.state.answer = success({ order_id: ID });
    const sold = { symbol: "BTC/KRW", side: "sell", type: "limit", volume: "0.001", price: "36000000" } as const;
    expect((await here.venue.submit({ ...sold, time_in_force: "IOC", userref: NAME }, yes)).ok).toBe(true);
    const fields = {
      side: "SELL",
      ...PAIR,
      type: "MARKET",
      qty: "0.001",
      limit_price: "36000000",
      user_order_id: NAME,
    };
    expect(here.asked()).toEqual([`POST /v2.1/order ${JSON.stringify(fields)}`]);
    const shown = (limit_price: string) => orderOf({ ...marketSell, limit_price } as never, { readAtMs: 0 });
    expect(shown("36000000")).toMatchObject({ type: "limit", price: "36000000", volume: "0.001" });
    expect(shown("0.0001")).toMatchObject({ type: "market", price: null, volume: "0.001" });
  });

  it("is refused by a preview for what the card has not, before anything is written down", () => {
    const request = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "1", price: "1000" } as const;
    const problems = (more: object) => checkCard(CARD, { quote: "KRW" } as never, { ...request, ...more } as never);
    for (const time_in_force of ["IOC", "FOK"])
      expect(problems({ time_in_force })).toMatchObject([{ field: "time_in_force" }]);
    expect(problems({ side: "sell", time_in_force: "IOC" })).toEqual([]);
    expect(problems({ side: "sell", time_in_force: "FOK" })).toMatchObject([{ field: "time_in_force" }]);
    expect(problems({ post_only: true, time_in_force: "GTC" })).toEqual([]);
    expect(problems({ type: "market", price: undefined })).toMatchObject([{ field: "base_volume" }]);
  });
});

describe("a cancel", () => {
  it("is one request, and answered with no more than that it was taken", async () => {
    here.state.answer = success(canceled);
    expect(await here.venue.cancel("BTC/KRW", ID, yes)).toEqual({ ok: true, value: { count: 1 } });
    expect(here.asked()).toEqual([`POST /v2.1/order/cancel ${JSON.stringify({ order_id: ID, ...PAIR })}`]);
  });

  it.each([
    ["no answer in time", hang, "unknown"],
    ["another order", success({ ...canceled, order_id: "another" }), "unknown"],
    ["a server error", refuse("405"), "unknown"],
    ["an order that was canceled before", refuse("117"), "unknown"],
    ["an order that is filled", refuse("116"), "yes"],
    ["no such order", refuse("104"), "yes"],
  ] as const)("is one request after %s", async (_, behaviour, reachedVenue) => {
    here.state.answer = behaviour;
    expect(await here.venue.cancel("BTC/KRW", ID)).toMatchObject({ ok: false, fault: { reachedVenue } });
    await soon();
    expect(here.heard).toHaveLength(1);
  });
});

describe("a look-up by name", () => {
  const sought = { userref: NAME, symbol: "BTC/KRW" };

  it("finds the order in any state, or the exchange's own word that there is none, and else concludes nothing", async () => {
    here.state.answer = success({ order: limit });
    expect(await here.venue.lookup(sought)).toMatchObject({
      value: { kind: "found", item: [{ orderId: ID, userref: NAME, state: "canceled" }] },
    });
    expect(here.asked()).toEqual([`POST /v2.1/order/detail ${JSON.stringify({ user_order_id: NAME, ...PAIR })}`]);
    here.state.answer = refuse("104");
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "none" } });
    for (const odd of [refuse("104", 404), refuse("108"), reply("<html>", 404), success({})]) {
      here.state.answer = odd;
      expect((await here.venue.lookup(sought)).ok).toBe(false);
    }
    for (const other of [{ user_order_id: "another" }, { target_currency: "ETH" }]) {
      here.state.answer = success({ order: { ...limit, ...other } });
      expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "cannot_say" } });
    }
  });

  it("cannot say without a market, nor of an order that was answered with an id and is not found", async () => {
    expect(await here.venue.lookup({ userref: NAME })).toMatchObject({ value: { kind: "cannot_say" } });
    expect(here.heard).toEqual([]);
    here.state.answer = placed;
    await here.venue.submit(order, yes);
    here.state.answer = refuse("104");
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "cannot_say" } });
    expect(await here.venue.order("BTC/KRW", ID)).toMatchObject({ ok: false, fault: { code: "EOrder:Unknown order" } });
  });
});

/** Answers by what the path ends with. */
const by =
  (answers: Readonly<Record<string, Behaviour>>): Behaviour =>
  (response, heard) => {
    const path = Object.keys(answers).find((end) => heard.line.endsWith(end));
    (answers[path ?? ""] ?? refuse("20"))(response, heard);
  };

describe("a cancel of all", () => {
  it("asks once for each market with an open order, then by ids for what is left", async () => {
    let asked = 0;
    const eth = { ...active, order_id: "a" };
    const lists = [[eth, { ...eth, ...PAIR, order_id: "b" }], [eth]];
    here.state.answer = by({
      "/active_orders": (response, heard) => success({ active_orders: lists[asked++] ?? [] })(response, heard),
      "/cancel/all": success({ canceled_count: 1, total_order_count: 1 }),
      "/cancel": (response, heard) =>
        success({ ...canceled, order_id: JSON.parse(heard.body).order_id })(response, heard),
    });
    expect(await here.venue.cancelAll()).toEqual({ ok: true, value: { requested: ["a", "b"], failed: [] } });
    expect(here.asked().filter((line) => line.includes("/cancel"))).toEqual([
      'POST /v2.1/order/cancel/all {"quote_currency":"KRW","target_currency":"ETH"}',
      'POST /v2.1/order/cancel/all {"quote_currency":"KRW","target_currency":"BTC"}',
      'POST /v2.1/order/cancel {"order_id":"a","quote_currency":"KRW","target_currency":"ETH"}',
    ]);
  });

  it("asks also in a market in which an order was sent, where no list has it", async () => {
    here.state.answer = hang;
    await here.venue.submit(order, yes);
    here.state.answer = by({ "/active_orders": success({ active_orders: [] }), "/cancel/all": success({}) });
    expect(await here.venue.cancelAll()).toEqual({ ok: true, value: { requested: [], failed: [] } });
    expect(here.asked()).toContain(`POST /v2.1/order/cancel/all ${JSON.stringify(PAIR)}`);
  });

  it("goes on with the others after a refusal, names what was refused, and is open where an answer is missing", async () => {
    const open = success({ active_orders: [{ ...active, order_id: "a" }] });
    here.state.answer = by({ "/active_orders": open, "/cancel/all": refuse("300"), "/cancel": refuse("50") });
    expect(await here.venue.cancelAll("ETH/KRW")).toEqual({
      ok: true,
      value: { requested: [], failed: [{ uuid: "a", error: "EGeneral:Permission denied" }] },
    });
    here.state.answer = by({
      "/active_orders": open,
      "/cancel/all": refuse("405"),
      "/cancel": success({ order_id: "a" }),
    });
    expect(await here.venue.cancelAll()).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
  });
});

describe("what is read", () => {
  const DAY_MS = 86_400_000;
  const spanOf = (body: string) =>
    JSON.parse(body) as { from_ts: number; to_ts: number; to_trade_id?: string; size: number };

  it("has all fills of a year, window by window and page by page, each once", async () => {
    const now = Date.now();
    const ages = [1, 2, 3, 4, 200];
    const fills = ages.map((days, at) => ({ ...fill, trade_id: `t-${at}`, timestamp: now - days * DAY_MS }));
    here.state.answer = (response, heard) => {
      const { from_ts, to_ts, to_trade_id, size } = spanOf(heard.body);
      expect(to_ts - from_ts).toBeLessThanOrEqual(90 * DAY_MS);
      expect(to_ts).toBeLessThanOrEqual(Date.now());
      const after = fills.findIndex(({ trade_id }) => trade_id === to_trade_id);
      const inside = fills.slice(after + 1).filter(({ timestamp: at }) => at >= from_ts && at <= to_ts);
      success({ completed_orders: inside.slice(0, size) })(response, heard);
    };
    const found: string[] = [];
    for (let cursor: string | null | undefined, pages = 0; cursor !== null && pages < 20; pages++) {
      const page = await here.venue.fills({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      if (!page.ok) throw new Error(page.fault.code);
      found.push(...page.value.trades.map(({ trade_id }) => trade_id));
      cursor = page.value.next_cursor;
    }
    expect(found).toEqual(["t-0", "t-1", "t-2", "t-3", "t-4"]);
    expect(here.heard[0]?.line).toBe("POST /v2.1/order/completed_orders/all");
  });

  it("leads on where an answer begins with the fill that was asked for", async () => {
    const now = Date.now();
    const fills = [1, 2, 3].map((days, at) => ({ ...fill, trade_id: `t-${at}`, timestamp: now - days * DAY_MS }));
    here.state.answer = (response, heard) => {
      const { to_trade_id, size } = spanOf(heard.body);
      const from = Math.max(
        0,
        fills.findIndex(({ trade_id }) => trade_id === to_trade_id),
      );
      success({ completed_orders: fills.slice(from, from + size) })(response, heard);
    };
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await here.venue.fills({
        limit: 1,
        symbol: "BTC/KRW",
        fromMs: now - 5 * DAY_MS,
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (!page.ok) throw new Error(page.fault.code);
      found.push(...page.value.trades.map(({ trade_id }) => trade_id));
      cursor = page.value.next_cursor;
    }
    expect(found).toEqual(["t-0", "t-1", "t-2"]);
    expect(here.heard[0]?.line).toBe("POST /v2.1/order/completed_orders");
  });

  it("has closed orders from fills, each asked for once, and open ones from their list", async () => {
    const now = Date.now();
    const fills = ["o-1", "o-1", "o-2"].map((order_id, at) => ({
      ...fill,
      order_id,
      trade_id: `t-${at}`,
      timestamp: now - at - 1_000,
    }));
    here.state.answer = by({
      "/active_orders": success({ active_orders: [active] }),
      "/completed_orders/all": success({ completed_orders: fills }),
      "/detail": (response, heard) => {
        const { order_id } = JSON.parse(heard.body);
        success({
          order: {
            ...limit,
            order_id,
            status: order_id === "o-2" ? "PARTIALLY_FILLED" : "FILLED",
            ordered_at: now - 60_000,
          },
        })(response, heard);
      },
    });
    for (let reading = 0; reading < 2; reading++)
      expect(await here.venue.orders({ state: "closed", fromMs: now - DAY_MS })).toMatchObject({
        value: { orders: [{ orderId: "o-1", state: "filled" }], next_cursor: null },
      });
    const details = here.asked().filter((line) => line.includes("/detail"));
    expect(details.filter((line) => line.includes("o-1"))).toHaveLength(1);
    expect(details.filter((line) => line.includes("o-2"))).toHaveLength(2);
    expect(await here.venue.orders()).toMatchObject({
      value: { orders: [{ orderId: active.order_id }], next_cursor: null },
    });
    const all = await here.venue.orders({ state: "all", fromMs: now - DAY_MS });
    expect(all).toMatchObject({ value: { orders: [{ state: "open" }], next_cursor: expect.stringMatching(/^c\d+$/) } });
    expect(await here.venue.orders({ cursor: "nonsense", state: "closed" })).toMatchObject({
      fault: { field: "cursor" },
    });
  });

  it("takes ticks and fees of one market from the exchange, once in ten minutes", async () => {
    here.state.answer = by({
      "/markets/KRW": success({ markets: [{ ...PAIR, price_unit: "1000", qty_unit: "0.0001", trade_status: 1 }] }),
      "/range_units/KRW/BTC": reply('{"result":"success","range_price_units":[{"range_min":0,"price_unit":5.0E-1}]}'),
      "/ticker_new/KRW/BTC": success({ tickers: [{ ...PAIR, last: "148601000.0" }] }),
      "/trade_fee/KRW/BTC": success({ fee_rates: [{ ...PAIR, maker: "0.0", taker: "0.001" }] }),
    });
    const markets = await here.venue.markets();
    if (!markets.ok) throw new Error(markets.fault.code);
    const [btc] = markets.value;
    if (btc === undefined) throw new Error("no market");
    expect(btc).toMatchObject({ tick_size: "1000", taker_fee_rate: "0.002", volume_decimals: 4 });
    for (let asking = 0; asking < 2; asking++)
      expect(await here.venue.rules(btc)).toMatchObject({
        value: {
          tick_bands: [{ from_price: "0", tick_size: "0.5" }],
          tick_size: "0.5",
          maker_fee_rate: "0",
          taker_fee_rate: "0.001",
        },
      });
    expect(here.heard.filter(({ line }) => line.includes("range_units"))).toHaveLength(1);
  });

  it("has several tickers from one call, and candles in which something was traded, oldest first", async () => {
    const tickers = ["BTC", "ETH", "XRP"].map((target_currency) => ({ ...PAIR, target_currency, last: "1000" }));
    const chart = [3, 2, 1].map((minute) => ({
      timestamp: minute * 60_000 + 1.6e12,
      open: "1",
      high: "1",
      low: "1",
      close: "1",
      target_volume: minute === 2 ? "0.0" : "1.5",
      quote_volume: "1",
    }));
    here.state.answer = by({ "/ticker_new/KRW": success({ tickers }), "size=500": success({ chart, is_last: true }) });
    const told = await here.venue.tickers(["BTC/KRW", "XRP/KRW"]);
    expect(told).toMatchObject({ value: [{ symbol: "BTC/KRW" }, { symbol: "XRP/KRW", last: "1000" }] });
    expect(await here.venue.tickers([])).toEqual({ ok: true, value: [] });
    const candles = await here.venue.candles("BTC/KRW", "1m", {});
    expect(candles).toMatchObject({
      value: [{ time: "2020-09-13T12:27:40.000Z" }, { time: "2020-09-13T12:29:40.000Z" }],
    });
  });

  it("is asked again after a failure, with another nonce", async () => {
    let calls = 0;
    here.state.answer = (response, heard) =>
      (calls++ === 0 ? refuse("405") : success({ balances: [] }))(response, heard);
    expect(await here.venue.accounts()).toMatchObject({
      ok: true,
      value: { account_id: expect.stringMatching(/^coinone-/) },
    });
    expect(here.heard).toHaveLength(2);
    expect(new Set(here.heard.map(({ body }) => JSON.parse(body).nonce)).size).toBe(2);
  });

  it("has the time of an answer's date", async () => {
    here.state.answer = reply({ result: "success", range_price_units: [] }, 200, {
      date: "Fri, 27 Nov 2026 01:02:03 GMT",
    });
    expect(await here.venue.time()).toMatchObject({ value: { iso: "2026-11-27T01:02:03.000Z" } });
  });
});
