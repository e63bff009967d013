/**
 * What a size comes to that is no volume yet: a share of what is available, or an amount at the price of a limit order.
 *
 * Invariants: rounded down to the step, and with the fee of a buy never more than the share. The size of a request that was recorded
 * before is the one it had then: a repetition is that order, whatever the balance is now.
 *
 * Keeps of what is proposed in place of what does not fit what can be carried out as it stands: the order with it fits its market, and the balance
 * and the book as they are now.
 *
 * Entry points: `withFitting`, which asks the venue where something is proposed, and `fitting`.
 *
 * Source: decision 0031.
 */
import {
  checkFault,
  type Fault,
  faultKind,
  type Market,
  ORDER_TRAITS,
  ok,
  type Proposal,
  type Result,
} from "../../contract/index.ts";
import {
  formatAmount,
  isShare,
  notional,
  parseShare,
  price,
  quantity,
  quantityFor,
  type Rate,
  rate,
  roundToStep,
} from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { estimateOrder, neededAsset } from "../market/order-estimate.ts";
import type { OrderRequest, Sizing } from "../model/intent.ts";
import type { BookView } from "../model/reports.ts";
import { largerFee, payableVolume, proposalsOf, refusalsOf, withoutFee } from "../risk/order-proposals.ts";
import { checkCard, checkOrder } from "../risk/order-validation.ts";

export interface SizedOrder {
  readonly market: Market;
  /** With a volume, or the amount of a market order. As it was asked for where there are problems. */
  readonly request: OrderRequest;
  /** Absent where the size was given. */
  readonly sizing?: Sizing;
  readonly problems: readonly Fault[];
}

/** The request with its size, checked against its market. The venue is asked for the balance only where a share is of it. */
export async function sizedOrder(context: DeskContext, request: OrderRequest): Promise<Result<SizedOrder>> {
  const found = await context.market(request.symbol, "proposed");
  if (!found.ok) return found;
  const market = found.value;
  const { card } = context.parts.venue;
  const problemsOf = (each: OrderRequest): readonly Fault[] => {
    const { problems } = checkOrder(market, each, context.lacksCompliance(each));
    return problems.length > 0 ? problems : checkCard(card, market, each);
  };
  const problems = problemsOf(request);
  const asked = problems.length > 0 ? undefined : askedSize(request);
  if (asked === undefined) return ok({ market, request, problems });
  const before = await sizedBefore(context, request, asked);
  if (!before.ok) return before;
  const sizing = before.value === undefined ? await comesTo(context, market, request, asked) : ok(before.value);
  if (!sizing.ok) return sizing;
  const { field, size } = sizing.value;
  const small = /[1-9]/.test(size) ? undefined : nothing(market, sizing.value);
  if (small !== undefined) return ok({ market, request, problems: [small] });
  const { base_volume: _share, quote_amount: _amount, ...rest } = request;
  const sized: OrderRequest = { ...rest, [field]: size };
  return ok({ market, request: sized, sizing: sizing.value, problems: problemsOf(sized) });
}

type Asked = Pick<Sizing, "asked" | "given">;

/** The size where it has to be computed; undefined where it can be sent as it is. */
function askedSize({ type, base_volume, quote_amount }: OrderRequest): Asked | undefined {
  if (isShare(base_volume)) return { asked: "base_volume", given: base_volume };
  if (quote_amount !== undefined && (!ORDER_TRAITS[type].takesAmount || isShare(quote_amount)))
    return { asked: "quote_amount", given: quote_amount };
  return undefined;
}

/** The size that the same request had when it was recorded under its userref. */
async function sizedBefore(
  context: DeskContext,
  { userref }: OrderRequest,
  { asked, given }: Asked,
): Promise<Result<Sizing | undefined>> {
  if (userref === undefined) return ok(undefined);
  const account = await context.account();
  if (!account.ok) return account;
  const found = await context.parts.journal.byUserref(account.value, userref);
  if (!found.ok) return found;
  const sizing = found.value?.body.sizing;
  return ok(sizing?.asked === asked && sizing.given === given ? sizing : undefined);
}

async function comesTo(
  context: DeskContext,
  market: Market,
  request: OrderRequest,
  asked: Asked,
): Promise<Result<Sizing>> {
  if (!isShare(asked.given)) return ok(atItsPrice(market, request, asked));
  const accounts = await context.parts.venue.accounts();
  if (!accounts.ok) return accounts;
  const asset = asked.asked === "base_volume" ? market.base : market.quote;
  const available = accounts.value.balances.find((balance) => balance.asset === asset)?.available ?? "0";
  return ok(ofShare(market, request, asked, available));
}

function ofShare(market: Market, request: OrderRequest, asked: Asked, available: string): Sizing {
  const share = parseShare(asked.given);
  if (!share.ok) throw new Error(`an order with the share ${asked.given} passed its check`);
  return ofAvailable(market, request, asked, { share: share.value, available });
}

/** What the size of a request that fits its market comes to; undefined where it can be sent as it is. */
export function sizeOf(market: Market, request: OrderRequest, available: string): Sizing | undefined {
  const asked = askedSize(request);
  if (asked === undefined) return undefined;
  return isShare(asked.given) ? ofShare(market, request, asked, available) : atItsPrice(market, request, asked);
}

