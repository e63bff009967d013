/**
 * The terms of what goes by the clock: orders that repeat, and a total in pieces.
 *
 * Invariants: a buy is of an amount and a sell of coins, so that each is bounded by what it gives; every piece is twice what the market takes at least, so that one
 * is taken when the price has moved.
 *
 * Source: decision 0106.
 */
import { amountDecimals, type Side } from "../../../contract/index.ts";
import { formatAmount, max, notional, type Price, parseNotional, quantity, rate } from "../../../decimal/index.ts";
import type { TurnSize } from "../../model/plan.ts";
import type { PlanRequest } from "../../model/plan-report.ts";
import { leastAmount, leastVolume } from "../../risk/order-proposals.ts";
import type { KindTerms, MarketFacts, Reading } from "./plan-request.ts";
import { priceOf, volumeToSell } from "./protection-terms.ts";
import { parseSchedule, scheduleText, TURNS_MAX, turnsOf } from "./schedule.ts";
import { intervalMs, parseDuration, piecesOf } from "./slicing.ts";

const SLICES_MIN = 2;
const SLICES_MAX = 200;
const INTERVAL_MIN_MS = 10_000;
const DURATION_MAX_MS = 86_400_000;
const TWICE = rate("2");

export function recurringTerms(
  request: PlanRequest,
  facts: MarketFacts,
  untilMs: number,
  reading: Reading,
): KindTerms | undefined {
  const { timeZone, nowMs, market } = facts;
  const side = sideOf(request.side ?? "buy", reading);
  const schedule = parseSchedule(request.schedule ?? "");
  if (schedule === undefined)
    return reading.wrong(
      "schedule",
      'schedule is written as "daily 09:00", "weekly mon,thu 09:00", "monthly 1,15 09:00" or "monthly last 09:00"',
    );
  const turns = turnsOf(schedule, { timeZone, afterMs: nowMs, untilMs });
  const last = turns.at(-1);
  if (last === undefined)
    return reading.wrong(
      "schedule",
      `${scheduleText(schedule)} has no turn until ${new Date(untilMs).toISOString()}: choose a later until`,
    );
  if (turns.length === TURNS_MAX && turnsOf(schedule, { timeZone, afterMs: last.dueAtMs, untilMs }).length > 0)
    return reading.wrong("until", `a plan has at most ${TURNS_MAX} turns: let it end by ${last.label}`);
  const limit = limitOf(request, facts, reading);
  const size = side && sizeOf(side, request, limit, facts, reading);
  if (side === undefined || size === undefined || reading.fault !== undefined) return undefined;
  const terms = { kind: "recurring", symbol: market.symbol, side, size, timezone: timeZone } as const;
  return {
    terms: { ...terms, schedule: scheduleText(schedule), ...limited(limit) },
    warnings: limitWarning(side, limit, facts),
  };
}

export function slicesTerms(request: PlanRequest, facts: MarketFacts, reading: Reading): KindTerms | undefined {
  const { market } = facts;
  const { slices: count } = request;
  const side = sideOf(request.side ?? "", reading);
  const durationMs = durationOf(request.duration, reading);
  if (side === undefined || durationMs === undefined) return undefined;
  if (count === undefined || !Number.isInteger(count) || count < SLICES_MIN || count > SLICES_MAX)
    return reading.wrong("slices", `slices is a whole number from ${SLICES_MIN} to ${SLICES_MAX}`);
  if (intervalMs(durationMs, count) < INTERVAL_MIN_MS) return tooClose(durationMs, count, reading);
  const limit = limitOf(request, facts, reading);
  const size = sizeOf(side, request, limit, facts, reading);
  if (size === undefined || reading.fault !== undefined || !isEnough(size, count, limit, facts, reading))
    return undefined;
  return {
    terms: { kind: "slices", symbol: market.symbol, side, size, count, durationMs, ...limited(limit) },
    warnings: limitWarning(side, limit, facts),
  };
}

function tooClose(durationMs: number, count: number, reading: Reading): undefined {
  const what = `${count} slices in ${durationMs / 1_000} s are less than ${INTERVAL_MIN_MS / 1_000} s apart`;
  const most = Math.floor(durationMs / INTERVAL_MIN_MS);
  if (most >= SLICES_MIN) return reading.wrong("slices", `${what}: choose at most ${most}, or a longer duration`);
  const least = (SLICES_MIN * INTERVAL_MIN_MS) / 1_000;
  return reading.wrong("duration", `${what}: choose a duration of ${least}s or longer, which takes ${SLICES_MIN}`);
}

