/**
 * Of what is proposed in place of what does not fit, what can be carried out as it stands: the order with it fits its market, and the balance and the book as they are now.
 *
 * Entry points: `withFitting`, which asks the venue where something is proposed, and `fitting`.
 * Source: decision 0031.
 */
import { type Fault, faultKind, type Market, type Proposal } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { estimateOrder, neededAsset } from "../market/order-estimate.ts";
import type { OrderRequest } from "../model/intent.ts";
import type { BookView } from "../model/reports.ts";
import { proposalsOf, refusalsOf } from "../risk/order-refusals.ts";
import { checkOrder } from "../risk/order-validation.ts";
import { sizeOf } from "./sized-order.ts";

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
