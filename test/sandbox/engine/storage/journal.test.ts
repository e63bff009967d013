import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenOptions, openExchange, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import { type Disk, NODE_DISK } from "../../../../src/sandbox/engine/storage/disk.ts";
import { readNewestSnapshot } from "../../../../src/sandbox/engine/storage/journal-files.ts";
import { lineOf } from "../../../../src/sandbox/engine/storage/record-line.ts";
import type { CallCommand, Command } from "../../../../src/sandbox/model/index.ts";
import { BTC, coins, ETH, krw, order, refused, stateText, T0, testEngine } from "../exchange-kit.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-journal-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const options = (more: Partial<OpenOptions> = {}) => ({
  dir: join(dir, "exchange"),
  seed: 1,
  marketMaker: false,
  markets: [BTC, ETH],
  now: () => T0,
  ...more,
});
const open = (more: Partial<OpenOptions> = {}) => openExchange(options(more));
const files = (pattern: RegExp): string[] =>
  readdirSync(join(dir, "exchange"))
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(dir, "exchange", name));
const lastSegment = (): string => files(/^journal/).at(-1) ?? "";

/** Without `close`, as after kill -9. */
async function give(commands: readonly Command[], more: Partial<OpenOptions> = {}) {
  const opened = await open(more);
  commands.forEach((command, index) => void opened.apply(command, T0 + index));
  await opened.durable();
  return opened;
}

/** The state on disk, as text. */
async function recoveredText(): Promise<string> {
  const opened = await open();
  await opened.close();
  const stored = readNewestSnapshot(join(dir, "exchange"));
  if (stored === undefined) throw new Error("nothing stored");
  return stateText(restoreEngine(stored.engine));
}

function referenceText(commands: readonly Command[]): string {
  const engine = testEngine();
  commands.forEach((command, index) => void engine.apply(command, T0 + index));
  return stateText(engine);
}

/** Every kind of command; all of them change something. */
const key = { keyId: "k", secret: "c2VjcmV0", accountId: "ann", permissions: ["trade"], tier: "pro" } as const;
const buying = order({
  accountId: "ann",
  keyId: "k",
  side: "buy",
  price: krw(1_000),
  volume: coins(20_000),
  userref: "호",
});
const webhook = { accountId: "ann", url: "http://127.0.0.1:1/", secret: "whsec_x", types: ["order.filled"] } as const;
const ann = { accountId: "ann", idempotency: null } as const;
const payment = {
  ...ann,
  ...{ amount: krw(100), payAsset: "BTC", orderRef: "o", description: null, expiresInMs: null },
} as const;
const remittance = {
  ...ann,
  ...{ sourceAsset: "KRW", targetCurrency: "USD", destinationCountry: "US" },
  beneficiary: { name: "Kim", account: "12", bankCode: "004", country: "US" },
  ...{ originatorVaspId: "v", beneficiaryVaspId: null, purposeCode: "P" },
} as const;
const commands: readonly Command[] = [
  { type: "createAccount", accountId: "ann", krwAccountLinked: true },
  { type: "createAccount", accountId: "bob", krwAccountLinked: false },
  { type: "deposit", accountId: "ann", asset: "KRW", amount: krw(1_000_000) },
  { type: "deposit", accountId: "bob", asset: "BTC", amount: krw(10) },
  { type: "createKey", key: { ...key, ipAllowList: ["127.0.0.1"], rejectDuplicateUserref: true } },
  { type: "nonce", keyId: "k", nonce: 2n ** 62n },
  buying,
  order({ accountId: "bob", side: "sell", volume: coins(5_000) }),
  order({ accountId: "bob", side: "sell", amount: krw(500), settlementMode: "STANDARD_KRW" }),
  { type: "cancel", accountId: "ann", symbol: "BTC/KRW", orderId: buying.orderId },
  order({ accountId: "ann", side: "buy", price: krw(900), volume: coins(10_000) }),
  { type: "setMarketStatus", symbol: "ETH/KRW", status: "halted" },
  { type: "cancelAll", accountId: "ann", symbol: null },
  { type: "armCancelTimer", accountId: "ann", timeoutMs: 60_000 },
  { type: "linkKrwAccount", accountId: "bob", linked: true },
  { type: "withdraw", accountId: "ann", asset: "KRW", amount: krw(10) },
  { type: "createKey", key: { ...key, keyId: "k2", ipAllowList: [], rejectDuplicateUserref: false } },
  { type: "setKey", keyId: "k2", change: { ipAllowList: ["10.0.0.1"], permissions: [] } },
  { type: "revokeKey", keyId: "k" },
  { type: "registerWebhook", webhook: { webhookId: "w1", ...webhook } },
  { type: "registerWebhook", webhook: { webhookId: "w2", ...webhook } },
  { type: "unregisterWebhook", webhookId: "w1" },
  { ...payment, type: "quotePayment", paymentId: "p1", idempotency: { key: "i", digest: "d" } },
  { ...payment, type: "quotePayment", paymentId: "p2" },
  { ...ann, type: "cancelPayment", paymentId: "p2" },
  { ...ann, type: "confirmPayment", paymentId: "p1" },
  { ...remittance, type: "quoteRemittance", quoteId: "q1", amount: krw(1_000), targetAmount: null },
  { ...remittance, type: "quoteRemittance", quoteId: "q2", amount: null, targetAmount: krw(1) },
  { ...remittance, type: "createRemittance", remittanceId: "r1", quoteId: "q1" },
  { ...remittance, type: "createRemittance", remittanceId: "r2", quoteId: "q2" },
  { ...ann, type: "cancelRemittance", remittanceId: "r2" },
  { type: "advanceClock", byMs: 3_000 },
  { ...ann, type: "refundPayment", paymentId: "p1", amount: krw(30) },
  { type: "advanceClock", byMs: 86_400_000 },
];

