/** At what price a sell brings what its coins have cost: pure arithmetic. */
import type { Market } from "../../contract/index.ts";
import { Fraction, price, roundToTick } from "../../decimal/index.ts";
import type { OrderEstimate } from "../market/order-estimate.ts";
import { tickBandsOf } from "./order-proposals.ts";

const ONE = Fraction.of("1");

/**
 * The lowest price on the tick at which a sell brings what its coins have cost.
 * @param cost of one coin, with the fees of its buys
 */
export function breakEvenPrice(market: Market, { estimate }: Pick<OrderEstimate, "estimate">, cost: Fraction): string {
  const takes = estimate.expected_volume !== "0" || estimate.resting_volume === "0";
  const rates = [
    ...(takes ? [market.taker_fee_rate] : []),
    ...(estimate.resting_volume === "0" ? [] : [market.maker_fee_rate]),
  ];
  const fees = rates.map((each) => Fraction.of(each));
  // One that may pay either is counted with the larger.
  const fee = fees.reduce((most, each) => (each.cmp(most) > 0 ? each : most), Fraction.ZERO);
  const least = price(cost.share(ONE, ONE.minus(fee)).rounded(8, "up"));
  return roundToTick(tickBandsOf(market), least, "up").toString();
}
