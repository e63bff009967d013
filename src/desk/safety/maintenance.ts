/**
 * What a long-running process does every second: propagate a halt, fire the cancel timer, cancel while halted, settle what has no
 * answer, expire approval requests, look after plans, forget what they told long ago, track open orders, read fills that the venue will not list for long. Where there is nothing to do, only the store is read.
 *
 * Invariant: cancels come first in every round, and a query about many orders does not delay the next round.
 */
import { defined, type Fault, ok, type Result } from "../../contract/index.ts";
import { pendingOrders } from "../approval/pending-approvals.ts";
import { attempt, withTimeout } from "../core/attempt.ts";
import { CANCEL_DEADLINE, type DeskContext } from "../core/context.ts";
import type { CancelAll } from "../execution/cancel-all.ts";
import { LIVE_STATES } from "../model/intent-state.ts";
import type { ReconcileReport } from "../model/reports.ts";
import type { HistoryReader } from "../portfolio/history-reader.ts";
import type { OrderReconciler } from "../reconciliation/order-lookup.ts";
import type { OrderTracker } from "../reconciliation/order-tracker.ts";
import { combinedReport, NOTHING_RECONCILED } from "../reconciliation/reconciler.ts";
import type { DeadManSwitch } from "./dead-man-switch.ts";
import type { KillSwitch } from "./kill-switch.ts";
import type { LossStop } from "./loss-stop.ts";

/**
 * Spaces the queries of orders without an answer. Where the last answers have settled nothing, each has pauses of its own, which begin with
 * a second.
 */
const RECONCILE_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 1_000;
/** Spaces the queries of open orders: a list weighs 10 of a minute's 600, and every long-running process does it. */
const TRACK_EVERY_MS = 60_000;
/** Cancels again this often what is still open while halted. */
const HALTED_EVERY_MS = 2_000;
/** The same while the account is not known, so that the journal cannot be read for it either. */
const HALTED_BLIND_EVERY_MS = 30_000;
/** Counts the day's loss this often, where trading is to be halted for it. */
const LOSS_EVERY_MS = 30_000;
/** Reads the fills of a venue that lists them for a time alone, so that none is lost; after a reading that failed sooner. */
const FILLS_EVERY_MS = 3_600_000;
const FILLS_AGAIN_MS = 60_000;
/** Forgets what plans have told long ago. */
const PRUNE_EVERY_MS = 3_600_000;
/** Bounds how long a round waits for a step that queries many orders. */
const BESIDE_MS = 2_000;

export interface MaintenanceParts {
  readonly context: DeskContext;
  readonly reconciler: Pick<OrderReconciler, "reconcile">;
  readonly tracker: OrderTracker;
  readonly killSwitch: KillSwitch;
  readonly cancelAll: CancelAll;
  readonly deadManSwitch: DeadManSwitch;
  readonly lossStop: Pick<LossStop, "check">;
  readonly history: () => Pick<HistoryReader, "catchUp">;
  /** Absent where nothing keeps plans. */
  readonly plans: { tend(): Promise<void>; prune(): Promise<void> } | undefined;
}

interface Ended<T> {
  readonly value?: T;
  readonly fault?: Fault;
}

export class Maintenance {
  readonly #parts: MaintenanceParts;
  readonly #lastMs = new Map<string, number>();
  #isLookingOn = false;
  #fillsAreRead = false;
  readonly #running = new Map<string, Promise<Ended<unknown>>>();

  constructor(parts: MaintenanceParts) {
    this.#parts = parts;
  }

