/** Owns the words of whoever has room for all of them: all but the view in a chat, whose page is bounded. */
import { koreanDenial } from "./denial-words.ts";
import type { Reader } from "./locale.ts";
import { type Words, wordsWith } from "./words.ts";

/** Reads where nobody has said who does. */
const ANYBODY: Reader = { locale: "en", timeZone: "UTC" };

export function wordsFor(reader: Reader = ANYBODY): Words {
  return wordsWith(reader, koreanDenial);
}
