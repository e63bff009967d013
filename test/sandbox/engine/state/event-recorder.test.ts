import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createEngine,
  type Engine,
  type OpenedExchange,
  type OpenOptions,
  openExchange,
} from "../../../../src/sandbox/engine/index.ts";
import type { Command, ExchangeEvent } from "../../../../src/sandbox/model/index.ts";
import { BTC, coins, ETH, krw, order, refused, stateText, T0, testEngine } from "../exchange-kit.ts";
import { Follower } from "../follower.ts";
import { ACCOUNTS, moves, play } from "../random-orders.ts";

const endowment: readonly Command[] = ["ann", "bob"].flatMap((accountId): Command[] => [
  { type: "createAccount", accountId, krwAccountLinked: true },
  { type: "deposit", accountId, asset: "KRW", amount: krw(1_000_000) },
  { type: "deposit", accountId, asset: "BTC", amount: krw(10) },
]);

function watched(engine: Engine): Engine {
  engine.recordEvents(true);
  return engine;
}

/** Kind by kind, orders by whose they are and why they are told of. */
const kinds = (events: readonly ExchangeEvent[]): string[] =>
  events.map((event) => (event.kind === "order" ? `${event.order.accountId} ${event.cause}` : event.kind));

describe("who hears the events alone", () => {
  it("knows books, orders, fills and balances as they are after every command", () => {
    fc.assert(
      fc.property(moves({ maxLength: 60 }), (list) => {
        const engine = watched(testEngine(...ACCOUNTS));
        const follower = new Follower(engine);
        play(
          list,
          () => {
            follower.hear(engine.takeEvents().events);
            follower.expectAgreement(engine, ACCOUNTS);
          },
          engine,
        );
        expect(engine.takeEvents().events).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("knows the market flow's books and trades, and nothing of the house", () => {
    const engine = watched(createEngine({ markets: [BTC, ETH], seed: 3, marketMaker: true, bornAt: T0 }));
    const follower = new Follower(engine);
    for (let second = 1; second <= 60; second += 1) {
      engine.apply({ type: "tick" }, T0 + second * 1_000);
      const { events, at } = engine.takeEvents();
      expect(at).toBe(T0 + second * 1_000);
      expect(events.filter(({ kind }) => kind !== "book" && kind !== "trade")).toEqual([]);
      follower.hear(events);
      follower.expectAgreement(engine, []);
    }
    const heard = follower.trades.filter(({ symbol }) => symbol === "BTC/KRW");
    expect(heard.reverse()).toEqual(engine.trades("BTC/KRW", heard.length));
    expect(heard.length).toBeGreaterThan(30);
  });
});

describe("the events of a command", () => {
  const events = (...commands: readonly Command[]): readonly ExchangeEvent[] => {
    const engine = watched(testEngine("ann", "bob", "cid"));
    for (const command of commands) {
      engine.takeEvents();
      engine.apply(command, T0);
    }
    return engine.takeEvents().events;
  };
  const sell = (accountId: string, volume: number) =>
    order({ accountId, side: "sell", price: krw(1_000), volume: coins(volume) });
  const buy = order({ accountId: "ann", side: "buy", price: krw(1_000), volume: coins(10_000) });

  it("come in the order things happened, then books, then balances", () => {
    expect(kinds(events(sell("bob", 4_000), sell("cid", 9_000), { ...buy, timeInForce: "IOC" }))).toEqual([
      "ann created",
      ...["trade", "fill", "settlement", "bob filled", "fill", "settlement"],
      ...["trade", "fill", "settlement", "cid executed", "fill", "settlement"],
      "ann filled",
      "book",
      ...Array.from({ length: 6 }, () => "balance"),
    ]);
  });

  it("tell a partly executed order before its end, and each record as it was then", () => {
    const told = events(sell("bob", 4_000), { ...buy, timeInForce: "IOC" });
    const orders = told.flatMap((event) => (event.kind === "order" && event.order.accountId === "ann" ? [event] : []));
    expect(orders.map(({ cause, order: { state, executedVolume } }) => [cause, state, executedVolume])).toEqual([
      ["created", "open", 0n],
      ["executed", "open", coins(4_000)],
      ["expired", "expired", coins(4_000)],
    ]);
  });

  it("hold gone levels as zero, and only balances that differ", () => {
    const resting = sell("bob", 4_000);
    const cancel: Command = { type: "cancel", accountId: "bob", symbol: "BTC/KRW", orderId: resting.orderId };
    expect(events(resting, cancel)).toMatchObject([
      { kind: "order", cause: "canceled", order: { state: "canceled" } },
      { kind: "book", symbol: "BTC/KRW", seq: 2, buys: [], asks: [[krw(1_000), 0n]] },
      { kind: "balance", accountId: "bob", asset: "BTC", available: krw(1_000), locked: 0n },
    ]);
    // Held, killed and freed in one command.
    expect(kinds(events({ ...buy, timeInForce: "FOK" }))).toEqual(["ann created", "ann expired"]);
  });

  it("tell a market's status", () => {
    const halt: Command = { type: "setMarketStatus", symbol: "ETH/KRW", status: "halted" };
    expect(events(halt)).toEqual([{ kind: "market", symbol: "ETH/KRW", status: "halted" }]);
    expect(events(halt, halt)).toEqual([]);
  });

  it("do not depend on being watched from the start, nor change what the exchange does", () => {
    const commands = [sell("bob", 4_000), buy, sell("cid", 9_000)];
    const [quiet, loud] = [testEngine("ann", "bob", "cid"), watched(testEngine("ann", "bob", "cid"))];
    for (const command of commands) for (const engine of [quiet, loud]) engine.apply(command, T0);
    expect(stateText(loud)).toBe(stateText(quiet));
    expect(quiet.takeEvents().events).toEqual([]);
    expect(kinds(loud.takeEvents().events)).toContain("trade");
  });
});

describe("a listener", () => {
  let dir: string;
  let opened: OpenedExchange;
  const defects: unknown[] = [];
  const open = (more: Partial<OpenOptions> = {}) =>
    openExchange({
      dir,
      seed: 1,
      marketMaker: false,
      markets: [BTC, ETH],
      now: () => T0,
      onDefect: (error) => defects.push(error),
      ...more,
    });
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "hoga-events-"));
    defects.length = 0;
    opened = await open();
  });
  afterEach(async () => {
    await opened.close();
    rmSync(dir, { recursive: true });
  });
  const give = (commands: readonly Command[]) => commands.forEach((command) => void opened.apply(command, T0));
  const halt = (symbol: string, status: "halted" | "trading"): Command => ({ type: "setMarketStatus", symbol, status });

  it("hears once a command, after it is journaled, and not what was replayed", async () => {
    give(endowment);
    await opened.close();
    opened = await open();
    const journal = () => readdirSync(dir).filter((name) => name.startsWith("journal"));
    const heard: string[][] = [];
    opened.onEvents((events, at) => {
      expect(at).toBe(T0 + 5);
      expect(journal().some((name) => readFileSync(join(dir, name), "utf8").includes(buying.orderId))).toBe(true);
      heard.push(kinds(events));
    });
    const buying = order({ accountId: "ann", side: "buy", price: krw(1_000), volume: coins(5_000) });
    opened.exchange.apply(buying, T0 + 5);
    expect(heard).toEqual([["ann created", "book", "balance"]]);
    expect(defects).toEqual([]);
  });

  it("hears nothing of refusals, of what changed nothing visible, and after it left", () => {
    give(endowment);
    const heard: string[][] = [];
    const leave = opened.onEvents((events) => heard.push(kinds(events)));
    refused(opened.apply({ type: "deposit", accountId: "ann", asset: "DOGE", amount: 1n }, T0));
    give([{ type: "createAccount", accountId: "cid", krwAccountLinked: true }, halt("BTC/KRW", "trading")]);
    expect(heard).toEqual([]);
    give([halt("BTC/KRW", "halted")]);
    leave();
    leave();
    give([halt("BTC/KRW", "trading")]);
    expect(heard).toEqual([["market"]]);
  });

  it("that throws is reported, and disturbs neither the command nor the others", () => {
    const heard: string[][] = [];
    opened.onEvents(() => {
      throw new Error("deaf");
    });
    opened.onEvents((events) => heard.push(kinds(events)));
    expect(opened.apply(halt("BTC/KRW", "halted"), T0).ok).toBe(true);
    expect(opened.exchange.market("BTC/KRW")?.status).toBe("halted");
    expect(heard).toEqual([["market"]]);
    expect(defects).toEqual([new Error("deaf")]);
    expect(opened.failed).toBeUndefined();
  });

  it("that gives a command lets the others hear everything in order", () => {
    const heard: unknown[] = [];
    const leave = opened.onEvents(() => {
      leave();
      opened.apply(halt("ETH/KRW", "halted"), T0);
    });
    opened.onEvents((events) => heard.push(...events));
    opened.apply(halt("BTC/KRW", "halted"), T0);
    expect(heard).toMatchObject([{ symbol: "BTC/KRW" }, { symbol: "ETH/KRW" }]);
  });

  it("hears the number of each command, and goes on from it after a restart", async () => {
    const heard: number[] = [];
    opened.onEvents((_facts, _at, change) => heard.push(change));
    give([...endowment, halt("BTC/KRW", "halted")]);
    await opened.close();
    opened = await open();
    opened.onEvents((_facts, _at, change) => heard.push(change));
    give([halt("BTC/KRW", "trading"), halt("BTC/KRW", "trading"), halt("BTC/KRW", "halted")]);
    const first = heard[0] ?? 0;
    // Creating an account is a change too, and tells nothing.
    expect(heard.map((change) => change - first)).toEqual([0, 1, 3, 4, 5, 6, 7]);
  });

  it("hears nothing of a command that could not be written down", async () => {
    await opened.close();
    const write = (): never => {
      throw new Error("ENOSPC");
    };
    let heard = 0;
    opened = await open({ disk: { write, sync: async () => {} } });
    opened.onEvents(() => {
      heard += 1;
    });
    expect(refused(opened.apply(halt("BTC/KRW", "halted"), T0)).code).toBe("EService:Timeout");
    expect(heard).toBe(0);
  });
});
