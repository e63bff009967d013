/** What every store keeps around plans: what they reserve, who watches and when nobody did, and what is told, each thing once. */
import { expect, it } from "vitest";
import type { NewNotice, Notice } from "../../src/desk/index.ts";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";
import {
  ALERT,
  approvalOf,
  claimOf,
  DAY_MS,
  EXCHANGE_MS,
  NOW_MS,
  newPlan,
  planIdOf,
  RECURRING,
  STOP,
  settled,
  turn,
  watchClaim,
} from "./plan.ts";
import { activePlan } from "./plan-suite.ts";
import type { Place } from "./store-suite.ts";

const admitAll = () => undefined;
const CLAIM_MS = 10_000;

export function planUpkeepCases({ store, database }: Place): void {
  const plans = () => store().plans;
  const notices = () => store().notices;
  const reserved = async (atMs = EXCHANGE_MS, except?: { planId: string; step: number }) =>
    unwrap(plans().reserves("main", atMs, except));

  it("reserves what the planned steps of active plans may come to within a day, but for the step that asks", async () => {
    expect(await reserved()).toEqual({ value: "0", planIds: [] });
    await activePlan(plans(), 1);
    await unwrap(plans().record(newPlan(2), admitAll));
    const steps = [turn(1, EXCHANGE_MS + DAY_MS, { worstValue: "7" }), turn(2, EXCHANGE_MS + DAY_MS + 1)];
    await unwrap(plans().approve(approvalOf(planIdOf(2), { steps }), admitAll));
    await unwrap(plans().record(newPlan(3, { account: "another" }), admitAll));
    await activePlan(plans(), 4);
    await unwrap(plans().change({ planId: planIdOf(4), version: 2, to: "paused", atMs: NOW_MS }));
    const both = { unit: "KRW", planIds: [planIdOf(1), planIdOf(2)] };
    expect(await reserved()).toEqual({ value: "20007", ...both });
    expect(await reserved(EXCHANGE_MS - 1)).toEqual({ value: "10000", unit: "KRW", planIds: [planIdOf(1)] });
    expect(await reserved(EXCHANGE_MS + 1)).toEqual({ value: "30007", ...both });
    expect(await reserved(EXCHANGE_MS, { planId: planIdOf(1), step: 1 })).toEqual({ value: "10007", ...both });
    await unwrap(plans().claim(claimOf(planIdOf(1), 2)));
    expect(await reserved()).toEqual({ value: "10007", ...both });
    await unwrap(plans().settleStep(settled(planIdOf(1), 3, { planTo: "attention" })));
    expect(await reserved()).toEqual({ value: "7", unit: "KRW", planIds: [planIdOf(2)] });
  });

  it("counts what is reserved with what is used, also where a request is numbered, by the exchange's clock", async () => {
    const offsetMs = EXCHANGE_MS - NOW_MS;
    const usage = async (ahead = { offsetMs }) => unwrap(store().journal.usage("main", NOW_MS, ahead));
    expect((await usage()).reserved).toBeUndefined();
    await activePlan(plans(), 1);
    const both = { value: "20000", unit: "KRW", planIds: [planIdOf(1)] };
    expect((await usage()).reserved).toEqual(both);
    expect((await usage({ offsetMs: offsetMs - 1 })).reserved).toMatchObject({ value: "10000" });
    const seen: unknown[] = [];
    const begin = async (id: string) => {
      const send = { from: ["ready"], to: "sent", nonce: "1", held: "5", unit: "KRW" as const, offsetMs };
      const admit = ({ reserved: found }: { readonly reserved?: unknown }) => {
        seen.push(found);
        return { why: "only looked" };
      };
      await unwrap(store().journal.begin(id, send, admit, () => NOW_MS));
    };
    await unwrap(store().journal.record(newIntent("by hand")));
    await begin("by hand");
    const claimed = await unwrap(plans().claim(claimOf(planIdOf(1), 2)));
    if (!("written" in claimed)) throw new Error("not claimed");
    await begin(claimed.written.intent.intentId);
    expect(seen).toEqual([both, { ...both, value: "10000" }]);
  });

  it("adds up what is reserved exactly, beyond what a number holds, and of several units to nothing it could be taken for", async () => {
    const most = String(2 ** 53 - 1);
    await unwrap(plans().record(newPlan(1), admitAll));
    const steps = [1, 2, 3].map((n) => turn(n, EXCHANGE_MS, { worstValue: most }));
    await unwrap(plans().approve(approvalOf(planIdOf(1), { steps }), admitAll));
    expect(await reserved()).toMatchObject({ value: "27021597764222973", unit: "KRW" });
    await unwrap(plans().record(newPlan(2), admitAll));
    const dollars = [turn(1, EXCHANGE_MS, { worstValue: "1.5", unit: "USD" })];
    await unwrap(plans().approve(approvalOf(planIdOf(2), { steps: dollars }), admitAll));
    expect(await reserved()).toMatchObject({ unit: "mixed" });
  });

  it("lists plans by page, and the steps that are due", async () => {
    for (const n of [1, 2, 3]) await activePlan(plans(), n);
    await unwrap(plans().record(newPlan(4, { terms: { ...RECURRING, symbol: "ETH/KRW" } }), admitAll));
    await unwrap(plans().record(newPlan(5, { account: "another" }), admitAll));
    await unwrap(plans().change({ planId: planIdOf(2), version: 2, to: "canceled", atMs: NOW_MS }));
    const page = async (which: "open" | "ended" | "all", more: object = {}) => {
      const found = await unwrap(plans().page({ account: "main", which, limit: 2, ...more }));
      return found.map(({ planId }) => planId);
    };
    expect(await page("all")).toEqual([planIdOf(4), planIdOf(3)]);
    expect(await page("all", { before: planIdOf(3) })).toEqual([planIdOf(2), planIdOf(1)]);
    expect(await page("open", { before: planIdOf(4) })).toEqual([planIdOf(3), planIdOf(1)]);
    expect(await page("ended")).toEqual([planIdOf(2)]);
    expect(await page("all", { symbol: "ETH/KRW" })).toEqual([planIdOf(4)]);
    const open = await unwrap(plans().open("main"));
    expect(open.map(({ planId }) => planId)).toEqual([planIdOf(1), planIdOf(3), planIdOf(4)]);
    const due = async (byMs: number, limit = 9) => {
      const found = await unwrap(plans().due("main", byMs, limit));
      return found.map(({ planId, step }) => [planId, step]);
    };
    expect(await due(EXCHANGE_MS - 1)).toEqual([]);
    expect(await due(EXCHANGE_MS)).toEqual([
      [planIdOf(1), 1],
      [planIdOf(3), 1],
    ]);
    expect(await due(EXCHANGE_MS + DAY_MS, 3)).toEqual([
      [planIdOf(1), 1],
      [planIdOf(3), 1],
      [planIdOf(1), 2],
    ]);
    const older = await unwrap(plans().steps(planIdOf(1), 9, 2));
    expect(older.map(({ step }) => step)).toEqual([1]);
  });

  it("shows who admits a plan those that were made lately, ended or not, of its account alone", async () => {
    const at = (createdAtMs: number) => ({ createdAtMs });
    await unwrap(plans().record(newPlan(1, at(NOW_MS - 600_001)), admitAll));
    await unwrap(plans().record(newPlan(2, at(NOW_MS - 600_000)), admitAll));
    await unwrap(plans().change({ planId: planIdOf(2), version: 1, to: "canceled", atMs: NOW_MS }));
    await unwrap(plans().record(newPlan(3), admitAll));
    await unwrap(plans().record(newPlan(4, { account: "another" }), admitAll));
    const seen: unknown[] = [];
    const refused = await unwrap(
      plans().record(newPlan(5), ({ lately }) => {
        seen.push(...lately.map(({ planId, state }) => [planId, state]));
        return { no: true };
      }),
    );
    expect(refused).toEqual({ refused: { no: true } });
    const lately = [
      [planIdOf(3), "awaiting_approval"],
      [planIdOf(2), "canceled"],
    ];
    expect(seen).toEqual(lately);
    const read = await unwrap(plans().lately("main", NOW_MS - 600_000));
    expect(read.map(({ planId, state }) => [planId, state])).toEqual(lately);
  });

  it("has one that looks, until it leaves or does not renew, and tells the next when somebody looked last", async () => {
    const other = await database().open();
    const first = await unwrap(plans().takeWatch("main", watchClaim("a", 1_000)));
    expect(first).toEqual({
      watch: { holder: "a", leaseUntilMs: 6_000, sinceMs: 1_000, seenMs: 1_000 },
      isMine: true,
    });
    expect(await unwrap(other.plans.takeWatch("main", watchClaim("b", 5_999)))).toEqual({
      watch: first.watch,
      isMine: false,
    });
    const renewed = await unwrap(plans().takeWatch("main", watchClaim("a", 2_000, { goesOn: true })));
    expect(renewed.watch).toEqual({ holder: "a", leaseUntilMs: 7_000, sinceMs: 1_000, seenMs: 2_000 });
    expect(renewed).not.toHaveProperty("seenBeforeMs");
    // It has renewed since the other looked.
    const tooLate = watchClaim("b", 7_000, { overdue: first.watch });
    expect(await unwrap(other.plans.takeWatch("main", tooLate))).toMatchObject({ isMine: false });
    const taken = await unwrap(other.plans.takeWatch("main", watchClaim("b", 7_000, { overdue: renewed.watch })));
    expect(taken).toMatchObject({ watch: { holder: "b", sinceMs: 7_000 }, isMine: true, seenBeforeMs: 2_000 });
    const lost = watchClaim("a", 7_001, { goesOn: true });
    expect(await unwrap(plans().takeWatch("main", lost))).toMatchObject({ isMine: false });
    expect(await unwrap(plans().watch("main"))).toEqual(taken.watch);
    await unwrap(plans().leaveWatch("main", "a"));
    expect(await unwrap(plans().takeWatch("main", watchClaim("a", 7_002)))).toMatchObject({ isMine: false });
    await unwrap(other.plans.leaveWatch("main", "b"));
    expect(await unwrap(plans().takeWatch("main", watchClaim("a", 7_003)))).toMatchObject({
      isMine: true,
      seenBeforeMs: 7_000,
    });
    // It was frozen for a minute, and nobody else took over: what it did not see, it says.
    const woken = await unwrap(plans().takeWatch("main", watchClaim("a", 70_000)));
    expect(woken).toMatchObject({ watch: { sinceMs: 70_000 }, isMine: true, seenBeforeMs: 7_003 });
    expect(await unwrap(plans().watch("another"))).toBeUndefined();
    other.close();
  });

  it.each([-3_600_000, -10_000, 0, 10_000, 3_600_000])(
    "keeps who looks, to one whose clock is %i ms ahead of its own",
    async (aheadMs) => {
      const { watch } = await unwrap(plans().takeWatch("main", watchClaim("a", 5_000_000)));
      const asked = watchClaim("b", 5_000_000 + aheadMs);
      expect(await unwrap(plans().takeWatch("main", asked))).toEqual({ watch, isMine: false });
      const waited = { ...asked, overdue: watch };
      expect(await unwrap(plans().takeWatch("main", waited))).toMatchObject({ isMine: true });
    },
  );

  it("keeps when nobody watched a market, one gap at a time, and tells it once", async () => {
    await activePlan(plans(), 1);
    const gap = { account: "main", symbol: "BTC/KRW", fromMs: 100, why: "no stream" } as const;
    const told = new Map([[planIdOf(1), [{ type: "plan.gap", key: "100", body: { why: "no stream" } } as NewNotice]]]);
    const lasting = { ...gap, toMs: null };
    expect(await unwrap(plans().beginGap(gap, told, NOW_MS))).toEqual(lasting);
    expect(await unwrap(plans().beginGap({ ...gap, fromMs: 200 }, told, NOW_MS))).toEqual(lasting);
    expect(await unwrap(plans().gaps("main", 500, 9))).toEqual([lasting]);
    expect(await unwrap(plans().endGap({ ...gap, toMs: 300 }, new Map(), NOW_MS))).toBe(true);
    expect(await unwrap(plans().endGap({ ...gap, toMs: 400 }, new Map(), NOW_MS))).toBe(false);
    const ended = { ...gap, toMs: 300 };
    expect(await unwrap(plans().beginGap(gap, told, NOW_MS))).toEqual(ended);
    expect(await unwrap(plans().gaps("main", 300, 9))).toEqual([ended]);
    expect(await unwrap(plans().gaps("main", 301, 9))).toEqual([]);
    const log = await unwrap(store().audit.recent({ limit: 2 }));
    expect(log.map(({ event, detail }) => [event, detail["to_ms"]])).toEqual([
      ["plan_gap", 300],
      ["plan_gap", undefined],
    ]);
    const found = await unwrap(notices().recent({ account: "main", sinceMs: 0, limit: 9 }));
    expect(found.map(({ type, key }) => [type, key])).toEqual([["plan.gap", "100"]]);
  });

  it("tells each thing once, and gives it to one that delivers it", async () => {
    const fired = { type: "alert.fired", key: "1", body: { text: "호가 at \u0000 5" } } as const;
    await unwrap(plans().record(newPlan(1, { terms: ALERT, state: "active" }), admitAll));
    const change = { planId: planIdOf(1), notices: [fired, { ...fired, body: {} }], atMs: NOW_MS } as const;
    const trigger = { print: "5" };
    await unwrap(plans().change({ ...change, version: 1, to: "done", trigger }));
    expect(await unwrap(plans().change({ ...change, version: 2 }))).toEqual({ blocked: "changed" });
    const claim = {
      account: "main",
      claimMs: CLAIM_MS,
      sinceMs: 0,
      types: ["alert.fired", "plan.gap"],
      limit: 9,
    } as const;
    expect(await unwrap(notices().claimDue({ ...claim, nowMs: NOW_MS - 1 }))).toEqual([]);
    expect(await unwrap(notices().claimDue({ ...claim, nowMs: NOW_MS, sinceMs: NOW_MS + 1 }))).toEqual([]);
    expect(await unwrap(notices().claimDue({ ...claim, nowMs: NOW_MS, types: ["plan.gap"] }))).toEqual([]);
    const [given, ...others] = await unwrap(notices().claimDue({ ...claim, nowMs: NOW_MS }));
    expect(others).toEqual([]);
    expect(given).toMatchObject({ ...fired, planId: planIdOf(1), account: "main", atMs: NOW_MS, tries: 0 });
    expect(given?.noticeId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/);
    const other = await database().open();
    expect(await unwrap(other.notices.claimDue({ ...claim, nowMs: NOW_MS + CLAIM_MS - 1 }))).toEqual([]);
    expect(await unwrap(other.notices.claimDue({ ...claim, nowMs: NOW_MS + CLAIM_MS }))).toEqual([given]);
    expect(await unwrap(other.notices.delivered(given?.noticeId ?? "", NOW_MS + 5))).toBe(true);
    expect(await unwrap(notices().delivered(given?.noticeId ?? "", NOW_MS + 6))).toBe(false);
    expect(await unwrap(notices().failed(given?.noticeId ?? "", NOW_MS + 6))).toBeUndefined();
    expect(await unwrap(notices().claimDue({ ...claim, nowMs: NOW_MS + DAY_MS }))).toEqual([]);
    const said = (await unwrap(store().audit.recent({ limit: 4 }))).map(({ event }) => event);
    expect(said).toEqual(["notice_delivered", "plan_moved", "plan_triggered", "plan_recorded"]);
    other.close();
  });

  it("is due again after each failure, later each time, and is given up in the end", async () => {
    const told = [{ type: "plan.active", key: "2", body: {} }] as const;
    await activePlan(plans(), 1, { notices: told });
    let nowMs = NOW_MS;
    const waits: unknown[] = [];
    for (let tries = 0; tries < 7; tries++) {
      const claim = {
        account: "main",
        nowMs,
        claimMs: CLAIM_MS,
        sinceMs: 0,
        types: ["plan.active"],
        limit: 9,
      } as const;
      const [notice] = await unwrap(notices().claimDue(claim));
      expect(notice).toMatchObject({ tries, dueAtMs: nowMs });
      const failed = (await unwrap(notices().failed(notice?.noticeId ?? "", nowMs))) as Notice;
      waits.push(failed.dueAtMs === null ? "given up" : failed.dueAtMs - nowMs);
      if (failed.dueAtMs === null) break;
      expect(await unwrap(notices().claimDue({ ...claim, nowMs: failed.dueAtMs - 1 }))).toEqual([]);
      nowMs = failed.dueAtMs;
    }
    expect(waits).toEqual([5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, "given up"]);
    expect(await unwrap(notices().parked("main", 9))).toMatchObject([{ ...told[0], tries: 7, dueAtMs: null }]);
    expect(await unwrap(notices().parked("another", 9))).toEqual([]);
    const later = { account: "main", nowMs: nowMs + 100 * DAY_MS, claimMs: CLAIM_MS, sinceMs: 0, limit: 9 };
    expect(await unwrap(notices().claimDue({ ...later, types: ["plan.active"] }))).toEqual([]);
  });

  it("forgets what was told long ago, oldest first and a few at a time, but of plans that have not ended", async () => {
    const alert = { terms: ALERT, state: "active" } as const;
    const told = (key: string) => [{ type: "plan.gap", key, body: {} }] as const;
    for (const n of [1, 2]) await unwrap(plans().record(newPlan(n, { ...alert, notices: told("0") }), admitAll));
    await unwrap(plans().record(newPlan(3, { ...alert, account: "another", notices: told("0") }), admitAll));
    for (const [version, atMs] of [NOW_MS + 1, NOW_MS + 2, NOW_MS + 3].entries()) {
      const write = { planId: planIdOf(1), version: version + 1, notices: told(String(version + 1)), atMs };
      await unwrap(plans().change(version === 2 ? { ...write, to: "canceled" } : write));
    }
    await unwrap(plans().change({ planId: planIdOf(3), version: 1, to: "canceled", atMs: NOW_MS }));
    const kept = async () =>
      (await unwrap(notices().recent({ account: "main", sinceMs: 0, limit: 9 }))).map(({ planId, key }) =>
        planId === planIdOf(1) ? key : "open",
      );
    expect(await unwrap(notices().prune("main", NOW_MS, 9))).toBe(0);
    expect(await unwrap(notices().prune("main", NOW_MS + 3, 2))).toBe(2);
    expect((await kept()).toSorted()).toEqual(["2", "3", "open"]);
    expect(await unwrap(notices().prune("main", NOW_MS + 3, 9))).toBe(1);
    expect((await kept()).toSorted()).toEqual(["3", "open"]);
    expect(await unwrap(notices().prune("main", NOW_MS + 3, 9))).toBe(0);
    expect(await unwrap(notices().recent({ account: "another", sinceMs: 0, limit: 9 }))).toHaveLength(1);
    expect(await store().audit.verify()).toMatchObject({ ok: true });
  });

  it("forgets when nobody watched long ago, and nothing that lasts", async () => {
    const gap = (symbol: string, fromMs: number, account = "main") =>
      ({ account, symbol, fromMs, why: "clock" }) as const;
    const ended = [gap("BTC/KRW", 10), gap("ETH/KRW", 20), gap("BTC/KRW", 30), gap("BTC/KRW", 10, "another")];
    for (const each of ended) {
      await unwrap(plans().beginGap(each, new Map(), NOW_MS));
      await unwrap(plans().endGap({ ...each, toMs: each.fromMs + 5 }, new Map(), NOW_MS));
    }
    await unwrap(plans().beginGap(gap("ETH/KRW", 5), new Map(), NOW_MS));
    const left = async (account: string) =>
      (await unwrap(plans().gaps(account, 0, 9))).map(({ symbol, fromMs }) => `${symbol} ${fromMs}`);
    expect(await unwrap(plans().pruneGaps("main", 15, 9))).toBe(0);
    expect(await unwrap(plans().pruneGaps("main", 35, 1))).toBe(1);
    expect(await unwrap(plans().pruneGaps("main", 35, 9))).toBe(1);
    expect(await left("main")).toEqual(["BTC/KRW 30", "ETH/KRW 5"]);
    expect(await left("another")).toEqual(["BTC/KRW 10"]);
  });

  it("keeps what a plan is made of as it was given", async () => {
    const terms = { ...STOP, note: "내 말 \u0000 \ud800" } as const;
    await unwrap(plans().record(newPlan(1, { terms, progress: { why: "호가" } }), admitAll));
    const kept = JSON.parse(JSON.stringify(terms)) as object;
    expect(await unwrap(plans().byId(planIdOf(1)))).toMatchObject({ terms: kept, progress: { why: "호가" } });
    expect(await store().audit.verify()).toMatchObject({ ok: true });
  });
}
