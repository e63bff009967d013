/** Random, mostly valid commands of a few accounts, as fast-check arbitraries, and what must hold after each. */
import fc from "fast-check";
import { expect } from "vitest";
import type { Engine } from "../../../src/sandbox/engine/index.ts";
import type { Command } from "../../../src/sandbox/model/index.ts";
import { BTC, balance, coins, krw, order, T0, testEngine } from "./exchange-kit.ts";
import { NaiveExchange } from "./naive-exchange.ts";
import { NaiveTransfers } from "./naive-transfers.ts";
import { type TransferMove, transferring } from "./random-transfers.ts";

export const ACCOUNTS = ["ann", "bob", "cid", "dee"];
const ASSETS = ["KRW", "BTC", "ETH"];
const SYMBOLS = ["BTC/KRW", "ETH/KRW"] as const;

/** A cancel names the n-th of the orders placed so far, modulo their number. */
export type Move =
  | { readonly kind: "command"; readonly make: () => Command }
  | { readonly kind: "cancel"; readonly index: number }
  | { readonly kind: "transfer"; readonly make: TransferMove }
  | { readonly kind: "wait"; readonly ms: number };

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
    settlementMode: fc.constantFrom("INSTANT_KRW" as const, "STANDARD_KRW" as const),
  })
  .map(({ terms, ...rest }): Move => ({ kind: "command", make: () => order({ ...rest, ...terms }) }));

const canceling = fc.nat({ max: 5_000 }).map((index): Move => ({ kind: "cancel", index }));

const linking = fc
  .record({ accountId: fc.constantFrom(...ACCOUNTS), linked: fc.boolean() })
  .map((link): Move => ({ kind: "command", make: () => ({ type: "linkKrwAccount", ...link }) }));

const arming = fc
  .record({ accountId: fc.constantFrom(...ACCOUNTS), timeoutMs: fc.constantFrom(0, 1, 5, 3_600_000) })
  .map((timer): Move => ({ kind: "command", make: () => ({ type: "armCancelTimer", ...timer }) }));

const withdrawing = fc
  .record({
    accountId: fc.constantFrom(...ACCOUNTS),
    asset: fc.constantFrom(...ASSETS),
    share: fc.integer({ min: 1, max: 300 }),
  })
  .map(({ accountId, asset, share }): Move => {
    const amount = asset === "KRW" ? krw(share * 10_000) : krw(share);
    return { kind: "command", make: () => ({ type: "withdraw", accountId, asset, amount }) };
  });

const advancing = fc
  .integer({ min: 1, max: 20 * 3_600_000 })
  .map((byMs): Move => ({ kind: "command", make: () => ({ type: "advanceClock", byMs }) }));

const waiting = fc
  .oneof(fc.integer({ min: 1, max: 30 * 3_600_000 }), fc.integer({ min: 200, max: 3_000 }))
  .map((ms): Move => ({ kind: "wait", ms }));

const transfers = transferring(ACCOUNTS).map((make): Move => ({ kind: "transfer", make }));

export const moves = (size: { minLength?: number; maxLength: number }): fc.Arbitrary<Move[]> =>
  fc.array(
    fc.oneof(
      { weight: 60, arbitrary: placing },
      { weight: 10, arbitrary: canceling },
      { weight: 1, arbitrary: linking },
      { weight: 1, arbitrary: arming },
      { weight: 1, arbitrary: withdrawing },
      { weight: 1, arbitrary: advancing },
      { weight: 3, arbitrary: waiting },
      { weight: 12, arbitrary: transfers },
    ),
    { size: "max", ...size },
  );

export interface TimedCommand {
  readonly command: Command;
  readonly at: number;
}

export interface Run {
  readonly engine: Engine;
  readonly naive: NaiveExchange;
  readonly transfers: NaiveTransfers;
  /** All commands, refused ones included. */
  readonly commands: TimedCommand[];
  /** When an account was last linked. */
  readonly linkedAt: Map<string, number>;
  /** When an account's orders are to be canceled. */
  readonly cancelAt: Map<string, number>;
  /** What left the exchange, by asset. */
  readonly withdrawn: Map<string, bigint>;
}

function newRun(engine: Engine): Run {
  const maps = { linkedAt: new Map(), cancelAt: new Map(), withdrawn: new Map() };
  return { engine, naive: new NaiveExchange(), transfers: new NaiveTransfers(), commands: [], ...maps };
}

