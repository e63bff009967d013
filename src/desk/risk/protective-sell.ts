/**
 * What an order of a plan is held against: its mandate, and, where it protects coins, one price rule in the place of the price collar and the slippage.
 *
 * Invariants: a protection's sell is a limit order, never below its floor, nor further below the best bid of others than both the file and the mandate allow;
 * what is not known denies; a figure equal to its limit passes.
 *
 * Source: decision 0106.
 */
import { type CreateOrderBody, type Fault, localFault, type Market, type Unit } from "../../contract/index.ts";
import {
  formatAmount,
  formatPercent,
  inUnit,
  max,
  notional,
  notionalOf,
  type Price,
  price,
  type Quantity,
  quantity,
  type Rate,
  rate,
  roundToStep,
  roundToTick,
  type Value,
} from "../../decimal/index.ts";
import { isProtection, type Mandate, type PlanBounds, type PlanLeg, type PlanTerms } from "../model/plan.ts";
import { type ChildDenial, type PlanDenial, POLICY_FILE } from "../model/policy.ts";
import { tickBandsOf } from "./order-proposals.ts";

const ONE = rate("1");

/** @param line of `policy.toml` by which the rule goes, where one does */
export function planDenialFault({ rule, figure, limit, message, field }: PlanDenial, line?: string): Fault {
  return localFault("ELocal:Denied by policy", {
    message: `${message.charAt(0).toUpperCase()}${message.slice(1)}. Nothing was sent.`,
    rule,
    figure,
    limit,
    ...(line === undefined
      ? {}
      : {
          nextAction: `Do what the message says, or leave it; only a person changes the line ${line} in ${POLICY_FILE}.`,
        }),
    ...(field === undefined ? {} : { field }),
  });
}

/** Market and account as a protection finds them when it is to sell. */
export interface ProtectiveCase {
  readonly market: Market;
  /** What of the plan's volume was not sold. */
  readonly left: Quantity;
  readonly available: Quantity;
  /** Of the coin, in open orders. */
  readonly locked: Quantity;
  /** Best bid of others; undefined where nobody else buys. */
  readonly bid: Price | undefined;
  /** The lowest price of the leg: its floor, its limit, or what it takes profit at. */
  readonly floor: Price;
  /** As of `protective_slippage_pct`. */
  readonly slippage: Rate;
  /** The price at which a stop's order rests; absent where it sells at what is bid. */
  readonly restsAt?: Price;
}

export type ProtectiveSell =
  | { readonly kind: "sell"; readonly price: string; readonly volume: string; readonly timeInForce: "IOC" | "GTC" }
  /** Nobody else buys. */
  | { readonly kind: "no_bid" }
  | { readonly kind: "below_floor"; readonly bid: string; readonly floor: string }
  /** Enough is left to sell, and an open order has it. */
  | { readonly kind: "locked"; readonly volume: string }
  /** What is left is less than the market takes. */
  | { readonly kind: "nothing_left" };

/** What a protection sends when its trigger has come. */
export function protectiveSell(at: ProtectiveCase): ProtectiveSell {
  const { market, left, available, locked, bid, floor, restsAt } = at;
  const asked = restsAt ?? (bid === undefined ? undefined : max(floor, lowestSell(market, bid, at.slippage)));
  if (asked === undefined) return { kind: "no_bid" };
  const sellable = (held: Quantity): Quantity =>
    roundToStep(left.lt(held) ? left : held, market.volume_decimals, "down");
  const volume = sellable(available);
  if (!isTaken(market, volume, asked)) {
    const whole = sellable(available.plus(locked));
    return isTaken(market, whole, asked) ? { kind: "locked", volume: whole.toString() } : { kind: "nothing_left" };
  }
  if (restsAt === undefined && bid?.lt(floor) === true)
    return { kind: "below_floor", bid: bid.toString(), floor: floor.toString() };
  const timeInForce = restsAt === undefined ? "IOC" : "GTC";
  return { kind: "sell", price: asked.toString(), volume: volume.toString(), timeInForce };
}

/** The lowest price on the tick that is within the slippage of the bid. */
export function lowestSell(market: Market, bid: Price, slippage: Rate): Price {
  return roundToTick(tickBandsOf(market), bid.scale(ONE.minus(slippage)), "up");
}

