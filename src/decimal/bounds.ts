/**
 * Owns the choice between two values. Invariant: both are of one kind, so a cap is always in the unit of what it caps.
 */
import type { Exact } from "./exact.ts";

/** The smaller of two values of the same kind. */
export function min<Kind extends string>(a: Exact<Kind>, b: Exact<NoInfer<Kind>>): Exact<Kind> {
  return a.lte(b) ? a : b;
}

/** The larger of two values of the same kind. */
export function max<Kind extends string>(a: Exact<Kind>, b: Exact<NoInfer<Kind>>): Exact<Kind> {
  return a.gte(b) ? a : b;
}
