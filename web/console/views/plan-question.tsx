/** What a person is asked of a plan, in their own language: that it is to begin, or how one that stands is to be changed. */
import type { ApprovalView } from "../../../src/serve/console/console-api.ts";
import { changeQuestion, planFiguresLine, planFiguresSheet } from "../../../src/words/index.ts";
import { useUnit } from "../parts/figure.tsx";
import { Notice } from "../parts/notice.tsx";
import { useConsole } from "../state/console.ts";
import { hashOf } from "../state/route.ts";
import { PlanFacts } from "./plan-facts.tsx";
import { guardedBy, type Plan } from "./plan-levels.ts";

/** The sheet of a plan line by line, or the question of its change; undefined of anything else. */
export function usePlanLines({ plan, plan_action: action = "start" }: ApprovalView): readonly string[] | undefined {
  const { words, session, account } = useConsole();
  const { shared } = words.value;
  const unit = useUnit();
  if (plan === undefined) return undefined;
  const isLive = session.value.environment === "live";
  if (action === "start") return planFiguresSheet(plan, { account: account.value, isLive, unit }, shared);
  const question = { action, planId: plan.plan_id ?? "", isLive, ...guardedBy(plan) };
  return [changeQuestion(question, shared), planFiguresLine(plan, unit, shared)];
}

/** What a yes does is said where it is given. @param plan the one that is asked about */
export function PlanQuestion({ of, plan }: { readonly of: ApprovalView; readonly plan: Plan }) {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const lines = usePlanLines(of) ?? [];
  const isStart = of.kind === "plan";
  return (
    <>
      <ul class="sheet">
        {(isStart ? lines.slice(0, -1) : lines).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {isStart ? (
        <PlanFacts plan={plan} isBesideSheet />
      ) : (
        <p>
          <a href={hashOf({ view: "plans", of: plan.plan_id ?? "" })}>{say("plans.one")}</a>
        </p>
      )}
      {of.warnings?.map((warning) => (
        <Notice key={warning} tone="warn">
          {shared.told(warning)}
        </Notice>
      ))}
    </>
  );
}
