/**
 * Owns what a clock on the wall shows in a time zone, and when its days begin. A zone is an IANA name; undefined: the machine's.
 */
import type { LocalTime } from "../model/reports.ts";

export function localTime(atMs: number, timeZone: string | undefined): LocalTime {
  const offsetMs = offsetAt(atMs, timeZone);
  const shown = new Date(atMs + offsetMs).toISOString().slice(0, 19);
  const distance = new Date(Math.abs(offsetMs)).toISOString().slice(11, 16);
  return {
    utc: new Date(atMs).toISOString(),
    local: `${shown}${offsetMs < 0 ? "-" : "+"}${distance}`,
    timezone: timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** The first millisecond of the local day; `later` counts days on from it. */
export function startOfDay(atMs: number, timeZone: string | undefined, later = 0): number {
  const { year, month, day } = wallClock(atMs, timeZone);
  return instantOf(Date.UTC(year, month - 1, day + later), timeZone);
}

/** The first millisecond of the local year. */
export function startOfYear(atMs: number, timeZone: string | undefined): number {
  const { year } = wallClock(atMs, timeZone);
  return instantOf(Date.UTC(year, 0, 1), timeZone);
}

/** Clocks that are changed show by then what they show for the next weeks. */
const AROUND_MS = 36 * 3_600_000;

/**
 * The first moment at which clocks of the zone show this, or, where they are put past it, later: the end of what was left out.
 * @param shownMs what they show, as the moment at which those of UTC do
 */
export function instantOf(shownMs: number, timeZone: string | undefined): number {
  const shownAt = (ms: number): number => ms + offsetAt(ms, timeZone);
  const exact = [shownMs - AROUND_MS, shownMs + AROUND_MS]
    .map((near) => shownMs - offsetAt(near, timeZone))
    .filter((ms) => shownAt(ms) === shownMs);
  if (exact.length > 0) return Math.min(...exact);
  let [before, after] = [shownMs - AROUND_MS, shownMs + AROUND_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (shownAt(middle) < shownMs) before = middle;
    else after = middle;
  }
  return after;
}

function offsetAt(atMs: number, timeZone: string | undefined): number {
  const { year, month, day, hour, minute, second } = wallClock(atMs, timeZone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000;
}

type Wall = Readonly<Record<"year" | "month" | "day" | "hour" | "minute" | "second", number>>;

/** Keeps those of named zones, as making one takes a hundred times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function wallClock(atMs: number, timeZone: string | undefined): Wall {
  const format = (timeZone === undefined ? undefined : formats.get(timeZone)) ?? formatOf(timeZone);
  const parts = format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]); // not money: a clock
  return Object.fromEntries(parts) as Wall;
}

function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
    hourCycle: "h23",
    calendar: "gregory",
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  if (timeZone !== undefined) formats.set(timeZone, format);
  return format;
}
