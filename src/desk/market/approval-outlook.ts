/** Tells what an order that waits for a person would do in the market as it is now: pure arithmetic, no request. */
import type { CreateOrderBody, Market } from "../../contract/index.ts";
import { notional, price, rate } from "../../decimal/index.ts";
import type { ApprovalOutlook, ApprovalRequest } from "../model/approval-request.ts";
import { requestOf } from "../model/order-body.ts";
import type { BookView } from "../model/reports.ts";
import { estimateOrder } from "./order-estimate.ts";
import { snapshotPrice } from "./order-value.ts";

export function approvalOutlook(
  market: Market,
  { order, price_seen }: Pick<ApprovalRequest, "order" | "price_seen">,
  book: BookView,
): ApprovalOutlook {
  const { estimate } = estimateOrder(market, requestOf(order), book, "0");
  const now = priceNow(market, order, book);
  return {
    price: now,
    mid: book.mid,
    best_bid: book.best_bid,
    best_ask: book.best_ask,
    expected_avg_price: estimate.expected_avg_price,
    expected_fee: estimate.expected_fee,
    fee_currency: estimate.fee_currency,
    slippage_pct: estimate.slippage_pct,
    worst_case: estimate.needed,
    worst_case_asset: estimate.needed_asset,
    drift_pct: drift(price_seen, now),
  };
}

/** Measured as the approval's validity is. */
function priceNow(market: Market, order: CreateOrderBody, { tick }: BookView): string | null {
  return snapshotPrice(market, order, { tick, atMs: 0 });
}

/** In percent, with its sign and at most four decimals; null where there was or is no price. */
function drift(then: string | null, now: string | null): string | null {
  if (then === null || now === null || price(then).isZero()) return null;
  const [before, after] = [price(then), price(now)];
  const isFall = after.lt(before);
  const ratio = (isFall ? before.minus(after) : after.minus(before)).ratioTo(before).toString();
  const point = ratio.indexOf(".");
  const moved = notional("100").scale(rate(point < 0 ? ratio : ratio.slice(0, point + 7)));
  return isFall && !moved.isZero() ? `-${moved.toString()}` : moved.toString();
}
