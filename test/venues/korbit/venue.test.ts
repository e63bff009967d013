import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Venue } from "../../../src/desk/index.ts";
import { detail, good, hang, IMPATIENT, refuse, reply, routes, world } from "./scripted.ts";

let here: Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  here = await world();
});
afterEach(() => here.close());

const NAME = "hg0123456789abcdef";
const order = {
  symbol: "BTC/KRW",
  side: "sell",
  type: "limit",
  volume: "1",
  price: "140000000",
  userref: NAME,
} as const;
const yes = async (): Promise<boolean> => true;
const placed = good({ orderId: 1234 });

it("the adapter has the shape of the desk's venue", () => {
  const venue: Venue = here.venue as Venue;
  expect(venue.card).toMatchObject({ name: "korbit", absence: { by: "expiry", at: "gate" } });
  expect(JSON.stringify(venue)).not.toContain("canary");
});

describe("an order", () => {
  it("is one request with its id, said by which program, and after beforeSend alone", async () => {
    here.state.answer = placed;
    const stamps: string[] = [];
    const answer = await here.venue.submit({ ...order, post_only: true }, async (nonce) => {
      stamps.push(`${nonce} ${here.lines.length}`);
      return true;
    });
    expect(answer).toEqual({ ok: true, value: { orderId: "1234" } });
    expect(here.lines).toEqual(["POST /v2/orders"]);
    expect(Object.fromEntries(new URLSearchParams(here.bodies[0]))).toEqual({
      ...{ symbol: "btc_krw", side: "sell", orderType: "limit", clientOrderId: NAME, price: "140000000", qty: "1" },
      ...{ timeInForce: "po", timestamp: expect.any(String), recvWindow: "5000" },
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(here.headers[0]).toMatchObject({ "user-agent": expect.stringMatching(/^hoga\//), "x-kapi-key": "key-1" });
    expect(here.headers[0]).not.toHaveProperty("origin");
    expect(stamps).toEqual([expect.stringMatching(/^\d{13} 0$/)]);
  });

  it("is signed by a private key, too", async () => {
    await here.close();
    const { privateKey } = generateKeyPairSync("ed25519");
    const apiSecret = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    here = await world({ credentials: { apiKey: "key-1", apiSecret } });
    here.state.answer = placed;
    expect((await here.venue.submit(order, yes)).ok).toBe(true);
    expect(here.bodies[0]).toMatch(/&signature=[A-Za-z0-9%]{86,}%3D%3D$/);
  });

  it("is not sent when beforeSend says no", async () => {
    const answer = await here.venue.submit(order, async () => false);
    expect(answer).toMatchObject({ ok: false, fault: { reachedVenue: "no" } });
    expect(here.lines).toEqual([]);
  });

  it.each([
    ["no answer in time", hang, "unknown"],
    ["an unlisted refusal", refuse("SOMETHING_NEW"), "unknown"],
    ["a failure", refuse("NO_BALANCE", 503), "unknown"],
    ["a page", reply("<html>", 403), "unknown"],
    ["a redirect", reply("", 302, { location: "/v2/orders" }), "unknown"],
    ["an answer without an id", good({}), "unknown"],
    ["an answer that is none", reply("{}"), "unknown"],
    ["a repeated id", refuse("DUPLICATE_CLIENT_ORDER_ID"), "unknown"],
    ["a refusal of a cancel", refuse("TRY_AGAIN"), "unknown"],
    ["a listed refusal", refuse("NO_BALANCE"), "yes"],
    ["a listed refusal that says 200", reply({ success: false, error: { code: 400, message: "NO_BALANCE" } }), "yes"],
    ["a refusal at the gate", refuse("EXCEED_TIME_WINDOW"), "no"],
    ["too many", refuse("TOO_MANY_REQUESTS", 429), "no"],
    ["too many, and no word of it", reply("", 429), "no"],
    ["a page that says too many", reply("<html>", 429), "unknown"],
    ["a failure without a word", reply("", 502), "unknown"],
    ["nothing", reply("", 400), "unknown"],
  ] as const)("is one request after %s", async (_, behaviour, reachedVenue) => {
    if (behaviour === hang) {
      await here.close();
      here = await world(IMPATIENT);
    }
    here.state.answer = behaviour;
    expect(await here.venue.submit(order, yes)).toMatchObject({ ok: false, fault: { reachedVenue } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(here.lines).toHaveLength(1);
  });

  it("is no refusal where its id is there already", async () => {
    here.state.answer = refuse("DUPLICATE_CLIENT_ORDER_ID");
    expect(await here.venue.submit(order, yes)).toMatchObject({ fault: { code: "EOrder:Duplicate client id" } });
  });

  it("is refused here where the exchange has no form for it", async () => {
    const market = { symbol: "BTC/KRW", type: "market", userref: NAME } as const;
    for (const wrong of [
      { ...market, side: "buy", volume: "1" },
      { ...market, side: "sell", amount: "5000" },
      { ...market, side: "buy", amount: "5000", time_in_force: "FOK" },
      { ...order, userref: "a".repeat(37) },
    ] as const)
      expect(await here.venue.submit(wrong, yes)).toMatchObject({ ok: false, fault: { code: "ELocal:Invalid input" } });
    expect(here.lines).toEqual([]);
  });
});

describe("the time of a request", () => {
  it("is the exchange's, a second less, and is read anew where it was refused", async () => {
    here.state.ahead = 3_600_000;
    here.state.answer = placed;
    await here.venue.submit(order, yes);
    const sent = (at: number): number =>
      Number(new URLSearchParams(here.bodies[at]).get("timestamp")) - Date.now() - 3_600_000;
    // How exactly a second less, the bytes show.
    expect(Math.abs(sent(0))).toBeLessThan(10_000);
    here.state.ahead = 7_200_000;
    here.state.answer = refuse("EXCEED_TIME_WINDOW");
    await here.venue.submit({ ...order, userref: "hg0123456789abcdeg" }, yes);
    // The next call begins to read it, and the one after goes by it.
    here.state.answer = good([]);
    await here.venue.accounts();
    await expect.poll(() => here.venue.clockOffsetMs(), { timeout: 10_000 }).toBeGreaterThan(7_190_000);
    expect(here.venue.clockOffsetMs()).toBeGreaterThan(7_190_000);
    // Whoever asks for it, it is the same time.
    expect(await here.venue.time()).toMatchObject({ ok: true, value: { iso: expect.stringMatching(/Z$/) } });
    expect(here.venue.clockOffsetMs()).toBeGreaterThan(7_190_000);
    expect((await here.venue.accounts()).ok).toBe(true);
  });

  it("lets a read be asked again where it was refused", async () => {
    let asked = 0;
    here.state.answer = (response, line) => (asked++ === 0 ? refuse("EXCEED_TIME_WINDOW") : good([]))(response, line);
    expect((await here.venue.accounts()).ok).toBe(true);
    expect(here.lines).toHaveLength(2);
  });
});

describe("a cancel", () => {
  it("is one request, answered with no more than that it was taken", async () => {
    here.state.answer = reply({ success: true });
    expect(await here.venue.cancel("BTC/KRW", "1234", yes)).toEqual({ ok: true, value: { count: 1 } });
    expect(here.lines).toEqual(["DELETE /v2/orders?symbol=btc_krw&orderId=1234"]);
    here.state.answer = refuse("SOMETHING_NEW", 500);
    expect(await here.venue.cancel("BTC/KRW", "1234", yes)).toMatchObject({ fault: { reachedVenue: "unknown" } });
    here.state.answer = refuse("ORDER_ALREADY_FILLED");
    expect(await here.venue.cancel("BTC/KRW", "1234", yes)).toMatchObject({
      fault: { code: "EOrder:Order already closed", reachedVenue: "yes" },
    });
    expect(here.lines).toHaveLength(3);
    expect(await here.venue.cancel("BTC/KRW", "../x", yes)).toMatchObject({ fault: { reachedVenue: "no" } });
    expect(here.lines).toHaveLength(3);
  });
});

describe("a look-up by name", () => {
  const sought = { userref: NAME, symbol: "BTC/KRW" };

  it("finds the order, or the exchange's own word that there is none, and else concludes nothing", async () => {
    here.state.answer = good({ ...detail, clientOrderId: NAME });
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "found", item: [{ orderId: "1234" }] } });
    expect(here.lines[0]).toBe(`GET /v2/orders?symbol=btc_krw&clientOrderId=${NAME}`);
    for (const status of [400, 404]) {
      here.state.answer = refuse("ORDER_NOT_FOUND", status);
      expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "none" } });
    }
    for (const other of [refuse("NOT_FOUND", 404), refuse("ORDER_NOT_FOUND", 500), good(null), reply("", 404)]) {
      here.state.answer = other;
      expect((await here.venue.lookup(sought)).ok).toBe(false);
    }
    here.state.answer = good({ ...detail, clientOrderId: "another" });
    expect(await here.venue.lookup(sought)).toMatchObject({ value: { kind: "cannot_say" } });
    here.state.answer = good({ ...detail, symbol: "eth_krw", clientOrderId: NAME });
    expect((await here.venue.lookup(sought)).ok).toBe(false);
  });

  it("says nothing of what the exchange may have forgotten, and nothing without a market", async () => {
    here.state.answer = refuse("ORDER_NOT_FOUND");
    const days = (count: number) => Date.now() - count * 86_400_000;
    expect(await here.venue.lookup({ ...sought, sentAtMs: days(1) })).toMatchObject({ value: { kind: "none" } });
    expect(await here.venue.lookup({ ...sought, sentAtMs: days(3) })).toMatchObject({ value: { kind: "cannot_say" } });
    expect(await here.venue.lookup({ userref: NAME })).toMatchObject({ value: { kind: "cannot_say" } });
  });
});

describe("what is read", () => {
  it("leaves out markets of other quotes and letters, and takes the rules of one from the exchange", async () => {
    const pairs = ["btc_krw", "btc_usdt", "한글_krw"].map((symbol) => ({ symbol, status: "launched" }));
    const steps = [
      { priceGte: "1000000", tickSize: "500" },
      { priceGte: "0", tickSize: "0.1" },
    ];
    const fee = { symbol: "btc_krw", buyFeeCurrency: "krw", takerFeeRate: "0.0015", makerFeeRate: "-0.0005" };
    const ticker = { symbol: "btc_krw", close: "116463000" };
    here.state.answer = routes(
      ["currencyPairs", good([...pairs, { symbol: "xrp_krw", status: "stopped", minOrderValue: "1000" }])],
      ["currencies", good([{ name: "btc", fullName: "Bitcoin" }])],
      ["tickSizePolicy", good([{ symbol: "btc_krw", tickSizePolicy: steps }])],
      ["tradingFeePolicy", good([fee])],
      ["tickers", good([ticker])],
    );
    const markets = await here.venue.markets();
    if (!markets.ok) throw new Error(markets.fault.code);
    expect(markets.value).toMatchObject([
      { symbol: "BTC/KRW", english_name: "Bitcoin", tick_size: "1000", min_notional: "5000", status: "trading" },
      { symbol: "XRP/KRW", english_name: "XRP", min_notional: "1000", status: "halted" },
    ]);
    const [btc] = markets.value;
    if (btc === undefined) throw new Error("no market");
    expect(await here.venue.rules(btc)).toMatchObject({
      value: { tick_size: "500", tick_bands: [{ from_price: "0" }, {}], taker_fee_rate: "0.0015", maker_fee_rate: "0" },
    });
    expect(here.lines.filter((line) => line.includes("currencyPairs"))).toHaveLength(1);
  });

  it("asks for no list of candles that could be cut", async () => {
    const candle = (timestamp: number) => ({ timestamp, open: "1", high: "2", low: "1", close: "2", volume: "3" });
    here.state.answer = (response, line) => {
      const asked = new URLSearchParams(line.split("?")[1]);
      const [start, end] = [Number(asked.get("start")), Number(asked.get("end"))];
      const first = Math.ceil(start / 60_000) * 60_000;
      const count = Math.ceil((end - first) / 60_000);
      expect(count).toBeLessThanOrEqual(200);
      good(Array.from({ length: count }, (_, at) => candle(first + at * 60_000)))(response, line);
    };
    const toMs = 1_700_000_000_000;
    const found = await here.venue.candles("BTC/KRW", "1m", { toMs });
    if (!found.ok) throw new Error(found.fault.code);
    expect(found.value).toHaveLength(500);
    expect(found.value.at(-1)?.time).toBe("2023-11-14T22:13:00.000Z");
    const minutes = found.value.map(({ time }) => Date.parse(time) / 60_000);
    expect(minutes.every((minute, at) => at === 0 || minute === (minutes[at - 1] ?? 0) + 1)).toBe(true);
    const few = await here.venue.candles("BTC/KRW", "1m", { fromMs: toMs - 120_000, toMs });
    expect(few).toMatchObject({ value: [{}, {}] });
  });

  it("has the balances under a steady name", async () => {
    here.state.answer = reply('{"success":true,"data":[{"currency":"krw","available":"1000.5","tradeInUse":"0"}]}');
    const accounts = await here.venue.accounts();
    expect(accounts).toMatchObject({ value: { account_id: expect.stringMatching(/^korbit-/) } });
    expect(accounts).toMatchObject({ value: { balances: [{ asset: "KRW", total: "1000.5", locked: "0" }] } });
  });
});
