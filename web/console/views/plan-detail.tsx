/** One plan: what it is, every step of it with its order, its next turns, and when nobody watched its market. */
import type { ConsolePlan } from "../../../src/serve/console/console-api.ts";
import { gapWhy, stepAsset, stepLabel } from "../../../src/words/index.ts";
import { Time, Value } from "../parts/figure.tsx";
import { ReadingNotice } from "../parts/notice.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { useConsole } from "../state/console.ts";
import { useReading } from "../state/reading.ts";
import { hashOf } from "../state/route.ts";
import { planName, planStateText } from "../words/plan-said.ts";
import { PlanBody } from "./plan-body.tsx";
import type { Plan } from "./plan-levels.ts";

type Step = NonNullable<Plan["steps"]>[number];
type Gap = ConsolePlan["watch"]["gaps"][number];
/** A high rises without a word in the log. */
const EVERY_MS = 5_000;

export function PlanDetail({ planId }: { readonly planId: string }) {
  const { words } = useConsole();
  const { say } = words.value;
  const reading = useReading("plan", { plan_id: planId }, ["audit", "history"], { everyMs: EVERY_MS });
  const { plan, watch } = reading.value ?? {};
  return (
    <>
      <p>
        <a href={hashOf({ view: "plans" })}>← {say("nav.plans")}</a>
      </p>
      <h1>
        {plan === undefined ? say("plans.one") : planName(plan, words.value)}{" "}
        {plan !== undefined && <span class="state">{planStateText(plan, words.value)}</span>}
      </h1>
      <ReadingNotice of={reading} />
      {plan !== undefined && (
        <section class="panel plan">
          <PlanBody plan={plan} />
          <p class="hint">
            {say("plans.id")} <code>{plan.plan_id}</code>
          </p>
        </section>
      )}
      {plan !== undefined && plan.kind !== "alert" && <Steps plan={plan} />}
      {watch !== undefined && <Gaps gaps={watch.gaps} />}
    </>
  );
}

function Steps({ plan }: { readonly plan: Plan }) {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const hasTimes = plan.kind === "recurring" || plan.kind === "slices";
  const turns: readonly Column<Step>[] = hasTimes
    ? [{ head: say("plans.due"), cell: ({ due_at }) => <Time at={due_at} /> }]
    : [];
  const columns: readonly Column<Step>[] = [
    {
      head: say("plans.step"),
      isName: true,
      cell: ({ step, label }) => (label === null ? step : stepLabel(label, shared)),
    },
    ...turns,
    { head: shared.say("column.state"), cell: ({ state }) => say(`step.${state}`) },
    { head: say("plans.order"), cell: (step) => <OrderLink step={step} /> },
    {
      head: say("column.filled"),
      isFigure: true,
      cell: ({ label, executed_volume }) => <Value of={executed_volume} asset={stepAsset(label, plan.symbol)} />,
    },
    {
      head: say("plans.why"),
      isWide: true,
      cell: ({ why }) => (why === null ? "" : shared.told(why)),
    },
  ];
  return (
    <section class="panel">
      <h2>{say("plans.steps")}</h2>
      <Table
        caption={say("plans.steps")}
        isCaptionHidden
        columns={columns}
        rows={plan.steps ?? []}
        keyOf={({ step }) => String(step)}
        none={say("plans.none_steps")}
      />
    </section>
  );
}

function OrderLink({ step: { order_id, userref, state } }: { readonly step: Step }) {
  const { say } = useConsole().words.value;
  const isSent = state !== "planned" && state !== "missed" && state !== "skipped" && state !== "denied";
  const of = order_id ?? (isSent ? userref : null);
  return of === null ? <>–</> : <a href={hashOf({ view: "orders", of })}>{say("orders.one")}</a>;
}

function Gaps({ gaps }: { readonly gaps: readonly Gap[] }) {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const columns: readonly Column<Gap>[] = [
    { head: shared.say("column.market"), isName: true, cell: ({ symbol }) => symbol },
    { head: say("plans.from"), cell: ({ from }) => <Time at={from} /> },
    { head: say("plans.to"), cell: ({ to }) => (to === null ? <b>{say("plans.still")}</b> : <Time at={to} />) },
    { head: say("plans.why"), cell: ({ why }) => gapWhy(why, shared) },
  ];
  return (
    <section class="panel">
      <h2>{say("plans.gaps")}</h2>
      <Table
        caption={say("plans.gaps")}
        isCaptionHidden
        columns={columns}
        rows={gaps}
        keyOf={({ symbol, from }) => `${symbol} ${from}`}
        none={say("plans.none_gaps")}
      />
    </section>
  );
}
