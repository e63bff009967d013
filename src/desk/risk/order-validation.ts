/**
 * Tells whether an order fits its market's rules, before anything is recorded or sent.
 *
 * Every problem is found at once, each naming the field and the fix, with proposals where a value that fits can be computed; none is
 * ever applied by itself.
 *
 * Source: service.md#order-request, service.md#order-combinations, service.md#market.
 */
import {
  checkFault,
  compliance,
  createOrderBody,
  type Fault,
  type FaultCode,
  localFault,
  type Market,
  ORDER_TRAITS,
  type Proposal,
  quoted,
  type VenueCard,
} from "../../contract/index.ts";
import {
  formatAmount,
  isOnTick,
  isShare,
  notional,
  notionalOf,
  type Parsed,
  type Price,
  parseNotional,
  parsePrice,
  parseQuantity,
  parseShare,
  price,
  quantity,
  roundToStep,
} from "../../decimal/index.ts";
import type { OrderRequest } from "../model/intent.ts";
import { orderBody } from "../model/order-body.ts";
import { editDistance } from "../model/symbol.ts";
import { leastAmount, pricesOnTick, raisedAmount, raisedVolume, tickBandsOf } from "./order-proposals.ts";

export interface CheckAnswer {
  readonly problems: readonly Fault[];
  readonly proposals: readonly Proposal[];
}

class Findings {
  readonly problems: Fault[] = [];

  check(code: FaultCode, field: Proposal["field"], message: string, proposals: readonly Proposal[]): undefined {
    this.problems.push(checkFault(code, { field, message, ...(proposals.length > 0 && { proposals }) }));
    return undefined;
  }

  input(field: string, message: string): undefined {
    this.problems.push(localFault("ELocal:Invalid input", { field, message }));
    return undefined;
  }

  /** The field as an exact number; undefined, with the problem recorded, where it is none. */
  read<Value>(field: string, text: string, parse: (text: unknown) => Parsed<Value>): Value | undefined {
    const parsed = parse(text);
    return parsed.ok ? parsed.value : this.input(field, `${field}: ${parsed.message}`);
  }
}

const FIELDS: Readonly<Record<keyof OrderRequest, "number" | "word">> = {
  symbol: "word",
  side: "word",
  type: "word",
  base_volume: "number",
  quote_amount: "number",
  price: "number",
  time_in_force: "word",
  post_only: "word",
  userref: "word",
  compliance: "word",
};
const FIELD_NAMES = Object.keys(FIELDS) as (keyof OrderRequest)[];

/**
 * Checks what the types promise and a caller without them can break: a field that is not known is refused, never dropped, and a word that
 * is not one of the contract's is not sent. Numbers are checked one by one further on.
 */
function checkWords(market: Market, request: OrderRequest, findings: Findings): void {
  for (const name of Object.keys(request)) {
    if (Object.hasOwn(FIELDS, name)) continue;
    const distance = (field: string): number => (field.includes(name) ? 0 : editDistance(field, name));
    const [nearest] = [...FIELD_NAMES].sort((a, b) => distance(a) - distance(b));
    findings.input(name, `unknown field ${quoted(name, 40)}, did you mean ${nearest}`);
  }
  const parsed = createOrderBody.safeParse(orderBody(request, market, request.userref ?? "unset", undefined));
  for (const { code, path, message } of parsed.error?.issues ?? []) {
    const isWord = FIELD_NAMES.some((name) => name === path[0] && FIELDS[name] === "word");
    // Fields that do not go together are `checkShape`'s, in this side's names.
    if (isWord && code !== "custom") findings.input(path.join("."), `${path.join(".")}: ${message}`);
  }
}

