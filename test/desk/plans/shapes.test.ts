/**
 * Sixty markets that look as if they were at a price and are not, and twenty that are: ten of each at the real exchange, the others from scripts. By the
 * rules that programs commonly have most of the sixty would have sold: that is counted too, so that the sixty are worth something.
 */
import { afterEach, describe, expect, it } from "vitest";
import type { RuleName } from "./naive-rules.ts";
import { openMarket, type SandboxMarket } from "./sandbox-market.ts";
import { FALSE_IN_SANDBOX, TRUE_IN_SANDBOX } from "./sandbox-shapes.ts";
import { mirrored, type Played, play, type Shape } from "./scripted-market.ts";
import { FALSE_SHAPES, TRUE_SHAPES } from "./scripted-shapes.ts";

const PATIENCE = { timeout: 30_000 };

const bothWays = (shapes: readonly Shape[]): [string, () => Promise<Played>][] =>
  shapes.flatMap((shape) => [
    [shape.title, () => play(shape, "down")],
    [mirrored(shape).title, () => play(mirrored(shape), "up")],
  ]);
const titled = <T extends { readonly title: string }>(shapes: readonly T[]) =>
  shapes.map((shape): [string, T] => [shape.title, shape]);

/** How many of the sixty each rule would have sold in. */
const fooled = new Map<RuleName, number>();
let quiet = 0;
function count(triggered: ReadonlyMap<RuleName, number>): void {
  quiet += triggered.has("ours") ? 0 : 1;
  for (const rule of triggered.keys()) fooled.set(rule, (fooled.get(rule) ?? 0) + 1);
}

let market: SandboxMarket | undefined;
afterEach(async () => {
  await market?.close();
  market = undefined;
});

describe("nothing is triggered by", () => {
  it.each(bothWays(FALSE_SHAPES))("%s", async (_, run) => {
    const { triggered } = await run();
    count(triggered);
    expect([...triggered.keys()]).not.toContain("ours");
  });

  it.each(titled(FALSE_IN_SANDBOX))("%s, at the exchange", PATIENCE, async (_, shape) => {
    market = await openMarket(shape);
    await shape.run(market);
    count(market.triggered);
    expect([...market.legs]).toEqual([]);
  });

  it("any of the sixty, where the last print, the middle of the quotes, or our own clock would have sold in many", () => {
    expect({ quiet, ...Object.fromEntries(fooled) }).toEqual({
      quiet: 60,
      "last print": expect.any(Number),
      middle: expect.any(Number),
      "own clock": expect.any(Number),
    });
    expect(fooled.get("last print")).toBeGreaterThanOrEqual(50);
    expect(fooled.get("middle")).toBeGreaterThanOrEqual(47);
    expect(fooled.get("own clock")).toBeGreaterThanOrEqual(18);
  });
});

describe("a plan is triggered within eight seconds by", () => {
  it.each(
    TRUE_SHAPES.flatMap((shape): [string, number, () => Promise<Played>][] => [
      [shape.title, shape.fallenAtMs, () => play(shape, "down")],
      [mirrored(shape).title, shape.fallenAtMs, () => play(mirrored(shape), "up")],
    ]),
  )("%s", async (_, fallenAtMs, run) => {
    const { triggered } = await run();
    const tookMs = (triggered.get("ours") ?? Number.POSITIVE_INFINITY) - fallenAtMs;
    expect(tookMs).toBeGreaterThanOrEqual(2_000);
    expect(tookMs).toBeLessThanOrEqual(4_000);
  });

  it.each(titled(TRUE_IN_SANDBOX))("%s, seen at the exchange", PATIENCE, async (_, shape) => {
    market = await openMarket(shape);
    await shape.run(market);
    expect([...market.legs]).toEqual([shape.leg]);
    expect(market.triggered.get("ours")).toBeLessThanOrEqual(market.passedMs());
  });
});
