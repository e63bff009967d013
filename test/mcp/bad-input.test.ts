import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

interface BadInput {
  readonly what: string;
  readonly args: Record<string, unknown>;
  readonly field: string;
  /** Part of the text that tells how to write it instead. */
  readonly fix: string;
}

const LIMIT = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
const MARKET = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "100000" };
const ID = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77";

const COMPLIANCE = {
  ...{ vasp_purpose_code: "TRADE", originator_vasp_id: "KR-VASP-0001" },
  ...{ kyc_level: "TIER2", settlement_mode: "INSTANT_KRW" },
};

const NO_STOPS = "an order that waits for a price is a plan: create_plan";

/** Every number field against every way to write a number wrongly. */
const numbers: readonly BadInput[] = [
  { base: LIMIT, field: "base_volume" },
  { base: LIMIT, field: "price" },
  { base: MARKET, field: "quote_amount" },
].flatMap(({ base, field }) =>
  [
    { what: "negative", value: "-1", fix: "a sign is not allowed" },
    { what: "zero", value: "0", fix: "greater than 0" },
    { what: "NaN", value: "NaN", fix: "not a plain decimal" },
    { what: "exponent", value: "1e3", fix: 'write "1000"' },
    { what: "number for string", value: 0.5, fix: 'send "0.5" as a string' },
    { what: "thousands separators", value: "1,000", fix: 'write "1000"' },
    { what: "too many integer digits", value: "1".repeat(19), fix: "at most 18 digits" },
    { what: "too many fraction digits", value: "0.123456789", fix: "at most 8 digits" },
    { what: "a trailing space", value: "1 ", fix: 'write "1"' },
  ].map(({ what, value, fix }) => ({ what: `${field}: ${what}`, args: { ...base, [field]: value }, field, fix })),
);

/** As if it were left out. */
const empty: readonly BadInput[] = [
  { base: LIMIT, left: "base_volume", field: "base_volume", fix: "needs base_volume (coins)" },
  { base: LIMIT, left: "price", field: "price", fix: "needs price" },
  { base: MARKET, left: "quote_amount", field: "base_volume", fix: "exactly one" },
].map(({ base, left, field, fix }) => ({ what: `${left}: empty`, args: { ...base, [left]: "" }, field, fix }));

