/**
 * The rules of the policy, one function each. A rule that is kept returns undefined. Where a book or a value is missing, the price collar denies, so
 * that no rule allows an order on a guess.
 *
 * Invariants: a figure equal to its limit is allowed; nothing is divided to decide, so nothing is rounded.
 */

import { type Market, ORDER_TRAITS, quoted, type Side } from "../../contract/index.ts";
import {
  averagePrice,
  formatAmount,
  max,
  min,
  type Notional,
  notional,
  notionalOf,
  type Price,
  price,
  quantity,
  quantityFor,
  type Rate,
  rate,
  roundToTick,
} from "../../decimal/index.ts";
import { isFresh } from "../market/current-book.ts";
import type { PolicyCase } from "../market/judged-market.ts";
import { marketFill, type Quotes } from "../market/order-value.ts";
import { OWN_MAX } from "../market/own-orders.ts";
import type { KillSwitchRecord } from "../model/account-usage.ts";
import type { Denial, Policy, Rule } from "../model/policy.ts";
import {
  checkDayBudget,
  checkDayLoss,
  checkOpenExposure,
  checkOpenOrders,
  checkOrderSize,
  checkOrdersPerMinute,
  type Finding,
  RAISE,
  sizeField,
  timeText,
} from "./budget-rules.ts";
import { tickBandsOf } from "./order-proposals.ts";
import { checkPlan, checkProtection } from "./plan-rules.ts";

export type { Finding } from "./budget-rules.ts";

type Check = (at: PolicyCase) => Finding | undefined;

const ONE = quantity("1");
const WHOLE = rate("1");
const HUNDRED = rate("100");
const PERCENT_DECIMALS = 4;

function checkEnvironment({ environment: { ofOrder, ofVenue } }: PolicyCase): Finding | undefined {
  if (ofOrder === ofVenue) return undefined;
  const message = `this order was made for ${ofOrder} and would go to ${ofVenue}: preview it again in the profile it is meant for`;
  return { figure: ofOrder, limit: ofVenue, message };
}

function checkHalt({ accountUsage: { killSwitch } }: PolicyCase): Finding | undefined {
  return killSwitch && haltDenial(killSwitch);
}

/** The denial of any order while trading is halted. */
export function haltDenial(halt: KillSwitchRecord): Denial {
  const why = halt.reason === "" ? "" : `, who gave as reason ${quoted(halt.reason, 200)}`;
  const message = `trading was halted at ${timeText(halt.atMs)} by ${quoted(halt.by)}${why}: cancels still work, and only a person lifts it`;
  return { rule: "brake", figure: "halted", limit: "running", message };
}

function checkMode({ policy }: PolicyCase): Finding | undefined {
  return modeDenial(policy);
}

/** The denial of any order while the policy only lets look. */
export function modeDenial({ mode }: Pick<Policy, "mode">): Denial | undefined {
  if (mode !== "read-only") return undefined;
  const message = "mode is read-only, so no order is placed: look only, or a person changes mode in policy.toml";
  return { rule: "mode", figure: mode, limit: "confirm or bounded", message };
}

/** Names listed in a refusal. */
const LISTED_MAX = 5;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED_MAX).join(", ");
  return names.length > LISTED_MAX ? `${shown} and ${names.length - LISTED_MAX} more` : shown;
}

export function checkMarket({ policy, market }: Pick<PolicyCase, "policy" | "market">): Finding | undefined {
  const [{ markets, unit }, { symbol, quote }] = [policy, market];
  if (!markets.includes("*") && !markets.includes(symbol)) {
    const limit = listed(markets);
    const message = `${symbol} is not among the markets allowed, which are ${limit}: choose one of these, or a person adds it to markets in policy.toml`;
    return { figure: symbol, limit, message, field: "symbol" };
  }
  if (quote === unit) return undefined;
  const message = `${symbol} is quoted in ${quote} and this profile counts in ${unit}, so no limit can be held against the order: choose a market quoted in ${unit}`;
  return { figure: quote, limit: unit, message, field: "symbol" };
}

function checkMarketStatus({ market: { symbol, status } }: PolicyCase): Finding | undefined {
  if (status === "trading") return undefined;
  const message = `${symbol} is ${status} and takes no new orders: wait until it trades again; cancels still work`;
  return { figure: status, limit: "trading", message, field: "symbol" };
}

/** What of an order is its form, whatever its market and size. */
interface FormCase {
  readonly policy: Policy;
  readonly order: Pick<PolicyCase["order"], "type" | "time_in_force">;
}

export function checkOrderType({ policy: { orderTypes }, order: { type } }: FormCase): Finding | undefined {
  if (orderTypes.includes(type)) return undefined;
  const limit = listed(orderTypes);
  const message = `type ${type} is not allowed: use ${limit}, or a person adds it to order_types in policy.toml`;
  return { figure: type, limit, message, field: "type" };
}