describe("a restart", () => {
  it("leads to the same state as no restart, however many commands came before", async () => {
    for (let count = 0; count <= commands.length; count += 1) {
      await give(commands.slice(0, count));
      expect(await recoveredText()).toBe(referenceText(commands.slice(0, count)));
      rmSync(join(dir, "exchange"), { recursive: true });
    }
  });

  it("makes no difference between any two commands, snapshots or not", async () => {
    for (const snapshotEvery of [1, 3, 1_000]) {
      for (const [index, command] of commands.entries()) {
        const opened = await open({ snapshotEvery });
        expect(opened.apply(command, T0 + index).ok).toBe(true);
        if (index % 2 === 0) await opened.close();
      }
      expect(await recoveredText()).toBe(referenceText(commands));
      rmSync(join(dir, "exchange"), { recursive: true });
    }
  });

  it("continues the market flow, and keeps its own seed, markets and market maker", async () => {
    const flow = { marketMaker: true, seed: 5 };
    const ticks = (from: number, to: number): Command[] => Array.from({ length: to - from }, () => ({ type: "tick" }));
    await give(ticks(0, 30), flow);
    const again = await open({ seed: 99, marketMaker: false, markets: [ETH] });
    ticks(30, 60).forEach((command, index) => void again.apply(command, T0 + 30 + index));
    expect(again.recovered).toMatchObject({ replayed: 30, cutBytes: 0 });
    const unbroken = await openExchange({ memory: true, now: () => T0, markets: [BTC, ETH], ...flow });
    ticks(0, 60).forEach((command, index) => void unbroken.apply(command, T0 + index));
    for (const { symbol } of unbroken.exchange.markets()) {
      expect(again.exchange.book(symbol, 50)).toEqual(unbroken.exchange.book(symbol, 50));
      expect(again.exchange.trades(symbol, 500)).toEqual(unbroken.exchange.trades(symbol, 500));
    }
  });

  it("finds no records of refusals and of commands that changed nothing", async () => {
    const opened = await give(commands);
    const { size } = statSync(lastSegment());
    refused(opened.apply(order({ accountId: "ann", side: "buy", price: krw(1), volume: 1n }), T0));
    opened.apply({ type: "cancelAll", accountId: "ann", symbol: null }, T0);
    opened.apply({ type: "tick" }, T0);
    expect(statSync(lastSegment()).size).toBe(size);
  });
});

