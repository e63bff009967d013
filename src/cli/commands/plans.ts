/** `hoga plans`: listed, shown, made, paused, resumed and canceled by a person. Source: plans.md#create. */
import { defined } from "../../contract/index.ts";
import {
  type CreatePlanRequest,
  type Desk,
  isProtection,
  type PlanAction,
  type PlanRequest,
  type PlansQuery,
  type PlanWriteReport,
} from "../../desk/index.ts";
import { plansOf, shownPlan, shownPlans, withPolicyPath } from "../../mcp/index.ts";
import type { Composition } from "../composition/compose.ts";
import { EXIT, type ExitCode, exitCodeOf, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { paintOf } from "../text/paint.ts";
import { planDetailText, plansText, planWriteText } from "../text/plan-text.ts";
import { planTextSay } from "../text/plan-words.ts";
import { type LookOptions, look, withComposition } from "./look.ts";
import { atTerminal, provePin } from "./pin-prompt.ts";

export interface ListPlansOptions extends LookOptions {
  readonly symbol?: string;
  /** Those that have ended too. */
  readonly all?: boolean;
  readonly limit?: number;
}

/** By the names of options, and of fields. */
export type CreatePlanOptions = LookOptions &
  Pick<CreatePlanRequest, "slices" | "preview" | "rehearse"> &
  Readonly<Partial<Record<string, unknown>>>;

/** Whose options have two spellings, or the one. */
const FIELDS = [
  ...["symbol", "side", "base_volume", "quote_amount", "stop_price", "take_price", "trail", "limit_price"],
  ...["floor_price", "schedule", "duration", "until", "above", "below", "event", "note", "replaces", "after"],
] as const satisfies readonly (keyof PlanRequest)[];

const DENIALS: readonly string[] = ["ELocal:Denied by policy", "ELocal:Trading halted"];
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
    if (options.json === true) return out.printJson(shownPlans(view, desk.timeZone));
    const detail = query.planId === undefined ? undefined : view.plans[0];
    const paint = paintOf(run);
    out.print(detail === undefined ? plansText(view, words, paint) : planDetailText(detail, view, words, paint));
    if (view.next_cursor !== null) out.notice(planTextSay(words)("list.more", { most: LISTED_MAX }));
  });
}

export async function createPlan(kind: string, options: CreatePlanOptions, run: Invocation): Promise<void> {
  const { slices, preview, rehearse } = options;
  const given = Object.fromEntries(FIELDS.map((field) => [field, textOf(options, field)]));
  const weights = weightsOf(textOf(options, "weights"));
  const request = { kind, ...defined(given), ...defined({ weights, slices, preview, rehearse }) };
  await write(options, run, ({ desk }) => plansOf(desk).create(request, "person"));
}

/** "BTC=50%,ETH=50%"; what is no share is refused where the request is read. */
function weightsOf(text: string | undefined): Readonly<Record<string, string>> | undefined {
  if (text === undefined) return undefined;
  const shares = text.split(",").map((part) => {
    const [asset = "", ...share] = part.trim().split("=");
    return [asset.trim(), share.join("=").trim()] as const;
  });
  const twice = shares.find(([asset], index) => shares.findIndex(([other]) => other === asset) < index);
  // One that is named twice has no share.
  return Object.fromEntries([...shares, ...(twice === undefined ? [] : [[twice[0], "twice"] as const])]);
}

function textOf(options: CreatePlanOptions, field: string): string | undefined {
  const camel = field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const value = options[camel] ?? options[field];
  return typeof value === "string" ? value : undefined;
}

/** What takes a protection away, or starts a plan again, is a person's where money may be real: then the PIN is asked for. */
export async function changePlan(
  planId: string,
  action: PlanAction,
  options: LookOptions,
  run: Invocation,
): Promise<void> {
  await write(options, run, async (composition) => {
    const { desk } = composition;
    // Whether it is practice is known once the exchange was asked, as it is for the plan.
    if ((await needsPerson(desk, planId, action)) && !desk.isPractice())
      await atTerminal(run, "plan", (ask) => provePin(run, composition, ask));
    return plansOf(desk).change(planId, action, "person");
  });
}

async function needsPerson(desk: Desk, planId: string, action: PlanAction): Promise<boolean> {
  const found = await plansOf(desk).list({ planId, which: "all", limit: 1 });
  const plan = found.ok ? found.value.plans[0] : undefined;
  // What is not there, or cannot be read, is refused by the change itself.
  if (plan === undefined || plan.kind === "alert") return false;
  return action === "resume" || (isProtection(plan.terms) && plan.state !== "awaiting_approval");
}

async function write(
  { profile, json }: LookOptions,
  run: Invocation,
  step: (composition: Composition) => Promise<PlanWriteReport>,
): Promise<void> {
  await withComposition(run, profile, async (composition) => {
    await composition.open();
    const report = withPolicyPath(await step(composition), { desk: composition.desk });
    run.exitCode = exitOfPlan(report);
    if (json === true) run.out.printJson(planWriteJson(composition.desk, report));
    else run.out.print(planWriteText(composition.desk, report, run.words));
  });
}

export function planWriteJson({ timeZone }: Pick<Desk, "timeZone">, { plan, ...report }: PlanWriteReport): object {
  return { ...report, ...(plan && { plan: shownPlan(plan, report.unit, timeZone) }) };
}

/** What is only shown is no failure, and what the policy denies is denied. */
export function exitOfPlan({ outcome, state, error }: PlanWriteReport): ExitCode {
  if (error === undefined && state === "preview") return EXIT.done;
  const isDenied = DENIALS.includes(error?.code ?? "");
  return exitCodeOf(outcome, isDenied ? "denied" : state, error?.code);
}
