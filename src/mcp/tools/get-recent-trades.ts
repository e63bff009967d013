import { z } from "zod";
import { publicTrade } from "../../contract/index.ts";
import { count, symbol } from "../input/field.ts";
import { amount, assetsOf, counted, marketNamed } from "../text/amount-text.ts";
import { failedRead, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { closedLike, listOf, result, text } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

export const getRecentTrades = defineTool({
  name: "get_recent_trades",
  title: "Recent trades",
  description: "The market's latest public trades, newest first. Your own fills are in get_trade_history.",
  module: "market",
  input: z.strictObject({ symbol, limit: count(1, 500, "Default 20") }),
  output: result({ symbol: text, trades: listOf(closedLike(publicTrade)) }),
  async run({ symbol, limit = 20 }, { desk }) {
    const market = await desk.market(symbol);
    if (!market.ok) return failedRead(desk, market.fault);
    const canonical = market.value.symbol;
    const read = await desk.trades(canonical, limit);
    if (!read.ok) return failedRead(desk, read.fault);
    const { base, quote } = assetsOf(canonical);
    const view = { symbol: canonical, trades: read.value };
    return bounded(desk, view, ({ trades }) => {
      const rows = trades.map(
        ({ time, side, price, volume }) => `- ${time} ${side} ${amount(volume, base)} at ${amount(price, quote)}`,
      );
      const head = `${marketNamed(canonical, symbol)}, ${counted(rows.length, "public trade").toLowerCase()} (side of the taker):`;
      return lines(head, ...rows);
    });
  },
});
