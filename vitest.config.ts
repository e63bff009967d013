import { defineConfig } from "vitest/config";

/** Whole programs, several processes at once, third-party clients, and what takes long: `npm run test:system`. */
const SYSTEM = "test/system/**/*.test.ts";

/** Files that need modules of their own: they run another file anew, or meet what the process keeps of all secrets it has seen. */
const APART = ["approval", "cli", "config", "process", "sim", "soak", "story", "desk/over-trading"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

const EVERY_TEST = { testTimeout: 30_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    globalSetup: ["test/fixture/suite.ts"],
    pool: "forks",
    // One more than the cores of a small machine, as programs under test are often waited for.
    maxWorkers: 3,
    coverage: { provider: "v8", include: ["src/**"] },
    projects: [
      { test: { ...EVERY_TEST, name: "apart", include: APART } },
      // Loading the modules anew for every file would be a third of the work.
      {
        test: {
          ...EVERY_TEST,
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...APART, SYSTEM],
          isolate: false,
        },
      },
      { test: { ...EVERY_TEST, name: "system", include: [SYSTEM], testTimeout: 120_000, hookTimeout: 60_000 } },
    ],
  },
});
