/** What every store keeps of budgets: what counts, how long, and that what is admitted is what is held. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { AccountUsage } from "../../src/desk/index.ts";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";
import type { Place, TestStore } from "./store-suite.ts";

const DAY_MS = 86_400_000;
const send = (held: string, more: object = {}) => ({
  from: ["ready"],
  to: "sent",
  nonce: "1",
  held,
  unit: "KRW" as const,
  ...more,
});
const admitAll = () => undefined;
const nothing = { day: "0", open: "0", openOrders: 0, lastMinute: 0 };

export function beginCases({ store, database }: Place): void {
  /** Begins a new intent. */
  async function begin(id: string, held: string, atMs: number, account = "main"): Promise<void> {
    await unwrap(store().journal.record(newIntent(id, { account, createdAtMs: atMs })));
    expect(await unwrap(store().journal.begin(id, send(held), admitAll, () => atMs))).toHaveProperty("begun");
  }
  const usage = async (atMs: number, account = "main") => (await unwrap(store().journal.usage(account, atMs))).usage;

  it("moves, numbers and holds in one step, and gives back what is then on disk", async () => {
    await unwrap(store().journal.record(newIntent("i1")));
    const began = await unwrap(store().journal.begin("i1", send("5000", { body: { n: 2 } }), admitAll, () => 2_000));
    const intent = {
      ...newIntent("i1", { state: "sent", nonce: "1", body: { n: 2 } }),
      held: "5000",
      isLive: true,
      sentAtMs: 2_000,
      updatedAtMs: 2_000,
    };
    expect(began).toEqual({ begun: intent });
    const other = await database().open();
    expect(await unwrap(other.journal.byId("i1"))).toEqual(intent);
    other.close();
  });

  it("asks nobody about an intent that is unknown or in another state", async () => {
    const asked: AccountUsage[] = [];
    const admit = (standing: AccountUsage) => {
      asked.push(standing);
      return undefined;
    };
    expect(await unwrap(store().journal.begin("nobody", send("1"), admit, () => 1))).toBeUndefined();
    await begin("i1", "1", 1_000);
    expect(await unwrap(store().journal.begin("i1", send("1"), admit, () => 2_000))).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it("writes nothing when refused, or when who admits fails", async () => {
    await unwrap(store().journal.record(newIntent("i1")));
    const before = await unwrap(store().journal.byId("i1"));
    const refusal = { rule: "day_budget" } as const;
    expect(
      await unwrap(
        store().journal.begin(
          "i1",
          send("5"),
          () => refusal,
          () => 2_000,
        ),
      ),
    ).toEqual({ refused: refusal });
    const failing = unwrap(
      store().journal.begin(
        "i1",
        send("5"),
        () => Promise.resolve(refusal),
        () => 2_000,
      ),
    );
    await expect(failing).rejects.toThrow(/at once/);
    const broken = () => {
      throw new Error("no rule for this");
    };
    await expect(unwrap(store().journal.begin("i1", send("5"), broken, () => 2_000))).rejects.toThrow(
      "no rule for this",
    );
    expect(await unwrap(store().journal.byId("i1"))).toEqual(before);
    expect(await usage(2_000)).toEqual(nothing);
    expect(await unwrap(store().audit.recent({ limit: 9 }))).toHaveLength(1);
    expect(await unwrap(store().journal.begin("i1", send("5"), admitAll, () => 2_000))).toHaveProperty("begun");
  });

  it("shows who admits the account without the order it is about", async () => {
    await begin("other", "100", 1_000);
    await begin("foreign", "7", 1_000, "another account");
    await begin("i1", "40", 900);
    // As after a request that was proven not to have left: it still counts, and is asked about again.
    await unwrap(store().journal.advance("i1", { from: ["sent"], to: "ready" }, 1_500));
    let seen: AccountUsage | undefined;
    await unwrap(
      store().journal.begin(
        "i1",
        send("41"),
        (standing) => {
          seen = standing;
          return undefined;
        },
        () => 2_000,
      ),
    );
    expect(seen).toEqual({
      usage: { day: "100", open: "100", openOrders: 1, lastMinute: 1 },
      settled: [],
      unit: "KRW",
      firstSentAtMs: 1_000,
      killSwitch: undefined,
    });
    expect(await usage(2_000)).toEqual({ day: "141", open: "141", openOrders: 2, lastMinute: 2 });
  });

  it("counts a live order however old, another for a day, a sending for a minute", async () => {
    const at = 10 * DAY_MS;
    await begin("live", "1", at);
    await begin("filled", "20", at);
    await unwrap(
      store().journal.advance("filled", { from: ["sent"], to: "done", hold: { value: "20", isLive: false } }, at),
    );
    await begin("not placed", "300", at);
    const released = { hold: { value: "0", isLive: false }, unsend: true };
    await unwrap(store().journal.advance("not placed", { from: ["sent"], to: "ready", ...released }, at));
    expect(await unwrap(store().journal.byId("not placed"))).toMatchObject({
      held: "0",
      isLive: false,
      sentAtMs: null,
    });
    expect(await usage(at)).toEqual({ day: "21", open: "1", openOrders: 1, lastMinute: 2 });
    expect(await usage(at + 59_999)).toMatchObject({ lastMinute: 2 });
    expect(await usage(at + 60_000)).toMatchObject({ lastMinute: 0 });
    expect(await usage(at + DAY_MS - 1)).toMatchObject({ day: "21" });
    expect(await usage(at + DAY_MS)).toEqual({ day: "1", open: "1", openOrders: 1, lastMinute: 0 });
  });

  it("tells what frees the day next, and which orders are open or have executed lately", async () => {
    const at = 10 * DAY_MS;
    for (const [id, krw] of [
      ["a", "20"],
      ["b", "30"],
      ["none", "0"],
    ] as const) {
      await begin(id, "100", at);
      const change = { from: ["sent"], to: "done", hold: { value: krw, isLive: false } };
      await unwrap(store().journal.advance(id, change, krw === "20" ? at + 7 : at));
    }
    await begin("live", "1", at);
    await begin("foreign", "7", at, "another account");
    const settled = async (atMs: number) => (await unwrap(store().journal.usage("main", atMs))).settled;
    expect(await settled(at + 7)).toEqual([
      { value: "30", atMs: at },
      { value: "20", atMs: at + 7 },
    ]);
    expect(await settled(at + DAY_MS)).toEqual([{ value: "20", atMs: at + 7 }]);
    expect(await settled(at + DAY_MS + 7)).toEqual([]);
    const found = async (sinceMs: number, limit = 9) =>
      (await unwrap(store().journal.openOrExecuted("main", sinceMs, limit))).map(({ intentId }) => intentId).sort();
    expect(await found(at - 1)).toEqual(["a", "b", "live"]);
    expect(await found(at)).toEqual(["a", "live"]);
    expect(await found(at + DAY_MS)).toEqual(["live"]);
    for (const limit of [1, 2, 3, 4]) expect(await found(at - 1, limit)).toHaveLength(Math.min(limit, 3));
  });

  it("counts the day from the last change of what is held, and a move that leaves it out changes nothing", async () => {
    await begin("i1", "50", 1_000);
    const settled = { from: ["sent"], to: "part", hold: { value: "30", isLive: false } };
    await unwrap(store().journal.advance("i1", settled, 5_000));
    const seen = await unwrap(store().journal.advance("i1", { from: ["part"], to: "seen", lazy: true }, 9_000));
    expect(seen).toMatchObject({ held: "30", isLive: false, sentAtMs: 1_000 });
    expect(await usage(5_000 + DAY_MS - 1)).toMatchObject({ day: "30" });
    expect(await usage(5_000 + DAY_MS)).toMatchObject({ day: "0" });
  });

  it("adds up exactly, beyond what a number holds", async () => {
    const most = String(2 ** 53 - 1);
    for (let n = 0; n < 5; n++) await begin(`i${n}`, most, 1_000);
    expect(await usage(1_000)).toMatchObject({ day: "45035996273704955", open: "45035996273704955" });
    expect(await unwrap(store().journal.byId("i0"))).toMatchObject({ held: most });
  });

  it.each(["9007199254740992", "99999999999999999999", "-1", "1.5", "1e3", "01", "", "1 000", "NaN"])(
    "refuses to hold %j",
    async (krw) => {
      await unwrap(store().journal.record(newIntent("i1")));
      const begun = unwrap(store().journal.begin("i1", send(krw), admitAll, () => 2_000));
      await expect(begun).rejects.toMatchObject({ name: "StoreInvariantError" });
      const hold = { value: krw, isLive: true };
      const advanced = unwrap(store().journal.advance("i1", { from: ["ready"], to: "sent", hold }, 2_000));
      await expect(advanced).rejects.toMatchObject({ name: "StoreInvariantError" });
      expect(await unwrap(store().journal.byId("i1"))).toMatchObject({ state: "ready", held: "0" });
    },
  );

  it("lets one of two begin the same intent, and holds it once", async () => {
    await unwrap(store().journal.record(newIntent("i1")));
    const other = await database().open();
    const both = await Promise.all(
      [store(), other].map(({ journal }) => unwrap(journal.begin("i1", send("5"), admitAll, () => 2_000))),
    );
    expect(both.filter((ended) => ended !== undefined)).toHaveLength(1);
    expect(await usage(2_000)).toMatchObject({ open: "5", openOrders: 1 });
    other.close();
  });

  it("counts as a plain count over all records would, after any history", async () => {
    const step = fc.record({
      kind: fc.constantFrom("begin", "settle", "release", "wait", "touch"),
      which: fc.nat({ max: 5 }),
      krw: fc.nat({ max: 1_000 }),
      waitMs: fc.constantFrom(1, 30_000, 60_000, DAY_MS / 2, DAY_MS),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        round += 1;
        const account = `account ${round}`;
        const plain = new PlainCount(store(), account);
        for (const each of steps) await plain.take(each);
        expect(await usage(plain.nowMs, account)).toEqual(plain.usage());
      }),
      { numRuns: 60 },
    );
  });
}

