/** What is asked of the tables that grow for ever, such as audit log and fills, goes by an index: no look goes through all of their rows. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { createAudit } from "../../src/store/audit/audit.ts";
import { createFillLedger } from "../../src/store/journal/fill-ledger.ts";
import { createNotices } from "../../src/store/journal/notices.ts";
import { createPlanBook } from "../../src/store/journal/plan-book.ts";
import { createKillSwitch } from "../../src/store/safety/kill-switch.ts";
import { migrate } from "../../src/store/schema/migrations.ts";
import type { Connection } from "../../src/store/sql/connection.ts";
import { type FileConnection, openConnection } from "../../src/store/sql/driver.ts";
import type { Query, Statements, Work } from "../../src/store/sql/statement.ts";
import { textCell } from "../../src/store/sql/statement.ts";
import { unwrap } from "../fixture/result.ts";
import { numberedFill } from "./fill.ts";
import { approvalOf, claimOf, EXCHANGE_MS, newPlan, planIdOf, STOP, settled, watchClaim } from "./plan.ts";

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
async function queryPlans(): Promise<readonly string[]> {
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
  const found = await queryPlans();
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
  const found = await queryPlans();
  expect(found.filter((plan) => plan.includes("fills_bought"))).toHaveLength(1);
  // Of one millisecond alone, whose fills have no index by their numbers.
  expect(found.filter((plan) => !plan.startsWith("SEARCH"))).toEqual([
    "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY",
    "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY",
  ]);
});

it("finds plans, their steps and what is told by an index", async () => {
  const connection = noting();
  const audit = createAudit(connection);
  const plans = createPlanBook(
    { durable: connection, lazy: connection },
    { audit, killSwitch: createKillSwitch(connection, () => 1) },
  );
  const notices = createNotices(connection, audit);
  const admitAll = () => undefined;
  const id = planIdOf(1);
  const told = [{ type: "plan.active", key: "1", body: {} }] as const;
  await unwrap(plans.record(newPlan(1, { notices: told }), admitAll));
  await unwrap(plans.approve(approvalOf(id), admitAll));
  await unwrap(plans.record(newPlan(2, { terms: STOP }), admitAll));
  await unwrap(plans.claim(claimOf(id, 2)));
  await unwrap(plans.settleStep(settled(id, 3)));
  await unwrap(
    plans.change({ planId: id, version: 4, to: "paused", dropped: { steps: [2], to: "missed", why: "" }, atMs: 1 }),
  );
  for (const which of ["open", "ended", "all"] as const)
    await unwrap(plans.page({ account: "main", which, symbol: "BTC/KRW", before: id, limit: 9 }));
  await unwrap(plans.open("main"));
  await unwrap(plans.pauseAll("main", "", 1));
  await unwrap(plans.steps(id, 9));
  await unwrap(plans.due("main", EXCHANGE_MS, 9));
  await unwrap(plans.children(id));
  await unwrap(plans.reserves("main", EXCHANGE_MS));
  await unwrap(plans.takeWatch("main", watchClaim("a", 1)));
  await unwrap(plans.gaps("main", 1, 9));
  const [due] = await unwrap(
    notices.claimDue({ account: "main", nowMs: EXCHANGE_MS, claimMs: 1, sinceMs: 0, types: ["plan.active"], limit: 9 }),
  );
  await unwrap(notices.failed(due?.noticeId ?? "", 1));
  await unwrap(notices.delivered(due?.noticeId ?? "", 1));
  await unwrap(notices.recent({ account: "main", sinceMs: 0, limit: 9 }));
  await unwrap(plans.beginGap({ account: "main", symbol: "BTC/KRW", fromMs: 1, why: "clock" }, new Map(), 1));
  await unwrap(plans.endGap({ account: "main", symbol: "BTC/KRW", fromMs: 1, toMs: 2 }, new Map(), 1));
  await unwrap(plans.change({ planId: id, version: 6, to: "canceled", atMs: 1 }));
  expect(await unwrap(plans.pruneGaps("main", 9, 9))).toBe(1);
  expect(await unwrap(notices.prune("main", EXCHANGE_MS, 9))).toBeGreaterThan(0);
  const found = await queryPlans();
  expect(found.filter((plan) => plan.includes("plan_steps_due")).length).toBeGreaterThan(0);
  expect(found.filter((plan) => plan.includes("notices_told (account=? AND at_ms<?)")).length).toBeGreaterThan(0);
  expect(found.filter((plan) => /^SCAN (plan|intents|notices|audit)/.test(plan))).toEqual([]);
});
