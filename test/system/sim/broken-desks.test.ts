import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawn } from "../../fixture/drawn.ts";
import { drawPlan } from "../../sim/drawing.ts";
import { BROKEN_POLICIES } from "../../sim/policy.ts";
import { runPlan } from "../../sim/replay.ts";
import { Storage } from "../../sim/storage.ts";
import { FOREIGN_NAMES } from "../../sim/wire.ts";

/** A broken policy that is not caught by then is not caught. */
const SCHEDULES_TO_CATCH = 2_000;
const CAUGHT_OVER_BOTH = ["same-id-on-retry", "reject-after-queries", "forget-on-crash", "self-approval"];
const CAUGHT_EVERYWHERE = [
  ...["same-id-on-retry", "forget-on-crash", "believe-after-40-s", "unlisted-is-refused"],
  ...["duplicate-is-refused", "float-in-funds"],
];
/** Caught at other exchanges alone, one of which stands for them here. */
const CAUGHT_AT: Readonly<Record<string, (typeof FOREIGN_NAMES)[number]>> = {
  // Its lists show no ids of ours, so that who drops such orders sees none.
  "drop-nameless": "coinone",
  // The one that answers so by the id of an order, and not by what it was signed with.
  "duplicate-is-refused": "korbit",
};
/** Where to begin, as most schedules do not touch what a policy breaks. */
const FIRST_SEEDS: Readonly<Record<string, number>> = {
  "reject-after-queries": 200,
  "look-before-waiting": 700,
  "settled-is-told": 200,
  "forget-under-way": 1_040,
  "float-in-funds": 60,
  "any-version": 50,
  "begin-without-plan": 60,
  "begin-without-reserves": 130,
  "catch-up": 750,
  "missed-in-silence": 500,
};
/** Not a bound on speed: the machine may be busy. */
const PATIENCE_MS = 300_000;

let storage: Storage;
beforeAll(async () => {
  storage = await Storage.open();
});
afterAll(() => {
  storage.close();
});

describe("the invariants", { timeout: PATIENCE_MS }, () => {
  const broken = [
    ...Object.keys(BROKEN_POLICIES).map((policy) => ({
      policy,
      venue: CAUGHT_AT[policy] ?? ("open" as const),
    })),
    ...CAUGHT_OVER_BOTH.map((policy) => ({ policy, venue: "trading" as const })),
    ...drawn(FOREIGN_NAMES, 1).flatMap((venue) =>
      CAUGHT_EVERYWHERE.filter((policy) => CAUGHT_AT[policy] !== venue).map((policy) => ({ policy, venue })),
    ),
  ];

  it.each(broken)("notice $policy over the $venue venue", async ({ policy, venue }) => {
    const first = FIRST_SEEDS[policy] ?? 1;
    for (let seed = first; seed < first + SCHEDULES_TO_CATCH; seed++) {
      const { violations } = await runPlan(drawPlan(seed, venue), storage, policy);
      if (violations.length > 0) return;
    }
    expect.fail(`${policy} went unnoticed in ${SCHEDULES_TO_CATCH} schedules`);
  });
});
