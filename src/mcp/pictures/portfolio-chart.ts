/**
 * Owns the picture of a portfolio: what everything was worth day by day, and below it what it consists of now. Entry point: `drawPortfolio`.
 *
 * Import it dynamically, as `chart.ts` says. Amounts become binary numbers here because pixels are; no number leaves but as a pixel.
 */
import { BarChart, type BarSeriesOption, LineChart, type LineSeriesOption } from "echarts/charts";
import { GridComponent, type GridComponentOption, TitleComponent, type TitleComponentOption } from "echarts/components";
import { type ComposeOption, use } from "echarts/core";
import type { PortfolioAsset, PortfolioView } from "../../desk/index.ts";
import type { Words } from "../../words/index.ts";
import {
  BLANK,
  FAINT_LINE,
  FAINT_TEXT,
  headTitles,
  LABEL_SIZE,
  LINE,
  lookFor,
  pixels,
  render,
  smallTitle,
  WIDTH,
} from "./chart.ts";
import type { Drawing } from "./drawing.ts";

use([BarChart, GridComponent, LineChart, TitleComponent]);

export interface PortfolioPicture {
  readonly portfolio: Pick<PortfolioView, "assets" | "totals" | "equity" | "unit">;
  readonly environment: "sandbox" | "live";
  readonly words: Words;
}

type Option = ComposeOption<BarSeriesOption | GridComponentOption | LineSeriesOption | TitleComponentOption>;

const PLOT = { left: 24, right: 128 };
const EQUITY = { ...PLOT, top: 68, height: 276 };
const SHARES = { ...PLOT, top: 400, height: 34 };
/** The largest; what is left is one more. */
const SHARES_MAX = 7;
const COLORS = ["#0969da", "#16a37f", "#bf8700", "#8250df", "#cf222e", "#1b7c83", "#bc4c00", "#6e7781"];

export function drawPortfolio({ portfolio, environment, words }: PortfolioPicture, systemFonts = true): Drawing {
  const { equity = [], totals } = portfolio;
  const {
    labels,
    colors: { up },
  } = lookFor(words, systemFonts);
  const { say } = labels;
  const label = { color: FAINT_TEXT, fontSize: LABEL_SIZE };
  const shares = sharesOf(portfolio.assets, say("chart.others"));
  const days = say("chart.closes", { from: equity[0]?.date ?? "", to: equity.at(-1)?.date ?? "" });
  const name = say("chart.portfolio", { money: say(`money.${environment}`) });
  const option: Option = {
    ...BLANK,
    title: [
      ...headTitles(PLOT.left, name, labels.amount(whole(totals.value), portfolio.unit), days),
      smallTitle(PLOT.left, SHARES.top - 22, say("chart.allocation")),
      ...legend(shares),
    ],
    grid: [EQUITY, SHARES],
    xAxis: [
      {
        type: "category",
        // The line above says of which years.
        data: equity.map(({ date }) => date.slice(5)),
        axisLine: { lineStyle: { color: LINE } },
        axisLabel: { ...label, hideOverlap: true },
      },
      { type: "value", gridIndex: 1, max: 100, show: false },
    ],
    yAxis: [
      {
        type: "value",
        position: "right",
        scale: true,
        axisLabel: label,
        splitLine: { lineStyle: { color: FAINT_LINE } },
      },
      { type: "category", gridIndex: 1, data: [""], show: false },
    ],
    series: [
      {
        type: "line",
        silent: true,
        // One day alone has no line.
        showSymbol: equity.length === 1,
        lineStyle: { color: up, width: 2 },
        itemStyle: { color: up },
        areaStyle: { color: up, opacity: 0.12, origin: "start" },
        data: equity.map(({ value }) => pixels(value)),
      },
      ...shares.map(
        ({ percent }, index): BarSeriesOption => ({
          type: "bar",
          silent: true,
          stack: "shares",
          xAxisIndex: 1,
          yAxisIndex: 1,
          barWidth: SHARES.height,
          itemStyle: { color: COLORS[index] ?? LINE },
          data: [percent],
        }),
      ),
    ],
  };
  return { ...render(option, systemFonts), isTranslated: labels.locale !== words.locale };
}

interface Share {
  readonly name: string;
  readonly percent: number;
}

function sharesOf(assets: readonly PortfolioAsset[], others: string): readonly Share[] {
  const valued = assets
    .map(({ asset, value }) => ({ name: asset, value: value === null ? 0 : pixels(value) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
  const all = valued.reduce((sum, { value }) => sum + value, 0);
  const rest = valued.slice(SHARES_MAX).reduce((sum, { value }) => sum + value, 0);
  const shown = [...valued.slice(0, SHARES_MAX), ...(rest > 0 ? [{ name: others, value: rest }] : [])];
  return shown.map(({ name, value }) => ({ name, percent: (value / all) * 100 }));
}

/** Side by side, each in its colour. */
function legend(shares: readonly Share[]): TitleComponentOption[] {
  const width = (WIDTH - PLOT.left - 16) / (SHARES_MAX + 1);
  return shares.map(({ name, percent }, index) => {
    const title = smallTitle(PLOT.left + index * width, SHARES.top + 46, `${name.slice(0, 8)} ${percent.toFixed(1)}%`);
    return { ...title, textStyle: { ...title.textStyle, color: COLORS[index] ?? FAINT_TEXT } };
  });
}

/** In a headline the whole will do. */
function whole(text: string): string {
  return text.replace(/\..*$/, "");
}
