/** What every store keeps of budgets when many processes want them at once, or die over it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";
import type { Place } from "./store-suite.ts";

const PROCESSES = 8;

export function budgetCases({ store, database, workers }: Place): void {
  async function record(ids: readonly string[]): Promise<void> {
    for (const id of ids) await unwrap(store().journal.record(newIntent(id)));
  }

  it.each([
    ["a day's budget", { orderKrw: "300", day: "10000", openOrders: 1_000 }, 33],
    ["a number of open orders", { orderKrw: "300", day: "1000000", openOrders: 21 }, 21],
  ])("is never more than %s, together, and all of it", async (_, limits, most) => {
    const own = Array.from({ length: PROCESSES }, (__, process) =>
      Array.from({ length: 10 }, (___, n) => `p${process}-${n}`),
    );
    await record(own.flat());
    const { location } = database();
    const atMs = Date.now() + 2_500;
    const begun = await workers().run<string[]>(
      own.map((intents) => ({ role: "begin", location, intents, limits, atMs })),
    );
    expect(begun.flat()).toHaveLength(most);
    const sent = await unwrap(store().journal.inStates("main", ["sent"], 1_000));
    expect(sent.map(({ intentId }) => intentId).sort()).toEqual(begun.flat().sort());
    const { usage } = await unwrap(store().journal.usage("main", Date.now()));
    const krw = String(most * 300);
    expect(usage).toEqual({ day: krw, open: krw, openOrders: most, lastMinute: most });
    // More than one had a part in it, so they did meet.
    expect(begun.filter((ids) => ids.length > 0).length).toBeGreaterThan(1);
    expect(await store().audit.verify()).toMatchObject({ ok: true, count: 80 + most });
  });

  it("has nothing of a begin whose process was killed inside, and does not wait for it", async () => {
    await record(["i1"]);
    const { location } = database();
    const worker = workers().start({ role: "begin-and-die", location, intentId: "i1" });
    await expect(worker.first).rejects.toThrow("SIGKILL");
    const startedAt = performance.now();
    expect(await unwrap(store().journal.byId("i1"))).toMatchObject({ state: "ready", nonce: null, held: "0" });
    const send = { from: ["ready"], to: "sent", nonce: "2", held: "5", unit: "KRW" as const };
    expect(
      await unwrap(
        store().journal.begin(
          "i1",
          send,
          ({ usage }) => (usage.openOrders > 0 ? usage : undefined),
          () => 2_000,
        ),
      ),
    ).toMatchObject({
      begun: { nonce: "2" },
    });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(await store().audit.verify()).toMatchObject({ ok: true, count: 2 });
  });

  it("holds everything that was reported when processes are killed at any point, and no more than the budget", async () => {
    const limits = { orderKrw: "100", day: "1000000", openOrders: 100 };
    const { location } = database();
    const own = Array.from({ length: 4 }, (_, process) => Array.from({ length: 60 }, (__, n) => `k${process}-${n}`));
    await record(own.flat());
    const atMs = Date.now() + 1_000;
    const running = own.map((intents) =>
      workers().start({ role: "begin", location, intents, limits, atMs, tellEach: true }),
    );
    for (const worker of running) {
      await worker.first;
      await sleep(Math.random() * 30);
      await worker.kill();
    }
    const told = running.flatMap((worker) => worker.told).filter((message) => typeof message === "string");
    expect(told.length).toBeGreaterThan(0);
    // What a killed process had asked a server to commit may still come about, between two of these looks too.
    await expect
      .poll(async () => {
        const sent = (await unwrap(store().journal.inStates("main", ["sent"], 1_000))).map(({ intentId }) => intentId);
        const { usage } = await unwrap(store().journal.usage("main", Date.now()));
        const { ok, count } = await store().audit.verify();
        const { openOrders, open, lastMinute } = usage;
        const lost = told.filter((id) => !sent.includes(id));
        return { lost, sent: sent.length, openOrders, open, lastMinute, ok, count };
      })
      .toSatisfy(isWhole);
  });
}

interface Looked {
  readonly lost: readonly string[];
  readonly sent: number;
  readonly openOrders: number;
  readonly open: string;
  readonly lastMinute: number;
  readonly ok: boolean;
  readonly count: number;
}

/** Nothing that was reported is lost, and every order that was sent counts, with its entry in the log; no other does. */
function isWhole({ lost, sent, openOrders, open, lastMinute, ok, count }: Looked): boolean {
  const counts = [openOrders, lastMinute, count - 240].every((each) => each === sent) && open === String(sent * 100);
  return ok && lost.length === 0 && sent <= 100 && counts;
}
