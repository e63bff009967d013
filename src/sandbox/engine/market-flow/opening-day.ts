/**
 * Generates the day before a new exchange opens: ticks in virtual time, so that it opens with candles, tickers and trades. Entry
 * point: `openMarkets`.
 *
 * Invariant: the result depends on the seed and the time of opening alone.
 */
import type { Millis } from "../../model/index.ts";
import { DAY_MS } from "../market/tape.ts";
import type { State } from "../state/exchange-state.ts";
import { fundHouse, QUOTED_LEVELS, runTick, updateQuotes } from "./market-flow.ts";

const MINUTE_MS = 60_000;
const COARSE_STEP_MS = 5 * MINUTE_MS;
const FINE_PERIOD_MS = 120 * MINUTE_MS;
/** Nobody sees the books of that day, so they are only as deep as its trades need. */
const PAST_LEVELS = 3;

/** @param openedAt the time of opening; without it the markets open with quotes and no trade. */
export function openMarkets(state: State, openedAt?: Millis): void {
  fundHouse(state);
  if (openedAt !== undefined) {
    let time = openedAt - DAY_MS;
    while (time < openedAt) {
      state.now = time;
      runTick(state, PAST_LEVELS);
      time += time < openedAt - FINE_PERIOD_MS ? COARSE_STEP_MS : MINUTE_MS;
    }
    state.now = openedAt;
  }
  for (const market of state.markets.values()) updateQuotes(state, market, QUOTED_LEVELS);
}
