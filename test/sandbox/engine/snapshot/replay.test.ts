import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenedExchange, type OpenOptions, openExchange } from "../../../../src/sandbox/engine/index.ts";
import type { Command, ExchangeEvent } from "../../../../src/sandbox/model/index.ts";
import { BTC, ETH, T0 } from "../exchange-kit.ts";

let root: string;
let lives: OpenedExchange[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hoga-replay-"));
  lives = [];
});
afterEach(async () => {
  for (const life of lives) await life.close();
  rmSync(root, { recursive: true });
});

async function open(name: string, more: Partial<OpenOptions> = {}): Promise<OpenedExchange> {
  const own = { seed: 1, marketMaker: false, markets: [BTC, ETH], now: () => T0 };
  const opened = await openExchange({ dir: join(root, name), ...own, ...more });
  lives.push(opened);
  return opened;
}

const halt = (count: number): Command => ({
  type: "setMarketStatus",
  symbol: "BTC/KRW",
  status: count % 2 === 0 ? "halted" : "trading",
});

describe("a subscriber that keeps events in a place of its own", () => {
  it("has received every event, or receives it again at the start, whenever the process dies, over snapshots too", async () => {
    const kept = new Map<number, readonly ExchangeEvent[]>();
    const keep = (events: readonly ExchangeEvent[], _at: number, change: number) => void kept.set(change, events);
    const LIVES = 40;
    for (let count = 0; count < LIVES; count++) {
      const [name, next] = [String(count), join(root, String(count + 1))];
      const opened = await open(name, { snapshotEvery: 4, onReplay: keep });
      // What is on disk when the process dies; every third time it dies after the journal and before the subscriber keeps the events.
      let died = false;
      opened.onEvents((...published) => {
        died = count % 3 === 0;
        if (died) cpSync(join(root, name), next, { recursive: true });
        else keep(...published);
      });
      opened.apply(halt(count), T0 + count);
      if (!died) cpSync(join(root, name), next, { recursive: true });
    }
    await open(String(LIVES), { onReplay: keep });
    const numbers = [...kept.keys()].sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: LIVES }, (_, index) => (numbers[0] ?? 0) + index));
    for (const [index, change] of numbers.entries())
      expect(kept.get(change)).toMatchObject([{ kind: "market", status: index % 2 === 0 ? "halted" : "trading" }]);
  });

  it("receives the same events at the start as when they happened", async () => {
    const published: unknown[] = [];
    const opened = await open("first");
    opened.onEvents((...each) => published.push(each));
    for (let count = 0; count < 5; count++) opened.apply(halt(count), T0 + count);
    cpSync(join(root, "first"), join(root, "second"), { recursive: true });
    const again: unknown[] = [];
    const second = await open("second", { onReplay: (...each) => again.push(each.slice(0, 3)) });
    expect(again).toEqual(published);
    expect(published).toHaveLength(5);
    // Events were recorded for the replay alone.
    expect(second.apply(halt(5), T0 + 5).ok).toBe(true);
    expect(again).toHaveLength(5);
  });

  it("is asked to write to disk before a snapshot, which is not taken if that fails", async () => {
    const calls: number[] = [];
    let received = 0;
    const opened = await open("first", {
      snapshotEvery: 3,
      beforeSnapshot: () => {
        calls.push(received);
        if (calls.length === 2) throw new Error("EIO");
      },
    });
    opened.onEvents(() => {
      received += 1;
    });
    for (let count = 0; count < 6; count++) expect(opened.apply(halt(count), T0).ok).toBe(true);
    expect(calls).toEqual([3, 6]);
    expect(opened.failed).toBe("snapshot failed: EIO");
    expect(opened.apply(halt(6), T0)).toMatchObject({ ok: false, code: "EService:Unavailable" });
  });

  it("is asked once it has received everything, also when a listener gave a command", async () => {
    const calls: number[] = [];
    let received = 0;
    const opened = await open("first", { snapshotEvery: 2, beforeSnapshot: () => calls.push(received) });
    const unsubscribe = opened.onEvents(() => {
      unsubscribe();
      opened.apply(halt(1), T0);
    });
    opened.onEvents(() => {
      received += 1;
    });
    opened.apply(halt(0), T0);
    expect(calls).toEqual([2]);
  });
});
