/**
 * Owns how wide the figures of the market that is looked at are, in digits, by which its columns are laid out.
 *
 * Invariant: what was once wider keeps its room until another market is looked at, so that a column does not come and go with each figure.
 */
import { computed, type ReadonlySignal } from "@preact/signals";

export interface FigureWidths {
  readonly time: number;
  /** In the book and among the trades, so that they look alike. */
  readonly price: number;
  readonly asked: number;
  readonly traded: number;
}

type Texts = Readonly<Record<keyof FigureWidths, readonly string[]>>;

const NONE: FigureWidths = { time: 0, price: 0, asked: 0, traded: 0 };

/** What separates digits is at most six tenths as wide, in the fonts of all systems. */
const widthOf = (text: string): number => text.length - 0.4 * text.replace(/[^.,:]/g, "").length;

/** @param texts as they are shown now */
export function figureWidths(symbol: ReadonlySignal<string>, texts: () => Texts): ReadonlySignal<FigureWidths> {
  let of = "";
  let widest = NONE;
  return computed(() => {
    if (of !== symbol.value) widest = NONE;
    of = symbol.value;
    const shown = texts();
    const grown = (name: keyof FigureWidths): number => Math.max(widest[name], ...shown[name].map(widthOf));
    const now = { time: grown("time"), price: grown("price"), asked: grown("asked"), traded: grown("traded") };
    const hasGrown = (Object.keys(now) as (keyof FigureWidths)[]).some((name) => now[name] > widest[name]);
    // The same object where nothing has grown: nothing is drawn for it.
    if (hasGrown) widest = now;
    return widest;
  });
}
