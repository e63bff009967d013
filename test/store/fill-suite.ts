/** What every store keeps of fills: each once, with how far they were read, in one process and in several. */
import { expect, it } from "vitest";
import type { LedgerPass } from "../../src/desk/index.ts";
import { unwrap } from "../fixture/result.ts";
import { FILLS_PER_PAGE, keptFills, numberedFill } from "./fill.ts";
import type { Place } from "./store-suite.ts";

const pass: LedgerPass = { fromMs: 0, newestMs: 9, cursor: "c" };

export function fillCases({ store, database, workers }: Place): void {
  const ledger = () => store().fills;
  const idsOf = async (account = "a") => (await keptFills(ledger(), account)).map(({ tradeId }) => tradeId);

  it("keeps each fill once, as it was first seen, in the order of their times and numbers", async () => {
    const late = numberedFill(8, { atMs: 5 });
    expect(await unwrap(ledger().keep("a", [numberedFill(10, { atMs: 9 }), numberedFill(9)], { pass }))).toBe(2);
    expect(await unwrap(ledger().keep("a", [numberedFill(9, { fee: "7" }), late], { pass }))).toBe(1);
    expect(await keptFills(ledger(), "a")).toEqual([late, numberedFill(9), numberedFill(10, { atMs: 9 })]);
    expect(await idsOf("b")).toEqual([]);
  });

  it("gives them page by page, also those of one millisecond, and those that were bought in one market", async () => {
    const of = (n: number, more = {}) => numberedFill(n, { atMs: 5, ...more });
    const all = [
      of(2),
      of(9, { side: "sell" }),
      of(10),
      of(10, { orderId: "z" }),
      of(11, { symbol: "ETH/KRW" }),
      numberedFill(8),
    ];
    await unwrap(ledger().keep("a", [...all].reverse(), { pass }));
    await unwrap(ledger().keep("b", [numberedFill(1)], { pass }));
    for (const limit of [1, 2, 6, 7]) expect(await keptFills(ledger(), "a", limit)).toEqual(all);
    const page = (atMs: number, tradeId: string, bought = "BTC/KRW") =>
      unwrap(ledger().page("a", { after: { atMs, tradeId, orderId: "o10" }, limit: 3, bought }));
    expect(await page(0, "")).toEqual([all[0], all[2], all[3]]);
    expect(await page(5, "10")).toEqual([all[3], all[5]]);
    expect(await page(6, "", "ETH/KRW")).toEqual([]);
  });

  it("knows a fill by its trade and its order, as an account may trade with itself", async () => {
    const both = [numberedFill(1), numberedFill(1, { orderId: "other", side: "sell" })];
    expect(await unwrap(ledger().keep("a", both, { pass }))).toBe(2);
    expect(await idsOf()).toEqual(["1", "1"]);
  });

  it("knows how far it was read, until the end, and never less than before", async () => {
    expect(await unwrap(ledger().progress("a"))).toEqual({
      doneToMs: undefined,
      wholeAtMs: undefined,
      pass: undefined,
      revision: 0,
    });
    await unwrap(ledger().keep("a", [], { pass }));
    expect(await unwrap(ledger().progress("a"))).toEqual({
      doneToMs: undefined,
      wholeAtMs: undefined,
      pass,
      revision: 0,
    });
    await unwrap(ledger().keep("a", [], { doneToMs: undefined }));
    expect(await unwrap(ledger().progress("a"))).toEqual({
      doneToMs: undefined,
      wholeAtMs: undefined,
      pass: undefined,
      revision: 0,
    });
    for (const doneToMs of [9, 7, undefined]) await unwrap(ledger().keep("a", [], { doneToMs }));
    await unwrap(ledger().keep("a", [], { doneToMs: 8, wholeAtMs: 5 }));
    await unwrap(ledger().keep("a", [], { doneToMs: 8 }));
    await unwrap(ledger().keep("a", [], { pass }));
    expect(await unwrap(ledger().progress("a"))).toEqual({ doneToMs: 9, wholeAtMs: 5, pass, revision: 0 });
    expect(await unwrap(ledger().progress("b"))).toEqual({
      doneToMs: undefined,
      wholeAtMs: undefined,
      pass: undefined,
      revision: 0,
    });
  });

  it("keeps of which time nothing was read, with the end of the reading that found it, each once", async () => {
    await unwrap(ledger().keep("a", [], { doneToMs: 9, unread: { fromMs: 5, toMs: 8 } }));
    await unwrap(ledger().keep("a", [], { doneToMs: 9, unread: { fromMs: 0, toMs: 3 } }));
    // Of another process, which found the same a moment later.
    await unwrap(ledger().keep("a", [], { doneToMs: 9, unread: { fromMs: 5, toMs: 9 } }));
    await unwrap(ledger().keep("a", [], { doneToMs: 9 }));
    expect(await unwrap(ledger().unread("a"))).toEqual([
      { fromMs: 0, toMs: 3 },
      { fromMs: 5, toMs: 8 },
    ]);
    expect(await unwrap(ledger().unread("b"))).toEqual([]);
  });

  it("keeps nothing of a page whose progress cannot be kept", async () => {
    const broken = { pass: { ...pass, cursor: undefined as unknown as string } };
    await expect(ledger().keep("a", [numberedFill(1)], broken)).rejects.toThrow("cannot be bound");
    expect(await idsOf()).toEqual([]);
  });

  it("moves to the account that another was found to be, once each", async () => {
    await unwrap(store().accounts.accountOf(["key"], "a", 1));
    await unwrap(store().accounts.accountOf(["other key"], "b", 1));
    await unwrap(ledger().keep("a", [numberedFill(1), numberedFill(2)], { doneToMs: 2 }));
    await unwrap(
      ledger().keep("b", [numberedFill(2), numberedFill(3)], { doneToMs: 3, unread: { fromMs: 0, toMs: 1 } }),
    );
    for (const account of ["a", "b"])
      await unwrap(
        ledger().keepMark(account, { kind: "k", toMs: 1, count: 1, state: "" }, { revision: 0, isLasting: true }),
      );
    expect(await unwrap(store().accounts.accountOf(["key", "other key"], "a", 2))).toBe("a");
    expect(await idsOf("a")).toEqual(["1", "2", "3"]);
    expect(await idsOf("b")).toEqual([]);
    expect(await unwrap(ledger().progress("a"))).toMatchObject({ doneToMs: 2, revision: 1 });
    expect(await unwrap(ledger().unread("a"))).toEqual([{ fromMs: 0, toMs: 1 }]);
    expect(await unwrap(ledger().unread("b"))).toEqual([]);
    for (const account of ["a", "b"]) expect(await unwrap(ledger().mark(account, "k", 99))).toBeUndefined();
  });

  it("keeps marks by what is computed, those that last and the newest of the others", async () => {
    await unwrap(ledger().keep("a", [numberedFill(1), numberedFill(20)], { doneToMs: 20 }));
    const mark = (toMs: number, state: string, kind = "k") => ({ kind, toMs, count: toMs, state });
    const keep = (toMs: number, isLasting: boolean, kind = "k") =>
      unwrap(ledger().keepMark("a", mark(toMs, `${toMs}`, kind), { revision: 0, isLasting }));
    for (const [toMs, isLasting] of [
      [3, false],
      [5, true],
      [8, false],
      [8, true],
      [12, false],
      [14, false],
    ] as const)
      await keep(toMs, isLasting);
    await keep(9, false, "other");
    const found = (toMs: number, account = "a") => unwrap(ledger().mark(account, "k", toMs));
    expect(await Promise.all([4, 5, 7, 13, 14, 99].map((toMs) => found(toMs)))).toEqual(
      [undefined, 5, 5, 8, 14, 14].map((toMs) => toMs && mark(toMs, `${toMs}`)),
    );
    expect(await found(99, "b")).toBeUndefined();
  });

  it("takes a mark away where a fill comes in behind it, and keeps none that was computed before that", async () => {
    await unwrap(ledger().keep("a", [numberedFill(1), numberedFill(20)], { doneToMs: 20 }));
    const keep = (toMs: number, revision: number) =>
      unwrap(ledger().keepMark("a", { kind: "k", toMs, count: 1, state: "" }, { revision, isLasting: true }));
    for (const toMs of [3, 8, 14]) await keep(toMs, 0);
    const marked = async () => (await unwrap(ledger().mark("a", "k", 99)))?.toMs;
    const revision = async () => (await unwrap(ledger().progress("a"))).revision;
    // A newer one, and one that was there, are behind none.
    await unwrap(ledger().keep("a", [numberedFill(21), numberedFill(1)], { doneToMs: 21 }));
    expect([await marked(), await revision()]).toEqual([14, 0]);
    await unwrap(ledger().keep("a", [numberedFill(8), numberedFill(22)], { pass }));
    expect([await marked(), await revision()]).toEqual([3, 1]);
    await keep(14, 0);
    expect(await marked()).toBe(3);
    await keep(14, 1);
    expect(await marked()).toBe(14);
    // Of one millisecond nobody knows which came first.
    await unwrap(ledger().keep("a", [numberedFill(22, { orderId: "z" })], { pass }));
    expect([await marked(), await revision()]).toEqual([14, 2]);
  });

  it("keeps every fill once while several processes keep the same", async () => {
    const location = database().location;
    const jobs = Array.from(
      { length: 4 },
      () => ({ role: "keep-fills", location, pages: 30, atMs: Date.now() + 500 }) as const,
    );
    const added = await workers().run<number>(jobs);
    expect(added.reduce((sum, each) => sum + each, 0)).toBe(30 * FILLS_PER_PAGE);
    expect(await idsOf()).toEqual(Array.from({ length: 30 * FILLS_PER_PAGE }, (_, at) => String(at + 1)));
    expect(await unwrap(ledger().progress("a"))).toEqual({
      doneToMs: 30 * FILLS_PER_PAGE,
      wholeAtMs: undefined,
      pass: undefined,
      // Each page but the first is older.
      revision: 29,
    });
  }, 30_000);

  it("has whole pages and the progress made with them after a process was killed, wherever it was", async () => {
    const pages = 2_000;
    const worker = workers().start({
      role: "keep-fills",
      location: database().location,
      pages,
      atMs: 0,
      tellEach: true,
    });
    await worker.first;
    await worker.kill();
    const kept = await idsOf();
    const { pass: left } = await unwrap(ledger().progress("a"));
    const page = Number(left?.cursor); // not money: a page
    expect(page).toBeGreaterThan(0);
    expect(page).toBeLessThan(pages);
    expect(kept).toHaveLength(page * FILLS_PER_PAGE);
    expect(kept[0]).toBe(String((pages - page) * FILLS_PER_PAGE + 1));
  }, 30_000);
}
