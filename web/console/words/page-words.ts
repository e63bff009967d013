/** Owns what the page says, in the reader's language: its own sentences, and the words for orders and money that all of hoga shares. */
import { koreanLack, type Locale, type Say, sayFrom, type Words, wordsFor } from "../../../src/words/index.ts";
import { EN } from "./en.ts";
import { KO } from "./ko.ts";

export const PAGE_CATALOGS: Readonly<Record<Locale, Readonly<Record<keyof typeof EN, string>>>> = { en: EN, ko: KO };

export interface PageWords {
  /** A sentence of the page's. */
  readonly say: Say<typeof EN>;
  /** What is said the same everywhere. */
  readonly shared: Words;
}

export function pageWords(locale: Locale, timeZone: string): PageWords {
  return {
    say: sayFrom<typeof EN>(PAGE_CATALOGS[locale]),
    shared: wordsFor({ locale, timeZone }, undefined, koreanLack),
  };
}
