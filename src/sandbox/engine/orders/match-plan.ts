/**
 * What an incoming order would do to a book, found out without touching it.
 * Entry points: `planMatches`, `crosses`.
 *
 * The plan is both the dry run (funds, fill-or-kill, post-only are judged on it) and the script that
 * execution follows, so that what was checked is what happens.
 */
import type { Side } from "../../../contract/index.ts";
import { ONE, type PlaceCommand, type Units } from "../../model/index.ts";
import { ceilTo, feeOn, floorTo, notionalOf, stepFor } from "../market/pricing.ts";
import type { LiveOrder, MarketState } from "../state/market-state.ts";

export interface Match {
  readonly maker: LiveOrder;
  readonly volume: Units;
  readonly value: Units;
}

export interface Plan {
  readonly matches: readonly Match[];
  /** Sums over the matches; the fee is the taker's, floored per match as it will be taken. */
  readonly volume: Units;
  readonly value: Units;
  readonly takerFee: Units;
  /** Nothing of the order is left: its volume is done, or its amount buys no further step. */
  readonly complete: boolean;
  /** The next order in line is the account's own: the rest of the incoming one is to be canceled. */
  readonly meetsSelf: boolean;
}

/** Whether a limit price reaches a resting price of the other side. */
export function crosses(side: Side, limit: Units, resting: Units): boolean {
  return side === "buy" ? resting <= limit : resting >= limit;
}

export function otherSide(side: Side): Side {
  return side === "buy" ? "sell" : "buy";
}

/** What is still wanted, as volume at a given price. */
type WantedVolume = (price: Units) => Units;

/**
 * A sell by amount goes on until the proceeds reach the amount, so its last step is rounded up; a buy
 * never spends more than the amount, so it is rounded down.
 */
function wantedForAmount(side: Side, left: () => Units, step: Units): WantedVolume {
  return (price) => {
    if (left() <= 0n) return 0n;
    const scaled = left() * ONE;
    return side === "buy" ? floorTo(scaled / price, step) : ceilTo((scaled + price - 1n) / price, step);
  };
}

/** Walks the other side of the book in price-time order. Pure. */
export function planMatches(market: MarketState, command: PlaceCommand): Plan {
  const { side, price: limit, amount, accountId } = command;
  const { takerFeeRate, volumeDecimals } = market.rule;
  const matches: Match[] = [];
  let [volume, value, takerFee] = [0n, 0n, 0n];
  const target = command.volume ?? 0n;
  const appetite: WantedVolume =
    amount === null ? () => target - volume : wantedForAmount(side, () => amount - value, stepFor(volumeDecimals));
  let [complete, meetsSelf] = [false, false];
  for (const maker of market.book.walk(otherSide(side))) {
    if (limit !== null && !crosses(side, limit, maker.price)) break;
    const wanted = appetite(maker.price);
    complete = wanted === 0n;
    if (complete) break;
    meetsSelf = maker.accountId === accountId;
    if (meetsSelf) break;
    const part = wanted < maker.remaining ? wanted : maker.remaining;
    const worth = notionalOf(maker.price, part);
    matches.push({ maker, volume: part, value: worth });
    volume += part;
    value += worth;
    takerFee += feeOn(worth, takerFeeRate);
    complete = part === wanted;
    if (complete) break;
  }
  return { matches, volume, value, takerFee, complete, meetsSelf };
}