function atItsPrice(market: Market, { side, price: at = "" }: OrderRequest, asked: Asked): Sizing {
  const size = quantityFor(notional(asked.given), price(at), market.volume_decimals, "down").toString();
  const fee = side === "buy" ? "the fee comes on top" : "the fee is taken from it";
  const why = `${formatAmount(notional(asked.given), market.quote)} at ${formatAmount(price(at), market.quote)}, rounded down to the step; ${fee}`;
  return { ...asked, field: "base_volume", size, why };
}

interface Part {
  readonly share: Rate;
  readonly available: string;
}

/** Exact but for the one rounding down. */
export function ofAvailable(market: Market, request: OrderRequest, asked: Asked, { share, available }: Part): Sizing {
  const asset = asked.asked === "base_volume" ? market.base : market.quote;
  const of = `${asked.given} of the ${formatAmount(notional(available), asset)} available`;
  if (asked.asked === "base_volume") {
    const size = roundToStep(quantity(available).scale(share), market.volume_decimals, "down").toString();
    return { ...asked, field: "base_volume", size, why: `${of}, rounded down to the step` };
  }
  const funds = notional(available).scale(share);
  const why = `${of}, with the fee in it, rounded down`;
  if (request.price === undefined)
    return {
      ...asked,
      field: "quote_amount",
      size: withoutFee(funds, rate(market.taker_fee_rate), market.quote).toString(),
      why,
    };
  const size = payableVolume(market, funds, price(request.price), largerFee(market)).toString();
  return { ...asked, field: "base_volume", size, why };
}

function nothing({ symbol, min_volume, min_notional, base, quote }: Market, { asked, why }: Sizing): Fault {
  const least =
    asked === "base_volume" ? formatAmount(quantity(min_volume), base) : formatAmount(notional(min_notional), quote);
  const message = `${asked}: ${why} is nothing, and ${symbol} takes at least ${least}`;
  return checkFault("EOrder:Order minimum not met", { field: asked, message });
}

/** What an order is carried out with. */
export interface Means {
  /** Of the asset that it takes. */
  readonly available: string;
  readonly tick: BookView["tick"];
}

/** @returns the faults as they are where nothing is proposed, or the venue does not answer */
export async function withFitting(
  { parts: { venue } }: DeskContext,
  market: Market,
  request: OrderRequest,
  faults: readonly Fault[],
): Promise<readonly Fault[]> {
  if (proposalsOf(faults).length === 0) return faults;
  const [accounts, book] = await Promise.all([venue.accounts(), venue.orderbook(market.symbol)]);
  if (!accounts.ok || !book.ok) return faults;
  const asset = neededAsset(market, request);
  const available = accounts.value.balances.find((balance) => balance.asset === asset)?.available ?? "0";
  return fitting(market, request, faults, { available, tick: book.value.tick });
}

const FIELDS: readonly string[] = ["price", "base_volume", "quote_amount"];
const isOfNumbers = ({ field = "" }: Fault): boolean => FIELDS.includes(field);

/** The faults with what of their proposals fits; one that is left without says what is missing. */
export function fitting(
  market: Market,
  request: OrderRequest,
  faults: readonly Fault[],
  means: Means,
): readonly Fault[] {
  // Beside a number that is none and has no other proposed, nothing can be tried.
  if (
    faults.some((fault) => isOfNumbers(fault) && fault.proposals === undefined && fault.code === "ELocal:Invalid input")
  )
    return faults;
  const all = proposalsOf(faults);
  return faults.map((fault) => {
    const { proposals, ...rest } = fault;
    if (proposals === undefined) return fault;
    const kept = proposals.filter((proposal) =>
      withOthers(request, proposal, all).some((order) => standing(market, order, means).length === 0),
    );
    if (kept.length > 0) return { ...rest, proposals: kept };
    const isShort = proposals.some((proposal) =>
      withOthers(request, proposal, all).some((order) => standing(market, order, means).some(isForFunds)),
    );
    const asset = neededAsset(market, request);
    return isShort ? { ...rest, message: `${rest.message}; available is ${means.available} ${asset}` } : rest;
  });
}

const isForFunds = ({ code }: Fault): boolean => faultKind(code) === "insufficient";

/** The order with what is proposed for one field, and with each that is proposed for another one. */
function withOthers(request: OrderRequest, { field, proposed }: Proposal, all: readonly Proposal[]): OrderRequest[] {
  const fields = [...new Set(all.map((each) => each.field))].filter((each) => each !== field);
  return fields.reduce<OrderRequest[]>(
    (orders, other) =>
      orders.flatMap((order) =>
        all.filter((each) => each.field === other).map((each) => ({ ...order, [other]: each.proposed })),
      ),
    [{ ...request, [field]: proposed }],
  );
}

/** What stands against an order's numbers. */
function standing(market: Market, request: OrderRequest, { available, tick }: Means): readonly Fault[] {
  const problems = checkOrder(market, request).problems.filter(isOfNumbers);
  if (problems.length > 0) return problems;
  const sizing = sizeOf(market, request, available);
  const { base_volume: _asked, quote_amount: _amount, ...rest } = request;
  const sized = sizing === undefined ? request : { ...rest, [sizing.field]: sizing.size };
  const small = sizing === undefined ? [] : checkOrder(market, sized).problems.filter(isOfNumbers);
  if (small.length > 0) return small;
  const book = { tick, best_bid: null, best_ask: null, mid: null };
  return refusalsOf(market, sized, book, estimateOrder(market, sized, book, available));
}
