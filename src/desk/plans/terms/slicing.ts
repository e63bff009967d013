/**
 * A total in equal pieces: how large each is, and when it is due.
 *
 * Invariants: the pieces are the total, to the last step; what could not fill goes to the next piece, which is never more than two of them; what was
 * missed is not made up.
 *
 * Source: decision 0099.
 */
import { Fraction } from "../../../decimal/index.ts";

export interface Piece {
  /** From 1 on. */
  readonly step: number;
  /** Unix milliseconds. */
  readonly dueAtMs: number;
  /** Plain decimal text, in the unit of the total. */
  readonly size: string;
}

const WRITTEN = /^(?:(\d{1,2})h)?(?:(\d{1,4})m)?(?:(\d{1,5})s)?$/;

/** @returns milliseconds of "2h", "90m" or "1h30m"; undefined for another text, and for nothing */
export function parseDuration(text: string): number | undefined {
  const [, hours = "0", minutes = "0", seconds = "0"] = WRITTEN.exec(text) ?? [];
  const ms = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000; // not money: a time
  return ms === 0 ? undefined : ms;
}

export function intervalMs(durationMs: number, count: number): number {
  return Math.floor(durationMs / count);
}

/**
 * @param total plain decimal text, a whole number of steps
 * @param decimals of the step
 * @param fromMs when the first is due, Unix milliseconds
 */
export function piecesOf(
  total: string,
  { count, decimals, fromMs, durationMs }: { count: number; decimals: number; fromMs: number; durationMs: number },
): readonly Piece[] {
  const size = Fraction.of(total)
    .share(Fraction.of("1"), Fraction.of(String(count)))
    .rounded(decimals, "down");
  const others = Fraction.of(size).times(Fraction.of(String(count - 1)));
  const last = Fraction.of(total).minus(others).rounded(decimals, "down");
  const every = intervalMs(durationMs, count);
  return Array.from({ length: count }, (_, index) => ({
    step: index + 1,
    dueAtMs: fromMs + index * every,
    size: index === count - 1 ? last : size,
  }));
}

/** A piece is late from half an interval on. */
export function isMissed({ dueAtMs }: Piece, nowMs: number, everyMs: number): boolean {
  return nowMs - dueAtMs > everyMs / 2;
}

/**
 * What a piece is with what the one before could not fill, twice itself at most.
 * @returns plain decimal text, and what is left out
 */
export function carried(
  size: string,
  unfilled: string,
  decimals: number,
): { readonly size: string; readonly left: string } {
  const most = Fraction.of(size).plus(Fraction.of(size));
  const wanted = Fraction.of(size).plus(Fraction.of(unfilled));
  if (wanted.cmp(most) <= 0) return { size: wanted.rounded(decimals, "down"), left: "0" };
  return { size: most.rounded(decimals, "down"), left: wanted.minus(most).rounded(decimals, "down") };
}
