/** The figures of one plan: what it waits for and how far that is, what it may still do, what it has done, who watches. */
import type { ComponentChildren } from "preact";
import { needsWatch, planAssets, planFigure, planFiguresWorst, signedPercentage } from "../../../src/words/index.ts";
import { assetsOf, priceText } from "../figures.ts";
import { Average, Time, useUnit, Value } from "../parts/figure.tsx";
import { useConsole } from "../state/console.ts";
import type { PageWords } from "../words/page-words.ts";
import { useTicker } from "./market-list.tsx";
import { distanceOf, hasEnded, type Level, levelsOf, type Plan } from "./plan-levels.ts";

type Fact = readonly [head: string, shown: ComponentChildren];

/** @param isBesideSheet which says the worst case */
export function PlanFacts({ plan, isBesideSheet = false }: { readonly plan: Plan; readonly isBesideSheet?: boolean }) {
  const { words } = useConsole();
  const { shared } = words.value;
  const unit = useUnit();
  const facts = [...waitingFacts(plan, words.value.say), ...useDoneFacts(plan), ...timeFacts(plan, words.value)];
  return (
    <dl class="facts grid">
      {levelsOf(plan).map((level) => (
        <LevelFact key={level.leg} plan={plan} level={level} />
      ))}
      {facts.map(([head, shown]) => (
        <div key={head}>
          <dt>{head}</dt>
          <dd>{shown}</dd>
        </div>
      ))}
      {plan.kind !== "alert" && !isBesideSheet && (
        <div class="whole-line">
          <dt>{planFigure("worst", shared)}</dt>
          <dd>{planFiguresWorst(plan, unit, shared)}</dd>
        </div>
      )}
    </dl>
  );
}

function LevelFact({ plan, level }: { readonly plan: Plan; readonly level: Level }) {
  const { say } = useConsole().words.value;
  const { symbol } = plan;
  const ticker = useTicker(symbol ?? "");
  const away = hasEnded(plan) ? undefined : distanceOf(level.price, ticker?.last);
  return (
    <div>
      <dt>{say(`leg.${level.leg}`)}</dt>
      <dd>
        <span class="whole">{priceText(level.price, quoteOf(symbol))}</span>{" "}
        {away !== undefined && <small class="away">{say("plans.distance", { pct: signedPercentage(away) })}</small>}
      </dd>
    </div>
  );
}

type Say = ReturnType<typeof useConsole>["words"]["value"]["say"];

const quoteOf = (symbol: string | null): string => (symbol === null ? "" : assetsOf(symbol).quote);

function waitingFacts({ symbol, high, floor, next_turns, turns_left }: Plan, say: Say): readonly Fact[] {
  const quote = quoteOf(symbol);
  const [next] = next_turns ?? [];
  return [
    ...(high === undefined ? [] : [[say("plans.high"), priceText(high, quote)] as const]),
    ...(floor === undefined ? [] : [[say("plans.floor"), priceText(floor, quote)] as const]),
    ...(next === undefined ? [] : [[say("plans.next"), <Time key="next" at={next.at} />] as const]),
    ...(turns_left === undefined ? [] : [[say("plans.turns_left"), turns_left] as const]),
  ];
}

function useDoneFacts(plan: Plan): readonly Fact[] {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const unit = useUnit();
  const { kind, reserved, left_volume, filled_volume, average_price, spent } = plan;
  const { base, quote } = planAssets(plan, unit);
  const left = kind === "recurring" || kind === "slices" ? "plans.left_to_do" : "plans.left";
  const hasSome = (of: string | undefined): of is string => of !== undefined && /[1-9]/.test(of);
  return [
    ...(left_volume === undefined ? [] : [[say(left), <Value key="left" of={left_volume} asset={base} />] as const]),
    ...(hasSome(filled_volume)
      ? [[say("plans.done_so_far"), <Value key="filled" of={filled_volume} asset={base} />] as const]
      : []),
    ...(average_price === undefined
      ? []
      : [[say("column.average"), <Average key="average" of={average_price} asset={quote} />] as const]),
    ...(hasSome(spent) ? [[say("plans.spent"), <Value key="spent" of={spent} asset={quote} />] as const] : []),
    ...(hasSome(reserved)
      ? [[planFigure("reserved", shared), <Value key="reserved" of={reserved} asset={unit} />] as const]
      : []),
  ];
}

function timeFacts(plan: Plan, { say, shared }: PageWords): readonly Fact[] {
  const { watched_since, until, told_at, updated_at } = plan;
  const watched =
    watched_since === undefined ? (
      <strong key="watched" class="blind">
        {say("plans.nobody")}
      </strong>
    ) : (
      <Time key="watched" at={watched_since} />
    );
  return [
    ...(needsWatch(plan) ? [[say("plans.watched"), watched] as const] : []),
    ...(told_at === undefined ? [] : [[say("plans.told"), <Time key="told" at={told_at} />] as const]),
    hasEnded(plan)
      ? [say("column.ended"), <Time key="ended" at={updated_at} />]
      : [planFigure("until", shared), <Time key="until" at={until} />],
  ];
}
