import { z } from "zod";
import { market as contractMarket, defined, type Market, quoted } from "../../contract/index.ts";
import { rate } from "../../decimal/index.ts";
import type { Desk } from "../../desk/index.ts";
import { count, search } from "../input/field.ts";
import { amount, percent } from "../text/amount-text.ts";
import { failedRead, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { anything, closedLike, listOf, result, whole } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

/** The full table of ticks is long: it is given for a few markets, which a search leads to. */
const TICK_TABLES_MAX = 5;

/** Leaves out the table of ticks where there are many. */
const market = closedLike(contractMarket.partial({ tick_bands: true }));

export const getMarkets = defineTool({
  name: "get_markets",
  title: "Markets",
  description: "Find a market by symbol, English or Korean name: price tick, minimum order, fees, status.",
  module: "market",
  input: z.strictObject({ search, limit: count(1, 500, "Default 50") }),
  output: result({ markets: listOf(market), total: whole, note: anything }),
  async run({ search, limit = 50 }, { desk }) {
    const found = await desk.markets(search);
    if (!found.ok) return failedRead(desk, found.fault);
    const shown = found.value.slice(0, limit);
    const terse = shown.length > TICK_TABLES_MAX;
    const markets: readonly ShownMarket[] = terse ? shown.map(({ tick_bands: _bands, ...market }) => market) : shown;
    const note = assumedText(desk);
    const content = { markets, total: found.value.length, ...defined({ note }) };
    return bounded(desk, content, ({ markets: rows, total }) => {
      const head =
        rows.length === 0
          ? `No market matches ${quoted(search ?? "")}. Leave search out to see all.`
          : `${rows.length} of ${total} market${total === 1 ? "" : "s"}:`;
      return lines(head, ...rows.map(marketLine), note);
    });
  },
});

/** Where the exchange tells them market by market, and for some only with a key. */
function assumedText({ card }: Pick<Desk, "card">): string | undefined {
  if (card.market_rules === "with_markets") return undefined;
  return `Tick, minimum and fees are as published or assumed here: ${card.title.en} tells those of a market when an order is previewed.`;
}

type ShownMarket = Omit<Market, "tick_bands"> & Partial<Pick<Market, "tick_bands">>;

function marketLine(market: ShownMarket): string {
  const { symbol, base, quote, tick_bands } = market;
  const names = quoted(`${market.english_name}, ${market.korean_name}`, 80);
  const minimum = `minimum ${amount(market.min_volume, base)} and ${amount(market.min_notional, quote)}`;
  const fees = `fees ${percent(rate(market.maker_fee_rate))} maker, ${percent(rate(market.taker_fee_rate))} taker`;
  const bands = tick_bands?.map(
    ({ from_price, tick_size }) => `${amount(tick_size, quote)} from ${amount(from_price, quote)}`,
  );
  const ticks = bands === undefined ? "" : ` (${bands.join(", ")})`;
  const steps = `tick ${amount(market.tick_size, quote)}${ticks}, volume to ${market.volume_decimals} decimals`;
  return `- ${symbol} ${names}: ${market.status}, ${steps}, ${minimum}, ${fees}`;
}