describe("a damaged journal", () => {
  it("cut at any byte of its last record loses that record alone", async () => {
    await give(commands);
    const path = lastSegment();
    const whole = readFileSync(path);
    const start = whole.lastIndexOf(10, whole.length - 2) + 1;
    const before = referenceText(commands.slice(0, -1));
    for (let end = start; end < whole.length; end += 1) {
      for (const name of files(/^(journal|snapshot)/)) if (!/0{12}|0{11}1/.test(name)) rmSync(name);
      writeFileSync(path, whole);
      truncateSync(path, end);
      const opened = await open();
      expect(opened.recovered).toMatchObject({ replayed: commands.length - 1, cutBytes: end - start });
      // The next record must not be appended to the partial one.
      for (const command of commands.slice(-1)) expect(opened.apply(command, T0 + commands.length - 1).ok).toBe(true);
      await opened.durable();
      expect(await recoveredText()).toBe(referenceText(commands));
      for (const name of files(/^(journal|snapshot)/)) if (!/0{12}\.|0{11}1\./.test(name)) rmSync(name);
    }
    expect(before).not.toBe(referenceText(commands));
  });

  it("loses invalid bytes at its end", async () => {
    await give(commands);
    for (const garbage of [Buffer.alloc(4_096), Buffer.from("00000000 \n"), Buffer.from("\n\n{}\nxx")]) {
      writeFileSync(lastSegment(), Buffer.concat([readFileSync(lastSegment()), garbage]));
      const opened = await open();
      expect(opened.recovered).toMatchObject({ replayed: commands.length, cutBytes: garbage.length });
      await opened.durable();
    }
  });

  it("when a byte in the middle is flipped, is refused, naming file and offset", async () => {
    await give(commands);
    const path = lastSegment();
    const whole = readFileSync(path);
    const starts = [0];
    for (let at = whole.indexOf(10); at < whole.length - 1; at = whole.indexOf(10, at + 1)) starts.push(at + 1);
    for (const start of starts.slice(0, -1)) {
      for (const shift of [0, 8, 30]) {
        const flipped = Buffer.from(whole);
        flipped[start + shift] = (flipped[start + shift] ?? 0) ^ 1;
        writeFileSync(path, flipped);
        await expect(open()).rejects.toThrow(`${path}: damaged record with sound ones behind it, at byte ${start}`);
      }
    }
  });

  it("when a record is missing, is refused", async () => {
    await give(commands);
    const lines = readFileSync(lastSegment(), "utf8").split("\n");
    writeFileSync(lastSegment(), lines.toSpliced(3, 1).join("\n"));
    await expect(open()).rejects.toThrow(/record 4 where 3 should be, at byte \d+$/);
  });

  it("when a record is of no command that there is, is refused, naming file and offset", async () => {
    await give(commands);
    const lines = readFileSync(lastSegment(), "utf8").split("\n");
    const unknown = lineOf({ seq: 2, at: T0, command: { type: "teleport" } }).trimEnd();
    writeFileSync(lastSegment(), lines.toSpliced(2, 1, unknown).join("\n"));
    await expect(open()).rejects.toThrow(/journal-\d+\.log: a record that is no command, at byte \d+$/);
  });

  it("falls back to the snapshot before a damaged one", async () => {
    await give(commands, { snapshotEvery: 5 });
    const newest = files(/^snapshot/).at(-1) ?? "";
    truncateSync(newest, 100);
    expect(await recoveredText()).toBe(referenceText(commands));
  });

  it("when its version is another, is refused", async () => {
    await give(commands);
    for (const name of files(/^snapshot/)) {
      const { crc32 } = await import("node:zlib");
      const json = readFileSync(name, "utf8").slice(9).trimEnd().replace('"version":1', '"version":2');
      writeFileSync(name, `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`);
    }
    await expect(open()).rejects.toThrow("file version 2, this program reads 1");
  });
});

