/**
 * What a process that stays does every second: pass the brake on, fire the cancel timer, cancel under the brake, settle what has no
 * answer, let go of what nobody approved, follow what is open. Where there is nothing to do only the store is read.
 *
 * Invariant: what cancels goes first in every round, and what asks about many orders does not keep the next round waiting.
 */
import { type Fault, ok, type Result } from "../contract/index.ts";
import type { ReconcileReport } from "./answers.ts";
import type { Braking } from "./braking.ts";
import type { CancelingAll } from "./cancel-all.ts";
import type { CancelTimerKeeping } from "./cancel-timer.ts";
import { type DeskContext, HURRIED, tried } from "./context.ts";
import type { Following } from "./following.ts";
import { LIVE_STATES } from "./intent.ts";
import type { Reconciler } from "./reconciler.ts";
import { NOTHING_SETTLED, settledIn } from "./settle-each.ts";
import { stillWaiting } from "./waiting.ts";
import { within } from "./within.ts";

/** How often the venue is asked about orders without an answer. */
const RECONCILE_EVERY_MS = 5_000;
/** How often it is asked about open orders: a list weighs 10 of a minute's 600, and every process that stays asks. */
const FOLLOW_EVERY_MS = 60_000;
/** How often what is still open under the brake is canceled again. */
const HALTED_EVERY_MS = 2_000;
/** The same while nobody has told which account it is, so that the journal cannot be asked either. */
const HALTED_BLIND_EVERY_MS = 30_000;
/** How long a round waits for a step that asks about many orders. */
const BESIDE_MS = 2_000;

export interface UpkeepParts {
  readonly context: DeskContext;
  readonly reconciler: Pick<Reconciler, "reconcile">;
  readonly following: Following;
  readonly braking: Braking;
  readonly cancelingAll: CancelingAll;
  readonly timer: CancelTimerKeeping;
}

interface Ended<T> {
  readonly value?: T;
  readonly fault?: Fault;
}

export class Upkeep {
  private readonly parts: UpkeepParts;
  private readonly lastMs = new Map<string, number>();
  private readonly running = new Map<string, Promise<Ended<unknown>>>();

  constructor(parts: UpkeepParts) {
    this.parts = parts;
  }

  /** One round. @returns what was settled in it */
  async pass(): Promise<ReconcileReport> {
    const { context, following, braking, timer } = this.parts;
    await braking.spread();
    const account = await this.account();
    await timer.fireIfDue();
    await this.keepHalted();
    // Without an answer about the account nothing of it can be found in the journal either.
    if (!context.knowsAccount) return { ...NOTHING_SETTLED, ...(account.ok ? {} : { fault: account.fault }) };
    const settled = settledIn(await this.beside("reconcile", RECONCILE_EVERY_MS, () => this.settled()));
    if (settled.accepted > 0) await this.keepHalted();
    await stillWaiting(context);
    await this.beside("follow", FOLLOW_EVERY_MS, () => following.refresh());
    return settled;
  }

  private async account(): Promise<Result<unknown>> {
    const { context } = this.parts;
    if (context.knowsAccount || !this.isTime("account", RECONCILE_EVERY_MS)) return ok(undefined);
    return context.account(HURRIED);
  }

  /**
   * A step that asks the venue about many orders: it goes on beside the rounds where it takes long, as it must not hold up what
   * cancels. One that began in an earlier round and has ended may have missed what came since, so a new one begins when it is due.
   * @returns what those brought that ended in this round
   */
  private async beside<T>(what: string, everyMs: number, step: () => Promise<T>): Promise<readonly T[]> {
    const before = this.running.get(what) as Promise<Ended<T>> | undefined;
    const earlier = before === undefined ? {} : await this.ended(what, before);
    if (earlier === undefined) return [];
    const now = this.isTime(what, everyMs) ? await this.ended(what, tried(step)) : {};
    return [earlier, now].flatMap((ended) => (ended?.value === undefined ? [] : [ended.value]));
  }

  /** How a step ended; undefined while it goes on. */
  private async ended<T>(what: string, going: Promise<Ended<T>>): Promise<Ended<T> | undefined> {
    this.running.set(what, going);
    const ended = await within(this.parts.context.parts.clock, BESIDE_MS, going);
    if (ended !== undefined) this.running.delete(what);
    return ended;
  }

  /** A store that is broken in whatever way must not keep the brake and the timer from their work. */
  private async settled(): Promise<ReconcileReport> {
    const { value, fault } = await tried(() => this.parts.reconciler.reconcile());
    return value ?? { ...NOTHING_SETTLED, ...(fault === undefined ? {} : { fault }) };
  }

  /** Another process may have pulled the brake: what this account has open goes too. */
  private async keepHalted(): Promise<void> {
    const { context, cancelingAll } = this.parts;
    const { value: stored } = await tried(() => context.parts.brake.state());
    const brake = stored ?? context.brakeHere;
    if (brake === undefined || !(await this.mayBeOpen())) return;
    const everyMs = context.knowsAccount ? HALTED_EVERY_MS : HALTED_BLIND_EVERY_MS;
    if (this.isTime("halted", everyMs)) await cancelingAll.cancelAtOnce();
  }

  /** Whether the journal has anything open. What cannot be known counts as open. */
  private async mayBeOpen(): Promise<boolean> {
    const { context } = this.parts;
    const { journal, venue } = context.parts;
    if (venue.keyId === undefined) return false;
    if (!context.knowsAccount) return true;
    const { value: live } = await tried(() => journal.inStates(context.journalAccount(), LIVE_STATES, 1));
    return live === undefined || live.length > 0;
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
