/**
 * What a person is asked about a plan, in words: the sheet of one that is to begin, or the question of a change of it.
 *
 * Invariant: what is shown is what the digest stands for, with all that was known against it.
 */
import { defined, quoted } from "../../contract/index.ts";
import type { Desk, PendingPlan, PlanView } from "../../desk/index.ts";
import { assetsOf, changeQuestion, type PlanNow, planSheet, planSummary, type Words } from "../../words/index.ts";

type Asker = Pick<Desk, "environment" | "unit">;

export function planQuestionText(
  { environment, unit }: Asker,
  account: string,
  { asked, plan, warnings }: PendingPlan,
  words: Words,
): string {
  const isLive = environment === "live";
  const { terms, until, shown } = plan;
  const lines =
    asked.action === "start"
      ? planSheet(
          {
            ...{ plan: terms, now: planNow(plan, unit), account: quoted(account), isLive, until },
            worst: planWorst(plan),
            ...defined({ slippage: shown?.slippagePct }),
          },
          words,
        )
      : changeLines(asked, plan, { isLive, unit }, words);
  return [...lines, ...warnings.map((text) => words.say("approval.warned", { text: words.told(text) }))].join("\n");
}

function changeLines(
  { id: planId, action }: PendingPlan["asked"],
  plan: PlanView,
  { isLive, unit }: { readonly isLive: boolean; readonly unit: string },
  words: Words,
): readonly string[] {
  if (action === "start") throw new Error("what begins has a sheet of its own");
  const { symbol, terms, left_volume: left } = plan;
  const volume = left ?? ("volume" in terms ? terms.volume : "0");
  const change = { action, planId, volume, asset: assetsOf(symbol ?? "/").base, isLive };
  return [changeQuestion(change, words), planSummary(terms, planNow(plan, unit), words)];
}

export function planNow({ trigger, high, floor, turns_left, next_turns }: PlanView, unit: string): PlanNow {
  return { unit, ...defined({ trigger, high, floor, turnsLeft: turns_left, next: next_turns?.[0]?.at }) };
}

/** What it comes to at worst, as far as a view tells. */
export function planWorst({ terms, shown, worst_case_value, filled_volume }: PlanView) {
  const volume =
    "volume" in terms ? terms.volume : "size" in terms && "volume" in terms.size ? terms.size.volume : filled_volume;
  return { value: shown?.worstValue ?? worst_case_value, ...defined({ atLeast: shown?.atLeast, volume }) };
}
