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
import { EventSubscriber } from "../event-subscriber.ts";
import { BTC, coins, ETH, krw, order, refused, stateText, T0, testEngine } from "../exchange-kit.ts";
import { ACCOUNTS, moves, play } from "../random-orders.ts";

const endowment: readonly Command[] = ["ann", "bob"].flatMap((accountId): Command[] => [
  { type: "createAccount", accountId, krwAccountLinked: true },
  { type: "deposit", accountId, asset: "KRW", amount: krw(1_000_000) },
  { type: "deposit", accountId, asset: "BTC", amount: krw(10) },
]);

function recording(engine: Engine): Engine {
  engine.recordEvents(true);
  return engine;
}

/** The kinds of events; of an order its account and cause. */
const kinds = (events: readonly ExchangeEvent[]): string[] =>
  events.map((event) => (event.kind === "order" ? `${event.order.accountId} ${event.cause}` : event.kind));

describe("a subscriber that knows the exchange by its events alone", () => {
  it("knows books, orders, fills and balances as they are after every command", () => {
    fc.assert(
      fc.property(moves({ maxLength: 60 }), (list) => {
        const engine = recording(testEngine(...ACCOUNTS));
        const subscriber = new EventSubscriber(engine);
        play(
          list,
          () => {
            subscriber.receive(engine.takeEvents().events);
            subscriber.expectAgreement(engine, ACCOUNTS);
          },
          engine,
        );
        expect(engine.takeEvents().events).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("knows the market flow's books and trades, and nothing else of house accounts", () => {
    const engine = recording(createEngine({ markets: [BTC, ETH], seed: 3, marketMaker: true, openedAt: T0 }));
    const subscriber = new EventSubscriber(engine);
    for (let second = 1; second <= 60; second += 1) {
      engine.apply({ type: "tick" }, T0 + second * 1_000);
      const { events, at } = engine.takeEvents();
      expect(at).toBe(T0 + second * 1_000);
      expect(events.filter(({ kind }) => kind !== "book" && kind !== "trade")).toEqual([]);
      subscriber.receive(events);
      subscriber.expectAgreement(engine, []);
    }
    const received = subscriber.trades.filter(({ symbol }) => symbol === "BTC/KRW");
    expect(received.reverse()).toEqual(engine.trades("BTC/KRW", received.length));
    expect(received.length).toBeGreaterThan(30);
  });
});

describe("the events of a command", () => {
  const events = (...commands: readonly Command[]): readonly ExchangeEvent[] => {
    const engine = recording(testEngine("ann", "bob", "cid"));
    for (const command of commands) {
      engine.takeEvents();
      engine.apply(command, T0);
    }
    return engine.takeEvents().events;
  };
  const sell = (accountId: string, volume: number) =>
    order({ accountId, side: "sell", price: krw(1_000), volume: coins(volume) });
  const buy = order({ accountId: "ann", side: "buy", price: krw(1_000), volume: coins(10_000) });

  it("are in the order things happened, then books, then balances", () => {
    expect(kinds(events(sell("bob", 4_000), sell("cid", 9_000), { ...buy, timeInForce: "IOC" }))).toEqual([
      "ann created",
      ...["trade", "fill", "settlement", "bob filled", "fill", "settlement"],
      ...["trade", "fill", "settlement", "cid executed", "fill", "settlement"],
      "ann filled",
      "book",
      ...Array.from({ length: 6 }, () => "balance"),
    ]);
  });

  it("show a partly filled order before its end, and each record as it was then", () => {
    const recorded = events(sell("bob", 4_000), { ...buy, timeInForce: "IOC" });
    const orders = recorded.flatMap((event) =>
      event.kind === "order" && event.order.accountId === "ann" ? [event] : [],
    );
    expect(orders.map(({ cause, order: { state, executedVolume } }) => [cause, state, executedVolume])).toEqual([
      ["created", "open", 0n],
      ["executed", "open", coins(4_000)],
      ["expired", "expired", coins(4_000)],
    ]);
  });

  it("show removed levels as zero, and only balances that differ", () => {
    const resting = sell("bob", 4_000);
    const cancel: Command = { type: "cancel", accountId: "bob", symbol: "BTC/KRW", orderId: resting.orderId };
    expect(events(resting, cancel)).toMatchObject([
      { kind: "order", cause: "canceled", order: { state: "canceled" } },
      { kind: "book", symbol: "BTC/KRW", seq: 2, buys: [], asks: [[krw(1_000), 0n]] },
      { kind: "balance", accountId: "bob", asset: "BTC", available: krw(1_000), locked: 0n },
    ]);
    // Funds are held, and released as the order is killed, in one command.
    expect(kinds(events({ ...buy, timeInForce: "FOK" }))).toEqual(["ann created", "ann expired"]);
  });

  it("show a market's status", () => {
    const halt: Command = { type: "setMarketStatus", symbol: "ETH/KRW", status: "halted" };
    expect(events(halt)).toEqual([{ kind: "market", symbol: "ETH/KRW", status: "halted" }]);
    expect(events(halt, halt)).toEqual([]);
  });

  it("do not depend on a subscription from the start, and do not change what the exchange does", () => {
    const commands = [sell("bob", 4_000), buy, sell("cid", 9_000)];
    const [unrecorded, recorded] = [testEngine("ann", "bob", "cid"), recording(testEngine("ann", "bob", "cid"))];
    for (const command of commands) for (const engine of [unrecorded, recorded]) engine.apply(command, T0);
    expect(stateText(recorded)).toBe(stateText(unrecorded));
    expect(unrecorded.takeEvents().events).toEqual([]);
    expect(kinds(recorded.takeEvents().events)).toContain("trade");
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

  it("is called once per command, after it is journaled, and not for replayed commands", async () => {
    give(endowment);
    await opened.close();
    opened = await open();
    const journal = () => readdirSync(dir).filter((name) => name.startsWith("journal"));
    const received: string[][] = [];
    opened.onEvents((events, at) => {
      expect(at).toBe(T0 + 5);
      expect(journal().some((name) => readFileSync(join(dir, name), "utf8").includes(buying.orderId))).toBe(true);
      received.push(kinds(events));
    });
    const buying = order({ accountId: "ann", side: "buy", price: krw(1_000), volume: coins(5_000) });
    opened.exchange.apply(buying, T0 + 5);
    expect(received).toEqual([["ann created", "book", "balance"]]);
    expect(defects).toEqual([]);
  });

  it("is not called for refusals, for commands without visible effect, and after it unsubscribed", () => {
    give(endowment);
    const received: string[][] = [];
    const unsubscribe = opened.onEvents((events) => received.push(kinds(events)));
    refused(opened.apply({ type: "deposit", accountId: "ann", asset: "DOGE", amount: 1n }, T0));
    give([{ type: "createAccount", accountId: "cid", krwAccountLinked: true }, halt("BTC/KRW", "trading")]);
    expect(received).toEqual([]);
    give([halt("BTC/KRW", "halted")]);
    unsubscribe();
    unsubscribe();
    give([halt("BTC/KRW", "trading")]);
    expect(received).toEqual([["market"]]);
  });

  it("when it throws, is reported, and affects neither the command nor other listeners", () => {
    const received: string[][] = [];
    opened.onEvents(() => {
      throw new Error("deaf");
    });
    opened.onEvents((events) => received.push(kinds(events)));
    expect(opened.apply(halt("BTC/KRW", "halted"), T0).ok).toBe(true);
    expect(opened.exchange.market("BTC/KRW")?.status).toBe("halted");
    expect(received).toEqual([["market"]]);
    expect(defects).toEqual([new Error("deaf")]);
    expect(opened.failed).toBeUndefined();
  });

  it("does not change the order for other listeners when it gives a command", () => {
    const received: unknown[] = [];
    const unsubscribe = opened.onEvents(() => {
      unsubscribe();
      opened.apply(halt("ETH/KRW", "halted"), T0);
    });
    opened.onEvents((events) => received.push(...events));
    opened.apply(halt("BTC/KRW", "halted"), T0);
    expect(received).toMatchObject([{ symbol: "BTC/KRW" }, { symbol: "ETH/KRW" }]);
  });

  it("receives the number of each command, which continues after a restart", async () => {
    const received: number[] = [];
    opened.onEvents((_events, _at, change) => received.push(change));
    give([...endowment, halt("BTC/KRW", "halted")]);
    await opened.close();
    opened = await open();
    opened.onEvents((_events, _at, change) => received.push(change));
    give([halt("BTC/KRW", "trading"), halt("BTC/KRW", "trading"), halt("BTC/KRW", "halted")]);
    const first = received[0] ?? 0;
    // Creating an account is a change too, without an event.
    expect(received.map((change) => change - first)).toEqual([0, 1, 3, 4, 5, 6, 7]);
  });

  it("is not called for a command that could not be journaled", async () => {
    await opened.close();
    const write = (): never => {
      throw new Error("ENOSPC");
    };
    let received = 0;
    opened = await open({ disk: { write, sync: async () => {} } });
    opened.onEvents(() => {
      received += 1;
    });
    expect(refused(opened.apply(halt("BTC/KRW", "halted"), T0)).code).toBe("EService:Timeout");
    expect(received).toBe(0);
  });
});
