/** The ports of what stops trading and of what cannot be forged: kill switch, dead-man timers, seal. The store satisfies them. */
import type { KillSwitchRecord } from "../model/account-usage.ts";

/** The brake, one for all processes on the store. */
export interface KillSwitchStore {
  state(): Promise<KillSwitchRecord | undefined>;
  /** Returns when no intent can begin any more, in any process. */
  engage(brake: KillSwitchRecord): Promise<void>;
  release(): Promise<void>;
}

export interface CancelTimer {
  readonly dueAtMs: number;
}

/** One dead-man's timer per account, kept for all processes. */
export interface CancelTimers {
  arm(account: string, dueAtMs: number, nowMs: number): Promise<void>;
  disarm(account: string): Promise<void>;
  read(account: string): Promise<CancelTimer | undefined>;
  /** Whether the timer of any account is due. */
  anyDue(nowMs: number): Promise<boolean>;
  /** Hands a timer that is due to one process; it is due again when that process has not called `done` in `claimMs`. */
  claimDue(account: string, nowMs: number, claimMs: number): Promise<CancelTimer | undefined>;
  done(account: string, dueAtMs: number): Promise<void>;
}

/** Signs what travels through a client and has to come back unchanged. */
export interface Seal {
  sign(text: string): Promise<string>;
  /** @returns undefined for what was not signed here. */
  open(token: string): Promise<string | undefined>;
}
