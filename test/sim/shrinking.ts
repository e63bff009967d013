/** A failing schedule made smaller, so that a person can read it: what it fails without is taken out, greedily. */
import type { Plan } from "./plan.ts";

/** @param fails whether a plan still fails in the way that is looked for */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let smallest = plan;
  for (;;) {
    const smaller = await firstFailing(candidates(smallest), fails);
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

async function firstFailing(plans: Iterable<Plan>, fails: (plan: Plan) => Promise<boolean>): Promise<Plan | undefined> {
  for (const plan of plans) if (await fails(plan)) return plan;
  return undefined;
}

/** Plans with something less in them, the boldest first. */
function* candidates(plan: Plan): Generator<Plan> {
  const { troubles, steps, setting } = plan;
  for (const kept of less(troubles)) yield { ...plan, troubles: kept };
  for (const kept of less(steps)) yield { ...plan, steps: kept };
  if (setting.skewsMs.some((skew) => skew !== 0) || setting.venueSkewMs !== 0)
    yield { ...plan, setting: { ...setting, skewsMs: setting.skewsMs.map(() => 0), venueSkewMs: 0 } };
  if (setting.keys.length > 1 && steps.every(({ seat }) => seat === 0))
    yield { ...plan, setting: { ...setting, keys: setting.keys.slice(0, 1), skewsMs: setting.skewsMs.slice(0, 1) } };
}

/** The list without either half, then without each single one. */
function* less<T>(list: readonly T[]): Generator<readonly T[]> {
  const half = list.length >> 1;
  if (half > 0) {
    yield list.slice(half);
    yield list.slice(0, half);
  }
  for (let index = 0; index < list.length; index++) yield list.filter((_, other) => other !== index);
}
