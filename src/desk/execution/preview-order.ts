/**
 * What an order would do, without doing it: problems, proposals, the expected fill against the live book, and a draft
 * that `place` executes without retyping. What the venue would refuse by the current book and balance gets no draft.
 */
import { checkFault, type Fault, type Market, ok, type Result } from "../../contract/index.ts";
import {
  formatPercent,
  type Notional,
  notional,
  notionalOf,
  type Price,
  price,
  type Quantity,
  quantity,
  rate,
} from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { estimateFill, type FillAnswer } from "../market/fill-estimate.ts";
import type { OrderRequest } from "../model/intent.ts";
import { reportError } from "../model/order-report.ts";
import type { BookView, Estimate, PolicyView, Preview } from "../model/reports.ts";
import type { MarketAndAccount } from "../queries/market-and-account.ts";
import { checkOrder } from "../risk/order-validation.ts";
import { type Assessment, denialOf } from "../risk/pre-trade-check.ts";
import { type AssessOrderParts, assessOrder } from "./assess-order.ts";
import { buildOrder } from "./build-order.ts";
import type { DuplicateGuard } from "./duplicate-guard.ts";
import { createDraft } from "./order-draft.ts";

/** Levels used for the expected fill. */
const BOOK_DEPTH = 200;

export class PreviewOrder {
  readonly #context: DeskContext;
  readonly #reads: MarketAndAccount;
  readonly #assessment: AssessOrderParts;
  readonly #duplicates: DuplicateGuard;

  constructor(context: DeskContext, reads: MarketAndAccount, assessment: AssessOrderParts, duplicates: DuplicateGuard) {
    this.#context = context;
    this.#reads = reads;
    this.#assessment = assessment;
    this.#duplicates = duplicates;
  }

