/** Reconciles everything that has no answer, one after the other, and sums it up: the same for orders and transfers. */
import { defined, type Fault, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { ReconcileReport } from "../model/reports.ts";

export const NOTHING_RECONCILED: ReconcileReport = { checked: 0, accepted: 0, not_placed: 0, still_unknown: 0 };

export interface Batch<Item> {
  /** What may be settled, oldest first. */
  readonly open: (account: string) => Promise<Result<readonly Item[]>>;
  /** @returns it as it then is; a fault where the venue could not be queried */
  readonly settle: (item: Item) => Promise<{ readonly after: Item; readonly fault?: Fault }>;
  /** What is known of it now; undefined where it was never sent. */
  readonly outcome: (item: Item) => "accepted" | "not_placed" | "still_unknown" | undefined;
}

/** Settles everything of the account; stops at the first that the venue cannot be queried for. */
export async function reconcileBatch<Item>(
  context: DeskContext,
  { open: read, settle, outcome }: Batch<Item>,
): Promise<ReconcileReport> {
  const counts = { ...NOTHING_RECONCILED };
  const account = await context.account();
  if (!account.ok) return { ...counts, fault: account.fault };
  const open = await read(account.value);
  if (!open.ok) return { ...counts, fault: open.fault };
  for (const [index, item] of open.value.entries()) {
    const { after, fault } = await settle(item);
    if (fault !== undefined) {
      const rest = open.value.slice(index).filter((each) => outcome(each) === "still_unknown");
      return { ...counts, still_unknown: counts.still_unknown + rest.length, fault };
    }
    counts.checked += 1;
    const ended = outcome(after);
    if (ended !== undefined) counts[ended] += 1;
  }
  return counts;
}

/** Several reports as one; what is still unknown, and the fault, are those of the last. */
export function combinedReport(reports: readonly ReconcileReport[]): ReconcileReport {
  return reports.reduce(
    (all, { fault, ...report }) => ({
      checked: all.checked + report.checked,
      accepted: all.accepted + report.accepted,
      not_placed: all.not_placed + report.not_placed,
      still_unknown: report.still_unknown,
      ...defined({ fault }),
    }),
    NOTHING_RECONCILED,
  );
}
