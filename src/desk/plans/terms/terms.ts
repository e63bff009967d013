/**
 * What is asked for of a plan becomes its terms: every price and volume exact, every field fit for its market and for what the market shows now.
 *
 * Invariants: nothing is rounded to what was not asked for, but where a percentage is turned into a price or a volume; a percentage is of the moment
 * at which the plan is made, and what it came to is what is approved.
 *
 * Entry point: `planDraft`. Source: decision 0106.
 */
import { failed, ok, type Result } from "../../../contract/index.ts";
import { formatAmount, notional, parseNotional } from "../../../decimal/index.ts";
import { boundsOf, PERIOD_FORMS } from "../../core/local-period.ts";
import type { AlertTerms, PlanKind, PlanTerms } from "../../model/plan.ts";
import type { PlanRequest } from "../../model/plan-report.ts";
import { afterTerms } from "./after-terms.ts";
import { durationOf, recurringTerms, slicesTerms } from "./calendar-terms.ts";
import { type KindTerms, kindOf, type PlanFacts, planLine, Reading } from "./plan-request.ts";
import { levelOf, protectionTerms } from "./protection-terms.ts";
import { rebalanceTerms } from "./rebalance-terms.ts";

export interface PlanDraft {
  readonly terms: PlanTerms;
  /** Unix milliseconds of the exchange's clock. */
  readonly untilMs: number;
  /** Sentences without a full stop. */
  readonly warnings: readonly string[];
}

const DAY_MS = 86_400_000;
/** So long a basket may take from when it is approved. */
const BASKET_MS = 3_600_000;

/** @returns a fault with the field that is wrong and what to write in its place, or by the rule `plans` where the file does not allow it */
export function planDraft(request: PlanRequest, facts: PlanFacts): Result<PlanDraft> {
  const reading = new Reading();
  const kind = kindOf(request, reading);
  const untilMs = kind && untilOf(kind, request, facts, reading);
  const read =
    untilMs === undefined || kind === undefined ? undefined : termsOf(kind, request, facts, untilMs, reading);
  if (reading.fault !== undefined) return failed(reading.fault);
  if (read === undefined || untilMs === undefined) throw new Error("a plan without terms has no fault either");
  const { note } = request;
  const terms = note === undefined || note === "" ? read.terms : { ...read.terms, note };
  return ok({ terms, untilMs, warnings: read.warnings });
}

function termsOf(
  kind: PlanKind,
  request: PlanRequest,
  facts: PlanFacts,
  untilMs: number,
  reading: Reading,
): KindTerms | undefined {
  if (kind === "alert") return alertTerms(request, facts, reading);
  if (kind === "rebalance") return rebalanceTerms(request, facts, reading);
  const { market } = facts;
  if (market === undefined) return reading.wrong("symbol", `a plan of kind ${kind} needs the symbol of a market`);
  const ofMarket = { ...facts, market };
  switch (kind) {
    case "recurring":
      return recurringTerms(request, ofMarket, untilMs, reading);
    case "slices":
      return slicesTerms(request, ofMarket, reading);
    case "stop":
    case "take_profit":
    case "trailing_stop":
      return protectionTerms(kind, request, ofMarket, reading);
    case "oco":
      if (request.after !== undefined) return afterTerms(request, ofMarket, reading);
      return protectionTerms(kind, request, ofMarket, reading);
    default:
      return kind satisfies never;
  }
}

