/**
 * How lively a market is at a time: calm and busy stretches of days and of hours, the rhythm of a day, a wild hour now and then. Its
 * past and its live flow go by the same pace. Entry point: `Pace`.
 *
 * Invariant: a pure function of seed, market and hour, in whole random numbers and + − × ÷ alone, which are the same on every machine.
 */
import type { Millis } from "../../model/index.ts";
import { Random } from "../core/random.ts";
import { HOUR_MS } from "./candle-series.ts";

/** What the random numbers of a market are drawn for. */
type Purpose = "stretch" | "spell" | "shock" | "hour" | "minutes";
const SALTS: Readonly<Record<Purpose, number>> = { stretch: 1, spell: 2, shock: 3, hour: 4, minutes: 5 };

/** Takers a minute in the first market of the list, the largest; the second has half of that, the third a third. */
const TAKERS_A_MINUTE = 12;
const STRETCH_HOURS = 72;
const SPELL_HOURS = 9;
const SHOCKS = { oneIn: 50, times: 3 };
/** Of the hours of a day in Korea, from midnight on. */
const DAY_IN_KOREA = [
  ...[1.2, 0.9, 0.65, 0.5, 0.45, 0.45, 0.5, 0.65, 0.9, 1.3, 1.2, 1.1],
  ...[0.9, 0.9, 1, 1.05, 1.1, 1.15, 1.1, 1.1, 1.2, 1.4, 1.6, 1.5],
] as const;
const KOREA_HOURS = 9;
/** So that the mean is near 1. */
const SCALE = 1.1;
/** So that there are some trades at any hour. */
const CALMEST = 0.25;
const DRAW = 65_536;

export class Pace {
  /** Takers a minute at an activity of 1. */
  readonly takersAMinute: number;
  readonly #key: number;
  /** As it is asked for twice a tick. */
  #last = { hour: -1, activity: 1 };

  /** @param rank the market's place in the list of the exchange, from 0 on */
  constructor(seed: number, symbol: string, rank: number) {
    this.takersAMinute = TAKERS_A_MINUTE / (1 + rank);
    let key = (seed ^ Math.imul(Math.floor(seed / 2 ** 32), 0x85ebca6b)) >>> 0;
    for (const letter of symbol) key = Math.imul(key ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    this.#key = key;
  }

  /** Around 1: how many more takers there are than usual, and how much larger the variance of the price is. */
  activity(at: Millis): number {
    const hour = Math.floor(at / HOUR_MS);
    if (this.#last.hour !== hour) this.#last = { hour, activity: this.#activityOf(hour) };
    return this.#last.activity;
  }

  #activityOf(hour: number): number {
    const stretch = this.#drift("stretch", hour / STRETCH_HOURS);
    const spell = this.#drift("spell", hour / SPELL_HOURS);
    const rhythm = DAY_IN_KOREA[(hour + KOREA_HOURS) % DAY_IN_KOREA.length] ?? 1;
    const shock = this.random("shock", hour).below(SHOCKS.oneIn) === 0 ? SHOCKS.times : 1;
    const drawn = SCALE * (0.35 + 2.6 * stretch * stretch * stretch) * (0.5 + spell) * rhythm * shock;
    return Math.max(CALMEST, drawn);
  }

  random(purpose: Purpose, place: number): Random {
    return Random.at((this.#key + Math.imul(SALTS[purpose], 0x9e3779b1)) >>> 0, place);
  }

  /** From 0 to 1, along straight lines between random heights at whole numbers. */
  #drift(purpose: Purpose, along: number): number {
    const knot = Math.floor(along);
    const [before, after] = [this.#height(purpose, knot), this.#height(purpose, knot + 1)];
    return before + (after - before) * (along - knot);
  }

  #height(purpose: Purpose, knot: number): number {
    return this.random(purpose, knot).below(DRAW) / DRAW;
  }
}
