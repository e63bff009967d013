/** What a plan does, why it stands as it does, its figures, and what can be done with it. */
import { planFiguresLine } from "../../../src/words/index.ts";
import { Time, useUnit } from "../parts/figure.tsx";
import { useConsole } from "../state/console.ts";
import { hashOf } from "../state/route.ts";
import { PlanActs } from "./plan-acts.tsx";
import { PlanFacts } from "./plan-facts.tsx";
import type { Plan } from "./plan-levels.ts";

export function PlanBody({ plan }: { readonly plan: Plan }) {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const unit = useUnit();
  const { why, note, asked } = plan;
  return (
    <>
      <p>{planFiguresLine(plan, unit, shared)}</p>
      {asked !== undefined && (
        <p class="notice warn">
          <a href={hashOf({ view: "approvals", of: plan.plan_id ?? "" })}>{say("plans.asked")}</a>{" "}
          <span class="hint">
            {say("approvals.until")} <Time at={asked.expires_at} />
          </span>
        </p>
      )}
      {why !== undefined && <p class={plan.state === "attention" ? "notice warn" : "hint"}>{shared.told(why)}</p>}
      {note !== undefined && (
        <p class="hint">
          {say("plans.note")}: <q>{note}</q>
        </p>
      )}
      <PlanFacts plan={plan} />
      <PlanActs plan={plan} />
    </>
  );
}
