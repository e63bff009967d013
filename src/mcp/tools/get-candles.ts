import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Candle, candle as contractCandle, defined } from "../../contract/index.ts";
import { amount, assetsOf, marketNamed, when } from "../amount-text.ts";
import { answered, failedRead, lines } from "../answer.ts";
import { type CandleSummary, historyBegins, summaryOf, summaryText } from "../candle-summary.ts";
import { count, interval, symbol } from "../field.ts";
import { from, periodOf, to } from "../period.ts";
import { type Draw, withPicture } from "../picture.ts";
import { readerOf } from "../picture-request.ts";
import { closed, closedLike, listOf, maybe, result, text, whole } from "../result-shape.ts";
import { defineTool, type ToolCall } from "../tool.ts";

const input = z.strictObject({
  symbol,
  interval,
  from,
  to,
  limit: count(1, 500, "Newest ones, default 50"),
  chart: z.boolean().optional().describe("PNG and summary instead of rows"),
});

export const getCandles = defineTool({
  name: "get_candles",
  title: "Candles",
  description: "Open, high, low, close and volume per interval, oldest first; intervals without a trade are absent.",
  module: "market",
  input,
  output: result({
    symbol: text,
    interval: text,
    candles: listOf(closedLike(contractCandle)),
    summary: closed<CandleSummary>({
      count: whole,
      from: text,
      to: text,
      open: text,
      high: text,
      low: text,
      last: text,
      change_pct: text,
      history_begins: maybe,
    }),
  }),
  run: (request, call) =>
    request.chart === true ? withPicture(call, (draw) => look(request, call, draw)) : look(request, call),
});

type Request = z.infer<typeof input>;

async function look(
  { symbol: typed, interval, limit = 50, ...asked }: Request,
  { desk, person }: ToolCall,
  draw?: Draw,
): Promise<CallToolResult> {
  const { chart: _, ...span } = asked;
  const market = await desk.market(typed);
  if (!market.ok) return failedRead(desk, market.fault);
  const { symbol } = market.value;
  const period = periodOf(span);
  const read = await desk.candles(symbol, interval, period);
  if (!read.ok) return failedRead(desk, read.fault);
  const begins = await historyBegins(desk, { symbol, interval, limit, ...period }, read.value);
  if (!begins.ok) return failedRead(desk, begins.fault);
  const candles = read.value.slice(-limit);
  const summary = summaryOf(candles, begins.value);
  const part = candles.length < read.value.length ? ` of ${read.value.length}` : "";
  const head = `${marketNamed(symbol, typed)}, ${candles.length}${part} candles of ${interval}`;
  const told = lines(
    summary === undefined ? `${head}.` : `${head} ${summaryText(summary, symbol)}.`,
    begins.value === null ? undefined : `There are no more: its history begins at ${when(begins.value)}.`,
  );
  const content = { symbol, interval, ...defined({ summary }) };
  const rows = () => lines(told, ...candles.map((candle) => candleLine(candle, symbol)));
  if (draw === undefined || summary === undefined) return answered(desk, rows(), { ...content, candles });
  const of = { symbol, interval, candles, environment: desk.environment };
  const { image, note } = await draw({ kind: "candles", reader: readerOf(person.words), of });
  // Without a picture the rows are all there is to look at.
  if (image.length === 0) return answered(desk, lines(rows(), note), { ...content, candles });
  const result = answered(desk, lines(told, note), content);
  return { ...result, content: [...result.content, ...image] };
}

function candleLine(candle: Candle, symbol: string): string {
  const { base, quote } = assetsOf(symbol);
  const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map((price) =>
    amount(price, quote),
  );
  return `- ${candle.time.slice(0, 16)}Z open ${open} high ${high} low ${low} close ${close}, ${amount(candle.volume, base)}`;
}
