/**
 * Which of an account's own resting orders an incoming one would meet, so that they can be canceled before (`cancel_maker`). Entry
 * point: `ownOrdersMet`. Where an own order stands behind others at the last price that is reached, it counts as met.
 */
import { type Exchange, ONE, type OrderRecord, type PlaceCommand, type Units } from "../model/index.ts";

const DEPTH = 500;

export function ownOrdersMet(exchange: Exchange, command: PlaceCommand): readonly OrderRecord[] {
  const { accountId, symbol, side, price: limit } = command;
  const crosses = (resting: Units): boolean => limit === null || (side === "buy" ? resting <= limit : resting >= limit);
  const open = exchange.orders(accountId, { symbol, states: ["open"], limit: DEPTH }).orders;
  const own = open.filter((order) => order.side !== side && order.price !== null && crosses(order.price));
  if (own.length === 0) return own;
  const { buys, asks } = exchange.book(symbol, DEPTH);
  const met: OrderRecord[] = [];
  let left = command.volume ?? command.amount ?? 0n;
  for (const [price, volume] of side === "buy" ? asks : buys) {
    if (left <= 0n || !crosses(price)) break;
    const here = own.filter((order) => order.price === price);
    met.push(...here);
    const others = here.reduce((rest, order) => rest - remainingOf(order), volume);
    left -= command.amount === null ? others : (price * others) / ONE;
  }
  return met;
}

export function remainingOf({ volume, executedVolume }: OrderRecord): Units {
  return (volume ?? 0n) - executedVolume;
}
