/** What every store keeps of fills: each once, with how far they were read, in one process and in several. */
import { expect, it } from "vitest";
import type { LedgerPass } from "../../src/desk/index.ts";
import { unwrap } from "../fixture/result.ts";
import { FILLS_PER_PAGE, numberedFill } from "./fill.ts";
import type { Place } from "./store-suite.ts";

const pass: LedgerPass = { fromMs: 0, newestMs: 9, cursor: "c" };

export function fillCases({ store, database, workers }: Place): void {
  const ledger = () => store().fills;
  const idsOf = async (account = "a") => (await unwrap(ledger().fills(account))).map(({ tradeId }) => tradeId);

  it("keeps each fill once, as it was first seen, in the order of their times and numbers", async () => {
    const late = numberedFill(8, { atMs: 5 });
    expect(await unwrap(ledger().keep("a", [numberedFill(10, { atMs: 9 }), numberedFill(9)], { pass }))).toBe(2);
    expect(await unwrap(ledger().keep("a", [numberedFill(9, { fee: "7" }), late], { pass }))).toBe(1);
    expect(await unwrap(ledger().fills("a"))).toEqual([late, numberedFill(9), numberedFill(10, { atMs: 9 })]);
    expect(await idsOf("b")).toEqual([]);
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
    });
    await unwrap(ledger().keep("a", [], { pass }));
    expect(await unwrap(ledger().progress("a"))).toEqual({ doneToMs: undefined, wholeAtMs: undefined, pass });
    await unwrap(ledger().keep("a", [], { doneToMs: undefined }));
    expect(await unwrap(ledger().progress("a"))).toEqual({
      doneToMs: undefined,
      wholeAtMs: undefined,
      pass: undefined,
    });
    for (const doneToMs of [9, 7, undefined]) await unwrap(ledger().keep("a", [], { doneToMs }));
    await unwrap(ledger().keep("a", [], { doneToMs: 8, wholeAtMs: 5 }));
    await unwrap(ledger().keep("a", [], { doneToMs: 8 }));
    await unwrap(ledger().keep("a", [], { pass }));
    expect(await unwrap(ledger().progress("a"))).toEqual({ doneToMs: 9, wholeAtMs: 5, pass });
    expect(await unwrap(ledger().progress("b"))).toEqual({
      doneToMs: undefined,
      wholeAtMs: undefined,
      pass: undefined,
    });
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
    await unwrap(ledger().keep("b", [numberedFill(2), numberedFill(3)], { doneToMs: 3 }));
    expect(await unwrap(store().accounts.accountOf(["key", "other key"], "a", 2))).toBe("a");
    expect(await idsOf("a")).toEqual(["1", "2", "3"]);
    expect(await idsOf("b")).toEqual([]);
    expect((await unwrap(ledger().progress("a"))).doneToMs).toBe(2);
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
