import { describe, expect, it } from "vitest";
import type { LaneRequest, SharedBudgets, SteadyClock } from "../../src/transport/index.ts";
import { GroupLane } from "../../src/transport/index.ts";
import { ShutOut } from "../../src/transport/request/lane-entrance.ts";

/** A clock that a test moves; whoever sleeps wakes in the order of the times. */
function movedClock() {
  let now = 1_000;
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  const clock: SteadyClock = {
    now: () => now,
    rising: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ atMs: now + ms, wake })),
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  const move = async (ms: number): Promise<void> => {
    const until = now + ms;
    for (;;) {
      await settle();
      sleepers.sort((a, b) => a.atMs - b.atMs);
      if (sleepers[0] === undefined || sleepers[0].atMs > until) break;
      const next = sleepers.shift();
      now = next?.atMs ?? now;
      next?.wake();
    }
    now = until;
    await settle();
  };
  return { clock, move, settle };
}

const GROUPS = [
  { name: "rest", limit: 4, windowMs: 1_000, scope: "key", reserved: 1 },
  { name: "order", limit: 2, windowMs: 1_000, scope: "key" },
  { name: "book", limit: 2, windowMs: 1_000, scope: "address" },
] as const;

function world(budgets?: SharedBudgets) {
  const { clock, move, settle } = movedClock();
  const lane = new GroupLane(clock, GROUPS, budgets);
  const log: string[] = [];
  const call = (name: string, group: string, more: Partial<LaneRequest> = {}, key = "k"): Promise<unknown> =>
    lane
      .enter(key, { weight: 1, charges: [{ group, weight: 1 }], clockOffsetMs: () => 0, ...more })
      .then(async (pass) => {
        log.push(`${name} ${clock.now() - 1_000}`);
        await pass.leave();
        return pass.nonce;
      })
      .catch((error: unknown) => log.push(`${name} ${error instanceof ShutOut ? `shut ${error.forMs}` : "late"}`));
  return { lane, log, call, move, settle };
}

describe("a group of calls", () => {
  it("takes so many in any window, side by side, and each gets a larger nonce", async () => {
    const { log, call, move } = world();
    const nonces = [1, 2, 3].map((n) => call(`a${n}`, "order"));
    await move(3_000);
    expect(log).toEqual(["a1 0", "a2 0", "a3 1050"]);
    expect(new Set(await Promise.all(nonces)).size).toBe(3);
  });

  it("goes by the exchange's time, also where that turns out to be earlier", async () => {
    const { call, move } = world();
    const ahead = { clockOffsetMs: () => 40_000 };
    const nonces = [call("a", "rest", ahead), call("b", "rest", ahead), call("c", "rest"), call("d", "rest")];
    await move(3_000);
    const [a = 0n, b, c = 0n, d] = (await Promise.all(nonces)) as readonly bigint[];
    expect(b).toBe(a + 1n);
    expect(a - c).toBeGreaterThan(38_000n);
    expect(d).toBeGreaterThan(c);
  });

  it("is counted apart of others, and of other keys where it counts by key", async () => {
    const { log, call, move } = world();
    for (const key of ["k", "other"]) for (const n of [1, 2, 3]) void call(`${key}${n}`, "order", {}, key);
    for (const key of ["k", "other"]) for (const n of [1, 2]) void call(`book ${key}${n}`, "book", {}, key);
    await move(500);
    expect(log.filter((line) => line.startsWith("book"))).toEqual(["book k1 0", "book k2 0"]);
    expect(log.filter((line) => !line.startsWith("book"))).toEqual(["k1 0", "other1 0", "k2 0", "other2 0"]);
  });

  it("lets a cancel go first and use what is kept for it, and history last with little", async () => {
    const { log, call, move } = world();
    void call("history 1", "rest", { background: true });
    void call("history 2", "rest", { background: true });
    for (const n of [1, 2, 3]) void call(`read ${n}`, "rest");
    void call("cancel", "rest", { urgent: true });
    await move(0);
    expect(log[0]).toBe("history 1 0");
    expect(log.slice(1).toSorted()).toEqual(["cancel 0", "read 1 0"]);
    await move(3_000);
    expect(log.slice(3)).toEqual(["read 2 1050", "read 3 1050", "history 2 2100"]);
  });

  it("counts what others on the key have used, as the venue says", async () => {
    const { lane, log, call, move } = world();
    await lane.hear("k", [{ kind: "left", group: "order", left: 0 }]);
    void call("a", "order");
    await move(2_000);
    expect(log).toEqual(["a 1050"]);
  });

  it("waits as long as a pause lasts, through which a cancel goes at once and another seconds later", async () => {
    const { lane, log, call, move } = world();
    await lane.hear("k", [{ kind: "pause", group: "rest", forMs: 5_000 }]);
    void call("read", "rest");
    void call("cancel 1", "rest", { urgent: true });
    void call("cancel 2", "rest", { urgent: true });
    void call("order", "order");
    await move(6_000);
    expect(log).toEqual(["cancel 1 0", "order 0", "cancel 2 3000", "read 5000"]);
  });

  it("guesses longer pauses each time, where the venue does not say how long", async () => {
    const { lane, log, call, move } = world();
    for (const [n, waited] of [1_000, 2_000, 4_000].entries()) {
      await lane.hear("k", [{ kind: "pause", group: "order" }]);
      void call(`a${n}`, "order");
      await move(waited - 1);
      expect(log).toHaveLength(n);
      await move(1);
      expect(log).toHaveLength(n + 1);
      await move(1);
    }
  });

  it("takes nothing at all while the key is shut out, no cancel either", async () => {
    const { lane, log, call, move } = world();
    void call("waiting", "order");
    void call("waiting too", "order");
    void call("in line", "order");
    await move(0);
    await lane.hear("k", [{ kind: "ban", group: "order", forMs: 60_000 }]);
    void call("read", "rest");
    void call("cancel", "rest", { urgent: true });
    void call("public", "book");
    await move(59_000);
    expect(log.slice(2).toSorted()).toEqual(["cancel shut 60000", "in line shut 58950", "public 0", "read shut 60000"]);
    void call("patient", "rest", { deadline: { hasPassed: false, remainingMs: 5_000, signal: AbortSignal.any([]) } });
    await move(2_000);
    expect(log.at(-1)).toBe("patient 60000");
  });
});