/** Fields that do not go together, by type of order. */
function checkShape({ quote }: Market, request: OrderRequest, findings: Findings): void {
  const { type, base_volume, quote_amount } = request;
  if (ORDER_TRAITS[type].mayRest) {
    if (request.price === undefined) findings.input("price", `a ${type} order needs price`);
    if (base_volume === undefined && quote_amount === undefined)
      findings.input("base_volume", `a ${type} order needs base_volume (coins) or quote_amount (${quote})`);
    if (base_volume !== undefined && quote_amount !== undefined)
      findings.input("quote_amount", `an order takes exactly one of base_volume (coins) and quote_amount (${quote})`);
    const restsAlways = request.time_in_force === undefined || request.time_in_force === "GTC";
    if (request.post_only === true && !restsAlways)
      findings.input("post_only", "a post-only order rests: use time_in_force GTC");
    return;
  }
  if (request.price !== undefined)
    findings.input("price", `a ${type} order takes no price; use type limit to set a price`);
  if ((base_volume === undefined) === (quote_amount === undefined))
    findings.input(
      "base_volume",
      `a ${type} order takes exactly one of base_volume (coins) and quote_amount (${quote})`,
    );
  if (request.post_only === true) findings.input("post_only", `a ${type} order cannot be post-only; leave it out`);
}

function checkPrice(market: Market, text: string, findings: Findings): Price | undefined {
  const given = findings.read("price", text, parsePrice);
  if (given === undefined) return undefined;
  if (given.isZero()) return findings.input("price", "price must be greater than 0");
  if (isOnTick(tickBandsOf(market), given)) return given;
  const proposals = pricesOnTick(market, given, text);
  const fit = [...proposals].sort((a, b) => price(a.proposed).cmp(price(b.proposed))).map(({ proposed }) => proposed);
  const message = `price ${formatAmount(given, market.quote)} is between two ticks of ${market.symbol}: use ${fit.map((at) => formatAmount(price(at), market.quote)).join(" or ")}`;
  return findings.check("EOrder:Tick size check failed", "price", message, proposals);
}

function checkVolume(market: Market, text: string, at: Price | undefined, findings: Findings): undefined {
  const given = findings.read("base_volume", text, parseQuantity);
  if (given === undefined) return undefined;
  if (given.isZero()) return findings.input("base_volume", "base_volume must be greater than 0");
  const rounded = roundToStep(given, market.volume_decimals, "down");
  if (rounded.lt(quantity(market.min_volume))) {
    const message = belowMinimum("base_volume", text, market, formatAmount(quantity(market.min_volume), market.base));
    return findings.check(TOO_SMALL, "base_volume", message, raisedVolume(market, text, at));
  }
  const value = at === undefined ? undefined : notionalOf(at, rounded);
  const isWorthless = value?.lt(notional(market.min_notional)) === true;
  if (!rounded.eq(given)) {
    const proposed = rounded.toString();
    const reason = `${market.symbol} takes ${market.volume_decimals} decimals of ${market.base}; rounded down`;
    const proposals: readonly Proposal[] = isWorthless
      ? raisedVolume(market, text, at)
      : [{ field: "base_volume", given: text, proposed, reason }];
    const fit = proposals[0]?.proposed ?? "";
    const message = `base_volume ${text} has more than ${market.volume_decimals} decimals: use ${fit}`;
    return findings.check("EOrder:Tick size check failed", "base_volume", message, proposals);
  }
  if (value === undefined || !isWorthless) return undefined;
  const message = `price × base_volume is ${formatAmount(value, market.quote)}, below the minimum of ${formatAmount(notional(market.min_notional), market.quote)}`;
  return findings.check(TOO_SMALL, "base_volume", message, raisedVolume(market, text, at));
}

const TOO_SMALL = "EOrder:Order minimum not met";

function belowMinimum(field: string, given: string, { symbol }: Market, minimum: string): string {
  return `${field} ${given} is below the minimum of ${symbol}: at least ${minimum}`;
}

/** @param at the price at which a limit order buys or sells coins for it */
function checkAmount(market: Market, text: string, at: Price | undefined, findings: Findings): undefined {
  const given = findings.read("quote_amount", text, parseNotional);
  if (given === undefined) return undefined;
  if (given.isZero()) return findings.input("quote_amount", "quote_amount must be greater than 0");
  const least = leastAmount(market, at);
  if (given.gte(least)) return undefined;
  const minimum = `${formatAmount(least, market.quote)}${at === undefined ? "" : ` at ${formatAmount(at, market.quote)}`}`;
  const message = belowMinimum("quote_amount", text, market, minimum);
  return findings.check(TOO_SMALL, "quote_amount", message, raisedAmount(market, text, at));
}

