/**
 * Owns what an account has in use: the figures that budgets are held against, read from the intents themselves, so that no
 * counter can go astray.
 *
 * Invariants: sums are exact, however large; what is read inside a write transaction stays true until that ends; after the clock
 * was set back things count longer, never shorter.
 */
import { defined, isUnit, UNIT_DECIMALS, type Unit } from "../../contract/index.ts";
import type { AccountUsage, SetAside, Settled, StepOfPlan } from "../../desk/index.ts";
import {
  type Bindable,
  numberCell,
  optionalTextCell,
  type Row,
  type Statements,
  textCell,
  type Work,
} from "../sql/statement.ts";
import { StoreInvariantError } from "../sql/store-error.ts";

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Each part fits one partial index with all it needs in it; see `schema-steps.ts`. */
const USAGE = `SELECT open.held AS open_held, open.count AS open_orders, open.least AS open_unit, open.most AS open_most,
    settled.held AS settled_held, settled.least AS settled_unit, settled.most AS settled_most,
  (SELECT count(*) FROM intents
    WHERE account = ? AND sent_at_ms > ? AND sent_at_ms IS NOT NULL AND rowid <> ?) AS last_minute,
  (SELECT min(sent_at_ms) FROM intents
    WHERE account = ? AND sent_at_ms > ? AND sent_at_ms IS NOT NULL AND rowid <> ?) AS first_sent_at_ms
  FROM (SELECT CAST(coalesce(sum(held), 0) AS TEXT) AS held, count(*) AS count, min(unit) AS least, max(unit) AS most
    FROM intents WHERE account = ? AND held_live = 1 AND rowid <> ?) AS open,
  (SELECT CAST(coalesce(sum(held), 0) AS TEXT) AS held, min(unit) AS least, max(unit) AS most
    FROM intents WHERE account = ? AND held_at_ms > ? AND held_live = 0 AND held > 0 AND rowid <> ?) AS settled`;

/** No row has it. */
export const NO_ROW = 0;

/** @param exceptRow row id of an intent that does not count, as it is the one that asks. */
export function* readUsage(
  { get }: Statements,
  account: string,
  atMs: number,
  exceptRow = NO_ROW,
): Work<Pick<AccountUsage, "usage" | "unit" | "firstSentAtMs">> {
  const minuteMs = atMs - MINUTE_MS;
  const values: Bindable[] = [account, minuteMs, exceptRow, account, minuteMs, exceptRow, account, exceptRow];
  values.push(account, atMs - DAY_MS, exceptRow);
  const row = yield* get(USAGE, values);
  if (row === undefined) throw new StoreInvariantError("a sum has no row");
  const unit = unitOf(
    ["open_unit", "open_most", "settled_unit", "settled_most"].map((column) => unitCell(row, column)),
  );
  const open = BigInt(textCell(row, "open_held"));
  const usage = {
    day: heldText(open + BigInt(textCell(row, "settled_held")), unit),
    open: heldText(open, unit),
    openOrders: numberCell(row, "open_orders"),
    lastMinute: numberCell(row, "last_minute"),
  };
  const first = row["first_sent_at_ms"] === null ? undefined : numberCell(row, "first_sent_at_ms");
  return { usage, ...defined({ unit, firstSentAtMs: first }) };
}

/** Tells what a sum is in: undefined of nothing, and `mixed` where no unit is that of all of it. */
export function unitOf(units: readonly (Unit | undefined)[]): Unit | "mixed" | undefined {
  const [first, ...others] = new Set(units.filter((unit) => unit !== undefined));
  return others.length > 0 ? "mixed" : first;
}

export function unitCell(row: Row, column: string): Unit | undefined {
  const text = optionalTextCell(row, column);
  if (text === null) return undefined;
  if (!isUnit(text)) throw new StoreInvariantError(`"${text}" is no unit of account`);
  return text;
}

/** More than this many orders are seldom waited for, and every order that leaves reads them. */
const SETTLED_MAX = 100;
/** In the order of its index. */
const SETTLED = `SELECT held_at_ms, held, unit FROM intents
  WHERE account = ? AND held_at_ms > ? AND held_live = 0 AND held > 0 ORDER BY held_at_ms LIMIT ${SETTLED_MAX}`;

export function* readSettled({ all }: Statements, account: string, atMs: number): Work<readonly Settled[]> {
  return (yield* all(SETTLED, [account, atMs - DAY_MS])).map((row) => ({
    value: heldCell(row),
    atMs: numberCell(row, "held_at_ms"),
  }));
}

/** A sum as it is bound: whole steps of its unit. Larger ones than a number holds exactly are a mistake: there is not that much money. */
export function stepsOf(held: string, unit: Unit): number {
  const decimals = UNIT_DECIMALS[unit];
  const [, whole = "", fraction = ""] = /^(0|[1-9]\d{0,15})(?:\.(\d+))?$/.exec(held) ?? [];
  const text = fraction.length > decimals ? "" : whole && `${whole}${fraction.padEnd(decimals, "0")}`;
  const steps = text === "" ? Number.NaN : Number(text); // not money: refused unless exact
  if (!Number.isSafeInteger(steps))
    throw new StoreInvariantError(
      `"${held}" is no sum of ${unit} with at most ${decimals} decimals and 2^53 - 1 steps`,
    );
  return steps;
}

/** A sum as text, with all the decimals of its unit: without the point it is the number of steps. */
export function heldText(steps: bigint | number, unit: Unit | "mixed" | undefined): string {
  const decimals = unit === undefined || unit === "mixed" ? 0 : UNIT_DECIMALS[unit];
  if (decimals === 0) return String(steps);
  const digits = String(steps).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** What a row counts for. */
export function heldCell(row: Row): string {
  return heldText(numberCell(row, "held"), unitCell(row, "unit"));
}

/** First and last millisecond of what happened since a moment. After a clock that was set back since, what lies ahead happened before. */
export function sentWithin(sinceMs: number, nowMs: number): readonly [number, number] {
  return sinceMs <= nowMs ? [sinceMs, nowMs] : [nowMs, Number.MAX_SAFE_INTEGER];
}

/** By an index, which finds nothing where nothing is planned. */
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
