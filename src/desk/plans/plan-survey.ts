/**
 * What a plan is judged by when it is made, approved or started again: the file, the market and the account, all as of now.
 *
 * Invariants: quotes are of others; what is held is read where it matters; a coin's market is named as the venue names it where orders will come of the plan.
 *
 * Source: decision 0110.
 */
import {
  type Balance,
  type Candle,
  defined,
  type Fault,
  failed,
  localFault,
  type Market,
  ok,
  type Result,
} from "../../contract/index.ts";
import { type Price, type Quantity, quantity } from "../../decimal/index.ts";
import { type DeskContext, exchangeNow } from "../core/context.ts";
import { localTime } from "../core/local-time.ts";
import { judgedMarket } from "../market/judged-market.ts";
import { type Quotes, quotesOf } from "../market/order-value.ts";
import { withoutOwn } from "../market/own-orders.ts";
import type { PlanTerms } from "../model/plan.ts";
import type { PlanRequest } from "../model/plan-report.ts";
import type { Policy } from "../model/policy.ts";
import { checkOrderNeeds } from "./plan-needs.ts";
import type { BasketAsset, BasketFacts } from "./terms/basket.ts";
import { coinsNamed } from "./terms/rebalance-terms.ts";

export interface PlanSurvey {
  readonly account: string;
  readonly policy: Policy;
  readonly isPractice: boolean;
  /** Of the symbol; undefined where there is none. */
  readonly market: Market | undefined;
  /** Best prices of others. */
  readonly quotes: Pick<Quotes, "bid" | "ask">;
  /** Of the coin: what is free, and that with what is in open orders. Nothing where it was not asked for. */
  readonly available: Quantity;
  readonly held: Quantity;
  /** The last hour, minute by minute; undefined where it could not be had, none where it was not asked for. */
  readonly candles: readonly Candle[] | undefined;
  /** IANA name. */
  readonly timeZone: string;
  /** Of the exchange's clock, Unix milliseconds. */
  readonly nowMs: number;
  /** Of a basket: its markets, and what is held of each; undefined of every other kind. */
  readonly basket: BasketFacts | undefined;
}

/** What has to be known. */
export interface SurveySubject {
  readonly symbol: string | undefined;
  /** Orders are to come of it. */
  readonly trades: boolean;
  readonly needsHolding: boolean;
  readonly needsMovement: boolean;
  /** Of a basket: by asset, as they are asked for. */
  readonly weights?: PlanRequest["weights"];
}

const HOUR_MS = 3_600_000;
const NOTHING = quantity("0");
const PROTECTIONS: readonly string[] = ["stop", "take_profit", "trailing_stop", "oco"] satisfies PlanTerms["kind"][];

/** Of a request, whatever its kind is written as. */
export function subjectOf(request: {
  readonly kind: string;
  readonly symbol?: string | undefined;
  readonly base_volume?: string | undefined;
  readonly weights?: PlanRequest["weights"];
}): SurveySubject {
  const { kind, symbol, base_volume: volume, weights } = request;
  const protects = PROTECTIONS.includes(kind);
  const needsHolding = protects || volume?.endsWith("%") === true;
  const basket = kind === "rebalance" ? defined({ weights }) : {};
  return { symbol, trades: kind !== "alert", needsHolding, needsMovement: protects, ...basket };
}

/** Of a plan that is there. */
export function subjectOfTerms(terms: PlanTerms): SurveySubject {
  const { kind } = terms;
  const named = "symbol" in terms ? { symbol: terms.symbol } : {};
  const asked = subjectOf({ kind, ...named, ...(kind === "rebalance" && { weights: terms.weights }) });
  return { ...asked, needsMovement: false };
}

export async function surveyOf(context: DeskContext, subject: SurveySubject): Promise<Result<PlanSurvey>> {
  const { parts } = context;
  const { policy: source, timeZone } = parts;
  // Whether the exchange is one to practise on is known by then, and with it what holds where the file says nothing.
  const account = await context.account();
  if (!account.ok) return account;
  const policy = source.read();
  if (!policy.ok) return policy;
  const { symbol, trades } = subject;
  const market = symbol === undefined ? ok(undefined) : await context.market(symbol, trades ? "proposed" : "taken");
  if (!market.ok) return market;
  const unfit = trades && market.value !== undefined ? checkOrderNeeds(context, policy.value, market.value) : undefined;
  if (unfit !== undefined) return failed(unfit);
  const ofMarket = market.value === undefined ? ok(NO_MARKET) : await marketOf(context, market.value, policy.value);
  if (!ofMarket.ok) return ofMarket;
  const { value: base } = market;
  const nowMs = exchangeNow(context);
  const holding = subject.needsHolding && base !== undefined ? await holdingOf(context, base) : ok(NO_HOLDING);
  if (!holding.ok) return holding;
  const basket = subject.weights === undefined ? ok(undefined) : await basketOf(context, policy.value, subject.weights);
  if (!basket.ok) return basket;
  const candles = subject.needsMovement && base !== undefined ? await lastHour(context, base, nowMs) : [];
  return ok({
    ...{ account: account.value, policy: policy.value, isPractice: context.isPractice, market: base, candles, nowMs },
    ...{
      quotes: ofMarket.value,
      ...holding.value,
      basket: basket.value,
      timeZone: localTime(nowMs, timeZone).timezone,
    },
  });
}

