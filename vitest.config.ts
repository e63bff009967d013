import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { AT_UPBIT, AT_UPBIT_LATER, EVERYWHERE, WHERE_IT_APPEARS_LATE } from "./test/desk/at-exchanges.ts";

/** Whole programs, several processes at once, clients of others, and what takes long: `npm run test:system`. */
const SYSTEM = "test/system/**/*.test.ts";
/**
 * Tests of `test/desk` about what is sent and what becomes of it once more, over the Trading API; what is read is the same over both by
 * `test/venues/hoga/trading-sandbox.test.ts`. They choose the API for all files that follow in their worker.
 */
const OVER_TRADING = "test/system/over-trading/**/*.test.ts";
/** Those over an exchange that proves no absence, where what has no answer stays unknown until it is found. */
const WITHOUT_PROOF = "test/system/without-proof/**/*.test.ts";

/** Told over real programs alone, by the file of the same name in `test/system`. */
const AS_PROGRAMS = [
  "test/story/{http,stdio}.test.ts",
  "test/approval/{drafts,elicitation,model-only}.test.ts",
  "test/cli/probe/probe.test.ts",
];

/** What computes longest, by itself some seconds: with the system tests, so that the others are soon done. */
const LONG = [
  "test/desk/core/local-time.test.ts",
  "test/desk/plans/turns-of-a-year.test.ts",
  "test/approval/korean.test.ts",
  "test/cli/foreign-files.test.ts",
  "test/desk/plans/{account-alerts,at-exchanges,protections-together}.test.ts",
  "test/desk/portfolio/ledger-replay.test.ts",
  "test/desk/safety/halt-under-pause.test.ts",
  "test/desk/transfer/{duplicate-guard,lost-answers}.test.ts",
  "test/mcp/{bounded-answer,candle-chart,output-schema,story}.test.ts",
  "test/sandbox/engine/engine.property.test.ts",
  "test/sandbox/engine/market-flow/market-flow.test.ts",
  "test/sandbox/engine/market/{past,tape}.test.ts",
  "test/sandbox/engine/memory/orders.property.test.ts",
  "test/sandbox/engine/storage/archive.test.ts",
  "test/serve/{resources,tenants}.test.ts",
  "test/store/{kill-switch-file,open}.test.ts",
  "test/telemetry/{readiness,spans}.test.ts",
  "test/venues/hoga/transfer-write.test.ts",
  // Of the APIs of real exchanges one is enough for every run.
  "test/sandbox/families/{bithumb,coinone,korbit}/**/*.test.ts",
  "test/venues/{bithumb,coinone,korbit}/**/*.test.ts",
  "test/mcp/plan-news.test.ts",
  "test/desk/plans/rebalance.test.ts",
  "test/desk/plans/protection-shapes.test.ts",
  "test/desk/plans/shapes.test.ts",
  "test/desk/plans/after-buy.test.ts",
  "test/desk/plans/{hindered,plan-runner,protection-stands,protections,turns-held-up}.test.ts",
  "test/approval/after-restore.test.ts",
];
const LONG_APART = ["test/sim/sim.test.ts"];

/** Files that need modules of their own: they replace some, watch the clock, or meet all secrets that the process has seen. */
const SYSTEM_APART = ["test/system/{sim,soak}/**/*.test.ts", "test/system/process/{secrecy,eight,kill}.test.ts"];
const APART = ["test/cli/paper/exchange.test.ts", "test/config/scrubber.test.ts", "test/sim/**/*.test.ts"];
/** Their secrets are words that other tests say, and a process hides them from then on: they share modules among themselves alone. */
const CONFIG = "test/config/**/*.test.ts";

/** Of all property tests of a run, so that a run can be repeated: `HOGA_TEST_SEED=… npm test`. */
const SEED = process.env["HOGA_TEST_SEED"] ?? String(Date.now() % 2 ** 31);
console.error(`HOGA_TEST_SEED=${SEED}`);

/** With Upbit, one of these by the seed of a run, each as often as the others over many runs; all with `HOGA_TEST_ALL=1`. */
const OTHERS = ["bithumb", "korbit", "coinone"] as const;
const IN_TURN =
  process.env["HOGA_TEST_ALL"] === "1" ? OTHERS : OTHERS.filter((_, at) => at === Number(SEED) % OTHERS.length); // not money: a place in a list
const ANOTHER_TIME = OTHERS.filter((name) => !IN_TURN.includes(name)).flatMap((name) => [
  `test/system/venues/${name}.test.ts`,
  `test/{venues,sandbox/families}/${name}/**/*.test.ts`,
]);

const MEMORY = "/dev/shm";
const SPARE_BYTES = 1024 ** 3;

/** Temporary files in memory, where the machine has some to spare: nothing waits for a disk. The system tests use a real one. */
function temporary(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= SPARE_BYTES ? MEMORY : tmpdir();
}

/**
 * What takes longest comes first, so that nothing runs on alone at the end, and what waits in turn with what computes, so that a processor
 * is never idle. The first is one that has patience, because all workers load the modules meanwhile. A worker ends where the next file in
 * the line is another project's, and the one after it loads everything anew, some seconds of a processor: the files of a project stand
 * together, those with modules of their own first, and the project with the most files last, as its many short ones end the run evenly.
 */
