/**
 * The whole story of an assistant that trades on paper, told by any client: it looks around, previews, places, waits, cancels
 * and looks back. Entry points: `tellStory`, and `remembers` for the day after.
 *
 * Nothing here knows how the client is connected, and nothing is mocked: the market moves in real time while the story is told.
 */
import { expect } from "vitest";
import { TOOLS } from "../../src/mcp/index.ts";
import { widePaperHome } from "../fixture/home.ts";
import { coins, decimal, floor, ONE, product, share, sum, units, won } from "./figures.ts";
import {
  balanceOf,
  balancesOf,
  checkAccount,
  expectSums,
  FIRST_KRW,
  type Memory,
  ordersOf,
  tradesOf,
} from "./ledger.ts";
import { sellMoreThanTheBestBid } from "./partial-fill.ts";
import { restingPrice } from "./resting-price.ts";
import { beDenied, haltTrading, lookAtSteps, setTimer } from "./safety.ts";
import type { Progress, StoryClient } from "./story-client.ts";
import {
  type BookSeen,
  type CanceledSeen,
  type FillSeen,
  type MarketSeen,
  type OpenSeen,
  type OrderSeen,
  type PlacedSeen,
  type PreviewSeen,
  Teller,
} from "./teller.ts";

export const TOOL_NAMES = TOOLS.map(({ name }) => name);
const WRITES = TOOLS.filter(({ writes }) => writes).map(({ name }) => name);

/** More than any order of the story, and less than an order that the policy is to deny. */
const MAX_ORDER_KRW = "9000000";

/** A data directory for the story. */
export function storyHome(): Promise<string> {
  return widePaperHome({ max_order_krw: MAX_ORDER_KRW });
}

/** Tells the story on a fresh account. @returns what must be the same tomorrow. */
export async function tellStory(client: StoryClient): Promise<Memory> {
  const teller = new Teller(client);
  await meet(teller);
  const btc = await findMarkets(teller);
  await lookAtPrices(teller);
  expect(await balancesOf(teller)).toEqual([
    { asset: "KRW", total: expect.stringMatching(/^10000000(\.0+)?$/), available: FIRST_KRW, locked: "0" },
  ]);
  const resting = await previewThenPlace(teller, btc);
  await buyForAmount(teller, btc, resting);
  await waitInVain(teller, resting);
  await cancelIt(teller, resting);
  await lookAtSteps(teller, resting);
  await setTimer(teller);
  await sellInParts(teller);
  await refuseWhatIsWrong(teller);
  await beDenied(teller, MAX_ORDER_KRW);
  await placeOnceByUserref(teller);
  await cancelMany(teller);
  await haltTrading(teller);
  const memory = await checkAccount(teller, 3);
  expect(memory.orders.map(({ state }) => state)).toEqual(expect.arrayContaining(["filled", "canceled"]));
  await lookBack(teller, memory);
  return memory;
}

/** Another session over the same data finds what the last one left. */
export async function remembers(client: StoryClient, memory: Memory): Promise<void> {
  const teller = new Teller(client);
  await teller.tools();
  expect(await checkAccount(teller)).toEqual(memory);
}

