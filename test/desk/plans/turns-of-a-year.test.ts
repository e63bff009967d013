/**
 * Plans that repeat, over a year of an exchange whose clock runs fast, in zones whose clocks are changed twice in it; for some weeks, in pieces, no server runs.
 */
import { afterEach, expect, it } from "vitest";
import { localTime } from "../../../src/desk/core/local-time.ts";
import type { PlanRequest, PlanStep } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import { drawn } from "../../fixture/drawn.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { DAY_MS, passUntil } from "./active-plan.ts";
import { made, openPlanWorld, type PlanWorld, type Process } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

/** Each at a time that one of its changes leaves out, and the other shows twice; all on a Sunday. */
const ZONES = [
  ["America/New_York", "02:30"],
  ["America/Santiago", "00:30"],
  ["Europe/Lisbon", "01:30"],
  ["Australia/Lord_Howe", "02:15"],
] as const;
const DAYS = 364;
/** A turn may be taken until the same time of the next day. */
const LATE_MS = DAY_MS;
/** Before which of the year's turns everybody goes, and how many of them nobody is there for. */
const AWAY: ReadonlyMap<number, number> = new Map([
  [9, 1],
  [26, 7],
  [61, 2],
  [80, 4],
]);
const POLICY = { ...LOOSE, plans: { ...LOOSE.plans, maxDays: 366, lateMs: LATE_MS, approve: "bounded" as const } };

interface Repeating {
  readonly planId: string;
  readonly zone: string;
  readonly steps: readonly PlanStep[];
}

let market: PlanWorld;
afterEach(() => market.close());

const served = (timeZone = "UTC", more = {}): Promise<Process> =>
  market.process({ timeZone, policy: changeablePolicy(POLICY), ...more });
const exchangeMs = (): number => Date.now() + market.world.venueClock.skewMs;
const dueOf = ({ dueAtMs }: Pick<PlanStep, "dueAtMs">): number => dueAtMs ?? 0;

/** The first first. */
const stepsOf = async (planId: string): Promise<readonly PlanStep[]> =>
  [...(await unwrap(market.world.store.plans.steps(planId, 400)))].reverse();

async function repeating(zone: string, at: string): Promise<Repeating> {
  const caller = await served(zone, { endsAfterCommand: true });
  const until = new Date(exchangeMs() + DAYS * DAY_MS).toISOString();
  const request: PlanRequest = { kind: "recurring", symbol: "BTC/KRW", quote_amount: "6000" };
  const asked = { ...request, schedule: `weekly sat,sun ${at}`, until };
  const { plan_id: planId } = made(await market.during(caller.plans.create(asked, "person")));
  await caller.close();
  return { planId, zone, steps: await stepsOf(planId) };
}

/** The exchange's clock is at that moment; ours goes on as it does, and what was due by then has been looked after. */
async function leapTo(atMs: number): Promise<void> {
  market.world.venueClock.skewMs += atMs - exchangeMs();
  const { plans } = market.world.store;
  const { accountId } = market.world.sandbox;
  await passUntil(market, async () => {
    const due = await unwrap(plans.due(accountId, atMs, 100));
    const open = await unwrap(plans.open(accountId));
    return due.length === 0 && open.every(({ openStep }) => openStep === null);
  });
}

/** Clocks of the zone differ from UTC by another time than two days ago. */
function isAfterChange(zone: string, dueMs: number): boolean {
  const offset = (atMs: number): string => localTime(atMs, zone).local.slice(19);
  return offset(dueMs) !== offset(dueMs - 2 * DAY_MS);
}

/** Not a second before its time, and then at once. */
async function takenInTime(planId: string, { label, dueAtMs }: PlanStep): Promise<void> {
  const dueMs = dueOf({ dueAtMs });
  const state = async () => (await stepsOf(planId)).find((step) => step.label === label)?.state;
  await leapTo(dueMs - 3_000);
  const before = await state();
  await leapTo(dueMs + 1_000);
  expect([before, await state()]).toEqual(["planned", "done"]);
}

interface Year {
  /** Each by its plan and its label. */
  readonly missed: ReadonlySet<string>;
  /** How many turns were the first after a change of clocks, and somebody was there. */
  readonly changes: number;
}

/** Day by day of those that any of the plans has a turn on: where it is Sunday in one zone already, another's Saturday is still to come. */
async function yearOf(plans: readonly Repeating[]): Promise<Year> {
  const turns = plans.flatMap(({ planId, zone, steps }) => steps.map((step) => ({ planId, zone, step })));
  const labels = [...new Set(turns.map(({ step }) => step.label))].sort((a, b) => (a ?? "").localeCompare(b ?? ""));
  const days = labels.map((label) => turns.filter(({ step }) => step.label === label));
  const missed = new Set<string>();
  let changes = 0;
  let server = await served();
  for (let at = 0; at < days.length; at++) {
    const from = at;
    at += AWAY.get(from) ?? 0;
    if (at > from) {
      await server.close();
      server = await served();
    }
    const today = days[at] ?? [];
    const changed = at > from ? [] : today.filter(({ zone, step }) => isAfterChange(zone, dueOf(step)));
    changes += changed.length;
    for (const { planId, step } of changed) await takenInTime(planId, step);
    const stopMs = Math.max(...today.map(({ step }) => dueOf(step))) + 60_000;
    await leapTo(stopMs);
    for (const { planId, step } of days.slice(from, at).flat())
      if (stopMs - dueOf(step) > LATE_MS) missed.add(`${planId} ${step.label}`);
  }
  return { missed, changes };
}

it("takes one turn a label of a year, none before its time, and tells those that nobody was there for", async () => {
  market = await openPlanWorld();
  const caller = await served("UTC", { endsAfterCommand: true });
  const until = new Date(exchangeMs() + DAYS * DAY_MS).toISOString();
  // Whose market is watched, so that the exchange says what its clock shows.
  made(
    await market.during(caller.plans.create({ kind: "alert", symbol: "BTC/KRW", above: won(500), until }, "person")),
  );
  const plans: Repeating[] = [];
  for (const [zone, at] of drawn(ZONES, 2)) plans.push(await repeating(zone, at));
  expect(plans.map(({ steps }) => steps.length)).toEqual([104, 104]);
  const { missed, changes } = await yearOf(plans);
  // Both changes of each zone, but for one that nobody was there for.
  expect(changes).toBeGreaterThanOrEqual(plans.length);
  const told = (await market.notices()).filter(({ type }) => type === "plan.step_missed");
  const refs: string[] = [];
  for (const { planId, steps } of plans) {
    const labels = steps.map(({ label }) => label ?? "");
    const isMissed = (label: string): boolean => missed.has(`${planId} ${label}`);
    const after = await stepsOf(planId);
    expect(after.map(({ label, state }) => `${label} ${state}`)).toEqual(
      labels.map((label) => `${label} ${isMissed(label) ? "missed" : "done"}`),
    );
    const named = told.filter((notice) => notice.planId === planId).flatMap(({ body }) => body["labels"] as string[]);
    expect(named).toEqual(labels.filter(isMissed));
    refs.push(...steps.flatMap(({ step, label }) => (isMissed(label ?? "") ? [] : [userrefOfStep(planId, step)])));
  }
  const sent = market.world.orders().map(({ userref }) => userref ?? "");
  expect(sent).toHaveLength(refs.length);
  expect(new Set(sent)).toEqual(new Set(refs));
}, 120_000);
