/** Several servers on one store whose clocks differ, as those of machines do: who looks is decided by no comparison of their times. */
import { afterEach, expect, it } from "vitest";
import type { PlanRecord } from "../../../src/desk/index.ts";
import { unwrap } from "../../fixture/result.ts";
import { ABOVE } from "./plan-world.ts";
import { openProtected, type Protected, STOP } from "./protected-market.ts";

let at: Protected;
afterEach(() => at.market.close());

const LONG = 90_000;

/** The clock of a machine that is ahead of the others. It counts as fast as theirs. */
const ahead = (ms: number) => {
  const { clock } = at.market;
  return {
    now: () => clock.now() + ms,
    rising: () => clock.rising(),
    sleep: (forMs: number, signal?: AbortSignal) => clock.sleep(forMs, signal),
  };
};
const gapsTold = () => at.told("plan.gap");
const holder = async (): Promise<string | undefined> => {
  const { store, sandbox } = at.market.world;
  return (await unwrap(store.plans.watch(sandbox.accountId)))?.holder;
};

it.each([-20_000, -9_000, -6_000, 0, 6_000, 9_000, 20_000])(
  "a stop sells though the clock of another server is %i ms ahead, and nothing is told of a time in which somebody looked",
  async (aheadMs) => {
    at = await openProtected();
    await at.market.process({ clock: ahead(aheadMs) });
    const plan = await at.begun(STOP);
    const before = await gapsTold();
    await at.pass(5_000);
    await at.stands(97, 99, 98, 8);
    expect(await gapsTold()).toEqual(before);
    expect(at.sent()).toMatchObject([{ executed: 0.5 }]);
    expect((await at.now(plan)).state).toBe("done");
  },
  LONG,
);

it.each([-9_000, 0, 9_000])(
  "another looks six seconds after a server has died, though its clock is %i ms ahead",
  async (aheadMs) => {
    at = await openProtected();
    await at.begun(STOP);
    const first = await holder();
    await at.market.process({ clock: ahead(aheadMs) });
    await at.pass(3_000);
    expect(await holder()).toBe(first);
    at.server.kill();
    const { clock } = at.market;
    const diedMs = clock.rising();
    let heldMs = diedMs;
    for (let nowMs = diedMs; (await holder()) === first; nowMs = clock.rising()) {
      heldMs = nowMs;
      await at.pass(250);
    }
    // By the clock, as a busy machine takes its own time besides. Each looks once a second.
    expect(clock.rising() - diedMs).toBeGreaterThanOrEqual(5_000);
    expect(heldMs - diedMs).toBeLessThanOrEqual(7_500);
  },
  LONG,
);

it.each([-9_000, 9_000])(
  "a server that ends by itself hands over without a gap to one whose clock is %i ms ahead, which is said to watch",
  async (aheadMs) => {
    at = await openProtected();
    const other = await at.market.process({ clock: ahead(aheadMs) });
    const plan = await at.begun(STOP);
    await at.pass(3_000);
    const before = await gapsTold();
    await at.server.close();
    await at.pass(4_000);
    const command = await at.market.process({ endsAfterCommand: true });
    const { plans } = await unwrap(command.plans.list({ planId: plan.planId, which: "all", limit: 1 }));
    expect(plans[0]?.watched_since).toBeDefined();
    await other.close();
    expect(await gapsTold()).toEqual(before);
  },
  LONG,
);

it.each([-9_000, 9_000])(
  "a command does not say that nobody watches where a server does whose clock is %i ms ahead",
  async (aheadMs) => {
    at = await openProtected();
    await at.begun(STOP);
    const command = await at.market.process({ clock: ahead(-aheadMs), endsAfterCommand: true });
    const report = await at.market.during(command.plans.create(ABOVE, "person"));
    expect(report).toMatchObject({ outcome: "accepted", warnings: [] });
  },
  LONG,
);

it(
  "a server that begins long after another has died looks within three seconds, and tells the time between",
  async () => {
    at = await openProtected();
    const plan: PlanRecord = await at.begun(STOP);
    at.server.kill();
    await at.pass(30_000);
    await at.market.process();
    await at.pass(4_000);
    const [gap, ...others] = await gapsTold();
    expect(others).toEqual([]);
    const lastedMs = Date.parse(String(gap?.["to"])) - Date.parse(String(gap?.["from"]));
    expect(lastedMs).toBeGreaterThanOrEqual(30_000);
    expect(lastedMs).toBeLessThanOrEqual(36_000);
    await at.stands(97, 99, 98, 8);
    expect((await at.now(plan)).state).toBe("done");
  },
  LONG,
);
