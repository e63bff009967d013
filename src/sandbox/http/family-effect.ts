/**
 * What only a family can do wrong: effects of one request on what its answers show later. The fault plan names them, and a family says
 * which of them it can do. Entry point: `FAMILY_EFFECTS`.
 */
import type { Millis } from "../model/index.ts";

/** Each with what it does; those that last take a time. */
export const FAMILY_EFFECTS = {
  read_lag: { lasts: true, what: "an order is taken, and not found for ms" },
  late_execution: { lasts: true, what: "an order is taken, and reaches the book ms later" },
  not_ready: { lasts: true, what: "an order is taken, and for ms neither looked up nor canceled, as it is not ready" },
  duplicate_id: { lasts: false, what: "an order is taken, and answered as if its own id had been used before" },
  partial_then_vanish: { lasts: false, what: "an order is taken, and no list ever shows it" },
  omit_canceled: { lasts: false, what: "a query does not find canceled orders" },
  half_list: { lasts: false, what: "a list ends in its middle" },
} as const;

export type FamilyEffectKind = keyof typeof FAMILY_EFFECTS;

export const FAMILY_EFFECT_KINDS = Object.keys(FAMILY_EFFECTS) as FamilyEffectKind[];

/** An effect of one request. */
export interface FamilyEffect {
  readonly kind: FamilyEffectKind;
  /** 0 for one that does not last. */
  readonly ms: Millis;
}
