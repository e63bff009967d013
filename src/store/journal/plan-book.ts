/**
 * The book of plans: what was asked for, what a person approved of it, how far it is, and who looks after it.
 *
 * Invariants: as the port says; `plan-writes.ts` keeps them.
 *
 * Source: decision 0105.
 */
import type { PlanBook, PlanPage } from "../../desk/index.ts";
import type { Connections } from "../sql/connection.ts";
import type { Bindable, Statements, Work } from "../sql/statement.ts";
import { resultOf } from "../sql/store-error.ts";
import { readReserves } from "./account-usage.ts";
import { planOf, STEP_COLUMNS, stepOf } from "./plan-rows.ts";
import { LATE_PLANS, OPEN_PLANS, PLANS, pauseBuying } from "./plan-stops.ts";
import { createPlanWatch } from "./plan-watch.ts";
import { OF_ACTIVE, PlanPen, type PlanPenParts } from "./plan-writes.ts";

const DUE = `${OF_ACTIVE} AND due_at_ms <= ? ORDER BY due_at_ms, plan_steps.plan_id, step LIMIT ?`;
const STEPS = `SELECT ${STEP_COLUMNS} FROM plan_steps WHERE plan_id = ? AND step < ? ORDER BY step DESC LIMIT ?`;
const CHILDREN = "plan_id = ? ORDER BY plan_step";

export function createPlanBook<State extends string, Body>(
  connections: Connections,
  { audit, killSwitch }: PlanPenParts,
): PlanBook<State, Body> {
  const { durable } = connections;
  const read = <T>(work: (statements: Statements) => Work<T>) => resultOf(durable.single(work));
  const pen = new PlanPen<State, Body>(audit, killSwitch);
  const { rows } = pen;
  const write = <T>(work: (statements: Statements) => Work<T>) => resultOf(durable.transaction(work));
  const plans = (sql: string, values: readonly Bindable[]) =>
    read(function* ({ all }) {
      return (yield* all(sql, values)).map(planOf);
    });
  const steps = (sql: string, values: readonly Bindable[]) =>
    read(function* ({ all }) {
      return (yield* all(sql, values)).map(stepOf);
    });
  return {
    record: (plan, admit) => write((statements) => pen.record(statements, plan, admit)),
    approve: (approval, admit) => write((statements) => pen.approve(statements, approval, admit)),
    claim: (claim) => write((statements) => pen.claim(statements, claim)),
    settleStep: (settlement) => write((statements) => pen.settle(statements, settlement)),
    change: (change, admit) => write((statements) => pen.change(statements, change, admit)),
    pauseAll: (account, why, atMs, meant) =>
      write((statements) => pauseBuying(statements, rows, { account, why, atMs, meant })),
    byId: (planId) => read((statements) => rows.find(statements, planId)),
    open: (account) => plans(OPEN_PLANS, [account]),
    lately: (account, sinceMs) => plans(LATE_PLANS, [account, sinceMs]),
    page: (page) => plans(...pageSql(page)),
    steps: (planId, limit, before = Number.MAX_SAFE_INTEGER) => steps(STEPS, [planId, before, limit]),
    due: (account, byMs, limit) => steps(DUE, [account, byMs, limit]),
    children: (planId) => read((statements) => pen.children(statements, CHILDREN, [planId])),
    reserves: (account, exchangeMs, except) =>
      read((statements) => readReserves(statements, account, exchangeMs, except)),
    ...createPlanWatch(connections, audit, rows),
  };
}

function pageSql({ account, which, symbol, before, limit }: PlanPage): [sql: string, values: readonly Bindable[]] {
  const conditions: [string, ...Bindable[]][] = [["account = ?", account]];
  if (which === "open") conditions.push(["ended_at_ms IS NULL"]);
  if (which === "ended") conditions.push(["ended_at_ms IS NOT NULL"]);
  if (symbol !== undefined) conditions.push(["symbol = ?", symbol]);
  if (before !== undefined) conditions.push(["plan_id < ?", before]);
  const where = conditions.map(([condition]) => condition).join(" AND ");
  const values = conditions.flatMap(([, ...given]) => given);
  return [`${PLANS} WHERE ${where} ORDER BY plan_id DESC LIMIT ?`, [...values, limit]];
}
