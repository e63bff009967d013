/**
 * Owns the question that a person answers about a plan, in their client or on the console's page, as of an order.
 *
 * Invariants: what is shown is what its digest stands for, line by line, with all that was known against it; a yes is to that question alone.
 */
import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { defined, quoted } from "../../contract/index.ts";
import { quantity } from "../../decimal/index.ts";
import type { Desk, PendingPlan, PlanAnswerRequest, PlanView, PlanWriteReport } from "../../desk/index.ts";
import {
  assetsOf,
  changeSheet,
  type PlanNow,
  planAnswer,
  planSheet,
  type ShownQuestion,
  type ShownWorst,
  type Words,
} from "../../words/index.ts";
import { type Person, questionOf, type SealQuestion } from "./approval.ts";

/**
 * Asks the person at the client to approve what waits of a plan.
 * @param request of the call, which has to come back with the answer
 * @returns undefined where nothing waits, or where no answer of this client would count
 */
export async function planAsked(
  desk: Desk,
  { approval, error, account }: PlanWriteReport,
  request: PlanAnswerRequest,
  person: Person,
): Promise<InputRequiredResult | undefined> {
  const { plans } = desk;
  if (plans === undefined || approval === undefined || error !== undefined) return undefined;
  if (!(person.canBeAsked || person.canBeSent)) return undefined;
  const { id, action } = approval;
  const pending = await plans.pending();
  // What is shown is what its digest stands for.
  const view = pending.ok && pending.value.find(({ asked }) => asked.id === id && asked.action === action);
  if (!view) return undefined;
  const { words, session } = person;
  const { yes: title, does: description } = planAnswer(words, action);
  const message = planQuestionText(desk, account, view, words);
  const seal: SealQuestion = (by) => plans.sealApproval(id, view.digest, request, session, by);
  return questionOf(desk, person, { id, message, yes: { title, description }, seal });
}

/** The sheet of what waits, in words that a person reads: one for the client's form, the terminal and the console. */
export function planQuestionText(
  desk: Pick<Desk, "environment" | "unit">,
  account: string,
  { plan, asked, warnings }: Pick<PendingPlan, "plan" | "asked" | "warnings">,
  words: Words,
): string {
  const { terms, shown, until, plan_id: planId } = plan;
  const isLive = desk.environment === "live";
  const question: ShownQuestion = {
    ...{ plan: terms, now: planNow(plan, desk.unit), worst: worstOf(plan), account: quoted(account), isLive, until },
    ...{ warnings, why: asked.why, ends: asked.expires_at },
    ...defined({ slippage: shown?.slippagePct }),
  };
  const { action } = asked;
  if (action === "start") return planSheet(question, words).join("\n");
  const asset = plan.symbol === null ? "" : assetsOf(plan.symbol).base;
  const change = { action, planId: planId ?? asked.id, volume: plan.left_volume ?? volumeOf(plan), asset, isLive };
  return changeSheet(change, question, words).join("\n");
}

/** What of a plan changes while it runs. */
export function planNow({ trigger, high, floor, next_turns, turns_left }: PlanView, unit: string): PlanNow {
  return { unit, ...defined({ trigger, high, floor, turnsLeft: turns_left, next: next_turns?.[0]?.at }) };
}

/** What it comes to at worst, as far as a view tells. */
export function worstOf(plan: PlanView): ShownWorst {
  const { shown, worst_case_value, filled_volume = "0", left_volume } = plan;
  const volume = left_volume === undefined ? volumeOf(plan) : sum(left_volume, filled_volume);
  return { value: shown?.worstValue ?? worst_case_value, ...defined({ atLeast: shown?.atLeast, volume }) };
}

function sum(left: string, filled: string): string {
  return quantity(left).plus(quantity(filled)).toString();
}

/** Coins in all; of what goes by a calendar those of one turn. */
function volumeOf({ terms }: PlanView): string {
  if ("volume" in terms) return terms.volume;
  return "size" in terms && "volume" in terms.size ? terms.size.volume : "0";
}
