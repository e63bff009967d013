/** Sums of executions, exact and pure. Entry points: `totalsOf`, and `totalsByMarket`. */
import type { Fill } from "../../contract/index.ts";
import { notional, quantity } from "../../decimal/index.ts";
import type { FeeTotal, FillTotals, MarketTotals } from "../model/reports.ts";
import { feeTotals } from "./fill-sums.ts";

/** Tells what a fill moves; an order has the same of all that it executed. */
export type Executed = Pick<Fill, "symbol" | "side" | "volume" | "value" | "fee" | "fee_currency">;

export function totalsOf(executed: readonly Executed[]): FillTotals {
  const sumOf = (side: Fill["side"]): string =>
    executed
      .reduce((sum, each) => (each.side === side ? sum.plus(notional(each.value)) : sum), notional("0"))
      .toString();
  return { buy_value: sumOf("buy"), sell_value: sumOf("sell"), fees: feesOf(executed) };
}

/** Markets in the order of their names. */
export function totalsByMarket(executed: readonly Executed[]): readonly MarketTotals[] {
  const symbols = [...new Set(executed.map(({ symbol }) => symbol))].sort();
  return symbols.map((symbol) => {
    const ofMarket = executed.filter((each) => each.symbol === symbol);
    const [buy_volume, sell_volume] = [volumeOf(ofMarket, "buy"), volumeOf(ofMarket, "sell")];
    return { symbol, buy_volume, sell_volume, ...totalsOf(ofMarket) };
  });
}

function volumeOf(executed: readonly Executed[], side: Fill["side"]): string {
  return executed
    .reduce((sum, each) => (each.side === side ? sum.plus(quantity(each.volume)) : sum), quantity("0"))
    .toString();
}

function feesOf(executed: readonly Executed[]): readonly FeeTotal[] {
  const sums = new Map<string, ReturnType<typeof quantity>>();
  for (const { fee_currency, fee } of executed)
    sums.set(fee_currency, (sums.get(fee_currency) ?? quantity("0")).plus(quantity(fee)));
  return feeTotals(new Map([...sums].map(([currency, sum]) => [currency, sum.toString()])));
}
