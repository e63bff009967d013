/**
 * Owns what all pictures have in common: size, colours, fonts, and the way from a chart to a PNG. Entry point: `render`.
 *
 * Slow to load and needs a native addon: only the charts import it, and those only the thread that draws. It draws there and then: the
 * threads that Node keeps for files are the same ones for the whole process, and a halt writes a file.
 */
import { Resvg } from "@resvg/resvg-js";
import type { TitleComponentOption } from "echarts/components";
import { type EChartsCoreOption, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { type Words, wordsFor } from "../../words/index.ts";
import type { Drawing } from "./drawing.ts";

use([SVGRenderer]);

export const WIDTH = 900;
const HEIGHT = 500;
/** Rows of pixels, from the top, that hold nothing but text. */
const TEXT_ROWS = 48;

/** resvg's word for "no blurred edges", which also keeps the file small. */
const CRISP = 1;
export const WHITE = "#ffffff";
export const TEXT = "#24292f";
export const FAINT_TEXT = "#57606a";
export const LINE = "#d0d7de";
export const FAINT_LINE = "#eef1f4";
/** Sizes what is not a headline: 10 pixels where a chat shows a picture at a width of 640. */
export const LABEL_SIZE = 14;
/** In Korea what rises is red and what falls is blue. */
const COLORS = {
  en: { up: "#16a37f", down: "#e5484d" },
  ko: { up: "#d24f45", down: "#1261c4" },
} as const;
const FONTS =
  "DejaVu Sans, Liberation Sans, Noto Sans, Arial, Helvetica, Noto Sans CJK KR, Noto Sans KR, NanumGothic, Malgun Gothic, Apple SD Gothic Neo, sans-serif";

export type Colors = (typeof COLORS)[keyof typeof COLORS];

export interface Look {
  readonly colors: Colors;
  /** In English where no font here has Korean letters: boxes say nothing. */
  readonly labels: Words;
}

export function lookFor(words: Words, systemFonts: boolean): Look {
  const colors = COLORS[words.locale];
  if (words.locale === "en" || hasHangul(systemFonts)) return { colors, labels: words };
  return { colors, labels: wordsFor({ ...words, locale: "en" }) };
}

let knowsHangul: boolean | undefined;

/** Tells whether two letters look different: without a font both are the same box, or nothing. */
function hasHangul(systemFonts: boolean): boolean {
  const probe = (): boolean => {
    const [one, other] = ["가", "힣"].map((letter) => {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><text x="4" y="30" font-size="24" font-family="${FONTS}">${letter}</text></svg>`;
      return new Resvg(svg, { font: { loadSystemFonts: systemFonts }, background: WHITE }).render();
    });
    return one !== undefined && other !== undefined && !one.pixels.equals(other.pixels);
  };
  if (!systemFonts) return probe();
  knowsHangul ??= probe();
  return knowsHangul;
}

/** Begins every chart. */
export const BLANK = { animation: false, backgroundColor: WHITE, textStyle: { fontFamily: FONTS } } as const;

/** `systemFonts` is false only to see what a machine without fonts gets. */
export function render(option: EChartsCoreOption, systemFonts: boolean): Drawing {
  const image = new Resvg(svgOf(option), {
    font: { loadSystemFonts: systemFonts },
    background: WHITE,
    shapeRendering: CRISP,
  }).render();
  const labeled = image.pixels.subarray(0, WIDTH * TEXT_ROWS * 4).some((channel) => channel !== 255);
  return { png: image.asPng(), labeled };
}

function svgOf(option: EChartsCoreOption): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  try {
    chart.setOption(option);
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

const BOLD = { color: TEXT, fontSize: 20, fontWeight: "bold" } as const;
const FAINT = { color: FAINT_TEXT, fontSize: LABEL_SIZE, fontWeight: "normal" } as const;

/** Anchored by SVG itself: without a browser echarts only guesses how wide a text is, and would cut a price off. */
export function headTitles(left: number, name: string, figure: string, period: string): TitleComponentOption[] {
  const head = { top: 8, padding: 0 };
  return [
    { ...head, text: name, left, textStyle: BOLD },
    { ...head, text: figure, left: WIDTH - 16, textAlign: "right", textStyle: BOLD },
    smallTitle(left, 35, period),
  ];
}

export function smallTitle(left: number, top: number, text: string): TitleComponentOption {
  return { padding: 0, text, left, top, textStyle: FAINT };
}

export function pixels(decimal: string): number {
  return Number(decimal); // not money: a picture
}