function isTaken({ min_volume, min_notional }: Market, volume: Quantity, at: Price): boolean {
  return volume.gte(quantity(min_volume)) && notionalOf(at, volume).gte(notional(min_notional)) && !volume.isZero();
}

/** An order of a protection, and what it is held against. */
export interface ProtectiveQuestion {
  readonly order: CreateOrderBody;
  readonly market: Market;
  readonly floor: Price;
  readonly bid: Price | undefined;
  /** Of the file as it is now, and as it was approved; the stricter counts. */
  readonly slippage: { readonly now: Rate; readonly approved: Rate };
}

/** The rule `protective`, in the place of `price_collar` and `slippage`. */
export function checkProtective({ order, market, floor, bid, slippage }: ProtectiveQuestion): ChildDenial | undefined {
  const shown = (at: Price): string => formatAmount(at, market.quote);
  if (order.side !== "sell" || order.price === undefined)
    return denied("protective", order.type, "a limit order that sells", "a protection sells by a limit order", "type");
  const asked = price(order.price);
  if (asked.lt(floor))
    return denied(
      "protective",
      asked.toString(),
      floor.toString(),
      `price ${shown(asked)} is below the floor ${shown(floor)} of the plan`,
      "price",
    );
  if (bid === undefined)
    return denied(
      "protective",
      "no bid",
      "a bid of others",
      `nobody else buys on ${market.symbol}, so that no price is known to be near the market: it is tried again when somebody does`,
    );
  const share = slippage.now.lt(slippage.approved) ? slippage.now : slippage.approved;
  const lowest = bid.scale(ONE.minus(share));
  if (asked.gte(lowest)) return undefined;
  return denied(
    "protective",
    asked.toString(),
    lowest.toString(),
    `price ${shown(asked)} is further below the best bid of others, ${shown(bid)}, than protective_slippage_pct ${formatPercent(share, 2)}`,
    "price",
  );
}

/** What makes an order one of a protection. */
export interface ExceptionCase {
  readonly terms: PlanTerms;
  readonly mandate: Pick<Mandate, "by">;
  readonly order: CreateOrderBody;
  /** Read now; undefined where it is not known. */
  readonly held: Quantity | undefined;
  readonly isPractice: boolean;
}

/** Tells whether `protective` stands in the place of the rules of prices, and the mandate in that of the limits of money. */
export function hasProtectiveException({ terms, mandate, order, held, isPractice }: ExceptionCase): boolean {
  if (!isProtection(terms) || order.side !== "sell" || order.symbol !== terms.symbol) return false;
  if (mandate.by !== "person" && !isPractice) return false;
  return held !== undefined && order.volume !== undefined && quantity(order.volume).lte(held);
}

/** An order of a plan, with what the plan has done before. */
export interface MandateQuestion {
  readonly account: string;
  readonly environment: string;
  readonly order: CreateOrderBody;
  readonly step: number;
  /** What the order counts for, in the unit of account; undefined where it cannot be valued. */
  readonly value: Value | undefined;
  readonly unit: Unit;
  /** Sums of the orders that came of it before, what may still execute counted as if it had. */
  readonly before: { readonly volume: Quantity; readonly value: Value };
  /** Unix milliseconds of the exchange's clock. */
  readonly nowMs: number;
}

/** The rule `mandate`: whether the order is one of those that were approved. */
export function checkMandate(bounds: PlanBounds, question: MandateQuestion): ChildDenial | undefined {
  if (bounds.legs !== undefined) return checkLeg(bounds, bounds.legs, question);
  return checkWhere(bounds, question) ?? checkHowMuch(bounds, question) ?? checkPrices(bounds, question.order);
}

const NOTHING_BEFORE: MandateQuestion["before"] = { volume: quantity("0"), value: inUnit("0") };

