/**
 * How far a tick moves the fair price of a market, and how many takers it brings. Entry points: `PACED`, `EARLIER`.
 *
 * Invariant: both draw from the state's random numbers in a fixed order, as the same ticks lead to the same state for ever.
 */
import type { Units } from "../../model/index.ts";
import type { State } from "../state/exchange-state.ts";
import type { MarketState } from "../state/market-state.ts";

export interface Tempo {
  /** The fair price after that many steps. */
  price(state: State, market: MarketState, steps: number): Units;
  takers(state: State, market: MarketState, steps: number): number;
}

/** The movement of one step in millionths of the price, at an activity of 1. */
const STEP_PPM = 250;
const MILLION = 1_000_000n;
/** Ten days, so that the price stays near the anchor while its chart goes on as its past did. */
const REVERSION_STEPS = 1_728_000;
const MINUTE_STEPS = 120;
/** After a pause takers do not make up for it, as all of them would come at one moment. */
const TAKERS_LONGEST_STEPS = 30;
const DRAW = 65_536;

/** As the past of the market moved and traded. */
export const PACED: Tempo = {
  price({ now, random }, { rule, flow, pace }, steps) {
    const reach = Math.floor(STEP_PPM * Math.sqrt(steps * pace.activity(now)));
    const step = (flow.fairPrice * BigInt(random.around(reach))) / MILLION;
    const [pulled, all] = [BigInt(steps), BigInt(REVERSION_STEPS)];
    // A pull of less than a unit is one of a unit now and then.
    const chance = BigInt(random.below(REVERSION_STEPS));
    return (rule.anchorPrice * pulled + flow.fairPrice * (all - pulled) + chance) / all + step;
  },
  takers({ now, random }, { pace }, steps) {
    const expected = (pace.takersAMinute * pace.activity(now) * Math.min(steps, TAKERS_LONGEST_STEPS)) / MINUTE_STEPS;
    // From none to twice as many, as real ones do not come evenly.
    return Math.floor((2 * expected * random.below(DRAW) + random.below(DRAW)) / DRAW);
  },
};

const EARLIER_REVERSION_STEPS = 40_000n;
const EARLIER_TAKERS_AT_MOST = 2;

/** As ticks were that a journal of an earlier version has. */
export const EARLIER: Tempo = {
  price({ random }, { rule, flow }, steps) {
    // The deviation of a random walk grows with the square root of the time.
    const reach = STEP_PPM * Math.floor(Math.sqrt(steps));
    const step = (flow.fairPrice * BigInt(random.around(reach))) / MILLION;
    const pull = ((rule.anchorPrice - flow.fairPrice) * BigInt(steps)) / EARLIER_REVERSION_STEPS;
    return flow.fairPrice + step + pull;
  },
  takers: ({ random }) => random.below(EARLIER_TAKERS_AT_MOST + 1),
};
