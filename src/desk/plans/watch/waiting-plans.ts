/**
 * The plans that wait for a price: samples of a market go in, what they trigger comes out. A pure state machine: no clock, no store, no order.
 *
 * Invariants: what is triggered names the first and the last of the samples that decided it; the stop of a trailing plan follows its high and never falls;
 * of a stop and a take-profit over one amount one leg is triggered at most, the one that stood first; a stop that has sold once leaves no take-profit.
 *
 * Source: decision 0107.
 */
import { type Price, price, type TickBand } from "../../../decimal/index.ts";
import {
  inForce,
  isProtection,
  type PlanRecord,
  type PlanTerms,
  type ProtectionTerms,
  type Trail,
  waitsForBuy,
} from "../../model/plan.ts";
import { trailingTrigger } from "../terms/levels.ts";
import { legsOf } from "../terms/protection-levels.ts";
import {
  type High,
  HOLD_MS,
  type Hold,
  hasStood,
  isBeyond,
  isRising,
  type Level,
  nextHigh,
  nextHold,
  type Sample,
} from "./trigger.ts";

/** What of a plan waits: a stop that may follow the market, a price to take, a price to tell of. */
export interface WaitingPlan {
  readonly planId: string;
  readonly symbol: string;
  readonly stop?: { readonly price: Price } | Trailing;
  readonly take?: Price;
  readonly alert?: Level;
}

interface Trailing {
  readonly trail: Trail;
  /** The highest price that the market has stood at so far. */
  readonly high: Price;
  readonly bands: readonly TickBand[];
}

export type Leg = "stop" | "take" | "alert";

export interface Triggered {
  readonly planId: string;
  readonly leg: Leg;
  readonly level: Level;
  /** The samples that decided it. */
  readonly first: Sample;
  readonly last: Sample;
  /** Of a trailing plan: the highest price that the market has stood at. */
  readonly high?: Price;
}

/** A high that is to be stored. */
export interface Risen {
  readonly planId: string;
  readonly high: Price;
}

type Levels = readonly (readonly [Leg, Level])[];

interface Waiting {
  readonly plan: WaitingPlan;
  readonly holds: Readonly<Partial<Record<Leg, Hold>>>;
  readonly high?: High;
  /** Where its legs stand: a stop that trails by its high, which most samples leave as it is. */
  readonly levels: Levels;
  /** The high that was last told, and when. */
  readonly told?: { readonly high: Price; readonly atMs: number };
}

export interface Outcome {
  readonly triggered: readonly Triggered[];
  readonly risen: readonly Risen[];
  /** When the first of those that the market stands at may have stood for long enough, by the exchange's clock; undefined where none is on its way. */
  readonly stoodAtMs?: number | undefined;
}

/** Between two highs that are told, by the exchange's clock. */
const TOLD_APART_MS = 5_000;

/**
 * What of a plan waits for a price; undefined where nothing does.
 * @param bands of its market; undefined where they are not known: then nothing waits that follows the market
 */
export function waitingPlan(
  plan: Pick<PlanRecord, "planId" | "terms" | "progress">,
  bands: readonly TickBand[] | undefined,
): WaitingPlan | undefined {
  if (waitsForBuy(plan)) return undefined;
  const { planId, terms, progress } = inForce(plan);
  const legs = waitsFor(terms, progress, bands);
  return legs && { planId, ...legs };
}

function waitsFor(
  terms: PlanTerms,
  progress: PlanRecord["progress"],
  bands: readonly TickBand[] | undefined,
): Omit<WaitingPlan, "planId"> | undefined {
  if (isProtection(terms)) return { symbol: terms.symbol, ...legsThatWait(terms, progress, bands) };
  if (terms.kind !== "alert" || terms.event !== "price") return undefined;
  const alert: Level =
    "above" in terms
      ? { direction: "up", price: price(terms.above) }
      : { direction: "down", price: price(terms.below) };
  return { symbol: terms.symbol, alert };
}

/** A stop that has claimed once stands where it was, and is the only leg. */
function legsThatWait(
  terms: ProtectionTerms,
  { high, latchedAtMs }: PlanRecord["progress"],
  bands: readonly TickBand[] | undefined,
): Pick<WaitingPlan, "stop" | "take"> {
  const { stop, take } = legsOf(terms);
  const isLatched = latchedAtMs !== undefined;
  const taking = take === undefined || isLatched ? {} : { take };
  if (stop === undefined || "price" in stop) return { ...taking, ...(stop && { stop }) };
  if (high === undefined || bands === undefined) return taking;
  const trailing = { trail: stop.trail, high: price(high), bands };
  if (!isLatched) return { ...taking, stop: trailing };
  const at = trailedStop(trailing.high, trailing.trail, bands);
  return at === undefined ? {} : { stop: { price: at } };
}

/** What a stop that follows the market triggers at, by its high; undefined where nothing is left below. */
export function trailedStop(high: Price, trail: Trail, bands: readonly TickBand[]): Price | undefined {
  const at = trailingTrigger(bands, high, trail);
  return at.isZero() ? undefined : at;
}

export class WaitingPlans {
  #bySymbol = new Map<string, readonly Waiting[]>();