/** Of each leg comes one order, that of its step. */
function checkLeg(bounds: PlanBounds, legs: readonly PlanLeg[], question: MandateQuestion): ChildDenial | undefined {
  const { order, step } = question;
  const leg = legs[step - 1];
  const [figure, limit] = [order, leg].map((of) => (of === undefined ? "nothing" : `${of.side} ${of.symbol}`));
  if (leg === undefined || figure !== limit)
    return denied(
      "mandate",
      figure ?? "",
      limit ?? "",
      `order ${step} of the plan was approved for ${limit}, not for ${figure}`,
      "symbol",
    );
  const own = { ...bounds, ...leg };
  return checkWhere(own, question) ?? checkHowMuch(own, { ...question, before: NOTHING_BEFORE });
}

function checkWhere(
  bounds: PlanBounds,
  { account, environment, order, step, nowMs }: MandateQuestion,
): ChildDenial | undefined {
  const same: readonly (readonly [string, string, string | undefined, ChildDenial["field"]])[] = [
    ["account", account, bounds.account, undefined],
    ["environment", environment, bounds.environment, undefined],
    ["symbol", order.symbol, bounds.symbol, "symbol"],
    ["side", order.side, bounds.side, undefined],
  ];
  for (const [name, figure, limit, field] of same)
    if (figure !== limit)
      return denied(
        "mandate",
        figure,
        limit ?? "",
        `the plan was approved for ${name} ${limit ?? "none"}, not for ${figure}`,
        field,
      );
  if (step > bounds.stepsMax)
    return denied(
      "mandate",
      String(step),
      String(bounds.stepsMax),
      `order ${step} of a plan that was approved for ${bounds.stepsMax}`,
    );
  if (nowMs >= bounds.untilMs) {
    const [now, end] = [nowMs, bounds.untilMs].map((ms) => new Date(ms).toISOString());
    return denied("mandate", now ?? "", end ?? "", `the plan ended at ${end}`);
  }
  return undefined;
}

function checkHowMuch(bounds: PlanBounds, { order, value, unit, before }: MandateQuestion): ChildDenial | undefined {
  const { volumeMax, valueMax, stepValueMax } = bounds;
  if (volumeMax !== undefined) {
    const limit = quantity(volumeMax);
    const figure = order.volume === undefined ? undefined : before.volume.plus(quantity(order.volume));
    if (figure === undefined || figure.gt(limit))
      return denied(
        "mandate",
        figure?.toString() ?? "unknown",
        volumeMax,
        `with this order the plan comes to ${figure?.toString() ?? "a volume that is not known"}, more than the ${volumeMax} that were approved`,
        "base_volume",
      );
  }
  const sums: readonly (readonly [string, string | undefined, Value | undefined])[] = [
    ["this order counts for", stepValueMax, value],
    ["with this order the plan comes to", valueMax, value && before.value.plus(value)],
  ];
  for (const [what, limit, figure] of sums)
    if (limit !== undefined && (figure === undefined || figure.gt(inUnit(limit))))
      return denied(
        "mandate",
        figure?.toString() ?? "unknown",
        limit,
        `${what} ${figure === undefined ? "what cannot be valued" : formatAmount(figure, unit)}, more than the ${formatAmount(inUnit(limit), unit)} that were approved`,
      );
  return undefined;
}

/** An order without a price has any, so it is within no bound. */
function checkPrices({ priceMin, priceMax }: PlanBounds, order: CreateOrderBody): ChildDenial | undefined {
  const figure = order.price ?? "none";
  const [, quote = ""] = order.symbol.split("/");
  const shown = (at: string): string => formatAmount(price(at), quote);
  const beyond = (limit: string, isWithin: (at: Price) => boolean): boolean =>
    limit !== undefined && (order.price === undefined || !isWithin(price(order.price)));
  if (priceMin !== undefined && beyond(priceMin, (at) => at.gte(price(priceMin))))
    return denied("mandate", figure, priceMin, `the plan was approved for prices from ${shown(priceMin)} up`, "price");
  if (priceMax !== undefined && beyond(priceMax, (at) => at.lte(price(priceMax))))
    return denied("mandate", figure, priceMax, `the plan was approved for prices up to ${shown(priceMax)}`, "price");
  return undefined;
}

function denied(
  rule: ChildDenial["rule"],
  figure: string,
  limit: string,
  message: string,
  field?: ChildDenial["field"],
): ChildDenial {
  return { rule, figure, limit, message, ...(field === undefined ? {} : { field }) };
}
