/**
 * The dead-man's switch: everything is canceled unless the timer is set again in time. It is kept in the store; whichever desk on the
 * same account runs when it is due cancels, else the next one to start. A venue that has such a timer is given it too, and cancels by
 * itself.
 *
 * Source: service.md#tool-safety; service.md#cancel-all-orders-after for the venue's own.
 */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import { CANCEL_DEADLINE, type DeskContext, recordStep } from "../core/context.ts";
import type { CancelAll } from "../execution/cancel-all.ts";
import { beforeSending } from "../model/order-report.ts";
import type { CancelTimerReport } from "../model/reports.ts";
import type { OrderWrites } from "../ports/venue.ts";

export const TIMER_MIN_S = 5;
export const TIMER_MAX_S = 86_400;
/** A process that claimed a due timer and died keeps it from the others for this long. */
const CLAIM_MS = 10_000;

/** Says what fires it here, and what does not. */
const FIRED_BY =
  "a hoga of this profile that runs when it is due cancels within seconds. If none runs then, nothing is canceled until the next " +
  "hoga of this profile starts or its next command that reaches the exchange; a hoga of another profile does not.";
const KEPT_HERE = `The exchange has no such timer, so hoga keeps it: ${FIRED_BY}`;

const KEPT_THERE = "The exchange keeps it and cancels by itself, whether hoga runs or not.";

/** Warns that what was set there before may still run. */
function keptHereAfter({ code }: Fault): string {
  return (
    `The exchange did not confirm its own timer (${code}), so hoga keeps it: ${FIRED_BY} ` +
    "A timer set there before may still fire."
  );
}

/** Who keeps a timer that was set at the exchange with this answer; undefined where it has none. */
function keeping(atVenue: Result<unknown> | undefined): Pick<CancelTimerReport, "kept_by" | "note"> {
  if (atVenue === undefined) return { kept_by: "desk", note: KEPT_HERE };
  return atVenue.ok
    ? { kept_by: "exchange", note: KEPT_THERE }
    : { kept_by: "desk", note: keptHereAfter(atVenue.fault) };
}

/** The desk's own was not touched. */
function stillArmed(fault: Fault): Fault {
  if (fault.reachedVenue !== "unknown") return fault;
  const message =
    "The exchange was asked to switch its timer off and no readable answer came, so it may still cancel everything. The desk's own timer " +
    "stands as it did.";
  return {
    ...fault,
    message,
    nextAction: "Switch it off again with timeout_s 0; until that is confirmed, a timer may fire.",
  };
}

/** The exchange's is off, and the desk's own could not be. */
function stillHere(fault: Fault): Fault {
  return {
    ...fault,
    // Done there, and not here.
    reachedVenue: "unknown",
    message: `The exchange's timer is off. The desk's own still stands, and a hoga that runs when it is due cancels everything. ${fault.message}`,
    nextAction: `Switch it off again with timeout_s 0. ${fault.nextAction}`,
  };
}

export class DeadManSwitch {
  readonly #context: DeskContext;
  readonly #cancelAll: () => CancelAll;
  readonly #writes: Pick<OrderWrites, "setCancelTimer">;

  constructor(context: DeskContext, cancelingAll: () => CancelAll, writes: Pick<OrderWrites, "setCancelTimer">) {
    this.#context = context;
    this.#cancelAll = cancelingAll;
    this.#writes = writes;
  }

  async set(seconds: number): Promise<Result<CancelTimerReport>> {
    const isOff = seconds === 0;
    if (!Number.isInteger(seconds) || (!isOff && (seconds < TIMER_MIN_S || seconds > TIMER_MAX_S)))
      return failed(
        localFault("ELocal:Invalid input", {
          field: "timeout_s",
          message: `timeout_s is a whole number of seconds, ${TIMER_MIN_S} to ${TIMER_MAX_S}, or 0 to switch the timer off.`,
        }),
      );
    const account = await this.#context.account();
    if (!account.ok) return failed(beforeSending(account.fault));
    return isOff ? this.#switchOff(account.value) : this.#arm(account.value, seconds);
  }

  async #arm(account: string, seconds: number): Promise<Result<CancelTimerReport>> {
    const { timers, clock } = this.#context.parts;
    const dueAtMs = clock.now() + seconds * 1_000;
    const done = await timers.arm(account, dueAtMs, clock.now());
    if (!done.ok) return done;
    const warnings = await recordStep(this.#context, { event: "cancel_timer_armed", account, detail: { seconds } });
    const atVenue = await this.#setAtVenue(seconds);
    const fires_at = new Date(dueAtMs).toISOString();
    return ok({ fires_at, ...keeping(atVenue), warnings, ...this.#context.stamp() });
  }

  /** At the venue first: a timer that keeps running there would cancel what is meant to stay. */
  async #switchOff(account: string): Promise<Result<CancelTimerReport>> {
    const atVenue = await this.#setAtVenue(0);
    if (atVenue?.ok === false) return failed(stillArmed(atVenue.fault));
    const { timers } = this.#context.parts;
    const done = await timers.disarm(account);
    if (!done.ok) return atVenue === undefined ? done : failed(stillHere(done.fault));
    const warnings = await recordStep(this.#context, { event: "cancel_timer_disarmed", account, detail: {} });
    const kept_by = atVenue === undefined ? "desk" : "exchange";
    return ok({ fires_at: null, kept_by, note: "The cancel timer is off.", warnings, ...this.#context.stamp() });
  }

  async #setAtVenue(seconds: number): Promise<Result<{ readonly fires_at: string | null }> | undefined> {
    return this.#writes.setCancelTimer?.(seconds);
  }

  /** When it fires; undefined where none is set. */
  async dueAtMs(): Promise<number | undefined> {
    const { timers } = this.#context.parts;
    return (await attempt(() => timers.read(this.#context.journalAccount()))).value?.dueAtMs;
  }

  /** The same for a process that queries the account only if it has to. */
  async fireIfAnyDue(): Promise<void> {
    const { timers, clock } = this.#context.parts;
    // A cancel may be about to follow.
    const look = () => timers.anyDue(clock.now());
    const { value: isAny } = await attempt(() => this.#context.urgentStore.soon(look));
    if (isAny === true && (await this.#context.account(CANCEL_DEADLINE)).ok) await this.fireIfDue();
  }

  /** Cancels everything if the timer is due and no other process is doing so. It stays due until nothing is open. */
  async fireIfDue(): Promise<void> {
    const { timers, clock } = this.#context.parts;
    const account = this.#context.journalAccount();
    const { value: due } = await attempt(() => timers.claimDue(account, clock.now(), CLAIM_MS));
    if (due === undefined) return;
    await recordStep(this.#context, { event: "cancel_timer_fired", account, detail: { due_at_ms: due.dueAtMs } });
    const report = await this.#cancelAll().cancelAtOnce();
    if (report.remaining === 0) await attempt(() => timers.done(account, due.dueAtMs));
  }
}
