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
