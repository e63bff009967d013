/**
 * What a plan would have done on the market's past candles, as if it had been made when the period began.
 *
 * Invariants: nothing is recorded, and nothing is held against the limits of the file but the plan's own terms: it is about prices that are past; a percentage
 * is of the price at the beginning of the period, and what is reckoned by that is said to be of then; a candle that has not ended is none.
 *
 * Source: decision 0116; decision 0106.
 */
import {
  CANDLE_INTERVAL_MS,
  type Candle,
  type CandleInterval,
  type Fault,
  failed,
  LIMITS,
  localFault,
  type Market,
  ok,
  type Result,
} from "../../contract/index.ts";
import { formatAmount, isShare, parsePrice, price, type Quantity, quantity } from "../../decimal/index.ts";
import { type DeskContext, exchangeNow, type ReadingParts } from "../core/context.ts";
import { localTime } from "../core/local-time.ts";
import { DAY_MS } from "../model/account-usage.ts";
import type { PlanTerms } from "../model/plan.ts";
import type { PlanRequest, PlanView, PlanWriteReport, Rehearsal } from "../model/plan-report.ts";
import type { Policy } from "../model/policy.ts";
import { firstProgress } from "./plan-question.ts";
import { dueOf, isoTime, limitsOf, previewView, refusedWrite } from "./plan-view.ts";
import { rehearse } from "./terms/rehearsal.ts";
import { type PlanDraft, planDraft } from "./terms/terms.ts";
import { boundsOfTerms, worstCase } from "./terms/worst-case.ts";

export type RehearsedPeriod = "1d" | "7d" | "30d";

const PERIOD_MS: Readonly<Record<RehearsedPeriod, number>> = { "1d": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS };
const PAGES_MAX = 3;
/** Finest first. */
const INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"] as const satisfies readonly CandleInterval[];
const LEVELS: readonly string[] = [
  "stop_price",
  "take_price",
  "limit_price",
  "floor_price",
] satisfies readonly (keyof PlanRequest)[];
const NOTHING = quantity("0");

interface Past {
  readonly candles: readonly Candle[];
  readonly intervalMs: number;
  /** The first price of the period. */
  readonly open: string;
}

/** @returns as a preview; `ELocal:Cannot rehearse` where candles cannot decide it */
export async function rehearsePlan(
  context: DeskContext,
  request: PlanRequest,
  period: RehearsedPeriod,
): Promise<PlanWriteReport> {
  const rehearsed = await rehearsedPlan(context, request, period);
  if (!rehearsed.ok) return refusedWrite(context, rehearsed.fault);
  const { plan, rehearsal } = rehearsed.value;
  return { outcome: "not_sent", state: "preview", plan, rehearsal, warnings: [], ...context.stamp() };
}

async function rehearsedPlan(
  context: DeskContext,
  request: PlanRequest,
  period: RehearsedPeriod,
): Promise<Result<{ readonly plan: PlanView; readonly rehearsal: Rehearsal }>> {
  if (request.kind === "alert")
    return failed(nothingToRehearse("An alert trades never: there is nothing to rehearse."));
  if (request.after !== undefined)
    return failed(nothingToRehearse("A plan that begins with a buy has no price of the past to begin at."));
  if (request.kind === "rebalance") return failed(basketOfNow());
  const { parts } = context;
  // Whether the exchange is one to practise on is known by then, and with it what holds where the file says nothing.
  const account = await context.account();
  if (!account.ok) return account;
  const policy = parts.policy.read();
  if (!policy.ok) return policy;
  // As an order has it: with the account's own fees.
  const found = request.symbol === undefined ? ok(undefined) : await context.market(request.symbol, "proposed");
  if (!found.ok) return found;
  const market = found.value;
  const past = market === undefined ? ok(undefined) : await pastOf(parts, market, period, exchangeNow(context));
  if (!past.ok) return past;
  const available = market === undefined ? ok(NOTHING) : await availableOf(context, request, market);
  if (!available.ok) return available;
  const nowMs = exchangeNow(context);
  const { environment } = parts.venue;
  const of = { account: account.value, environment, market, nowMs };
  const facts = { ...of, past: past.value, policy: policy.value, available: available.value };
  const draft = draftThen(context, request, facts);
  if (!draft.ok) return draft;
  if (market === undefined || past.value === undefined) throw new Error("a plan that sends orders has a market");
  const { candles, intervalMs } = past.value;
  const { terms, untilMs } = draft.value;
  const rehearsal = rehearse(terms, { market, candles, intervalMs, rules: policy.value.plans });
  if (!rehearsal.ok) return rehearsal;
  return ok({ plan: viewOf(terms, untilMs, { ...facts, market }), rehearsal: rehearsal.value });
}

