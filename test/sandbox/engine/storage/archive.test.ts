/** Ended orders that have left memory are answered as if they had not, over kills, full disks and restarts. Source: decision 0027. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InvariantError } from "../../../../src/sandbox/engine/core/invariant.ts";
import { DamagedJournalError, type OpenedExchange, openExchange } from "../../../../src/sandbox/engine/index.ts";
import type { EngineSnapshot } from "../../../../src/sandbox/engine/snapshot/snapshot-format.ts";
import { Ledger } from "../../../../src/sandbox/engine/state/ledger.ts";
import { ArchiveDatabase } from "../../../../src/sandbox/engine/storage/archive-database.ts";
import { ArchiveFile } from "../../../../src/sandbox/engine/storage/archive-file.ts";
import { type Disk, NODE_DISK } from "../../../../src/sandbox/engine/storage/disk.ts";
import { readNewestSnapshot } from "../../../../src/sandbox/engine/storage/journal-files.ts";
import type { Command } from "../../../../src/sandbox/model/index.ts";
import { answersOf, listsOf, questions } from "../exchange-answers.ts";
import { BTC, coins, ETH, endowAccount, krw, order, refused, T0, testEngine } from "../exchange-kit.ts";
import { ACCOUNTS, moves, play, type TimedCommand } from "../random-orders.ts";

let root: string;
let dir: string;
const opened = new Set<OpenedExchange>();
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hoga-archive-"));
  dir = join(root, "exchange");
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const each of [...opened]) await shut(each);
  rmSync(root, { recursive: true });
});

interface Small {
  readonly snapshotEvery?: number;
  readonly ordersKept?: number;
  readonly disk?: Disk;
}

async function open(place: string, { snapshotEvery = 10, ordersKept = 2, disk = NODE_DISK }: Small = {}) {
  const exchange = await openExchange({
    ...{ dir: place, seed: 1, marketMaker: false, markets: [BTC, ETH], now: () => T0 },
    ...{ snapshotEvery, ordersKept, disk },
  });
  opened.add(exchange);
  return exchange;
}

async function shut(exchange: OpenedExchange): Promise<void> {
  opened.delete(exchange);
  await exchange.close();
}

const archived = (place: string): number => readNewestSnapshot(place)?.archive?.orders ?? 0;

/** As a kill leaves it. */
let copies = 0;
function copyOf(place: string): string {
  copies += 1;
  const copy = join(root, `copy-${copies}`);
  cpSync(place, copy, { recursive: true });
  return copy;
}

/** With client order ids, of which some are used again. */
const named = ({ command, at }: TimedCommand, index: number): TimedCommand => ({
  command: command.type === "place" ? { ...command, userref: ["a", "b", null][index % 3] ?? null } : command,
  at,
});

describe("an exchange that archives", () => {
  it("answers every question as one that keeps all orders in memory, after any commands, kills and restarts", async () => {
    let [runs, most, cancels] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        moves({ minLength: 60, maxLength: 120 }),
        fc.array(questions, { minLength: 12, maxLength: 12 }),
        fc.array(fc.constantFrom("go on", "go on", "close", "kill"), { minLength: 6, maxLength: 6 }),
        async (list, asked, ends) => {
          const commands = play(list, () => {}).commands.map(named);
          const whole = testEngine(...ACCOUNTS);
          let place = join(root, `run-${runs++}`);
          let exchange = await open(place);
          for (const accountId of ACCOUNTS) endowAccount(exchange, accountId);
          for (const [index, { command, at }] of commands.entries()) {
            const answer = exchange.apply(command, at);
            expect(answer).toEqual(whole.apply(command, at));
            if (!answer.ok && answer.code === "EOrder:Order already closed") cancels += 1;
            await turn();
            if (index % 20 !== 19) continue;
            const end = ends[(index / 20) | 0];
            if (end === "kill") place = copyOf(place);
            if (end === "kill" || end === "close") {
              await shut(exchange);
              exchange = await open(place);
            }
            for (const accountId of ACCOUNTS)
              expect(answersOf(exchange.exchange, accountId, asked)).toEqual(answersOf(whole, accountId, asked));
          }
          most = Math.max(most, archived(place));
        },
      ),
      { numRuns: 8 },
    );
    // Else nothing was tested.
    expect([most > 20, cancels > 20]).toEqual([true, true]);
  });
});

