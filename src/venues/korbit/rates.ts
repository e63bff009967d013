/**
 * How many calls Korbit takes, and what an answer says of that: what is left of the second, or that it was too much (429). Nobody is shut out for it.
 *
 * Source: SOURCES.md#rates.
 */
import { type LimitsIn, leftIn, pausesIn, type RateGroup } from "../../transport/index.ts";

const second = { windowMs: 1_000 } as const;

/** Cancels have a group of their own, and what they look up is kept free in the others. */
export const GROUPS = [
  { ...second, name: "place", scope: "key", limit: 30 },
  { ...second, name: "cancel", scope: "key", limit: 30 },
  { ...second, name: "default", scope: "key", limit: 50, reserved: 10 },
  { ...second, name: "public", scope: "address", limit: 50 },
] as const satisfies readonly RateGroup[];

export type GroupName = (typeof GROUPS)[number]["name"];

export const limitsIn: LimitsIn = ({ status, headers }, charges) =>
  status === 429 ? pausesIn(headers, charges) : leftIn(headers["ratelimit"], /\bremaining=(\d{1,6})\b/, charges);
