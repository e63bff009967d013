/**
 * What the tests of a desk at an exchange share: the exchange, desks that each have their own trouble, and what may never be said. Entry point:
 * `onStage`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { cleanUp } from "../../fixture/program.ts";
import { endAssistants } from "../process/assistant.ts";
import { type DeskAt, type ExchangeWorld, openExchangeWorld, type Said } from "./exchange-desk.ts";
import type { Exchange } from "./exchanges.ts";

export interface Stage {
  readonly exchange: Exchange;
  readonly world: ExchangeWorld;
  readonly desk: DeskAt;
  /** It has nothing open between two tests. */
  readonly behind: DeskAt;
  /** Has one order, which no query finds at first. */
  readonly lagging: DeskAt;
  /** Its order was swallowed when the file began: a person may say so once it cannot be on its way any more. */
  readonly bereft: DeskAt;
  readonly swallowed: Said;
  readonly swallowedAt: number;
  /** An order that is on its way since the file began: what is said of it until it is found. */
  readonly late: Promise<void>;
}

/** Opens it before the tests of a file, and heals the exchange after each. @param lateMs how long the late order is on its way */
export function onStage(exchange: Exchange, lateMs: number): () => Stage {
  let stage: Stage | undefined;
  beforeAll(async () => {
    stage = await openStage(exchange, lateMs);
  });
  afterEach(() => stage?.world.heal());
  afterAll(async () => {
    endAssistants();
    await stage?.world.close();
    await cleanUp();
  });
  return () => {
    if (stage === undefined) throw new Error("no test has begun");
    return stage;
  };
}

async function openStage(exchange: Exchange, lateMs: number): Promise<Stage> {
  const world = await openExchangeWorld(exchange);
  const [desk, behind, lagging, bereft, delayed] = await Promise.all([
    ...([world.desk(), world.desk(), world.desk(), world.desk(), world.desk()] as const),
  ]);
  await world.plan({ kind: "swallow" });
  const swallowed = await bereft.place("swallowed");
  const swallowedAt = Date.now();
  await world.plan({ kind: "late_delivery", after_ms: lateMs });
  const late = lateOrder(delayed, lateMs);
  // The test that waits for it comes last.
  late.catch(() => undefined);
  await eventually(async () => ((await world.hasBegun()) ? true : undefined));
  return { exchange, world, desk, behind, lagging, bereft, swallowed, swallowedAt, late };
}

/** From when it is placed until it is found and asked for once more. */
async function lateOrder(desk: DeskAt, lateMs: number): Promise<void> {
  const where = elsewhere();
  const told = [await desk.place("late", where), await desk.place("late", where)];
  // A slow machine may have asked when it was there already.
  if (desk.at("late").length === 0) for (const said of told) expectOpenQuestion(said);
  for (const { outcome } of told) expect(NOT_THERE).not.toContain(outcome);
  await eventually(async () => {
    const said = await desk.call("get_order", { userref: "late" });
    expect(NOT_THERE).not.toContain(said.state);
    if (desk.at("late").length > 0) return true;
    expect(said).toMatchObject({ state: "unknown" });
    await pause(Math.min(lateMs / 20, 1_000));
    return undefined;
  }, lateMs + 40_000);
  expect(await found(desk, "late")).toMatchObject({ state: "open", order: { userref: "late" } });
  expect(desk.at("late")).toHaveLength(1);
  expect(await desk.events("late")).toContain("appeared_late");
  expect(await desk.place("late", where)).toMatchObject({ outcome: "accepted", state: "open" });
  expect(desk.at("late")).toHaveLength(1);
}

let price = 80_000_000;
/** So that no order is another's twin. */
export function elsewhere(): { readonly price: string } {
  price += 10_000;
  return { price: String(price) };
}

/** Words for an order that is not at the exchange. */
export const NOT_THERE = ["not_placed", "not_sent", "not_sent_yet", "rejected", "denied", "canceled"];

/** Nothing is said that would let anybody order again. */
export function expectOpenQuestion({ outcome, state, next_action }: Said): void {
  expect([outcome, state]).toEqual(["unknown", "unknown"]);
  expect(next_action).toContain("get_order");
  expect(next_action).toContain("never sent twice");
}

export function found(from: DeskAt, userref: string, withinMs = 15_000): Promise<Said> {
  return eventually(async () => {
    const said = await from.call("get_order", { userref });
    expect(NOT_THERE).not.toContain(said.state);
    return said.order === undefined ? undefined : said;
  }, withinMs);
}
