/**
 * What an order would meet at the venue now: the book, the balance, what it would do there and why it would be refused.
 */
import { type Fault, type Market, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { estimateOrder, neededAsset, type OrderEstimate } from "../market/order-estimate.ts";
import type { OrderRequest } from "../model/intent.ts";
import type { BookView, WriteReport } from "../model/reports.ts";
import type { MarketAndAccount } from "../queries/market-and-account.ts";
import { proposalsOf, refusalsOf } from "../risk/order-proposals.ts";
import { fitting } from "./sized-order.ts";

/** Levels used for the expected fill. */
const BOOK_DEPTH = 200;

export interface OrderOutlook extends OrderEstimate {
  readonly book: BookView;
  readonly refusals: readonly Fault[];
}

/** @param request fit for its market */
export async function orderOutlook(
  context: DeskContext,
  reads: MarketAndAccount,
  market: Market,
  request: OrderRequest,
): Promise<Result<OrderOutlook>> {
  const book = await reads.orderbook(market.symbol, BOOK_DEPTH);
  if (!book.ok) return book;
  const asset = neededAsset(market, request);
  const accounts = await context.parts.venue.accounts();
  if (!accounts.ok) return accounts;
  const available = accounts.value.balances.find((balance) => balance.asset === asset)?.available ?? "0";
  const expected = estimateOrder(market, request, book.value, available);
  const refusals = refusalsOf(market, request, book.value, expected);
  const { tick } = book.value;
  return ok({ ...expected, book: book.value, refusals: fitting(market, request, refusals, { available, tick }) });
}

/** The report of an order that the venue has rejected, with what it would take instead. */
export async function withProposals(
  context: DeskContext,
  reads: MarketAndAccount,
  request: OrderRequest,
  report: WriteReport,
): Promise<WriteReport> {
  const { error } = report;
  const market = await context.market(request.symbol, "proposed");
  if (error === undefined || !market.ok) return report;
  const outlook = await orderOutlook(context, reads, market.value, request);
  if (!outlook.ok) return report;
  const proposals = proposalsOf(outlook.value.refusals.filter(({ code }) => code === error.code));
  return proposals.length === 0 ? report : { ...report, error: { ...error, proposals } };
}