/** A market order never rests, whatever its time in force: one that names none has none. */
export function checkTimeInForce({ policy: { timesInForce }, order }: FormCase): Finding | undefined {
  const given = order.time_in_force ?? (ORDER_TRAITS[order.type].mayRest ? "GTC" : undefined);
  if (given === undefined || timesInForce.includes(given)) return undefined;
  const limit = listed(timesInForce);
  const message = `time_in_force ${given} is not allowed: use ${limit}, or a person adds it to times_in_force in policy.toml`;
  return { figure: given, limit, message, field: "time_in_force" };
}

function checkBookAge({ book, nowMs, market, policy: { bookMaxAgeMs } }: PolicyCase): Finding | undefined {
  if (book === undefined) return undefined;
  if (isFresh(book, nowMs, bookMaxAgeMs)) return undefined;
  const ageMs = nowMs - book.atMs;
  const age = ageMs < 0 ? `${-ageMs} ms ahead of the clock` : `${ageMs} ms old`;
  const message = `the order book of ${market.symbol} is ${age}, more than book_max_age_ms ${bookMaxAgeMs}: ask again, and see with get_desk_status whether the exchange answers and the clock is right`;
  return { figure: String(ageMs), limit: String(bookMaxAgeMs), message };
}

/** Two values of one unit that lie apart, the second being what the distance is measured by. */
interface Apart {
  readonly by: Notional;
  readonly from: Notional;
}

function apart(a: Notional, from: Notional): Apart {
  return { by: a.gt(from) ? a.minus(from) : from.minus(a), from };
}

function isFurther({ by, from }: Apart, limit: Rate): boolean {
  return by.gt(from.scale(limit));
}

/** For a sentence: rounded up, so that what is over a limit also reads so. `from` is not zero where anything lies apart. */
function percentText({ by, from }: Apart): string {
  const whole = averagePrice(from, ONE, 20, "up");
  return quantityFor(by.scale(HUNDRED), whole, PERCENT_DECIMALS, "up").toString();
}

function settingText(limit: Rate): string {
  return limit.scale(HUNDRED).toString();
}

interface Reference {
  readonly at: Price;
  readonly name: string;
}

/** Picks what of the book a price is compared with; undefined for an empty book. */
function referenceOf({ mid, bid, ask }: Quotes): Reference | undefined {
  const best = bid ?? ask;
  if (mid !== undefined) return { at: mid, name: "the book's mid" };
  return best && { at: best, name: "the book's only best price" };
}

/** Picks all that a price is compared with; nothing for an empty book. */
function referencesOf({ quotes, tradedPrice: traded }: Pick<PolicyCase, "quotes" | "tradedPrice">): Reference[] {
  const reference = referenceOf(quotes);
  if (reference === undefined) return [];
  return traded === undefined ? [reference] : [reference, { at: traded, name: "the middle of the last trades" }];
}

/**
 * How far the collar lets the price of an order go, on the tick: the highest that a buy, the lowest that a sell may have.
 * @returns undefined where the collar is off, or there is nothing to compare a price with
 */
export function collarEdge(
  { side, market }: { readonly side: Side; readonly market: Market },
  shown: Pick<PolicyCase, "quotes" | "tradedPrice">,
  { priceCollar: collar }: Pick<Policy, "priceCollar">,
): Price | undefined {
  if (collar === "off") return undefined;
  const [share, mode] = side === "buy" ? [WHOLE.plus(collar), "down" as const] : [WHOLE.minus(collar), "up" as const];
  const [first, ...others] = referencesOf(shown).map(({ at }) =>
    roundToTick(tickBandsOf(market), at.scale(share), mode),
  );
  return first && others.reduce<Price>(side === "buy" ? min : max, first);
}

/** Lets nothing through without a price to compare with, market orders neither. */
function checkPriceCollar(at: PolicyCase): Finding | undefined {
  const { value, order, market, policy } = at;
  const { priceCollar: collar } = policy;
  const limit = collar === "off" ? "a price" : settingText(collar);
  const references = referencesOf(at);
  if (value === undefined || (references.length === 0 && collar !== "off")) {
    const message = `no book of ${market.symbol} with a price to value the order by was seen: look with get_orderbook, and place it when there is one`;
    return { figure: "no book", limit, message };
  }
  if (collar === "off") return undefined;
  return references
    .map((each) =>
      order.price === undefined
        ? marketOrderCollar(at, each, collar)
        : limitOrderCollar(at, price(order.price), each, collar),
    )
    .find((finding) => finding !== undefined);
}

/**
 * Tells whether a price is on the side of a reference on which the order gives more for less. The other way it waits for a better one,
 * which costs nobody.
 */
function isDearer(side: Side, given: Price, at: Price): boolean {
  return side === "buy" ? given.gt(at) : given.lt(at);
}