/** Slices begin when they are approved, which may be as late as the question lives. */
function untilOf(
  kind: PlanKind,
  { until, duration }: PlanRequest,
  { policy, nowMs, timeZone }: PlanFacts,
  reading: Reading,
): number | undefined {
  const { plans, unit, approvalTtlMs } = policy;
  const latest = nowMs + plans.maxDays * DAY_MS;
  const durationMs = kind === "slices" ? durationOf(duration, reading) : 0;
  if (durationMs === undefined) return undefined;
  const ofSlices = nowMs + approvalTtlMs + durationMs;
  if (until === undefined && kind === "rebalance") return Math.min(nowMs + approvalTtlMs + BASKET_MS, latest);
  if (until === undefined) return kind === "slices" ? Math.min(ofSlices, latest) : latest;
  const endMs = boundsOf(until, timeZone)?.lastMs;
  if (endMs === undefined) return reading.wrong("until", `until is ${PERIOD_FORMS}`);
  if (endMs <= nowMs)
    return reading.wrong("until", `until is ${iso(endMs)}, which is over: choose a later time, or leave it out`);
  if (kind === "slices" && endMs < ofSlices)
    return reading.wrong(
      "until",
      `until is ${iso(endMs)}, before the last piece may be due (${iso(ofSlices)}): choose a later time, or leave it out`,
    );
  if (endMs <= latest) return endMs;
  return reading.denied(
    {
      rule: "plans",
      figure: iso(endMs),
      limit: iso(latest),
      message: `until is ${iso(endMs)}, and no plan runs longer than max_days ${plans.maxDays}: choose a time up to ${iso(latest)}, or leave it out`,
      field: "until",
    },
    planLine("max_days", { plans, unit }),
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Names what of the account an alert may be about. */
const EVENTS = ["price", "fill", "portfolio", "day_loss"] as const;

function alertTerms(request: PlanRequest, facts: PlanFacts, reading: Reading): KindTerms | undefined {
  const event = EVENTS.find((name) => name === (request.event ?? "price"));
  if (event === undefined) return reading.wrong("event", `event is one of ${EVENTS.join(", ")}`);
  const terms = event === "price" ? priceAlert(request, facts, reading) : accountAlert(event, request, facts, reading);
  return terms && { terms, warnings: [] };
}

function priceAlert(request: PlanRequest, facts: PlanFacts, reading: Reading): AlertTerms | undefined {
  const { market } = facts;
  if (market === undefined) return reading.wrong("symbol", "an alert on a price needs the symbol of a market");
  const side = oneBound(request, reading);
  if (side === undefined) return undefined;
  const [field, text] = side;
  const at = levelOf(field, text, field === "below" ? "down" : "up", { ...facts, market }, reading, "alert");
  if (at === undefined) return undefined;
  const { symbol } = market;
  const level = at.toString();
  return { kind: "alert", event: "price", symbol, ...(field === "above" ? { above: level } : { below: level }) };
}

function accountAlert(
  event: "fill" | "portfolio" | "day_loss",
  request: PlanRequest,
  { market, policy: { unit } }: PlanFacts,
  reading: Reading,
): AlertTerms | undefined {
  const { symbol, above, below } = request;
  if (event === "fill") {
    if (above !== undefined || below !== undefined)
      return reading.wrong(above === undefined ? "below" : "above", "an alert on a fill takes no bound: leave it out");
    return { kind: "alert", event, ...(symbol === undefined ? {} : { symbol: market?.symbol ?? symbol }) };
  }
  if (symbol !== undefined)
    return reading.wrong("symbol", `an alert on ${event} is of the whole account: leave symbol out`);
  if (event === "day_loss" && below !== undefined)
    return reading.wrong("below", `a loss is told from a sum on: give above, in ${unit}`);
  const side = oneBound(request, reading);
  if (side === undefined) return undefined;
  const [field, text] = side;
  const sum = reading.number(field, text, parseNotional);
  if (sum === undefined) return undefined;
  if (sum.isZero()) return reading.wrong(field, `${field} must be more than ${formatAmount(notional("0"), unit)}`);
  const bound = sum.toString();
  if (event === "day_loss") return { kind: "alert", event, above: bound };
  return { kind: "alert", event, ...(field === "above" ? { above: bound } : { below: bound }) };
}

function oneBound({ above, below }: PlanRequest, reading: Reading): readonly ["above" | "below", string] | undefined {
  if (above !== undefined && below !== undefined)
    return reading.wrong("below", "an alert takes one of above and below: make two alerts of it");
  if (above !== undefined) return ["above", above];
  return below === undefined ? reading.wrong("above", "an alert needs above or below") : ["below", below];
}
