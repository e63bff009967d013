/** Times of the exchanges of Korea, which write them in its time, with its offset or without. */
import type { Millis } from "../model/index.ts";

const KST_AHEAD_MS: Millis = 9 * 3_600_000;

/** `2026-01-01T00:00:00+09:00`. */
export function kstText(at: Millis): string {
  return `${kstDateTime(at)}+09:00`;
}

/** `2026-01-01T00:00:00.597000+09:00`, as the trades of an order have it. */
export function fineKstText(at: Millis): string {
  return `${new Date(at + KST_AHEAD_MS).toISOString().slice(0, 23)}000+09:00`;
}

/** `2026-01-01T00:00:00`. */
export function kstDateTime(at: Millis): string {
  return utcDateTime(at + KST_AHEAD_MS);
}

/** `2026-01-01T00:00:00`. */
export function utcDateTime(at: Millis): string {
  return new Date(at).toISOString().slice(0, 19);
}

/** `["20260101", "090000"]`. */
export function compactDateTime(dateTime: string): readonly [date: string, time: string] {
  const [date = "", time = ""] = dateTime.split("T");
  return [date.replaceAll("-", ""), time.replaceAll(":", "")];
}

const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})?$/;

/** Unix milliseconds or ISO 8601; a time without offset is UTC. @returns undefined for another text */
export function timeOf(text: string): Millis | undefined {
  if (/^\d{13}$/.test(text)) return Number(text); // not money: Unix milliseconds
  const [, date, time, fraction = "", offset = "Z"] = ISO.exec(text) ?? [];
  if (date === undefined) return undefined;
  const at = Date.parse(`${date}T${time}${fraction.slice(0, 4)}${offset}`);
  return Number.isNaN(at) ? undefined : at;
}
