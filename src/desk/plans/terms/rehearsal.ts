/**
 * What a plan would have done on past candles: when it would have acted, within which prices, and what that would have sold or spent. Never a forecast.
 *
 * Invariants: what candles do not tell is not guessed: they know neither the order of prices within, nor what others asked, so a trigger that ordinary candles
 * reach is refused with both figures; of the prices that are possible the worst comes first.
 *
 * Source: decision 0106.
 */
import {
  amountDecimals,
  type Candle,
  failed,
  localFault,
  type Market,
  ok,
  type Result,
} from "../../../contract/index.ts";
import {
  formatAmount,
  MAX_FRACTION_DIGITS,
  max,
  min,
  type Notional,
  notional,
  notionalOf,
  type Price,
  price,
  type Quantity,
  quantity,
  quantityFor,
  rate,
} from "../../../decimal/index.ts";
import {
  isProtection,
  type PlanTerms,
  type ProtectionTerms,
  type RecurringTerms,
  type SlicesTerms,
  type Trail,
} from "../../model/plan.ts";
import type { Rehearsal, RehearsedAct } from "../../model/plan-report.ts";
import type { PlanRules } from "../../model/policy.ts";
import { largerFee, tickBandsOf } from "../../risk/order-proposals.ts";
import { apart, lowestFloor, medianRange, ordinaryMove, trailingTrigger } from "./levels.ts";
import { parseSchedule, turnsOf } from "./schedule.ts";
import { piecesOf } from "./slicing.ts";

export type PastCandle = Pick<Candle, "time" | "open" | "high" | "low" | "close">;

export interface RehearsalFacts {
  readonly market: Market;
  /** Oldest first. */
  readonly candles: readonly PastCandle[];
  readonly intervalMs: number;
  readonly rules: Pick<PlanRules, "protectiveFloor">;
}

const ONE = rate("1");
const UNIT = price("1");

/**
 * @param terms with prices of the beginning of the period where they come of percentages: "-5%" is then below the first price that is tried
 * @returns `ELocal:Cannot rehearse` where candles cannot decide it
 */
export function rehearse(terms: PlanTerms, facts: RehearsalFacts): Result<Rehearsal> {
  const [first, last] = [facts.candles[0], facts.candles.at(-1)];
  if (first === undefined || last === undefined) return cannot("there are no candles of that period");
  if (terms.kind === "alert") return cannot("an alert trades never: there is nothing to rehearse");
  if (terms.kind === "rebalance") return cannot("past prices say nothing of what is held and quoted now");
  const span = { fromMs: Date.parse(first.time), toMs: Date.parse(last.time) + facts.intervalMs };
  if (!isProtection(terms)) return ok(summed(span, datedActs(terms, span, facts)));
  const undecided = tooNear(terms, price(first.open), facts);
  if (undecided !== undefined) return cannot(undecided);
  const act = terms.kind === "take_profit" ? undefined : fallAct(terms, facts);
  if (act === "undecided")
    return cannot("a candle rose and fell by more than the trail, and candles do not tell which came first");
  const take = "takePrice" in terms ? takeAct(terms, facts) : undefined;
  if (act !== undefined && take !== undefined && act.atMs === take.atMs)
    return cannot(
      `in the candle of ${new Date(act.atMs).toISOString()} the market was at both prices, and candles do not tell which came first`,
    );
  const [earliest] = [act, take].filter((each) => each !== undefined).sort((a, b) => a.atMs - b.atMs);
  return ok(summed(span, { acts: earliest === undefined ? [] : [earliest], without: 0 }));
}

function cannot(why: string): ReturnType<typeof failed> {
  return failed(
    localFault("ELocal:Cannot rehearse", {
      message: `${why.charAt(0).toUpperCase()}${why.slice(1)}. Nothing was recorded.`,
    }),
  );
}

/** Exact until all are added up: of what nobody holds the sum may be longer than an amount that can be written. */
type Act = Omit<RehearsedAct, "value"> & { readonly value: Quantity };

interface Acts {
  readonly acts: readonly Act[];
  readonly without: number;
}

function summed(span: Pick<Rehearsal, "fromMs" | "toMs">, { acts, without }: Acts): Rehearsal {
  const value = acts.reduce((sum, each) => sum.plus(each.value), quantity("0"));
  const shown = acts.map((act) => ({ ...act, value: act.value.toString() }));
  return { ...span, acts: shown, without, value: value.toString() };
}

/** Both figures of what candles cannot decide. */
function tooNear(terms: ProtectionTerms, start: Price, { candles, market }: RehearsalFacts): string | undefined {
  const range = medianRange(candles);
  if (range === undefined) return undefined;
  const least = ordinaryMove(range);
  const bands = tickBandsOf(market);
  const ofTrail = (trail: Trail): Price => apart(start, trailingTrigger(bands, start, trail));
  const legs: Price[] = [];
  if ("stopPrice" in terms) legs.push(apart(start, price(terms.stopPrice)));
  if ("trail" in terms) legs.push(ofTrail(terms.trail));
  if ("stop" in terms)
    legs.push("trail" in terms.stop ? ofTrail(terms.stop.trail) : apart(start, price(terms.stop.stopPrice)));
  if ("takePrice" in terms) legs.push(apart(start, price(terms.takePrice)));
  const nearest = legs.reduce((a, b) => min(a, b));
  if (nearest.gte(least)) return undefined;
  const shown = (at: Price): string => formatAmount(at, market.quote);
  return `the trigger is ${shown(nearest)} from the first price, and a candle of that period moved ${shown(range)} in half of the cases: under three times that, ${shown(least)}, candles do not tell what would have happened`;
}

type Falling = Exclude<ProtectionTerms, { readonly kind: "take_profit" }>;

