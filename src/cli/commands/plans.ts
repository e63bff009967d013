/** `hoga plans`: alerts, so far: listed, made, paused, resumed and canceled by a person. Source: plans.md#create. */
import { defined } from "../../contract/index.ts";
import type { Desk, PlanAction, PlansQuery, PlanWriteReport } from "../../desk/index.ts";
import { plansOf, shownPlan, shownPlans } from "../../mcp/index.ts";
import { EXIT, type ExitCode, exitCodeOf, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { paintOf } from "../text/paint.ts";
import { plansText, planWriteText } from "../text/plan-text.ts";
import { planTextSay } from "../text/plan-words.ts";
import { type LookOptions, look, withComposition } from "./look.ts";

export interface ListPlansOptions extends LookOptions {
  readonly symbol?: string;
  /** Those that have ended too. */
  readonly all?: boolean;
  readonly limit?: number;
}

export interface CreatePlanOptions extends LookOptions {
  readonly symbol?: string;
  readonly above?: string;
  readonly below?: string;
  readonly until?: string;
  readonly note?: string;
  readonly preview?: boolean;
}

const LISTED = 50;
const LISTED_MAX = 200;

export async function listPlans(
  { symbol, all, limit = LISTED, ...options }: ListPlansOptions,
  run: Invocation,
): Promise<void> {
  const which = all === true ? "all" : "open";
  await show({ which, limit: Math.min(limit, LISTED_MAX), ...defined({ symbol }) }, options, run);
}

export async function showPlan(planId: string, options: LookOptions, run: Invocation): Promise<void> {
  await show({ planId, which: "all", limit: 1 }, options, run);
}

async function show(query: PlansQuery, options: LookOptions, run: Invocation): Promise<void> {
  const { out, words } = run;
  await look(run, options, async (desk) => {
    const view = unwrap(await plansOf(desk).list(query));
    if (options.json === true) return out.printJson(shownPlans(view));
    out.print(plansText(view, words, paintOf(run)));
    if (view.next_cursor !== null) out.notice(planTextSay(words)("list.more", { most: LISTED_MAX }));
  });
}

export async function createPlan(kind: string, options: CreatePlanOptions, run: Invocation): Promise<void> {
  const { symbol, above, below, until, note, preview } = options;
  const request = { kind, ...defined({ symbol, above, below, until, note, preview }) };
  await write(options, run, (desk) => plansOf(desk).create(request, "person"));
}

export async function changePlan(
  planId: string,
  action: PlanAction,
  options: LookOptions,
  run: Invocation,
): Promise<void> {
  await write(options, run, (desk) => plansOf(desk).change(planId, action, "person"));
}

async function write(
  { profile, json }: LookOptions,
  run: Invocation,
  step: (desk: Desk) => Promise<PlanWriteReport>,
): Promise<void> {
  await withComposition(run, profile, async (composition) => {
    await composition.open();
    const { plan, ...report } = await step(composition.desk);
    run.exitCode = exitOf(report);
    if (json === true) run.out.printJson({ ...report, ...(plan && { plan: shownPlan(plan, report.unit) }) });
    else run.out.print(planWriteText({ ...report, ...defined({ plan }) }, run.words));
  });
}

/** What is only shown is no failure, and what the policy denies is denied. */
function exitOf({ outcome, state, error }: PlanWriteReport): ExitCode {
  if (error === undefined && state === "preview") return EXIT.done;
  const isDenied = error?.code === "ELocal:Denied by policy" || error?.code === "ELocal:Trading halted";
  return exitCodeOf(outcome, isDenied ? "denied" : state, error?.code);
}
