/**
 * How many calls Coinone takes, and what an answer says of that: what is left, or that it was too much, which is error 4 in an answer like any other.
 *
 * Source: SOURCES.md#rates.
 */
import type { Charge, LimitNews, RateGroup, WireOutcome } from "../../transport/index.ts";

/** Cancels count with orders. A fifth of what is private is kept for what belongs to a cancel. */
export const GROUPS = [
  { name: "order", limit: 40, reserved: 8, windowMs: 1_000, scope: "key" },
  { name: "private", limit: 80, reserved: 16, windowMs: 1_000, scope: "key" },
  { name: "public", limit: 1_200, windowMs: 60_000, scope: "address" },
] as const satisfies readonly RateGroup[];

export type GroupName = (typeof GROUPS)[number]["name"];

type Answer = Extract<WireOutcome, { readonly kind: "answer" }>;

const LEFT: Readonly<Record<string, string>> = {
  order: "private-order-ratelimit-remaining",
  private: "private-ratelimit-remaining",
  public: "public-ratelimit-remaining",
};
const TOO_MANY = /"error_?code"\s*:\s*"?4"?\s*[,}]/i;
/** A refusal is short, and no other answer is searched. */
const REFUSAL_BYTES_MAX = 1_000;

/** Where nothing is left the header is not there, and its absence says nothing else. */
export function limitsIn({ status, headers, body }: Answer, charges: readonly Charge[]): LimitNews[] {
  const isRefused = body.length <= REFUSAL_BYTES_MAX && TOO_MANY.test(Buffer.from(body).toString());
  if (status === 429 || isRefused) return charges.map(({ group }) => ({ kind: "pause", group }));
  return charges.flatMap(({ group }): LimitNews[] => {
    const left = headers[LEFT[group] ?? ""];
    return typeof left === "string" && /^\d{1,6}$/.test(left) ? [{ kind: "left", group, left: Number(left) }] : []; // not money: a count
  });
}
