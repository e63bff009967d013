/**
 * A calendar of turns: which local dates have one, and at which moment each is due.
 *
 * Invariants: a turn is its local date, so a date has one at most, whatever is done to clocks; on a date that leaves the time out it is due at the end
 * of the gap, and a date that a zone leaves out has none; a day that a month lacks is its last.
 *
 * Source: decision 0099.
 */
import { instantOf, localTime } from "../../core/local-time.ts";

export interface Schedule {
  readonly hour: number;
  readonly minute: number;
  readonly days:
    | { readonly every: "day" }
    /** 0 is Sunday. */
    | { readonly every: "week"; readonly weekdays: readonly number[] }
    /** 31 is the last day of any month. */
    | { readonly every: "month"; readonly days: readonly number[] };
}

export interface Turn {
  /** The local date: `2026-03-08`. */
  readonly label: string;
  /** Unix milliseconds. */
  readonly dueAtMs: number;
}

/** Turns of one plan. */
export const TURNS_MAX = 366;

const DAY_MS = 86_400_000;
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const LAST = 31;
const WRITTEN = /^(daily|weekly|monthly)(?: ([a-z0-9,]+))? ([01]\d|2[0-3]):([0-5]\d)$/;

/** @returns undefined for what is not written as "daily 09:00", "weekly mon,thu 09:00", "monthly 1,15 09:00" or "monthly last 09:00" */
export function parseSchedule(text: string): Schedule | undefined {
  const [, every, list, hour, minute] = WRITTEN.exec(text) ?? [];
  const time = { hour: Number(hour), minute: Number(minute) }; // not money: a time of day
  if (every === "daily") return list === undefined ? { ...time, days: { every: "day" } } : undefined;
  const names = list?.split(",") ?? [];
  const numbers = names.map(every === "weekly" ? weekday : dayOfMonth);
  const days = [...new Set(numbers.filter((day) => day !== undefined))].sort((a, b) => a - b);
  if (every === undefined || names.length === 0 || days.length !== names.length) return undefined;
  return { ...time, days: every === "weekly" ? { every: "week", weekdays: days } : { every: "month", days } };
}

function weekday(name: string): number | undefined {
  const day = WEEKDAYS.indexOf(name);
  return day < 0 ? undefined : day;
}

function dayOfMonth(name: string): number | undefined {
  if (name === "last") return LAST;
  return /^([1-9]|[12]\d|3[01])$/.test(name) ? Number(name) : undefined; // not money: a day
}

/** As `parseSchedule` reads it. */
export function scheduleText({ hour, minute, days }: Schedule): string {
  const time = [hour, minute].map((part) => String(part).padStart(2, "0")).join(":");
  if (days.every === "day") return `daily ${time}`;
  if (days.every === "week") return `weekly ${days.weekdays.map((day) => WEEKDAYS[day]).join(",")} ${time}`;
  return `monthly ${days.days.map((day) => (day === LAST ? "last" : day)).join(",")} ${time}`;
}

/**
 * The turns after a moment and until another, the earliest first, `TURNS_MAX` at most.
 * @param timeZone an IANA name
 */
export function turnsOf(
  schedule: Schedule,
  { timeZone, afterMs, untilMs }: { readonly timeZone: string; readonly afterMs: number; readonly untilMs: number },
): readonly Turn[] {
  const turns: Turn[] = [];
  // No zone is further from UTC than a day, and a date may be due on the one after it.
  const from = Math.floor(afterMs / DAY_MS) - 2;
  for (let day = from; turns.length < TURNS_MAX && day * DAY_MS <= untilMs + 2 * DAY_MS; day++) {
    const turn = hasTurn(schedule, new Date(day * DAY_MS)) ? turnOn(schedule, day * DAY_MS, timeZone) : undefined;
    if (turn !== undefined && turn.dueAtMs > afterMs && turn.dueAtMs <= untilMs) turns.push(turn);
  }
  return turns;
}

/** @param date its beginning in UTC stands for the date, whatever the zone */
function hasTurn({ days }: Schedule, date: Date): boolean {
  if (days.every === "day") return true;
  if (days.every === "week") return days.weekdays.includes(date.getUTCDay());
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const day = date.getUTCDate();
  return days.days.some((wanted) => Math.min(wanted, length) === day);
}

function turnOn({ hour, minute }: Schedule, dateMs: number, timeZone: string): Turn | undefined {
  const label = new Date(dateMs).toISOString().slice(0, 10);
  const dueAtMs = instantOf(dateMs + (hour * 60 + minute) * 60_000, timeZone);
  return localTime(dueAtMs, timeZone).local.startsWith(label) ? { label, dueAtMs } : undefined;
}
