/**
 * The kill switch ("halt" to people): no new order in any process, and everything that is open is canceled and queried again. It needs
 * no approval, and works with the budgets spent, the disk full or the audit log broken. Lifting it takes a person.
 *
 * Invariants: no query precedes the first cancel; what could not be canceled, or is not known yet, is listed, never left out; what
 * waits for a person is withdrawn, on every account, so that no yes sends it after the halt was lifted.
 *
 * Source: architecture.md#rule-4; decisions 0011 and 0074.
 */
import { defined, type Fault, failed, localFault, ok, type Result, visibleLine } from "../../contract/index.ts";
import { orderKind, type SubmissionKind, type WhyEnded } from "../approval/pending-approvals.ts";
import { type Withdrawal, withdrawAll } from "../approval/withdrawal.ts";
import { attempt, withTimeout } from "../core/attempt.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { CancelAll } from "../execution/cancel-all.ts";
import type { KillSwitchRecord } from "../model/account-usage.ts";
import type { UnresolvedIntent } from "../model/evidence.ts";
import type { IntentRecord } from "../model/intent.ts";
import { LIVE_STATES } from "../model/intent-state.ts";
import { intentStateOf, reportError } from "../model/order-report.ts";
import type { CancelAllReport, CancelItem, ElsewhereOrder, HaltReport, WithdrawnItem } from "../model/reports.ts";
import { UNRESOLVED_STATES } from "../model/submission.ts";
import type { Journal } from "../ports/journal.ts";
import type { Engaged } from "../ports/safeguards.ts";
import type { Agreement, ResumeReport } from "../queries/unknown-orders.ts";
import { unresolvedView } from "../queries/waiting.ts";
import type { OrderReconciler } from "../reconciliation/order-lookup.ts";

/** Rounds of canceling and querying, as orders that were on their way may still arrive in the book. */
const ROUNDS_MAX = 5;
const PAUSE_MS = 150;
/** No further round begins after this long: a venue that does not answer takes minutes of each, and maintenance keeps canceling. */
const ROUNDS_MS = 8_000;
/** Once the cancels have gone: how long after it began a process that ends waits to hear that the halt is stored, as it may be the only one to tell the others. */
const STORED_MS = 1_500;
/** Between two rounds, orders without an answer are reconciled for at most this long. */
const RECONCILE_MS = 3_000;
const UNRESOLVED_MAX = 200;
/** Characters. */
const REASON_MAX = 200;

/** A halt is never refused for its words: they are kept as one visible line. */
export function haltReason(words: string): string {
  return visibleLine(words, REASON_MAX) ?? "";
}

export class KillSwitch {
  readonly #context: DeskContext;
  readonly #cancelAll: CancelAll;
  readonly #reconciler: OrderReconciler;
  readonly #withdrawing: Withdrawing;

  /** @param withdrawing takes back what waits for a person */
  constructor(context: DeskContext, cancelingAll: CancelAll, reconciler: OrderReconciler, withdrawing: Withdrawing) {
    this.#context = context;
    this.#cancelAll = cancelingAll;
    this.#reconciler = reconciler;
    this.#withdrawing = withdrawing;
  }

  async halt(reason: string, by: string): Promise<HaltReport> {
    const { clock } = this.#context.parts;
    const record = { reason: haltReason(reason), by, atMs: clock.now() };
    const engagement = await this.#engage(record);
    const endsAtMs = clock.now() + ROUNDS_MS;
    const seen = new Map<string, CancelItem>();
    const withdrawn: WithdrawnItem[] = [];
    let wasAccepted = false;
    for (let round = 1; ; round++) {
      let underway: Unresolved = { intents: [] };
      const report = await this.#round(seen, async (account) => {
        // Before the open orders are queried: nothing new begins, so what has its answer by now is among them.
        underway = await this.#unresolved(account);
      });
      withdrawn.push(...report.withdrawn);
      wasAccepted ||= report.outcome === "accepted";
      const isKnown = report.remaining === 0 && underway.fault === undefined && underway.intents.length === 0;
      // Else it says what to do about what waits.
      const isDone = isKnown && report.next_action === undefined;
      const isLast = round === ROUNDS_MAX || clock.now() >= endsAtMs;
      if (isDone || isLast) {
        const reach = await this.#reach(record, engagement);
        const elsewhere = await this.#elsewhere();
        // What was carried out once is not undone by a later round that could not ask.
        const last = wasAccepted ? ({ ...report, outcome: "accepted" } as const) : report;
        const found = joined(last, seen, underway, reach);
        return { ...found, withdrawn, elsewhere, ...(isDone ? {} : isKnown ? NOT_WITHDRAWN : INCOMPLETE) };
      }
      await clock.sleep(PAUSE_MS);
      // Neither a broken store nor a venue that answers slowly about such orders may stop the cancels.
      if (underway.intents.length > 0)
        await withTimeout(
          clock,
          RECONCILE_MS,
          attempt(async () => ok(await this.#reconciler.reconcile())),
        );
    }
  }

