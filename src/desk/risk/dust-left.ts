/**
 * Tells what orders leave of a coin, where no order could sell it any more. Looked at by the balance once they have ended, as nothing
 * waits for what only a warning is about.
 *
 * Invariant: however many orders, one read of the balances and one of the markets at most.
 */
import type { Order } from "../../contract/index.ts";
import { price, quantity } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { withTimeout } from "../core/timeout.ts";
import { dustOf } from "./order-warnings.ts";

/** Bounds how long a report waits for them. */
const SOON_MS = 250;

/** Tells what of a coin can be sold, decimal text; undefined where that cannot be had soon. */
export async function availableSoon(
  { parts: { venue, clock } }: DeskContext,
  coin: string,
): Promise<string | undefined> {
  const accounts = await withTimeout(clock, SOON_MS, venue.accounts());
  if (accounts?.ok !== true) return undefined;
  return accounts.value.balances.find(({ asset }) => asset === coin)?.available ?? "0";
}

/** Looks at those that ended with part of them executed, once for each market. @param orders as they are now */
export async function dustLeft(context: DeskContext, orders: readonly Order[]): Promise<readonly string[]> {
  const { venue, clock } = context.parts;
  const ended = orders.filter((order) => order.state !== "open" && !quantity(order.executed_volume).isZero());
  if (ended.length === 0) return [];
  const [markets, accounts] =
    (await withTimeout(clock, SOON_MS, Promise.all([context.markets(), venue.accounts()]))) ?? [];
  if (markets?.ok !== true || accounts?.ok !== true) return [];
  return [...new Map(ended.map((order) => [order.symbol, order])).values()].flatMap((order) => {
    const market = markets.value.find(({ symbol }) => symbol === order.symbol);
    if (market === undefined) return [];
    const available = accounts.value.balances.find(({ asset }) => asset === market.base)?.available ?? "0";
    const at = order.price ?? order.avg_price;
    const dust = dustOf(market, quantity(available), at === null ? undefined : price(at));
    return dust === undefined ? [] : [`The account is left with ${dust}`];
  });
}
