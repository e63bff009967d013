import { z } from "zod";
import { market as contractMarket, type Market, quoted } from "../../contract/index.ts";
import { rate } from "../../decimal/index.ts";
import { amount, percent } from "../amount-text.ts";
import { answered, failedRead, lines } from "../answer.ts";
import { count, search } from "../field.ts";
import { closedLike, listOf, result, whole } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

/** The full table of ticks is long: it is given for a few markets, which a search leads to. */
const TICK_TABLES_MAX = 5;

/** Without the table of ticks where there are many. */
const market = closedLike(contractMarket.partial({ tick_bands: true }));

export const getMarkets = defineTool({
  name: "get_markets",
  title: "Markets",
  description: "Find a market by symbol or by English or Korean name; its price tick, minimum order, fees and status.",
  module: "market",
  input: z.strictObject({ search, limit: count(1, 500, "Default 50") }),
  output: result({ markets: listOf(market), total: whole }),
  async run({ search, limit = 50 }, { desk }) {
    const found = await desk.markets(search);
    if (!found.ok) return failedRead(desk, found.fault);
    const shown = found.value.slice(0, limit);
    const terse = shown.length > TICK_TABLES_MAX;
    const markets = shown.map(({ tick_bands, ...market }) => (terse ? market : { ...market, tick_bands }));
    const head =
      shown.length === 0
        ? `No market matches ${quoted(search ?? "")}. Leave search out to see all.`
        : `${shown.length} of ${found.value.length} market${found.value.length === 1 ? "" : "s"}:`;
    return answered(desk, lines(head, ...shown.map((market) => marketLine(market, terse))), {
      markets,
      total: found.value.length,
    });
  },
});

function marketLine(market: Market, terse: boolean): string {
  const { symbol, base, quote } = market;
  const names = quoted(`${market.english_name}, ${market.korean_name}`, 80);
  const minimum = `minimum ${amount(market.min_volume, base)} and ${amount(market.min_notional, quote)}`;
  const fees = `fees ${percent(rate(market.maker_fee_rate))} maker, ${percent(rate(market.taker_fee_rate))} taker`;
  const bands = market.tick_bands.map(
    ({ from_price, tick_size }) => `${amount(tick_size, quote)} from ${amount(from_price, quote)}`,
  );
  const ticks = terse ? "" : ` (${bands.join(", ")})`;
  const steps = `tick ${amount(market.tick_size, quote)}${ticks}, volume to ${market.volume_decimals} decimals`;
  return `- ${symbol} ${names}: ${market.status}, ${steps}, ${minimum}, ${fees}`;
}
