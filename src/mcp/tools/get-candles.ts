import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Candle, candle as contractCandle } from "../../contract/index.ts";
import { amount, assetsOf, marketNamed } from "../amount-text.ts";
import { answered, badge, failedRead, lines } from "../answer.ts";
import type { CandlePicture } from "../candle-chart.ts";
import { count, interval, symbol } from "../field.ts";
import { from, periodOf, to } from "../period.ts";
import { closedLike, listOf, result, text } from "../result-shape.ts";
import { defineTool } from "../tool.ts";

export const getCandles = defineTool({
  name: "get_candles",
  title: "Candles",
  description: "Open, high, low, close and volume per interval, oldest first; intervals without a trade are absent.",
  module: "market",
  input: z.strictObject({
    symbol,
    interval,
    from,
    to,
    limit: count(1, 500, "Newest ones, default 50"),
    chart: z.boolean().optional().describe("Adds a PNG image"),
  }),
  output: result({ symbol: text, interval: text, candles: listOf(closedLike(contractCandle)) }),
  async run({ symbol, interval, limit = 50, chart = false, ...period }, { desk }) {
    const market = await desk.market(symbol);
    if (!market.ok) return failedRead(desk, market.fault);
    const read = await desk.candles(market.value.symbol, interval, periodOf(period));
    if (!read.ok) return failedRead(desk, read.fault);
    const candles = read.value.slice(-limit);
    const head = `${marketNamed(market.value.symbol, symbol)}, ${candles.length} candles of ${interval}:`;
    const content = { symbol: market.value.symbol, interval, candles };
    const list = lines(head, ...candles.map((candle) => candleLine(candle, market.value.symbol)));
    if (!chart || candles.length === 0) return answered(desk, list, content);
    const { image, note } = await pictureOf({ ...content, badge: badge(desk) });
    const result = answered(desk, lines(list, note), content);
    return { ...result, content: [...result.content, ...image] };
  },
});

/** The image, and what the model has to know of it. The candles are returned without one too. */
async function pictureOf(picture: CandlePicture): Promise<{ image: CallToolResult["content"]; note?: string }> {
  const chart = await import("../candle-chart.ts").catch(() => undefined);
  if (chart === undefined) return { image: [], note: "No image: this machine cannot load the drawing library." };
  const { png, labeled } = await chart.drawCandles(picture);
  const image = [{ type: "image" as const, data: png.toString("base64"), mimeType: "image/png" }];
  return labeled ? { image } : { image, note: "The image has no text: no font is installed where hoga runs." };
}

function candleLine(candle: Candle, symbol: string): string {
  const { base, quote } = assetsOf(symbol);
  const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map((price) =>
    amount(price, quote),
  );
  return `- ${candle.time.slice(0, 16)}Z open ${open} high ${high} low ${low} close ${close}, ${amount(candle.volume, base)}`;
}