/** Plays the moves on the engine and the naive model; calls `after` after every one. */
export function play(
  list: readonly Move[],
  after: (run: Run, step: number) => void,
  engine = testEngine(...ACCOUNTS),
): Run {
  const run = newRun(engine);
  let at = T0;
  for (const [step, move] of list.entries()) {
    at += move.kind === "wait" ? move.ms : 1;
    const ahead = engine.clockOffset();
    const command = commandOf(move, run);
    if (command === undefined) continue;
    // As an exchange with a journal does before every command.
    if (engine.isDue(at) && command.type !== "passTime") {
      give(run, { type: "passTime" }, at);
      after(run, step);
    }
    give(run, command, at);
    at += engine.clockOffset() - ahead;
    after(run, step);
  }
  return run;
}

function give(run: Run, command: Command, at: number): void {
  const { engine, naive, commands, linkedAt, cancelAt, withdrawn } = run;
  commands.push({ command, at });
  const wasLinked = command.type === "linkKrwAccount" && engine.account(command.accountId)?.krwAccountLinked;
  const answer = engine.apply(command, at);
  if (answer.ok && command.type === "place") naive.place(command);
  if (answer.ok && command.type === "cancel") naive.cancel(command.orderId);
  if (answer.ok && command.type === "linkKrwAccount" && command.linked && !wasLinked)
    linkedAt.set(command.accountId, at);
  if (command.type === "armCancelTimer")
    cancelAt.set(command.accountId, command.timeoutMs === 0 ? Number.POSITIVE_INFINITY : at + command.timeoutMs);
  if (command.type === "passTime") passTime(run, at);
  run.transfers.record(answer, at);
  if (!answer.ok) return;
  if (command.type === "advanceClock") passTime(run, at + command.byMs);
  if (command.type === "withdraw") withdrawn.set(command.asset, (withdrawn.get(command.asset) ?? 0n) + command.amount);
}

function passTime({ naive, transfers: known, cancelAt }: Run, now: number): void {
  known.passTime(now);
  for (const [accountId, due] of cancelAt) {
    if (due > now) continue;
    cancelAt.delete(accountId);
    for (const each of naive.open()) if (each.command.accountId === accountId) naive.cancel(each.command.orderId);
  }
}

function commandOf(move: Move, { naive: { orders }, transfers: known }: Run): Command | undefined {
  if (move.kind === "transfer") return move.make(known);
  if (move.kind === "command") return move.make();
  if (move.kind === "wait") return { type: "passTime" };
  const chosen = orders[move.index % Math.max(orders.length, 1)]?.command;
  return chosen && { type: "cancel", accountId: chosen.accountId, symbol: chosen.symbol, orderId: chosen.orderId };
}

export function expectSound(run: Run): void {
  const { engine, naive } = run;
  for (const asset of ASSETS) {
    const { total, deposited } = engine.conservation(asset);
    const endowed = BigInt(ACCOUNTS.length) * krw(asset === "KRW" ? 10_000_000 : 1_000);
    const minted = asset === "KRW" ? run.transfers.minted : 0n;
    expect(deposited).toBe(endowed + minted - (run.withdrawn.get(asset) ?? 0n) - run.transfers.left(asset));
    expect(total).toBe(deposited);
  }
  for (const accountId of ACCOUNTS) {
    const held = unsettled(run, accountId);
    held.set("KRW", (held.get("KRW") ?? 0n) + run.transfers.unsettled(accountId));
    for (const asset of ASSETS) {
      const { available, locked, withdrawable } = balance(engine, accountId, asset);
      expect(available >= 0n && locked >= 0n).toBe(true);
      const remitting = run.transfers.locked(accountId, asset);
      expect(locked).toBe(naive.locked(accountId, asset, BTC.takerFeeRate) + remitting);
      expect(withdrawable).toBe(bound(available - (held.get(asset) ?? 0n)));
    }
  }
  run.transfers.expectAgreement(engine, ASSETS);
  for (const symbol of SYMBOLS) {
    const { buys, asks } = engine.book(symbol, 1);
    const [bid, ask] = [buys[0]?.[0], asks[0]?.[0]];
    expect(bid !== undefined && ask !== undefined && bid >= ask).toBe(false);
  }
}

const bound = (units: bigint): bigint => (units > 0n ? units : 0n);

/** What cannot be withdrawn yet, by asset: pending, or failed and not linked since. */
function unsettled({ engine, linkedAt, commands }: Run, accountId: string): Map<string, bigint> {
  const last = commands.at(-1);
  const now = (last?.at ?? T0) + (last?.command.type === "advanceClock" ? last.command.byMs : 0);
  const held = new Map<string, bigint>();
  for (const { state, endedAt, dueAt, asset, amount } of engine.settlements(accountId)) {
    if (state === "pending" && dueAt <= now) throw new Error(`pending since ${dueAt} at ${now}`);
    const failed = state === "failed" && (endedAt ?? 0) > (linkedAt.get(accountId) ?? 0);
    if (state === "pending" || failed) held.set(asset, (held.get(asset) ?? 0n) + amount);
  }
  return held;
}

/** Every order is as in the naive model, so each match had the same maker. */
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
