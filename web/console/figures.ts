/**
 * Owns how figures are shown in tables and what is drawn of them. Money stays text from end to end; a share, a bar or a line of a
 * picture may be a number, as nothing is decided by it.
 */
import { amount, type Locale, shortAmount, wholeWon } from "../../src/words/index.ts";

export { assetsOf } from "../../src/words/index.ts";

/** A price, as the market has it: never rounded. */
export function priceText(price: string | null | undefined, quote: string): string {
  return price === null || price === undefined ? "–" : amount(price, quote === "KRW" ? quote : "");
}

/** What something comes to: won without decimals, coins in full. */
export function valueText(value: string | null | undefined, asset: string): string {
  if (value === null || value === undefined) return "–";
  return asset === "KRW" ? amount(wholeWon(value), asset) : shortAmount(value, asset);
}

/** A price in a column, whose head names the unit. @param tick of the market: with as many decimals as it has, so that digits stand below each other */
export function plainPrice(price: string | null | undefined, tick = ""): string {
  if (price === null || price === undefined) return "–";
  const [integer = "", fraction = ""] = amount(price, "").split(".");
  const decimals = fraction.padEnd(decimalsOf(tick), "0");
  return decimals === "" ? integer : `${integer}.${decimals}`;
}

function decimalsOf(step: string): number {
  return (step.split(".")[1] ?? "").replace(/0+$/, "").length;
}

/** What a coin costs on average: a price that was computed, of a cheap coin with every digit. */
export function averageText(price: string | null | undefined, quote: string): string {
  return price === null || price === undefined ? "–" : shortAmount(price, quote);
}

/** Large won with three digits and a unit, where there is room for no more: "1.50B", "15.0억". Cut off, not rounded. */
export function compactWon(won: string, locale: Locale): string {
  const integer = (won.split(".")[0] ?? "").replace(/^0+(?=\d)/, "");
  const unit = COMPACT[locale].find(([zeros]) => integer.length > zeros);
  if (unit === undefined || !/^\d+$/.test(integer)) return amount(integer, "KRW");
  const [zeros, name] = unit;
  const whole = integer.slice(0, -zeros);
  const decimals = integer.slice(-zeros).slice(0, Math.max(0, 3 - whole.length));
  return `${amount(whole, "KRW")}${decimals === "" ? "" : `.${decimals}`}${name}`;
}

/** By the zeros that a unit stands for, the largest first. */
const COMPACT: Readonly<Record<Locale, readonly (readonly [number, string])[]>> = {
  en: [
    [9, "B"],
    [6, "M"],
    [3, "K"],
  ],
  ko: [
    [12, "조"],
    [8, "억"],
    [4, "만"],
  ],
};

/** A quantity without its asset, which the head of the table names. */
export function quantityText(volume: string | null | undefined): string {
  return volume === null || volume === undefined ? "–" : amount(volume, "");
}

/** With the sign of what rises. */
export function signed(text: string): string {
  return text.startsWith("-") || /^[₩]?[0.,]*( |$)/.test(text) || text === "–" ? text : `+${text}`;
}

export type Direction = "up" | "down" | "even";

export function directionOf(text: string | null | undefined): Direction {
  if (text === null || text === undefined || /^-?[0.]*$/.test(text)) return "even";
  return text.startsWith("-") ? "down" : "up";
}

/** A part of a whole, from 0 to 1: the length of a bar. */
export function shareOf(part: string | null, whole: string): number {
  const [of, all] = [drawn(part ?? "0"), drawn(whole)];
  if (!(all > 0)) return 0;
  return Math.min(1, Math.max(0, of / all));
}

/** The number of a figure, for pictures alone. */
export function drawn(text: string): number {
  return Number(text); // not money: a place in a picture
}

/** "4:05", "1:02:09"; never below zero. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (part: number): string => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Of "2026-11-23 16:32:28 UTC+9": the clock of the same day, the date and the minute of another. */
export function shortTime(full: string, today: string): string {
  const [date = "", time = ""] = full.split(" ");
  if (time === "") return full;
  return date === today.split(" ")[0] ? time : `${date.slice(5)} ${time.slice(0, 5)}`;
}
