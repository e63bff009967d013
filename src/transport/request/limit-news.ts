/** What the headers of an answer say of the rates of an exchange, as news of the groups that the call has counted in. */
import type { Charge, LimitNews, WireOutcome } from "./ports.ts";

type Answer = Extract<WireOutcome, { readonly kind: "answer" }>;
type Headers = Answer["headers"];

/** What an answer says of the groups that its call has counted in. */
export type LimitsIn = (answer: Answer, charges: readonly Charge[], nowMs: number) => LimitNews[];

/** Told in seconds; a date is not read. */
export function retryAfterMs({ "retry-after": after }: Headers): number | undefined {
  return typeof after === "string" && /^\d{1,6}$/.test(after) ? Number(after) * 1_000 : undefined; // not money: seconds
}

/** It was too much: for as long as is told, where it is. */
export function pausesIn(headers: Headers, charges: readonly Charge[]): LimitNews[] {
  const forMs = retryAfterMs(headers);
  return charges.map(({ group }) => ({ kind: "pause", group, ...(forMs !== undefined && { forMs }) }));
}

/** @param pattern finds what is left in the header's text: nothing is concluded where it is not there */
export function leftIn(header: unknown, pattern: RegExp, charges: readonly Charge[]): LimitNews[] {
  const [, left] = typeof header === "string" ? (pattern.exec(header) ?? []) : [];
  return left === undefined ? [] : charges.map(({ group }) => ({ kind: "left", group, left: Number(left) })); // not money: a count
}
