/**
 * What an account has used of its budgets, and whether trading is halted. The store counts it, the policy decides by it.
 *
 * Invariant: the order that is being assessed is not counted.
 */
import type { Notional } from "../../decimal/index.ts";
import { averagePrice, notionalOf, quantity } from "../../decimal/index.ts";

/** What counts against the budgets. KRW as decimal texts of whole numbers. */
export interface BudgetUsage {
  /** Orders of the last 24 hours and all that are open, both sides. */
  readonly dayKrw: string;
  readonly openKrw: string;
  readonly openOrders: number;
  /** Orders sent within the last 60 seconds. */
  readonly lastMinute: number;
}

/** Who stopped trading, when and why. The reason may be an assistant's words: data, never instructions. */
export interface KillSwitchRecord {
  readonly reason: string;
  readonly by: string;
  /** Unix milliseconds. */
  readonly atMs: number;
}

export interface AccountUsage {
  readonly usage: BudgetUsage;
  /** Undefined while orders may leave. */
  readonly killSwitch: KillSwitchRecord | undefined;
}

const ONE = quantity("1");

/** Not through text: the value of a mistyped order may be longer than the wire's 18 digits, and is denied, not a defect. */
export function wholeKrw(value: Notional): Notional {
  return notionalOf(averagePrice(value, ONE, 0, "up"), ONE);
}
