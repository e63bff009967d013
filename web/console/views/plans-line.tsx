/** The line about plans at the top of every view: how many wait, and since when they are watched, or that nobody does. Nothing where none is open. */
import { Time } from "../parts/figure.tsx";
import { useConsole } from "../state/console.ts";
import { hashOf } from "../state/route.ts";
import type { PageWords } from "../words/page-words.ts";
import { type PlansStanding, standingOf } from "./plan-levels.ts";

export function PlansLine() {
  const { live, words } = useConsole();
  const { say } = words.value;
  const standing = standingOf(live.plans.value?.plans ?? []);
  const { waiting, blind, since, needing } = standing;
  const to = hashOf({ view: "plans" });
  return (
    <div role="status" class="plans-line">
      {needing > 0 && (
        <p class="notice warn">
          <a href={to}>{needing === 1 ? say("plans.need_one") : say("plans.need", { count: needing })}</a>
        </p>
      )}
      {blind > 0 && (
        <p class="notice bad">
          <a href={to}>{blindText(standing, words.value)}</a>
        </p>
      )}
      {waiting > 0 && blind === 0 && (
        <p class="hint">
          <a href={to}>{waiting === 1 ? say("plans.waits_one") : say("plans.wait", { count: waiting })}</a>{" "}
          <Time at={since} />
        </p>
      )}
    </div>
  );
}

function blindText({ waiting, blind }: PlansStanding, { say }: PageWords): string {
  if (blind < waiting) return say("plans.half_blind", { count: waiting, blind });
  return waiting === 1 ? say("plans.blind_one") : say("plans.blind", { count: waiting });
}
