/** The plans that wait for a person, as a table: which, what is asked of it, what it counts for, and when the question ends. */
import type { PendingPlan } from "../../desk/index.ts";
import { planNow, planSummary, type Words } from "../../words/index.ts";
import { planTextSay } from "./plan-words.ts";
import { table } from "./table.ts";

export function plansWaitingTable(pending: readonly PendingPlan[], unit: string, words: Words): string {
  const say = planTextSay(words);
  const rows = pending.map(({ asked: { id, action, expires_at }, plan }) => [
    id,
    `${say(`asks.${action}`)}: ${planSummary(plan.terms, planNow(plan, unit), words)}`,
    words.figure(plan.worst_case_value, unit),
    words.when(expires_at),
  ]);
  return table(
    [words.say("column.id"), say("plan.column"), words.say("column.counts_for"), words.say("column.lapses")],
    rows,
  );
}