/** The candles of the finest interval that covers the period in a few pages, oldest first. */
async function pastOf(
  { venue }: ReadingParts,
  { symbol }: Market,
  period: RehearsedPeriod,
  nowMs: number,
): Promise<Result<Past | undefined>> {
  const lengthMs = PERIOD_MS[period];
  const fits = INTERVALS.find((each) => lengthMs / CANDLE_INTERVAL_MS[each] <= PAGES_MAX * LIMITS.candlesMax);
  const interval = fits ?? "1d";
  const intervalMs = CANDLE_INTERVAL_MS[interval];
  const endMs = nowMs - (nowMs % intervalMs);
  const candles: Candle[] = [];
  const pageMs = LIMITS.candlesMax * intervalMs;
  for (let fromMs = endMs - lengthMs; fromMs < endMs; fromMs += pageMs) {
    const toMs = Math.min(fromMs + pageMs, endMs) - 1;
    const page = await venue.candles(symbol, interval, { fromMs, toMs });
    if (!page.ok) return page;
    candles.push(...page.value);
  }
  const [first] = candles;
  return first === undefined ? failed(noCandles(symbol, period)) : ok({ candles, intervalMs, open: first.open });
}

async function availableOf(
  { parts: { venue } }: DeskContext,
  { base_volume }: PlanRequest,
  { base }: Market,
): Promise<Result<Quantity>> {
  if (base_volume?.endsWith("%") !== true) return ok(NOTHING);
  const accounts = await venue.accounts();
  if (!accounts.ok) return accounts;
  return ok(quantity(accounts.value.balances.find(({ asset }) => asset === base)?.available ?? "0"));
}

interface Facts {
  readonly account: string;
  readonly environment: string;
  readonly market: Market | undefined;
  readonly past: Past | undefined;
  readonly policy: Policy;
  readonly available: Quantity;
  readonly nowMs: number;
}

/** The plan as it would have been made when the period began, at the first price of it. */
function draftThen(
  { parts: { timeZone } }: DeskContext,
  request: PlanRequest,
  { market, past, policy, available, nowMs }: Facts,
): Result<PlanDraft> {
  const open = past && price(past.open);
  const draft = planDraft(request, {
    ...{ market, quotes: { bid: open, ask: open }, available, policy, nowMs, candles: [] },
    timeZone: localTime(nowMs, timeZone).timezone,
  });
  if (draft.ok || market === undefined || past === undefined) return draft;
  return failed(asOfThen(draft.fault, request, market, past));
}

/** A price that is none is wrong at any time; any other may be wrong by where the market was then. */
function asOfThen(fault: Fault, request: PlanRequest, { quote }: Market, { open, candles }: Past): Fault {
  const { field = "" } = fault;
  const given = LEVELS.includes(field) ? request[field as keyof PlanRequest] : undefined;
  const isPrice = typeof given === "string" && (isShare(given) || parsePrice(given).ok);
  if (fault.code !== "ELocal:Invalid input" || !isPrice) return fault;
  const then = `the period began at ${candles[0]?.time ?? ""} with ${formatAmount(price(open), quote)}, and is rehearsed from there`;
  return localFault("ELocal:Invalid input", { field, message: `${fault.message} (${then}.)` });
}

function viewOf(
  terms: PlanTerms,
  untilMs: number,
  { account, environment, market, past, policy, nowMs }: Facts & { readonly market: Market },
): PlanView {
  const { unit, plans: rules } = policy;
  const open = past && price(past.open);
  const quotes = { bid: open, ask: open };
  const facts = { account, environment, market, quotes, unit, rules, untilMs, fromMs: nowMs };
  const worst = worstCase(terms, facts);
  const { atLeast } = worst ?? {};
  const floor = atLeast?.price.toString();
  const bounds = worst && boundsOfTerms(terms, worst, facts);
  const most = worst && { worstValue: worst.value.toString(), unit, ...(bounds && limitsOf(bounds)) };
  const [first] = past?.candles ?? [];
  const view = previewView(
    { terms, untilMs, progress: firstProgress(terms, { quotes }) },
    most && { ...most, ...(atLeast && floor && { atLeast: { price: floor, value: atLeast.value } }) },
    { market, rules, nowMs, due: worst && dueOf(worst.steps) },
  );
  return { ...view, ...(view.shown && first && { shown: { ...view.shown, asOf: isoTime(Date.parse(first.time)) } }) };
}

function nothingToRehearse(why: string): Fault {
  return localFault("ELocal:Cannot rehearse", {
    field: "rehearse",
    message: `${why} Nothing was recorded.`,
    nextAction: "Leave rehearse out.",
  });
}

function basketOfNow(): Fault {
  return localFault("ELocal:Cannot rehearse", {
    field: "rehearse",
    message: "A rebalance is of what is held and quoted now: past prices say nothing of it. Nothing was recorded.",
    nextAction: "Ask for a preview in its place.",
  });
}

function noCandles(symbol: string, period: RehearsedPeriod): Fault {
  return localFault("ELocal:Cannot rehearse", {
    message: `${symbol} has no candles of the last ${period} that have ended. Nothing was recorded.`,
    nextAction: "Choose another period, as candles are finer the shorter it is, or another market.",
  });
}
