/**
 * Whether an order fits its market's rules, before anything is recorded or sent.
 *
 * Every problem is found at once, each naming the field and the fix; a value between two steps comes with the
 * nearest permitted value as a proposal, which is never applied by itself.
 *
 * Source: service.md#order-request, service.md#order-combinations, service.md#market.
 */
import { checkFault, compliance, createOrderBody, type Fault, localFault, type Market } from "../../contract/index.ts";
import {
  isOnStep,
  isOnTick,
  notional,
  notionalOf,
  type Parsed,
  type Price,
  parseNotional,
  parsePrice,
  parseQuantity,
  price,
  type Quantity,
  quantity,
  roundToStep,
  roundToTick,
  type TickBand,
} from "../../decimal/index.ts";
import type { OrderRequest } from "../model/intent.ts";
import { orderBody } from "../model/order-body.ts";
import type { Proposal } from "../model/reports.ts";
import { editDistance } from "../model/symbol.ts";

export interface CheckAnswer {
  readonly problems: readonly Fault[];
  readonly proposals: readonly Proposal[];
}

/** A market's tick bands as exact numbers. */
export function tickBandsOf(market: Market): readonly TickBand[] {
  return market.tick_bands.map((band) => ({ from: price(band.from_price), tick: price(band.tick_size) }));
}