describe("the directory", () => {
  it("keeps two snapshots and the records after the older one, readable by the owner only", async () => {
    await give(commands, { snapshotEvery: 3 });
    expect(files(/^snapshot/)).toHaveLength(2);
    expect(files(/^journal/).length).toBeLessThanOrEqual(3);
    expect(statSync(join(dir, "exchange")).mode & 0o777).toBe(0o700);
    for (const name of files(/./)) expect(statSync(name).mode & 0o777).toBe(0o600);
  });
});

describe("a failing disk", () => {
  const noSpace = (): never => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  };

  it("refuses the command it could not write and all after it, and a restart finds none of them", async () => {
    let full = false;
    const write: Disk["write"] = (file, bytes) => {
      if (full) NODE_DISK.write(file, bytes.subarray(0, 20));
      return full ? noSpace() : NODE_DISK.write(file, bytes);
    };
    const opened = await give(commands.slice(0, 6), { disk: { ...NODE_DISK, write } });
    expect(opened.failed).toBeUndefined();
    full = true;
    expect(refused(opened.apply(buying, T0)).code).toBe("EService:Timeout");
    full = false;
    expect(opened.failed).toContain("ENOSPC");
    expect(refused(opened.exchange.apply(order({ accountId: "bob", side: "sell", volume: coins(500) }), T0)).code).toBe(
      "EService:Unavailable",
    );
    await expect(opened.durable()).rejects.toThrow("ENOSPC");
    expect(await recoveredText()).toBe(referenceText(commands.slice(0, 6)));
  });

  it("permits a start with rewrite only when everything that was read could be written again", async () => {
    await give(commands.slice(0, 6));
    const write: Disk["write"] = () => noSpace();
    await expect(open({ rewrite: true, disk: { ...NODE_DISK, write } })).rejects.toThrow("ENOSPC");
    const opened = await open({ rewrite: true });
    expect(opened.recovered.replayed).toBeGreaterThan(0);
    const again = await open();
    expect(again.recovered.replayed).toBe(0);
    expect(await recoveredText()).toBe(referenceText(commands.slice(0, 6)));
  });

  it("rejects for all who wait when a sync fails", async () => {
    const sync = () => Promise.reject(new Error("EIO: i/o error, fdatasync"));
    const opened = await open({ disk: { ...NODE_DISK, sync } });
    opened.apply({ type: "createAccount", accountId: "ann", krwAccountLinked: true }, T0);
    const waiting = await Promise.allSettled([opened.durable(), opened.durable()]);
    expect(waiting.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(refused(opened.apply({ type: "createAccount", accountId: "bob", krwAccountLinked: true }, T0)).code).toBe(
      "EService:Unavailable",
    );
  });
});

