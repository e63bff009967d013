/** The first reading of an account with many orders at an exchange that shows fills in their order alone, killed in its middle. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { eventually } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { WIDE, writePolicy } from "../../fixture/home.ts";
import { cleanUp } from "../../fixture/program.ts";
import { keptFills } from "../../store/fill.ts";
import { createWorkers, type Worker, type Workers } from "../../store/processes.ts";
import { connect, endAssistants } from "../process/assistant.ts";
import { homeOf, type Said } from "./exchange-desk.ts";
import { type ManyOrders, openManyOrders } from "./many-orders.ts";
import type { ReadingJob, Told } from "./reading-worker.ts";

const ORDERS = 10_000;
/** Orders of one page, whose fills are kept together: a kill loses no more. */
const PAGE = 50;
const DETAIL = "order";

let world: ManyOrders;
let workers: Workers<ReadingJob>;
beforeAll(async () => {
  workers = await createWorkers<ReadingJob>(join(import.meta.dirname, "reading-worker.ts"));
  world = await openManyOrders(ORDERS);
});
afterAll(async () => {
  endAssistants();
  await workers.end();
  await world.close();
  await cleanUp();
});

const toldBy = ({ told }: Worker): readonly Told[] => told as readonly Told[];
const callsOf = (worker: Worker, endpoint?: string): number =>
  toldBy(worker).filter((each) => "endpoint" in each && (endpoint === undefined || each.endpoint === endpoint)).length;

async function until({ process, told }: Worker, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    if (process.exitCode !== null) throw new Error(`it has ended: ${JSON.stringify(told.at(-1))} after ${told.length}`);
    await pause(5);
  }
}

async function ended(worker: Worker): Promise<number> {
  const last = () => toldBy(worker).find((each) => "added" in each);
  await until(worker, () => last() !== undefined);
  return (last() as { readonly added: number }).added;
}

describe(`a reading of ${ORDERS} orders`, () => {
  it("goes on after kill -9 where it was, and has every fill once", async () => {
    const path = join(freshHome(), "hoga.db");
    const job = { path, baseUrl: world.baseUrl, key: world.key, account: "a" };
    const beganMs = Date.now();
    const killed = workers.start(job);
    await until(killed, () => callsOf(killed, DETAIL) > 3_000);
    await killed.kill();
    const asked = callsOf(killed, DETAIL);
    const second = workers.start(job);
    await ended(second);
    const tookMs = Date.now() - beganMs;
    const kept = async () => {
      const clock = { now: Date.now, sleep: (ms: number) => pause(ms) };
      const store = await openStore({ path }, { clock, random: Math.random });
      const fills = await keptFills(store.fills, "a", 1_000);
      store.close();
      return fills.map(({ orderId, volume }) => `${orderId} ${volume}`).sort();
    };
    expect(await kept()).toEqual(world.fills());
    const details = asked + callsOf(second, DETAIL);
    expect(details).toBeGreaterThanOrEqual(world.executed());
    expect(details).toBeLessThanOrEqual(world.executed() + PAGE);

    const third = workers.start(job);
    expect(await ended(third)).toBe(0);
    expect(callsOf(third, DETAIL)).toBe(0);
    console.log(
      `${ORDERS} orders, ${world.executed()} with fills: ${details} asked for in ${Math.round(tookMs / 1_000)} s without pacing; ` +
        `another look: ${callsOf(third)} calls`,
    );

    world.fillOldest();
    const fourth = workers.start(job);
    expect(await ended(fourth)).toBe(1);
    expect(callsOf(fourth, DETAIL)).toBe(1);
    expect(await kept()).toEqual(world.fills());
  });
});

describe("a desk whose account was not read to its end", () => {
  it("has no totals of days in which an old order has filled, until all is read at the exchange's rates", async () => {
    const few = await openManyOrders(250, 1);
    try {
      few.fillOldest();
      const assistant = await connect({ home: homeOf("upbit", few.baseUrl, few.key) });
      const fromMs = Date.now() - 3 * 86_400_000;
      const day = { from: new Date(fromMs).toISOString(), limit: 1 };
      // Neither the order's own day nor the newest page tells of it.
      const first = (await assistant.call("get_trade_history", day)) as Said;
      expect(first).toMatchObject({ isError: false, reading: { trades: expect.any(Number) } });
      expect(first["totals"]).toBeUndefined();
      expect(first.warnings?.join()).toContain("No totals yet");
      const read = await eventually(async () => {
        const said = (await assistant.call("get_trade_history", day)) as Said;
        return said["totals"] === undefined ? undefined : said;
      }, 60_000);
      expect(read["totals"]).toMatchObject(few.valuesSince(fromMs));
      await assistant.close();
    } finally {
      await few.close();
    }
  });

  it("sends no order under a limit on the day's loss meanwhile, and says how far it is and what can be done", async () => {
    const few = await openManyOrders(250, 1);
    try {
      const home = homeOf("upbit", few.baseUrl, few.key);
      writePolicy(home, { ...WIDE, max_day_loss_krw: "1000000" });
      const assistant = await connect({ home });
      const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "50000000" };
      const place = async () => JSON.stringify(await assistant.call("place_order", order));
      const held = await place();
      expect(held).toMatch(/"outcome":"not_sent".+"rule":"day_loss"/);
      expect(held).toMatch(/What was lost today is not known yet: the trades are still being read .+ \(\d+ so far/);
      expect(held).toContain("a person takes the limit on the day's loss out of policy.toml until then");
      const read = await eventually(async () => {
        const said = await place();
        return said.includes("not known yet") ? undefined : said;
      }, 90_000);
      expect(read).not.toContain("day_loss");
      await assistant.close();
    } finally {
      await few.close();
    }
  });
});
