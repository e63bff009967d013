/**
 * One round of a kill test: orders are being placed, something is killed, and afterwards every `userref` is accounted for: none
 * or one order at the exchange, what hoga says of it is what the exchange says, and asking for it again makes no second one.
 */
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { ShownOrder } from "../../fixture/witness.ts";
import { venueOrders } from "../../fixture/witness.ts";
import type { Assistant, Reply } from "./assistant.ts";
import type { Chance } from "./chance.ts";

interface Placed {
  readonly request: object;
  /** What the caller was told; undefined when the answer never came. */
  readonly reply: Reply | undefined;
}

export type Told = ReadonlyMap<string, Placed>;

export const ORDERS_PER_ROUND = 8;
/** From an answer to the kill: about as long as the next order takes. */
const KILL_WITHIN_MS = 60;

/** Orders that rest far below the market, and some that fill at once. */
function wish(chance: Chance, userref: string): object {
  const order = { symbol: "BTC/KRW", side: "buy", userref };
  return chance() < 0.25
    ? { ...order, type: "market", quote_amount: "6000" }
    : { ...order, type: "limit", base_volume: "0.0001", price: "90000000" };
}

/** Which round of how many. */
export interface Turn {
  readonly round: number;
  readonly rounds: number;
}

/** Places orders side by side, and kills at a random moment among their answers: from round to round a later one. */
export async function placeAndKill(
  chance: Chance,
  { round, rounds }: Turn,
  placing: Assistant,
  kill: () => Promise<void>,
): Promise<Told> {
  let answers = 0;
  const calls = Array.from({ length: ORDERS_PER_ROUND }, async (_, index) => {
    const userref = `r${round}-${index}`;
    const request = wish(chance, userref);
    const reply = await placing.call("place_order", request).catch(() => undefined);
    answers += 1;
    return [userref, { request, reply }] as const;
  });
  const killAfter = Math.floor(((round + chance()) / rounds) * ORDERS_PER_ROUND);
  while (answers < killAfter) await pause(1);
  await pause(chance() * KILL_WITHIN_MS);
  await kill();
  return new Map(await Promise.all(calls));
}

/** Compares what was told then and what is told now with the exchange's own word. @returns how many orders there were */
export async function expectTruth(home: string, asking: Assistant, told: Told, chance: Chance): Promise<number> {
  // The first question opens the store and finds the exchange.
  await asking.call("get_desk_status");
  const orders = await venueOrders(home);
  // The witness took a nonce; a read notices that and goes on, where an order would have to be looked up first.
  await asking.call("get_balances");
  const names = orders.flatMap(({ userref }) => userref ?? []);
  expect(names).toHaveLength(new Set(names).size);
  let placed = 0;
  for (const [userref, { request, reply }] of told) {
    const venue = orders.find((order) => order.userref === userref);
    if (venue !== undefined) placed += 1;
    expectThen(userref, reply, venue);
    expectNow(userref, await asking.call("get_order", { userref }), venue);
    if (chance() < 0.3) expectAgain(userref, await asking.call("place_order", request), venue);
  }
  expect((await asking.call("get_desk_status")).unresolved).toEqual([]);
  return placed;
}

/** The answer to `place_order`, if it came. */
function expectThen(userref: string, then: Reply | undefined, venue: ShownOrder | undefined): void {
  switch (then?.outcome) {
    case "accepted":
      expect({ userref, orderId: venue?.orderId }).toEqual({ userref, orderId: then.order?.orderId });
      return;
    case "rejected":
    case "not_sent":
      expect({ userref, then, venue }).toMatchObject({ venue: undefined });
      return;
    case "unknown":
    case undefined:
      return;
    default:
      throw new Error(`${userref}: ${then?.outcome}`);
  }
}

/** The answer to `get_order`, after everything is up again. */
function expectNow(userref: string, now: Reply, venue: ShownOrder | undefined): void {
  if (venue !== undefined) {
    const { orderId, state, executed_volume } = venue;
    expect(now).toMatchObject({ isError: false, state, order: { orderId, userref, state, executed_volume } });
    return;
  }
  expect({ userref, order: now.order }).toEqual({ userref, order: undefined });
  // The call never arrived, or its order was proven to have had no effect, or it was written down and not sent: then nobody but
  // the process that may still live knows whether it will be.
  if (now.isError) expect(now).toMatchObject({ error: { code: "ELocal:Unknown order" } });
  else if (now.next_action?.includes("is let through and ") !== true)
    expect(now).toMatchObject({ userref, state: "not_placed" });
}

/** The answer to the same order asked for again: the one there is, or the first one. A second would show in the next round. */
function expectAgain(userref: string, again: Reply, venue: ShownOrder | undefined): void {
  const { orderId = again.order?.orderId } = venue ?? {};
  expect(again).toMatchObject({ isError: false, outcome: "accepted", order: { userref, orderId } });
}