async function meet(teller: Teller): Promise<void> {
  const { server } = teller.client;
  if (server !== undefined) {
    expect(server).toMatchObject({ name: "hoga", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(server.instructions).toContain("paper money");
    expect(server.instructions).toContain("draft_id");
    expect(server.instructions).toContain("no margin or leverage");
    expect(server.instructions).toContain(
      "Stops, regular or sliced orders, rebalancing and alerts: create_plan, never your own waiting.",
    );
    expect(server.instructions).toContain("never place it again");
  }
  const tools = await teller.tools();
  expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
  for (const { name, title, description, inputSchema, annotations } of tools) {
    const writes = WRITES.includes(name);
    expect({ name, title, description, inputSchema, annotations }).toMatchObject({
      name,
      title: expect.any(String),
      description: expect.any(String),
      inputSchema: { type: "object", additionalProperties: false },
      annotations: {
        readOnlyHint: !writes,
        destructiveHint: writes,
        idempotentHint: !["place_order", "create_plan"].includes(name),
        openWorldHint: true,
      },
    });
  }
  const status = await teller.tell("get_desk_status");
  expect(status.content).toMatchObject({ venue: "up", can_trade: true, unresolved: [], account: expect.any(String) });
  expect(status.text).toMatch(/^\[sandbox\].*paper money/);
}

async function findMarkets(teller: Teller): Promise<MarketSeen> {
  type Markets = { readonly markets: readonly MarketSeen[] };
  const korean = await teller.tell<Markets>("get_markets", { search: "비트코인" });
  const [btc] = korean.content.markets;
  expect(btc).toMatchObject({ symbol: "BTC/KRW", korean_name: "비트코인", english_name: "Bitcoin", status: "trading" });
  expect(korean.text).toContain("BTC/KRW");
  const english = await teller.tell<Markets>("get_markets", { search: "bit" });
  expect(english.content.markets.map(({ symbol }) => symbol)).toContain("BTC/KRW");
  for (const { symbol } of english.content.markets) expect(english.text).toContain(symbol);
  const lost = await teller.refused("get_ticker", { symbol: "BTCC/KRW" });
  expect(lost.text).toContain("Did you mean BTC/KRW");
  if (btc === undefined) throw new Error("no BTC/KRW");
  return btc;
}

async function lookAtPrices(teller: Teller): Promise<void> {
  type Tickers = { readonly tickers: readonly { readonly symbol: string; readonly last: string }[] };
  const ticker = await teller.tell<Tickers>("get_ticker", { symbol: "btckrw" });
  expect(ticker.content.tickers).toMatchObject([{ symbol: "BTC/KRW" }]);
  expect(ticker.text).toContain(won(ticker.content.tickers[0]?.last ?? ""));

  type Costed = BookSeen & { readonly estimate: { volume: string; value: string; fee: string; complete: boolean } };
  const cost = { symbol: "BTC/KRW", side: "buy", quote_amount: "50000" };
  const { content: book, text } = await teller.tell<Costed>("get_orderbook", cost);
  const [bid, ask, mid] = [units(book.best_bid), units(book.best_ask), units(book.mid)];
  expect(bid < mid && mid < ask).toBe(true);
  expect(mid * 2n).toBe(bid + ask);
  expect(units(book.spread)).toBe(ask - bid);
  expect([book.tick.buys[0]?.[0], book.tick.asks[0]?.[0]]).toEqual([book.best_bid, book.best_ask]);
  for (const price of [book.best_bid, book.best_ask, book.mid]) expect(text).toContain(won(price));
  const { volume, value, fee, complete } = book.estimate;
  expect(complete).toBe(true);
  expect(units(value) <= units("50000") && units(value) > units("49990")).toBe(true);
  expect(text).toContain(`To buy ${coins(volume, "BTC")} now: ${won(value)}`);
  expect(text).toContain(`fee ${won(fee)}`);

  const candles = await teller.tell("get_candles", { symbol: "BTC/KRW", interval: "1h", limit: 5 });
  expect(candles.content["candles"]).toHaveLength(5);
  const trades = await teller.tell<{ readonly trades: readonly { readonly price: string }[] }>("get_recent_trades", {
    symbol: "BTC/KRW",
    limit: 3,
  });
  expect(trades.content.trades).toHaveLength(3);
  for (const { price } of trades.content.trades) expect(trades.text).toContain(won(price));
}

/** Off the tick, then as proposed, then placed by its draft; the hold is price × volume and the fee, to the last decimal. */
async function previewThenPlace(teller: Teller, btc: MarketSeen): Promise<OrderSeen> {
  const { content: book } = await teller.tell<BookSeen>("get_orderbook", { symbol: "BTC/KRW", depth: 1 });
  const far = decimal(floor((units(book.best_bid) * 96n) / 100n, 1_000n * ONE) + 7n * ONE);
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.002" };
  const wrong = await teller.tell<PreviewSeen>("preview_order", { ...order, price: far });
  expect(wrong.content).toMatchObject({ valid: false, problems: [{ field: "price" }] });
  expect(wrong.content.draft_id).toBeUndefined();
  expect(wrong.text).toContain("Not valid, nothing was placed");
  const proposal = wrong.content.proposals.find(({ field }) => field === "price");
  if (proposal === undefined) throw new Error(`no proposal: ${wrong.text}`);
  expect(proposal.given).toBe(far);
  expect(wrong.text).toContain(`price "${proposal.proposed}"`);

  const right = await teller.tell<PreviewSeen>("preview_order", { ...order, price: proposal.proposed });
  expect(right.content).toMatchObject({ valid: true, problems: [], proposals: [], policy: { verdict: "allowed" } });
  const { draft_id } = right.content;
  expect(right.text).toContain(`draft_id ${draft_id}`);
  expect((await teller.tell<OpenSeen>("get_open_orders")).content.orders).toEqual([]);

  const placed = await teller.tell<PlacedSeen>("place_order", { draft_id });
  const { order: resting } = placed.content;
  expect(placed.content).toMatchObject({ outcome: "accepted", state: "open", order: { symbol: "BTC/KRW" } });
  expect(placed.text).toContain(`buy 0.002 BTC on BTC/KRW at ${won(proposal.proposed)}`);
  const open = await teller.tell<OpenSeen>("get_open_orders");
  expect(open.content.orders.map(({ orderId }) => orderId)).toEqual([resting.orderId]);
  expect(open.text).toContain(resting.orderId);

  const hold = holdOf(btc, proposal.proposed, order.base_volume);
  expect(await balancesOf(teller)).toEqual([
    { asset: "KRW", total: FIRST_KRW, available: decimal(units(FIRST_KRW) - hold), locked: decimal(hold) },
  ]);
  return resting;
}

function holdOf({ maker_fee_rate, taker_fee_rate }: MarketSeen, price: string, volume: string): bigint {
  const value = product(units(price), units(volume));
  const dearer = units(maker_fee_rate) > units(taker_fee_rate) ? maker_fee_rate : taker_fee_rate;
  return value + share(value, dearer);
}

async function buyForAmount(teller: Teller, btc: MarketSeen, resting: OrderSeen): Promise<void> {
  const order = { symbol: "KRW-BTC", side: "buy", type: "market", quote_amount: "50000" };
  const { content, text } = await teller.tell<PlacedSeen>("place_order", order);
  const { orderId, executed_volume, executed_value, fee } = content.order;
  expect(content).toMatchObject({ outcome: "accepted", state: "filled", order: { symbol: "BTC/KRW" } });
  expect(text).toContain('BTC/KRW (you wrote "KRW-BTC")');
  expect(text).toContain("of the ₩50,000 asked for");
  expect(units(executed_value) <= units("50000")).toBe(true);
  const fills = (await tradesOf(teller, 100)).filter((trade) => trade.orderId === orderId);
  expectSums(content.order, fills);
  for (const { price, volume, value, fee: paid, liquidity } of fills) {
    expect(liquidity).toBe("taker");
    expect(units(value)).toBe(product(units(price), units(volume)));
    expect(units(paid)).toBe(share(units(value), btc.taker_fee_rate));
  }
  const left = units(FIRST_KRW) - units(executed_value) - units(fee);
  const hold = holdOf(btc, resting.price ?? "", resting.volume ?? "");
  const total = decimal(left);
  expect(await balancesOf(teller)).toEqual([
    { asset: "KRW", total, available: decimal(left - hold), locked: decimal(hold) },
    { asset: "BTC", total: executed_volume, available: executed_volume, locked: "0" },
  ]);
  const shown = await teller.tell("get_balances");
  const cash = [won(total), `available ${won(decimal(left - hold))}`, `locked ${won(decimal(hold))}`];
  expect(shown.text).toContain(`- KRW: ${cash.join(", ")}`);
  const held = coins(executed_volume, "BTC");
  expect(shown.text).toContain(`- BTC: ${held}, available ${held}`);
}

async function waitInVain(teller: Teller, { orderId }: OrderSeen): Promise<void> {
  const seen: Progress[] = [];
  const { content, text } = await teller.tell(
    "await_order",
    { order_id: orderId, until: "any_fill", timeout_s: 1 },
    (progress) => seen.push(progress),
  );
  expect(content).toMatchObject({ reached: false, state: "open", order: { orderId } });
  expect(text).toContain("Not reached (any_fill) after 1 s.");
  if (teller.client.progress) expectProgress(seen, 2);
}

function expectProgress(seen: readonly Progress[], atLeast: number): void {
  expect(seen.length).toBeGreaterThanOrEqual(atLeast);
  const steps = seen.map(({ progress }) => progress);
  expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
  for (const { message } of seen) expect(message).toMatch(/^[a-z_]+, [\d.,]+ [A-Z]+ executed$/);
}

async function cancelIt(teller: Teller, { orderId }: OrderSeen): Promise<void> {
  const { content, text } = await teller.tell("cancel_order", { order_id: orderId });
  expect(content).toMatchObject({ outcome: "accepted", state: "canceled", order: { orderId, state: "canceled" } });
  expect(text).toContain("Canceled and verified");
  expect(await balanceOf(teller, "KRW")).toMatchObject({ locked: "0" });
  const again = await teller.refused("cancel_order", { order_id: orderId });
  expect(again.content).toMatchObject({ outcome: "rejected", state: "canceled" });
  expect((await teller.tell("get_order", { order_id: orderId })).content).toMatchObject({ state: "canceled" });
}

async function sellInParts(teller: Teller): Promise<void> {
  const { order, limit } = await sellMoreThanTheBestBid(teller);
  const [base = ""] = order.symbol.split("/");
  const rest = units(order.volume ?? "") - units(order.executed_volume);
  expect(units(order.remaining_volume ?? "")).toBe(rest);

  const seen: Progress[] = [];
  const wait = { order_id: order.orderId, until: "any_fill", timeout_s: 5 };
  const some = await teller.tell("await_order", wait, (progress) => seen.push(progress));
  expect(some.content).toMatchObject({ reached: true, order: { orderId: order.orderId } });
  expect(some.text).toContain("Reached (any_fill).");
  // It was reached at the first look, and a client may drop progress that comes together with the result.
  expectProgress(seen, 0);

  // The rest stands at the best price: takers and the moving market take it.
  const end = await teller.tell("await_order", { order_id: order.orderId, until: "closed", timeout_s: 20 });
  if (end.content["reached"] !== true) await teller.ask("cancel_order", { order_id: order.orderId });
  const fills = (await tradesOf(teller, 100)).filter((trade) => trade.orderId === order.orderId);
  const { content } = await teller.tell<PlacedSeen>("get_order", { order_id: order.orderId });
  expect(["filled", "canceled"]).toContain(content.state);
  expectSums(content.order, fills);
  expect(fills.some(({ liquidity }) => liquidity === "taker")).toBe(true);
  for (const { price } of fills) expect(units(price) >= units(limit)).toBe(true);
  expect(await balanceOf(teller, base)).toMatchObject({ locked: "0" });
}

async function refuseWhatIsWrong(teller: Teller): Promise<void> {
  const before = [await balancesOf(teller), await ordersOf(teller, 100)];
  const order = { symbol: "ETH/KRW", side: "buy", type: "limit", base_volume: "0.01" };
  const misspelled = await teller.refused("place_order", { ...order, prise: "1000000" });
  expect(misspelled.content).toMatchObject({ outcome: "not_sent", state: "denied", error: { field: "prise" } });
  expect(misspelled.text).toMatch(/Nothing was sent[\s\S]*"prise"[\s\S]*price/);
  const unnamed = await teller.refused("place_order", { ...order, symbol: "비트토렌트/KRW", price: "1000000" });
  expect(unnamed.content).toMatchObject({ outcome: "not_sent", state: "denied" });
  const nearly = await teller.refused("place_order", { ...order, symbol: "ETHH/KRW", price: "1000000" });
  expect(nearly.text).toContain("ETH/KRW");
  const number = await teller.refused("place_order", { ...order, base_volume: 0.01, price: "1000000" });
  expect(number.text).toContain('"0.01"');
  expect([await balancesOf(teller), await ordersOf(teller, 100)]).toEqual(before);
  expect((await teller.tell<OpenSeen>("get_open_orders")).content.orders).toEqual([]);
}

async function placeOnceByUserref(teller: Teller): Promise<void> {
  const price = await restingPrice(teller, "BTC/KRW", 100_000n);
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price, userref: "story-once" };
  const first = await teller.tell<PlacedSeen>("place_order", order);
  const second = await teller.tell<PlacedSeen>("place_order", order);
  expect(first.content).toMatchObject({ state: "open", userref: "story-once", warnings: [] });
  expect(second.content.order.orderId).toBe(first.content.order.orderId);
  expect(second.text).toContain("nothing was sent");
  const other = await teller.refused("place_order", { ...order, base_volume: "0.002" });
  expect(other.content).toMatchObject({ outcome: "not_sent", error: { field: "userref" } });
  expect((await teller.tell<OpenSeen>("get_open_orders")).content.orders).toHaveLength(1);
  const found = await teller.tell<PlacedSeen>("get_order", { userref: "story-once" });
  expect(found.content.order.orderId).toBe(first.content.order.orderId);
  expect((await teller.tell("cancel_order", { userref: "story-once" })).content).toMatchObject({ state: "canceled" });
}

async function cancelMany(teller: Teller): Promise<void> {
  const [btc, eth] = [await restingPrice(teller, "BTC/KRW", 100_000n), await restingPrice(teller, "ETH/KRW", 10_000n)];
  const place = async (symbol: string, price: string, base_volume: string) => {
    const order = { symbol, side: "buy", type: "limit", base_volume, price };
    return (await teller.tell<PlacedSeen>("place_order", order)).content.order.orderId;
  };
  const inBtc = [await place("BTC/KRW", btc, "0.001"), await place("BTC/KRW", btc, "0.002")];
  const inEth = await place("ETH/KRW", eth, "0.01");
  const one = await teller.tell<CanceledSeen>("cancel_all_orders", { symbol: "btc/krw" });
  expectCanceled(one.content, inBtc);
  expect(one.text).toContain("Verified: 2 canceled, 0 still open.");
  for (const orderId of inBtc) expect(one.text).toContain(`BTC/KRW order_id ${orderId}: canceled`);
  const left = await teller.tell<OpenSeen>("get_open_orders");
  expect(left.content.orders.map(({ orderId }) => orderId)).toEqual([inEth]);
  const all = await teller.tell<CanceledSeen>("cancel_all_orders");
  expectCanceled(all.content, [inEth]);
  expect(all.text).toContain("Verified: 1 canceled, 0 still open.");
  expect((await teller.tell<OpenSeen>("get_open_orders")).content.orders).toEqual([]);
  expect((await teller.tell("cancel_all_orders")).text).toContain("There were no open orders.");
}

export function expectCanceled(report: CanceledSeen, orderIds: readonly string[]): void {
  expect(report).toMatchObject({ outcome: "accepted", canceled: orderIds.length, remaining: 0 });
  expect(report.results.map(({ orderId }) => orderId).sort()).toEqual([...orderIds].sort());
  expect(report.results.map(({ state }) => state)).toEqual(orderIds.map(() => "canceled"));
}

async function lookBack(teller: Teller, { trades }: Memory): Promise<void> {
  type Trades = { readonly trades: readonly FillSeen[] };
  const longAgo = await teller.tell<Trades>("get_trade_history", { symbol: "BTC/KRW", to: "2020-01-01" });
  expect(longAgo.content.trades).toEqual([]);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const full = await teller.tell<Trades>("get_trade_history", { from: yesterday, limit: 500 });
  expect(full.content.trades).toEqual(trades);
  const of = (side: string) => trades.filter((trade) => trade.side === side).map(({ value }) => value);
  expect(full.text).toContain(`bought for ${won(decimal(sum(of("buy"))))}, sold for ${won(decimal(sum(of("sell"))))}`);
  expect(full.text).toContain(`fees ${won(decimal(sum(trades.map(({ fee }) => fee))))}`);
}
