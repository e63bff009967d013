/** When "not found" is believed: never by age, and where it never is, an order stays unknown until it is found or a person decides. */
import { describe, expect, it } from "vitest";
import type { Absence } from "../../../src/contract/index.ts";
import { isLookupDue } from "../../../src/desk/model/evidence.ts";
import {
  absenceIsFinal,
  evidenceAfter,
  type None,
  type SentRequest,
} from "../../../src/desk/reconciliation/absence.ts";
import { NONE_YET, ORDER_POST } from "../../fixture/fault-proxy.ts";
import { LIMIT_BUY } from "../../fixture/order-sample.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, type seat, world } from "../../fixture/world-per-test.ts";

const LOOK = /^GET \/v1\/orders\?/;
const DAY_MS = 86_400_000;
const NOT_PLACED = { placed: false, by: "a person" };

describe("the rule of absence", () => {
  const EVERYWHERE = new Set(["open", "closed", "canceled"] as const);
  const SENT = { nonce: "1000000", sentAtMs: 1_000_000, expiresAtMs: 1_005_000, body: { keyId: "k" } } as const;
  const ENGINE = { by: "expiry", ms: 5_000, at: "engine", errorMs: 500 } as const;
  /** After the expiry: 10 s until it is visible, twice the error of the clock, 2 s. */
  const OVER_MS = 1_005_000 + 10_000 + 1_000 + 2_000;

  interface Look {
    readonly atMs: number;
    readonly venueMs?: number;
    readonly covers?: None["covers"];
  }

  /** Whether the last of these look-ups ends it. */
  function isFinal(absence: Absence, looks: readonly Look[], sent: SentRequest = SENT, keyId = "k"): boolean {
    const venue = { card: { absence, visible_after_ms: 10_000 }, keyId };
    let before: ReturnType<typeof evidenceAfter> | undefined;
    let isOver = false;
    for (const { atMs, venueMs = atMs, covers = EVERYWHERE } of looks) {
      const none = { kind: "none", covers, atMs: venueMs } as const;
      isOver = absenceIsFinal(venue, sent, { none, before, nowMs: atMs });
      before = evidenceAfter(venue, sent, { found: none, before, nowMs: atMs });
    }
    return isOver;
  }

  it("holds by nonce at once behind the fence of the key that signed, and never otherwise, however long it is ago", () => {
    expect(isFinal({ by: "nonce" }, [{ atMs: 1_000_001 }])).toBe(true);
    expect(isFinal({ by: "nonce" }, [{ atMs: 400 * DAY_MS }], SENT, "another")).toBe(false);
    expect(isFinal({ by: "nonce" }, [{ atMs: 400 * DAY_MS }], { ...SENT, nonce: null })).toBe(false);
  });

  it("holds by expiry at the engine after two look-ups past the last moment, as far apart as an order may be invisible", () => {
    const [first, second] = [{ atMs: OVER_MS + 1 }, { atMs: OVER_MS + 10_001 }];
    expect(isFinal(ENGINE, [first, second])).toBe(true);
    expect(isFinal(ENGINE, [second])).toBe(false);
    expect(isFinal(ENGINE, [{ atMs: OVER_MS }, second])).toBe(false);
    expect(isFinal(ENGINE, [first, { atMs: second.atMs - 1 }])).toBe(false);
    expect(isFinal(ENGINE, [{ atMs: 1_001_000 }, first, { atMs: OVER_MS + 4_000 }, second])).toBe(true);
  });

  it("fails by expiry when a state was not searched, a clock disagrees, or the request does not say when it runs out", () => {
    const [first, second] = [{ atMs: OVER_MS + 1 }, { atMs: OVER_MS + 10_001 }];
    const half = new Set(["open", "closed"] as const);
    expect(isFinal(ENGINE, [{ ...first, covers: half }, second])).toBe(false);
    expect(isFinal(ENGINE, [first, { ...second, covers: half }])).toBe(false);
    // Ours was set ahead: the venue's says that it is too early; and the other way about.
    expect(
      isFinal(ENGINE, [
        { ...first, venueMs: 1_001_000 },
        { ...second, venueMs: 1_002_000 },
      ]),
    ).toBe(false);
    expect(
      isFinal(ENGINE, [
        { atMs: 1_001_000, venueMs: first.atMs },
        { atMs: 1_002_000, venueMs: second.atMs },
      ]),
    ).toBe(false);
    const { expiresAtMs: _none, ...endless } = SENT;
    expect(isFinal(ENGINE, [first, { atMs: 400 * DAY_MS }], endless)).toBe(false);
  });

  it.each([
    { ...ENGINE, at: "gate" },
    { by: "id", scope: "account_forever" },
    { by: "id", scope: "account" },
    { by: "id", scope: "open_orders" },
    { by: "none" },
  ] satisfies readonly Absence[])("%o: never, however often and however late it is looked up", (absence) => {
    const looks = Array.from({ length: 50 }, (_, index) => ({ atMs: 1_000_000 + index * 20 * DAY_MS }));
    expect(isFinal(absence, looks)).toBe(false);
  });
});

