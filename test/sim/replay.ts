/** One schedule again, for a person: what was planned, what happened, what is wrong; and the smallest plan that fails like it. */
import { drawPlan } from "./drawing.ts";
import type { Plan, StoreName } from "./plan.ts";
import { BROKEN_POLICIES, type Policy } from "./policy.ts";
import { shrink } from "./shrinking.ts";
import { type Outcome, simulate } from "./simulation.ts";
import type { Storage } from "./storage.ts";
import type { VenueName } from "./wire.ts";

/** @param policyName one of `BROKEN_POLICIES`, or none for the desk as it is */
export function runPlan(plan: Plan, storage: Storage, policyName?: string, trace = false): Promise<Outcome> {
  return simulate(plan, { storage, trace, policy: policyOf(policyName) });
}

function policyOf(name: string | undefined): Policy {
  if (name === undefined) return {};
  const make = BROKEN_POLICIES[name];
  if (make === undefined) throw new Error(`no policy ${name}; there are ${Object.keys(BROKEN_POLICIES).join(", ")}`);
  return make();
}

/** Which schedule, with which desk. */
export interface Replay {
  readonly seed: number;
  readonly venue: VenueName;
  /** SQLite where nothing is said. */
  readonly store?: StoreName | undefined;
  readonly policy?: string | undefined;
}

/** The whole schedule of a seed, in text. */
export async function replayText(
  { seed, venue, store, policy: policyName }: Replay,
  storage: Storage,
): Promise<string> {
  const plan = drawPlan(seed, venue, store);
  return textOf(plan, await runPlan(plan, storage, policyName, true));
}

/** The smallest schedule that breaks one of the same promises, in text. */
export async function shrunkText(
  { seed, venue, store, policy: policyName }: Replay,
  storage: Storage,
): Promise<string> {
  const plan = drawPlan(seed, venue, store);
  const broken = new Set((await runPlan(plan, storage, policyName)).violations.map(({ invariant }) => invariant));
  const smallest = await shrink(plan, async (smaller) =>
    (await runPlan(smaller, storage, policyName)).violations.some(({ invariant }) => broken.has(invariant)),
  );
  return textOf(smallest, await runPlan(smallest, storage, policyName, true));
}

function textOf(
  { seed, venue, store, setting, wishes, waiting, steps, troubles }: Plan,
  { trace, violations }: Outcome,
): string {
  return [
    `seed ${seed}`,
    `venue ${venue}, store ${store}`,
    `setting ${JSON.stringify(setting)}`,
    ...wishes.map((wish, index) => `wish ${index} ${JSON.stringify(wish)}`),
    ...(waiting?.requests ?? []).map((request, index) => `plan ${index} ${JSON.stringify(request)}`),
    ...(waiting === undefined ? [] : [`plans ${JSON.stringify({ ...waiting, requests: undefined })}`]),
    ...steps.map(({ atMs, seat, action }) => `step at ${atMs} seat ${seat} ${JSON.stringify(action)}`),
    ...troubles.map((trouble) => `trouble ${JSON.stringify(trouble)}`),
    ...trace,
    ...(violations.length === 0 ? ["nothing is wrong"] : []),
    ...violations.map(({ invariant, what }) => `WRONG: ${invariant}: ${what}`),
  ].join("\n");
}
