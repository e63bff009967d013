/**
 * Opens the markets of a new exchange: their past of candles, then the trades of the last hour or so, by ticks in virtual time. Entry
 * point: `openMarkets`.
 *
 * Invariant: the result depends on the seed and the time of opening alone. Source: decision 0077.
 */
import type { Millis } from "../../model/index.ts";
import { HOUR_MS } from "../market/candle-series.ts";
import { Past } from "../market/past.ts";
import { Tape } from "../market/tape.ts";
import type { State } from "../state/exchange-state.ts";
import { fundHouse, QUOTED_LEVELS, runTick, updateQuotes } from "./market-flow.ts";
import { PACED, type Tempo } from "./tempo.ts";

const STEP_MS = 15_000;
const SHORTEST_MS = HOUR_MS / 2;
/** Nobody sees the books of that hour, so they are only as deep as its trades need. */
const EARLY_LEVELS = 8;

/** @param openedAt the time of opening; without it the markets open with quotes, no trade and no past. */
export function openMarkets(state: State, openedAt?: Millis): void {
  fundHouse(state);
  if (openedAt !== undefined) {
    const latest = openedAt - SHORTEST_MS;
    const at = latest - (latest % HOUR_MS);
    for (const market of state.markets.values())
      market.tape = new Tape(new Past(market.rule, market.pace, { at, price: market.flow.fairPrice }));
    const tempo = towardsAnchor(openedAt);
    state.lastTickAt = at;
    for (let time = at; time < openedAt; time += STEP_MS) {
      state.now = time;
      runTick(state, tempo, EARLY_LEVELS);
    }
    state.now = openedAt;
  }
  for (const market of state.markets.values()) updateQuotes(state, market, QUOTED_LEVELS);
}

/** A new exchange opens at its anchor prices, whatever hour it is, so that a price to start with can be written down. */
function towardsAnchor(openedAt: Millis): Tempo {
  return {
    takers: (...tick) => PACED.takers(...tick),
    price(state, market, steps) {
      const price = PACED.price(state, market, steps);
      const ticksLeft = Math.ceil((openedAt - state.now) / STEP_MS);
      return price + (market.rule.anchorPrice - price) / BigInt(ticksLeft);
    },
  };
}