  async preview(request: OrderRequest): Promise<Result<Preview>> {
    const market = await this.#context.market(request.symbol);
    if (!market.ok) return market;
    const account = await this.#context.account();
    if (!account.ok) return account;
    const { problems, proposals } = checkOrder(market.value, request, this.#context.lacksCompliance(request));
    const base = {
      order: { ...request, symbol: market.value.symbol },
      problems: problems.map(reportError),
      proposals,
      ...this.#context.stamp(),
    };
    if (problems.length > 0) return ok({ ...base, valid: false, warnings: [] });
    const book = await this.#reads.orderbook(market.value.symbol, BOOK_DEPTH);
    if (!book.ok) return book;
    const estimate = await this.#estimate(market.value, request, book.value);
    if (!estimate.ok) return estimate;
    const { refusals, ...expected } = estimate.value;
    const judged = await this.#judged(request, refusals);
    return judged.ok
      ? ok({ ...base, ...expected, ...judged.value, warnings: [...expected.warnings, ...judged.value.warnings] })
      : judged;
  }

  /** What the policy says, and a draft where neither it nor the venue would refuse. */
  async #judged(request: OrderRequest, refusals: readonly Fault[]): Promise<Result<Judged>> {
    const body = await buildOrder(this.#context, request);
    if (!body.ok) return body;
    const assessment = await assessOrder(this.#assessment, body.value);
    if (!assessment.ok) return assessment;
    const { verdict } = assessment.value;
    const policy = policyView(assessment.value);
    const denied = verdict.kind === "deny" ? denialOf(verdict) : undefined;
    const problems = [...refusals, ...(denied === undefined ? [] : [denied])].map(reportError);
    if (problems.length > 0) return ok({ policy, problems, warnings: [], valid: false });
    const duplicate = await this.#duplicates.find(body.value, ok([]));
    const draft = await createDraft(this.#context, body.value);
    if (!draft.ok) return draft;
    return ok({
      policy,
      ...draft.value,
      problems,
      warnings: duplicate === undefined ? [] : [duplicate.fault.message],
      valid: true,
    });
  }

  async #estimate(market: Market, request: OrderRequest, book: BookView): Promise<Result<Expected>> {
    const met = expectedFill(market, request, book);
    const refused = (request.post_only === true && !met.volume.isZero()) || (isFillOrKill(request) && !met.complete);
    const fill = refused ? { ...met, ...NOTHING } : met;
    const balances = await this.#context.parts.venue.accounts();
    if (!balances.ok) return balances;
    const neededAsset = request.side === "buy" ? market.quote : market.base;
    const needed = request.side === "buy" ? cashNeeded(market, request, fill) : coinsNeeded(request, fill);
    const held = balances.value.balances.find((balance) => balance.asset === neededAsset);
    const available = held?.available ?? "0";
    const estimate: Estimate = {
      expected_volume: fill.volume.toString(),
      expected_value: fill.value.toString(),
      expected_avg_price: fill.averagePrice?.toString() ?? null,
      expected_fee: fill.fee.toString(),
      fee_currency: market.quote,
      slippage_pct: fill.slippage === undefined ? null : percent(fill.slippage.toString()),
      resting_volume: restingVolume(request, fill).toString(),
      needed: needed.toString(),
      needed_asset: neededAsset,
      available,
      best_bid: book.best_bid,
      best_ask: book.best_ask,
      mid: book.mid,
    };
    const refusals = refusalsOf(market, request, met, estimate);
    return ok({ estimate, refusals, warnings: warningsOf(market, request, met, estimate) });
  }
}

type Judged = Pick<Preview, "policy" | "draft_id" | "expires_at" | "problems" | "warnings" | "valid">;

function policyView({ verdict, valueKrw }: Assessment): PolicyView {
  switch (verdict.kind) {
    case "allow":
      return { verdict: "allowed", value_krw: valueKrw };
    case "ask":
      return { verdict: "needs_approval", value_krw: valueKrw, why: verdict.why };
    case "deny":
      return { verdict: "denied", value_krw: valueKrw, why: verdict.denial.message };
    default:
      return verdict satisfies never;
  }
}

interface Expected {
  readonly estimate: Estimate;
  /** Why the venue would refuse the order now. */
  readonly refusals: readonly Fault[];
  readonly warnings: readonly string[];
}

/** What executes of an order that is taken whole or not at all, or that may only rest, when it cannot. */
const NOTHING = {
  volume: quantity("0"),
  value: notional("0"),
  fee: notional("0"),
  averagePrice: undefined,
  slippage: undefined,
};

function isFillOrKill(request: OrderRequest): boolean {
  return request.time_in_force === "FOK";
}

function expectedFill(market: Market, request: OrderRequest, book: BookView): FillAnswer {
  return estimateFill({
    side: request.side,
    levels: request.side === "buy" ? book.tick.asks : book.tick.buys,
    ...(request.base_volume === undefined ? {} : { volume: quantity(request.base_volume) }),
    ...(request.quote_amount === undefined ? {} : { amount: notional(request.quote_amount) }),
    ...(request.price === undefined ? {} : { limit: price(request.price) }),
    volumeDecimals: market.volume_decimals,
    takerFeeRate: rate(market.taker_fee_rate),
  });
}

function restingVolume(request: OrderRequest, fill: FillAnswer): Quantity {
  const rests = request.type === "limit" && (request.time_in_force ?? "GTC") === "GTC";
  if (!rests || request.base_volume === undefined) return quantity("0");
  return quantity(request.base_volume).minus(fill.volume);
}

/** KRW a buy takes at most: the venue holds price × volume with the larger fee until it fills. */
function cashNeeded(market: Market, request: OrderRequest, fill: FillAnswer): Notional {
  const maker = rate(market.maker_fee_rate);
  const taker = rate(market.taker_fee_rate);
  const value = heldValue(request, fill);
  return value.plus(value.scale(maker.gt(taker) ? maker : taker));
}

function heldValue(request: OrderRequest, fill: FillAnswer): Notional {
  if (request.quote_amount !== undefined) return notional(request.quote_amount);
  const limit: Price | undefined = request.price === undefined ? undefined : price(request.price);
  return limit === undefined || request.base_volume === undefined
    ? fill.value
    : notionalOf(limit, quantity(request.base_volume));
}

function coinsNeeded(request: OrderRequest, fill: FillAnswer): Quantity {
  return request.base_volume === undefined ? fill.volume : quantity(request.base_volume);
}

/** A rate as percent with at most 4 decimals, shown not calculated with. */
function percent(ratio: string): string {
  return notional("100")
    .scale(rate(ratio.slice(0, ratio.indexOf(".") + 9)))
    .toString();
}

function refusalsOf(market: Market, request: OrderRequest, met: FillAnswer, estimate: Estimate): readonly Fault[] {
  const refusals: Fault[] = [];
  if (request.post_only === true && !met.volume.isZero()) {
    const best = request.side === "buy" ? estimate.best_ask : estimate.best_bid;
    const message = `price ${request.price ?? ""} would match at once at ${best ?? ""}, and a post-only order may only rest`;
    refusals.push(checkFault("EOrder:Post only order", { field: "price", message }));
  }
  if (isShort(market, request, met, estimate.available ?? "0")) {
    const field = request.base_volume === undefined ? "quote_amount" : "base_volume";
    const size = `${field} ${request.base_volume ?? request.quote_amount ?? ""}`;
    const needed = `${estimate.needed} ${estimate.needed_asset}${request.side === "buy" ? " with the fee" : ""}`;
    const message = `${size} needs ${needed}, available is ${estimate.available ?? "0"} ${estimate.needed_asset}`;
    refusals.push(checkFault("EOrder:Insufficient funds", { field, message }));
  }
  return refusals;
}

/** By what the venue requires of each kind of order: for a market buy the cost of what it would fill, not the most it could take. */
function isShort(market: Market, request: OrderRequest, met: FillAnswer, available: string): boolean {
  if (request.side === "sell") return quantity(available).lt(coinsNeeded(request, met));
  const cash = notional(available);
  if (request.type === "limit") return cash.lt(cashNeeded(market, request, met));
  return cash.lt(met.value.plus(met.fee)) || cash.lt(notional(request.quote_amount ?? "0"));
}

function warningsOf(market: Market, request: OrderRequest, fill: FillAnswer, estimate: Estimate): readonly string[] {
  const warnings: string[] = [];
  const far = farThrough(request, estimate);
  if (far !== undefined) warnings.push(far);
  if (!fill.complete && request.type === "market")
    warnings.push(`The book does not hold the whole size; the remainder would expire unfilled.`);
  if (!fill.complete && request.time_in_force === "FOK")
    warnings.push("The book does not hold the whole size within the price, so a FOK order would expire unfilled.");
  if (market.status !== "trading") warnings.push(`${market.symbol} is ${market.status}.`);
  return warnings;
}

/** A limit further than this beyond the best opposite price is more often a mistyped digit than intended. */
const FAR_THROUGH = rate("0.05");

function farThrough({ side, price: limit }: OrderRequest, { best_ask, best_bid }: Estimate): string | undefined {
  const best = side === "buy" ? best_ask : best_bid;
  if (limit === undefined || best === null) return undefined;
  const [given, met] = [price(limit), price(best)];
  const beyond = side === "buy" ? given.minus(met) : met.minus(given);
  if (beyond.lte(met.scale(FAR_THROUGH))) return undefined;
  const where = side === "buy" ? `above the best ask of ${best}` : `below the best bid of ${best}`;
  return `The price ${limit} is ${formatPercent(beyond.ratioTo(met), 2)} ${where}. Make sure that no digit is wrong.`;
}
