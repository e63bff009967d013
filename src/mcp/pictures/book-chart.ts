/**
 * Owns the picture of an order book: a row for each price, asks above bids, with a bar as long as what waits there. Entry point: `drawBook`.
 *
 * Import it dynamically, as `chart.ts` says. Volumes become binary numbers here because pixels are; what is written is the exchange's text.
 */
import { BarChart, type BarSeriesOption } from "echarts/charts";
import { GridComponent, type GridComponentOption, TitleComponent, type TitleComponentOption } from "echarts/components";
import { type ComposeOption, use } from "echarts/core";
import type { BookView } from "../../desk/index.ts";
import type { Words } from "../../words/index.ts";
import { amount, assetsOf } from "../text/amount-text.ts";
import { BLANK, headTitles, LINE, lookFor, pixels, render, smallTitle, TEXT } from "./chart.ts";
import { BOOK_ROWS, type Drawing } from "./drawing.ts";

use([BarChart, GridComponent, TitleComponent]);

export interface BookPicture {
  readonly book: Pick<BookView, "symbol" | "time" | "tick" | "mid" | "spread">;
  readonly environment: "sandbox" | "live";
  readonly words: Words;
}

type Option = ComposeOption<BarSeriesOption | GridComponentOption | TitleComponentOption>;

const PLOT = { left: 176, right: 150, top: 70, bottom: 12 };

interface Row {
  readonly price: string;
  readonly volume: string;
  readonly color: string;
}

const SPREAD: Row = { price: "", volume: "", color: TEXT };

export function drawBook({ book, environment, words }: BookPicture, systemFonts = true): Drawing {
  const { labels, colors } = lookFor(words, systemFonts);
  const { say } = labels;
  const { base, quote } = assetsOf(book.symbol);
  const rowsOf = (levels: BookView["tick"]["buys"], color: string): readonly Row[] =>
    levels.slice(0, BOOK_ROWS).map(([price, volume]) => ({ price, volume, color }));
  const asks = rowsOf(book.tick.asks, colors.down).toReversed();
  const bids = rowsOf(book.tick.buys, colors.up);
  // The empty row is the spread.
  const rows = [...asks, ...(bids.length === 0 ? [] : [SPREAD]), ...bids];
  const figure = book.mid === null ? "" : say("chart.mid", { price: amount(book.mid, quote) });
  const name = `${book.symbol} ${say("chart.book")} ${say(`money.${environment}`)}`;
  const spread = book.spread === null ? "" : say("chart.spread", { spread: amount(book.spread, quote) });
  const option: Option = {
    ...BLANK,
    title: [
      ...headTitles(24, name, figure, [labels.when(book.time), spread].filter((part) => part !== "").join(" · ")),
      ...(rows.length === 0 ? [smallTitle(24, 100, say("chart.no_orders"))] : []),
    ],
    grid: [PLOT],
    xAxis: [{ type: "value", show: false }],
    yAxis: [
      {
        type: "category",
        inverse: true,
        data: rows.map(({ price, color }) => ({
          value: price === "" ? "" : amount(price, quote),
          textStyle: { color },
        })),
        axisLine: { lineStyle: { color: LINE } },
        axisTick: { show: false },
        axisLabel: { fontSize: 16, interval: 0, margin: 12 },
      },
    ],
    series: [
      {
        type: "bar",
        silent: true,
        barWidth: "74%",
        barMinHeight: 2,
        label: { show: true, position: "right", color: TEXT, fontSize: 15 },
        data: rows.map(({ volume, color }) => ({
          value: volume === "" ? "-" : pixels(volume),
          itemStyle: { color, opacity: 0.75 },
          label: { formatter: volume === "" ? "" : amount(volume, base) },
        })),
      },
    ],
  };
  return { ...render(option, systemFonts), isTranslated: labels.locale !== words.locale };
}
