/**
 * Owns the picture of candles: a PNG with candlesticks, their volume below and UTC times. Entry point: `drawCandles`.
 *
 * Slow to load and needs a native addon: import it dynamically, when a picture is asked for. Prices become binary numbers here
 * because pixels are; no number leaves but as a pixel.
 */
import { renderAsync } from "@resvg/resvg-js";
import { BarChart, type BarSeriesOption, CandlestickChart, type CandlestickSeriesOption } from "echarts/charts";
import {
  GridComponent,
  type GridComponentOption,
  MarkLineComponent,
  type MarkLineComponentOption,
  TitleComponent,
  type TitleComponentOption,
} from "echarts/components";
import { type ComposeOption, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { Candle } from "../contract/index.ts";
import { amount, assetsOf, when } from "./amount-text.ts";

use([BarChart, CandlestickChart, GridComponent, MarkLineComponent, SVGRenderer, TitleComponent]);

export interface CandlePicture {
  readonly symbol: string;
  readonly interval: string;
  /** `[sandbox]` or `[LIVE]`. */
  readonly badge: string;
  /** Oldest first, at least one. */
  readonly candles: readonly Candle[];
}

export interface DrawnCandles {
  readonly png: Buffer;
  /** False where the machine has no font: text is then missing, everything else is there. */
  readonly labeled: boolean;
}

type Option = ComposeOption<
  BarSeriesOption | CandlestickSeriesOption | GridComponentOption | MarkLineComponentOption | TitleComponentOption
>;

const WIDTH = 900;
const HEIGHT = 500;
/** Rows of pixels, from the top, that hold nothing but text. */
const TEXT_ROWS = 48;

const PLOT = { left: 24, right: 116 };
const PRICES = { ...PLOT, top: 62, height: 284 };
const VOLUMES = { ...PLOT, top: 376, height: 74 };

/** resvg's word for "no blurred edges", which also keeps the file small. */
const CRISP = 1;
const WHITE = "#ffffff";
const TEXT = "#24292f";
const FAINT_TEXT = "#57606a";
const LINE = "#d0d7de";
const FAINT_LINE = "#eef1f4";
const UP = "#16a37f";
const DOWN = "#e5484d";
/** Wide enough for any price in won. */
const TAG = { width: 90, padding: [4, 5] };
const FONTS = "DejaVu Sans, Liberation Sans, Noto Sans, Arial, Helvetica, sans-serif";

/** `systemFonts` is false only to see what a machine without fonts gets. */
export async function drawCandles(picture: CandlePicture, systemFonts = true): Promise<DrawnCandles> {
  const image = await renderAsync(svgOf(picture), {
    font: { loadSystemFonts: systemFonts },
    background: WHITE,
    shapeRendering: CRISP,
  });
  const labeled = image.pixels.subarray(0, WIDTH * TEXT_ROWS * 4).some((channel) => channel !== 255);
  return { png: image.asPng(), labeled };
}

function svgOf(picture: CandlePicture): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  try {
    chart.setOption(optionOf(picture));
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

function optionOf(picture: CandlePicture): Option {
  const { interval, candles } = picture;
  const times = candles.map(({ time }) => timeLabel(time, interval));
  const label = { color: FAINT_TEXT, fontSize: 12 };
  const axis = { type: "category", data: times, axisLine: { lineStyle: { color: LINE } } } as const;
  const scale = { type: "value", position: "right", splitLine: { lineStyle: { color: FAINT_LINE } } } as const;
  return {
    animation: false,
    backgroundColor: WHITE,
    textStyle: { fontFamily: FONTS },
    title: titles(picture),
    grid: [PRICES, VOLUMES],
    xAxis: [
      { ...axis, gridIndex: 0, axisLabel: { show: false }, axisTick: { show: false } },
      { ...axis, gridIndex: 1, axisLabel: { ...label, lineHeight: 15, hideOverlap: true } },
    ],
    yAxis: [
      { ...scale, gridIndex: 0, scale: true, axisLabel: label },
      { ...scale, gridIndex: 1, splitNumber: 2, axisLabel: label },
    ],
    series: [priceSeries(picture), volumeSeries(candles)],
  };
}

/** Anchored by SVG itself: without a browser echarts only guesses how wide a text is, and would cut a price off. */
function titles({ symbol, interval, badge, candles }: CandlePicture): TitleComponentOption[] {
  const { base, quote } = assetsOf(symbol);
  const [first, last] = [candles[0], candles.at(-1)];
  const price = last === undefined ? "" : `last ${amount(last.close, quote)}`;
  const period = [first, last].map((candle) => (candle === undefined ? "" : when(candle.time).slice(0, 16)));
  const bold = { color: TEXT, fontSize: 17, fontWeight: "bold" } as const;
  const faint = { color: FAINT_TEXT, fontSize: 12, fontWeight: "normal" } as const;
  const head = { top: 8, padding: 0 };
  return [
    { ...head, text: `${symbol} ${interval} ${badge}`, left: PLOT.left, textStyle: bold },
    { ...head, text: price, left: WIDTH - 16, textAlign: "right", textStyle: bold },
    { ...head, text: `${period.join(" to ")} UTC`, left: PLOT.left, top: 31, textStyle: faint },
    { ...head, text: `Volume, ${base}`, left: PLOT.left, top: VOLUMES.top - 18, textStyle: faint },
  ];
}

function priceSeries({ symbol, candles }: CandlePicture): CandlestickSeriesOption {
  const last = candles.at(-1);
  const lastPrice = last === undefined ? "" : amount(last.close, assetsOf(symbol).quote);
  const color = last === undefined || isUp(last) ? UP : DOWN;
  return {
    type: "candlestick",
    silent: true,
    barMaxWidth: 18,
    // A candle that did not move counts as up, as in `isUp`.
    itemStyle: { color: UP, borderColor: UP, borderColorDoji: UP, color0: DOWN, borderColor0: DOWN },
    data: candles.map(({ open, close, low, high }) => [open, close, low, high].map(pixels)),
    markLine: {
      symbol: "none",
      silent: true,
      lineStyle: { color, type: "dashed", width: 1 },
      label: { formatter: lastPrice, backgroundColor: color, color: WHITE, fontSize: 12, ...TAG },
      data: last === undefined ? [] : [{ yAxis: pixels(last.close) }],
    },
  };
}

function volumeSeries(candles: readonly Candle[]): BarSeriesOption {
  return {
    type: "bar",
    silent: true,
    xAxisIndex: 1,
    yAxisIndex: 1,
    barMaxWidth: 18,
    data: candles.map((candle) => ({
      value: pixels(candle.volume),
      itemStyle: { color: isUp(candle) ? UP : DOWN, opacity: 0.6 },
    })),
  };
}

function isUp({ open, close }: Candle): boolean {
  return pixels(close) >= pixels(open);
}

function pixels(decimal: string): number {
  return Number(decimal); // not money: a picture
}

/** The day, and below it the time where a candle is shorter than a day. */
function timeLabel(iso: string, interval: string): string {
  return interval === "1d" ? iso.slice(0, 10) : `${iso.slice(5, 10)}\n${iso.slice(11, 16)}`;
}
