/**
 * Owns the question that a person answers about a plan, in their client or on the console's page, as of an order.
 *
 * Invariants: what is shown is what its digest stands for, line by line, with all that was known against it; a yes is to that question alone.
 */
import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { defined, quoted } from "../../contract/index.ts";
import type { Desk, PendingPlan, PlanAnswerRequest, PlanWriteReport } from "../../desk/index.ts";
import {
  changeSheet,
  guardedBy,
  planAnswer,
  planNow,
  planSheet,
  replacedBy,
  type ShownQuestion,
  type Words,
  worstOf,
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

type Asked = Pick<PendingPlan, "plan" | "asked" | "warnings">;

export function planQuestionText(...question: Parameters<typeof planQuestionLines>): string {
  return planQuestionLines(...question).join("\n");
}

/** The sheet of what waits, in words that a person reads: one for the client's form, the terminal, the console and the view in the chat. */
export function planQuestionLines(
  desk: Pick<Desk, "environment" | "unit">,
  account: string,
  { plan, asked, warnings }: Asked,
  words: Words,
): readonly string[] {
  const { terms, shown, until, plan_id: planId } = plan;
  const isLive = desk.environment === "live";
  const question: ShownQuestion = {
    ...{ plan: terms, now: planNow(plan, desk.unit), worst: worstOf(plan), account: quoted(account), isLive, until },
    ...{ warnings, why: asked.why, ends: asked.expires_at },
    ...defined({ slippage: shown?.slippagePct }),
    ...replacedBy(plan, desk.unit, words),
  };
  const { action } = asked;
  if (action === "start") return planSheet(question, words);
  const change = { action, planId: planId ?? asked.id, isLive, ...guardedBy(plan) };
  return changeSheet(change, question, words);
}