const ORDERS = 400;

/** Orders of which every second one trades with the one before it; one in twenty stays open in part. */
const commands: readonly Command[] = Array.from({ length: ORDERS }, (_, index): Command => {
  const accountId = index % 2 === 0 ? "ann" : "bob";
  const side = index % 2 === 0 ? "sell" : "buy";
  const volume = coins(index % 20 === 0 ? 2_100 : 2_000);
  const more = { userref: `r-${index % 7}`, settlementMode: index % 3 === 0 ? "STANDARD_KRW" : "INSTANT_KRW" } as const;
  return order({ accountId, side, price: krw(1_000), volume, ...more });
});
const ENDOWED = 8;

/** Opens an exchange that takes its first snapshot after all orders but ten. */
async function filled(settings: Small = {}): Promise<OpenedExchange> {
  const exchange = await open(dir, { snapshotEvery: ORDERS + ENDOWED, ordersKept: 20, ...settings });
  for (const accountId of ["ann", "bob"]) endowAccount(exchange, accountId);
  for (const command of commands) give(exchange, command);
  return exchange;
}

function give(exchange: OpenedExchange, command: Command): void {
  const answer = exchange.apply(command, T0 + 1);
  if (!answer.ok) throw new Error(answer.message);
}

const asked = fc.sample(questions, { numRuns: 8, seed: 27 });
const all = ({ exchange }: Pick<OpenedExchange, "exchange">): object =>
  ["ann", "bob"].map((accountId) => answersOf(exchange, accountId, asked));

const lists = ({ exchange }: Pick<OpenedExchange, "exchange">): object =>
  ["ann", "bob"].map((accountId) => listsOf(exchange, accountId, asked));

const whole = testEngine("ann", "bob");
for (const command of commands) whole.apply(command, T0 + 1);
/** What it has to answer. */
const wanted = all({ exchange: whole });
const wantedLists = lists({ exchange: whole });

function ordersIn(place: string): unknown {
  const path = join(place, "archive.db");
  if (statSync(path).size === 0) return 0;
  const database = new Database(path);
  const [row] = database.prepare("SELECT count(*) AS count FROM orders").all([]) as { count: number }[];
  database.close();
  return row?.count;
}