const NO_MARKET: Pick<Quotes, "bid" | "ask"> = { bid: undefined, ask: undefined };
const NO_HOLDING = { available: NOTHING, held: NOTHING };

/** The market of each coin against the unit of account, and what is held of it. */
async function basketOf(
  context: DeskContext,
  policy: Policy,
  weights: NonNullable<PlanRequest["weights"]>,
): Promise<Result<BasketFacts>> {
  const { parts, unit: quote } = context;
  const assets: BasketAsset[] = [];
  const accounts = await parts.venue.accounts();
  if (!accounts.ok) return accounts;
  const freeOf = (asset: string) => balanceOf(accounts.value.balances, asset);
  for (const asset of coinsNamed({ weights }, quote)) {
    const market = await context.market(`${asset}/${quote}`, "proposed");
    if (!market.ok) return failed({ ...market.fault, field: "weights" });
    const unfit = checkOrderNeeds(context, policy, market.value);
    if (unfit !== undefined) return failed(unfit);
    const quotes = await marketOf(context, market.value, policy);
    if (!quotes.ok) return quotes;
    assets.push({ asset, market: market.value, quotes: quotes.value, ...freeOf(asset) });
  }
  return ok({ quote, cash: freeOf(quote).available, assets });
}

/** Best prices of others. */
async function marketOf(
  context: DeskContext,
  { symbol }: Market,
  policy: Policy,
): Promise<Result<{ readonly bid: Price | undefined; readonly ask: Price | undefined }>> {
  const judged = await judgedMarket(context, symbol, policy);
  if (!judged.ok) return judged;
  const { book, ownOrders } = judged.value;
  const { bid, ask } = quotesOf(withoutOwn(book, ownOrders === "too many" ? [] : ownOrders));
  return ok({ bid, ask });
}

/** What is held of the market's coin, as the exchange says it. */
export async function holdingOf(
  { parts: { venue } }: DeskContext,
  { base }: Market,
): Promise<Result<Pick<PlanSurvey, "available" | "held">>> {
  const accounts = await venue.accounts();
  if (!accounts.ok) return accounts;
  return ok(balanceOf(accounts.value.balances, base));
}

function balanceOf(
  balances: readonly Pick<Balance, "asset" | "available" | "locked">[],
  asset: string,
): Pick<PlanSurvey, "available" | "held"> {
  const balance = balances.find((each) => each.asset === asset);
  const [available, locked] = [quantity(balance?.available ?? "0"), quantity(balance?.locked ?? "0")];
  return { available, held: available.plus(locked) };
}

async function lastHour(
  { parts: { venue } }: DeskContext,
  { symbol }: Market,
  nowMs: number,
): Promise<readonly Candle[] | undefined> {
  const found = await venue.candles(symbol, "1m", { fromMs: nowMs - HOUR_MS, toMs: nowMs });
  return found.ok ? found.value : undefined;
}

/** Where its orders go. */
export function marketsOf({ market, basket }: Pick<PlanSurvey, "market" | "basket">): readonly Market[] {
  return [...(market === undefined ? [] : [market]), ...(basket?.assets ?? []).map(({ market: of }) => of)];
}

/** Of what could not be valued, or begins nowhere. */
export function unpriced({ market, basket }: Pick<PlanSurvey, "market" | "basket">): Fault {
  // What is sold goes to who buys there.
  const unsold = (basket?.assets ?? []).filter(({ quotes: { bid } }) => bid === undefined);
  const symbols = market?.symbol ?? unsold.map(({ market: of }) => of.symbol).join(", ");
  return localFault("ELocal:Invalid input", {
    field: basket === undefined ? "symbol" : "weights",
    message: `Nobody else quotes ${symbols} now, so that what the plan comes to is not known. Nothing was recorded.`,
    nextAction: "Look with get_orderbook, and ask again when somebody does.",
  });
}