const fields: readonly BadInput[] = [
  { what: "unknown field", args: { ...LIMIT, foo: 1 }, field: "foo", fix: "the fields here are" },
  { what: "misspelled field", args: { ...LIMIT, timeInforce: "IOC" }, field: "timeInforce", fix: '"time_in_force"' },
  { what: "size", args: { ...LIMIT, size: "1" }, field: "size", fix: '"base_volume" (the quantity of the coin)' },
  { what: "amount", args: { ...MARKET, amount: "1" }, field: "amount", fix: '"quote_amount" (KRW to spend' },
  { what: "ordType", args: { ...LIMIT, ordType: "limit" }, field: "ordType", fix: '"type"' },
  { what: "limit_price", args: { ...LIMIT, limit_price: "1" }, field: "limit_price", fix: '"price"' },
  { what: "clientOrderId", args: { ...LIMIT, clientOrderId: "a" }, field: "clientOrderId", fix: '"userref"' },
  { what: "dryRun", args: { ...LIMIT, dryRun: true }, field: "dryRun", fix: "use preview_order" },
  { what: "a stop", args: { ...LIMIT, type: "stop" }, field: "type", fix: NO_STOPS },
  { what: "stop-loss price", args: { ...LIMIT, stop_loss: "1" }, field: "stop_loss", fix: NO_STOPS },
  { what: "take profit", args: { ...LIMIT, takeProfit: "1" }, field: "takeProfit", fix: NO_STOPS },
  { what: "trailing", args: { ...LIMIT, type: "trailing-stop" }, field: "type", fix: NO_STOPS },
  { what: "a stop in Korean", args: { ...LIMIT, type: "손절" }, field: "type", fix: NO_STOPS },
  {
    what: "recurring",
    args: { ...MARKET, recurring: "daily" },
    field: "recurring",
    fix: "orders that repeat or come in pieces are a plan",
  },
  { what: "alert", args: { ...LIMIT, price_alert: "1" }, field: "price_alert", fix: "create_plan with kind alert" },
  { what: "leverage", args: { ...LIMIT, leverage: 5 }, field: "leverage", fix: "hoga has no margin, leverage" },
  { what: "short", args: { ...LIMIT, side: "short" }, field: "side", fix: "hoga has no margin, leverage" },
  { what: "prototype pollution", args: JSON.parse('{"__proto__":1,"a":1}'), field: "a", fix: "fields here are" },
  { what: "market for symbol", args: { market: "BTC/KRW", side: "buy" }, field: "market", fix: '"symbol"' },
  { what: "enum with a space", args: { ...LIMIT, side: "BUY " }, field: "side", fix: 'did you mean "buy"?' },
  { what: "enum in Korean", args: { ...LIMIT, side: "매도" }, field: "side", fix: 'did you mean "sell"?' },
  { what: "side as it is said", args: { ...LIMIT, side: "사줘" }, field: "side", fix: 'did you mean "buy"?' },
  { what: "type as it is said", args: { ...LIMIT, type: "시장가로" }, field: "type", fix: 'did you mean "market"?' },
  { what: "field in Korean", args: { ...LIMIT, 수량: "1" }, field: "수량", fix: '"base_volume"' },
  { what: "won in Korean", args: { ...MARKET, quote_amount: "5만원" }, field: "quote_amount", fix: 'write "50000"' },
  { what: "price in Korean", args: { ...LIMIT, price: "1억 5천만 원" }, field: "price", fix: 'write "150000000"' },
  { what: "coins in Korean", args: { ...LIMIT, base_volume: "0.5개" }, field: "base_volume", fix: 'write "0.5"' },
  {
    what: "won as coins",
    args: { ...LIMIT, base_volume: "5만원" },
    field: "base_volume",
    fix: 'send quote_amount "50000"',
  },
  {
    what: "coins as won",
    args: { ...MARKET, quote_amount: "2개" },
    field: "quote_amount",
    fix: 'send base_volume "2"',
  },
  {
    what: "all of it",
    args: { ...LIMIT, side: "sell", base_volume: "전량" },
    field: "base_volume",
    fix: 'send "100%"',
  },
  { what: "half of it", args: { ...MARKET, quote_amount: "절반" }, field: "quote_amount", fix: 'send "50%"' },
  { what: "nearly won", args: { ...MARKET, quote_amount: "5만원쯤" }, field: "quote_amount", fix: "in digits alone" },
  { what: "enum out of nowhere", args: { ...LIMIT, type: "banana" }, field: "type", fix: '"limit", "market"' },
  { what: "enum of time", args: { ...LIMIT, time_in_force: "gtc" }, field: "time_in_force", fix: 'mean "GTC"?' },
  { what: "flag in other letters", args: { ...LIMIT, post_only: "True" }, field: "post_only", fix: "without quotes" },
  { what: "flag as a number", args: { ...LIMIT, post_only: 1 }, field: "post_only", fix: "must be true or false" },
  { what: "bad userref", args: { ...LIMIT, userref: "a b" }, field: "userref", fix: "1 to 64 characters" },
  { what: "text that is no JSON", args: { ...LIMIT, compliance: "{kyc" }, field: "compliance", fix: "one JSON object" },
  { what: "a list for an object", args: { ...LIMIT, compliance: "[]" }, field: "compliance", fix: "one JSON object" },
  {
    what: "JSON text with a field twice",
    args: { ...LIMIT, compliance: '{"kyc_level":"TIER1","kyc_\\u006cevel":"TIER3"}' },
    field: "compliance",
    fix: '"kyc_level" stands twice: send it once',
  },
  {
    what: "an unknown field in JSON text",
    args: { ...LIMIT, compliance: '{"kyc":"TIER1"}' },
    field: "compliance.kyc",
    fix: '"kyc_level", "settlement_mode"',
  },
  {
    what: "figures in full width",
    args: { ...LIMIT, price: "１００００００００" },
    field: "price",
    fix: 'write "100000000"',
  },
  { what: "enum in full width", args: { ...LIMIT, side: "ｂｕｙ" }, field: "side", fix: 'did you mean "buy"?' },
  { what: "empty enum", args: { ...LIMIT, side: "" }, field: "side", fix: "is missing" },
  { what: "bad compliance", args: { ...LIMIT, compliance: "x" }, field: "compliance", fix: "one JSON object" },
  { what: "null for an unknown field", args: { ...LIMIT, size: null }, field: "size", fix: '"base_volume"' },
  { what: "null for all", args: { symbol: null, side: null, type: null }, field: "symbol", fix: "is missing" },
  {
    what: "null in compliance",
    args: { ...LIMIT, compliance: { foo: null } },
    field: "compliance.foo",
    fix: "unknown",
  },
  { what: "missing side", args: { symbol: "BTC/KRW", type: "market" }, field: "side", fix: 'one of "buy", "sell"' },
  { what: "symbol as number", args: { ...LIMIT, symbol: 5 }, field: "symbol", fix: 'write the market as "BTC/KRW"' },
];

