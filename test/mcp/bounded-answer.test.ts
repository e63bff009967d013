/** That no result of a tool is larger than 64 KiB, over an exchange with much to list; and that following the cursors reaches every row once. */
import type { Client } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpServer, TOOLS } from "../../src/mcp/index.ts";
import { leftBy } from "../../src/mcp/text/bounded-answer.ts";
import { KRW_MARKETS } from "../../src/sandbox/engine/index.ts";
import type { MarketRule } from "../../src/sandbox/model/index.ts";
import { ONE, openWorld, type World } from "../fixture/desk-over-sandbox.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

const KIB_64 = 65_536;
const BTC = { symbol: "BTC/KRW" };
const COINS = Array.from({ length: 400 }, (_, index) => `COIN${index}`);
const ALL_MARKETS = COINS.length + KRW_MARKETS.length;
const MINUTE = 60_000;

let world: World;
let client: TestClient;
let overTrading: TestClient;
/** By name: of the account, that has 600 fills. */
let manyFills = "";

beforeAll(async () => {
  world = await openWorld({ sandbox: { markets: [...KRW_MARKETS, ...COINS.map(listed)] } });
  fillAccount();
  const { desk } = await world.seat({ patient: true, plans: (book) => book });
  client = await connect(ERAS[0], createMcpServer({ desk, version: "0.0.0" }));
  const { desk: trading } = await world.seat({ patient: true, api: "trading", plans: (book) => book });
  overTrading = await connect(ERAS[0], createMcpServer({ desk: trading, version: "0.0.0" }));
  await writeSteps();
});
afterAll(async () => {
  await client.close();
  await overTrading.close();
  await world.close();
});

/** Another market like that of BTC. */
function listed(base: string): MarketRule {
  const [btc] = KRW_MARKETS;
  if (btc === undefined) throw new Error("no market");
  return { ...btc, base, symbol: `${base}/KRW`, englishName: `Coin ${base}`, koreanName: `코인 ${base}` };
}

type Command = Parameters<World["sandbox"]["exchange"]["apply"]>[0];

function apply(command: Command): void {
  const applied = world.sandbox.exchange.apply(command, Date.now() + world.venueClock.skewMs);
  if (!applied.ok) throw new Error(`refused: ${applied.message}`);
}

let placed = 0;
function place(accountId: string, side: "buy" | "sell", price: bigint, volume: bigint): string {
  const orderId = `01a1fda0-02f3-7011-b084-${String(++placed).padStart(12, "0")}`;
  apply({
    ...{ type: "place", keyId: null, orderId, orderType: "limit", amount: null, timeInForce: "GTC", postOnly: false },
    ...{ userref: `the-name-of-order-${placed}`, settlementMode: "INSTANT_KRW", symbol: "BTC/KRW" },
    ...{ accountId, side, price: price * ONE, volume },
  });
  return orderId;
}

/** 500 minutes with a trade, 500 orders that filled, one of 600 fills, 500 that are open, 400 coins. */
function fillAccount(): void {
  const { accountId } = world.sandbox;
  for (const asset of COINS) apply({ type: "deposit", accountId, asset, amount: ONE });
  apply({ type: "deposit", accountId, asset: "KRW", amount: 1_000_000_000n * ONE });
  const volume = ONE / 10_000n;
  for (let row = 0; row < 500; row++) {
    place("maker", "sell", 100_000_000n, volume);
    place(accountId, "buy", 100_000_000n, volume);
    world.venueClock.skewMs += MINUTE;
  }
  for (let row = 0; row < 600; row++) place("maker", "sell", 100_000_000n, volume);
  manyFills = place(accountId, "buy", 100_000_000n, volume * 600n);
  for (let row = 0; row < 500; row++) place(accountId, "buy", 50_000_000n, volume);
  for (let row = 0; row < 400; row++) place("maker", "sell", 110_000_000n + BigInt(row) * 1_000n, volume);
  world.clock.skewMs = world.venueClock.skewMs;
}

/** 700 steps in the log, of which 300 are of one order. */
async function writeSteps(): Promise<void> {
  const { accountId: account } = world.sandbox;
  for (let step = 0; step < 700; step++)
    await world.store.audit.append(
      {
        account,
        event: "cancel_requested",
        ...(step % 7 < 3 ? { orderId: manyFills } : {}),
        detail: { symbol: "BTC/KRW", step, note: "n".repeat(100) },
      },
      world.clock.now(),
    );
}