  /** Goes through one round. @returns what was settled in it */
  async run(): Promise<ReconcileReport> {
    const { context, tracker, killSwitch, deadManSwitch } = this.#parts;
    await killSwitch.propagate();
    const account = await this.#account();
    await deadManSwitch.fireIfDue();
    await this.#keepHalted();
    await this.#beside("late", 0, () => context.urgentStore.catchUp());
    // Without the account nothing of it can be found in the journal either.
    if (!context.knowsAccount) return { ...NOTHING_RECONCILED, ...(account.ok ? {} : { fault: account.fault }) };
    const everyMs = this.#isLookingOn ? LOOK_EVERY_MS : RECONCILE_EVERY_MS;
    const reports = await this.#beside("reconcile", everyMs, () => this.#settled());
    const last = reports.at(-1);
    if (last !== undefined) this.#isLookingOn = last.fault === undefined && last.still_unknown > 0;
    const settled = combinedReport(reports);
    if (settled.accepted > 0) await this.#keepHalted();
    await pendingOrders(context).list();
    await this.#beside("plans", 0, async () => this.#parts.plans?.tend());
    await this.#beside("told", PRUNE_EVERY_MS, async () => this.#parts.plans?.prune());
    await this.#beside("loss", LOSS_EVERY_MS, () => this.#parts.lossStop.check());
    await this.#beside("track", TRACK_EVERY_MS, () => tracker.refresh());
    await this.#beside("fills", this.#fillsAreRead ? FILLS_EVERY_MS : FILLS_AGAIN_MS, () => this.#readFills());
    return settled;
  }

  async #account(): Promise<Result<unknown>> {
    const { context } = this.#parts;
    if (context.knowsAccount || !this.#isTime("account", RECONCILE_EVERY_MS)) return ok(undefined);
    return context.account(CANCEL_DEADLINE);
  }

  /**
   * A step that asks the venue about many orders: it goes on beside the rounds where it takes long, as it must not hold up what
   * cancels. One that began in an earlier round and has ended may have missed what came since, so a new one begins when it is due.
   * @returns what those brought that ended in this round
   */
  async #beside<T>(what: string, everyMs: number, step: () => Promise<T>): Promise<readonly T[]> {
    const before = this.#running.get(what) as Promise<Ended<T>> | undefined;
    const earlier = before === undefined ? {} : await this.#ended(what, before);
    if (earlier === undefined) return [];
    const now = this.#isTime(what, everyMs)
      ? await this.#ended(
          what,
          attempt(async () => ok(await step())),
        )
      : {};
    return [earlier, now].flatMap((ended) => (ended?.value === undefined ? [] : [ended.value]));
  }

  /** Tells how a step ended; undefined while it goes on. */
  async #ended<T>(what: string, going: Promise<Ended<T>>): Promise<Ended<T> | undefined> {
    this.#running.set(what, going);
    const ended = await withTimeout(this.#parts.context.parts.clock, BESIDE_MS, going);
    if (ended !== undefined) this.#running.delete(what);
    return ended;
  }

  async #readFills(): Promise<void> {
    const { context, history } = this.#parts;
    const {
      parts: { venue },
    } = context;
    if (venue.card.history.closed_days === null) return;
    const read = await history().catchUp(context.journalAccount());
    this.#fillsAreRead = read.ok && read.value === undefined;
  }

  /** A broken store must not keep the kill switch and the timer from their work. */
  async #settled(): Promise<ReconcileReport> {
    const { value, fault } = await attempt(async () => ok(await this.#parts.reconciler.reconcile()));
    return value ?? { ...NOTHING_RECONCILED, ...defined({ fault }) };
  }

  /** Another process may have halted trading: what this account has open is canceled too. */
  async #keepHalted(): Promise<void> {
    const { context, cancelAll: cancelingAll } = this.#parts;
    const { value: stored } = await attempt(() => context.parts.killSwitch.state());
    const halt = stored ?? context.localKillSwitch;
    if (halt === undefined || !(await this.#mayBeOpen())) return;
    const everyMs = context.knowsAccount ? HALTED_EVERY_MS : HALTED_BLIND_EVERY_MS;
    if (this.#isTime("halted", everyMs)) await cancelingAll.cancelAtOnce();
  }

  /** Tells whether the journal has anything open, or waiting for a person. What cannot be known counts as open. */
  async #mayBeOpen(): Promise<boolean> {
    const { context } = this.#parts;
    const { journal, venue } = context.parts;
    if (venue.keyId === undefined) return false;
    if (!context.knowsAccount) return true;
    const states = ["awaiting_approval", ...LIVE_STATES] as const;
    const { value: live } = await attempt(() => journal.inStates(context.journalAccount(), states, 1));
    return live === undefined || live.length > 0;
  }

  #isTime(what: string, everyMs: number): boolean {
    const now = this.#parts.context.parts.clock.now();
    const last = this.#lastMs.get(what);
    // A clock that was set back must not stop it.
    if (last !== undefined && now >= last && now - last < everyMs) return false;
    this.#lastMs.set(what, now);
    return true;
  }
}
