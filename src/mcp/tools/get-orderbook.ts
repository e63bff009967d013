import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { defined, type Market, ok, type Result } from "../../contract/index.ts";
import { formatPercent, notional, quantity, rate } from "../../decimal/index.ts";
import { type BookView, type Desk, estimateFill, type FillAnswer } from "../../desk/index.ts";
import { baseVolume, count, orderSide, quoteAmount, symbol } from "../input/field.ts";
import type { BookPicture } from "../pictures/book-chart.ts";
import { BOOK_ROWS } from "../pictures/drawing.ts";
import { type Draw, withPicture } from "../pictures/picture.ts";
import { readerOf } from "../pictures/picture-request.ts";
import { amount, amountOr, assetsOf, marketNamed, percent } from "../text/amount-text.ts";
import { failedRead, lines } from "../text/answer.ts";
import { bounded } from "../text/bounded-answer.ts";
import { closed, flag, listOf, maybe, result, text, whole } from "../tool/result-shape.ts";
import { defineTool, type ToolCall } from "../tool/tool.ts";

const DEPTH = 15;
/** Levels a side in the text: without a depth asked for, and with one. */
const SHOWN = 5;
const SHOWN_MAX = 20;
/** Levels looked through for the cost of a size. */
const COST_DEPTH = 500;

const input = z
  .strictObject({
    symbol,
    depth: count(1, 500, "Levels a side, default 15"),
    side: orderSide.optional(),
    base_volume: baseVolume,
    quote_amount: quoteAmount,
    chart: z.boolean().optional().describe("Adds a PNG"),
  })
  .superRefine(({ side, base_volume, quote_amount }, context) => {
    const sizes = [base_volume, quote_amount].filter((size) => size !== undefined).length;
    const misfit = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message, input: undefined });
    if (sizes === 2) misfit("quote_amount", "give one size, base_volume or quote_amount, not both");
    if (sizes > 0 && side === undefined) misfit("side", 'say whether the size is to "buy" or to "sell"');
    if (sizes === 0 && side !== undefined) misfit("side", "give the size too: base_volume or quote_amount");
  });

/** Price and volume, best first. */
const levels = listOf(listOf(text));

export const getOrderbook = defineTool({
  name: "get_orderbook",
  title: "Order book",
  description: "Bids and asks, mid and spread; with side and a size also what that size would cost now.",
  module: "market",
  input,
  output: result<BookView & { readonly estimate: CostFields }>({
    symbol: text,
    seq: whole,
    time: text,
    tick: closed<BookView["tick"]>({ buys: levels, asks: levels }),
    best_bid: maybe,
    best_ask: maybe,
    mid: maybe,
    spread: maybe,
    estimate: closed<CostFields>({
      volume: text,
      value: text,
      fee: text,
      fee_currency: text,
      avg_price: maybe,
      slippage_pct: maybe,
      complete: flag,
    }),
  }),
  run: (request, call) =>
    request.chart === true ? withPicture(call, (draw) => look(request, call, draw)) : look(request, call),
});

type Request = z.infer<typeof input>;

async function look(request: Request, { desk, person }: ToolCall, draw?: Draw): Promise<CallToolResult> {
  const { symbol, depth = DEPTH } = request;
  const read = await desk.orderbook(symbol, request.side === undefined ? depth : Math.max(depth, COST_DEPTH));
  if (!read.ok) return failedRead(desk, read.fault);
  const cost = await costOf(desk, read.value, request);
  if (!cost.ok) return failedRead(desk, cost.fault);
  const { buys, asks } = read.value.tick;
  const book = { ...read.value, tick: { buys: buys.slice(0, depth), asks: asks.slice(0, depth) } };
  const estimate = cost.value && costFields(cost.value, book.symbol);
  const content = { ...book, ...defined({ estimate }) };
  const shown = request.depth === undefined ? SHOWN : Math.min(depth, SHOWN_MAX);
  const told = (view: BookView) => bookText(view, request, cost.value, shown);
  if (draw === undefined) return bounded(desk, content, told);
  const { environment } = desk;
  const { image, note } = await draw({
    kind: "book",
    reader: readerOf(person.words),
    of: { book: seenOf(book), environment },
  });
  const result = bounded(desk, content, (view) => lines(told(view), note));
  return { ...result, content: [...result.content, ...image] };
}

