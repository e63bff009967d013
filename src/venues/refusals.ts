/**
 * What a refusal of an exchange means for a write: the lists that its codes stand in, and what is said where none fits.
 *
 * Invariant: only a code that stands in a list as a refusal lets a write count as refused.
 *
 * Source: architecture.md#rule-5, architecture.md#rule-10.
 */
import { z } from "zod";
import type { Fault, FaultCode, ReachedVenue } from "../contract/index.ts";

/**
 * `sure`: what was asked for was looked at and refused. `gate`: it was refused before. `maybe`: it may be a second delivery that is refused, or the
 * exchange failed. `not_found`: there is no such order.
 */
export type RefusalList = "sure" | "gate" | "maybe" | "not_found";

export type Listed = readonly [list: RefusalList, code: FaultCode];

/** @param names apart by a bar */
export function refusalsOf(
  rows: readonly (readonly [list: RefusalList, code: FaultCode, names: string])[],
): ReadonlyMap<string, Listed> {
  return new Map(rows.flatMap(([list, code, names]) => names.split("|").map((name) => [name, [list, code]] as const)));
}

/** The exchange has seen this id before, in a request that may have been this one. */
export const DUPLICATE = "EOrder:Duplicate client id";

export const errorBody = z.looseObject({
  error: z.looseObject({ name: z.string().nullish(), message: z.string().nullish() }),
});

export const UNKNOWN: { readonly reachedVenue: ReachedVenue; readonly message: string; readonly nextAction: string } = {
  reachedVenue: "unknown",
  message:
    "The exchange did not say what became of this request: it, or an earlier delivery of it, may have taken effect.",
  nextAction: "Look the order up before anything else; it is never sent twice.",
};

/** What a code of that list says of a write. */
export function reached(list: RefusalList): Partial<Fault> {
  switch (list) {
    case "sure":
    case "not_found":
      return { reachedVenue: "yes" };
    case "gate":
      return { reachedVenue: "no" };
    case "maybe":
      return UNKNOWN;
    default:
      return list satisfies never;
  }
}
