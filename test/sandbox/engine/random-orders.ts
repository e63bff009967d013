/** Random but valid-looking orders and cancels of a few accounts, as fast-check arbitraries, and what must hold after each. */
import fc from "fast-check";
import { expect } from "vitest";
import type { Engine } from "../../../src/sandbox/engine/index.ts";
import type { Command } from "../../../src/sandbox/model.ts";
import { BTC, balance, coins, krw, order, T0, testEngine } from "./exchange-kit.ts";
import { NaiveExchange } from "./naive-exchange.ts";

export const ACCOUNTS = ["ann", "bob", "cid", "dee"];
const ASSETS = ["KRW", "BTC", "ETH"];
const SYMBOLS = ["BTC/KRW", "ETH/KRW"] as const;

/** A cancel names the n-th of the orders placed so far, counted round. */
export type Move =
  | { readonly kind: "place"; readonly make: () => Command }
  | { readonly kind: "cancel"; readonly index: number };

const placing = fc
  .record({
    accountId: fc.constantFrom(...ACCOUNTS),
    symbol: fc.constantFrom(...SYMBOLS),
    side: fc.constantFrom("buy" as const, "sell" as const),
    price: fc.integer({ min: 990, max: 1_010 }).map(krw),
    volume: fc.integer({ min: 500, max: 50_000 }).map(coins),
    terms: fc.constantFrom(
      ...Array.from({ length: 6 }, () => ({})),
      { timeInForce: "IOC" as const },
      { timeInForce: "FOK" as const },
      { postOnly: true },
      { orderType: "market" as const, price: null, timeInForce: "IOC" as const },
    ),
  })
  .map(({ terms, ...rest }): Move => ({ kind: "place", make: () => order({ ...rest, ...terms }) }));

const canceling = fc.nat({ max: 5_000 }).map((index): Move => ({ kind: "cancel", index }));

export const moves = (size: { minLength?: number; maxLength: number }): fc.Arbitrary<Move[]> =>
  fc.array(fc.oneof({ weight: 4, arbitrary: placing }, { weight: 1, arbitrary: canceling }), { size: "max", ...size });

export interface Run {
  readonly engine: Engine;
  readonly naive: NaiveExchange;
  /** Commands as they were given, refused ones included. */
  readonly commands: Command[];
}

/** Plays the moves on engine and naive model; calls `after` behind every one. */
export function play(
  list: readonly Move[],
  after: (run: Run, step: number) => void,
  engine = testEngine(...ACCOUNTS),
): Run {
  const run: Run = { engine, naive: new NaiveExchange(), commands: [] };
  const { naive, commands } = run;
  for (const [step, move] of list.entries()) {
    const command = commandOf(move, naive);
    if (command === undefined) continue;
    commands.push(command);
    const answer = engine.apply(command, T0 + step);
    if (answer.ok && command.type === "place") naive.place(command);
    if (answer.ok && command.type === "cancel") naive.cancel(command.orderId);
    after(run, step);
  }
  return run;
}

function commandOf(move: Move, { orders }: NaiveExchange): Command | undefined {
  if (move.kind === "place") return move.make();
  const chosen = orders[move.index % Math.max(orders.length, 1)]?.command;
  return chosen && { type: "cancel", accountId: chosen.accountId, symbol: chosen.symbol, orderId: chosen.orderId };
}

export function expectSound({ engine, naive }: Run): void {
  for (const asset of ASSETS) {
    const { total, deposited } = engine.conservation(asset);
    expect(total).toBe(deposited);
    for (const accountId of ACCOUNTS) {
      const { available, locked } = balance(engine, accountId, asset);
      expect(available >= 0n && locked >= 0n).toBe(true);
      expect(locked).toBe(naive.locked(accountId, asset, BTC.takerFeeRate));
    }
  }
  for (const symbol of SYMBOLS) {
    const { buys, asks } = engine.book(symbol, 1);
    const [bid, ask] = [buys[0]?.[0], asks[0]?.[0]];
    expect(bid !== undefined && ask !== undefined && bid >= ask).toBe(false);
  }
}

/** Every order stands as in the naive model: so each match met the same maker. */
export function expectSameOrders({ engine, naive }: Run): void {
  for (const { command, left, state } of naive.orders) {
    const found = engine.order(command.accountId, command.orderId);
    const seen = { state: found?.state, executed: found?.executedVolume };
    expect({ id: command.orderId, ...seen }).toEqual({
      id: command.orderId,
      state,
      executed: (command.volume ?? 0n) - left,
    });
  }
}
