/** The plans that stand still once trading goes on: a halt has paused them, and it starts none again. Source: decision 0105. */
import type { PlanView } from "../../desk/index.ts";
import { planNow, planState, planSummary, type Words } from "../../words/index.ts";
import type { Composition } from "../composition/compose.ts";
import { storeToLookAt } from "../composition/home-mark.ts";
import type { Invocation } from "../invocation.ts";
import { planTextSay } from "../text/plan-words.ts";

const LISTED_MAX = 200;

export interface StandingStill {
  readonly plan_id: string;
  readonly kind: string;
  readonly state: string;
  /** How a person starts it again. */
  readonly command: string;
  /** Where the account could be asked for. */
  readonly plan?: PlanView;
}

type Parts = Pick<Composition, "desk" | "commandLine">;

/** @returns undefined where they cannot be read */
export async function standingStill(
  { desk, commandLine }: Parts,
  { home }: Invocation,
): Promise<readonly StandingStill[] | undefined> {
  const { plans } = desk;
  if (plans === undefined) return [];
  const command = (id: string): string => commandLine("plans", "resume", id);
  const listed = await plans.list({ which: "open", limit: LISTED_MAX });
  if (listed.ok)
    return listed.value.plans.flatMap((plan) =>
      plan.plan_id === null || !standsStill(plan.state)
        ? []
        : [{ plan_id: plan.plan_id, kind: plan.kind, state: plan.state, command: command(plan.plan_id), plan }],
    );
  // Whose account it is, is not known without the exchange.
  try {
    const { plansInStore } = await import("../../store/index.ts");
    const open = await plansInStore(await storeToLookAt(home));
    return open
      .filter(({ state }) => standsStill(state))
      .map(({ id, kind, state }) => ({ plan_id: id, kind, state, command: command(id) }));
  } catch {
    return undefined;
  }
}

function standsStill(state: string): boolean {
  return state === "paused" || state === "attention";
}

export function standingStillText(
  still: readonly StandingStill[] | undefined,
  unit: string,
  words: Words,
): readonly string[] {
  const say = planTextSay(words);
  if (still === undefined) return [say("resume.unread")];
  if (still.length === 0) return [];
  const lines = still.map(({ plan_id, kind, state, command, plan }) => {
    const summary = plan === undefined ? `${kind} ${plan_id}` : planSummary(plan.terms, planNow(plan, unit), words);
    return say("resume.plan", { state: planState(state, words), summary, command });
  });
  return [say("resume.plans"), ...lines];
}
