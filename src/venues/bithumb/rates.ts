/**
 * How many calls Bithumb takes: by address, for each class of calls. It says nothing of what is left; that it was too much is assumed to be a 429.
 *
 * Orders and cancels stay below what it names as the most for one asset (about 20 a second together), whatever the market.
 *
 * Source: SOURCES.md#rates.
 */
import type { Charge, LimitNews, RateGroup, WireOutcome } from "../../transport/index.ts";

const address = { windowMs: 1_000, scope: "address" } as const;

export const GROUPS = [
  { ...address, name: "other", limit: 140, reserved: 28 },
  { ...address, name: "place", limit: 6 },
  { ...address, name: "cancel", limit: 12 },
  { ...address, name: "candle", limit: 150 },
  { ...address, name: "orderbook", limit: 150 },
  { ...address, name: "ticker", limit: 150 },
  { ...address, name: "trade", limit: 150 },
  { ...address, name: "market", limit: 150 },
] as const satisfies readonly RateGroup[];

export type GroupName = (typeof GROUPS)[number]["name"];

type Answer = Extract<WireOutcome, { readonly kind: "answer" }>;

export function limitsIn({ status, headers }: Answer, charges: readonly Charge[]): LimitNews[] {
  if (status !== 429) return [];
  const { "retry-after": after } = headers;
  const told = typeof after === "string" && /^\d{1,6}$/.test(after) ? { forMs: Number(after) * 1_000 } : undefined; // not money: seconds
  return charges.map(({ group }) => ({ kind: "pause", group, ...told }));
}
