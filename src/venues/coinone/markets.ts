/**
 * The markets of Coinone and their rules. Ticks follow the price by a table that the exchange tells for each market.
 *
 * Source: SOURCES.md#markets.
 */
import type { z } from "zod";
import type { Market } from "../../contract/index.ts";
import { quantity, wireNumber } from "../../decimal/index.ts";
import { positive } from "../shown-number.ts";
import { bandsOf, withTicks } from "../told-ticks.ts";
import { type feesAnswer, type marketsAnswer, QUOTE, symbolOf, type unitsAnswer } from "./answers.ts";

/** From a price on, the tick: the example of its documents, until the market's own are asked for. */
const BANDS = bandsOf([
  ...["0 0.0001", "1 0.001", "10 0.01", "100 0.1", "1000 1", "5000 5", "10000 10"],
  ...["50000 50", "100000 100", "500000 500", "1000000 1000"],
]);
/** Of an order, by clients; its own word wins. */
const MINIMUM = "5000";
/** The highest rate that its documents show: that of a key is told with a key alone. */
const ASSUMED_FEE = "0.002";
const MARKET = new RegExp(`^[A-Z0-9]{1,15}/${QUOTE}$`);

/** Those that hoga can trade in: names of other letters are left out. One that takes orders of one side alone is halted. */
export function marketsOf({ markets }: z.output<typeof marketsAnswer>): Market[] {
  return markets.flatMap((told) => {
    const symbol = symbolOf(told);
    if (!MARKET.test(symbol)) return [];
    const [base = ""] = symbol.split("/");
    const step = positive(told.qty_unit) ?? "0.00000001";
    const isOpen = (told.maintenance_status ?? "0") === "0" && (told.trade_status ?? "1") === "1";
    return [
      {
        ...{ symbol, base, quote: QUOTE, korean_name: base, english_name: base, status: isOpen ? "trading" : "halted" },
        ...{ min_volume: positive(told.min_qty) ?? step, min_notional: positive(told.min_order_amount) ?? MINIMUM },
        ...{ tick_bands: BANDS, tick_size: positive(told.price_unit) ?? "0.0001", price_decimals: 4 },
        volume_decimals: quantity(step).decimals(),
        ...{ maker_fee_rate: ASSUMED_FEE, taker_fee_rate: ASSUMED_FEE },
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
  const [maker, taker] = [told?.maker, told?.taker].map((text) => wireNumber(text ?? "", "up"));
  // A negative one is a gift that is not counted on.
  return {
    ...market,
    maker_fee_rate: maker === undefined ? market.maker_fee_rate : maker.startsWith("-") ? "0" : maker,
    taker_fee_rate: taker === undefined ? market.taker_fee_rate : taker.startsWith("-") ? "0" : taker,
  };
}
