/**
 * Withdraws what waits for a person, when everything is canceled or trading is halted: a later yes must not send it.
 *
 * Invariants: needs the journal alone, no exchange and no key; what could not be withdrawn is said, never left out.
 *
 * Source: architecture.md#rule-4.
 */
import type { Fault } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import type { WithdrawnItem } from "../model/reports.ts";
import type { AnySubmission } from "../model/submission.ts";
import { endWaiting, isExpired, type SubmissionKind, type WhyEnded } from "./pending-approvals.ts";

/** More than may wait on many accounts. */
const LISTED_MAX = 1_000;

export interface Withdrawal {
  readonly withdrawn: readonly WithdrawnItem[];
  readonly warnings: readonly string[];
  /** False where something may still be approved. */
  readonly isWhole: boolean;
}

export const NOTHING_WITHDRAWN: Withdrawal = { withdrawn: [], warnings: [], isWhole: true };

export interface WithdrawalPlan<Item> {
  /** Undefined: all accounts. */
  readonly account?: string | undefined;
  readonly isMeant?: (item: Item) => boolean;
  readonly why: WhyEnded;
  readonly atMs: number;
}

export async function withdrawAll<Item extends AnySubmission>(
  kind: SubmissionKind<Item>,
  { account, isMeant = () => true, why, atMs }: WithdrawalPlan<Item>,
): Promise<Withdrawal> {
  const { journal } = kind;
  const waiting = ["awaiting_approval"] as const;
  const found = await attempt(() =>
    account === undefined ? journal.elsewhere("", waiting, LISTED_MAX) : journal.inStates(account, waiting, LISTED_MAX),
  );
  if (found.fault !== undefined) return failedWithdrawal(found.fault);
  const withdrawn: WithdrawnItem[] = [];
  const warnings: string[] = [];
  for (const item of (found.value ?? []).filter(isMeant)) {
    const view = kind.viewOf(item);
    // What nobody answered in time has ended by itself.
    const isOver = isExpired(item, atMs);
    const ending = { ...(isOver ? { message: kind.lapsedMessage } : why), to: "lapsed", atMs } as const;
    const { value: ended, fault } = await attempt(() => endWaiting(kind, item, ending));
    if (fault !== undefined)
      warnings.push(`Not withdrawn, and may still be approved: ${nameOf(view)}. ${fault.message}`);
    else if (ended?.state === "lapsed" && !isOver) withdrawn.push(view);
    else if (ended?.state !== "lapsed" && ended?.state !== "denied")
      warnings.push(`A person approved it at this very moment: ${nameOf(view)}. Look what became of it.`);
  }
  return { withdrawn, warnings, isWhole: warnings.length === 0 };
}

export function failedWithdrawal({ message }: Fault): Withdrawal {
  const warning = `What waits for a person could not be withdrawn, and may still be approved. ${message}`;
  return { withdrawn: [], warnings: [warning], isWhole: false };
}

export function together(first: Withdrawal, second: Withdrawal): Withdrawal {
  return {
    withdrawn: [...first.withdrawn, ...second.withdrawn],
    warnings: [...first.warnings, ...second.warnings],
    isWhole: first.isWhole && second.isWhole,
  };
}

const AGAIN =
  "Something that waited for a person may still be approved: ask once more, or have the user run hoga pending.";

/** The report of a cancel-all, with what was withdrawn beside it. */
export function withWithdrawn<
  Report extends {
    readonly warnings: readonly string[];
    readonly next_action?: string;
    readonly withdrawn: readonly WithdrawnItem[];
  },
>(report: Report, { withdrawn, warnings, isWhole }: Withdrawal): Report {
  const next = isWhole ? {} : { next_action: report.next_action ?? AGAIN };
  return { ...report, withdrawn, warnings: [...report.warnings, ...warnings], ...next };
}

function nameOf({ id, userref, summary }: WithdrawnItem): string {
  return `${summary}, ${userref === null ? `id ${id}` : `userref ${userref}`}`;
}
