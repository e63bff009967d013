/** The plans of the market that is looked at: as lines in its picture, and beside it in words, as a line that is far off is not in the picture. */
import { useMemo } from "preact/hooks";
import { signedPercentage } from "../../../src/words/index.ts";
import { assetsOf, priceText } from "../figures.ts";
import { useConsole } from "../state/console.ts";
import { hashOf } from "../state/route.ts";
import type { PageWords } from "../words/page-words.ts";
import { levelName } from "../words/plan-said.ts";
import type { DrawnLevel } from "./candle-chart.ts";
import { useTicker } from "./market-list.tsx";
import { distanceOf, type Leg, levelsOf, type Plan } from "./plan-levels.ts";

/** There is no room for more beside the picture. */
const SAID_MAX = 4;
const TONES = { stop: "down", trail: "down", take: "up", alert: "accent" } as const satisfies Record<Leg, string>;

/** Open ones; the same list until one of them changes. */
export function usePlansOf(symbol: string): readonly Plan[] {
  const open = useConsole().live.plans.value?.plans;
  return useMemo(() => (open ?? []).filter((plan) => plan.symbol === symbol), [open, symbol]);
}

/** What does not wait now is drawn in the colour of what is said beside. */
export function drawnLevels(plans: readonly Plan[], words: PageWords): readonly DrawnLevel[] {
  return plans.flatMap((plan) =>
    levelsOf(plan).map(({ leg, price }) => ({
      price,
      label: levelName(leg, plan, words),
      tone: plan.state === "active" ? TONES[leg] : ("text" as const),
    })),
  );
}

export function PlanLevels({ plans }: { readonly plans: readonly Plan[] }) {
  const { words } = useConsole();
  const { say } = words.value;
  const levels = plans.flatMap((plan) => levelsOf(plan).map((level) => ({ plan, ...level })));
  if (levels.length === 0) return null;
  const more = levels.length - SAID_MAX;
  return (
    <ul class="plan-levels" aria-label={say("nav.plans")}>
      {levels.slice(0, SAID_MAX).map(({ plan, leg, price }) => (
        <li key={`${plan.plan_id} ${leg}`}>
          <a href={hashOf({ view: "plans", of: plan.plan_id ?? "" })}>{levelName(leg, plan, words.value)}</a>{" "}
          <LevelPrice symbol={plan.symbol ?? ""} price={price} />
        </li>
      ))}
      {more > 0 && (
        <li>
          <a href={hashOf({ view: "plans" })}>{say("plans.more", { count: more })}</a>
        </li>
      )}
    </ul>
  );
}

function LevelPrice({ symbol, price }: { readonly symbol: string; readonly price: string }) {
  const ticker = useTicker(symbol);
  const away = distanceOf(price, ticker?.last);
  return (
    <>
      <span class="whole">{priceText(price, assetsOf(symbol).quote)}</span>
      {away !== undefined && <small class="whole"> ({signedPercentage(away)})</small>}
    </>
  );
}