class Findings {
  readonly problems: Fault[] = [];
  readonly proposals: Proposal[] = [];

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
 * What the types promise and a caller without them can break: a field that is not known is refused, never dropped, and
 * a word that is not one of the contract's is not sent. Numbers are checked one by one further on.
 */
function checkWords(market: Market, request: OrderRequest, findings: Findings): void {
  for (const name of Object.keys(request)) {
    if (Object.hasOwn(FIELDS, name)) continue;
    const distance = (field: string): number => (field.includes(name) ? 0 : editDistance(field, name));
    const [nearest] = [...FIELD_NAMES].sort((a, b) => distance(a) - distance(b));
    findings.input(name, `unknown field ${JSON.stringify(name.slice(0, 40))}, did you mean ${nearest}`);
  }
  const parsed = createOrderBody.safeParse(orderBody(request, market, request.userref ?? "unset", undefined));
  for (const { code, path, message } of parsed.error?.issues ?? []) {
    const isWord = FIELD_NAMES.some((name) => name === path[0] && FIELDS[name] === "word");
    // Fields that do not go together are `checkShape`'s, in this side's names.
    if (isWord && code !== "custom") findings.input(path.join("."), `${path.join(".")}: ${message}`);
  }
}

/** Fields that do not go together, by type of order. */
function checkShape(request: OrderRequest, findings: Findings): void {
  const { base_volume, quote_amount } = request;
  if (request.type === "limit") {
    if (request.price === undefined) findings.input("price", "a limit order needs price");
    if (base_volume === undefined)
      findings.input("base_volume", "a limit order needs base_volume, the quantity of the coin");
    if (quote_amount !== undefined)
      findings.input("quote_amount", "quote_amount is for market orders; a limit order takes base_volume and price");
    const restsAlways = request.time_in_force === undefined || request.time_in_force === "GTC";
    if (request.post_only === true && !restsAlways)
      findings.input("post_only", "a post-only order rests: use time_in_force GTC");
    return;
  }
  if (request.price !== undefined)
    findings.input("price", "a market order takes no price; use type limit to set a price");
  if ((base_volume === undefined) === (quote_amount === undefined))
    findings.input("base_volume", "a market order takes exactly one of base_volume (coins) and quote_amount (KRW)");
  if (request.post_only === true) findings.input("post_only", "a market order cannot be post-only; leave it out");
}

function checkPrice(market: Market, text: string, findings: Findings): Price | undefined {
  const given = findings.read("price", text, parsePrice);
  if (given === undefined) return undefined;
  if (given.isZero()) return findings.input("price", "price must be greater than 0");
  const bands = tickBandsOf(market);
  if (isOnTick(bands, given)) return given;
  const down = roundToTick(bands, given, "down");
  const up = roundToTick(bands, given, "up");
  const proposed = roundToTick(bands, given, "half_even");
  findings.problems.push(
    checkFault("EOrder:Tick size check failed", {
      field: "price",
      message: `price ${text} is between two ticks of ${market.symbol}: use ${down.toString()} or ${up.toString()}`,
    }),
  );
  findings.proposals.push({
    field: "price",
    given: text,
    proposed: (proposed.isZero() ? up : proposed).toString(),
    reason: `nearest price on the tick of ${market.symbol}`,
  });
  return undefined;
}

function checkVolume(market: Market, text: string, findings: Findings): Quantity | undefined {
  const given = findings.read("base_volume", text, parseQuantity);
  if (given === undefined) return undefined;
  if (given.isZero()) return findings.input("base_volume", "base_volume must be greater than 0");
  if (!isOnStep(given, market.volume_decimals)) {
    const rounded = roundToStep(given, market.volume_decimals, "down");
    if (rounded.lt(quantity(market.min_volume))) return tooSmall(market, "base_volume", text, findings);
    const proposed = rounded.toString();
    findings.problems.push(
      checkFault("EOrder:Tick size check failed", {
        field: "base_volume",
        message: `base_volume ${text} has more than ${market.volume_decimals} decimals: use ${proposed}`,
      }),
    );
    findings.proposals.push({
      field: "base_volume",
      given: text,
      proposed,
      reason: `${market.symbol} takes ${market.volume_decimals} decimals of ${market.base}; rounded down`,
    });
    return undefined;
  }
  if (given.lt(quantity(market.min_volume))) return tooSmall(market, "base_volume", text, findings);
  return given;
}

function tooSmall(market: Market, field: "base_volume" | "quote_amount", text: string, findings: Findings): undefined {
  const minimum =
    field === "base_volume" ? `${market.min_volume} ${market.base}` : `${market.min_notional} ${market.quote}`;
  findings.problems.push(
    checkFault("EOrder:Order minimum not met", {
      field,
      message: `${field} ${text} is below the minimum of ${market.symbol}: at least ${minimum}`,
    }),
  );
  return undefined;
}

function checkAmount(market: Market, text: string, findings: Findings): undefined {
  const given = findings.read("quote_amount", text, parseNotional);
  if (given === undefined) return undefined;
  if (given.isZero()) return findings.input("quote_amount", "quote_amount must be greater than 0");
  if (given.lt(notional(market.min_notional))) return tooSmall(market, "quote_amount", text, findings);
  return undefined;
}

function checkNotional(market: Market, at: Price, volume: Quantity, findings: Findings): void {
  const value = notionalOf(at, volume);
  if (value.gte(notional(market.min_notional))) return;
  findings.problems.push(
    checkFault("EOrder:Order minimum not met", {
      field: "base_volume",
      message: `price × base_volume is ${value.toString()} ${market.quote}, below the minimum of ${market.min_notional} ${market.quote}`,
    }),
  );
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
  if (findings.problems.length > 0) return findings;
  checkShape(request, findings);
  if (market.status !== "trading")
    findings.problems.push(
      checkFault("EOrder:Market halted", {
        field: "symbol",
        message: `${market.symbol} is ${market.status} and takes no new orders; cancels still work`,
      }),
    );
  if (lacksCompliance) findings.problems.push(missingCompliance());
  const at = request.price === undefined ? undefined : checkPrice(market, request.price, findings);
  const volume = request.base_volume === undefined ? undefined : checkVolume(market, request.base_volume, findings);
  if (request.quote_amount !== undefined) checkAmount(market, request.quote_amount, findings);
  if (at !== undefined && volume !== undefined) checkNotional(market, at, volume, findings);
  return { problems: findings.problems, proposals: findings.proposals };
}
