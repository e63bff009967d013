/**
 * Words from the venue, made safe to show as a quotation: one line, no invisible characters, at most 200 characters.
 *
 * Source: architecture rule 10.
 */

const TEXT_MAX = 200;
const FIELD_MAX = 100;
const URL_MAX = 2000;

/** Control, format (zero-width, bidirectional, tags), line separators, lone surrogates, private use, and all that fonts skip. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]+/gu;

/** @returns undefined when nothing readable is left. */
export function venueText(text: string, max = TEXT_MAX): string | undefined {
  // A character is at most two units, so what lies beyond cannot matter; the cap keeps megabytes out of the regex.
  const line = text
    .slice(0, max * 8)
    .replace(INVISIBLE, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? undefined : Array.from(line).slice(0, max).join("");
}

/** The name of a field, or a list of them; undefined for anything that does not look like one. */
export function venueField(text: string): string | undefined {
  return text.length <= FIELD_MAX && /^[\w.[\]-]+(, ?[\w.[\]-]+)*$/.test(text) ? text : undefined;
}

/** A page the user has to visit; undefined unless it is an http(s) address without a login in it. */
export function venueUrl(text: string): string | undefined {
  if (text.length > URL_MAX || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return plain ? url.href : undefined;
}
