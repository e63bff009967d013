/**
 * The dialect's times: Unix seconds with a fraction. Requests may also have milliseconds, as in the rest of the service: the two
 * cannot be confused, as seconds reach 12 digits in the year 5138. Source: service.md#request-times.
 */
import type { Millis } from "../../model/index.ts";

const MILLISECONDS_FROM = 100_000_000_000;
const NANOSECONDS_FROM = 10_000_000_000_000_000n;
const NANOS_PER_MS = 1_000_000n;

/** The milliseconds of a time, which was checked against the contract's schema. */
export function millisOf(text: string): Millis {
  const count = Number(text); // not money: a Unix time
  return count >= MILLISECONDS_FROM ? count : Math.round(count * 1000);
}

export function secondsOf(at: Millis): number {
  return at / 1000;
}

export function wholeSecondsOf(at: Millis): number {
  return Math.floor(at / 1000);
}

/**
 * The dialect's mark of a trade: nanoseconds, composed here of the trade's millisecond and the last digits of its number.
 */
export function markOf(at: Millis, seq: number): string {
  return String(BigInt(at) * NANOS_PER_MS + (BigInt(seq) % NANOS_PER_MS));
}

/** The parts of a mark; of a plain time, which names no trade, only the time. */
export function readMark(text: string): { readonly at: Millis; readonly seqEnd: number | undefined } {
  if (text.includes(".") || BigInt(text) < NANOSECONDS_FROM) return { at: millisOf(text), seqEnd: undefined };
  const mark = BigInt(text);
  // not money: milliseconds, and the end of a number
  return { at: Number(mark / NANOS_PER_MS), seqEnd: Number(mark % NANOS_PER_MS) }; // not money: the same
}

export function seqEndOf(seq: number): number {
  return seq % 1_000_000;
}