interface Step {
  readonly kind: string;
  readonly which: number;
  readonly krw: number;
  readonly waitMs: number;
}

/** The same history in the store and in plain records. */
class PlainCount {
  readonly #store: TestStore;
  readonly #account: string;
  readonly #held = new Map<number, { krw: bigint; isLive: boolean; atMs: number; sentAtMs: number | undefined }>();
  nowMs = 100 * DAY_MS;

  constructor(store: TestStore, account: string) {
    this.#store = store;
    this.#account = account;
  }

  async take({ kind, which, krw, waitMs }: Step): Promise<void> {
    const { journal } = this.#store;
    const id = `${this.#account} ${which}`;
    const held = this.#held.get(which);
    const moved = { krw: BigInt(krw), atMs: this.nowMs };
    switch (kind) {
      case "wait":
        this.nowMs += waitMs;
        break;
      case "begin":
        if (held === undefined) await unwrap(journal.record(newIntent(id, { account: this.#account })));
        if (await unwrap(journal.begin(id, send(String(krw)), admitAll, () => this.nowMs))) {
          this.#held.set(which, { ...moved, isLive: true, sentAtMs: this.nowMs });
        }
        break;
      case "settle": {
        const change = { from: ["sent"], to: "ready", hold: { value: String(krw), isLive: false } };
        if (await unwrap(journal.advance(id, change, this.nowMs))) {
          this.#held.set(which, { ...moved, isLive: false, sentAtMs: held?.sentAtMs });
        }
        break;
      }
      case "release": {
        const change = { from: ["sent"], to: "ready", hold: { value: "0", isLive: false }, unsend: true };
        if (await unwrap(journal.advance(id, change, this.nowMs))) {
          this.#held.set(which, { ...moved, krw: 0n, isLive: false, sentAtMs: undefined });
        }
        break;
      }
      default:
        await unwrap(journal.advance(id, { from: ["sent"], to: "sent", lazy: true }, this.nowMs));
    }
  }

  usage(): AccountUsage["usage"] {
    const all = [...this.#held.values()];
    const live = all.filter(({ isLive }) => isLive);
    const ofDay = all.filter(({ isLive, atMs }) => isLive || atMs > this.nowMs - DAY_MS);
    const sum = (some: typeof all) => String(some.reduce((total, { krw }) => total + krw, 0n));
    const sent = all.filter(({ sentAtMs }) => sentAtMs !== undefined && sentAtMs > this.nowMs - 60_000);
    return { day: sum(ofDay), open: sum(live), openOrders: live.length, lastMinute: sent.length };
  }
}
