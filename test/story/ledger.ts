/**
 * The account told twice: what its balances say, and what follows from its own trades. Both must be the same to the last of
 * eight decimals.
 */
import { expect } from "vitest";
import { decimal, sum, units } from "./figures.ts";
import type { BalanceSeen, FillSeen, OrderSeen, Teller } from "./teller.ts";

export const FIRST_KRW = "10000000";

/** What must be the same tomorrow. */
export interface Memory {
  readonly balances: readonly BalanceSeen[];
  readonly orders: readonly OrderSeen[];
  readonly trades: readonly FillSeen[];
}

interface Totals {
  readonly buy_value: string;
  readonly sell_value: string;
  readonly fees: readonly { readonly currency: string; readonly amount: string }[];
}

/** Balances without their worth, which changes with the market. */
export async function balancesOf(teller: Teller): Promise<readonly BalanceSeen[]> {
  const { content } = await teller.tell<{ readonly balances: readonly BalanceSeen[] }>("get_balances");
  for (const { asset, total, available, locked } of content.balances)
    expect({ asset, sum: units(available) + units(locked) }).toEqual({ asset, sum: units(total) });
  return content.balances.map(({ asset, total, available, locked }) => ({ asset, total, available, locked }));
}

export async function balanceOf(teller: Teller, asset: string): Promise<BalanceSeen> {
  const found = (await balancesOf(teller)).find((balance) => balance.asset === asset);
  return found ?? { asset, total: "0", available: "0", locked: "0" };
}

/** All ended orders, page by page. */
export async function ordersOf(teller: Teller, pageSize: number): Promise<readonly OrderSeen[]> {
  type Page = { readonly orders: readonly OrderSeen[]; readonly next_cursor: string | null };
  const orders: OrderSeen[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
    const { content, text } = await teller.tell<Page>("get_order_history", page);
    expect(content.orders.length).toBeLessThanOrEqual(pageSize);
    for (const { orderId } of content.orders) expect(text).toContain(orderId);
    orders.push(...content.orders);
    cursor = content.next_cursor;
  }
  expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(orders.length);
  return orders;
}

/** All own trades, page by page; the totals of all of them, which each page has, are summed up again. */
export async function tradesOf(teller: Teller, pageSize: number): Promise<readonly FillSeen[]> {
  type Page = { readonly trades: readonly FillSeen[]; readonly totals: Totals; readonly next_cursor: string | null };
  const trades: FillSeen[] = [];
  const totals: Totals[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
    const { content } = await teller.tell<Page>("get_trade_history", page);
    totals.push(content.totals);
    trades.push(...content.trades);
    cursor = content.next_cursor;
  }
  for (const each of totals) checkTotals(trades, each);
  expect(new Set(trades.map(({ trade_id }) => trade_id)).size).toBe(trades.length);
  return trades;
}

function checkTotals(trades: readonly FillSeen[], totals: Totals): void {
  const of = (side: string) => trades.filter((trade) => trade.side === side);
  expect(units(totals.buy_value)).toBe(sum(of("buy").map(({ value }) => value)));
  expect(units(totals.sell_value)).toBe(sum(of("sell").map(({ value }) => value)));
  const currencies = [...new Set(trades.map(({ fee_currency }) => fee_currency))];
  expect(totals.fees.map(({ currency }) => currency).sort()).toEqual(currencies.sort());
  for (const { currency, amount } of totals.fees)
    expect(units(amount)).toBe(
      sum(trades.filter(({ fee_currency }) => fee_currency === currency).map(({ fee }) => fee)),
    );
}

/** What the account must hold after these trades, by asset; assets of which nothing is left are absent. */
function holdingsAfter(trades: readonly FillSeen[]): ReadonlyMap<string, string> {
  const held = new Map([["KRW", units(FIRST_KRW)]]);
  const add = (asset: string, amount: bigint) => held.set(asset, (held.get(asset) ?? 0n) + amount);
  for (const { symbol, side, volume, value, fee, fee_currency } of trades) {
    const [base = "", quote = ""] = symbol.split("/");
    const direction = side === "buy" ? 1n : -1n;
    add(base, direction * units(volume));
    add(quote, -direction * units(value));
    add(fee_currency, -units(fee));
  }
  return new Map([...held].filter(([, amount]) => amount !== 0n).map(([asset, amount]) => [asset, decimal(amount)]));
}

/** An order's own figures are the sums of its trades. */
export function expectSums(order: OrderSeen, fills: readonly FillSeen[]): void {
  expect(units(order.executed_volume)).toBe(sum(fills.map(({ volume }) => volume)));
  expect(units(order.executed_value)).toBe(sum(fills.map(({ value }) => value)));
  expect(units(order.fee)).toBe(sum(fills.map(({ fee }) => fee)));
}

/** Balances, orders and trades of an account without open orders agree to the last decimal. */
export async function checkAccount(teller: Teller, pageSize = 100): Promise<Memory> {
  const [balances, orders, trades] = [
    await balancesOf(teller),
    await ordersOf(teller, pageSize),
    await tradesOf(teller, pageSize),
  ];
  const totals = balances.filter(({ total }) => units(total) !== 0n).map(({ asset, total }) => [asset, total] as const);
  expect(new Map(totals.map(([asset, total]) => [asset, decimal(units(total))]))).toEqual(holdingsAfter(trades));
  expect(sum(balances.map(({ locked }) => locked))).toBe(0n);
  for (const order of orders) {
    const own = trades.filter(({ orderId }) => orderId === order.orderId);
    expectSums(order, own);
  }
  const known = new Set(orders.map(({ orderId }) => orderId));
  expect(trades.filter(({ orderId }) => !known.has(orderId))).toEqual([]);
  return { balances, orders, trades };
}
