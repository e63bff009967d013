/**
 * Mutation testing of what decides about money: `npm run mutate`, or one group alone with `MUTATE=policy npx stryker run`.
 * Each group is judged by its own tests, which vitest.mutate.config.ts names.
 */
export const GROUPS = {
  decimal: ["src/decimal/**/*.ts"],
  policy: [
    "src/desk/{risk/policy-{decision,rules},market/order-value,model/{intent-state,intent-transition,account-usage}}.ts",
  ],
  approval: ["src/desk/{execution/order-kind,submission/approve,approval/*}.ts"],
  sending: ["src/desk/{risk/pre-trade-check,execution/{submit-order,order-kind},submission/submit}.ts"],
  safety: ["src/desk/safety/kill-switch.ts"],
  book: ["src/sandbox/engine/market/order-book.ts"],
};
const group = process.env.MUTATE ?? "policy";

export default {
  mutate: GROUPS[group],
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutate.config.ts", related: false },
  coverageAnalysis: "perTest",
  concurrency: 2,
  // A busy machine is not an endless loop.
  timeoutMS: 20_000,
  ignorePatterns: ["**", "!src/**", "!test/**", "!package.json", "!vitest.mutate.config.ts", "test/system/frameworks"],
  // Vitest strips the types; nothing has to be hidden from a compiler.
  disableTypeChecks: false,
  tempDirName: ".bench/mutate",
  reporters: ["clear-text", "json", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `.bench/mutation-${group}.json` },
  thresholds: { high: 95, low: 85, break: 85 },
};