/** Right in form, wrong by the rules of the market or of orders. */
const rules: readonly BadInput[] = [
  {
    what: "a nickname of a coin",
    args: { ...LIMIT, symbol: "비트" },
    field: "symbol",
    fix: 'There is no market "비트". Did you mean BTC/KRW ("비트코인")?',
  },
  {
    what: "over-tick price",
    args: { ...LIMIT, price: "100000001" },
    field: "price",
    fix: "use ₩100,000,000 or ₩100,001,000",
  },
  { what: "under-minimum", args: { ...LIMIT, base_volume: "0.00001" }, field: "base_volume", fix: "₩5,000" },
  {
    what: "under-minimum amount",
    args: { ...MARKET, quote_amount: "1" },
    field: "quote_amount",
    fix: "at least ₩5,000",
  },
  { what: "huge", args: { ...LIMIT, base_volume: "9".repeat(30) }, field: "base_volume", fix: "smaller number" },
  { what: "no such market", args: { ...LIMIT, symbol: "BTD/KRW" }, field: "symbol", fix: "BTC/KRW" },
  { what: "limit without price", args: { ...LIMIT, price: undefined }, field: "price", fix: "needs price" },
  { what: "market with price", args: { ...MARKET, price: "1" }, field: "price", fix: "takes no price" },
  { what: "limit with two sizes", args: { ...LIMIT, quote_amount: "1" }, field: "quote_amount", fix: "exactly one" },
];

const place = [...fields, ...numbers, ...empty, ...rules].map((bad) => ({ ...bad, tool: "place_order" }));

const drafts = [
  { what: "draft and order", args: { ...LIMIT, draft_id: "x" }, field: "symbol", fix: "send draft_id alone" },
  { what: "unknown draft", args: { draft_id: "nothing" }, field: "draft_id", fix: "preview_order" },
  { what: "empty draft", args: { draft_id: "" }, field: "symbol", fix: "is missing" },
].map((bad) => ({ ...bad, tool: "place_order" }));

const cancels = [
  { what: "unknown field", args: { order_id: ID, foo: 1 }, field: "foo", fix: "fields here are" },
  { what: "misspelled field", args: { orderId: ID }, field: "orderId", fix: '"order_id"' },
  { what: "another name", args: { uuid: ID }, field: "uuid", fix: '"order_id"' },
  { what: "no name", args: {}, field: "order_id", fix: "by order_id or by userref" },
  { what: "two names", args: { order_id: ID, userref: "a" }, field: "order_id", fix: "not both" },
  { what: "empty", args: { order_id: "", userref: "" }, field: "order_id", fix: "by order_id or by userref" },
  { what: "number for string", args: { order_id: 7 }, field: "order_id", fix: "send text" },
  { what: "huge", args: { order_id: "9".repeat(9_999) }, field: "order_id", fix: "as it was returned" },
  { what: "bad userref", args: { userref: "a/b" }, field: "userref", fix: "1 to 64 characters" },
  { what: "no such market", args: { order_id: ID, symbol: "BTX" }, field: "symbol", fix: "Did you mean" },
].map((bad) => ({ ...bad, tool: "cancel_order" }));

