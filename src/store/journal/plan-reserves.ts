/**
 * What the steps of an account's active plans are to use of the budget of the day.
 *
 * Invariant: one read by an index, which finds nothing where nothing is planned.
 *
 * Source: decision 0106.
 */
import { defined } from "../../contract/index.ts";
import type { SetAside, StepOfPlan } from "../../desk/index.ts";
import { type Statements, textCell, type Work } from "../sql/statement.ts";
import { DAY_MS, heldText, unitCell, unitOf } from "./account-usage.ts";

const RESERVED = `SELECT plans.plan_id, CAST(sum(worst_value) AS TEXT) AS value, min(unit) AS least, max(unit) AS most
  FROM plan_steps JOIN plans ON plans.plan_id = plan_steps.plan_id
  WHERE plan_steps.account = ? AND plan_steps.state = 'planned' AND due_at_ms <= ? AND plans.state = 'active'
  AND NOT (plan_steps.plan_id = ? AND step = ?) GROUP BY plans.plan_id ORDER BY plans.plan_id`;

/** @param except the step that asks */
export function* readReserves(
  { all }: Statements,
  account: string,
  exchangeMs: number,
  except: StepOfPlan = { planId: "", step: 0 },
): Work<SetAside> {
  const found = yield* all(RESERVED, [account, exchangeMs + DAY_MS, except.planId, except.step]);
  const unit = unitOf(found.flatMap((row) => ["least", "most"].map((column) => unitCell(row, column))));
  const steps = found.reduce((sum, row) => sum + BigInt(textCell(row, "value")), 0n);
  return { value: heldText(steps, unit), planIds: found.map((row) => textCell(row, "plan_id")), ...defined({ unit }) };
}
