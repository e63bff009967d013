/**
 * The rules over what an account has in use: how large an order is, how many there are, what is open, what the day has used, set aside and lost.
 *
 * Invariants: a figure equal to its limit is allowed; what plans have set aside counts for the day as if it had been sent, but for the share of the order that
 * asks.
 *
 * Source: decision 0007; decision 0106.
 */
import { formatAmount, inUnit, quantity, type Value } from "../../decimal/index.ts";
import { type SumName, settingName } from "../../policy/index.ts";
import type { PolicyCase } from "../market/judged-market.ts";
import { DAY_MS, dayUsed, reservedOf } from "../model/account-usage.ts";
import type { Denial } from "../model/policy.ts";
import { sellsWhatIsHeld } from "./held-sell.ts";
import { largestSize } from "./largest-size.ts";
import { otherUnitFinding } from "./other-unit.ts";

export type Finding = Omit<Denial, "rule">;

export const RAISE = "or a person raises the limit in policy.toml";
const MINUTE_MS = 60_000;

/** The kill switch must hold whatever its record says, and not every number is a time. */
export function timeText(atMs: number): string {
  const time = new Date(atMs);
  return Number.isNaN(time.getTime()) ? "an unknown time" : time.toISOString();
}

export function sizeField({ order }: PolicyCase): "base_volume" | "quote_amount" {
  return order.amount === undefined ? "base_volume" : "quote_amount";
}

/** Tells what would pass. */
function smaller(at: PolicyCase): string {
  const largest = largestSize(at);
  const { base, quote } = at.market;
  if (largest === undefined) return "no smaller size passes now";
  return `make it at most ${formatAmount(quantity(largest), at.order.amount === undefined ? base : quote)}`;
}

export function checkOrderSize(at: PolicyCase): Finding | undefined {
  const { value, policy } = at;
  const limit = policy.maxOrder;
  if (value === undefined || value.lte(limit)) return undefined;
  const { unit } = policy;
  const setting = settingName("max_order", unit);
  const message = `the order counts for ${formatAmount(value, unit)}, larger than ${setting} ${formatAmount(limit, unit)}: ${smaller(at)}, ${RAISE}`;
  return { figure: value.toString(), limit: limit.toString(), message, field: sizeField(at) };
}

export function checkOrdersPerMinute({
  accountUsage: { usage, firstSentAtMs },
  policy: { maxOrdersPerMinute },
  nowMs,
}: PolicyCase): Finding | undefined {
  const figure = usage.lastMinute + 1;
  if (figure <= maxOrdersPerMinute) return undefined;
  const message = `orders sent within the last minute: ${usage.lastMinute}, and max_orders_per_minute is ${maxOrdersPerMinute}: wait until ${timeText((firstSentAtMs ?? nowMs) + MINUTE_MS)}, ${RAISE}`;
  return { figure: String(figure), limit: String(maxOrdersPerMinute), message };
}

export function checkOpenOrders({
  accountUsage: { usage },
  policy: { maxOpenOrders },
}: PolicyCase): Finding | undefined {
  const figure = usage.openOrders + 1;
  if (figure <= maxOpenOrders) return undefined;
  const message = `orders open: ${usage.openOrders}, and max_open_orders is ${maxOpenOrders}: cancel what is no longer needed, ${RAISE}`;
  return { figure: String(figure), limit: String(maxOpenOrders), message };
}

interface Budget {
  readonly used: Value;
  readonly limit: Value;
  readonly setting: SumName;
  /** Names what has used it, as the subject of "count for". */
  readonly users: string;
  /** Says what makes room. @param over by how much it is too much */
  readonly remedy: (over: Value) => string;
}

