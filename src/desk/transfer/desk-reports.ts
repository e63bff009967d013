/**
 * Transfers in the desk's status, halt and reconcile reports: as warnings, since most fields of these are about orders.
 */

import { ok, type Result } from "../../contract/index.ts";
import { inUnit } from "../../decimal/index.ts";
import { sumSettingName } from "../../policy/index.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { DeskStatus, HaltReport, LimitView, ReconcileReport, WaitingItem } from "../model/reports.ts";
import { UNRESOLVED_STATES } from "../model/submission.ts";
import type { UnsettledTransfer } from "../model/transfer-reports.ts";
import type { TransferJournal } from "../ports/transfer.ts";
import { limitView } from "../risk/limits.ts";
import { lineOf } from "../risk/policy-line.ts";
import { queryToolFor, unsettledView } from "./transfer-report.ts";

const LISTED_MAX = 200;
/** In a status, which is read often. */
const NAMED_MAX = 5;

/** Without an answer, on all accounts. @param account "" where none is known */
export async function unsettledTransfers(
  journal: Pick<TransferJournal, "inStates" | "elsewhere">,
  account: string,
): Promise<Result<readonly UnsettledTransfer[]>> {
  const ours = await journal.inStates(account, UNRESOLVED_STATES, LISTED_MAX);
  if (!ours.ok) return ours;
  const others = await journal.elsewhere(account, UNRESOLVED_STATES, LISTED_MAX);
  return others.ok ? ok([...ours.value, ...others.value].map(unsettledView)) : others;
}

/** One line of each, for a person. */
export function unsettledLines(transfers: readonly UnsettledTransfer[]): readonly string[] {
  return transfers.map(
    ({ transfer_id, kind, state, summary, since, account }) =>
      `${kind} ${transfer_id} ${state === "unknown" ? `has had no answer since ${since} and may have been made` : `is let through since ${since} and not sent yet`}: ${summary}; account ` +
      `${account}. Look with ${queryToolFor(kind)}.`,
  );
}

/** The lines of a store, whoever's account they are of. */
export async function unsettledIn({
  transfers,
}: {
  readonly transfers: Pick<TransferJournal, "inStates" | "elsewhere">;
}): Promise<Result<readonly string[]>> {
  const found = await unsettledTransfers(transfers, "");
  return found.ok ? ok(unsettledLines(found.value)) : found;
}

/** For a status: the oldest, and how many there are besides. */
function summaryLines(transfers: readonly UnsettledTransfer[]): readonly string[] {
  const words = unsettledLines(transfers.slice(0, NAMED_MAX));
  const more = transfers.length - words.length;
  const count = transfers.length === LISTED_MAX ? `${more} or more` : String(more);
  return more === 0 ? words : [...words, `Transfers without an answer besides these: ${count}.`];
}

/** What was sent before trading was halted may still take effect. */
export async function withUnsettledTransfers(
  report: HaltReport,
  left: () => Promise<Result<readonly UnsettledTransfer[]>>,
): Promise<HaltReport> {
  const { value = [], fault } = await attempt(left);
  const unlisted =
    fault === undefined ? [] : [`Payments and remittances without an answer could not be listed. ${fault.message}`];
  const words = [...unsettledLines(value), ...unlisted];
  if (words.length === 0) return report;
  const next = report.next_action ?? "Trading is halted; look what became of the payments and remittances named.";
  return { ...report, warnings: [...report.warnings, ...words], next_action: next };
}

/** Of this account: what waits, what has no answer, and what is used of the budgets. */
export async function withTransferStatus(
  context: DeskContext,
  status: DeskStatus,
  { waiting, journal }: TransferStatusSource,
): Promise<DeskStatus> {
  if (!context.knowsAccount) return status;
  const account = context.journalAccount();
  const [{ value: waits = [] }, { value: open = [] }] = await Promise.all([
    attempt(waiting),
    attempt(() => journal.inStates(account, ["approved", ...UNRESOLVED_STATES], LISTED_MAX)),
  ]);
  const policy = context.parts.policy.read();
  const limits: LimitView[] = [];
  for (const [section, family] of [
    ["payments", "payment"],
    ["remittances", "remittance"],
  ] as const) {
    const rules = policy.ok ? policy.value[section] : undefined;
    if (rules === undefined) continue;
    const { value } = await attempt(() => journal.usage(account, family, context.parts.clock.now()));
    if (value === undefined) continue;
    const line = `[${section}] ${lineOf(sumSettingName("max_day", context.unit), rules.maxDay.toString())}`;
    const used = (value.unit ?? context.unit) === context.unit ? inUnit(value.day) : undefined;
    limits.push(limitView({ rule: `${section}_day_budget`, line }, rules.maxDay, used));
  }
  return {
    ...status,
    limits: [...status.limits, ...limits],
    waiting: [...status.waiting, ...waits],
    warnings: [...status.warnings, ...summaryLines(open.map(unsettledView))],
  };
}

interface TransferStatusSource {
  readonly waiting: () => Promise<Result<readonly WaitingItem[]>>;
  readonly journal: TransferJournal;
}

interface Reconciles {
  reconcile(): Promise<ReconcileReport>;
}

/** Orders and transfers in one report of what was found out. */
export function combinedReconciler(orders: Reconciles, transfers: Reconciles): Reconciles {
  const both = async (): Promise<ReconcileReport> => {
    const { fault: first, ...ofOrders } = await orders.reconcile();
    const { fault = first, ...ofTransfers } = await transfers.reconcile();
    return {
      checked: ofOrders.checked + ofTransfers.checked,
      accepted: ofOrders.accepted + ofTransfers.accepted,
      not_placed: ofOrders.not_placed + ofTransfers.not_placed,
      still_unknown: ofOrders.still_unknown + ofTransfers.still_unknown,
      ...(fault === undefined ? {} : { fault }),
    };
  };
  return { reconcile: both };
}