  /** A broken invariant while an order was on its way. */
  async haltOnDefect(): Promise<void> {
    const { killSwitch, clock } = this.#context.parts;
    const record = { reason: "Something inside hoga itself failed while an order was on its way.", by: "hoga" };
    // A fault of the store is a reason to halt. Anything else is a store that was closed during a step, as in a process that is
    // ending: that halts only itself, and cancels what it still can.
    const { value: seen } = await attempt(async () => ok(await killSwitch.state()));
    if (seen !== undefined) {
      await this.halt(record.reason, record.by);
      return;
    }
    this.#context.localKillSwitch = { ...record, atMs: clock.now() };
    await attempt(async () => ok(await this.#cancelAll.cancelAtOnce()));
  }

  /** @param agreeing what a person's go is for, in a store that was put back */
  async resume(by: string, agreeing: () => Promise<Agreement>): Promise<ResumeReport> {
    const { killSwitch } = this.#context.parts;
    const { refused, list: since_copy, detail } = await agreeing();
    const listed = defined({ since_copy });
    if (refused !== undefined)
      return { resumed: false, ...this.#context.stamp(), ...listed, error: reportError(refused) };
    const released = await attempt(() => killSwitch.release());
    if (released.fault !== undefined)
      return { resumed: false, ...this.#context.stamp(), error: reportError(released.fault) };
    this.#context.localKillSwitch = undefined;
    const account = this.#context.journalAccount();
    await recordStep(this.#context, { event: "resumed", account, detail: { by, ...detail } });
    return { resumed: true, ...this.#context.stamp(), ...listed };
  }

  /** Tries once more to halt the other processes, where only this one is halted. */
  async propagate(): Promise<void> {
    const { killSwitch } = this.#context.parts;
    const here = this.#context.localKillSwitch;
    if (here === undefined) {
      // A command may have halted while the store was out of reach, and ended.
      await attempt(() => killSwitch.spread());
      return;
    }
    const { fault } = await attempt(() => killSwitch.engage(here));
    if (fault === undefined) this.#context.localKillSwitch = undefined;
  }

  async #engage(record: KillSwitchRecord): Promise<Engagement> {
    const { killSwitch } = this.#context.parts;
    // First the part that cannot fail.
    this.#context.localKillSwitch = record;
    let engaged: Engaged = failed(localFault("ELocal:Store unavailable"));
    await attempt(async () => {
      engaged = await killSwitch.engage(record);
      return engaged;
    });
    if (engaged.ok) this.#context.localKillSwitch = undefined;
    const { reason, by } = record;
    const step = { event: "halted", account: this.#context.journalAccount(), detail: { reason, by } };
    return { engaged, warnings: await recordStep(this.#context, step) };
  }

  /** Tells how far it holds by now: what was not stored at once may have been meanwhile. */
  async #reach(
    record: KillSwitchRecord,
    { engaged, warnings }: Engagement,
  ): Promise<Pick<HaltReport, "brake" | "warnings">> {
    if (engaged.ok) return { brake: "everywhere", warnings: [...engaged.value, ...warnings] };
    const { clock, endsAfterCommand = false } = this.#context.parts;
    const { fault, inDirectory, late } = engaged;
    const waitMs = endsAfterCommand ? Math.max(0, record.atMs + STORED_MS - clock.now()) : 0;
    const stored =
      late &&
      (await withTimeout(
        clock,
        waitMs,
        attempt(() => late),
      ));
    if (stored?.value !== undefined) {
      if (this.#context.localKillSwitch === record) this.#context.localKillSwitch = undefined;
      return { brake: "everywhere", warnings: [...stored.value, ...warnings] };
    }
    if (inDirectory === true) return { brake: "directory", warnings: [fault.message, ...warnings] };
    const only = `The halt could not be stored, so no other process obeys it. ${fault.message}`;
    return { brake: endsAfterCommand ? "nowhere" : "here", warnings: [only, ...warnings] };
  }

  async #round(
    seen: Map<string, CancelItem>,
    beforeQuery: (account: Result<string>) => Promise<void>,
  ): Promise<CancelAllReport> {
    const isEnded = ({ state }: CancelItem) => ENDED.includes(state);
    const unsettled = [...seen.values()].filter((item) => !isEnded(item));
    const ended = new Set([...seen.values()].filter(isEnded).map(({ orderId }) => orderId));
    const report = await this.#cancelAll.cancelAtOnce({
      unsettled,
      ended,
      beforeQuery,
      withdraw: () => this.#withdrawing(this.#context.parts.clock.now()),
    });
    for (const item of report.results) seen.set(item.orderId, item);
    return report;
  }

  /** Lists what is open, or may be, on the accounts of other profiles: their keys are not ours to use. */
  async #elsewhere(): Promise<readonly ElsewhereOrder[]> {
    const { journal, scope } = this.#context.parts;
    const { value = [] } = await attempt(() => ordersOfOtherAccounts(journal, this.#context.journalAccount()));
    // While it is not known which account of this exchange is ours, none of them is called another's.
    return value.filter(
      ({ account }) => this.#context.knowsAccount || (scope !== undefined && !account.startsWith(`${scope}/`)),
    );
  }

  async #unresolved(account: Result<string>): Promise<Unresolved> {
    const { journal } = this.#context.parts;
    if (!account.ok) return { intents: [], fault: account.fault };
    const found = await attempt(() => journal.inStates(account.value, UNRESOLVED_STATES, UNRESOLVED_MAX));
    const intents = (found.value ?? []).map(unresolvedView);
    return found.fault === undefined ? { intents } : { intents, fault: found.fault };
  }
}

/** Lists what the journal has open, or without an answer, on all accounts but this one. */
export async function ordersOfOtherAccounts(
  journal: Pick<Journal, "elsewhere">,
  account: string,
): Promise<Result<readonly ElsewhereOrder[]>> {
  const states = [...LIVE_STATES, ...UNRESOLVED_STATES];
  const found = await journal.elsewhere(account, states, UNRESOLVED_MAX);
  return found.ok ? ok(found.value.map(elsewhereView)) : found;
}

function elsewhereView(intent: IntentRecord): ElsewhereOrder {
  const { account, userref, orderId, body } = intent;
  const state = intentStateOf(intent);
  return { environment: body.environment, account, userref, orderId, symbol: body.order.symbol, state };
}

/** Tells what came of engaging it at first, and what the log has against that. */
interface Engagement {
  readonly engaged: Engaged;
  readonly warnings: readonly string[];
}

/** Withdraws everything that waits for a person, on all accounts. */
export type Withdrawing = (atMs: number) => Promise<Withdrawal>;

export const HALTED_WHILE_WAITING: WhyEnded = {
  message: "Trading was halted, so it was withdrawn before anybody approved it. Nothing was sent.",
};

export function withdrawOrders(journal: SubmissionKind<IntentRecord>["journal"], atMs: number): Promise<Withdrawal> {
  return withdrawAll(orderKind(journal), { why: HALTED_WHILE_WAITING, atMs });
}

/** Orders without an answer; with a fault where they cannot be listed. */
interface Unresolved {
  readonly intents: readonly UnresolvedIntent[];
  readonly fault?: Fault;
}

const INCOMPLETE = {
  next_action:
    "Trading is halted, but not everything is known to be canceled: look with get_open_orders and call halt_trading again.",
} as const;
const NOT_WITHDRAWN = {
  next_action:
    "Trading is halted, but something that waited for a person could not be withdrawn: call halt_trading again before anybody resumes.",
} as const;
const ENDED: readonly string[] = ["filled", "canceled", "expired"];

/** Joins what all rounds have found, in the words of the last. */
function joined(
  { next_action: _next, ...last }: CancelAllReport,
  seen: ReadonlyMap<string, CancelItem>,
  { intents, fault }: Unresolved,
  engaged: Pick<HaltReport, "brake" | "warnings">,
): Omit<HaltReport, "elsewhere"> {
  const results = [...seen.values()];
  const canceled = results.filter(({ state }) => state === "canceled").length;
  const unlisted = fault === undefined ? [] : [`Orders without an answer could not be listed. ${fault.message}`];
  const warnings = [...engaged.warnings, ...last.warnings, ...unlisted];
  return { ...last, results, canceled, brake: engaged.brake, unresolved: intents, warnings };
}
