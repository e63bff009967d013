import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ONE } from "../../../src/sandbox/model/index.ts";
import { order } from "../engine/exchange-kit.ts";
import { must } from "../http/venue.ts";
import { type Form, refusalOf, resultOf } from "./trading-caller.ts";
import { openTrading, type TradingVenue } from "./venue.ts";

let trading: TradingVenue;
beforeEach(async () => {
  trading = await openTrading();
});
afterEach(() => trading.venue.sandbox.close());

type Listing = "OpenOrders" | "ClosedOrders" | "TradesHistory";
const MEMBER = { OpenOrders: "open", ClosedOrders: "closed", TradesHistory: "trades" } as const;

async function list(operation: Listing, fields: Form = {}) {
  const result = resultOf(operation, await trading.paper.post(operation, fields));
  return { ...result, ids: Object.keys(result[MEMBER[operation]]) };
}

async function place(count: number, fields: Form = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    ids.push(resultOf("AddOrder", await trading.paper.add({ volume: "0.0001", ...fields })).orderId);
    trading.venue.clock.now += 1_000;
  }
  return ids;
}

/** Orders that have ended, oldest first: canceled, filled, expired. */
async function closed(): Promise<[string, string, string]> {
  const [canceled = ""] = await place(1);
  await trading.paper.post("CancelOrder", { txid: canceled });
  await trading.maker.add({ type: "sell", volume: "0.0001", price: "100000000" });
  const [filled = ""] = await place(1, { price: "100000000" });
  const [expired = ""] = await place(1, { timeinforce: "FOK" });
  return [canceled, filled, expired];
}

/** Makes as many fills of the account. */
async function execute(count: number): Promise<void> {
  await trading.maker.add({ type: "sell", volume: "1", price: "100000000" });
  await place(count, { price: "100000000" });
}

describe.each<["OpenOrders" | "ClosedOrders" | "TradesHistory", (count: number) => Promise<unknown>]>([
  ["OpenOrders", (count) => place(count)],
  ["ClosedOrders", (count) => place(count, { timeinforce: "IOC" })],
  ["TradesHistory", (count) => execute(count)],
])("%s", (operation, make) => {
  it("shows the newest first, page by page by cursor, also when something new arrives between two pages", async () => {
    await make(9);
    const all = (await list(operation)).ids;
    expect(all).toHaveLength(9);
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { ids: string[]; next_cursor: string | null } = await list(operation, {
        limit: "4",
        ...(cursor === "" ? {} : { cursor }),
      });
      found.push(...page.ids);
      cursor = page.next_cursor;
      await make(1);
    }
    expect(found).toEqual(all);
  });

  it("shows a period, without its start and with its end, in seconds or milliseconds, or from one item to another", async () => {
    const first = trading.venue.clock.now;
    await make(4);
    const all = (await list(operation)).ids;
    const by = operation === "ClosedOrders" ? { closetime: "open" } : {};
    const seconds = String(first / 1000);
    expect((await list(operation, { start: seconds, ...by })).ids).toEqual(all.slice(0, 3));
    expect((await list(operation, { start: String(first), ...by })).ids).toEqual(all.slice(0, 3));
    expect((await list(operation, { start: String(first / 1000 - 0.001), ...by })).ids).toEqual(all);
    expect((await list(operation, { end: String(first + 1000), ...by })).ids).toEqual(all.slice(2));
    const [, second = "", , oldest = ""] = all;
    expect((await list(operation, { start: oldest, end: second })).ids).toEqual(all.slice(1, 3));
  });

  it("refuses an invalid cursor, time, id or market, and unknown fields", async () => {
    const code = async (fields: Form) => refusalOf(await trading.paper.post(operation, fields));
    expect(await code({ cursor: "bm9wZQ" })).toBe("EGeneral:Invalid arguments:cursor");
    expect(await code({ start: "yesterday" })).toBe("EGeneral:Invalid arguments:start");
    expect(await code({ end: "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77" })).toBe("EGeneral:Invalid arguments:end");
    expect(await code({ start: "T99" })).toBe("EGeneral:Invalid arguments:start");
    expect(await code({ pair: "NOPE" })).toBe("EQuery:Unknown asset pair");
    expect(await code({ limit: "501" })).toBe("EGeneral:Invalid arguments:limit");
    expect(await code({ symbol: "BTCKRW" })).toBe("EGeneral:Invalid arguments:symbol");
  });
});