  get symbols(): readonly string[] {
    return [...this.#bySymbol.keys()];
  }

  /** These wait from now on, and no others. One that waited for the same before goes on; a high never falls. */
  set(plans: readonly WaitingPlan[]): void {
    const known = new Map([...this.#bySymbol.values()].flat().map((waiting) => [waiting.plan.planId, waiting]));
    const next = new Map<string, readonly Waiting[]>();
    for (const plan of plans) {
      const waiting = taken(known.get(plan.planId), plan);
      next.set(plan.symbol, [...(next.get(plan.symbol) ?? []), waiting]);
    }
    this.#bySymbol = next;
  }

  /** What has stood for long enough is told with every sample for as long as it stands: whoever acts on it may have been kept from it. */
  sampled(symbol: string, sample: Sample): Outcome {
    const before = this.#bySymbol.get(symbol);
    if (before === undefined || before.every((waiting) => isIdle(waiting, sample))) return NOTHING;
    const outcomes = before.map((waiting) => (isIdle(waiting, sample) ? { waiting } : after(waiting, sample)));
    this.#bySymbol.set(
      symbol,
      outcomes.map(({ waiting }) => waiting),
    );
    return {
      triggered: outcomes.flatMap(({ triggered }) => triggered ?? []),
      risen: outcomes.flatMap(({ risen }) => risen ?? []),
      stoodAtMs: soonest(outcomes.flatMap(({ waiting }) => Object.values(waiting.holds))),
    };
  }
}

const NOTHING: Outcome = { triggered: [], risen: [] };

function soonest(holds: readonly Hold[]): number | undefined {
  const under = holds.filter((hold) => !hasStood(hold)).map(({ first }) => first.atMs + HOLD_MS);
  return under.length === 0 ? undefined : Math.min(...under);
}

/** Most samples change nothing of it: the market is at none of its prices, and was not in the sample before. */
function isIdle(waiting: Waiting, sample: Sample): boolean {
  const { levels, holds, high } = waiting;
  if (holds.stop !== undefined || holds.take !== undefined || holds.alert !== undefined) return false;
  if (high !== undefined && (isRising(high, sample) || isUntold(waiting, high))) return false;
  return !levels.some(([, level]) => isBeyond(level, sample));
}

function taken(before: Waiting | undefined, plan: WaitingPlan): Waiting {
  if (before?.plan === plan) return before;
  const trailing = plan.stop !== undefined && "trail" in plan.stop ? plan.stop : undefined;
  const started = trailing && { price: trailing.high };
  if (before?.plan.symbol !== plan.symbol)
    return { plan, holds: {}, levels: levelsOf(plan, started), ...(started && { high: started }) };
  const { told } = before;
  const stays = before.high !== undefined && trailing !== undefined && before.high.price.gte(trailing.high);
  const high = stays ? before.high : started;
  const holds = isSame(before.plan, plan) ? before.holds : {};
  return { plan, holds, levels: levelsOf(plan, high), ...(high && { high }), ...(told && { told }) };
}

/** A trailing stop is where its high is, which goes on. */
function isSame(before: WaitingPlan, plan: WaitingPlan): boolean {
  const text = ({ stop, take, alert }: WaitingPlan): string =>
    JSON.stringify([stop !== undefined && "trail" in stop ? stop.trail : stop, take, alert]);
  return text(before) === text(plan);
}

interface After {
  readonly waiting: Waiting;
  readonly triggered?: Triggered;
  readonly risen?: Risen;
}

function after(waiting: Waiting, sample: Sample): After {
  const { plan, holds, high: before, told } = waiting;
  const high = before && nextHigh(before, sample);
  const levels = high?.price === before?.price ? waiting.levels : levelsOf(plan, high);
  const next: Partial<Record<Leg, Hold>> = {};
  for (const [leg, level] of levels) {
    const hold = nextHold(holds[leg], level, sample);
    if (hold !== undefined) next[leg] = hold;
  }
  const [first] = levels
    .flatMap(([leg, level]) => {
      const hold = next[leg];
      return hold !== undefined && hasStood(hold) ? [{ leg, level, first: hold.first, last: hold.last }] : [];
    })
    // The stop stands before the take, and goes first where both began with one sample.
    .sort((a, b) => a.first.atMs - b.first.atMs);
  const isSoon = told !== undefined && Math.abs(sample.atMs - told.atMs) < TOLD_APART_MS;
  const tells = high !== undefined && isUntold(waiting, high) && !isSoon;
  const nowTold = tells ? { high: high.price, atMs: sample.atMs } : told;
  return {
    waiting: { plan, holds: next, levels, ...(high && { high }), ...(nowTold && { told: nowTold }) },
    ...(first && { triggered: { planId: plan.planId, ...first, ...(high && { high: high.price }) } }),
    ...(tells && { risen: { planId: plan.planId, high: high.price } }),
  };
}

function isUntold({ plan, told }: Waiting, { price: high }: High): boolean {
  return high.gt(told?.high ?? startOf(plan) ?? high);
}

function startOf({ stop }: WaitingPlan): Price | undefined {
  return stop !== undefined && "high" in stop ? stop.high : undefined;
}

function stopOf({ stop }: WaitingPlan, high: High | undefined): Price | undefined {
  if (stop === undefined || !("trail" in stop)) return stop?.price;
  return trailedStop(high?.price ?? stop.high, stop.trail, stop.bands);
}

function levelsOf(plan: WaitingPlan, high: High | undefined): Levels {
  const { take, alert } = plan;
  const stopAt = stopOf(plan, high);
  return [
    ...(stopAt === undefined ? [] : [["stop", { direction: "down", price: stopAt }] as const]),
    ...(take === undefined ? [] : [["take", { direction: "up", price: take }] as const]),
    ...(alert === undefined ? [] : [["alert", alert] as const]),
  ];
}
