/** Many schedules over several processes of this machine: each gets a range of seeds, runs it, and asks for the next. */
import { type ChildProcess, fork } from "node:child_process";
import { drawPlan } from "./drawing.ts";
import type { Violation } from "./history.ts";
import type { StoreName } from "./plan.ts";
import { runPlan } from "./replay.ts";
import { Storage } from "./storage.ts";
import type { VenueName } from "./wire.ts";

/** What came of a range of seeds. */
export interface Tally {
  schedules: number;
  requests: number;
  virtualMs: number;
  readonly injected: Record<string, number>;
  readonly failures: { readonly seed: number; readonly violations: readonly Violation[] }[];
}

interface Range {
  readonly venue: VenueName;
  readonly store?: StoreName;
  readonly from: number;
  readonly count: number;
  readonly policy: string | undefined;
  /** Of these seeds only those in which the desk keeps plans. */
  readonly hasPlans?: boolean;
}

export interface FleetOptions extends Range {
  readonly jobs: number;
  /** The script to run as a worker. */
  readonly script: string;
  /** Told after every range; answers whether to go on. */
  readonly onProgress: (tally: Tally) => boolean;
}

export const WORKER_ARGUMENT = "--worker";
const RANGE = 100;
/** More room for what is young: nearly everything a schedule makes dies with it. */
const WORKER_FLAGS = ["--max-semi-space-size=64", "--enable-source-maps"];

export function emptyTally(): Tally {
  return { schedules: 0, requests: 0, virtualMs: 0, injected: {}, failures: [] };
}

/** Runs a range of seeds here. */
export async function runRange(range: Range, storage: Storage): Promise<Tally> {
  const { venue, store, from, count, policy, hasPlans = false } = range;
  const tally = emptyTally();
  for (let seed = from; seed < from + count; seed++) {
    const plan = drawPlan(seed, venue, store);
    if (hasPlans && plan.waiting === undefined) continue;
    const { violations, injected, requests, virtualMs } = await runPlan(plan, storage, policy);
    tally.schedules++;
    tally.requests += requests;
    tally.virtualMs += virtualMs;
    for (const [kind, times] of injected) tally.injected[kind] = (tally.injected[kind] ?? 0) + times;
    if (violations.length > 0) tally.failures.push({ seed, violations });
  }
  return tally;
}

/** A worker's whole life: ranges come in, tallies go out. */
export async function work(): Promise<void> {
  const storage = await Storage.open();
  process.on("message", (range: Range) => {
    runRange(range, storage).then(
      (tally) => process.send?.(tally),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        process.exit(1);
      },
    );
  });
  process.send?.(emptyTally());
}

/** @returns the sum of all tallies, failures in order of their seeds */
export async function runFleet(options: FleetOptions): Promise<Tally> {
  const { venue, store = "sqlite", from, count, jobs, script, policy, hasPlans = false, onProgress } = options;
  const total = emptyTally();
  let next = from;
  let isGoingOn = true;
  const nextRange = (): Range | undefined => {
    const range = { venue, store, from: next, count: Math.min(RANGE, from + count - next), policy, hasPlans };
    next += range.count;
    return isGoingOn && range.count > 0 ? range : undefined;
  };
  const live = (worker: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      worker.on("message", (tally: Tally) => {
        add(total, tally);
        isGoingOn = onProgress(total) && isGoingOn;
        const range = nextRange();
        if (range === undefined) worker.kill();
        else worker.send(range);
      });
      worker.on("exit", (code) =>
        code === null || code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`)),
      );
    });
  await Promise.all(
    Array.from({ length: jobs }, () => live(fork(script, [WORKER_ARGUMENT], { execArgv: WORKER_FLAGS }))),
  );
  total.failures.sort((a, b) => a.seed - b.seed);
  return total;
}

function add(total: Tally, { schedules, requests, virtualMs, injected, failures }: Tally): void {
  total.schedules += schedules;
  total.requests += requests;
  total.virtualMs += virtualMs;
  for (const [kind, times] of Object.entries(injected)) total.injected[kind] = (total.injected[kind] ?? 0) + times;
  total.failures.push(...failures);
}