describe("an account with a long history", () => {
  it("is queried for no more than is shown, and counted only when a count is shown", async () => {
    const { exchange } = trading.venue.sandbox;
    await place(30, { timeinforce: "IOC", userref: "grid" });
    await execute(30);
    const [open = ""] = await place(1, { userref: "grid" });
    const reads = {
      orders: vi.spyOn(exchange, "orders"),
      fills: vi.spyOn(exchange, "fills"),
      countOrders: vi.spyOn(exchange, "countOrders"),
    };
    /** How many records a call copied, and how often it counted. */
    const copied = async (operation: string, fields: Form = {}): Promise<readonly [number, number]> => {
      for (const read of Object.values(reads)) read.mockClear();
      const reply = await trading.paper.post(operation, fields);
      expect(reply.json.error).toEqual([]);
      const orders = reads.orders.mock.results.flatMap(({ value }) => value.orders);
      const fills = reads.fills.mock.results.flatMap(({ value }) => value.fills);
      return [orders.length + fills.length, reads.countOrders.mock.calls.length];
    };
    expect(await copied("OpenOrders")).toEqual([1, 0]);
    expect(await copied("OpenOrders", { userref: "grid" })).toEqual([1, 0]);
    expect(await copied("ClosedOrders", { limit: "5" })).toEqual([5, 1]);
    expect(await copied("ClosedOrders", { limit: "5", without_count: "true", start: open })).toEqual([0, 0]);
    expect(await copied("ClosedOrders", { limit: "5", ofs: "20", without_count: "true" })).toEqual([5, 0]);
    expect(await copied("TradesHistory", { limit: "5" })).toEqual([5, 0]);
    // The two items that bound the period are looked up by their ids.
    expect(await copied("TradesHistory", { start: "T10", end: "T12" })).toEqual([4, 0]);
    expect(await copied("QueryTrades", { txid: "T3,T20" })).toEqual([2, 0]);
    expect(await copied("CancelOrder", { txid: "grid" })).toEqual([1, 0]);
  });
});

describe("OpenOrders", () => {
  it("shows all open orders, or those of a userref or market", async () => {
    const ids = await place(120, { volume: "0.0001", price: "60000000" });
    expect((await list("OpenOrders")).ids).toEqual(ids.toReversed());
    const [own = ""] = await place(1, { userref: "own" });
    const [eth = ""] = await place(1, { pair: "ETHKRW", volume: "0.01", price: "3000000" });
    expect((await list("OpenOrders", { userref: "own" })).ids).toEqual([own]);
    expect((await list("OpenOrders", { cl_ord_id: "own", trades: "true" })).open[own].trades).toEqual([]);
    expect((await list("OpenOrders", { pair: "XETHZKRW" })).ids).toEqual([eth]);
  });
});

describe("ClosedOrders", () => {
  it("shows how orders ended, on request only those that ended in one way", async () => {
    const [canceled, filled, expired] = await closed();
    await place(1);
    const { ids, closed: rows, count } = await list("ClosedOrders");
    expect([ids, count]).toEqual([[expired, filled, canceled], 3]);
    expect([expired, filled, canceled].map((id) => rows[id].status)).toEqual(["expired", "closed", "canceled"]);
    expect((await list("ClosedOrders", { status: "closed" })).ids).toEqual([filled]);
    expect((await list("ClosedOrders", { status: "canceled" })).ids).toEqual([canceled]);
    expect((await list("ClosedOrders", { status: "expired" })).ids).toEqual([expired]);
  });

  it("counts a period by when an order was opened, when it was closed, or either", async () => {
    const [id = ""] = await place(1);
    trading.venue.clock.now += 60_000;
    await trading.paper.post("CancelOrder", { txid: id });
    const start = String(trading.venue.clock.now - 1_000);
    expect((await list("ClosedOrders", { start, closetime: "open" })).ids).toEqual([]);
    expect((await list("ClosedOrders", { start, closetime: "close" })).ids).toEqual([id]);
    expect((await list("ClosedOrders", { start })).ids).toEqual([id]);
  });

  it("skips as many as ofs says, and shows the count unless asked not to", async () => {
    const ids = (await place(5, { timeinforce: "IOC" })).toReversed();
    const page = await list("ClosedOrders", { ofs: "2", limit: "2" });
    expect([page.ids, page.count]).toEqual([ids.slice(2, 4), 5]);
    expect(await list("ClosedOrders", { without_count: "true" })).not.toHaveProperty("count");
    const both = await trading.paper.post("ClosedOrders", { ofs: "1", cursor: page.next_cursor });
    expect(refusalOf(both)).toBe("EGeneral:Invalid arguments:ofs");
  });
});