const LONGEST = [
  "system/sim/schedules",
  "system/process/eight",
  "system/process/kill",
  "system/process/secrecy",
  "system/venues/upbit",
  "system/venues/korbit",
  "system/venues/bithumb",
  "system/venues/coinone",
  "system/desk/schedules",
  "system/evals/requests",
  "system/approval/elicitation",
  "system/approval/model-only",
  "system/approval/who-can",
  "system/cli/webhook-line",
  "sim/sim",
  "system/store/postgres",
  "system/store/sqlite",
  "system/store/postgres-trouble",
  "serve/resources",
  "mcp/output-schema",
  "mcp/story",
  "sandbox/engine/market-flow/market-flow",
  "desk/safety/kill-switch",
  "mcp/bounded-answer",
  "serve/tenants",
  "sandbox/engine/memory/orders.property",
  "venues/hoga/trading-write",
  "sandbox/engine/storage/archive",
  "venues/hoga/transfer-write",
  "desk/portfolio/ledger-replay",
  "telemetry/readiness",
  "sandbox/engine/engine.property",
  "desk/safety/halt-under-pause",
  "desk/execution/replace-order",
  "serve/connect",
  "desk/execution/cancel-order",
  "cli/commands/kill-switch",
  "desk/transfer/lost-answers",
  "serve/resumed",
  "desk/schedules",
  "cli/gone-store",
  "desk/risk/budgets",
  "serve/sse",
  "transport/write",
  "cli/outcome",
  "desk/execution/place-order",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    const apart = ({ project }: TestSpecification): number => Number(project.config.isolate); // not money: 1 for those
    const sizes = new Map<string, number>();
    for (const { project } of files) sizes.set(project.name, (sizes.get(project.name) ?? 0) + 1);
    const size = ({ project }: TestSpecification): number => sizes.get(project.name) ?? 0;
    const sorted = await super.sort(files);
    return sorted.sort(
      (one, other) =>
        apart(other) - apart(one) ||
        size(one) - size(other) ||
        one.project.name.localeCompare(other.project.name) ||
        rank(one) - rank(other),
    );
  }
}

/** As users have it: a client of the tests brings native parts that `ws` would take, and users get none. */
const PLAIN_WS = { WS_NO_BUFFER_UTIL: "1", WS_NO_UTF_8_VALIDATE: "1" };

const seeded = {
  setupFiles: ["test/fixture/property-seed.ts"],
  env: { HOGA_TEST_SEED: SEED, ...PLAIN_WS },
  // What is waited for comes at once, unless the machine has other work.
  expect: { poll: { timeout: 20_000 } },
};
const quick = {
  ...seeded,
  setupFiles: [...seeded.setupFiles, "test/fixture/light-pin.ts"],
  testTimeout: 30_000,
  hookTimeout: 30_000,
  env: { ...seeded.env, TMPDIR: temporary() },
};
const system = { ...seeded, testTimeout: 120_000, hookTimeout: 60_000, env: { ...seeded.env, TMPDIR: tmpdir() } };

const AT_ANOTHER = {
  bithumb: [...EVERYWHERE, ...WHERE_IT_APPEARS_LATE],
  korbit: EVERYWHERE,
  coinone: EVERYWHERE,
} as const;
const BEYOND_UPBIT = EVERYWHERE.slice(AT_UPBIT.length);

/** The desk's suite once more, over an exchange that is not the specified one. */
function deskAt(exchange: string, name: string, files: readonly string[], settings: typeof quick) {
  return {
    test: {
      ...settings,
      name,
      include: files.map((file) => `test/desk/${file}.test.ts`),
      env: { ...settings.env, HOGA_TEST_VENUE: exchange },
      isolate: false,
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ["test/fixture/suite.ts"],
    pool: "forks",
    // What was transformed in one tier, or the last time, is not transformed again.
    experimental: { fsModuleCache: true },
    // More than the cores of a small machine, as much of a test is waiting; each loads all modules once. Those of whole programs are fewer
    // (`test:system`): each has some programs more.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    coverage: { provider: "v8", include: ["src/**"] },
    projects: [
      { test: { ...quick, name: "apart", include: APART, exclude: [...configDefaults.exclude, ...LONG_APART] } },
      {
        test: {
          ...quick,
          name: "config",
          include: [CONFIG],
          exclude: [...configDefaults.exclude, ...APART],
          isolate: false,
        },
      },
      // Loading the modules anew for every file would be a third of the work.
      {
        test: {
          ...quick,
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...APART, CONFIG, ...AS_PROGRAMS, ...LONG, SYSTEM],
          isolate: false,
        },
      },
      deskAt("upbit", "desk-at-upbit", AT_UPBIT, quick),
      deskAt("upbit", "system-desk-at-upbit", [...BEYOND_UPBIT, ...WHERE_IT_APPEARS_LATE, ...AT_UPBIT_LATER], system),
      ...IN_TURN.map((name) => deskAt(name, `system-desk-at-${name}`, AT_ANOTHER[name], system)),
      { test: { ...system, name: "system-apart", include: [...SYSTEM_APART, ...LONG_APART] } },
      {
        test: {
          ...system,
          name: "system",
          include: [SYSTEM, ...LONG],
          exclude: [...configDefaults.exclude, ...SYSTEM_APART, OVER_TRADING, WITHOUT_PROOF, ...ANOTHER_TIME],
          isolate: false,
        },
      },
      { test: { ...system, name: "system-over-trading", include: [OVER_TRADING], isolate: false } },
      { test: { ...system, name: "system-without-proof", include: [WITHOUT_PROOF], isolate: false } },
    ],
  },
});
