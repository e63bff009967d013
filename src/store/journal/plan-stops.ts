/** What stops plans besides the changes of one: canceling everything, and a halt. */
import type { Side } from "../../contract/index.ts";
import type { PlanRecord, PlansMeant, PlansPaused, PlanTerms } from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Statements, Work } from "../sql/statement.ts";
import { PLAN_COLUMNS, PlanRows, planOf } from "./plan-rows.ts";

export const PLANS = `SELECT ${PLAN_COLUMNS} FROM plans`;
export const OPEN_PLANS = `${PLANS} WHERE account = ? AND ended_at_ms IS NULL ORDER BY plan_id`;
/** More than can be made in that time, and no walk through all that ever were. */
const NEWEST = "SELECT plan_id FROM plans WHERE account = ? ORDER BY plan_id DESC LIMIT 1000";
export const LATE_PLANS = `${PLANS} WHERE plan_id IN (${NEWEST}) AND created_at_ms >= ? ORDER BY plan_id DESC`;
const OPEN_OF_ALL = `${PLANS} WHERE ended_at_ms IS NULL AND state IN ('active', 'awaiting_approval') ORDER BY account, plan_id`;

interface Stop {
  readonly why: string;
  readonly atMs: number;
}

/** What canceling everything does, or all of a market or side: what may buy stands still, what waits for a person is taken back. What protects goes on. */
export function* pauseBuying(
  statements: Statements,
  rows: PlanRows,
  { account, why, atMs, meant }: Stop & { readonly account: string; readonly meant?: PlansMeant | undefined },
): Work<PlansPaused> {
  const open = (yield* statements.all(OPEN_PLANS, [account])).map(planOf).filter((plan) => isMeant(plan, meant));
  const found = { paused: [] as PlanRecord[], withdrawn: [] as PlanRecord[], kept: [] as PlanRecord[] };
  for (const plan of open) {
    if (plan.state === "awaiting_approval") {
      found.withdrawn.push(yield* stop(statements, rows, plan, { to: "canceled", why, atMs }));
    } else if (plan.state === "active" && mayBuy(plan.terms)) {
      found.paused.push(yield* stop(statements, rows, plan, { to: "paused", why, atMs }));
    } else if (plan.state === "active") found.kept.push(plan);
  }
  return found;
}

/** A basket sells so that it can buy: it stands still as one. */
function mayBuy(terms: PlanTerms): boolean {
  return terms.kind === "rebalance" || ("side" in terms && terms.side === "buy");
}

/** An alert has no side, and is of none; a basket is of each of its orders. */
function isMeant({ terms }: PlanRecord, { symbol, side }: PlansMeant = {}): boolean {
  if (terms.kind === "rebalance")
    return terms.orders.some((own) => (symbol ?? own.symbol) === own.symbol && (side ?? own.side) === own.side);
  const own = { symbol: "symbol" in terms ? terms.symbol : undefined, side: sideOf(terms) };
  return (symbol ?? own.symbol) === own.symbol && (side ?? own.side) === own.side;
}

function sideOf(terms: PlanTerms): Side | undefined {
  if ("side" in terms) return terms.side;
  return terms.kind === "alert" ? undefined : "sell";
}

/**
 * What a halt does: nothing of the store goes on, whosever it is, and nothing that waited is begun by a yes that comes later.
 * @param found told how many there are, before any is written
 */
export function* haltPlans(
  statements: Statements,
  audit: AuditWriter,
  { why, atMs, found }: Stop & { readonly found: ((count: number) => void) | undefined },
): Work<void> {
  const plans = (yield* statements.all(OPEN_OF_ALL, [])).map(planOf);
  found?.(plans.length);
  if (plans.length === 0) return;
  const rows = new PlanRows(audit);
  for (const plan of plans)
    yield* stop(statements, rows, plan, { to: plan.state === "active" ? "paused" : "lapsed", why, atMs });
}

function stop(
  statements: Statements,
  rows: PlanRows,
  plan: PlanRecord,
  { to, why, atMs }: Stop & { readonly to: "paused" | "lapsed" | "canceled" },
): Work<PlanRecord> {
  const type = to === "paused" ? "plan.paused" : "plan.ended";
  const notices = [{ type, key: String(plan.version + 1), body: { state: to, why } }] as const;
  const progress = { ...plan.progress, why };
  return rows.move(statements, plan, { to, progress, events: [{ event: "plan_moved" }], notices, atMs });
}
