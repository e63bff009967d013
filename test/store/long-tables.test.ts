/** What is asked of the tables that grow for ever, audit log and fills, goes by an index: no look goes through all of their rows. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { createAudit } from "../../src/store/audit/audit.ts";
import { createFillLedger } from "../../src/store/journal/fill-ledger.ts";
import { migrate } from "../../src/store/schema/migrations.ts";
import type { Connection } from "../../src/store/sql/connection.ts";
import { type FileConnection, openConnection } from "../../src/store/sql/driver.ts";
import type { Query, Statements, Work } from "../../src/store/sql/statement.ts";
import { textCell } from "../../src/store/sql/statement.ts";
import { unwrap } from "../fixture/result.ts";
import { numberedFill } from "./fill.ts";

let real: FileConnection;
const asked: Query[] = [];
/** Notes what is asked. */
const noting = (): Connection => {
  const heard = <T>(work: (statements: Statements) => Work<T>) =>
    function* (statements: Statements): Work<T> {
      const running = work(statements);
      for (let step = running.next(); ; ) {
        if (step.done === true) return step.value;
        asked.push(...step.value);
        step = running.next(yield step.value);
      }
    };
  const { path, catalog } = real;
  const transaction: Connection["transaction"] = (work, limit) => real.transaction(heard(work), limit);
  const single: Connection["single"] = (work, limit) => real.single(heard(work), limit);
  return { path, catalog, closed: false, waitingMs: () => 0, close: () => {}, transaction, single };
};
beforeEach(async () => {
  real = await openConnection(":memory:", { journal: "wal", durability: "full", random: Math.random });
  await migrate(real, 1);
  asked.length = 0;
});
afterEach(() => real.close());

/** How each statement that was asked finds its rows; those that only add have no plan. */
async function plans(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { sql, values } of asked) {
    const rows = await real.single(({ all }) => all(`EXPLAIN QUERY PLAN ${sql}`, values));
    found.push(...rows.map((row) => textCell(row, "detail")));
  }
  return found;
}

it("finds what is asked of the audit log by an index", async () => {
  const audit = createAudit(noting());
  const pages = [{ account: "a" }, { account: "a", beforeSeq: 9 }, { account: "a", sinceMs: 5 }];
  const ids = [
    { account: "a", intentId: "i" },
    { account: "a", orderId: "o" },
  ];
  for (const query of [...pages, ...ids]) await unwrap(audit.recent({ ...query, limit: 100 }));
  await unwrap(audit.append({ event: "seen", account: "a", detail: {} }, 1));
  const found = await plans();
  expect(found.filter((plan) => plan.includes("audit_by_account"))).toHaveLength(3);
  expect(found.filter((plan) => !plan.startsWith("SEARCH"))).toEqual([]);
});

it("finds fills and marks by an index", async () => {
  const ledger = createFillLedger(noting());
  await unwrap(ledger.keep("a", [numberedFill(1), numberedFill(5)], { doneToMs: 5 }));
  await unwrap(ledger.keep("a", [numberedFill(2)], { doneToMs: 5 }));
  await unwrap(ledger.keepMark("a", { kind: "k", toMs: 1, count: 1, state: "" }, { revision: 1, isLasting: false }));
  await unwrap(ledger.mark("a", "k", 9));
  await unwrap(ledger.progress("a"));
  const after = { atMs: 1, tradeId: "", orderId: "" };
  await unwrap(ledger.page("a", { after, limit: 9 }));
  await unwrap(ledger.page("a", { after, limit: 9, bought: "BTC/KRW" }));
  const found = await plans();
  expect(found.filter((plan) => plan.includes("fills_bought"))).toHaveLength(1);
  // Of one millisecond alone, whose fills have no index by their numbers.
  expect(found.filter((plan) => !plan.startsWith("SEARCH"))).toEqual([
    "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY",
    "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY",
  ]);
});
