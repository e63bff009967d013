/**
 * How many calls Coinone takes, and what an answer says of that: what is left, or that it was too much, which is error 4 in an answer like any other.
 *
 * Source: SOURCES.md#rates.
 */
import { type LimitsIn, leftIn, pausesIn, type RateGroup } from "../../transport/index.ts";

/** Cancels count with orders. A fifth of what is private is kept for what belongs to a cancel. */
export const GROUPS = [
  { name: "order", limit: 40, reserved: 8, windowMs: 1_000, scope: "key" },
  { name: "private", limit: 80, reserved: 16, windowMs: 1_000, scope: "key" },
  { name: "public", limit: 1_200, windowMs: 60_000, scope: "address" },
] as const satisfies readonly RateGroup[];

const LEFT: Readonly<Record<string, string>> = {
  order: "private-order-ratelimit-remaining",
  private: "private-ratelimit-remaining",
  public: "public-ratelimit-remaining",
};
const TOO_MANY = /"error_?code"\s*:\s*"?4"?\s*[,}]/i;
/** A refusal is short, and no other answer is searched. */
const REFUSAL_BYTES_MAX = 1_000;

/** Where nothing is left the header is not there, and its absence says nothing else. */
export const limitsIn: LimitsIn = ({ status, headers, body }, charges) => {
  const isRefused = body.length <= REFUSAL_BYTES_MAX && TOO_MANY.test(Buffer.from(body).toString());
  if (status === 429 || isRefused) return pausesIn(headers, charges);
  return charges.flatMap((charge) => leftIn(headers[LEFT[charge.group] ?? ""], /^(\d{1,6})$/, [charge]));
};
