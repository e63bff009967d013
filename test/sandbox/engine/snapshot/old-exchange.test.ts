import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenedExchange, openExchange } from "../../../../src/sandbox/engine/index.ts";
import { HOUSE } from "../../../../src/sandbox/engine/state/exchange-state.ts";
import { readNewestSnapshot } from "../../../../src/sandbox/engine/storage/journal-files.ts";
import { T0 } from "../exchange-kit.ts";

/** A directory and what it showed, both written by the first version, which had orders, keys and the market flow. */
const OLD = join(import.meta.dirname, "old-exchange");
const MIDNIGHT = T0 + 6 * 3_600_000;

let dir: string;
let opened: OpenedExchange;
const reopen = async () => {
  opened = await openExchange({ dir, seed: 1, marketMaker: false, now: () => T0 });
};
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "hoga-old-"));
  for (const name of readdirSync(OLD)) {
    if (name.endsWith(".gz")) writeFileSync(join(dir, name.slice(0, -3)), gunzipSync(readFileSync(join(OLD, name))));
    else if (name.endsWith(".log")) cpSync(join(OLD, name), join(dir, name));
  }
  await reopen();
});
afterEach(async () => {
  await opened.close();
  rmSync(dir, { recursive: true });
});

/** What the first version showed of an exchange, without anything that was added later. */
function view() {
  const { exchange } = opened;
  const account = (id: string) => ({
    account: exchange.account(id),
    balances: exchange.balances(id).map(({ asset, available, locked }) => ({ asset, available, locked })),
    orders: id.startsWith("house") ? [] : exchange.orders(id, { limit: 100 }).orders,
    fills: exchange.fills(id, { limit: 100 }).fills,
  });
  const market = (symbol: string) => {
    const { buys, asks } = exchange.book(symbol, 50);
    const { status, last } = exchange.market(symbol) ?? {};
    return { symbol, status, last, book: { buys, asks }, trades: exchange.trades(symbol, 20) };
  };
  const shown = {
    at: T0 + 5_250,
    accounts: Object.fromEntries(["ann", "bob", HOUSE.maker, HOUSE.taker, HOUSE.fees].map((id) => [id, account(id)])),
    key: exchange.key("k"),
    nonce: exchange.lastNonce("k"),
    markets: exchange.markets().map(({ symbol }) => market(symbol)),
  };
  return JSON.parse(JSON.stringify(shown, (_, value) => (typeof value === "bigint" ? value.toString() : value)));
}

const oldView = () => JSON.parse(readFileSync(join(OLD, "view.json"), "utf8"));

/** Within 2 %. */
function near(one: bigint, other: bigint): boolean {
  return (one > other ? one - other : other - one) * 50n <= other;
}

describe("a directory written by the first version", () => {
  it("opens with everything it showed then, from its snapshot and the records after it", () => {
    expect(opened.recovered).toMatchObject({ replayed: 8, cutBytes: 0 });
    expect(view()).toEqual(oldView());
  });

  it("is written again in the current format, and opens from that", async () => {
    await opened.close();
    expect(readNewestSnapshot(dir)?.engine.version).toBeGreaterThan(1);
    await reopen();
    expect(opened.recovered.replayed).toBe(0);
    expect(view()).toEqual(oldView());
  });

  it("settles on the next day what was pending then", () => {
    const states = () => ["ann", "bob"].map((id) => opened.exchange.settlements(id).map(({ state }) => state));
    expect(states()).toEqual([["pending"], ["pending"]]);
    opened.apply({ type: "passTime" }, MIDNIGHT);
    // Bob has no linked KRW account.
    expect(states()).toEqual([["settled"], ["failed"]]);
  });

  it("goes on by the ticks of its journal as it did then", () => {
    for (let step = 1; step <= 40; step += 1) opened.apply({ type: "tick" }, T0 + 10_000 + step * 500);
    const { exchange } = opened;
    const ends = exchange
      .markets()
      .map(({ symbol, last }) => [symbol, last, exchange.trades(symbol, 1)[0]?.tradeSeq, exchange.book(symbol, 1).seq]);
    // As the version before these ticks were told from others had it.
    expect(ends).toEqual([
      ["BTC/KRW", 100_100_000_000n, 995, 1670],
      ["ETH/KRW", 98_800_000_000n, 945, 1548],
    ]);
  });

  it("has a past before its first hour, at whose first price it ends", () => {
    const { exchange } = opened;
    for (const { symbol } of exchange.markets()) {
      expect(exchange.candles(symbol, 86_400_000, 0, T0, 500)).toHaveLength(402);
      const hours = exchange.candles(symbol, 3_600_000, T0 - 10 * 86_400_000, T0, 500);
      expect(hours).toHaveLength(241);
      for (const [index, { start, open }] of hours.entries())
        if (start <= T0 - 24 * 3_600_000) expect(near(open, hours[index - 1]?.close ?? open)).toBe(true);
    }
  });

  it("continues with orders, ticks and events", () => {
    const kinds = new Set<string>();
    opened.onEvents((events) => {
      for (const { kind } of events) kinds.add(kind);
    });
    for (let step = 1; step <= 10; step += 1)
      expect(opened.apply({ type: "tick" }, T0 + 10_000 + step * 500).ok).toBe(true);
    expect([...kinds].sort()).toEqual(["book", "trade"]);
  });
});