/** A share has a meaning on the side that gives it: coins are sold, and the quote currency pays. */
function checkShare(market: Market, { side, base_volume, quote_amount }: OrderRequest, findings: Findings): void {
  const { base, quote } = market;
  for (const [field, text] of Object.entries({ base_volume, quote_amount })) {
    if (!isShare(text)) continue;
    const parsed = parseShare(text);
    if (!parsed.ok) findings.input(field, `${field}: ${parsed.message}`);
    else if (side === "buy" && field === "base_volume")
      findings.input(
        field,
        `base_volume ${text} is a share of the ${base} to sell; to buy with a share of the ${quote} available, send quote_amount "${text}"`,
      );
    else if (side === "sell" && field === "quote_amount")
      findings.input(
        field,
        `quote_amount ${text} is a share of the ${quote} to buy with; to sell a share of the ${base} available, send base_volume "${text}"`,
      );
  }
}

/** The venue requires travel-rule metadata that neither the order nor the profile has. */
function missingCompliance(): Fault {
  const list = Object.keys(compliance.shape).join(", ");
  return checkFault("ECompliance:Missing travel-rule metadata", {
    field: "compliance",
    message: `The exchange takes no order without travel-rule metadata (${list}), and this one has none.`,
    nextAction: "Add [profiles.NAME.compliance] to config.toml (a person's to do), or give compliance with the order.",
  });
}

/**
 * Checks a request against its market. The order is fit when there are no problems.
 * @param lacksCompliance the venue requires travel-rule metadata, and the order would be sent without
 */
export function checkOrder(market: Market, request: OrderRequest, lacksCompliance = false): CheckAnswer {
  const findings = new Findings();
  checkWords(market, request, findings);
  // The numbers of an order with an unknown field or word cannot be judged.
  if (findings.problems.length > 0) return { problems: findings.problems, proposals: [] };
  checkShape(market, request, findings);
  if (market.status !== "trading")
    findings.problems.push(
      checkFault("EOrder:Market halted", {
        field: "symbol",
        message: `${market.symbol} is ${market.status} and takes no new orders; cancels still work`,
      }),
    );
  if (lacksCompliance) findings.problems.push(missingCompliance());
  const at = request.price === undefined ? undefined : checkPrice(market, request.price, findings);
  const { base_volume, quote_amount } = request;
  checkShare(market, request, findings);
  if (base_volume !== undefined && !isShare(base_volume)) checkVolume(market, base_volume, at, findings);
  if (quote_amount !== undefined && !isShare(quote_amount)) checkAmount(market, quote_amount, at, findings);
  const { problems } = findings;
  return { problems, proposals: problems.flatMap(({ proposals = [] }) => proposals) };
}

/**
 * What the exchange's card says that an order cannot be there, with what to send in its place.
 * @returns each problem by itself; none at an exchange that has all that hoga can ask for
 */
export function checkCard(card: VenueCard, { quote }: Market, request: OrderRequest): readonly Fault[] {
  const { type, side, base_volume, quote_amount, post_only, time_in_force: lifetime } = request;
  const { en: title } = card.title;
  const found: Fault[] = [];
  const lacks = (field: string, message: string): number =>
    found.push(localFault("ELocal:Invalid input", { field, message: `${title} ${message}` }));
  const isMarket = ORDER_TRAITS[type].takesAmount;
  if (!card.types.includes(type)) lacks("type", `has no ${type} orders`);
  const by = side === "buy" ? card.market_buy_by : card.market_sell_by;
  if (isMarket && by === "cost" && base_volume !== undefined)
    lacks("base_volume", `takes a market ${side} as an amount of ${quote}: give quote_amount in place of base_volume`);
  if (isMarket && by === "volume" && quote_amount !== undefined)
    lacks("quote_amount", `takes a market ${side} as coins: give base_volume in place of quote_amount`);
  const { limit, market, limit_sell: sells } = card.time_in_force;
  const lifetimes = isMarket ? market : side === "sell" ? (sells ?? limit) : limit;
  const which = isMarket || sells === undefined ? type : `${type} ${side}`;
  if (lifetime !== undefined && !lifetimes.includes(lifetime))
    lacks("time_in_force", `has no ${lifetime} for ${which} orders: it takes ${lifetimes.join(", ")}`);
  if (post_only === true && card.post_only === "none") lacks("post_only", "has no post-only orders: leave it out");
  return found;
}