describe("looking again by itself", () => {
  it("is after 1, 2, 4 … 60 s, then every five minutes for a day, then every hour", () => {
    const pauses: number[] = [];
    let evidence = { lookups: 1, sinceMs: 0, lastAtMs: 0 };
    for (let nowMs = 0; nowMs < 2 * DAY_MS; nowMs += 500) {
      if (!isLookupDue(evidence, nowMs)) continue;
      pauses.push((nowMs - evidence.lastAtMs) / 1_000);
      evidence = { lookups: evidence.lookups + 1, sinceMs: 0, lastAtMs: nowMs };
    }
    expect(pauses.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 300]);
    expect(new Set(pauses.slice(7))).toEqual(new Set([300, 3_600]));
    expect(pauses.filter((pause) => pause === 3_600).length).toBeGreaterThanOrEqual(23);
  });

  it("is not put off by a clock that was set back", () => {
    expect(isLookupDue({ lookups: 1, sinceMs: 50_000, lastAtMs: 50_000 }, 10_000)).toBe(true);
  });
});

describe("an order without an answer, at an exchange whose absence proves nothing", () => {
  openWorldPerTest();

  /** Lost on its way, and looked for by another key: the exchange of the tests keeps a fence for each. */
  async function lost(): Promise<typeof seat> {
    const own = await world.seat({ absence: { by: "none" } });
    world.proxy.plan(ORDER_POST, "late");
    world.proxy.plan(LOOK, "deny", 1);
    expect(await own.desk.place({ ...LIMIT_BUY, userref: "dark" })).toMatchObject({ outcome: "unknown" });
    world.proxy.heal();
    return world.seat({ absence: { by: "none" }, key: world.addKey() });
  }
  const passes = (ms: number) => {
    world.clock.skewMs += ms;
    world.venueClock.skewMs += ms;
  };
  const stored = async () => unwrap(world.store.journal.byUserref("paper", "dark"));
  const view = async (looker: typeof seat) => unwrap(looker.desk.order({ userref: "dark" }));
  const usage = async () => (await unwrap(world.store.journal.usage("paper", Date.now() + world.clock.skewMs))).usage;

  it("stays unknown and holds its budget, for minutes and for weeks, and the evidence grows", async () => {
    const looker = await lost();
    for (const ms of [0, 41_000, 3_600_000, 40 * DAY_MS]) {
      passes(ms);
      expect(await looker.desk.reconcile()).toMatchObject({ not_placed: 0, still_unknown: 1 });
      expect(await stored()).toMatchObject({ state: "unknown", held: "100000", isLive: true });
    }
    passes(5_000);
    const { state, evidence, next_action } = await view(looker);
    expect(state).toBe("unknown");
    expect(next_action).toContain("hoga settle dark");
    expect(evidence).toMatchObject({ lookups: 5, in_open_list: false, in_closed_list: false, locked_explained: true });
    expect(Date.parse(evidence?.last_at ?? "") - Date.parse(evidence?.since ?? "")).toBeGreaterThan(40 * DAY_MS);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
  });

  it("is looked up when it is due, and by get_order at once, but not twice in a second", async () => {
    const looker = await lost();
    const lookups = async () => (await stored())?.body.evidence?.lookups;
    await looker.desk.reconcile();
    await looker.desk.reconcile();
    await view(looker);
    expect(await lookups()).toBe(1);
    passes(1_000);
    await view(looker);
    expect(await lookups()).toBe(2);
    await looker.desk.reconcile();
    expect(await lookups()).toBe(2);
    passes(2_000);
    await looker.desk.reconcile();
    expect(await lookups()).toBe(3);
  });

  it("is not said by a cancel to be none, however late, and is canceled by its name when it appears", async () => {
    const looker = await lost();
    for (const ms of [0, 41_000, 3_600_000, 40 * DAY_MS]) {
      passes(ms);
      const report = await looker.desk.cancel({ userref: "dark" });
      expect(report).toMatchObject({ outcome: "not_sent", state: "unknown", userref: "dark" });
      expect(report.error?.message).toContain("not known");
      expect(await looker.desk.place({ ...LIMIT_BUY, userref: "dark" })).toMatchObject({ outcome: "unknown" });
    }
    expect(await world.proxy.deliverLate()).toEqual([201]);
    passes(2_000);
    expect(await looker.desk.cancel({ userref: "dark" })).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(world.orders().map(({ state }) => state)).toEqual(["canceled"]);
  });

  it("when it was to take the place of another, is not believed absent either, and is not placed a second time", async () => {
    const own = await world.seat({ absence: { by: "none" } });
    await own.desk.place({ ...LIMIT_BUY, userref: "old" });
    world.proxy.plan(ORDER_POST, "late");
    world.proxy.plan(LOOK, "deny", 1);
    const change = { userref: "old", price: "49000000" };
    const moved = await own.desk.replace(change);
    expect(moved).toMatchObject({ outcome: "unknown", replaced: { state: "canceled" } });
    world.proxy.heal();
    const looker = await world.seat({ absence: { by: "none" }, key: world.addKey() });
    for (const ms of [0, 41_000, 3_600_000, 40 * DAY_MS]) {
      passes(ms);
      expect(await looker.desk.reconcile()).toMatchObject({ not_placed: 0, still_unknown: 1 });
      expect(await looker.desk.replace(change)).toMatchObject({ outcome: "unknown", intent_id: moved.intent_id });
    }
    passes(2_000);
    const { evidence, next_action } = await unwrap(looker.desk.order({ userref: "old" }));
    expect(evidence?.lookups).toBeGreaterThanOrEqual(5);
    expect(next_action).toContain(`hoga settle ${moved.userref ?? ""}`);
    expect(await world.proxy.deliverLate()).toEqual([201]);
    passes(2_000);
    expect(await looker.desk.replace(change)).toMatchObject({ outcome: "accepted", intent_id: moved.intent_id });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(2);
    expect(world.orders().filter(({ state }) => state === "open")).toHaveLength(1);
  });

  it("is taken when it appears late, and the log says after how long", async () => {
    const looker = await lost();
    await looker.desk.reconcile();
    passes(600_000);
    await looker.desk.reconcile();
    expect(await world.proxy.deliverLate()).toEqual([201]);
    passes(600_000);
    expect(await looker.desk.reconcile()).toMatchObject({ accepted: 1 });
    const [order] = world.orders();
    expect(await stored()).toMatchObject({ state: "open", orderId: order?.orderId, isLive: true });
    expect((await view(looker)).evidence).toBeUndefined();
    const log = await unwrap(world.store.audit.recent({ limit: 20 }));
    const late = log.find(({ event }) => event === "appeared_late");
    expect(late).toMatchObject({ orderId: order?.orderId, detail: { lookups: 2 } });
    expect(late?.detail["after_ms"]).toBeGreaterThanOrEqual(1_200_000);
    expect(world.orders()).toHaveLength(1);
  });

  it("is a person's to settle as not placed, not before the request can have left the network; its budget is free then", async () => {
    const looker = await lost();
    await looker.desk.reconcile();
    expect(await looker.desk.settle("dark", NOT_PLACED)).toMatchObject({ ok: false });
    passes(41_000);
    expect(await looker.desk.settle("dark", NOT_PLACED)).toMatchObject({ ok: true, value: { state: "not_placed" } });
    expect(await usage()).toMatchObject({ open: "0", openOrders: 0 });
  });

  it("wins over that word where the exchange shows it later, and counts again", async () => {
    const looker = await lost();
    passes(41_000);
    await looker.desk.settle("dark", NOT_PLACED);
    expect(await world.proxy.deliverLate()).toEqual([201]);
    const found = await view(looker);
    expect(found).toMatchObject({ state: "open", order: { userref: "dark" } });
    expect(await stored()).toMatchObject({
      state: "open",
      held: "100000",
      isLive: true,
      body: { contradicted: true },
    });
    expect(await usage()).toMatchObject({ open: "100000", openOrders: 1 });
    const log = await unwrap(world.store.audit.recent({ limit: 20 }));
    expect(log.map(({ event }) => event)).toContain("appeared_late");
  });

  it("is found again by the status that lists what is open, where a person had said that it was not placed", async () => {
    const looker = await lost();
    passes(41_000);
    await looker.desk.settle("dark", NOT_PLACED);
    await world.proxy.deliverLate();
    await looker.desk.status();
    expect(await stored()).toMatchObject({ state: "open", isLive: true });
    expect((await looker.desk.status()).warnings.join()).not.toContain("not in this journal");
  });

  it("tells the person of an order alike under another name, and of money that no listed order explains", async () => {
    const looker = await lost();
    const other = await world.seat({ freshStore: true });
    await other.desk.place({ ...LIMIT_BUY, userref: "theirs" });
    await looker.desk.reconcile();
    expect((await view(looker)).evidence).toMatchObject({ in_open_list: true, locked_explained: true });
    passes(61_000);
    world.proxy.plan(/^GET \/v1\/orders\?.*state=open/, NONE_YET, 9);
    await looker.desk.reconcile();
    expect((await view(looker)).evidence).toMatchObject({ in_open_list: false, locked_explained: false });
  });
});
