/** Owns what drawing comes to: a picture, or why there is none. */

export interface Drawing {
  readonly png: Buffer;
  /** False where the machine has no font: text is then missing, everything else is there. */
  readonly labeled: boolean;
  /** True where its labels are in English though the person reads Korean, for want of a font. */
  readonly isTranslated?: boolean;
}

/** Why there is none, in words for whoever asked. */
export class PictureError extends Error {}

/** Prices a side in the picture of a book: more could not be read at the width of a chat. */
export const BOOK_ROWS = 9;
