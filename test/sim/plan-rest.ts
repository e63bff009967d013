/** How the plans of a schedule come to rest: the market stands somewhere once more, with nothing going wrong, and then a person ends what is left. */
import type { Desk } from "../../src/desk/index.ts";
import { canPlanMove } from "../../src/desk/model/plan-state.ts";
import type { SimMarket } from "./market.ts";
import type { Waiting } from "./plan.ts";
import { keptPlans } from "./plan-history.ts";
import type { Occupant } from "./seat.ts";
import type { Storage } from "./storage.ts";
import { unitsOf } from "./venue.ts";

const STANDS_S = 75;

export interface PlanRestParts {
  readonly waiting: Waiting;
  readonly storage: Storage;
  readonly market: SimMarket;
  /** All that live. */
  readonly occupants: () => readonly Occupant[];
}

/** @returns protections that stood in vain */
export async function standOnceMore({
  waiting,
  storage,
  market,
  occupants,
}: PlanRestParts): Promise<readonly string[]> {
  const { finale } = waiting;
  const isHalted = (): boolean => storage.rows("SELECT 1 AS halted FROM brake").length > 0;
  const before = keptPlans(storage).filter(({ state }) => state === "active");
  if (finale === undefined || isHalted() || before.length === 0) return [];
  const children = (planId: string): number =>
    storage.rows("SELECT 1 AS child FROM intents WHERE plan_id = ?", [planId]).length;
  /** Stands in the book, where its limit keeps it. */
  const rests = (planId: string): boolean =>
    storage.rows("SELECT 1 AS child FROM intents WHERE plan_id = ? AND state IN ('open', 'partially_filled')", [planId])
      .length > 0;
  const had = new Map(before.map(({ planId }) => [planId, children(planId)]));
  const price = unitsOf(finale);
  for (let second = 0; second < STANDS_S; second++) {
    market.make("stand", price);
    await everybody(occupants());
  }
  if (isHalted()) return [];
  return keptPlans(storage).flatMap(({ planId, state, terms, progress }) => {
    if (state !== "active" || !had.has(planId) || progress.told !== undefined || rests(planId)) return [];
    const level =
      terms.kind === "stop" || (terms.kind === "oco" && "stopPrice" in terms.stop) ? stopOf(terms) : undefined;
    const isDown = level !== undefined && price + unitsOf("200000") < unitsOf(level);
    // A stop that has latched has taken its take away for good.
    const hasTake = "takePrice" in terms && progress.latchedAtMs === undefined;
    const isUp = hasTake && price - unitsOf("200000") > unitsOf(terms.takePrice);
    if (!(isDown || isUp) || children(planId) > (had.get(planId) ?? 0)) return [];
    return [`${planId} (${terms.kind}) is active, and the market stood at ${finale}`];
  });
}

function stopOf(terms: ReturnType<typeof keptPlans>[number]["terms"]): string | undefined {
  if (terms.kind === "stop") return terms.stopPrice;
  return terms.kind === "oco" && "stopPrice" in terms.stop ? terms.stop.stopPrice : undefined;
}

async function everybody(occupants: readonly Occupant[]): Promise<void> {
  for (const { desk } of occupants) await desk.upkeep();
  await occupants[0]?.process.clock.sleep(1_000);
}

/** A person ends every plan that has not ended. */
export async function endPlans(
  desk: Desk,
  { storage, occupants }: Pick<PlanRestParts, "storage" | "occupants">,
): Promise<void> {
  for (const { planId, state } of keptPlans(storage))
    if (canPlanMove(state, "canceled")) await desk.plans?.change(planId, "cancel", "person");
  // Each stops looking where nothing is left to look after.
  for (const each of occupants()) await each.desk.upkeep();
}

export function arePlansOver(storage: Storage): boolean {
  return keptPlans(storage).every(({ state }) => !canPlanMove(state, "canceled"));
}
