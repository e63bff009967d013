/** Plans: what waits in a person's place, what each waits for and how far that is, and whether anybody watches. One of them opens with its steps. */
import { useState } from "preact/hooks";
import { Choice } from "../parts/choice.tsx";
import { ReadingNotice } from "../parts/notice.tsx";
import { usePages } from "../parts/pages.tsx";
import { useConsole } from "../state/console.ts";
import { useReading } from "../state/reading.ts";
import { hashOf } from "../state/route.ts";
import { planName, planStateText } from "../words/plan-said.ts";
import { PlanBody } from "./plan-body.tsx";
import { PlanDetail } from "./plan-detail.tsx";
import type { Plan } from "./plan-levels.ts";

export function PlansView() {
  const { route, words } = useConsole();
  const { say } = words.value;
  const [which, setWhich] = useState<"open" | "ended">("open");
  const { of } = route.value;
  if (of !== undefined) return <PlanDetail key={of} planId={of} />;
  return (
    <>
      <h1>{say("nav.plans")}</h1>
      <Choice
        label={say("plans.which")}
        choices={[
          ["open", say("plans.open")],
          ["ended", say("plans.ended")],
        ]}
        chosen={which}
        onChoose={setWhich}
      />
      {which === "open" ? <OpenPlans /> : <EndedPlans />}
    </>
  );
}

function OpenPlans() {
  const { live, words } = useConsole();
  const { say } = words.value;
  const open = live.plans.value?.plans;
  if (open === undefined) return <p class="hint loading">{say("page.loading")}</p>;
  if (open.length === 0) return <NoPlans />;
  return (
    <>
      {open.map((plan) => (
        <PlanPanel key={plan.plan_id} plan={plan} />
      ))}
    </>
  );
}

function NoPlans() {
  const { say } = useConsole().words.value;
  return (
    <div class="panel nothing">
      <p>{say("plans.none")}</p>
      <p class="hint">
        {say("plans.none_more")} <code>hoga plans create</code>
      </p>
    </div>
  );
}

function EndedPlans() {
  const { say } = useConsole().words.value;
  const { cursor, turner } = usePages();
  const reading = useReading("plans", { which: "ended", cursor }, ["audit"]);
  const { plans, next_cursor } = reading.value ?? {};
  return (
    <>
      <ReadingNotice of={reading} />
      {plans?.length === 0 && (
        <div class="panel nothing">
          <p>{say("plans.none_ended")}</p>
        </div>
      )}
      {plans?.map((plan) => (
        <PlanPanel key={plan.plan_id} plan={plan} />
      ))}
      {(cursor !== undefined || next_cursor != null) && turner(next_cursor)}
    </>
  );
}

function PlanPanel({ plan }: { readonly plan: Plan }) {
  const { words } = useConsole();
  const name = planName(plan, words.value);
  return (
    <article class="panel plan" aria-label={name}>
      <header>
        <h2>
          <a href={hashOf({ view: "plans", of: plan.plan_id ?? "" })}>{name}</a>
        </h2>
        <span class={`state ${plan.state}`}>{planStateText(plan, words.value)}</span>
      </header>
      <PlanBody plan={plan} />
    </article>
  );
}
