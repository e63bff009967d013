/** What a person is asked of a plan, in their own language: that it is to begin, or how one that stands is to be changed. */
import type { ApprovalView } from "../../../src/serve/console/console-api.ts";
import { planFiguresSheet } from "../../../src/words/index.ts";
import { useUnit } from "../parts/figure.tsx";
import { Notice } from "../parts/notice.tsx";
import { useConsole } from "../state/console.ts";
import { hashOf } from "../state/route.ts";
import { PlanFacts } from "./plan-facts.tsx";
import type { Plan } from "./plan-levels.ts";

/** The sheet of a plan line by line, or the question of its change; undefined of anything else. */
export function usePlanLines({ plan, plan_action: action = "start" }: ApprovalView): readonly string[] | undefined {
  const { words, session, account } = useConsole();
  const { shared } = words.value;
  const unit = useUnit();
  if (plan === undefined) return undefined;
  const isLive = session.value.environment === "live";
  const asking = { action, planId: plan.plan_id ?? "", account: account.value, isLive, unit };
  return planFiguresSheet(plan, asking, shared);
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
        {lines.slice(0, -1).map((line) => (
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
