/**
 * The markets of Coinone and their rules. Ticks follow the price by a table that the exchange tells for each market.
 *
 * Source: SOURCES.md#markets.
 */
import type { z } from "zod";
import type { Market } from "../../contract/index.ts";
import { quantity } from "../../decimal/index.ts";
import { type Assumed, assumedMarket, USUAL_BANDS, withRates, withTicks } from "../market-rules.ts";
import { positive } from "../shown-number.ts";
import { type feesAnswer, type marketsAnswer, QUOTE, symbolOf, type unitsAnswer } from "./answers.ts";

const ASSUMED: Assumed = {
  // The example of its documents.
  bands: USUAL_BANDS,
  /** Of an order, by clients; its own word wins. */
  minimum: "5000",
  /** The highest rate that its documents show: that of a key is told with a key alone. */
  fee: "0.002",
};
const MARKET = new RegExp(`^[A-Z0-9]{1,15}/${QUOTE}$`);

/** Those that hoga can trade in: names of other letters are left out. One that takes orders of one side alone is halted. */
export function marketsOf({ markets }: z.output<typeof marketsAnswer>): Market[] {
  return markets.flatMap((told) => {
    const symbol = symbolOf(told);
    if (!MARKET.test(symbol)) return [];
    const assumed = assumedMarket(symbol, ASSUMED, null);
    const step = positive(told.qty_unit) ?? assumed.min_volume;
    const isOpen = (told.maintenance_status ?? "0") === "0" && (told.trade_status ?? "1") === "1";
    return [
      {
        ...{ ...assumed, status: isOpen ? "trading" : "halted", min_volume: positive(told.min_qty) ?? step },
        ...{ min_notional: positive(told.min_order_amount) ?? assumed.min_notional, price_decimals: 4 },
        ...{ tick_size: positive(told.price_unit) ?? assumed.tick_size, volume_decimals: quantity(step).decimals() },
      },
    ];
  });
}

/** @param last price, for the tick of now */
export function withUnits(
  market: Market,
  { range_price_units: units }: z.output<typeof unitsAnswer>,
  last: string | null,
) {
  const told = units.map(({ range_min: from, price_unit: tick }) => ({ from, tick }));
  return withTicks(market, told, last);
}

export function withFees(market: Market, { fee_rates: rates }: z.output<typeof feesAnswer>): Market {
  const told = rates.find((each) => symbolOf(each) === market.symbol);
  return withRates(market, told?.maker, told?.taker);
}