/** The first candle in which it would have sold downward: at its trigger at best, at the lowest price at worst, never below the floor. */
function fallAct(terms: Falling, { market, candles, rules }: RehearsalFacts): Act | "undecided" | undefined {
  const bands = tickBandsOf(market);
  const stop = terms.kind === "oco" ? terms.stop : terms;
  let high: Price | undefined;
  for (const candle of candles) {
    // By the high of the candles before: within this one it is not known whether the high came first.
    const trigger =
      "trail" in stop ? trailingTrigger(bands, high ?? price(candle.open), stop.trail) : price(stop.stopPrice);
    if (!trigger.isZero() && price(candle.low).lte(trigger)) {
      const limit = terms.kind === "stop" ? terms.limitPrice : undefined;
      const given = limit ?? terms.floorPrice;
      const floor = given === undefined ? lowestFloor(bands, trigger, rules.protectiveFloor) : price(given);
      return soldIn(candle, "stop", terms.volume, { worst: floor, best: trigger }, market);
    }
    high = max(high ?? price(candle.open), price(candle.high));
    if ("trail" in stop && price(candle.low).lte(trailingTrigger(bands, high, stop.trail))) return "undecided";
  }
  return undefined;
}

function takeAct(
  { takePrice, volume }: Extract<ProtectionTerms, { readonly takePrice: string }>,
  { market, candles }: RehearsalFacts,
): Act | undefined {
  const at = price(takePrice);
  const candle = candles.find(({ high }) => price(high).gte(at));
  return candle && soldIn(candle, "take", volume, { worst: at, best: max(at, price(candle.high)) }, market);
}

/** @param span that the plan sells within; the candle narrows it */
function soldIn(
  candle: PastCandle,
  leg: RehearsedAct["leg"],
  volume: string,
  { worst, best }: { readonly worst: Price; readonly best: Price },
  market: Market,
): Act {
  const [low, high] = [price(candle.low), price(candle.high)];
  const at = max(worst, low);
  const brought = notionalOf(at, quantity(volume)).scale(ONE.minus(largerFee(market)));
  return {
    atMs: Date.parse(candle.time),
    leg,
    from: at.toString(),
    to: max(at, min(best, high)).toString(),
    volume,
    value: figure(brought, "down"),
    // A candle that fell through the floor may have jumped over it, and one that is lower than the floor all through has.
    isSure: leg === "take" || low.gte(worst),
  };
}

function figure(value: Notional, mode: "up" | "down"): Quantity {
  return quantityFor(value, UNIT, MAX_FRACTION_DIGITS, mode);
}

function datedActs(
  terms: RecurringTerms | SlicesTerms,
  span: Pick<Rehearsal, "fromMs" | "toMs">,
  facts: RehearsalFacts,
): Acts {
  const { market, candles, intervalMs } = facts;
  const due = dueIn(terms, span, market);
  const byStart = new Map(candles.map((candle) => [Date.parse(candle.time), candle]));
  const first = span.fromMs;
  const acts = due.flatMap(({ dueAtMs, size }) => {
    const candle = byStart.get(first + Math.floor((dueAtMs - first) / intervalMs) * intervalMs);
    const act = candle && tradedIn(candle, terms, size, market);
    return act === undefined ? [] : [act];
  });
  return { acts, without: due.length - acts.length };
}

interface Due {
  readonly dueAtMs: number;
  readonly size: string;
}

/** As if the plan had begun with the period. */
function dueIn(
  terms: RecurringTerms | SlicesTerms,
  { fromMs, toMs }: Pick<Rehearsal, "fromMs" | "toMs">,
  market: Market,
): readonly Due[] {
  const isBuy = "quoteAmount" in terms.size;
  const size = "quoteAmount" in terms.size ? terms.size.quoteAmount : terms.size.volume;
  if (terms.kind === "slices")
    return piecesOf(size, {
      count: terms.count,
      decimals: isBuy ? amountDecimals(market.quote) : market.volume_decimals,
      fromMs,
      durationMs: terms.durationMs,
    }).filter(({ dueAtMs }) => dueAtMs < toMs);
  const schedule = parseSchedule(terms.schedule);
  if (schedule === undefined) return [];
  const turns = turnsOf(schedule, { timeZone: terms.timezone, afterMs: fromMs - 1, untilMs: toMs - 1 });
  return turns.map(({ dueAtMs }) => ({ dueAtMs, size }));
}

/** Buys at the highest price and sells at the lowest of the candle; at its limit, where the candle goes beyond it. */
function tradedIn(
  candle: PastCandle,
  terms: RecurringTerms | SlicesTerms,
  size: string,
  market: Market,
): Act | undefined {
  const [low, high] = [price(candle.low), price(candle.high)];
  const limit = terms.limitPrice === undefined ? undefined : price(terms.limitPrice);
  const isBuy = terms.side === "buy";
  if (limit !== undefined && (isBuy ? low.gt(limit) : high.lt(limit))) return undefined;
  const [worst, best] = isBuy ? [high, low] : [low, high];
  const at = limit === undefined ? worst : isBuy ? min(worst, limit) : max(worst, limit);
  const fee = largerFee(market);
  const volume = isBuy ? quantityFor(notional(size), at, market.volume_decimals, "down") : quantity(size);
  const traded = notionalOf(at, volume);
  return {
    atMs: Date.parse(candle.time),
    leg: terms.kind === "slices" ? "slice" : "turn",
    from: at.toString(),
    to: best.toString(),
    volume: volume.toString(),
    value: isBuy ? figure(traded.scale(ONE.plus(fee)), "up") : figure(traded.scale(ONE.minus(fee)), "down"),
    isSure: at.eq(worst),
  };
}
