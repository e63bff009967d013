/** Tells what an order would fill against a given order book: pure arithmetic, no request. */
import type { BookLevel, Side } from "../../contract/index.ts";
import {
  averagePrice,
  type Notional,
  notional,
  notionalOf,
  type Price,
  price,
  type Quantity,
  quantity,
  quantityFor,
  type Rate,
  rate,
} from "../../decimal/index.ts";

export interface FillQuestion {
  readonly side: Side;
  /** Levels of the opposite side, best first: asks for a buy, bids for a sell. */
  readonly levels: readonly BookLevel[];
  /** Coins to trade; exactly one of the two sizes. */
  readonly volume?: Quantity;
  /** Quote currency to spend or receive. */
  readonly amount?: Notional;
  /** Stop at this price; absent for a market order. */
  readonly limit?: Price;
  readonly volumeDecimals: number;
  readonly takerFeeRate: Rate;
}

export interface FillAnswer {
  readonly volume: Quantity;
  readonly value: Notional;
  readonly fee: Notional;
  readonly averagePrice: Price | undefined;
  /** Tells how far the average is from the best price, 0.01 being 1 %; undefined when nothing would fill. */
  readonly slippage: Rate | undefined;
  /** Tells whether the book holds enough for the whole size. */
  readonly complete: boolean;
}

const ZERO_VOLUME = quantity("0");
const ZERO_VALUE = notional("0");

function smaller(a: Quantity, b: Quantity): Quantity {
  return a.lt(b) ? a : b;
}

/** Volume to take at one level. By amount, a buy never spends more than the amount; a sell continues until it is reached. */
function wanted(question: FillQuestion, at: Price, volume: Quantity, value: Notional): Quantity {
  if (question.volume !== undefined) return question.volume.minus(volume);
  const left = (question.amount ?? ZERO_VALUE).minus(value);
  // A level that holds no whole step may have exceeded the amount; nothing is taken back at the next.
  if (left.isNegative()) return ZERO_VOLUME;
  return quantityFor(left, at, question.volumeDecimals, question.side === "buy" ? "down" : "up");
}

function beyond(question: FillQuestion, at: Price): boolean {
  if (question.limit === undefined) return false;
  return question.side === "buy" ? at.gt(question.limit) : at.lt(question.limit);
}

/** Walks the levels until the size is filled, the limit is passed or the book ends. */
export function estimateFill(question: FillQuestion): FillAnswer {
  let volume = ZERO_VOLUME;
  let value = ZERO_VALUE;
  let complete = false;
  for (const [levelPrice, levelVolume] of question.levels) {
    const at = price(levelPrice);
    if (beyond(question, at)) break;
    const want = wanted(question, at, volume, value);
    const take = smaller(want, quantity(levelVolume));
    volume = volume.plus(take);
    value = value.plus(notionalOf(at, take));
    complete = take.eq(want);
    if (complete) break;
  }
  const best = question.levels[0];
  const average = volume.isZero() ? undefined : averagePrice(value, volume, 8, "half_even");
  return {
    volume,
    value,
    fee: flooredFee(value.scale(question.takerFeeRate)),
    averagePrice: average,
    slippage: average === undefined || best === undefined ? undefined : distance(average, price(best[0])),
    complete,
  };
}

/** Floors to 8 decimals, as the service takes it. */
function flooredFee(fee: Notional): Notional {
  return notional(quantityFor(fee, price("1"), 8, "down").toString());
}

/** Relative distance of two prices, never negative. */
function distance(average: Price, best: Price): Rate {
  const ratio = average.gt(best) ? average.minus(best) : best.minus(average);
  return best.isZero() ? rate("0") : ratio.ratioTo(best);
}