interface Seen {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** A call whose result is not too large, and says so where it was shortened. */
async function called(name: string, args: object = {}, by = client): Promise<Seen> {
  const { content, ...rest } = await (by.raw as Client).callTool({ name, arguments: { ...args } });
  const told = content.filter(({ type }) => type !== "image");
  const bytes = Buffer.byteLength(JSON.stringify({ ...rest, content: told }));
  expect([name, args, bytes, bytes <= KIB_64]).toEqual([name, args, bytes, true]);
  const text = told.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const structured = rest.structuredContent as Readonly<Record<string, unknown>>;
  const { shortened } = structured;
  expect(text.includes("Shortened, as a result is at most 64 KiB")).toBe(shortened !== undefined);
  // By the clock of the reader a moment looks otherwise.
  if (typeof shortened === "string") expect(text).toContain(shortened);
  return { text, structured };
}

function rowsOf({ structured }: Seen, list: string): readonly Readonly<Record<string, unknown>>[] {
  return structured[list] as readonly Readonly<Record<string, unknown>>[];
}

function linesOf({ text }: Seen): number {
  return text.split("\n").filter((line) => line.startsWith("- ")).length;
}

/** Every page of a list, by its cursors. */
async function pagesOf(name: string, args: object, list: string, by = client): Promise<readonly Seen[]> {
  const pages: Seen[] = [];
  for (let cursor: unknown; cursor !== null; ) {
    const page = await called(name, cursor === undefined ? args : { ...args, cursor }, by);
    expect([name, linesOf(page)]).toEqual([name, rowsOf(page, list).length]);
    pages.push(page);
    cursor = page.structured["next_cursor"];
    if (cursor !== null) expect(page.text).toContain(`send cursor ${JSON.stringify(cursor)}`);
  }
  return pages;
}

describe("a list that goes on by a cursor", () => {
  it.each([
    ["get_open_orders", {}, "orders", "orderId", 500],
    ["get_order_history", {}, "orders", "orderId", 501],
    ["get_order_history", { state: "all" }, "orders", "orderId", 1_001],
    ["get_trade_history", {}, "trades", "trade_id", 1_100],
    ["get_audit_log", {}, "entries", "seq", 700],
    ["get_audit_log", { order_id: "many" }, "entries", "seq", 300],
  ])("gives %s %o whole, each row once, however large a page was asked for", async (name, args, list, id, total) => {
    const asked = "order_id" in args ? { order_id: manyFills } : args;
    for (const limit of [500, 41]) {
      const pages = await pagesOf(name, { ...asked, limit }, list);
      const ids = pages.flatMap((page) => rowsOf(page, list).map((row) => row[id]));
      expect([limit, ids.length, new Set(ids).size]).toEqual([limit, total, total]);
      for (const page of pages) {
        const isShort = page.structured["next_cursor"] !== null && rowsOf(page, list).length < limit;
        expect(page.structured["shortened"] !== undefined).toBe(isShort);
      }
      // The large page was cut, the small one need not be.
      expect([limit, pages.some((page) => page.structured["shortened"] !== undefined)]).toEqual([limit, limit === 500]);
    }
  });

  it.each([
    ["get_open_orders", {}, "orders", "orderId", 500],
    ["get_order_history", {}, "orders", "orderId", 501],
    ["get_order_history", { state: "all" }, "orders", "orderId", 1_001],
    ["get_trade_history", {}, "trades", "trade_id", 1_100],
  ])("gives %s %o whole over the Trading API too", async (name, args, list, id, total) => {
    const pages = await pagesOf(name, { ...args, limit: 500 }, list, overTrading);
    const ids = pages.flatMap((page) => rowsOf(page, list).map((row) => row[id]));
    expect([ids.length, new Set(ids).size]).toEqual([total, total]);
    expect(pages.some((page) => page.structured["shortened"] !== undefined)).toBe(true);
  });

  it("keeps the totals of the whole period", async () => {
    const [first] = await pagesOf("get_trade_history", { limit: 500 }, "trades");
    expect(first?.structured["totals"]).toMatchObject({ buy_value: "11000000" });
  });
});

describe("a list without a cursor", () => {
  it("names the markets that are left out, and search finds each", async () => {
    const all = await called("get_markets", { limit: 500 });
    const shown = rowsOf(all, "markets").map(({ symbol }) => String(symbol));
    expect([linesOf(all), all.structured["total"]]).toEqual([shown.length, ALL_MARKETS]);
    const left = namedIn(all, /With search you find the others: ([^.]*)\./);
    expect(new Set([...shown, ...left]).size).toBe(ALL_MARKETS);
    const found = await called("get_markets", { search: left.at(-1) });
    expect(rowsOf(found, "markets").map(({ symbol }) => symbol)).toEqual([left.at(-1)]);
    expect(found.structured["shortened"]).toBeUndefined();
  });

  it("names the prices that are left out, and symbols gets them", async () => {
    const all = await called("get_ticker");
    const left = namedIn(all, /With symbols you get the others: ([^.]*)\./);
    expect(rowsOf(all, "tickers").length + left.length).toBe(ALL_MARKETS);
    const rest = await called("get_ticker", { symbols: left.slice(-100) });
    expect(rowsOf(rest, "tickers").map(({ symbol }) => symbol)).toEqual(left.slice(-100));
  });

  it.each([
    ["get_balances", "balances"],
    ["get_portfolio", "assets"],
  ])("names the coins that %s leaves out, and asset gets them", async (name, list) => {
    const all = await called(name);
    const left = namedIn(all, /With asset you get one of the others: ([^.]*)\./);
    const shown = rowsOf(all, list).map(({ asset }) => asset);
    expect([left.length > 0, new Set([...shown, ...left]).size]).toEqual([true, COINS.length + 2]);
    const one = await called(name, { asset: left.at(-1) });
    expect(rowsOf(one, list)).toMatchObject([{ asset: left.at(-1) }]);
    expect(one.text).toContain(`- ${left.at(-1)}: 1 ${left.at(-1)}`);
    expect(one.structured["shortened"]).toBeUndefined();
  });

  it("keeps the newest candles, and to gets those before", async () => {
    const times: string[] = [];
    let pages = 0;
    for (let to: string | undefined = ""; to !== undefined; pages++) {
      const page = await called("get_candles", { ...BTC, interval: "1m", limit: 500, ...(to === "" ? {} : { to }) });
      const shown = rowsOf(page, "candles").map(({ time }) => String(time));
      expect(linesOf(page)).toBe(shown.length);
      times.unshift(...shown);
      [, to] = /With to "([^"]+)" you get those before/.exec(page.text) ?? [];
    }
    expect(times).toEqual([...new Set(times)].sort((a, b) => (a < b ? -1 : 1)));
    // The oldest minute was not among the newest 500, and is behind the last cut.
    expect([pages > 1, times.length]).toEqual([true, 501]);
  });

