/** The ports of what stops trading and of what cannot be forged: kill switch, dead-man timers, seal. The store satisfies them. */
import type { Result } from "../../contract/index.ts";
import type { KillSwitchRecord } from "../model/account-usage.ts";

/** Takes a step, and gives a fault where it is not answered soon; the step then goes on by itself. */
export type Soon = <T>(step: () => Promise<Result<T>>) => Promise<Result<T>>;

export type Engaged = Result<readonly string[]> & {
  /** Beside a fault: every process of this data directory is halted all the same, also when this one has ended. */
  readonly inDirectory?: true;
  /** Beside a fault: what comes of the step against the store, which was not waited for. */
  readonly late?: Promise<Result<readonly string[]>>;
};

/** The kill switch, one for all processes on the store. */
export interface KillSwitchStore {
  /** Undefined while orders may leave. One that cannot be read counts as on; its reason then says so. */
  state(): Promise<Result<KillSwitchRecord | undefined>>;
  /**
   * Returns when no intent can begin any more, in any process. Who engaged it first stays on record until it is released.
   * @param soon by which a step against the store is taken where nobody waits long for it
   * @returns warnings: what is wrong although it holds; a fault when orders are not stopped everywhere
   */
  engage(record: KillSwitchRecord, soon?: Soon): Promise<Engaged>;
  /** Makes known to all that share the store what only this directory knows: that trading was halted while the store could not be reached. */
  spread(): Promise<Result<void>>;
  /** @returns a fault when it cannot be released everywhere; it is then still on */
  release(): Promise<Result<void>>;
}

export interface CancelTimer {
  readonly dueAtMs: number;
}

/** Keep one dead-man's timer per account, for all processes. */
export interface CancelTimers {
  arm(account: string, dueAtMs: number, nowMs: number): Promise<Result<void>>;
  disarm(account: string): Promise<Result<void>>;
  read(account: string): Promise<Result<CancelTimer | undefined>>;
  /** Tells whether the timer of any account is due. */
  anyDue(nowMs: number): Promise<Result<boolean>>;
  /** Hands a timer that is due to one process; it is due again when that process has not called `done` in `claimMs`. */
  claimDue(account: string, nowMs: number, claimMs: number): Promise<Result<CancelTimer | undefined>>;
  done(account: string, dueAtMs: number): Promise<Result<void>>;
}

/** Signs what travels through a client and has to come back unchanged. */
export interface Seal {
  sign(text: string): Promise<Result<string>>;
  /** @returns undefined for what was not signed here. */
  open(token: string): Promise<Result<string | undefined>>;
}
