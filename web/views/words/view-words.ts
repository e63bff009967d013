/** Owns what the views say, in the reader's language: their own sentences, and the words for orders and money that all of hoga shares. */
import { koreanLack, type Locale, type Say, sayFrom, type Words, wordsFor } from "../../../src/words/index.ts";
import { EN } from "./en.ts";
import { KO } from "./ko.ts";

export const VIEW_CATALOGS: Readonly<Record<Locale, Readonly<Record<keyof typeof EN, string>>>> = { en: EN, ko: KO };

export interface ViewWords {
  /** A sentence of the views'. */
  readonly say: Say<typeof EN>;
  /** What is said the same everywhere. */
  readonly shared: Words;
}

export function viewWords(locale: Locale, timeZone: string): ViewWords {
  return {
    say: sayFrom<typeof EN>(VIEW_CATALOGS[locale]),
    shared: wordsFor({ locale, timeZone }, undefined, koreanLack),
  };
}
