/** Owns how the page tells of a plan: its title, the levels in a picture, and what became of what was done to it. */
import type { ApprovalView, Decided } from "../../../src/serve/console/console-api.ts";
import { planKind, planState } from "../../../src/words/index.ts";
import type { Told } from "../request.ts";
import type { Leg, Plan } from "../views/plan-levels.ts";
import { faultText, type Note } from "./note.ts";
import type { PageWords } from "./page-words.ts";

type Written = Told<"plan">;

/** "Stop on BTC/KRW". */
export function planName({ terms, symbol }: Pick<Plan, "terms" | "symbol">, { say, shared }: PageWords): string {
  const kind = planKind(terms, shared);
  return capital(symbol === null ? kind : say("plans.title", { kind, symbol }));
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function planStateText({ state }: Pick<Plan, "state">, { shared }: PageWords): string {
  return planState(state, shared);
}

/** "Stop · active"; of a stop and a take-profit over one amount so too. */
export function levelName(leg: Leg, plan: Pick<Plan, "state" | "kind">, words: PageWords): string {
  const name = words.say(`leg.${leg}`);
  return `${plan.kind === "oco" ? `OCO ${name}` : name} · ${planStateText(plan, words)}`;
}

/** What of a plan waits, in a line; undefined of anything else. */
export function planApprovalTitle({ plan, plan_action }: ApprovalView, words: PageWords): string | undefined {
  if (plan === undefined) return undefined;
  const name = planName(plan, words);
  if (plan_action === undefined || plan_action === "start") return name;
  return words.say("plans.title_change", { action: words.say(`plans.${plan_action}`), plan: name });
}

/** Orders and transfers always have a state. */
export function isOfPlan(report: Decided): report is Written {
  return "plan" in report || report.state === undefined;
}

export function planNote(report: Written, words: PageWords): Note {
  const { say, shared } = words;
  const { outcome, error, plan } = report;
  const lines = [
    ...(error === undefined ? [] : [faultText(error, words)]),
    ...(plan?.why === undefined || error !== undefined ? [] : [shared.told(plan.why)]),
    ...report.warnings.map(shared.told),
  ];
  const state = report.state === undefined ? undefined : planState(report.state, shared);
  switch (outcome) {
    case "accepted":
      return { tone: "good", title: say("plans.changed", { state: state ?? "–" }), lines };
    case "not_sent":
    case "rejected":
      return {
        tone: "warn",
        title: state === undefined ? say("plans.failed") : say("plans.unchanged", { state }),
        lines,
      };
    case "unknown":
      return { tone: "bad", title: say("plans.unknown"), lines };
    default:
      return outcome satisfies never;
  }
}
