/**
 * Takes back what would send an order later, when everything is canceled, or all of a market or side: orders that wait for a person, changes that are about
 * to be placed, and plans. Plans that wait for a person are withdrawn and those that may buy stand still; what protects goes on, and is named,
 * but for a stop whose order rests, which is canceled as any.
 *
 * Invariant: a store that does not answer holds no cancel up; what could not be taken back is said.
 *
 * Source: architecture.md#rule-4; decision 0114.
 */
import type { Fault, Order, Result } from "../../contract/index.ts";
import { orderKind } from "../approval/pending-approvals.ts";
import { failedWithdrawal, NOTHING_WITHDRAWN, together, type Withdrawal, withdrawAll } from "../approval/withdrawal.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isProtection, type PlanRecord } from "../model/plan.ts";
import type { WithdrawnItem } from "../model/reports.ts";
import type { PlansMeant } from "../ports/plan-book.ts";
import { withdrawChanges } from "./replaced-order.ts";

/** Which orders. Undefined: all. */
export type Meant = PlansMeant;

const STOPPED = "All orders were canceled.";

export function isMeant({ symbol, side }: Meant, order: Pick<Order, "symbol" | "side">): boolean {
  return (symbol ?? order.symbol) === order.symbol && (side ?? order.side) === order.side;
}

/** What waits for a person would else be sent by a later yes. */
export async function withdrawWaiting(
  context: DeskContext,
  account: Result<string>,
  meant: Meant,
): Promise<Withdrawal> {
  if (!account.ok) return failedWithdrawal(account.fault);
  const { journal, clock } = context.parts;
  const isOne = ({ body: { order } }: IntentRecord) => isMeant(meant, order);
  const waiting = await withdrawAll(orderKind(journal), {
    account: account.value,
    isMeant: isOne,
    why: { message: "It was withdrawn with all other orders, before anybody approved it. Nothing was sent." },
    atMs: clock.now(),
  });
  const changes = await withdrawChanges(context, account.value, isOne);
  return together(together(waiting, changes), await stopPlans(context, account.value, meant));
}

async function stopPlans({ parts: { plans, clock } }: DeskContext, account: string, meant: Meant): Promise<Withdrawal> {
  if (plans === undefined) return NOTHING_WITHDRAWN;
  const { value: found, fault } = await attempt(() => plans.pauseAll(account, STOPPED, clock.now(), meant));
  if (found === undefined) return unstopped(fault);
  const protections = found.kept.filter(({ terms }) => isProtection(terms));
  const resting = protections.filter(isResting);
  const kept = protections.filter((plan) => !isResting(plan));
  return {
    withdrawn: found.withdrawn.map(itemOf),
    warnings: [
      ...listed(found.paused, "Plans that may buy stand still until a person resumes them"),
      ...listed(kept, "Plans that protect coins go on, as canceling orders takes no protection away"),
      ...listed(
        resting,
        "Stops whose order rests stand still where that was canceled too, and protect nothing until a person starts them again",
      ),
    ],
    isWhole: true,
  };
}

/** It has triggered, and its order waits at its limit: canceled with all others, as the person wanted, it takes its plan along. */
function isResting({ terms, openStep }: PlanRecord): boolean {
  return openStep !== null && terms.kind === "stop" && terms.limitPrice !== undefined;
}

function unstopped(fault: Fault | undefined): Withdrawal {
  const warning = `Plans that may buy, or wait for a person, could not be stopped: look with list_plans. ${fault?.message ?? ""}`;
  return { withdrawn: [], warnings: [warning.trim()], isWhole: false };
}

function itemOf({ planId, terms }: PlanRecord): WithdrawnItem {
  const where = "symbol" in terms && terms.symbol !== undefined ? ` on ${terms.symbol}` : "";
  return { id: planId, userref: null, summary: `plan (${terms.kind})${where}` };
}

function listed(plans: readonly PlanRecord[], what: string): readonly string[] {
  return plans.length === 0 ? [] : [`${what}: ${plans.map(({ planId }) => planId).join(", ")}.`];
}
