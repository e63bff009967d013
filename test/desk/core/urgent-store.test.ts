import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { failed, localFault, ok, type Result } from "../../../src/contract/index.ts";
import { UrgentStore } from "../../../src/desk/core/urgent-store.ts";

/** Time that passes only while somebody waits for it. */
function urgentStore() {
  let nowMs = 1_000;
  const clock = {
    now: () => nowMs,
    rising: () => nowMs,
    sleep: async (ms: number, signal?: AbortSignal) => {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      if (signal?.aborted !== true) nowMs += ms;
    },
  };
  return { store: new UrgentStore(clock), now: () => nowMs };
}

const AWAY = failed(localFault("ELocal:Store unavailable", { message: "It is away." }));
const never = () => new Promise<Result<string>>(() => undefined);

describe("what cancels", () => {
  it("waits for the store no longer than half a second for all of its steps", async () => {
    const { store, now } = urgentStore();
    expect(await store.soon(async () => ok("here"))).toEqual(ok("here"));
    expect(now()).toBe(1_000);
    for (let step = 0; step < 5; step++) expect(await store.soon(never)).toMatchObject({ ok: false });
    expect(now()).toBeLessThanOrEqual(1_600);
    // What may do without the store says nothing of it.
    await store.soon(async () => ok("from a file"));
    const late = now();
    for (let step = 0; step < 5; step++) await store.soon(never);
    expect(now() - late).toBeLessThanOrEqual(20);
    expect(await store.port({ read: async () => ok("again") }).read()).toEqual(ok("again"));
    const before = now();
    await store.soon(never);
    expect(now() - before).toBe(500);
  });

  it("passes a defect on that comes in time, and none that comes later", async () => {
    const { store } = urgentStore();
    await expect(store.soon(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    let fail: (error: Error) => void = () => undefined;
    const step = () =>
      new Promise<Result<string>>((_, reject) => {
        fail = reject;
      });
    expect(await store.soon(step)).toMatchObject({ ok: false });
    fail(new Error("closed"));
  });
});

describe("a step of the log that could not be taken", () => {
  it("is taken once the store is back, in its order, for whoever it was done, and once", async () => {
    const { store } = urgentStore();
    const caller = new AsyncLocalStorage<string>();
    let isAway = true;
    const written: string[] = [];
    const append = async (text: string): Promise<Result<void>> => {
      if (isAway) return AWAY;
      written.push(`${text} by ${caller.getStore() ?? "nobody"}`);
      return ok(undefined);
    };
    const log = store.port({ append }, ["append"]);
    const said = await caller.run("alice", () => log.append("first"));
    expect(said).toMatchObject({ fault: { message: expect.stringMatching(/^It is away\. It is written down once/) } });
    await caller.run("bob", () => log.append("second"));
    await store.catchUp();
    expect(written).toEqual([]);
    isAway = false;
    await store.catchUp();
    await store.catchUp();
    expect(written).toEqual(["first by alice", "second by bob"]);
  });

  it("and was given up, is not taken twice where it succeeds late, and is where it fails late", async () => {
    const { store } = urgentStore();
    const going: ((result: Result<void>) => void)[] = [];
    const append = () => new Promise<Result<void>>((resolve) => going.push(resolve));
    const log = store.port({ append }, ["append"]);
    for (let step = 0; step < 2; step++) expect(await log.append()).toMatchObject({ ok: false });
    // The second waits for the first, also where that is given up.
    expect(going).toHaveLength(1);
    going[0]?.(ok(undefined));
    await setImmediate();
    expect(going).toHaveLength(2);
    going[1]?.(AWAY);
    await setImmediate();
    const catching = store.catchUp();
    await setImmediate();
    expect(going).toHaveLength(3);
    going[2]?.(ok(undefined));
    await catching;
    await store.catchUp();
    expect(going).toHaveLength(3);
  });
});
