/** What a plan is asked for with, and what a rehearsal of it on past prices comes to. Source: decision 0106. */

/** The arguments, numbers as text. */
export interface PlanRequest {
  readonly kind: string;
  readonly symbol?: string | undefined;
  readonly side?: string | undefined;
  readonly base_volume?: string | undefined;
  readonly quote_amount?: string | undefined;
  readonly stop_price?: string | undefined;
  readonly take_price?: string | undefined;
  readonly trail?: string | undefined;
  readonly limit_price?: string | undefined;
  readonly floor_price?: string | undefined;
  readonly schedule?: string | undefined;
  readonly duration?: string | undefined;
  readonly slices?: number | undefined;
  readonly until?: string | undefined;
  readonly above?: string | undefined;
  readonly below?: string | undefined;
  readonly event?: string | undefined;
  readonly note?: string | undefined;
  readonly replaces?: string | undefined;
}

/** One time at which the plan would have acted. */
export interface RehearsedAct {
  /** Start of the candle, Unix milliseconds. */
  readonly atMs: number;
  readonly leg: "stop" | "take" | "turn" | "slice";
  /** What it would have traded at, the worst first. In the quote currency. */
  readonly from: string;
  readonly to: string;
  /** Coins, at the worst price. */
  readonly volume: string;
  /** What it would have spent, or brought in, at the worst price with the fee. In the quote currency. */
  readonly value: string;
  /** Whether the candle leaves open that it would not have traded: its price may have jumped over the floor, or not have come back to the limit. */
  readonly isSure: boolean;
}

export interface Rehearsal {
  readonly fromMs: number;
  readonly toMs: number;
  readonly acts: readonly RehearsedAct[];
  /** Turns and pieces without a candle, or beyond their limit. */
  readonly without: number;
  /** Sum of the acts, in the quote currency. */
  readonly value: string;
}