describe("archiving", () => {
  it("goes on between commands, and leaves nothing out and nothing twice, wherever a kill ends it", async () => {
    const copied: string[] = [];
    let isWriting = false;
    const write: Disk["write"] = (file, bytes) => {
      if (isWriting) copied.push(copyOf(dir));
      NODE_DISK.write(file, bytes);
    };
    const exchange = await filled({ disk: { ...NODE_DISK, write } });
    isWriting = true;
    const snapshot = join(dir, `snapshot-${String(ORDERS + ENDOWED).padStart(12, "0")}.json`);
    while (!existsSync(snapshot)) {
      copied.push(copyOf(dir));
      expect(lists(exchange)).toEqual(wantedLists);
      await turn();
      expect(exchange.failed).toBeUndefined();
    }
    copied.push(copyOf(dir));
    isWriting = false;
    expect(archived(dir)).toBeGreaterThan(ORDERS / 3);
    // What the snapshot leaves out is in the database itself, which is on disk, not only in its log.
    for (const name of ["archive.db-wal", "archive.db-shm"]) rmSync(join(copied.at(-1) ?? "", name), { force: true });
    // Between the parts of the archive, between those of the snapshot, and after it.
    expect(new Set(copied.map(ordersIn)).size).toBeGreaterThan(2);
    expect(copied.map(archived).filter((count) => count === 0).length).toBeGreaterThan(5);
    for (const copy of copied) {
      const again = await open(copy, { snapshotEvery: 5, ordersKept: 20 });
      expect(lists(again)).toEqual(wantedLists);
      // It archives on from there, other orders first than the one that was killed.
      give(again, order({ accountId: "bob", side: "buy", price: krw(900), volume: coins(2_000) }));
      await shut(again);
      expect(archived(copy)).toBeGreaterThan(ORDERS / 3);
    }
  });

  it("leaves a small snapshot, and an exchange that starts without the orders", async () => {
    await shut(await filled());
    const stored = readNewestSnapshot(dir);
    expect(stored?.engine.orders.length).toBeLessThan(ORDERS / 2);
    const again = await open(dir);
    expect(again.recovered.replayed).toBe(0);
    expect(all(again)).toEqual(wanted);
    expect(statSync(join(dir, "archive.db")).mode & 0o777).toBe(0o600);
  });

  it("keeps an order whose proceeds are not settled, until they are", async () => {
    const exchange = await filled();
    await shut(exchange);
    const pending = (place: string): number =>
      (readNewestSnapshot(place)?.engine as EngineSnapshot | undefined)?.settlements.length ?? 0;
    expect(pending(dir)).toBeGreaterThan(30);
    const again = await open(dir, { ordersKept: 20 });
    const other = testEngine("ann", "bob");
    for (const command of commands) other.apply(command, T0 + 1);
    for (const each of [again, other]) each.apply({ type: "advanceClock", byMs: 86_400_000 }, T0 + 2);
    await shut(again);
    expect(pending(dir)).toBeLessThan(30);
    expect(all(await open(dir))).toEqual(all({ exchange: other }));
  });

  it("knows an archived order, in the run that archived it and in the next: it cannot be placed or canceled again", async () => {
    const check = (exchange: OpenedExchange): void => {
      const [placed] = exchange.exchange.orders("ann", { userref: "r-2", limit: 100 }).orders.slice(-1);
      const same = commands.find((each) => each.type === "place" && each.orderId === placed?.orderId);
      if (placed === undefined || same === undefined) throw new Error("no order");
      expect(refused(exchange.apply(same, T0 + 2))).toMatchObject({ field: "orderId" });
      const { accountId, symbol, orderId } = placed;
      const cancel = { type: "cancel", accountId, symbol, orderId } as const;
      expect(refused(exchange.apply(cancel, T0 + 2))).toMatchObject({
        code: "EOrder:Order already closed",
        state: "filled",
      });
      expect(refused(exchange.apply({ ...cancel, accountId: "bob" }, T0 + 2)).code).toBe("EOrder:Unknown order");
    };
    const first = await filled();
    while (readdirSync(dir).filter((name) => name.endsWith(".json")).length < 2) await turn();
    check(first);
    await shut(first);
    check(await open(dir));
  });

  it("leaves what is in memory to be answered, and changed, without the archive, which may be damaged", async () => {
    await shut(await filled());
    const again = await open(dir);
    vi.spyOn(ArchiveFile.prototype, "settlement").mockImplementation(() => {
      throw new Error("damaged");
    });
    again.onEvents(() => {});
    const trade = { price: krw(1_000), volume: coins(2_000) };
    for (const [accountId, side] of [["ann", "sell"] as const, ["bob", "buy"] as const])
      give(again, order({ accountId, side, ...trade }));
    const [fill] = again.exchange.fills("bob", { limit: 1 }).fills;
    if (fill === undefined) throw new Error("no fill");
    expect(again.exchange.fillSettlement(fill)).toBe("settled");
    expect(again.exchange.settlementState("bob", fill.orderId)).toBe("settled");
  });

  it("when the disk has no space, stops the exchange, which still knows every order, and so does the next", async () => {
    const transaction: ArchiveDatabase["transaction"] = Reflect.get(ArchiveDatabase.prototype, "transaction");
    vi.spyOn(ArchiveDatabase.prototype, "transaction").mockImplementation(function (this: ArchiveDatabase, work) {
      this.exec("PRAGMA max_page_count = 60");
      transaction.call(this, work);
    });
    const exchange = await filled();
    while (exchange.failed === undefined) await turn();
    expect(exchange.failed).toMatch(/^snapshot failed: .*archive\.db: database or disk is full$/);
    expect(all(exchange)).toEqual(wanted);
    expect(refused(exchange.apply({ type: "tick" }, T0 + 2)).code).toBe("EService:Unavailable");
    await shut(exchange);
    expect(archived(dir)).toBe(0);
    vi.restoreAllMocks();
    const again = await open(dir, { ordersKept: 20 });
    expect(all(again)).toEqual(wanted);
    give(again, order({ accountId: "bob", side: "buy", price: krw(900), volume: coins(2_000) }));
    await shut(again);
    expect(archived(dir)).toBeGreaterThan(ORDERS / 3);
  });
});