/** Picks what a picture shows of it, its time to the second. */
function seenOf({ symbol, time, mid, spread, tick }: BookView): BookPicture["book"] {
  const shown = (levels: BookView["tick"]["buys"]) => levels.slice(0, BOOK_ROWS);
  const second = `${new Date(time).toISOString().slice(0, 19)}Z`;
  return { symbol, time: second, mid, spread, tick: { buys: shown(tick.buys), asks: shown(tick.asks) } };
}

async function costOf(desk: Desk, book: BookView, request: Request): Promise<Result<FillAnswer | undefined>> {
  if (request.side === undefined) return ok(undefined);
  const market: Result<Market> = await desk.market(request.symbol);
  if (!market.ok) return market;
  return ok(
    estimateFill({
      side: request.side,
      levels: request.side === "buy" ? book.tick.asks : book.tick.buys,
      ...(request.base_volume !== undefined && { volume: quantity(request.base_volume) }),
      ...(request.quote_amount !== undefined && { amount: notional(request.quote_amount) }),
      volumeDecimals: market.value.volume_decimals,
      takerFeeRate: rate(market.value.taker_fee_rate),
    }),
  );
}

interface CostFields {
  readonly volume: string;
  readonly value: string;
  readonly fee: string;
  readonly fee_currency: string;
  readonly avg_price: string | null;
  readonly slippage_pct: string | null;
  readonly complete: boolean;
}

function costFields(cost: FillAnswer, symbol: string): CostFields {
  return {
    volume: cost.volume.toString(),
    value: cost.value.toString(),
    fee: cost.fee.toString(),
    fee_currency: assetsOf(symbol).quote,
    avg_price: cost.averagePrice?.toString() ?? null,
    slippage_pct: cost.slippage === undefined ? null : formatPercent(cost.slippage, 4).slice(0, -1),
    complete: cost.complete,
  };
}

function bookText(book: BookView, request: Request, cost: FillAnswer | undefined, most: number): string {
  const { base, quote } = assetsOf(book.symbol);
  const { buys, asks } = book.tick;
  const shown = (price: string | null) => amountOr(price, quote, "none");
  const part = (levels: readonly unknown[]) => (levels.length > most ? ` (${most} of ${levels.length})` : "");
  const level = ([price, volume]: readonly [string, string]) => `${amount(price, quote)} × ${amount(volume, base)}`;
  return lines(
    `${marketNamed(book.symbol, request.symbol)}: bid ${shown(book.best_bid)}, ask ${shown(book.best_ask)}, mid ${shown(book.mid)}, spread ${shown(book.spread)}, at ${book.time}`,
    cost === undefined ? undefined : costText(cost, book.symbol, request.side ?? ""),
    `Bids${part(buys)}: ${buys.slice(0, most).map(level).join(", ") || "none"}`,
    `Asks${part(asks)}: ${asks.slice(0, most).map(level).join(", ") || "none"}`,
  );
}

function costText(cost: FillAnswer, symbol: string, side: string): string {
  const { base, quote } = assetsOf(symbol);
  if (cost.averagePrice === undefined)
    return "Nothing would fill: that side of the book is empty, or the size is too small.";
  const short = cost.complete ? "" : " The book does not hold the whole size; this is all of it.";
  const slippage = cost.slippage === undefined ? "" : `, ${percent(cost.slippage)} from the best price`;
  return (
    `To ${side} ${amount(cost.volume.toString(), base)} now: ${amount(cost.value.toString(), quote)}, ` +
    `average ${amount(cost.averagePrice.toString(), quote)}${slippage}, fee ${amount(cost.fee.toString(), quote)}.${short}`
  );
}