describe("records that are written together", () => {
  const isOfCall = (command: Command): command is CallCommand =>
    /^(nonce|place|cancel|cancelAll|armCancelTimer|.*Payment|.*Remittance)$/.test(command.type);

  it("are those of all who wait, in one write, and lead to the same state", async () => {
    const writes: number[] = [];
    const write: Disk["write"] = (file, bytes) => {
      writes.push(bytes.length);
      NODE_DISK.write(file, bytes);
    };
    const opened = await give(commands.slice(0, 5), { disk: { ...NODE_DISK, write } });
    const { size } = statSync(lastSegment());
    writes.length = 0;
    const calls = commands.slice(5, 14).filter(isOfCall);
    expect(calls.length).toBeGreaterThan(6);
    for (const command of calls) expect(opened.applyUnwritten(command, T0 + 9).ok).toBe(true);
    expect(statSync(lastSegment()).size).toBe(size);
    await opened.durable();
    expect(writes).toEqual([statSync(lastSegment()).size - size]);
    const engine = testEngine();
    commands.slice(0, 5).forEach((command, index) => void engine.apply(command, T0 + index));
    for (const command of calls) engine.apply(command, T0 + 9);
    expect(await recoveredText()).toBe(stateText(engine));
  });

  it("stand before what is written at once, and a restart finds both", async () => {
    const opened = await open();
    commands.forEach((command, index) => {
      const applied = isOfCall(command)
        ? opened.applyUnwritten(command, T0 + index)
        : opened.apply(command, T0 + index);
      expect(applied.ok).toBe(true);
    });
    expect(opened.flush()).toBe(true);
    expect(await recoveredText()).toBe(referenceText(commands));
  });

  it("are with the operating system at the end of the turn, asked for or not", async () => {
    const opened = await give(commands.slice(0, 5));
    const { size } = statSync(lastSegment());
    for (const command of commands.slice(5, 7).filter(isOfCall)) opened.applyUnwritten(command, T0 + 9);
    await endOfTurn();
    await endOfTurn();
    expect(statSync(lastSegment()).size).toBeGreaterThan(size);
  });

  it("are written before there are too many of them", async () => {
    const opened = await give(commands.slice(0, 5));
    const { size } = statSync(lastSegment());
    for (let nonce = 1n; nonce <= 5_000n; nonce += 1n) opened.applyUnwritten({ type: "nonce", keyId: "k", nonce }, T0);
    expect(statSync(lastSegment()).size - size).toBeGreaterThan(256 * 1024);
  });

  it("are lost together where the disk is full, and whoever asks is told", async () => {
    let full = false;
    const write: Disk["write"] = (file, bytes) => {
      if (!full) return NODE_DISK.write(file, bytes);
      NODE_DISK.write(file, bytes.subarray(0, bytes.length - 20));
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    };
    const opened = await give(commands.slice(0, 5), { disk: { ...NODE_DISK, write } });
    full = true;
    for (const command of commands.slice(5, 7).filter(isOfCall))
      expect(opened.applyUnwritten(command, T0).ok).toBe(true);
    const waiting = opened.durable();
    expect(opened.flush()).toBe(false);
    await expect(waiting).rejects.toThrow("ENOSPC");
    expect(opened.failed).toContain("ENOSPC");
    for (const command of commands.slice(7, 8).filter(isOfCall))
      expect(refused(opened.applyUnwritten(command, T0)).code).toBe("EService:Unavailable");
    full = false;
    expect(await recoveredText()).toBe(referenceText(commands.slice(0, 5)));
  });
});

describe("durability", () => {
  it("shares one sync between all who wait, and needs none when nothing is new", async () => {
    let syncs = 0;
    const sync: Disk["sync"] = (file) => {
      syncs += 1;
      return NODE_DISK.sync(file);
    };
    const opened = await open({ disk: { ...NODE_DISK, sync } });
    const waits = Array.from({ length: 50 }, (_, count) => {
      opened.apply({ type: "createAccount", accountId: `a${count}`, krwAccountLinked: true }, T0);
      return opened.durable();
    });
    await Promise.all(waits);
    expect(syncs).toBe(1);
    await opened.durable();
    expect(syncs).toBe(1);
  });

  it("waits for the next sync when it is asked for while one runs", async () => {
    const syncs: (() => void)[] = [];
    const sync: Disk["sync"] = () => new Promise((resolve) => syncs.push(resolve));
    const opened = await open({ disk: { ...NODE_DISK, sync } });
    const create = (accountId: string) => {
      opened.apply({ type: "createAccount", accountId, krwAccountLinked: true }, T0);
      return opened.durable();
    };
    const first = create("a");
    while (syncs.length < 1) await endOfTurn();
    let isSecondOnDisk = false;
    const second = create("b").then(() => {
      isSecondOnDisk = true;
    });
    syncs[0]?.();
    await first;
    for (let turns = 0; turns < 10; turns += 1) await endOfTurn();
    expect([syncs.length, isSecondOnDisk]).toEqual([2, false]);
    syncs[1]?.();
    await second;
  });

  it("is refused after closing", async () => {
    const opened = await give(commands);
    await opened.close();
    expect(refused(opened.apply({ type: "tick" }, T0)).code).toBe("EService:Unavailable");
  });
});
