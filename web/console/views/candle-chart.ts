/**
 * Owns the pictures of prices and of equity, drawn by lightweight-charts. Loaded when the first is looked at.
 *
 * Invariants: the figures of a picture decide nothing; its times are shifted by the distance of the session's zone, as the library
 * knows UTC alone.
 */
import {
  AreaSeries,
  CandlestickSeries,
  ColorType,
  createChart,
  HistogramSeries,
  type IChartApi,
  type UTCTimestamp,
} from "lightweight-charts";
import type { ConsoleCandles, ConsolePortfolio } from "../../../src/serve/console/console-api.ts";
import { amount } from "../../../src/words/index.ts";
import { drawn, valueText } from "../figures.ts";

export type Candles = ConsoleCandles["candles"];
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

function paint(chart: IChartApi): ReturnType<typeof colors> {
  const found = colors();
  const lines = { color: found.line };
  chart.applyOptions({ layout: { textColor: found.text }, grid: { vertLines: lines, horzLines: lines } });
  return found;
}

/** @param decimals of the market's prices */
export function candlePicture(host: HTMLElement, decimals: number, shift: Shift): Picture<Candles> {
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
  let shown: Candles = [];
  let first: string | undefined;
  const show = (candles: Candles): void => {
    shown = candles;
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
