/**
 * Owns how words of others stand in a sentence of ours: in quotation marks, on one line, capped, and with everything that is not seen written
 * out, so that nothing of them hides, turns the line round or talks to a terminal. Entry points: `quoted`, and `INVISIBLE` for who cleans text.
 *
 * Here, as errors about a decimal quote it too, and nothing lies below.
 *
 * Source: architecture.md#rule-10; decision 0069.
 */

/** Control, format (zero-width, bidirectional, tags), line separators, lone surrogates, private use, and what fonts do not show. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]+/gu;

/** `"비트코인"`, `"BTC\u200b"`. Names and ids are short, so 60 characters hold any real one. */
export function quoted(text: string, max = 60): string {
  // A character is at most two units.
  const shown = Array.from(text.slice(0, max * 2))
    .slice(0, max)
    .join("");
  return JSON.stringify(shown).replace(INVISIBLE, escaped);
}

function escaped(hidden: string): string {
  return Array.from({ length: hidden.length }, (_, at) => hidden.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}
