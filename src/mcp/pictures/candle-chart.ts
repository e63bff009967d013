/**
 * Owns the picture of candles: a PNG with candlesticks, their volume below and local times. Entry point: `drawCandles`.
 *
 * Import it dynamically, as `chart.ts` says. Prices become binary numbers here because pixels are; no number leaves but as a pixel.
 */
import { BarChart, type BarSeriesOption, CandlestickChart, type CandlestickSeriesOption } from "echarts/charts";
import {
  GridComponent,
  type GridComponentOption,
  MarkLineComponent,
  type MarkLineComponentOption,
  TitleComponent,
  type TitleComponentOption,
} from "echarts/components";
import { type ComposeOption, use } from "echarts/core";
import type { Candle } from "../../contract/index.ts";
import type { Words } from "../../words/index.ts";
import { amount, assetsOf } from "../text/amount-text.ts";
import {
  BLANK,
  type Colors,
  FAINT_LINE,
  FAINT_TEXT,
  headTitles,
  LABEL_SIZE,
  LINE,
  type Look,
  lookFor,
  pixels,
  render,
  smallTitle,
  WHITE,
} from "./chart.ts";
import type { Drawing } from "./drawing.ts";

use([BarChart, CandlestickChart, GridComponent, MarkLineComponent, TitleComponent]);

export interface CandlePicture {
  readonly symbol: string;
  readonly interval: string;
  readonly environment: "sandbox" | "live";
  /** Oldest first, at least one. */
  readonly candles: readonly Candle[];
  readonly words: Words;
}

type Option = ComposeOption<
  BarSeriesOption | CandlestickSeriesOption | GridComponentOption | MarkLineComponentOption | TitleComponentOption
>;

const PLOT = { left: 24, right: 128 };
const PRICES = { ...PLOT, top: 68, height: 274 };
const VOLUMES = { ...PLOT, top: 376, height: 74 };

/** Cut a time as it is shown: up to its minutes, and from its zone on. */
const [MINUTES, ZONE] = [16, 20];

/** Wide enough for any price in won. */
const TAG = { width: 106, padding: [4, 5] };

export function drawCandles(picture: CandlePicture, systemFonts = true): Drawing {
  const look = lookFor(picture.words, systemFonts);
  const drawing = render(optionOf(picture, look), systemFonts);
  return { ...drawing, isTranslated: look.labels.locale !== picture.words.locale };
}

function optionOf(picture: CandlePicture, look: Look): Option {
  const { interval, candles } = picture;
  const { colors, labels } = look;
  const times = candles.map(({ time }) => timeLabel(time, interval, labels));
  const label = { color: FAINT_TEXT, fontSize: LABEL_SIZE };
  const axis = { type: "category", data: times, axisLine: { lineStyle: { color: LINE } } } as const;
  const scale = { type: "value", position: "right", splitLine: { lineStyle: { color: FAINT_LINE } } } as const;
  return {
    ...BLANK,
    title: titles(picture, labels),
    grid: [PRICES, VOLUMES],
    xAxis: [
      { ...axis, gridIndex: 0, axisLabel: { show: false }, axisTick: { show: false } },
      { ...axis, gridIndex: 1, axisLabel: { ...label, lineHeight: 17, hideOverlap: true } },
    ],
    yAxis: [
      { ...scale, gridIndex: 0, scale: true, axisLabel: label },
      { ...scale, gridIndex: 1, splitNumber: 2, axisLabel: label },
    ],
    series: [priceSeries(picture, colors), volumeSeries(candles, colors)],
  };
}

function titles(
  { symbol, interval, environment, candles }: CandlePicture,
  { say, when, amount: said }: Words,
): TitleComponentOption[] {
  const { base, quote } = assetsOf(symbol);
  const [first, last] = [candles[0], candles.at(-1)];
  const price = last === undefined ? "" : say("chart.last", { price: said(last.close, quote) });
  const [from = "", to = ""] = [first, last].map((candle) => (candle === undefined ? "" : when(candle.time)));
  const period = say("chart.period", { from: from.slice(0, MINUTES), to: to.slice(0, MINUTES), zone: to.slice(ZONE) });
  return [
    ...headTitles(PLOT.left, `${symbol} ${interval} ${say(`money.${environment}`)}`, price, period),
    smallTitle(PLOT.left, VOLUMES.top - 18, say("chart.volume", { asset: base })),
  ];
}

function priceSeries({ symbol, candles }: CandlePicture, { up, down }: Colors): CandlestickSeriesOption {
  const last = candles.at(-1);
  const lastPrice = last === undefined ? "" : amount(last.close, assetsOf(symbol).quote);
  const color = last === undefined || isUp(last) ? up : down;
  return {
    type: "candlestick",
    silent: true,
    barMaxWidth: 18,
    // A candle that did not move counts as up, as in `isUp`.
    itemStyle: { color: up, borderColor: up, borderColorDoji: up, color0: down, borderColor0: down },
    data: candles.map(({ open, close, low, high }) => [open, close, low, high].map(pixels)),
    markLine: {
      symbol: "none",
      silent: true,
      lineStyle: { color, type: "dashed", width: 1 },
      label: { formatter: lastPrice, backgroundColor: color, color: WHITE, fontSize: LABEL_SIZE, ...TAG },
      data: last === undefined ? [] : [{ yAxis: pixels(last.close) }],
    },
  };
}

function volumeSeries(candles: readonly Candle[], { up, down }: Colors): BarSeriesOption {
  return {
    type: "bar",
    silent: true,
    xAxisIndex: 1,
    yAxisIndex: 1,
    barMaxWidth: 18,
    data: candles.map((candle) => ({
      value: pixels(candle.volume),
      itemStyle: { color: isUp(candle) ? up : down, opacity: 0.6 },
    })),
  };
}

function isUp({ open, close }: Candle): boolean {
  return pixels(close) >= pixels(open);
}

/** The day, and below it the time where a candle is shorter than a day. A day of the exchange is one of UTC, wherever it is looked at. */
function timeLabel(iso: string, interval: string, { when }: Words): string {
  if (interval === "1d") return iso.slice(0, 10);
  const local = when(iso);
  return `${local.slice(5, 10)}\n${local.slice(11, 16)}`;
}