type Asked = Parameters<SharedBudgets["claim"]>;
const share = (group: string, granted: number, more: object = {}) => ({
  ...{ group, granted, waitMs: 0, pausedMs: 0, total: 0 },
  ...more,
});

describe("a group whose budget processes share", () => {
  it("asks once for a handful of calls, and no more of it leaves than was granted", async () => {
    const asked: Asked[] = [];
    let free = 3;
    const { log, call, move } = world({
      claim: async (...question) => {
        asked.push(question);
        const groups = question[1].map(({ group, wanted, needed }) => {
          const granted = needed === 0 ? 0 : Math.min(wanted, free);
          free -= granted;
          return share(group, granted, { waitMs: granted < needed ? 500 : 0, total: 4 });
        });
        return { leaseMs: 300, bannedMs: 0, groups };
      },
    });
    for (const n of [1, 2, 3, 4]) void call(`a${n}`, "rest", n === 4 ? { urgent: true } : {});
    await move(100);
    expect(log.toSorted()).toEqual(["a1 0", "a2 0", "a4 0"]);
    const taking = asked.filter(([, [claim]]) => claim?.needed !== 0);
    expect(taking.map(([whose, [claim]]) => [whose, claim?.wanted, claim?.open])).toEqual([
      ["key k", 1, 4],
      ["key k", 3, 3],
    ]);
    // Each is told of once.
    expect(asked.flatMap(([, claims]) => claims.flatMap(({ used }) => used))).toHaveLength(3);
    free = 1;
    await move(2_000);
    expect(log).toHaveLength(4);
  });

  it("waits for nobody and goes by its own count while the store cannot be asked, and asks it beside", async () => {
    let answers = 0;
    let isHanging = false;
    const { log, call, move } = world({
      claim: () => {
        answers++;
        return isHanging ? new Promise(() => undefined) : Promise.resolve(undefined);
      },
    });
    void call("a1", "order");
    await move(0);
    isHanging = true;
    for (const n of [2, 3]) void call(`a${n}`, "order");
    void call("cancel", "rest", { urgent: true });
    await move(2_000);
    expect(log).toEqual(["a1 0", "a2 0", "cancel 0", "a3 1050"]);
    expect(answers).toBe(3);
  });

  it("keeps a ban and a pause of which another process was told, and tells of those that it is told", async () => {
    const asked: Asked[] = [];
    let bannedMs = 0;
    const { lane, log, call, move } = world({
      claim: async (...question) => {
        asked.push(question);
        const groups = question[1].map(({ group, wanted }) =>
          share(group, bannedMs > 0 || group === "order" ? 0 : wanted, { pausedMs: group === "order" ? 4_000 : 0 }),
        );
        return { leaseMs: 300, bannedMs, groups };
      },
    });
    await lane.hear("k", [{ kind: "pause", group: "rest", forMs: 2_000 }]);
    await lane.hear("k", [{ kind: "ban", group: "book", forMs: 9_000 }]);
    expect(asked.map(([whose, [claim], ban]) => [whose, claim?.pauseMs, ban])).toEqual([
      ["key k", 2_000, undefined],
      ["address", undefined, { forMs: 9_000 }],
    ]);
    void call("paused", "order");
    await move(3_000);
    bannedMs = 60_000;
    void call("banned", "rest");
    await move(2_000);
    expect(log).toEqual(["banned shut 60000", "paused shut 59000"]);
  });
});
