import { z } from "zod";
import { ticker as contractTicker, type Ticker } from "../../contract/index.ts";
import { signedPercent } from "../../words/index.ts";
import { optionalSymbol, symbol } from "../input/field.ts";
import { amount, amountOr, assetsOf, counted } from "../text/amount-text.ts";
import { failedRead, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { closedLike, listOf, result } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

export const getTicker = defineTool({
  name: "get_ticker",
  title: "Price now",
  description: "Last price and 24 h summary of one market (symbol), several (symbols), or all (neither).",
  module: "market",
  input: z.strictObject({
    symbol: optionalSymbol,
    symbols: z.array(symbol, { error: "send a list of markets" }).min(1).max(100).optional(),
  }),
  output: result({ tickers: listOf(closedLike(contractTicker)) }),
  async run({ symbol: one, symbols = [] }, { desk }) {
    const found = await desk.tickers(one === undefined ? symbols : [one, ...symbols]);
    if (!found.ok) return failedRead(desk, found.fault);
    return bounded(desk, { tickers: found.value }, ({ tickers }) => {
      const rows = tickers.map(tickerLine);
      return rows.length === 1 ? rows.join("") : lines(`${counted(rows.length, "market")}:`, ...rows.map(listed));
    });
  },
});

function listed(row: string): string {
  return `- ${row}`;
}

function tickerLine(ticker: Ticker): string {
  const { base, quote } = assetsOf(ticker.symbol);
  const bid = amountOr(ticker.best_bid, quote, "none");
  const ask = amountOr(ticker.best_ask, quote, "none");
  const change = ticker.change_rate === null ? "no change known" : signedPercent(ticker.change_rate);
  return (
    `${ticker.symbol}: ${amountOr(ticker.last, quote, "not traded yet")} (${change} in 24 h), ` +
    `high ${amountOr(ticker.high, quote, "none")}, low ${amountOr(ticker.low, quote, "none")}, bid ${bid}, ask ${ask}, ` +
    `volume ${amount(ticker.volume, base)} (${amount(ticker.quote_volume, quote)})`
  );
}
