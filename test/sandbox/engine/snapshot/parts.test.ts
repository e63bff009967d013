/** A snapshot that is made in parts while commands go on is of the moment when it was begun. Source: decision 0026. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenedExchange, openExchange, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import { joinedSnapshot } from "../../../../src/sandbox/engine/snapshot/snapshot.ts";
import { type Disk, NODE_DISK } from "../../../../src/sandbox/engine/storage/disk.ts";
import { readNewestSnapshot } from "../../../../src/sandbox/engine/storage/journal-files.ts";
import type { Command } from "../../../../src/sandbox/model/index.ts";
import { BTC, coins, ETH, krw, order, refused, stateText, T0, testEngine } from "../exchange-kit.ts";
import { ACCOUNTS, moves, play } from "../random-orders.ts";

describe("the parts of a snapshot", () => {
  it("show the state as it was when they were begun, whatever happens until they are made", () => {
    fc.assert(
      fc.property(moves({ maxLength: 80 }), fc.nat({ max: 80 }), (list, cut) => {
        const { commands } = play(list, () => {});
        const engine = testEngine(...ACCOUNTS);
        for (const { command, at } of commands.slice(0, cut)) engine.apply(command, at);
        const { head, parts } = engine.beginSnapshot();
        const before = stateText(engine);
        for (const { command, at } of commands.slice(cut)) engine.apply(command, at);
        expect(JSON.stringify(joinedSnapshot(head, parts))).toBe(before);
      }),
      { numRuns: 60 },
    );
  });
});

const ORDERS = 700;
const SEQ = ORDERS + 4;

/** Two accounts with money, then orders of which every second one trades with the one before it. */
const commands: readonly Command[] = [
  ...["ann", "bob"].flatMap((accountId): Command[] => [
    { type: "createAccount", accountId, krwAccountLinked: true },
    { type: "deposit", accountId, asset: accountId === "ann" ? "BTC" : "KRW", amount: krw(100_000_000) },
  ]),
  ...Array.from({ length: 2 * ORDERS }, (_, index): Command => {
    const accountId = index % 2 === 0 ? "ann" : "bob";
    const side = index % 2 === 0 ? "sell" : "buy";
    // What is left of a larger sell stays open, and trades later: it changes while the snapshot is made.
    const volume = coins(index % 10 === 0 ? 4_000 : 2_000);
    return order({ accountId, side, price: krw(1_000), volume, settlementMode: "STANDARD_KRW" });
  }),
];

let root: string;
let dir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hoga-parts-"));
  dir = join(root, "exchange");
});
afterEach(() => rmSync(root, { recursive: true }));

const open = (place = dir, disk: Disk = NODE_DISK): Promise<OpenedExchange> =>
  openExchange({
    ...{ dir: place, seed: 1, marketMaker: false, markets: [BTC, ETH], now: () => T0, disk },
    snapshotEvery: SEQ,
  });

function give(opened: OpenedExchange, from: number, to: number): void {
  for (const [index, command] of commands.slice(from, to).entries()) {
    const answer = opened.apply(command, T0 + from + index);
    if (!answer.ok) throw new Error(answer.message);
  }
}

const isWritten = (): boolean =>
  readdirSync(dir).some((name) => name === `snapshot-${String(SEQ).padStart(12, "0")}.json`);

function textAfter(count: number): string {
  const engine = testEngine();
  commands.slice(0, count).forEach((command, index) => void engine.apply(command, T0 + index));
  return stateText(engine);
}

/** What a directory holds, by its newest snapshot and the journal after it. */
async function recoveredText(place: string): Promise<string> {
  await (await open(place)).close();
  const stored = readNewestSnapshot(place);
  if (stored === undefined) throw new Error("nothing stored");
  return stateText(restoreEngine(stored.engine));
}

describe("a large snapshot", () => {
  it("is made while orders are taken, and is of the order it was begun after", async () => {
    const opened = await open();
    give(opened, 0, SEQ);
    let given = SEQ;
    for (; !isWritten(); given++) {
      give(opened, given, given + 1);
      await turn();
    }
    // The state has some ten parts, and an order was taken between any two of them.
    expect(given - SEQ).toBeGreaterThan(5);
    const stored = readNewestSnapshot(dir);
    expect(stored?.seq).toBe(SEQ);
    expect(stored && stateText(restoreEngine(stored.engine))).toBe(textAfter(SEQ));
    await opened.close();
    expect(await recoveredText(dir)).toBe(textAfter(given));
  });

  it("when a kill cut it off, is not missed", async () => {
    const opened = await open();
    give(opened, 0, SEQ);
    await turn();
    give(opened, SEQ, SEQ + 2);
    expect([isWritten(), readdirSync(dir).some((name) => name.endsWith(".tmp"))]).toEqual([false, true]);
    const killed = join(root, "killed");
    cpSync(dir, killed, { recursive: true });
    expect(await recoveredText(killed)).toBe(textAfter(SEQ + 2));
    await opened.close();
  });

  it("when the disk has no space for it, stops the exchange, and nothing that was answered is lost", async () => {
    let writes = 0;
    const full: Disk["write"] = (file, bytes) => {
      // The third part of the snapshot.
      if (isBegun && ++writes === 4) throw Object.assign(new Error("ENOSPC: no space left on device, write"));
      NODE_DISK.write(file, bytes);
    };
    let isBegun = false;
    const opened = await open(dir, { ...NODE_DISK, write: full });
    give(opened, 0, SEQ - 1);
    isBegun = true;
    writes = -2;
    give(opened, SEQ - 1, SEQ);
    while (opened.failed === undefined) await turn();
    expect(opened.failed).toContain("snapshot failed: ENOSPC");
    const [, , , , next] = commands;
    expect(next && refused(opened.apply(next, T0)).code).toBe("EService:Unavailable");
    await opened.close();
    expect(await recoveredText(dir)).toBe(textAfter(SEQ));
  });

  it("ends before the exchange is closed", async () => {
    const opened = await open();
    give(opened, 0, SEQ);
    await opened.close();
    expect(isWritten()).toBe(true);
    expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});
