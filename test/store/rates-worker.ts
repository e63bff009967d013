/** Calls by the rates that the processes of a store share, in a process of its own. Bundled, as Node 20 runs no TypeScript. */
import { setTimeout as pause } from "node:timers/promises";
import { openStore, type StoreLocation } from "../../src/store/index.ts";
import { GroupLane, type RateGroup, type SharedBudgets, systemClock } from "../../src/transport/index.ts";
import { type FloodJob, flood } from "../system/venues/flood.ts";

export type RatesJob =
  | {
      readonly role: "enter";
      readonly location: StoreLocation;
      readonly group: RateGroup;
      readonly calls: number;
      readonly atMs: number;
      /** Of its clock; the others' are right. */
      readonly behindMs?: number;
    }
  | ({ readonly role: "flood"; readonly location: StoreLocation } & FloodJob);

/** Of each call, on the machine's clock that only rises: somewhere in between it was at the venue. */
export type Calls = readonly (readonly [enteredMs: number, overMs: number])[];

const nowMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

async function budgetsOf(location: StoreLocation, behindMs: number): Promise<SharedBudgets> {
  const clock = { now: () => Date.now() - behindMs, sleep: (ms: number) => pause(ms) };
  const store = await openStore(location, { clock, random: Math.random });
  return {
    claim: async (whose, groups) => {
      const share = await store.rates.claim(`venue ${whose}`, { by: String(process.pid), groups });
      return share.ok ? share.value : undefined;
    },
  };
}

async function work(job: RatesJob): Promise<void> {
  if (job.role === "flood") {
    process.send?.(await flood(job, await budgetsOf(job.location, 0)));
    return;
  }
  const { group, calls, atMs, behindMs = 0, location } = job;
  const clock = { ...systemClock, now: () => Date.now() - behindMs };
  const lane = new GroupLane(clock, [group], await budgetsOf(location, behindMs));
  await pause(Math.max(0, atMs - Date.now()));
  const made = Array.from({ length: calls }, async () => {
    const asked = { weight: 1, charges: [{ group: group.name, weight: 1 }], clockOffsetMs: () => 0 };
    const pass = await lane.enter("key", asked);
    const enteredMs = nowMs();
    await pause(5);
    const overMs = nowMs();
    await pass.leave();
    return [enteredMs, overMs] as const;
  });
  process.send?.(await Promise.all(made));
}

await work(JSON.parse(process.argv[2] ?? "") as RatesJob);
process.exit(0);