function checkBudget(at: PolicyCase, { used, limit, setting, users, remedy }: Budget): Finding | undefined {
  const { value, policy, accountUsage } = at;
  const { unit } = policy;
  if (value === undefined) return undefined;
  const others = [accountUsage.unit, accountUsage.reserved?.unit].find((each) => (each ?? unit) !== unit);
  if (others !== undefined) return otherUnitFinding(others, unit, accountUsage.settled);
  const figure = used.plus(value);
  if (figure.lte(limit)) return undefined;
  const sums = [used, value, limit].map((sum) => formatAmount(sum, unit));
  const message = `${users} count for ${sums[0]} and this one for ${sums[1]}, together more than ${settingName(setting, unit)} ${sums[2]}: ${smaller(at)}, ${remedy(figure.minus(limit))}, ${RAISE}`;
  return { figure: figure.toString(), limit: limit.toString(), message, field: sizeField(at) };
}

export function checkOpenExposure(at: PolicyCase): Finding | undefined {
  return checkBudget(at, {
    used: inUnit(at.accountUsage.usage.open),
    limit: at.policy.maxOpen,
    setting: "max_open",
    users: "open orders",
    remedy: () => "cancel what is no longer needed",
  });
}

export function checkDayBudget(at: PolicyCase): Finding | undefined {
  const { accountUsage, policy, value } = at;
  const sent = inUnit(accountUsage.usage.day);
  const isSetAside = value !== undefined && sent.plus(value).lte(policy.maxDay);
  return checkBudget(at, {
    used: dayUsed(accountUsage),
    limit: policy.maxDay,
    setting: "max_day",
    users: isSetAside ? setAsideText(at) : "orders of the last 24 hours",
    remedy: isSetAside ? () => "pause or cancel what is not wanted of that" : (over) => waitForDay(at, over),
  });
}

/** Plans named in a refusal. */
const NAMED_MAX = 3;

/** Of what is within the budget but for plans: which. */
function setAsideText({ accountUsage, policy: { unit } }: PolicyCase): string {
  const { planIds } = accountUsage.reserved ?? { planIds: [] };
  const [named, others] = [planIds.slice(0, NAMED_MAX).join(", "), planIds.length - NAMED_MAX];
  const whose = `${named}${others > 0 ? ` and ${others} more` : ""}`;
  const much = formatAmount(reservedOf(accountUsage), unit);
  return `orders of the last 24 hours and the ${much} that ${whose} ${planIds.length === 1 ? "has" : "have"} set aside for the next`;
}

/** Until when enough of what has ended is a day old. What is open counts until it ends, and nobody knows when. */
function waitForDay({ value, policy, accountUsage: { settled, usage } }: PolicyCase, over: Value): string {
  if (value?.gt(policy.maxDay) === true) return "do not wait, as it counts for more than the budget of a day";
  let freed = inUnit("0");
  for (const { value: settledValue, atMs } of settled) {
    freed = freed.plus(inUnit(settledValue));
    if (freed.gte(over)) return `wait until ${timeText(atMs + DAY_MS)}, when enough of the budget is free`;
  }
  const last = settled.at(-1);
  const isAll = freed.plus(inUnit(usage.open)).gte(inUnit(usage.day));
  return isAll || last === undefined
    ? "cancel what is no longer needed"
    : `wait until after ${timeText(last.atMs + DAY_MS)}`;
}

/** A loss that is not known is none that is allowed. What takes risk away goes on, unless everything is to stop. */
export function checkDayLoss(at: PolicyCase): Finding | undefined {
  const { dayLoss, policy } = at;
  const { maxDayLoss: limit, dayLossAction, unit } = policy;
  if (limit === "off" || dayLoss?.lt(limit) === true) return undefined;
  if (dayLossAction === "reduce_only" && sellsWhatIsHeld(at)) return undefined;
  const figure = dayLoss?.toString() ?? "unknown";
  const lost =
    dayLoss === undefined
      ? "what was lost today cannot be counted now"
      : `${formatAmount(dayLoss, unit)} were lost today, fees and what is held included, and ${settingName("max_day_loss", unit)} is ${formatAmount(limit, unit)}`;
  const remedy =
    dayLossAction === "reduce_only"
      ? "until the day is over only sells of what is held pass"
      : "trading is halted, and a person lifts that";
  return { figure, limit: limit.toString(), message: `${lost}: ${remedy}, ${RAISE}` };
}
