/**
 * What a market did before its live trading began: 400 days of candles, made when they are asked for. Entry point: `Past`.
 *
 * Invariants: a pure function of seed, market and minute, whatever was asked for before; prices are on their ticks; candles of an hour
 * are the sum of its minutes; the last trade is at the price at which live trading begins. Source: decision 0077.
 *
 * The hours' prices are walked back from that price; the minutes of an hour lead from one to the next. All of it is in whole random
 * numbers and + − × ÷ √, which are the same on every machine.
 */
import { type CandleRecord, type MarketRule, type Millis, ONE, SCALE, type Units } from "../../model/index.ts";
import type { Random } from "../core/random.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./candle-series.ts";
import type { Pace } from "./pace.ts";

const DAYS = 400;
const MINUTES = 60;
/** Of an hour at an activity of 1, as a share of the price: as far as the live flow moves it. */
const DEVIATION = 0.0061;
/** A hundred days. */
const REVERSION_HOURS = 2_400;
/** The price is thrown back at these shares of the anchor. */
const LOWEST = 0.36;
const HIGHEST = 2.75;
/** As a taker of the live flow spends on average, in whole quote units. */
const MEAN_TAKE = 3_000_000;
const DRAW = 65_536;
const NORMAL_REACH = 10_000;
/** The standard deviation of `around(NORMAL_REACH)`. */
const NORMAL_DEVIATION = 2_887;

/** Where live trading begins: at a full hour, at a price on its tick. */
export interface PastEnd {
  readonly at: Millis;
  readonly price: Units;
}

/** The trades of a minute: prices and volumes as counts of the market's smallest decimals. */
interface Minute {
  readonly start: Millis;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Of all its trades. */
  readonly mean: number;
  readonly volume: number;
  readonly bought: number;
  readonly trades: number;
}

export class Past {
  readonly end: PastEnd;
  /** Midnight, UTC. */
  readonly start: Millis;
  readonly #pace: Pace;
  readonly #scales: Scales;
  /** Of the hours before the end, the latest first, as far back as was asked. */
  readonly #prices: number[];
  /** By hours before the end; null for an hour without a trade. */
  readonly #hours: (CandleRecord | null)[] = [];
  /** The hour whose minutes were asked for last: a ticker asks for the same ones again and again. */
  #last: { readonly hour: number; readonly minutes: readonly CandleRecord[] } = { hour: -1, minutes: [] };

  constructor(rule: MarketRule, pace: Pace, end: PastEnd) {
    this.end = end;
    this.start = end.at - (end.at % DAY_MS) - DAYS * DAY_MS;
    this.#pace = pace;
    this.#scales = new Scales(rule);
    this.#prices = [this.#scales.count(end.price)];
  }