describe("a broken invariant", () => {
  it("when it breaks while orders are archived, is in no snapshot", async () => {
    const exchange = await filled();
    vi.spyOn(Ledger.prototype, "hold").mockImplementation(() => {
      throw new InvariantError("on purpose");
    });
    const next = order({ accountId: "bob", side: "buy", price: krw(900), volume: coins(2_000) });
    expect(() => exchange.apply(next, T0 + 2)).toThrow("on purpose");
    vi.restoreAllMocks();
    await shut(exchange);
    expect(archived(dir)).toBe(0);
    expect(all(await open(dir))).toEqual(wanted);
  });
});

describe("an archive", () => {
  const path = (): string => join(dir, "archive.db");
  /** Another file, as libsql keeps one that it has closed. */
  const remove = (): void => {
    for (const name of ["archive.db", "archive.db-wal", "archive.db-shm"]) rmSync(join(dir, name), { force: true });
  };
  const replace = (change: (bytes: Buffer) => Uint8Array): void => {
    const bytes = existsSync(path()) ? readFileSync(path()) : Buffer.alloc(0);
    remove();
    writeFileSync(path(), change(bytes));
  };
  const write = (sql: string): void => {
    const database = new Database(path());
    database.exec(sql);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    replace((bytes) => bytes);
  };
  const foreign = (): void => {
    remove();
    write("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('not yours')");
  };
  const rewind = (): void => write("DELETE FROM orders WHERE number > (SELECT max(number) - 10 FROM orders)");

  it.each<[string, () => void, string]>([
    ["that is missing", () => remove(), "orders is missing"],
    ["that is empty", () => replace(() => Buffer.alloc(0)), "0 orders are in the archive, and "],
    ["of which half is gone", () => replace((bytes) => bytes.subarray(0, bytes.length / 2)), "malformed"],
    ["that is something else", () => replace(() => Buffer.from("something else")), "not a database"],
    ["that is another program's", foreign, "it is not an archive of orders"],
    ["with pages overwritten", () => replace((bytes) => bytes.fill(0xee, 40_960, 61_440)), "archive.db: "],
    ["of another time", rewind, "orders are in the archive, and "],
  ])("%s is told at the start, and left as it is", async (_, damage, said) => {
    await shut(await filled());
    const sound = readFileSync(path());
    damage();
    const found = existsSync(path()) && readFileSync(path());
    await expect(open(dir)).rejects.toThrow(DamagedJournalError);
    await expect(open(dir)).rejects.toThrow(said);
    if (found !== false && found.length > 0) expect(readFileSync(path()).equals(found)).toBe(true);
    replace(() => sound);
    expect(lists(await open(dir))).toEqual(wantedLists);
  });

  it.each([
    ["SQLITE_FULL", "ENOSPC"],
    ["SQLITE_IOERR_SHMSIZE", "ENOSPC"],
    ["SQLITE_BUSY", "SQLITE_BUSY"],
  ])("when it cannot be opened because of %s, is not told to be damaged", async (code, told) => {
    await shut(await filled());
    vi.spyOn(ArchiveDatabase.prototype, "exec").mockImplementationOnce(() => {
      throw Object.assign(new Error("it did not work"), { code });
    });
    await expect(open(dir)).rejects.toMatchObject({ code: told });
    expect(lists(await open(dir))).toEqual(wantedLists);
  });

  it("when it is another exchange's, is told at the start", async () => {
    await shut(await filled());
    write("UPDATE orders SET order_id = 'x' || order_id");
    await expect(open(dir)).rejects.toThrow("it is the archive of another exchange");
  });

  it("when it is left alone, stops the start, as orders are in it", async () => {
    await shut(await filled());
    for (const name of readdirSync(dir)) if (!name.startsWith("archive.db")) rmSync(join(dir, name));
    await expect(open(dir)).rejects.toThrow("archive.db: no sound snapshot to start from");
  });

  it("begins with the first order that is archived", async () => {
    await shut(await filled({ ordersKept: 1_000 }));
    expect(existsSync(path())).toBe(false);
  });
});