const cancelAlls = [
  { what: "unknown field", args: { foo: 1 }, field: "foo", fix: "fields here are" },
  { what: "misspelled field", args: { symbl: "BTC/KRW" }, field: "symbl", fix: '"symbol"' },
  { what: "another name", args: { market: "BTC/KRW" }, field: "market", fix: '"symbol"' },
  { what: "number for string", args: { symbol: 1 }, field: "symbol", fix: 'write the market as "BTC/KRW"' },
  { what: "empty", args: { symbol: "" }, field: "symbol", fix: "is empty: say which one is meant" },
  { what: "no such market", args: { symbol: "BTD/KRW" }, field: "symbol", fix: "BTC/KRW" },
  { what: "wrong side", args: { side: "bid" }, field: "side", fix: '"buy", "sell"' },
  { what: "empty side", args: { side: "" }, field: "side", fix: "is empty: say which one is meant" },
].map((bad) => ({ ...bad, tool: "cancel_all_orders" }));

const timers = [
  { what: "nothing", args: {}, field: "timeout_s", fix: "is missing" },
  { what: "unknown field", args: { timeout_s: 60, foo: 1 }, field: "foo", fix: "fields here are" },
  { what: "another name", args: { seconds: 60 }, field: "seconds", fix: '"timeout_s"' },
  ...["+60", "060", "60.0", "6e1", " 60", "６０", "1".repeat(16)].map((timeout_s) => ({
    what: `${timeout_s} for a number`,
    args: { timeout_s },
    field: "timeout_s",
    fix: "whole number",
  })),
  { what: "empty for what has to be there", args: { timeout_s: "" }, field: "timeout_s", fix: "is empty, and has to" },
  { what: "a fraction", args: { timeout_s: 7.5 }, field: "timeout_s", fix: "whole number" },
  { what: "negative", args: { timeout_s: -1 }, field: "timeout_s", fix: "from 0 to 86400" },
  { what: "huge", args: { timeout_s: 1e9 }, field: "timeout_s", fix: "from 0 to 86400" },
  { what: "too soon", args: { timeout_s: 4 }, field: "timeout_s", fix: "5 to 86400, or 0" },
  { what: "null for what has to be there", args: { timeout_s: null }, field: "timeout_s", fix: "is null" },
].map((bad) => ({ ...bad, tool: "set_cancel_timer" }));

