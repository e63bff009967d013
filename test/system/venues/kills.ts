/**
 * Tests of servers that are killed at every step of an order, of a change and of a cancel of all: after rising delays, and at what the exchange shows.
 * Source: architecture.md#rule-1, decision 0029.
 */
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { clientIdOf } from "../../../src/desk/core/ids.ts";
import { eventually } from "../../fixture/command.ts";
import type { DeskAt, ExchangeWorld, Said } from "./exchange-desk.ts";
import type { Exchange } from "./exchanges.ts";
import { elsewhere, expectOpenQuestion, type Stage } from "./stage.ts";

/** When a server is killed: so many milliseconds after it was asked, or once this is so. */
type Moment = number | (() => boolean | Promise<boolean>);

/** @returns the next server on the same data directory */
async function killedAt(desk: DeskAt, asked: Promise<Said>, moment: Moment): Promise<DeskAt> {
  asked.catch(() => undefined);
  if (typeof moment === "number") await pause(moment);
  else await eventually(async () => ((await moment()) ? true : undefined));
  await desk.kill();
  return desk.again();
}

/** What the desk lists is what the exchange has open, which may still be changing. */
async function expectListed(desk: DeskAt): Promise<void> {
  await eventually(async () => {
    const { orders = [] } = await desk.call("get_open_orders");
    const listed = new Set(orders.map(({ userref }) => clientIdOf(userref ?? "")));
    const open = desk.orders().filter(({ state }) => state === "open");
    const isSame = open.length === listed.size && open.every(({ userref }) => listed.has(userref ?? ""));
    return isSame ? true : undefined;
  });
}

/** Each server is killed with an order of its own under way; then every name has one order, or is an open question without any. */
async function killOrders(first: DeskAt, moments: readonly (number | "taken")[]): Promise<DeskAt> {
  let desk = first;
  const asked = new Map<string, ReturnType<typeof elsewhere>>();
  /** What is there is found, and what was never sent is placed. */
  const settled = (name: string, where: object): Promise<Said> =>
    eventually(async () => {
      const said = await desk.place(name, where);
      const isOpen = said.outcome === "unknown" && desk.at(name).length === 0;
      return isOpen || said.outcome === "accepted" ? said : undefined;
    });
  for (const moment of moments) {
    const [name, where, placing] = [`placed-${moment}`, elsewhere(), desk];
    asked.set(name, where);
    const isTaken = () => placing.at(name).length > 0;
    desk = await killedAt(desk, desk.place(name, where), moment === "taken" ? isTaken : moment);
    const said = await settled(name, where);
    if (said.outcome === "unknown") expectOpenQuestion(said);
    if (moment === "taken") expect(said).toMatchObject({ outcome: "accepted", state: "open" });
  }
  for (const [name, where] of asked) {
    const { outcome } = await settled(name, where);
    expect([name, desk.at(name).length]).toEqual([name, outcome === "accepted" ? 1 : 0]);
  }
  expect(desk.orders().length).toBeLessThanOrEqual(moments.length);
  await expectListed(desk);
  return desk;
}

/** So long the new order of a change is held back at the exchange. */
const HELD_MS = 500;

