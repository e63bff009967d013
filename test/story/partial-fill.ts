/**
 * A sell of more than the best bid holds, limited at its price, so that it fills in part at once. The market moves twice a
 * second while this is tried, so a try may miss; what misses is sold off and tried again on fresh books.
 */
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { coins, decimal, floor, ONE, product, units } from "./figures.ts";
import { balanceOf } from "./ledger.ts";
import type { BookSeen, MarketSeen, OrderSeen, PlacedSeen, Teller } from "./teller.ts";

/** What one try may spend of the ten million. */
const SPEND_MOST = 8_000_000n * ONE;
const TRIES = 20;
const PAUSE_MS = 200;

interface PartlySold {
  /** As placed: partially filled. */
  readonly order: OrderSeen;
  readonly limit: string;
}

interface Bid {
  readonly market: MarketSeen;
  readonly price: bigint;
  readonly volume: bigint;
}

export async function sellMoreThanTheBestBid(teller: Teller): Promise<PartlySold> {
  const { content } = await teller.tell<{ readonly markets: readonly MarketSeen[] }>("get_markets");
  for (let tries = 0; tries < TRIES; tries++) {
    const { market, price, volume } = await thinnestBid(teller, content.markets);
    const step = 10n ** BigInt(8 - market.volume_decimals);
    const more = floor((volume * 6n) / 5n, step);
    if ((price * more) / ONE <= SPEND_MOST) {
      const buy = { symbol: market.symbol, side: "buy", type: "market", base_volume: decimal(more) };
      const bought = await teller.tell<PlacedSeen>("place_order", buy);
      const sold = await trySale(teller, market, bought.content.order.executed_volume);
      if (sold !== undefined) return sold;
    }
    await pause(PAUSE_MS);
  }
  throw new Error(`no partial fill in ${TRIES} tries`);
}

async function bidOf(teller: Teller, market: MarketSeen): Promise<Bid> {
  const { content } = await teller.tell<BookSeen>("get_orderbook", { symbol: market.symbol, depth: 1 });
  const [price, volume] = content.tick.buys[0] ?? ["0", "0"];
  return { market, price: units(price), volume: units(volume) };
}

async function thinnestBid(teller: Teller, markets: readonly MarketSeen[]): Promise<Bid> {
  const bids: Bid[] = [];
  for (const market of markets) bids.push(await bidOf(teller, market));
  const thinnest = bids.sort((a, b) => (a.price * a.volume < b.price * b.volume ? -1 : 1))[0];
  if (thinnest === undefined) throw new Error("no market");
  return thinnest;
}

/** Sells what was bought, in part and resting if the bid allows it; else all of it at market. */
async function trySale(teller: Teller, market: MarketSeen, base_volume: string): Promise<PartlySold | undefined> {
  const { symbol } = market;
  const [base = ""] = symbol.split("/");
  const sellOff = () => teller.tell("place_order", { symbol, side: "sell", type: "market", base_volume });
  const bid = await bidOf(teller, market);
  const limit = decimal(bid.price);
  if (bid.volume >= units(base_volume)) {
    await sellOff();
    return undefined;
  }
  const sell = { symbol, side: "sell", type: "limit", base_volume, price: limit };
  const placed = await teller.tell<PlacedSeen>("place_order", sell);
  const { order, state } = placed.content;
  if (state === "open") {
    const canceled = await teller.ask<PlacedSeen>("cancel_order", { order_id: order.orderId });
    if (canceled.content.order.executed_volume === "0") await sellOff();
  }
  if (state !== "partially_filled") return undefined;
  expect(placed.text).toContain(
    `Partially filled: ${coins(order.executed_volume, base)} of ${coins(base_volume, base)} executed`,
  );
  expect(placed.text).toContain(`${coins(order.remaining_volume ?? "", base)} is still open`);
  await checkHold(teller, order, base);
  expect(units(order.executed_value) >= product(bid.price, units(order.executed_volume))).toBe(true);
  return { order, limit };
}

/** The coins of the open rest are locked, exactly; looked at again when the market took of it in between. */
async function checkHold(teller: Teller, { orderId }: OrderSeen, base: string): Promise<void> {
  for (;;) {
    const read = async () => (await teller.tell<PlacedSeen>("get_order", { order_id: orderId })).content.order;
    const before = await read();
    const { locked } = await balanceOf(teller, base);
    const after = await read();
    if (before.executed_volume !== after.executed_volume || before.state !== after.state) continue;
    const open = after.state === "open" ? units(after.remaining_volume ?? "") : 0n;
    expect(units(locked)).toBe(open);
    return;
  }
}
