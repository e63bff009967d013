/**
 * Text of the venue, made safe to show as a quotation: one line, no invisible characters, at most 200 characters.
 *
 * Source: architecture.md#rule-10.
 */
import { visibleLine } from "../../contract/index.ts";

const TEXT_MAX = 200;
const FIELD_MAX = 100;
const URL_MAX = 2000;

/** @returns undefined when nothing readable is left. */
export function venueText(text: string): string | undefined {
  return visibleLine(text, TEXT_MAX);
}

/** The name of a field, or a list of them; undefined for anything that does not look like one. */
export function venueField(text: string): string | undefined {
  return text.length <= FIELD_MAX && /^[\w.[\]-]+(, ?[\w.[\]-]+)*$/.test(text) ? text : undefined;
}

/** A page that the user has to visit; undefined unless it is an http(s) address without credentials. */
export function venueUrl(text: string): string | undefined {
  if (text.length > URL_MAX || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return plain ? url.href : undefined;
}
