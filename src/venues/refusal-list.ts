/**
 * What a refusal of another exchange says of a write, by the list that its code stands in.
 *
 * Source: architecture.md#rule-5.
 */
import type { Fault, FaultCode, ReachedVenue } from "../contract/index.ts";

/**
 * `sure`: what was asked for was looked at and refused. `gate`: it was refused before. `maybe`: it may be a second delivery that is refused, or the
 * exchange failed. `duplicate`: it has seen the id. `not_found`: there is no such order.
 */
export type RefusalList = "sure" | "gate" | "maybe" | "duplicate" | "not_found";

/** Names are separated by spaces. */
export type RefusalRow = readonly [list: RefusalList, code: FaultCode, names: string];

export function refusalsBy(rows: readonly RefusalRow[]): ReadonlyMap<string, readonly [RefusalList, FaultCode]> {
  return new Map(rows.flatMap(([list, code, names]) => names.split(" ").map((name) => [name, [list, code]] as const)));
}

/** The exchange has seen this id before, in a request that may have been this one. */
export const DUPLICATE = "EOrder:Duplicate client id";

export const UNKNOWN: { readonly reachedVenue: ReachedVenue; readonly message: string; readonly nextAction: string } = {
  reachedVenue: "unknown",
  message:
    "The exchange did not say what became of this request: it, or an earlier delivery of it, may have taken effect.",
  nextAction: "Look the order up before anything else; it is never sent twice.",
};

export function reached(list: RefusalList): Partial<Fault> {
  switch (list) {
    case "sure":
    case "not_found":
      return { reachedVenue: "yes" };
    case "gate":
      return { reachedVenue: "no" };
    case "duplicate":
    case "maybe":
      return UNKNOWN;
    default:
      return list satisfies never;
  }
}
