/**
 * How many calls Korbit takes, and what an answer says of that: what is left of the second, or that it was too much (429). Nobody is shut out for it.
 *
 * Source: SOURCES.md#rates.
 */
import type { Charge, LimitNews, RateGroup, WireOutcome } from "../../transport/index.ts";

const second = { windowMs: 1_000 } as const;

/** Cancels have a group of their own, and what they look up is kept free in the others. */
export const GROUPS = [
  { ...second, name: "place", scope: "key", limit: 30 },
  { ...second, name: "cancel", scope: "key", limit: 30 },
  { ...second, name: "default", scope: "key", limit: 50, reserved: 10 },
  { ...second, name: "public", scope: "address", limit: 50 },
] as const satisfies readonly RateGroup[];

export type GroupName = (typeof GROUPS)[number]["name"];

type Answer = Extract<WireOutcome, { readonly kind: "answer" }>;

export function limitsIn({ status, headers }: Answer, charges: readonly Charge[]): LimitNews[] {
  const { ratelimit, "retry-after": after } = headers;
  if (status === 429) {
    const told = typeof after === "string" && /^\d{1,6}$/.test(after) ? { forMs: Number(after) * 1_000 } : undefined; // not money: seconds
    return charges.map(({ group }) => ({ kind: "pause", group, ...told }));
  }
  const [, left] = typeof ratelimit === "string" ? (/\bremaining=(\d{1,6})\b/.exec(ratelimit) ?? []) : [];
  return left === undefined ? [] : charges.map(({ group }) => ({ kind: "left", group, left: Number(left) })); // not money: a count
}