  it("says of public trades what has the rest", async () => {
    const trades = await called("get_recent_trades", { ...BTC, limit: 500 });
    expect(trades.structured["shortened"]).toMatch(/\d+ of 500 trades\. get_candles sums up the older ones\.$/);
    expect(linesOf(trades)).toBe(rowsOf(trades, "trades").length);
  });

  it.each(["get_order", "await_order", "cancel_order"])(
    "says of an order's fills in %s what has the rest",
    async (name) => {
      const one = await called(name, { order_id: manyFills });
      const { trades } = one.structured["order"] as { readonly trades: readonly object[] };
      expect(one.structured["shortened"]).toBe(
        `Shortened, as a result is at most 64 KiB: ${trades.length} of 600 trades. get_trade_history has every fill, by market and period.`,
      );
      // A write is about the order alone.
      expect(linesOf(one)).toBe(name === "cancel_order" ? 0 : trades.length);
    },
  );

  it("has a book of 500 levels, a status and a chart", async () => {
    const book = await called("get_orderbook", { ...BTC, depth: 500 });
    expect(book.structured).toMatchObject({ tick: { asks: { length: 400 } } });
    expect((await called("get_desk_status")).structured["shortened"]).toBeUndefined();
    expect((await called("get_portfolio", { chart: true })).structured["shortened"]).toContain("assets");
  });
});

/** The last tests of the file: what is open goes. */
describe("a write about many orders", () => {
  it.each(["cancel_all_orders", "halt_trading"])("counts all in %s, and shows those that fit", async (name) => {
    const open = name === "halt_trading" ? reopen(500) : 500;
    const done = await called(name);
    const results = rowsOf(done, "results");
    expect(done.structured).toMatchObject({ canceled: open, remaining: 0, outcome: "accepted" });
    expect(done.structured["shortened"]).toBe(
      `Shortened, as a result is at most 64 KiB: ${results.length} of ${open} results. get_order_history has the others, with the state of each.`,
    );
    expect(linesOf(done)).toBe(results.length);
  });
});

function reopen(orders: number): number {
  for (let row = 0; row < orders; row++) place(world.sandbox.accountId, "buy", 50_000_000n, ONE / 10_000n);
  return orders;
}

function namedIn({ structured }: Seen, list: RegExp): readonly string[] {
  const [, names = ""] = list.exec(String(structured["shortened"])) ?? [];
  return names.split(", ");
}

it("takes a field for it in every tool whose answers have a list", async () => {
  const tools = await client.listTools();
  const without = tools.filter(({ outputSchema }) => !JSON.stringify(outputSchema).includes('"shortened"'));
  // What these answer has no list that could be too long.
  const short = ["replace_order", "create_plan", "change_plan", "set_cancel_timer"];
  expect([tools.length, without.map(({ name }) => name)]).toEqual([TOOLS.length, short]);
});

it("never takes a result for smaller than it is", () => {
  const bytes = 4_096;
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" })), (value) => {
      expect(bytes - leftBy(value, bytes)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
    }),
  );
  expect(leftBy({ when: new Date(0) }, bytes)).toBeLessThan(0);
});