/** Each server is killed while it changes an order; then the old or the new one is there, never both, and what is said is so. */
async function killChanges(
  world: ExchangeWorld,
  first: DeskAt,
  moments: readonly (number | "gone" | "there" | "held")[],
): Promise<DeskAt> {
  let desk = first;
  for (const moment of moments) {
    const [name, { price }] = [`changed-${moment}`, elsewhere()];
    expect(await desk.place(name, elsewhere())).toMatchObject({ outcome: "accepted" });
    const change = (): Promise<Said> => desk.call("replace_order", { userref: name, price });
    const old = () => desk.at(name)[0]?.state;
    const news = () => desk.orders().filter((order) => order.price === BigInt(price) * 100_000_000n);
    if (moment === "held") await world.plan({ kind: "latency", latency_ms: HELD_MS });
    const reached = { gone: () => old() === "canceled", there: () => news().length > 0, held: () => world.hasBegun() };
    desk = await killedAt(desk, change(), typeof moment === "number" ? moment : reached[moment]);
    // Such a one has left, and will be there.
    const isSent = moment === "there" || moment === "held";
    const said = await eventually(async () => {
      const answer = await change();
      expect(news().length).toBeLessThanOrEqual(1);
      expect([old(), ...news().map(({ state }) => state)].filter((state) => state === "open").length).toBeLessThan(2);
      const isWithout = !isSent && news().length === 0 && old() === "canceled";
      return answer.outcome === "accepted" || isWithout ? answer : undefined;
    });
    if (isSent) expect(said.outcome).toBe("accepted");
    if (said.outcome === "unknown") expectOpenQuestion(said);
    expect([old(), news().map(({ state }) => state)]).toEqual([
      ...["canceled", said.outcome === "accepted" ? ["open"] : []],
    ]);
    expect(said).toMatchObject({ replaced: { state: "canceled" } });
    await expectListed(desk);
  }
  return desk;
}

/** Each server is killed while it cancels all orders; the next one says what is open, and leaves nothing. */
async function killCancels(first: DeskAt, moments: readonly (number | "begun")[]): Promise<DeskAt> {
  let desk = first;
  for (const moment of moments) {
    const names = [1, 2, 3].map((number) => `canceled-${moment}-${number}`);
    for (const name of names) expect(await desk.place(name, elsewhere())).toMatchObject({ outcome: "accepted" });
    const isOneGone = () => names.some((name) => desk.at(name)[0]?.state === "canceled");
    const asked = desk.call("cancel_all_orders");
    desk = await killedAt(desk, asked, typeof moment === "number" ? moment : isOneGone);
    await expectListed(desk);
    await eventually(async () => {
      const { remaining } = await desk.call("cancel_all_orders");
      return remaining === 0 ? true : undefined;
    });
    expect(desk.orders().filter(({ state }) => state === "open")).toEqual([]);
    for (const name of names)
      expect(await desk.call("get_order", { userref: name })).toMatchObject({ state: "canceled" });
  }
  return desk;
}

export function testKills({ title }: Exchange, on: () => Stage): void {
  describe(`a server that is killed while it trades at ${title}`, () => {
    const desks: DeskAt[] = [];
    beforeAll(async () => {
      const { world } = on();
      desks.push(...(await Promise.all([world.desk(), world.desk(), world.desk()])));
    });

    /** Stories side by side, each on a desk of its own. */
    const sideBySide = async (stories: readonly ((desk: DeskAt) => Promise<DeskAt>)[]): Promise<void> => {
      const told = desks.slice(0, stories.length).map(async (desk, at) => (await stories[at]?.(desk)) ?? desk);
      for (const [at, desk] of (await Promise.all(told)).entries()) desks[at] = desk;
    };

    it("has sent each order once, whenever that was, and the next one finds it", async () => {
      const stories = sideBySide([
        (desk) => killOrders(desk, [0, 15, 70]),
        (desk) => killOrders(desk, [3, 25, 120]),
        (desk) => killOrders(desk, [8, 40, "taken"]),
      ]);
      await expect(stories).resolves.toBeUndefined();
    });

    it("leaves the old order or the new one of a change, and the next one says which", async () => {
      const { world } = on();
      const stories = sideBySide([
        (desk) => killChanges(world, desk, [0, "gone"]),
        (desk) => killChanges(world, desk, [25, 90]),
        (desk) => killChanges(world, desk, ["there"]),
      ]);
      await expect(stories).resolves.toBeUndefined();
      // A fault is of the next request, whosever that is.
      await expect(sideBySide([(desk) => killChanges(world, desk, ["held"])])).resolves.toBeUndefined();
    });

    it("has said all that it leaves open of a cancel of all", async () => {
      const stories = sideBySide([
        (desk) => killCancels(desk, [0, 40]),
        (desk) => killCancels(desk, [15, 90]),
        (desk) => killCancels(desk, ["begun"]),
      ]);
      await expect(stories).resolves.toBeUndefined();
    });
  });
}
