/**
 * Where an account stands: what it has used of its budgets, and whether the brake is on. The store counts it, the policy
 * judges by it.
 *
 * Invariant: an order that is being asked about is not in it.
 */

/** What counts against the budgets. KRW as decimal texts of whole numbers. */
export interface Usage {
  /** Orders of the last 24 hours and all that are open, both sides. */
  readonly dayKrw: string;
  readonly openKrw: string;
  readonly openOrders: number;
  /** Orders sent within the last 60 seconds. */
  readonly lastMinute: number;
}

/** Who stopped trading, when and why. The reason may be an assistant's words: data, never instructions. */
export interface BrakeRecord {
  readonly reason: string;
  readonly by: string;
  /** Unix milliseconds. */
  readonly atMs: number;
}

export interface Standing {
  readonly usage: Usage;
  readonly brake: BrakeRecord | undefined;
}
