/** Owns what a picture is drawn from, as plain data that goes to another thread. */
import type { Reader } from "../../words/index.ts";
import type { BookPicture } from "./book-chart.ts";
import type { CandlePicture } from "./candle-chart.ts";
import type { PortfolioPicture } from "./portfolio-chart.ts";

type Plain<Picture> = Omit<Picture, "words">;

/** Describes one picture, with all that is seen of it and no more: two that are equal look the same. */
export type PictureRequest = { readonly reader: Reader } & (
  | { readonly kind: "book"; readonly of: Plain<BookPicture> }
  | { readonly kind: "candles"; readonly of: Plain<CandlePicture> }
  | { readonly kind: "portfolio"; readonly of: Plain<PortfolioPicture> }
);

/** Makes it fit to go to another thread. */
export function readerOf({ locale, timeZone }: Reader): Reader {
  return { locale, timeZone };
}