describe.each(ERAS)("bad input from a %s client", (era) => {
  let exchange: ExchangeFixture;
  let client: TestClient;

  beforeAll(async () => {
    exchange = await startExchange();
    client = await connect(era, createMcpServer({ desk: exchange.desk, version: "0.0.0" }));
    await client.listTools();
  });

  afterAll(async () => {
    await client.close();
    await exchange.close();
  });

  beforeEach(() => {
    exchange.relay.seen.length = 0;
  });

  it.each([...place, ...drafts, ...cancels, ...cancelAlls, ...timers])(
    "$tool refuses $what, names $field and the fix, and sends nothing",
    async ({ tool, args, field, fix }) => {
      const { isError, text, structured } = await client.call(tool, args);
      expect({ isError, structured }).toMatchObject({
        isError: true,
        structured: { outcome: "not_sent", environment: "sandbox", warnings: [], error: { field, retryable: false } },
      });
      expect(structured).toHaveProperty("account");
      expect(text).toContain(fix);
      expect(text).toMatch(
        /^\[sandbox\] (Denied by hoga: n|N)othing was (sent|canceled|changed)|^\[sandbox\] Not canceled: no cancel was sent/,
      );
      expect(exchange.relay.writes()).toEqual([]);
    },
  );

  it.each([null, ""])(
    "takes %j for a field that may be left out, as strict function calling has to send it",
    async (none) => {
      const left = { draft_id: none, quote_amount: none, time_in_force: none, post_only: none, userref: none };
      const placed = await client.call("place_order", { ...LIMIT, ...left, compliance: none });
      expect(placed).toMatchObject({ isError: false, structured: { outcome: "accepted", state: "open" } });
      expect((await client.call("get_open_orders", { symbol: none })).structured["orders"]).toHaveLength(1);
      const canceled = await client.call("cancel_order", {
        order_id: none,
        userref: placed.structured["userref"],
        symbol: none,
      });
      expect(canceled.structured).toMatchObject({ outcome: "accepted" });
    },
  );

  it("takes null for the market of cancel_all_orders as none, and cancels everything", async () => {
    for (const symbol of ["BTC/KRW", "ETH/KRW"])
      await client.call("place_order", { ...LIMIT, symbol, price: "1000000", base_volume: "0.01" });
    const canceled = await client.call("cancel_all_orders", { symbol: null });
    expect(canceled.structured).toMatchObject({ outcome: "accepted", canceled: 2, remaining: 0 });
  });

  it("takes one order written in two ways for the same, and sends it once", async () => {
    const plain = { ...LIMIT, base_volume: "0.0011", compliance: COMPLIANCE, post_only: true };
    const again = {
      ...plain,
      symbol: "ＢＴＣ／ＫＲＷ",
      post_only: "true",
      compliance: JSON.stringify(COMPLIANCE),
      userref: "",
    };
    await Promise.all([plain, again].map((order) => client.call("place_order", order)));
    expect(exchange.relay.writes().filter((line) => /^POST .*orders/.test(line))).toHaveLength(1);
    const { structured } = await client.call("get_open_orders", {});
    expect(structured["orders"]).toMatchObject([{ symbol: "BTC/KRW", volume: "0.0011", post_only: true }]);
    await client.call("cancel_all_orders", {});
  });

  it("lists all problems at once, the first one as the field", async () => {
    const { text, structured } = await client.call("place_order", { ...LIMIT, side: "up", price: "1e3", tif: "GTC" });
    expect(structured["error"]).toMatchObject({ field: "tif" });
    for (const part of ['"time_in_force"', '"buy", "sell"', "exponent"]) expect(text).toContain(part);
  });

  it("answers reads in the same words", async () => {
    const depth = await client.call("get_orderbook", { symbol: "BTC/KRW", depth: "05" });
    expect(depth).toMatchObject({ isError: true, structured: { environment: "sandbox", error: { field: "depth" } } });
    expect(depth.text).toBe('[sandbox] The arguments do not fit: "depth": send a whole number from 1 to 500; got "05"');
    const when = await client.call("get_order_history", { from: "yesterday" });
    expect(when.text).toContain("a day 2026-03-31");
    const size = await client.call("get_orderbook", { symbol: "BTC/KRW", base_volume: "1" });
    expect(size.text).toContain('whether the size is to "buy" or to "sell"');
    const market = await client.call("get_ticker", { symbol: "비트코익" });
    expect(market).toMatchObject({ isError: true, structured: { error: { code: "ELocal:Unknown market" } } });
  });

  it("says once what hoga does not do, however many arguments ask for it", async () => {
    const stop = { ...LIMIT, type: "stop_limit", stop_price: "90000000", trigger: "last" };
    const { text } = await client.call("place_order", stop);
    expect(text.split(NO_STOPS)).toHaveLength(2);
    for (const field of ['"stop_price"', '"trigger"', '"type" "stop_limit": the same; it is one of "limit", "market"'])
      expect(text).toContain(field);
  });

  it("refuses arguments that are no object, and unknown tools, before any tool sees them", async () => {
    await expect(client.call("place_order", [])).rejects.toThrow("arguments");
    await expect(client.call("place_order", "BTC/KRW")).rejects.toThrow("arguments");
    await expect(client.call("buy_everything", {})).rejects.toThrow("Tool buy_everything not found");
    expect(exchange.relay.seen).toEqual([]);
  });
});