/** @returns milliseconds */
export function durationOf(text: string | undefined, reading: Reading): number | undefined {
  const ms = parseDuration(text ?? "");
  if (ms === undefined) return reading.wrong("duration", 'duration is written as "2h", "90m" or "1h30m"');
  return ms <= DURATION_MAX_MS ? ms : reading.wrong("duration", "duration is at most 24h");
}

function sideOf(text: string, reading: Reading): Side | undefined {
  return text === "buy" || text === "sell" ? text : reading.wrong("side", "side is buy or sell");
}

function limitOf({ limit_price }: PlanRequest, facts: MarketFacts, reading: Reading): Price | undefined {
  return limit_price === undefined ? undefined : priceOf("limit_price", limit_price, facts, reading);
}

function limited(limit: Price | undefined): { readonly limitPrice?: string } {
  return limit === undefined ? {} : { limitPrice: limit.toString() };
}

/** Where it is beyond the market already nothing is bought or sold before it comes back. */
function limitWarning(
  side: Side,
  limit: Price | undefined,
  { quotes: { bid, ask }, market }: MarketFacts,
): readonly string[] {
  const best = side === "buy" ? ask : bid;
  if (limit === undefined || best === undefined) return [];
  if (side === "buy" ? limit.gte(best) : limit.lte(best)) return [];
  const shown = formatAmount(best, market.quote);
  return [
    side === "buy"
      ? `nothing is bought while the market is above limit_price: the best ask is ${shown}`
      : `nothing is sold while the market is below limit_price: the best bid is ${shown}`,
  ];
}

function sizeOf(
  side: Side,
  request: PlanRequest,
  limit: Price | undefined,
  facts: MarketFacts,
  reading: Reading,
): TurnSize | undefined {
  const { base_volume, quote_amount } = request;
  const { market, quotes } = facts;
  if (side === "sell") {
    if (quote_amount !== undefined)
      return reading.wrong("quote_amount", `a plan sells coins: give base_volume in ${market.base} in its place`);
    if (base_volume === undefined)
      return reading.wrong("base_volume", `a plan that sells needs base_volume, in ${market.base}`);
    const volume = volumeToSell(base_volume, limit ?? quotes.bid, facts, reading);
    return volume && { volume: volume.toString() };
  }
  if (base_volume !== undefined)
    return reading.wrong("base_volume", `a plan buys for an amount: give quote_amount in ${market.quote} in its place`);
  if (quote_amount === undefined)
    return reading.wrong("quote_amount", `a plan that buys needs quote_amount, in ${market.quote}`);
  if (quote_amount.endsWith("%"))
    return reading.wrong(
      "quote_amount",
      `a share of what there is would be another sum each time: give an amount of ${market.quote}`,
    );
  const amount = reading.number("quote_amount", quote_amount, parseNotional);
  if (amount === undefined) return undefined;
  const decimals = amountDecimals(market.quote);
  if (amount.decimals() > decimals)
    return reading.wrong(
      "quote_amount",
      `quote_amount ${quote_amount} has more than ${decimals} decimals of ${market.quote}`,
    );
  const least = leastAmount(market, limit);
  if (amount.gte(least) && !amount.isZero()) return { quoteAmount: amount.toString() };
  return reading.wrong(
    "quote_amount",
    `quote_amount ${quote_amount} is less than ${market.symbol} takes: at least ${formatAmount(least, market.quote)}`,
  );
}

/** Tells whether every piece is twice the market's minimum. */
function isEnough(
  size: TurnSize,
  count: number,
  limit: Price | undefined,
  facts: MarketFacts,
  reading: Reading,
): boolean {
  const { market, quotes } = facts;
  const isBuy = "quoteAmount" in size;
  const decimals = isBuy ? amountDecimals(market.quote) : market.volume_decimals;
  const total = isBuy ? size.quoteAmount : size.volume;
  const [{ size: piece } = { size: "0" }] = piecesOf(total, {
    count,
    decimals,
    fromMs: 0,
    durationMs: DURATION_MAX_MS,
  });
  const at = limit ?? (isBuy ? quotes.ask : quotes.bid);
  const [asset, least] = isBuy
    ? [market.quote, max(leastAmount(market, at), notional(market.min_notional)).scale(TWICE)]
    : [market.base, leastVolume(market, at).scale(TWICE)];
  const fits = isBuy
    ? notional(piece).gte(notional(least.toString()))
    : quantity(piece).gte(quantity(least.toString()));
  if (fits) return true;
  const field = isBuy ? "quote_amount" : "base_volume";
  const each = isBuy ? formatAmount(notional(piece), asset) : formatAmount(quantity(piece), asset);
  reading.wrong(
    field,
    `${count} pieces of ${each} each are less than twice what ${market.symbol} takes, ${formatAmount(least, asset)}: choose fewer slices, or more`,
  );
  return false;
}