  /** Candles of minutes with `from <= start <= to`, oldest first. */
  minutes(from: Millis, to: Millis): CandleRecord[] {
    return this.#between(from, to, HOUR_MS - 1).flatMap((hour) => {
      if (this.#last.hour !== hour) this.#last = { hour, minutes: this.#minuteCandles(hour) };
      return this.#last.minutes.filter(({ start }) => start >= from && start <= to);
    });
  }

  #minuteCandles(hour: number): readonly CandleRecord[] {
    return this.#minutesOf(hour).map((minute) => this.#scales.candle(minute.start, [minute]));
  }

  /** The same of hours. */
  hours(from: Millis, to: Millis): CandleRecord[] {
    return this.#between(from, to, 0).flatMap((hour) => {
      this.#hours[hour] ??= this.#hourOf(hour);
      return this.#hours[hour] ?? [];
    });
  }

  /** The hours that start in that period, or up to `before` before it, as counts of hours before the end; oldest first. */
  #between(from: Millis, to: Millis, before: Millis): number[] {
    const first = Math.floor((this.end.at - Math.max(this.start, from - before)) / HOUR_MS);
    const last = Math.max(1, Math.ceil((this.end.at - to) / HOUR_MS));
    return Array.from({ length: Math.max(0, first - last + 1) }, (_, index) => first - index);
  }

  #hourOf(hour: number): CandleRecord | null {
    const minutes = this.#minutesOf(hour);
    return minutes.length === 0 ? null : this.#scales.candle(this.#startOf(hour), minutes);
  }

  #startOf(hour: number): Millis {
    return this.end.at - hour * HOUR_MS;
  }

  /** The price at the start of an hour. */
  #priceAt(hour: number): number {
    const prices = this.#prices;
    const { anchor } = this.#scales;
    while (prices.length <= hour) {
      const at = this.#startOf(prices.length);
      const later = prices.at(-1) ?? anchor;
      const step =
        later * DEVIATION * Math.sqrt(this.#pace.activity(at)) * normal(this.#pace.random("hour", at / HOUR_MS));
      prices.push(thrownBack(later + step + (anchor - later) / REVERSION_HOURS, anchor));
    }
    return prices[hour] ?? anchor;
  }

  /** Those minutes of an hour that have trades: a random walk from its price to the next hour's. */
  #minutesOf(hour: number): Minute[] {
    const start = this.#startOf(hour);
    const activity = this.#pace.activity(start);
    const random = this.#pace.random("minutes", start / HOUR_MS);
    const [from, to] = [this.#priceAt(hour), this.#priceAt(hour - 1)];
    const deviation = from * DEVIATION * Math.sqrt(activity / MINUTES);
    const path = walk(random, { from, to, deviation }).map((price) => this.#scales.onTick(price));
    const minutes: Minute[] = [];
    for (let minute = 0; minute < MINUTES; minute += 1) {
      const open = path[minute] ?? from;
      const close = path[minute + 1] ?? to;
      const wanted = this.#pace.takersAMinute * activity * (0.75 + 0.5 * part(random)) + part(random);
      // The last one of all leads to the live price.
      const trades = Math.max(Math.floor(wanted), hour === 1 && minute === MINUTES - 1 ? 1 : 0);
      if (trades === 0) continue;
      minutes.push(this.#scales.traded(random, { start: start + minute * MINUTE_MS, open, close, deviation, trades }));
    }
    return minutes;
  }
}

/** Prices at the starts of the minutes of an hour, and at its end. */
function walk(
  random: Random,
  { from, to, deviation }: { readonly from: number; readonly to: number; readonly deviation: number },
): number[] {
  let moved = 0;
  const free = Array.from({ length: MINUTES }, () => (moved += deviation * normal(random)));
  const missed = to - from - moved;
  return [0, ...free].map((strayed, minute) => from + strayed + (missed * minute) / MINUTES);
}

interface Move {
  readonly start: Millis;
  readonly open: number;
  readonly close: number;
  readonly deviation: number;
  readonly trades: number;
}

/** A market's prices and volumes as whole numbers, in its smallest decimals. Not money until `candle` makes it that. */
class Scales {
  readonly anchor: number;
  readonly #priceUnits: Units;
  readonly #volumeUnits: Units;
  /** Highest first. */
  readonly #bands: readonly { readonly from: number; readonly tick: number }[];
  /** Volume × price of one whole quote unit. */
  readonly #whole: number;
  readonly #minVolume: number;

  constructor({ anchorPrice, priceDecimals, volumeDecimals, tickBands, minVolume }: MarketRule) {
    this.#priceUnits = 10n ** BigInt(SCALE - priceDecimals);
    this.#volumeUnits = 10n ** BigInt(SCALE - volumeDecimals);
    const bands = tickBands.map(({ from, tick }) => ({ from: this.count(from), tick: this.count(tick) }));
    this.#bands = bands.reverse();
    this.#whole = Number(10n ** BigInt(priceDecimals + volumeDecimals)); // not money: a scale
    this.#minVolume = Number(minVolume / this.#volumeUnits); // not money: a count that random numbers are compared with
    this.anchor = this.count(anchorPrice);
  }

  count(price: Units): number {
    return Number(price / this.#priceUnits); // not money: where a random walk begins
  }

  onTick(price: number): number {
    const bands = this.#bands;
    for (let index = 0; index < bands.length; index += 1) {
      const band = bands[index];
      if (band !== undefined && price >= band.from)
        return Math.max(band.tick, Math.floor(price / band.tick + 0.5) * band.tick);
    }
    return 1;
  }

  /** Its prices, wicks and volume: the more it moves, the more is traded. */
  traded(random: Random, { start, open, close, deviation, trades }: Move): Minute {
    const above = part(random);
    const below = part(random);
    const luck = part(random);
    const taste = part(random);
    const move = (close - open) / deviation;
    const isOne = trades === 1;
    const wick = (drawn: number) => (isOne ? 0 : deviation * 1.2 * drawn * drawn);
    const first = isOne ? close : open;
    const high = Math.max(first, close, this.onTick(Math.max(first, close) + wick(above)));
    const low = Math.min(first, close, this.onTick(Math.min(first, close) - wick(below)));
    const mean = Math.floor((first + high + low + close) / 4);
    const spent = trades * MEAN_TAKE * (0.3 + 1.1 * luck * luck + 0.35 * Math.abs(move));
    const volume = Math.max(trades * this.#minVolume, Math.floor((spent * this.#whole) / mean));
    const share = Math.min(0.95, Math.max(0.05, 0.35 + 0.3 * taste + 0.15 * move));
    const bought = isOne ? (taste < 0.5 ? 0 : volume) : Math.floor(volume * share);
    return { start, open: first, high, low, close, mean, volume, bought, trades };
  }

  candle(start: Millis, minutes: readonly Minute[]): CandleRecord {
    const [first, last] = [minutes[0], minutes.at(-1)];
    let high = 0;
    let low = Number.MAX_SAFE_INTEGER;
    let volume = 0;
    let bought = 0;
    let trades = 0;
    let value = 0n;
    let boughtValue = 0n;
    for (const minute of minutes) {
      if (minute.high > high) high = minute.high;
      if (minute.low < low) low = minute.low;
      volume += minute.volume;
      bought += minute.bought;
      trades += minute.trades;
      const mean = BigInt(minute.mean);
      value += mean * BigInt(minute.volume);
      boughtValue += mean * BigInt(minute.bought);
    }
    const price = (counted = 0): Units => BigInt(counted) * this.#priceUnits;
    // The decimals of both are at most those of a unit together, so nothing is rounded.
    const valueUnits = (this.#priceUnits * this.#volumeUnits) / ONE;
    return {
      start,
      open: price(first?.open),
      high: price(high),
      low: price(low),
      close: price(last?.close),
      volume: BigInt(volume) * this.#volumeUnits,
      quoteVolume: value * valueUnits,
      trades,
      firstTradeSeq: null,
      takerBuyVolume: BigInt(bought) * this.#volumeUnits,
      takerBuyQuoteVolume: boughtValue * valueUnits,
    };
  }
}

/** From 0 to 1. */
function part(random: Random): number {
  return random.below(DRAW) / DRAW;
}

/** Around 0 with a standard deviation of 1. */
function normal(random: Random): number {
  return random.around(NORMAL_REACH) / NORMAL_DEVIATION;
}

function thrownBack(price: number, anchor: number): number {
  if (price < LOWEST * anchor) return 2 * LOWEST * anchor - price;
  return price > HIGHEST * anchor ? 2 * HIGHEST * anchor - price : price;
}
