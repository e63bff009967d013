/**
 * Owns the pictures of prices and of equity, drawn by lightweight-charts. Loaded when the first is looked at.
 *
 * Invariants: the figures of a picture decide nothing; its times are shifted by the distance of the session's zone, as the library
 * knows UTC alone.
 */
import {
  AreaSeries,
  type AutoscaleInfo,
  CandlestickSeries,
  ColorType,
  createChart,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineStyle,
  type UTCTimestamp,
} from "lightweight-charts";
import type { ConsoleCandles, ConsolePortfolio } from "../../../src/serve/console/console-api.ts";
import { amount } from "../../../src/words/index.ts";
import { drawn, valueText } from "../figures.ts";

export type Candles = ConsoleCandles["candles"];
/** A price that a plan waits for, as a line. */
export interface DrawnLevel {
  readonly price: string;
  readonly label: string;
  readonly tone: "up" | "down" | "accent" | "text";
}
/** What a picture of a market shows. */
export interface MarketPicture {
  readonly candles: Candles;
  readonly levels: readonly DrawnLevel[];
}
type Equity = NonNullable<ConsolePortfolio["equity"]>;
/** Milliseconds at which a time of the exchange stands on the clock of the session. */
export type Shift = (time: string) => number;

export interface Picture<Data> {
  show(data: Data): void;
  /** After the theme or the language has changed. */
  recolor(): void;
  remove(): void;
}

function colors(): { text: string; line: string; up: string; down: string; accent: string } {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return { text: of("text-2"), line: of("line"), up: of("up"), down: of("down"), accent: of("accent") };
}

function chartIn(host: HTMLElement, priceText: (price: number) => string): IChartApi {
  return createChart(host, {
    autoSize: true,
    layout: {
      attributionLogo: false,
      background: { type: ColorType.Solid, color: "transparent" },
      fontFamily: getComputedStyle(host).fontFamily,
      fontSize: 11,
    },
    localization: { priceFormatter: priceText, dateFormat: "yyyy-MM-dd" },
    rightPriceScale: { borderVisible: false },
    timeScale: { borderVisible: false, timeVisible: true, secondsVisible: false },
    handleScroll: { vertTouchDrag: false },
  });
}

/** A line further off than this many heights of the candles would leave them none: it is said beside the picture. */
const REACH = 1;

/** The lines of plans over the candles, which make room for those that are near. */
class LevelLines {
  readonly #prices: ISeriesApi<"Candlestick">;
  #lines: readonly IPriceLine[] = [];
  #shown: readonly DrawnLevel[] = [];

  constructor(prices: ISeriesApi<"Candlestick">) {
    this.#prices = prices;
    prices.applyOptions({
      autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => this.#widened(original()),
    });
  }

  show(levels: readonly DrawnLevel[]): void {
    for (const line of this.#lines) this.#prices.removePriceLine(line);
    const found = colors();
    this.#shown = levels;
    this.#lines = levels.map(({ price, label, tone }) =>
      this.#prices.createPriceLine({
        ...{ price: drawn(price), title: label, color: found[tone] },
        ...{ lineWidth: 1, lineStyle: LineStyle.Dashed, axisLabelVisible: true },
      }),
    );
  }

  #widened(info: AutoscaleInfo | null): AutoscaleInfo | null {
    if (info === null || info.priceRange === null) return info;
    const { minValue, maxValue } = info.priceRange;
    const reach = (maxValue - minValue) * REACH;
    const near = this.#shown
      .map(({ price }) => drawn(price))
      .filter((price) => price >= minValue - reach && price <= maxValue + reach);
    return {
      ...info,
      priceRange: { minValue: Math.min(minValue, ...near), maxValue: Math.max(maxValue, ...near) },
    };
  }
}

function paint(chart: IChartApi): ReturnType<typeof colors> {
  const found = colors();
  const lines = { color: found.line };
  chart.applyOptions({ layout: { textColor: found.text }, grid: { vertLines: lines, horzLines: lines } });
  return found;
}

/** @param decimals of the market's prices */
export function candlePicture(host: HTMLElement, decimals: number, shift: Shift): Picture<MarketPicture> {
  const priceText = (price: number): string => amount(price.toFixed(decimals), "");
  const chart = chartIn(host, priceText);
  const prices = chart.addSeries(CandlestickSeries, {
    borderVisible: false,
    priceLineVisible: true,
    // Its scale goes by such steps: by whole hundredths, as it would, there is none of a coin for less.
    priceFormat: { type: "custom", formatter: priceText, minMove: 10 ** -decimals },
  });
  const volumes = chart.addSeries(HistogramSeries, {
    priceScaleId: "",
    lastValueVisible: false,
    priceLineVisible: false,
  });
  prices.priceScale().applyOptions({ scaleMargins: { top: 0.06, bottom: 0.24 } });
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  const lines = new LevelLines(prices);
  let shown: MarketPicture = { candles: [], levels: [] };
  let first: string | undefined;
  const show = (picture: MarketPicture): void => {
    const { candles, levels } = picture;
    if (levels !== shown.levels) lines.show(levels);
    shown = picture;
    const { up, down } = colors();
    const at = ({ time }: Candles[number]): UTCTimestamp => (shift(time) / 1_000) as UTCTimestamp;
    prices.setData(
      candles.map((candle) => ({
        time: at(candle),
        open: drawn(candle.open),
        high: drawn(candle.high),
        low: drawn(candle.low),
        close: drawn(candle.close),
      })),
    );
    volumes.setData(
      candles.map((candle) => {
        const rises = drawn(candle.close) >= drawn(candle.open);
        return { time: at(candle), value: drawn(candle.volume), color: `${rises ? up : down}55` };
      }),
    );
    // Whoever looks at a part of it goes on looking at that part.
    if (candles[0]?.time !== first) {
      first = candles[0]?.time;
      chart.timeScale().setVisibleLogicalRange({ from: Math.max(-2, candles.length - 90), to: candles.length + 3 });
    }
  };
  const recolor = (): void => {
    const { up, down } = paint(chart);
    prices.applyOptions({ upColor: up, wickUpColor: up, downColor: down, wickDownColor: down });
    lines.show(shown.levels);
    show(shown);
  };
  recolor();
  return { show, recolor, remove: () => chart.remove() };
}

export function equityPicture(host: HTMLElement, unit: string): Picture<Equity> {
  const chart = chartIn(host, (value) => valueText(value.toFixed(2), unit));
  chart.applyOptions({ timeScale: { timeVisible: false } });
  const line = chart.addSeries(AreaSeries, { lineWidth: 2, priceLineVisible: false });
  const show = (equity: Equity): void => {
    line.setData(equity.map(({ date, value }) => ({ time: date, value: drawn(value) })));
    chart.timeScale().fitContent();
  };
  const recolor = (): void => {
    const { accent } = paint(chart);
    line.applyOptions({ lineColor: accent, topColor: `${accent}44`, bottomColor: `${accent}05` });
  };
  recolor();
  return { show, recolor, remove: () => chart.remove() };
}
