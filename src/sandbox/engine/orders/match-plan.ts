/**
 * Plans the matches of an incoming order, without changing the book. Entry points: `planMatches`, `crosses`.
 *
 * Invariant: funds, fill-or-kill and post-only are checked against the plan, and execution follows the same plan, so that what
 * was checked is what happens.
 */
import type { Side } from "../../../contract/index.ts";
import { ONE, type PlaceCommand, type Units } from "../../model/index.ts";
import { ceilTo, feeOn, floorTo, notionalOf, stepFor } from "../market/pricing.ts";
import type { LiveOrder, NumberedAccount } from "../memory/index.ts";
import type { MarketState } from "../state/market-state.ts";

export interface Match {
  readonly maker: LiveOrder;
  readonly volume: Units;
  readonly value: Units;
}

export interface Plan {
  readonly matches: readonly Match[];
  /** Sums over the matches; the fee is the taker's, rounded down per match as it will be charged. */
  readonly volume: Units;
  readonly value: Units;
  readonly takerFee: Units;
  /** Nothing of the order is left: its volume is filled, or what is left of its amount buys no further step. */
  readonly complete: boolean;
  /** The next order in line is the account's own: the rest of the incoming one is to be canceled. */
  readonly selfTrade: boolean;
}

/** Whether a limit price reaches a resting price of the opposite side. */
export function crosses(side: Side, limit: Units, resting: Units): boolean {
  return side === "buy" ? resting <= limit : resting >= limit;
}

export function otherSide(side: Side): Side {
  return side === "buy" ? "sell" : "buy";
}

/**
 * The volume that an order by amount still wants at a price. A sell continues until its proceeds reach the amount, so its last step is
 * rounded up; a buy never spends more than its amount, so it is rounded down.
 */
function wantedForAmount(side: Side, left: Units, step: Units, price: Units): Units {
  if (left <= 0n) return 0n;
  const scaled = left * ONE;
  return side === "buy" ? floorTo(scaled / price, step) : ceilTo((scaled + price - 1n) / price, step);
}

/** Of an order that the book has nothing for, which most are. */
const NO_MATCHES: Plan = { matches: [], volume: 0n, value: 0n, takerFee: 0n, complete: false, selfTrade: false };

/** Walks the opposite side of the book in price-time order, without effect. */
export function planMatches(market: MarketState, command: PlaceCommand, account: NumberedAccount): Plan {
  const best = market.book.best(otherSide(command.side));
  if (best === undefined || (command.price !== null && !crosses(command.side, command.price, best))) return NO_MATCHES;
  return walkBook(market, command, account.number);
}

function walkBook(market: MarketState, command: PlaceCommand, account: number): Plan {
  const { side, price: limit, amount } = command;
  const { takerFeeRate, volumeDecimals } = market.rule;
  const matches: Match[] = [];
  let [volume, value, takerFee] = [0n, 0n, 0n];
  const target = command.volume ?? 0n;
  const step = stepFor(volumeDecimals);
  let [complete, selfTrade] = [false, false];
  const { book } = market;
  for (let maker = book.first(otherSide(side)); maker !== undefined; maker = book.next(maker)) {
    const { price, remaining } = maker;
    if (limit !== null && !crosses(side, limit, price)) break;
    const wanted = amount === null ? target - volume : wantedForAmount(side, amount - value, step, price);
    complete = wanted === 0n;
    if (complete) break;
    selfTrade = maker.account === account;
    if (selfTrade) break;
    const part = wanted < remaining ? wanted : remaining;
    const notional = notionalOf(price, part);
    matches.push({ maker, volume: part, value: notional });
    volume += part;
    value += notional;
    takerFee += feeOn(notional, takerFeeRate);
    complete = part === wanted;
    if (complete) break;
  }
  return { matches, volume, value, takerFee, complete, selfTrade };
}