function limitOrderCollar(
  { order: { side }, market: { quote } }: PolicyCase,
  given: Price,
  { at, name }: Reference,
  collar: Rate,
): Finding | undefined {
  const distance = apart(notionalOf(given, ONE), notionalOf(at, ONE));
  if (!isDearer(side, given, at) || !isFurther(distance, collar)) return undefined;
  const [figure, limit] = [percentText(distance), settingText(collar)];
  const where = `${given.gt(at) ? "above" : "below"} ${name} ${formatAmount(at, quote)}`;
  const message = `price ${formatAmount(given, quote)} is ${figure} % ${where}, further than price_collar_pct ${limit}: choose a nearer price, ${RAISE}`;
  return { figure, limit, message, field: "price" };
}

/** Keeps a market order from what the collar keeps a limit order from, where the best price is far from the middle already. */
function marketOrderCollar(
  { market, order, book }: PolicyCase,
  { at, name }: Reference,
  collar: Rate,
): Finding | undefined {
  const fill = marketFill(market, order, book);
  const fair = notionalOf(at, fill.volume);
  const distance = apart(fill.value, fair);
  const isDear = order.side === "buy" ? fill.value.gt(fair) : fill.value.lt(fair);
  if (!isDear || !isFurther(distance, collar)) return undefined;
  const [figure, limit] = [percentText(distance), settingText(collar)];
  const message = `the order would trade ${figure} % from ${name} ${formatAmount(at, market.quote)} on average, further than price_collar_pct ${limit}: use a limit order, ${RAISE}`;
  return { figure, limit, message, field: "type" };
}

/** Why the book does not tell how far a price is from the market; undefined where it does, or where no price is too far. */
export function spreadQuestion({
  quotes,
  ownOrders,
  market,
  policy: { priceCollar: collar },
}: PolicyCase): string | undefined {
  if (collar === "off") return undefined;
  if (ownOrders === "too many")
    return `more than ${OWN_MAX} own orders are open, so that it is not known what of the book others make`;
  const { bid, ask, mid } = quotes;
  if (bid === undefined || ask === undefined || mid === undefined)
    return `nobody else ${bid === undefined ? "buys" : "sells"} in the book, so that the price of the market is not known`;
  const spread = { ...apart(notionalOf(ask, ONE), notionalOf(bid, ONE)), from: notionalOf(mid, ONE) };
  if (!isFurther(spread, collar)) return undefined;
  return `the best prices of others, ${formatAmount(bid, market.quote)} and ${formatAmount(ask, market.quote)}, are ${percentText(spread)} % apart, further than price_collar_pct ${settingText(collar)}`;
}

/** Looks at orders without a limit only: the others are bounded by their price. */
function checkSlippage(at: PolicyCase): Finding | undefined {
  const { book, order, market, policy, quotes } = at;
  const { maxSlippage } = policy;
  if (order.price !== undefined || maxSlippage === "off") return undefined;
  const fill = marketFill(market, order, book);
  const field = sizeField(at);
  const best = order.side === "buy" ? quotes.ask : quotes.bid;
  if (best === undefined || !fill.complete) {
    const [asked, held, unit] =
      order.amount === undefined
        ? [quantity(order.volume ?? "0"), fill.volume, market.base]
        : [notional(order.amount), fill.value, market.quote];
    const message = `the book of ${market.symbol} as seen holds ${formatAmount(held, unit)} for this order of ${formatAmount(asked, unit)}: make it smaller, or use a limit order`;
    return { figure: order.volume ?? order.amount ?? "", limit: held.toString(), message, field };
  }
  const distance = apart(fill.value, notionalOf(best, fill.volume));
  if (!isFurther(distance, maxSlippage)) return undefined;
  const figure = percentText(distance);
  const limit = settingText(maxSlippage);
  const message = `the order would move ${figure} % from the best price ${formatAmount(best, market.quote)} on average, more than max_slippage_pct ${limit}: make it smaller, use a limit order, ${RAISE}`;
  return { figure, limit, message, field };
}

/** Called in the order of `RULES`. */
export const CHECKS: Readonly<Record<Rule, Check>> = {
  environment: checkEnvironment,
  brake: checkHalt,
  mode: checkMode,
  mandate: checkPlan,
  market: checkMarket,
  market_status: checkMarketStatus,
  order_type: checkOrderType,
  time_in_force: checkTimeInForce,
  order_size: checkOrderSize,
  book_age: checkBookAge,
  price_collar: checkPriceCollar,
  slippage: checkSlippage,
  protective: checkProtection,
  orders_per_minute: checkOrdersPerMinute,
  open_orders: checkOpenOrders,
  open_exposure: checkOpenExposure,
  day_budget: checkDayBudget,
  day_loss: checkDayLoss,
};
