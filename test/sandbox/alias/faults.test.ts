import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALIAS_PROBLEMS, type AliasProblem } from "../../../src/contract/index.ts";
import { type Reply, send } from "../http/signed-client.ts";
import { must, openVenue, START, type Venue } from "../http/venue.ts";
import { AliasClient, LIMIT, type Parameters, refusal } from "./alias-client.ts";

let venue: Venue;
let paper: AliasClient;

beforeAll(async () => {
  venue = await openVenue();
  paper = new AliasClient(venue.sandbox.baseUrl, venue.paper.credentials, venue.clock);
  await venue.maker.order({ side: "sell", volume: "1", price: "100000000" });
});

afterAll(() => venue.sandbox.close());

const order = (parameters: Parameters) => () => paper.order(parameters);
const read = (path: string, parameters?: Parameters) => () => paper.get(path, parameters);
const open = (target: string) => () => send(venue.sandbox.baseUrl, "GET", `/api/v3/${target}`);

const MATCHING = { type: "LIMIT_MAKER", timeInForce: "", price: "100000000" };

type Row = readonly [what: string, number: number, call: () => Promise<Reply>, says: RegExp];

/** All of them are answered with 400. */
const ROWS: readonly Row[] = [
  ["a quantity of zero", -1013, order({ quantity: "0" }), /^Invalid quantity/],
  ["a quote amount of zero", -1013, () => paper.market({ quoteOrderQty: "0" }), /^Invalid quantity/],
  ["a quantity below the minimum", -1013, order({ quantity: "0.000001" }), /LOT_SIZE; volume .* minimum of 0.00001/],
  ["a value below the minimum", -1013, order({ quantity: "0.00001", price: "1000000" }), /NOTIONAL; .* 5000/],
  ["a quote amount below the minimum", -1013, () => paper.market({ quoteOrderQty: "4999" }), /NOTIONAL; .* 5000/],
  ["a price off the tick", -1013, order({ price: "90000001" }), /PRICE_FILTER; .* nearest valid: 90000000/],
  ["a price of zero", -1013, order({ price: "0" }), /PRICE_FILTER/],
  ["a quantity off the step", -1013, order({ symbol: "XRPKRW", quantity: "9.0000001", price: "3000" }), /LOT_SIZE/],
  ["letters in a number", -1100, order({ quantity: "1e-3" }), /'quantity'; legal range is '\^\(0\|/],
  ["a comma in a number", -1100, order({ price: "90,000,000" }), /'price'/],
  ["a negative number", -1100, order({ quantity: "-1" }), /'quantity'/],
  ["a name of too many characters", -1100, order({ newClientOrderId: "x".repeat(65) }), /'newClientOrderId'/],
  ["a page larger than there is", -1100, open("trades?symbol=BTCKRW&limit=1001"), /'limit'/],
  ["a depth of zero", -1100, open("depth?symbol=BTCKRW&limit=0"), /'limit'/],
  ["a market that cannot be one", -1100, open("depth?symbol=BTC-KRW"), /'symbol'/],
  ["a list that is none", -1100, open("ticker/price?symbols=BTCKRW"), /'symbols'/],
  ["broken percent encoding", -1100, open("depth?symbol=%ZZ"), /'symbol'/],
  ["a body that is no form", -1100, () => sendJson("order"), /'body'/],
  ["a body on a GET", -1100, () => sendForm("account"), /'body'/],
  ["a parameter given twice", -1101, open("depth?symbol=BTCKRW&symbol=BTCKRW"), /Duplicate/],
  ["one missing", -1102, open("depth"), /'symbol'/],
  ["a limit order without price", -1102, order({ price: "" }), /'price'/],
  ["a limit order without quantity", -1102, order({ quantity: "" }), /'quantity'/],
  ["a limit order without time in force", -1102, order({ timeInForce: "" }), /'timeInForce'/],
  ["a market order without size", -1102, () => paper.market({}), /'quantity' or 'quoteOrderQty'/],
  ["an order without type", -1102, order({ type: "" }), /'type'/],
  ["neither id", -1102, read("order", { symbol: "BTCKRW" }), /'origClientOrderId' or 'orderId'/],
  ["one that is not known", -1104, order({ stopPrice: "1" }), /read '8' parameter\(s\) but was sent '9'.*'stopPrice'/],
  ["a misspelled one", -1104, order({ timeinForce: "GTC" }), /did you mean 'timeInForce'/],
  ["a prototype", -1104, open("ping?__proto__=1"), /'__proto__'/],
  ["an envelope on a public call", -1104, open(`ping?timestamp=${START}`), /'timestamp'/],
  ["an empty one", -1105, open("depth?symbol="), /'symbol'/],
  ["a price on a market order", -1106, () => paper.market({ quantity: "1", price: "1" }), /'price'/],
  [
    "a time in force on a market order",
    -1106,
    () => paper.market({ quantity: "1", timeInForce: "GTC" }),
    /'timeInForce'/,
  ],
  ["a quote amount on a limit order", -1106, order({ quoteOrderQty: "5000" }), /'quoteOrderQty'/],
  ["a time in force on a post-only order", -1106, order({ type: "LIMIT_MAKER" }), /'timeInForce'/],
  ["nine decimals", -1111, order({ quantity: "0.000000001" }), /'quantity'/],
  ["an unknown time in force", -1115, order({ timeInForce: "GTX" }), /timeInForce/],
  ["an order type there is not", -1116, order({ type: "STOP_LOSS_LIMIT" }), /orderType/],
  ["a side in small letters", -1117, order({ side: "buy" }), /side/],
  ["an empty client order id", -1118, () => paper.post("order", { ...LIMIT, newClientOrderId: "" }), /New client/],
  ["an empty id to look for", -1119, read("order", { symbol: "BTCKRW", origClientOrderId: "" }), /Original client/],
  ["an interval there is not", -1120, open("klines?symbol=BTCKRW&interval=1w"), /interval/],
  ["an unknown market", -1121, open("depth?symbol=NOKRW"), /symbol/],
  ["an unknown market in a list", -1121, open('ticker/24hr?symbols=["BTCKRW","NOKRW"]'), /symbol/],
  ["an order in an unknown market", -1121, order({ symbol: "NOKRW" }), /symbol/],
  ["more than a day of orders", -1127, read("allOrders", span(86_400_001)), /24 hours/],
  ["more than a day of trades", -1127, read("myTrades", span(86_400_001)), /24 hours/],
  ["one market and a list", -1128, open('ticker/price?symbol=BTCKRW&symbols=["BTCKRW"]'), /Combination/],
  ["both sizes of a market order", -1128, () => paper.market({ quantity: "1", quoteOrderQty: "1" }), /Combination/],
  ["a period that ends before it begins", -1128, read("allOrders", span(-1)), /Combination/],
  ["candles that end before they begin", -1128, open("klines?symbol=BTCKRW&interval=1h&startTime=2&endTime=1"), /Comb/],
  ["an order and a period", -1128, read("myTrades", { ...span(1), orderId: "x" }), /Combination/],
  ["a kind of answer there is not", -1130, order({ newOrderRespType: "ALL" }), /'newOrderRespType'/],
  ["another prevention mode", -1130, order({ selfTradePreventionMode: "NONE" }), /'selfTradePreventionMode'/],
  ["a kind of ticker there is not", -1139, open("ticker/24hr?type=MICRO"), /ticker type/],
  ["times in microseconds", -1194, () => inMicroseconds("time"), /MILLISECOND/],
  ["more than there is", -2010, order({ quantity: "10" }), /^Account has insufficient balance for requested action\.$/],
  ["a post-only order that would match", -2010, order(MATCHING), /^Order would immediately match and take\.$/],
  ["an order that is not there", -2013, read("order", { symbol: "BTCKRW", orderId: "1" }), /^Order does not exist\.$/],
  [
    "canceling what is not there",
    -2011,
    () => paper.delete("order", { symbol: "BTCKRW", orderId: "1" }),
    /Unknown order/,
  ],
];

function span(milliseconds: number): Parameters {
  return { symbol: "BTCKRW", startTime: String(START), endTime: String(START + milliseconds) };
}

function sendJson(path: string): Promise<Reply> {
  return send(venue.sandbox.baseUrl, "POST", `/api/v3/${path}`, { "Content-Type": "application/json" }, "{}");
}

function sendForm(path: string): Promise<Reply> {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  return send(venue.sandbox.baseUrl, "GET", `/api/v3/${path}`, headers, "a=b");
}

function inMicroseconds(path: string): Promise<Reply> {
  return send(venue.sandbox.baseUrl, "GET", `/api/v3/${path}`, { "X-MBX-TIME-UNIT": "MICROSECOND" });
}

describe("an alias call is refused", () => {
  it.each(ROWS)("when it holds %s, with %i, and the message says what is wrong", async (_, number, call, says) => {
    const reply = await call();
    expect([refusal(reply), reply.json.msg]).toEqual([[400, number], expect.stringMatching(says)]);
  });

  it.each(["allOrders", "myTrades"])(
    "only when the period is longer than a day: a whole day of %s is shown",
    async (path) => {
      expect((await paper.get(path, span(86_400_000))).status).toBe(200);
    },
  );

  it("and when all are over, nothing was placed and nothing broke", async () => {
    expect((await paper.get("allOrders", { symbol: "BTCKRW" })).json).toEqual([]);
    expect(venue.defects).toEqual([]);
  });
});

describe("an alias order is refused", () => {
  it("when the market is halted, where cancels work", async () => {
    const { exchange } = venue.sandbox;
    const { orderId } = (await paper.order()).json;
    const set = (status: "trading" | "halted") =>
      must(exchange.apply({ type: "setMarketStatus", symbol: "BTC/KRW", status }, venue.clock.now));
    set("halted");
    const reply = await paper.order();
    expect([refusal(reply), reply.json.msg]).toEqual([[400, -1013], "Market is closed."]);
    expect((await paper.delete("order", { symbol: "BTCKRW", orderId })).status).toBe(200);
    set("trading");
  });

  it("when it cancels an order that has ended", async () => {
    const { orderId } = (await paper.order()).json;
    const cancel = () => paper.delete("order", { symbol: "BTCKRW", orderId });
    expect((await cancel()).status).toBe(200);
    expect(refusal(await cancel())).toEqual([400, -2011]);
  });

  it("when the account has no linked KRW account", async () => {
    const { exchange } = venue.sandbox;
    const accountId = "unlinked";
    must(exchange.apply({ type: "createAccount", accountId, krwAccountLinked: false }, venue.clock.now));
    const { credentials } = venue.addKey({ accountId });
    expect(refusal(await new AliasClient(paper.baseUrl, credentials, venue.clock).order())).toEqual([400, -2010]);
  });

  it("when its client order id was used within a day, if the key rejects duplicates", async () => {
    const { credentials } = venue.addKey({ rejectDuplicateUserref: true });
    const careful = new AliasClient(paper.baseUrl, credentials, venue.clock);
    const { orderId } = (await careful.order({ newClientOrderId: "day" })).json;
    await careful.delete("order", { symbol: "BTCKRW", orderId });
    expect(refusal(await careful.order({ newClientOrderId: "day" }))).toEqual([400, -2010]);
  });

  it("when a thousand orders are open", async () => {
    const accountId = "busy";
    const { exchange } = venue.sandbox;
    const at = venue.clock.now;
    must(exchange.apply({ type: "createAccount", accountId, krwAccountLinked: true }, at));
    must(exchange.apply({ type: "deposit", accountId, asset: "KRW", amount: 10n ** 18n }, at));
    const { credentials } = venue.addKey({ accountId });
    const busy = new AliasClient(paper.baseUrl, credentials, venue.clock);
    const { orderId } = (await busy.order()).json;
    const first = exchange.order(accountId, orderId);
    if (first === undefined) throw new Error("the first order is not there");
    for (let count = 1; count < 1000; count += 1)
      must(exchange.apply({ ...first, type: "place", orderId: `${orderId}-${count}` }, at));
    const reply = await busy.order();
    expect([refusal(reply), reply.json.msg]).toEqual([[400, -1013], "Filter failure: EXCHANGE_MAX_NUM_ORDERS"]);
  });
});

describe("a request that is not an alias operation", () => {
  it.each([
    ["GET", "/api/v3/userDataStream"],
    ["PUT", "/api/v3/order"],
    ["POST", "/api/v3/ping"],
    ["GET", "/api/v3/"],
  ])("is answered with 404: %s %s", async (method, target) => {
    expect(refusal(await send(venue.sandbox.baseUrl, method, target))).toEqual([404, -1020]);
  });

  it("when its body has more than 64 KiB, is answered in the dialect's form", async () => {
    const { baseUrl } = venue.sandbox;
    expect(refusal(await send(baseUrl, "POST", "/api/v3/order", {}, "x".repeat(64 * 1024 + 1)))).toEqual([413, -1130]);
  });
});

describe("the table of problems", () => {
  it("is covered: each of its numbers occurred in a refusal above", () => {
    const seen = new Set(ROWS.map(([, number]) => number));
    // Faults of signature and timestamp are tested with signing, a mismatch of both ids with orders.
    const elsewhere: readonly AliasProblem[] = ["timestampAhead", "otherClientOrderId"];
    const missing = Object.entries(ALIAS_PROBLEMS).filter(
      ([name, { number }]) => !seen.has(number) && !elsewhere.some((each) => each === name),
    );
    expect(missing).toEqual([]);
  });
});