describe("QueryOrders", () => {
  it("shows orders by id, also those that have ended, and leaves out unknown ids", async () => {
    const [canceled] = await closed();
    const [open = ""] = await place(1);
    const unknown = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77";
    const query = (fields: Form, by = trading.paper) => by.post("QueryOrders", fields);
    const found = resultOf("QueryOrders", await query({ txid: [open, unknown, canceled].join(",") }));
    expect(Object.keys(found)).toEqual([open, canceled]);
    expect(refusalOf(await query({ txid: unknown }))).toBe("EOrder:Unknown order");
    expect(refusalOf(await query({ txid: open }, trading.maker))).toBe("EOrder:Unknown order");
    expect(refusalOf(await query({ txid: open, userref: "other" }))).toBe("EOrder:Unknown order");
    expect(refusalOf(await query({ txid: open, pair: "ETHKRW" }))).toBe("EOrder:Unknown order");
    expect(refusalOf(await query({ txid: "no-id" }))).toBe("EGeneral:Invalid arguments:txid");
    expect(refusalOf(await query({}))).toBe("EGeneral:Invalid arguments:txid");
  });

  it("shows the orders of a period, whatever their state, alone or of those named", async () => {
    const { clock } = trading.venue;
    const begun = clock.now;
    const [first = "", second = "", third = ""] = [
      ...(await place(1, { userref: "u" })),
      ...(await place(1, { userref: "u", timeinforce: "IOC" })),
      ...(await place(1)),
    ];
    const ids = async (fields: Form) =>
      Object.keys(resultOf("QueryOrders", await trading.paper.post("QueryOrders", fields)));
    const [start, end] = [begun, begun + 1_000].map(String) as [string, string];
    expect(await ids({ start, end })).toEqual([second]);
    expect(await ids({ start })).toEqual([third, second]);
    expect(await ids({ end })).toEqual([second, first]);
    expect(await ids({ start: first, end: second })).toEqual([second]);
    expect(await ids({ start, userref: "u" })).toEqual([second]);
    expect(await ids({ start, txid: [first, third].join(",") })).toEqual([third]);
    const none = await trading.paper.post("QueryOrders", { end: String(begun - 1), txid: first });
    expect(refusalOf(none)).toBe("EOrder:Unknown order");
  });

  it("refuses a period with more orders than one answer holds", async () => {
    const client = { accountId: trading.venue.sandbox.accountId, keyId: null, symbol: "BTC/KRW" } as const;
    for (let count = 0; count < 501; count++)
      must(
        trading.venue.sandbox.exchange.apply(
          order({ ...client, side: "buy", price: 90_000_000n * ONE, volume: ONE / 1000n, timeInForce: "IOC" }),
          trading.venue.clock.now,
        ),
      );
    const asked = await trading.paper.post("QueryOrders", { start: "1" });
    expect(refusalOf(asked)).toBe("EGeneral:Invalid arguments:start");
  });

  it("shows every order with a userref, whatever its state", async () => {
    const ids = [...(await place(1, { userref: "u", timeinforce: "IOC" })), ...(await place(1, { userref: "u" }))];
    await place(1, { userref: "other" });
    const found = resultOf("QueryOrders", await trading.paper.post("QueryOrders", { userref: "u" }));
    expect(Object.keys(found)).toEqual(ids.toReversed());
    const elsewhere = await trading.paper.post("QueryOrders", { userref: "u", pair: "ETHKRW" });
    expect(resultOf("QueryOrders", elsewhere)).toEqual({});
    expect(resultOf("QueryOrders", await trading.paper.post("QueryOrders", { cl_ord_id: "never" }))).toEqual({});
  });
});

describe("fills on the Trading API", () => {
  it("have the dialect's fields and the service's own", async () => {
    await trading.maker.add({ type: "sell", volume: "1", price: "100000000" });
    const [id = ""] = await place(1, { price: "100000000", userref: "desk-1" });
    const fill = {
      ordertxid: id,
      postxid: "T1",
      pair: "BTC/KRW",
      time: 1784538000,
      type: "buy",
      ordertype: "limit",
      price: "100000000",
      cost: "10000",
      fee: "5",
      vol: "0.0001",
      margin: "0",
      leverage: "0",
      misc: "",
      trade_id: 1,
      maker: false,
      fee_currency: "KRW",
      userref: "desk-1",
      settlement: { state: "settled" },
      traded_at: "2026-07-20T09:00:00.000Z",
    };
    expect((await list("TradesHistory", { type: "all", trades: "false" })).trades).toEqual({ T1: fill });
    expect(resultOf("QueryTrades", await trading.paper.post("QueryTrades", { txid: "T1,T7" }))).toEqual({ T1: fill });
    const none = await trading.paper.post("QueryTrades", { txid: "T7" });
    expect(refusalOf(none)).toBe("EGeneral:Invalid arguments:txid");
    expect((await list("TradesHistory", { pair: "ETHKRW" })).ids).toEqual([]);
  });

  it("are skipped by ofs, counted, and keep their order beyond the ninth", async () => {
    await execute(12);
    const { ids, count } = await list("TradesHistory");
    expect([ids, count]).toEqual([Array.from({ length: 12 }, (_, index) => `T${12 - index}`), 12]);
    expect((await list("TradesHistory", { ofs: "10" })).ids).toEqual(["T2", "T1"]);
  });
});
