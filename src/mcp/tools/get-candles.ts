import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Candle, defined, shownCandle } from "../../contract/index.ts";
import type { Words } from "../../words/index.ts";
import { count, interval, symbol } from "../input/field.ts";
import { type Draw, withPicture } from "../pictures/picture.ts";
import { readerOf } from "../pictures/picture-request.ts";
import { amount, assetsOf, marketNamed } from "../text/amount-text.ts";
import { answered, failedRead, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { type CandleSummary, historyBegins, summaryOf, summaryText } from "../text/candle-summary.ts";
import { from, periodOf, periodShape, periodText, periodView, to } from "../tool/period.ts";
import { closed, closedLike, listOf, maybe, result, text, whole } from "../tool/result-shape.ts";
import { defineTool, type ToolCall } from "../tool/tool.ts";

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
    period: periodShape,
    candles: listOf(closedLike(shownCandle)),
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
  const period = periodOf(span, desk);
  const read = await desk.candles(symbol, interval, period);
  if (!read.ok) return failedRead(desk, read.fault);
  const begins = await historyBegins(desk, { symbol, interval, limit, ...period }, read.value);
  if (!begins.ok) return failedRead(desk, begins.fault);
  const candles = read.value.slice(-limit);
  const summary = summaryOf(candles, begins.value);
  const newest = candles.length < read.value.length ? "the newest " : "";
  const head = `${marketNamed(symbol, typed)}, ${newest}${candles.length} candles of ${interval}`;
  const isAsked = span.from !== undefined || span.to !== undefined;
  const told = lines(
    isAsked ? `In the period ${periodText(period)}:` : undefined,
    summary === undefined ? `${head}.` : `${head} ${summaryText(summary, symbol)}.`,
    begins.value === null ? undefined : `There are no more: its history begins at ${begins.value}.`,
  );
  // Without a beginning it is of the newest ones, however far they reach.
  const fromMs = span.from === undefined && summary !== undefined ? Date.parse(summary.from) : period.fromMs;
  const of = periodView(defined({ ...period, fromMs }), desk);
  const content = { symbol, interval, period: of, ...defined({ summary }) };
  const withRows = (note?: string) =>
    bounded(desk, { ...content, candles }, (view) =>
      lines(told, ...view.candles.map((candle) => candleLine(candle, symbol, person.words)), note),
    );
  if (draw === undefined || summary === undefined) return withRows();
  const picture = { symbol, interval, candles, environment: desk.environment };
  const { image, note } = await draw({ kind: "candles", reader: readerOf(person.words), of: picture });
  // Without a picture the rows are all there is to look at.
  if (image.length === 0) return withRows(note);
  const result = answered(desk, lines(told, note), content);
  return { ...result, content: [...result.content, ...image] };
}

/** Its time to the minute, by the clock that the head names. */
function candleLine(candle: Candle, symbol: string, { when }: Words): string {
  const { base, quote } = assetsOf(symbol);
  const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map((price) =>
    amount(price, quote),
  );
  return `- ${when(candle.time).slice(0, 16)} open ${open} high ${high} low ${low} close ${close}, ${amount(candle.volume, base)}`;
}
