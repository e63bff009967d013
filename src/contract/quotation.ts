/**
 * Owns how text of the venue is shown: as one visible line, capped, and in quotation marks where it stands in a sentence of ours.
 *
 * Source: architecture.md#rule-10.
 */

/** Control, format (zero-width, bidirectional, tags), line separators, lone surrogates, private use, and what fonts do not show. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]+/gu;

/** @returns one line of at most `max` characters; undefined when nothing readable is left. */
export function visibleLine(text: string, max: number): string | undefined {
  // A character is at most two units, so what lies beyond cannot matter; the cap keeps megabytes out of the regex.
  const line = text
    .slice(0, max * 8)
    .replace(INVISIBLE, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? undefined : Array.from(line).slice(0, max).join("");
}

/** For a sentence: `"비트코인"`. Names and ids are short, so 60 characters hold any real one. */
export function quoted(text: string, max = 60): string {
  return JSON.stringify(visibleLine(text, max) ?? "");
}
