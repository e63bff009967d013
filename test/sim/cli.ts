/**
 * `npm run sim -- --seed S` replays one schedule and prints it; add `--shrink` for the smallest that fails like it.
 * `npm run sim -- --schedules N [--from S] [--jobs J]` runs many and prints the first failures, shrunk.
 * `--venue trading` runs the same schedules over the Trading API instead of the Open API.
 * `--store postgres` runs them over a store on a PostgreSQL server, by a model of one, with what can go wrong there.
 * `--plans` runs only those of the seeds in which the desk keeps plans.
 * `--policy NAME` puts one of the broken policies around the desk; a run then ends when it is caught.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { runFleet, type Tally, WORKER_ARGUMENT, work } from "./fleet.ts";
import { STORE_NAMES, type StoreName } from "./plan.ts";
import { BROKEN_POLICIES } from "./policy.ts";
import { type Replay, replayText, shrunkText } from "./replay.ts";
import { Storage } from "./storage.ts";
import { VENUE_NAMES } from "./wire.ts";

const SHOWN_FAILURES = 3;
const PROGRESS_MS = 2_000;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function whole(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${text} is not a whole number`);
  return Number(text); // not money: a count or a seed
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      shrink: { type: "boolean", default: false },
      schedules: { type: "string" },
      from: { type: "string" },
      jobs: { type: "string" },
      policy: { type: "string" },
      plans: { type: "boolean", default: false },
      venue: { type: "string", default: "open" },
      store: { type: "string", default: "sqlite" },
    },
  });
  const { policy } = values;
  if (policy !== undefined && !(policy in BROKEN_POLICIES))
    throw new Error(`--policy is one of ${Object.keys(BROKEN_POLICIES).join(", ")}`);
  const venue = VENUE_NAMES.find((name) => name === values.venue);
  if (venue === undefined) throw new Error(`--venue is one of ${VENUE_NAMES.join(", ")}`);
  const store = STORE_NAMES.find((name) => name === values.store);
  if (store === undefined) throw new Error(`--store is one of ${STORE_NAMES.join(", ")}`);
  if (values.seed !== undefined) await replay({ seed: whole(values.seed, 0), venue, store, policy }, values.shrink);
  else
    await runMany({
      venue,
      store,
      count: whole(values.schedules, 1_000),
      from: whole(values.from, 1),
      jobs: whole(values.jobs, availableParallelism()),
      policy,
      hasPlans: values.plans,
    });
}

async function replay(which: Replay, isShrunk: boolean): Promise<void> {
  const storage = await Storage.open();
  say(await (isShrunk ? shrunkText : replayText)(which, storage));
}

interface Run extends Pick<Replay, "venue"> {
  readonly store: StoreName;
  readonly count: number;
  readonly from: number;
  readonly jobs: number;
  readonly policy: string | undefined;
  readonly hasPlans: boolean;
}

async function runMany(run: Run): Promise<void> {
  const startedAt = performance.now();
  let toldAt = startedAt;
  let told = 0;
  const total = await runFleet({
    ...run,
    script: process.argv[1] ?? "",
    onProgress: (tally) => {
      for (const { seed } of tally.failures.slice(told)) process.stderr.write(`seed ${seed} failed\n`);
      told = tally.failures.length;
      if (performance.now() - toldAt > PROGRESS_MS) {
        toldAt = performance.now();
        process.stderr.write(`${tally.schedules} run of ${run.count} seeds, ${tally.failures.length} failed\n`);
      }
      return run.policy === undefined || tally.failures.length === 0;
    },
  });
  summarize(total, run, (performance.now() - startedAt) / 1_000);
  await showFailures(total, run);
  const isCaught = total.failures.length > 0;
  process.exitCode = isCaught === (run.policy !== undefined) ? 0 : 1;
}

function summarize({ schedules, requests, virtualMs, injected, failures }: Tally, run: Run, seconds: number): void {
  const rate = schedules / seconds;
  const perCoreMinute = Math.round((rate * 60) / run.jobs);
  say(
    `${schedules} schedules over the ${run.venue} venue and ${run.store} in ${seconds.toFixed(1)} s over ${run.jobs} processes: ${rate.toFixed(0)} a second, ${perCoreMinute} a core-minute`,
  );
  say(
    `${(requests / schedules).toFixed(1)} requests and ${(virtualMs / schedules / 1_000).toFixed(0)} s of virtual time each`,
  );
  const kinds = Object.entries(injected).sort(([a], [b]) => (a < b ? -1 : 1));
  say(`injected: ${kinds.map(([kind, times]) => `${kind} ${times}`).join(", ")}`);
  const first = failures[0];
  if (first === undefined) say("nothing is wrong");
  else say(`${failures.length} failed; the first is seed ${first.seed}, after ${first.seed - run.from + 1} schedules`);
}

async function showFailures({ failures }: Tally, { venue, store, policy }: Run): Promise<void> {
  const storage = await Storage.open();
  for (const { seed, violations } of failures.slice(0, 50))
    say(`seed ${seed}: ${violations.map(({ invariant, what }) => `${invariant}: ${what}`).join("; ")}`);
  for (const { seed } of failures.slice(0, policy === undefined ? SHOWN_FAILURES : 1)) {
    const again = `--venue ${venue} --store ${store} --seed ${seed}${policy === undefined ? "" : ` --policy ${policy}`}`;
    say(`\n--- seed ${seed}, shrunk; npm run sim -- ${again}`);
    say(await shrunkText({ seed, venue, store, policy }, storage));
  }
}

await (process.argv.includes(WORKER_ARGUMENT) ? work() : main());
