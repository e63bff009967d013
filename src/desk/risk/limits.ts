/**
 * The limits of the policy as figures: how much of each is used, what is left, when more comes free, and the largest buy that they let through now.
 *
 * Invariant: they are the figures that the rules in `policy-rules.ts` hold an order against, nothing estimated; what is not known is null.
 */
import { type Market, UNIT_DECIMALS } from "../../contract/index.ts";
import { averagePrice, inUnit, max, min, notional, quantity, rate, type Value } from "../../decimal/index.ts";
import { type AccountUsage, counted, DAY_MS, dayUsed } from "../model/account-usage.ts";
import type { Policy, Rule } from "../model/policy.ts";
import type { LimitView } from "../model/reports.ts";
import { roomOf } from "./largest-size.ts";
import { policyLine } from "./policy-line.ts";

const NOTHING = inUnit("0");
const ONE = quantity("1");
const MINUTE_MS = 60_000;

/** Tells what was lost today, where there is a limit on it; `lost` is undefined where it cannot be counted. */
export interface LossOfDay {
  readonly limit: Value;
  readonly lost: Value | undefined;
  /** Unix milliseconds. */
  readonly dayEndsMs: number;
}

/** In the order in which the rules are asked. */
export function limitsOf(policy: Policy, accountUsage: AccountUsage, loss?: LossOfDay): readonly LimitView[] {
  const { usage, settled, firstSentAtMs, unit = policy.unit } = accountUsage;
  const count = (figure: number): Value => inUnit(String(figure));
  const minuteEndsMs = firstSentAtMs === undefined ? undefined : firstSentAtMs + MINUTE_MS;
  const [oldest] = settled;
  const view = (rule: Rule, limit: Value, used: Value | undefined, freesAtMs?: number): LimitView =>
    limitView({ rule, line: policyLine(rule, policy) ?? "" }, limit, used, freesAtMs);
  // What was counted in another unit is no figure of this one.
  const sum = (text: string): Value | undefined => (unit === policy.unit ? inUnit(text) : undefined);
  const isOneUnit = [unit, accountUsage.reserved?.unit ?? unit].every((each) => each === policy.unit);
  const dayFreesMs = oldest === undefined ? undefined : oldest.atMs + DAY_MS;
  return [
    view("order_size", policy.maxOrder, NOTHING),
    view("orders_per_minute", count(policy.maxOrdersPerMinute), count(usage.lastMinute), minuteEndsMs),
    view("open_orders", count(policy.maxOpenOrders), count(usage.openOrders)),
    view("open_exposure", policy.maxOpen, sum(usage.open)),
    view("day_budget", policy.maxDay, isOneUnit ? dayUsed(accountUsage) : undefined, dayFreesMs),
    ...(loss === undefined ? [] : [view("day_loss", loss.limit, loss.lost, loss.dayEndsMs)]),
  ];
}

/** @param freesAtMs when the first part of what is used is free again; undefined where no time frees it */
export function limitView(
  { rule, line }: Pick<LimitView, "rule" | "line">,
  limit: Value,
  used: Value | undefined,
  freesAtMs?: number,
): LimitView {
  const frees = freesAtMs === undefined || used?.isZero() === true ? null : new Date(freesAtMs).toISOString();
  const left = used && max(limit.minus(used), NOTHING);
  return {
    rule,
    limit: limit.toString(),
    line,
    used: used?.toString() ?? null,
    left: left?.toString() ?? null,
    frees_at: frees,
  };
}

/** Holds what a buy depends on beside the limits. */
export interface Buying {
  readonly policy: Policy;
  readonly accountUsage: AccountUsage;
  readonly limits: readonly LimitView[];
  readonly markets: readonly Market[];
  /** What of the unit of account is available. */
  readonly cash: string;
}

/**
 * The most that one buy may be for now, in each market where orders are allowed: within every limit, and paid for with its fee. Zero where no
 * buy passes. Whether its price and the book pass is known only of a whole order.
 */
export function largestBuy({ policy, accountUsage, limits, markets, cash }: Buying): Value {
  const allowed = markets.filter(
    ({ symbol, quote, status }) =>
      quote === policy.unit &&
      status === "trading" &&
      (policy.markets.includes("*") || policy.markets.includes(symbol)),
  );
  const [first, ...others] = allowed;
  const isUsedUp = limits.some(({ left }) => left === null || left === "0");
  if (first === undefined || isUsedUp) return NOTHING;
  const least = others.map((market) => notional(market.min_notional)).reduce(min, notional(first.min_notional));
  const fees = allowed.flatMap((market) => [rate(market.maker_fee_rate), rate(market.taker_fee_rate)]);
  const withFee = ONE.plus(ONE.scale(fees.reduce(max)));
  const affordable = averagePrice(notional(cash), withFee, UNIT_DECIMALS[policy.unit], "down");
  const largest = min(roomOf({ policy, accountUsage }), inUnit(affordable.toString()));
  return largest.lt(counted(least, policy.unit)) ? NOTHING : largest;
}
