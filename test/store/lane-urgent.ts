/** What every store keeps for cancels: they pass whoever only reads, in this process and in others, inside the same limits. */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { KeyLane, LaneSettings } from "../../src/store/index.ts";
import { deadlineOf } from "../fixture/lane-deadline.ts";
import type { TestDatabase, TestStore } from "./store-suite.ts";

/** Until the tickets of other processes stand in a store on a server too, on a busy machine. */
const IN_LINE_MS = 250;
const fast: LaneSettings = {
  limits: { callsPerSecond: 100_000, weightPerMinute: 6_000_000 },
  leaseWaitMs: 5_000,
  leaseMs: 5_000,
};
const read = { weight: 1, clockOffsetMs: () => 0 };
const cancel = { ...read, urgent: true };

interface Place {
  readonly store: () => TestStore;
  readonly database: () => TestDatabase;
}

/** Asks to enter, notes the mark when it does, and leaves. */
async function note(entered: string[], mark: string, lane: KeyLane, request: object): Promise<bigint> {
  const pass = await lane.enter("key", { ...read, ...request });
  entered.push(mark);
  await pass.leave();
  return pass.nonce;
}

export function urgentCases({ store, database }: Place): void {
  it("lets cancels go before reads that wait already, in the order the cancels came", async () => {
    const lane = store().lane(fast);
    const held = await lane.enter("key", read);
    const entered: string[] = [];
    const gone = new AbortController();
    const reads = ["r1", "r2", "r3"].map((mark) => note(entered, mark, lane, read));
    await sleep(30);
    const cancels = ["c1", "gone", "c2"].map((mark) =>
      note(entered, mark, lane, mark === "gone" ? { ...cancel, deadline: deadlineOf(gone.signal) } : cancel),
    );
    gone.abort(new Error("gone"));
    await expect(cancels[1]).rejects.toThrow("gone");
    await sleep(IN_LINE_MS);
    await held.leave();
    const nonces = await Promise.all([cancels[0], cancels[2], ...reads]);
    expect(entered).toEqual(["c1", "c2", "r1", "r2", "r3"]);
    expect(nonces).toEqual([...nonces].sort((a, b) => Number((a ?? 0n) - (b ?? 0n))));
    expect(nonces[0]).toBeGreaterThan(held.nonce);
  });

  it("lets a cancel go before the reads of other processes that stood in the line before it", async () => {
    const [first, second, third] = [await database().open(), await database().open(), await database().open()];
    const held = await store().lane(fast).enter("key", read);
    const entered: string[] = [];
    const waiting = [note(entered, "r1", first.lane(fast), read)];
    await sleep(30);
    waiting.push(note(entered, "r2", second.lane(fast), read));
    await sleep(30);
    waiting.push(note(entered, "c1", third.lane(fast), cancel));
    await sleep(30);
    waiting.push(note(entered, "c2", second.lane(fast), cancel));
    await sleep(IN_LINE_MS);
    await held.leave();
    await Promise.all(waiting);
    expect(entered).toEqual(["c1", "c2", "r1", "r2"]);
    for (const other of [first, second, third]) other.close();
  });

  it("lets history go when nobody else waits, in this process or in another", async () => {
    const [first, second] = [await database().open(), await database().open()];
    const held = await store().lane(fast).enter("key", read);
    const entered: string[] = [];
    const history = { ...read, background: true };
    const lane = first.lane(fast);
    const waiting = [note(entered, "h1", lane, history), note(entered, "h2", second.lane(fast), history)];
    await sleep(30);
    for (const mark of ["r1", "r2"]) waiting.push(note(entered, mark, lane, read));
    waiting.push(note(entered, "c1", second.lane(fast), cancel));
    await sleep(IN_LINE_MS);
    await held.leave();
    await Promise.all(waiting);
    expect(entered.slice(0, 3)).toEqual(["c1", "r1", "r2"]);
    expect(entered.slice(3).sort()).toEqual(["h1", "h2"]);
    for (const other of [first, second]) other.close();
  });

  it("gives a head that has given up its place no place of a cancel", async () => {
    const lane = store().lane(fast);
    const held = await lane.enter("key", read);
    const entered: string[] = [];
    const tired = new AbortController();
    const head = note(entered, "head", lane, { deadline: deadlineOf(tired.signal) });
    await sleep(20);
    const urgent = note(entered, "c", lane, cancel);
    await sleep(20);
    tired.abort(new Error("tired"));
    await expect(head).rejects.toThrow("tired");
    const behind = note(entered, "r", lane, read);
    await held.leave();
    await Promise.all([urgent, behind]);
    expect(entered).toEqual(["c", "r"]);
  });

  it("keeps calls and weight free for cancels while reads ask for all there is", async () => {
    const limits = { callsPerSecond: 30, weightPerMinute: 600 };
    const lane = store().lane({ ...fast, limits });
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const heavy = { weight: 10, deadline: deadlineOf(stop.signal) };
    const reads = Array.from({ length: 60 }, (_, index) => note([], `r${index}`, lane, heavy).catch(() => undefined));
    await sleep(1_200);
    const startedAt = performance.now();
    const entered: string[] = [];
    await Promise.all(Array.from({ length: 20 }, (_, index) => note(entered, `c${index}`, lane, cancel)));
    expect(entered).toHaveLength(20);
    // At the reads' rate of weight they would have waited behind minutes of it.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    stop.abort(new Error("enough"));
    await Promise.all(reads);
  });
}
