/** How Stryker runs the tests; the groups are those of stryker.config.mjs. */
import type { RunnerTestCase } from "vitest";
import { defineConfig } from "vitest/config";
import type { Reporter, Vitest } from "vitest/node";

/** The tests that judge a group: those of its files that are fast enough to be run hundreds of times. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  decimal: ["test/decimal/*.test.ts"],
  policy: [
    "test/desk/{risk/{policy*,bent-market,pre-trade-check},market/order-value,model/intent-{state,transition}}.test.ts",
  ],
  approval: ["test/desk/{execution/{approve-order*,declined-order,later-question},approval/*,submission/*}.test.ts"],
  sending: ["test/desk/{execution/submit-order,risk/pre-trade-check,reconciliation/lease,submission/*}.test.ts"],
  safety: ["test/desk/safety/kill-switch.test.ts"],
  book: ["test/sandbox/engine/{market/order-book,orders/match-plan}.test.ts"],
};

let vitest: Vitest | undefined;

/** Stryker counts failed tests only: a file that does not even load has none, and its mutant would pass for a survivor. */
const loading: Reporter = {
  onInit: (started) => {
    vitest = started;
  },
  onTestRunEnd: () => {
    for (const file of vitest?.state.getFiles() ?? []) {
      const { result } = file;
      if (result?.errors === undefined || result.errors.length === 0) continue;
      file.tasks.push({ type: "test", name: "loads", mode: "run", file, result } as RunnerTestCase);
    }
  },
};

export default defineConfig({
  test: {
    include: [...(TESTS[process.env["MUTATE"] ?? "policy"] ?? [])],
    reporters: [loading],
    // Every mutant has a worker of its own anyway.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
