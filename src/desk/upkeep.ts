/**
 * What a process that stays does every second: settle what has no answer, let go of what nobody approved, follow what is open,
 * pass the brake on, fire the cancel timer. Where there is nothing to do only the store is read.
 */
import type { ReconcileReport } from "./answers.ts";
import type { Braking } from "./braking.ts";
import type { CancelingAll } from "./cancel-all.ts";
import type { CancelTimerKeeping } from "./cancel-timer.ts";
import { type DeskContext, tried } from "./context.ts";
import type { Following } from "./following.ts";
import type { Reconciler } from "./reconciler.ts";
import { stillWaiting } from "./waiting.ts";

/** How often the venue is asked about orders without an answer. */
const RECONCILE_EVERY_MS = 5_000;
/** How often it is asked about open orders: a list weighs 10 of a minute's 600, and every process that stays asks. */
const FOLLOW_EVERY_MS = 60_000;
/** How often what is still open under the brake is canceled again. */
const HALTED_EVERY_MS = 2_000;

export interface UpkeepParts {
  readonly context: DeskContext;
  readonly reconciler: Reconciler;
  readonly following: Following;
  readonly braking: Braking;
  readonly cancelingAll: CancelingAll;
  readonly timer: CancelTimerKeeping;
}

const NOTHING: ReconcileReport = { checked: 0, accepted: 0, not_placed: 0, still_unknown: 0 };

export class Upkeep {
  private readonly parts: UpkeepParts;
  private readonly lastMs = new Map<string, number>();

  constructor(parts: UpkeepParts) {
    this.parts = parts;
  }

  /** One round. @returns what was settled in it */
  async pass(): Promise<ReconcileReport> {
    const { context, following, braking, timer } = this.parts;
    await braking.spread();
    const settled = this.isTime("reconcile", RECONCILE_EVERY_MS) ? await this.settled() : NOTHING;
    // Without an answer about the account nothing of it can be found in the journal either.
    if (context.stamp().account === "unknown") return settled;
    await stillWaiting(context);
    await timer.fireIfDue();
    await this.keepHalted();
    if (this.isTime("follow", FOLLOW_EVERY_MS)) await following.refresh();
    return settled;
  }

  /** A store that is broken in whatever way must not keep the brake and the timer from their work. */
  private async settled(): Promise<ReconcileReport> {
    const { value, fault } = await tried(() => this.parts.reconciler.reconcile());
    return value ?? { ...NOTHING, ...(fault === undefined ? {} : { fault }) };
  }

  /** Another process may have pulled the brake: what this account has open goes too. */
  private async keepHalted(): Promise<void> {
    const { context, following, cancelingAll } = this.parts;
    const { value: stored } = await tried(() => context.parts.brake.state());
    const brake = stored ?? context.brakeHere;
    if (brake === undefined || !this.isTime("halted", HALTED_EVERY_MS)) return;
    if ((await following.live()).length > 0) await cancelingAll.cancelAll();
  }

  private isTime(what: string, everyMs: number): boolean {
    const now = this.parts.context.parts.clock.now();
    const last = this.lastMs.get(what);
    // A clock that was set back must not stop it.
    if (last !== undefined && now >= last && now - last < everyMs) return false;
    this.lastMs.set(what, now);
    return true;
  }
}
