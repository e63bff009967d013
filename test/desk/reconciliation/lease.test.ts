/** What was recorded and not sent when its process died: told as that, listed, and over as soon as nobody can be sending it. */
import { describe, expect, it, vi } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import type { DeskContext } from "../../../src/desk/core/context.ts";
import { LEASE_MS, whileHeld } from "../../../src/desk/reconciliation/lease.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { LIMIT_BUY } from "../../fixture/order-sample.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

openWorldPerTest();

const stored = async () => unwrap(world.store.journal.byUserref("paper", "left"));
const passes = (ms: number) => {
  world.clock.skewMs += ms;
  world.venueClock.skewMs += ms;
};

/** Killed between the record and the sending. @param alive processes of this machine that run */
async function killed(alive: ReadonlySet<string> = new Set()): Promise<void> {
  const isGone = (id: string): boolean => !alive.has(id);
  const dying = await world.seat({ crashAt: "recorded", presence: { id: "dead", isGone } });
  void dying.desk.place({ ...LIMIT_BUY, userref: "left" });
  await dying.died;
}

describe("what is recorded and not sent", () => {
  it("is said to be that, in every list of what is open or without an answer", async () => {
    await killed();
    const item = { userref: "left", symbol: "BTC/KRW", state: "not_sent_yet" };
    expect((await seat.desk.status()).unresolved).toMatchObject([item]);
    expect(await unwrap(seat.desk.openOrders({}))).toMatchObject({ orders: [], unresolved: [item] });
    expect(await unwrap(seat.desk.openOrders({ symbol: "XRP/KRW" }))).toMatchObject({ unresolved: [] });
    const view = await unwrap(seat.desk.order({ userref: "left" }));
    expect(view).toMatchObject({ state: "not_sent_yet", next_action: expect.stringContaining("not sent yet") });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
  });

  it("ends as not placed with the lease of its process, not after half a minute", async () => {
    await killed();
    passes(9_000);
    expect(await seat.desk.reconcile()).toMatchObject({ checked: 1, not_placed: 0 });
    passes(1_500);
    expect(await seat.desk.reconcile()).toMatchObject({ not_placed: 1 });
    expect(await stored()).toMatchObject({ state: "not_placed", held: "0", isLive: false });
    expect((await seat.desk.status()).unresolved).toEqual([]);
  });

  it("ends at once where its process is known to be gone, and not while that runs", async () => {
    await killed();
    const next = await world.seat({ presence: { id: "next", isGone: () => false } });
    expect(await next.desk.reconcile()).toMatchObject({ not_placed: 0 });
    const knowing = await world.seat({ presence: { id: "knowing", isGone: (id) => id === "dead" } });
    expect(await knowing.desk.reconcile()).toMatchObject({ not_placed: 1 });
  });

  it("was sent after all where the exchange has it, as in a store that was put back", async () => {
    await killed();
    const elsewhere = await world.seat({ freshStore: true });
    expect(await elsewhere.desk.place({ ...LIMIT_BUY, userref: "left" })).toMatchObject({ state: "open" });
    passes(10_500);
    expect(await seat.desk.reconcile()).toMatchObject({ accepted: 1, not_placed: 0 });
    expect(await stored()).toMatchObject({ state: "open", held: "100000", isLive: true });
    expect(world.orders()).toHaveLength(1);
  });

  it("stays as it is while the exchange cannot say whether it has it", async () => {
    await killed();
    passes(10_500);
    world.proxy.plan(/^GET \/v1\/orders/, "deny", 9);
    expect(await seat.desk.reconcile()).toMatchObject({ not_placed: 0, fault: { code: "EGeneral:Permission denied" } });
    expect((await stored())?.state).toBe("approved");
    world.proxy.heal();
    expect(await seat.desk.reconcile()).toMatchObject({ not_placed: 1 });
  });

  it("names the process that works on it", async () => {
    const own = await world.seat({ presence: { id: "own", isGone: () => false } });
    expect(await own.desk.place({ ...LIMIT_BUY, userref: "left" })).toMatchObject({ state: "open" });
    expect((await stored())?.body.holder).toBe("own");
  });
});

describe("the lease", () => {
  it("is renewed for as long as the work takes, and not after that", async () => {
    let nowMs = 0;
    let renewed = 0;
    const rings: (() => void)[] = [];
    const sleep = (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        rings.push(() => {
          nowMs += ms;
          resolve();
        });
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
    const context = { parts: { clock: { now: () => nowMs, sleep } } } as unknown as DeskContext;
    let end = (): void => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    const held = whileHeld(
      context,
      async () => ok(++renewed),
      () => work,
    );
    for (let turn = 1; turn <= 4; turn++) {
      rings.shift()?.();
      await vi.waitFor(() => expect(rings).toHaveLength(1));
      expect(renewed).toBe(turn);
    }
    expect(nowMs / renewed).toBeLessThan(LEASE_MS / 2);
    end();
    await held;
    rings.shift()?.();
    expect(rings).toEqual([]);
    expect(renewed).toBe(4);
  });
});

describe("the audit log", () => {
  const approvals = async (): Promise<number> => {
    const rows = await unwrap(world.store.audit.recent({ limit: 1000 }));
    return rows.filter(({ detail }) => detail?.["to"] === "approved").length;
  };

  it("has one step to approved, however often and by whom it is held", async () => {
    const policy = changeablePolicy({ ...LOOSE, mode: "confirm" });
    const asking = await world.seat({ policy, presence: { id: "asking", isGone: () => false } });
    await asking.desk.place({ ...LIMIT_BUY, userref: "left" });
    const { pending } = await unwrap(asking.desk.pending());
    const { intent_id: id, digest } = pending[0] ?? { intent_id: "", digest: "" };
    const other = await world.seat({ policy, presence: { id: "other", isGone: () => false } });
    expect(await other.desk.approve(id, "pin", digest)).toMatchObject({ outcome: "accepted", state: "open" });
    expect((await stored())?.body.holder).toBe("other");
    expect(await approvals()).toBe(1);
  });

  it("has nothing of a lease that is written anew", async () => {
    await killed();
    const { intentId, updatedAtMs } = (await stored()) ?? { intentId: "", updatedAtMs: 0 };
    const before = await approvals();
    const held = { from: ["approved"], to: "approved", isLease: true } as const;
    expect(await unwrap(world.store.journal.advance(intentId, held, updatedAtMs + 1))).toBeDefined();
    expect((await stored())?.updatedAtMs).toBe(updatedAtMs + 1);
    expect(await approvals()).toBe(before);
  });
});
