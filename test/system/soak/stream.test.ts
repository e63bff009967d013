import { expect, it } from "vitest";
import { busyExchange } from "./busy-exchange.ts";
import { SoakListener } from "./listener.ts";

const ROUNDS = 2;
const ROUND_MS = 4_500;
const FAULTS = ["lose", "double", "swap", "lose", "break", "double", "swap"] as const;

it("a hundred subscriptions over a bad line: books come right, and no fill is missed or told twice", async () => {
  const far = await busyExchange({ seed: 20, markets: 33, faults: FAULTS, faultEveryMs: 500 });
  const near = new SoakListener(far.address);
  try {
    expect(near.subscriptions).toBeGreaterThanOrEqual(100);
    await near.ready();
    let truth = await far.quiet();
    await near.compare(truth);
    for (let round = 0; round < ROUNDS; round++) {
      await far.goOn();
      await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
      truth = await far.quiet();
      await near.compare(truth);
    }
    expect(near.faults).toEqual([]);
    expect(near.figures.fills).toBeGreaterThan(50);
    for (const fault of FAULTS) expect([fault, truth.done[fault]]).not.toEqual([fault, 0]);
    expect(near.figures.connections).toBeGreaterThan(0);
  } finally {
    await near.close();
    await far.close();
  }
}, 120_000);
