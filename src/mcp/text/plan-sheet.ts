/**
 * Owns what the view of a plan shows, in each language that the view may speak: the very lines that the client's form, the terminal and the
 * console put to a person, and the plan's figures beside them.
 *
 * Invariants: it is words alone; neither the digest of the question nor a seal goes with them, so that nothing a chat holds makes a yes.
 *
 * Source: decision 0118.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Desk, PendingPlan, PlanView } from "../../desk/index.ts";
import {
  type Locale,
  planFigure,
  planFiguresLine,
  planFiguresWorst,
  planInstead,
  planKind,
  planState,
  type Words,
  wordsFor,
} from "../../words/index.ts";
import type { Person } from "../person/approval.ts";
import { planQuestionLines } from "../person/plan-question.ts";
import type { PlanCard } from "../person/view-data.ts";
import { withSheet } from "../person/views.ts";

/** A plan as a result is about it. */
export interface Reported {
  readonly plan?: PlanView;
  readonly account: string;
  readonly warnings?: readonly string[];
}

/** The result with what its view shows, where the client has views. Where what waits of the plan cannot be read there is no sheet, and the view shows the text. */
export async function withPlanSheet(
  desk: Desk,
  { plan, account, warnings = [] }: Reported,
  { view, words }: Pick<Person, "view" | "words">,
  result: CallToolResult,
): Promise<CallToolResult> {
  if (view === undefined || plan === undefined || result.isError === true) return result;
  const { plan_id: planId, symbol, asked } = plan;
  const question = asked && (await questionAbout(desk, planId));
  if (asked !== undefined && question === undefined) return result;
  const cardIn = (locale: Locale): PlanCard => {
    const reading = wordsFor({ locale, timeZone: words.timeZone });
    const instead = planInstead(plan, desk.unit, reading);
    const lines =
      question === undefined
        ? [
            planFiguresLine(plan, desk.unit, reading),
            ...(instead === undefined ? [] : [instead]),
            ...warnings.map(reading.told),
          ]
        : planQuestionLines(desk, account, question, reading);
    const kind = planKind(plan.terms, reading);
    return { kind, state: planState(plan.state, reading), figures: figuresOf(plan, desk.unit, reading), lines };
  };
  return withSheet(result, { planId, symbol, isAsked: question !== undefined, en: cardIn("en"), ko: cardIn("ko") });
}

/** What is shown is what its digest stands for. */
async function questionAbout({ plans }: Desk, planId: string | null): Promise<PendingPlan | undefined> {
  const pending = await plans?.pending();
  return pending?.ok === true ? pending.value.find(({ asked }) => asked.id === planId) : undefined;
}

function figuresOf(plan: PlanView, unit: string, words: Words): PlanCard["figures"] {
  return [
    [planFigure("worst", words), planFiguresWorst(plan, unit, words)],
    [planFigure("reserved", words), words.amount(plan.reserved, unit)],
    [planFigure("until", words), words.when(plan.until)],
  ];
}
