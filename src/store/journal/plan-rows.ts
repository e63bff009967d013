/**
 * The rows of plans, their steps and what they tell, inside a transaction: read, made, moved, each write with its entries in the audit log.
 *
 * Invariants: a plan is written only by its version, which rises each time, and leaves no final state; what is left of the steps of one that has ended is
 * skipped with it. Every entry says the plan's state and version behind it; what was approved is in the log by its digest.
 */
import { createHash } from "node:crypto";
import type {
  AuditDetail,
  Mandate,
  NewNotice,
  NewPlan,
  NewStep,
  PlanAsked,
  PLAN_MOVES as PlanMoves,
  PlanProgress,
  PlanRecord,
  PlanState,
  PlanStep,
  PlanTerms,
  STEP_MOVES as StepMoves,
  StepState,
} from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import { planSum } from "../audit/audit-check.ts";
import {
  type Bindable,
  numberCell,
  optionalTextCell,
  type Row,
  type Statements,
  textCell,
  together,
  type Work,
} from "../sql/statement.ts";
import { StoreInvariantError } from "../sql/store-error.ts";
import { heldText, stepsOf, unitCell } from "./account-usage.ts";

/** The tables of the desk, word for word as their types say: the store imports nothing of it but types, and moves nothing that they do not. */
const PLAN_MOVES: typeof PlanMoves = {
  awaiting_approval: ["active", "denied", "lapsed", "canceled"],
  active: ["paused", "attention", "done", "canceled", "expired", "replaced"],
  paused: ["active", "canceled", "expired", "replaced"],
  attention: ["active", "canceled", "expired", "replaced"],
  ...{ denied: [], lapsed: [], done: [], canceled: [], expired: [], replaced: [] },
};
const STEP_MOVES: typeof StepMoves = {
  planned: ["claimed", "missed", "denied", "skipped"],
  claimed: ["done", "nothing", "rejected", "denied", "not_placed", "unknown"],
  unknown: ["done", "nothing", "rejected", "not_placed"],
  ...{ done: [], nothing: [], rejected: [], denied: [], not_placed: [], missed: [], skipped: [] },
};

export function isFinal(state: PlanState): boolean {
  return PLAN_MOVES[state].length === 0;
}

export const PLAN_COLUMNS = `plans.plan_id, plans.account, plans.state, version, terms, mandate, progress, asked, open_step, replaces,
  until_ms, created_at_ms, plans.updated_at_ms, ended_at_ms`;
export const STEP_COLUMNS = `plan_steps.plan_id, step, label, plan_steps.symbol, side, plan_steps.state, due_at_ms, worst_value, unit,
  plan_steps.volume, intent_id, result, claimed_at_ms, plan_steps.updated_at_ms`;
const PLAN = `SELECT ${PLAN_COLUMNS} FROM plans WHERE plan_id = ?`;
const STEP = `SELECT ${STEP_COLUMNS} FROM plan_steps WHERE plan_id = ? AND step = ?`;
const ADD_PLAN = `INSERT INTO plans (plan_id, account, kind, symbol, state, version, terms, mandate, progress, asked, protects, volume, replaces,
  until_ms, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const MOVE_PLAN = `UPDATE plans SET state = ?, version = version + 1, mandate = ?, progress = ?, asked = ?, open_step = ?, until_ms = ?,
  updated_at_ms = ?, ended_at_ms = ? WHERE plan_id = ? AND version = ?`;
const ADD_STEP = `INSERT INTO plan_steps (plan_id, step, account, label, symbol, side, state, due_at_ms, worst_value, unit, volume, intent_id,
  result, claimed_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}', ?, ?)`;
const CLAIM_STEP = `UPDATE plan_steps SET state = 'claimed', intent_id = ?, claimed_at_ms = ?, updated_at_ms = ?
  WHERE plan_id = ? AND step = ? AND state = 'planned'`;
const END_STEP =
  "UPDATE plan_steps SET state = ?, result = ?, updated_at_ms = ? WHERE plan_id = ? AND step = ? AND state = ?";
const SKIP_LEFT = `UPDATE plan_steps SET state = 'skipped', updated_at_ms = ? WHERE plan_id = ? AND state = 'planned'`;
const TELL = `INSERT INTO notices (notice_id, account, plan_id, type, key, body, at_ms, due_at_ms, tries, claimed_until_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0) ON CONFLICT (plan_id, type, key) DO NOTHING`;

/** An entry of the log; what it says of the plan is added to it. */
export interface PlanEvent {
  readonly event: string;
  readonly detail?: AuditDetail;
}

/** What changes of a plan; what is not named stays. */
export interface PlanMove extends Partial<Pick<PlanRecord, "mandate" | "progress" | "asked" | "openStep" | "untilMs">> {
  readonly to?: PlanState;
  /** In their order; the last says what moved. */
  readonly events: readonly PlanEvent[];
  readonly notices?: readonly NewNotice[] | undefined;
  readonly atMs: number;
}

/** What is asked that makes a plan so: by the time that it is, nobody has to say yes to it. */
const ASKED_FOR: Partial<Record<PlanState, PlanAsked["action"]>> = { paused: "pause", active: "resume" };

export class PlanRows {
  readonly #audit: AuditWriter;

  constructor(audit: AuditWriter) {
    this.#audit = audit;
  }

  *find({ get }: Statements, planId: string): Work<PlanRecord | undefined> {
    const row = yield* get(PLAN, [planId]);
    return row && planOf(row);
  }

  *step({ get }: Statements, planId: string, step: number): Work<PlanStep | undefined> {
    const row = yield* get(STEP, [planId, step]);
    return row && stepOf(row);
  }

  /** @throws StoreInvariantError for one that begins in another state than a plan can */
  *insert(statements: Statements, plan: NewPlan): Work<PlanRecord> {
    const { planId, account, terms, state, mandate, progress, asked, replaces, untilMs, createdAtMs: atMs } = plan;
    const isAlert = terms.kind === "alert";
    if ((mandate === null) !== (state === "awaiting_approval" || isAlert))
      throw new StoreInvariantError("an active plan has a mandate, and no other has");
    const told = JSON.stringify(terms);
    const kept = mandate === null ? null : JSON.stringify(mandate);
    const cells = [planId, account, terms.kind, "symbol" in terms ? (terms.symbol ?? null) : null, state, told, kept];
    const texts = [JSON.stringify(progress), asked === null ? null : JSON.stringify(asked)];
    const numbers = [isProtecting(terms) ? 1 : 0, volumeOf(terms), replaces, untilMs, atMs, atMs];
    yield* statements.put(ADD_PLAN, [...cells, ...texts, ...numbers], 1);
    const record: PlanRecord = {
      ...{ planId, account, terms, state, mandate, progress, asked, replaces, untilMs },
      ...{ version: 1, openStep: null, createdAtMs: atMs, updatedAtMs: atMs, endedAtMs: null },
    };
    yield* this.addSteps(statements, record, plan.steps, atMs);
    const detail = {
      terms,
      mandate,
      asked: asked ?? undefined,
      replaces: replaces ?? undefined,
      until_ms: untilMs,
      sum: planSum(told, kept),
    };
    yield* this.#write(statements, record, [{ event: "plan_recorded", detail }], atMs);
    yield* this.tell(statements, record, plan.notices, atMs);
    return record;
  }

  /** @throws StoreInvariantError for a move that no plan makes, and for one that has moved since it was read */
  *move(statements: Statements, before: PlanRecord, change: PlanMove): Work<PlanRecord> {
    const { planId, version } = before;
    const { to = before.state, events, notices = [], atMs, ...rest } = change;
    const isMoved = to !== before.state;
    if (isMoved ? !mayMove(before.state, to) : isFinal(to)) throw notAMove("plan", before.state, to);
    const isEnd = isFinal(to);
    const ended = isEnd ? { endedAtMs: atMs, asked: null } : {};
    const isAnswered = isMoved && before.asked !== null && before.asked.action === ASKED_FOR[to];
    const left = isAnswered && rest.asked === undefined ? { asked: null } : {};
    const after: PlanRecord = {
      ...before,
      ...rest,
      ...left,
      ...ended,
      state: to,
      version: version + 1,
      updatedAtMs: atMs,
    };
    if (isEnd && after.openStep !== null) throw new StoreInvariantError("a plan ends when its step has");
    const { mandate, progress, asked, openStep, untilMs, endedAtMs } = after;
    const texts = [mandate, progress, asked].map((value) => (value === null ? null : JSON.stringify(value)));
    const values = [to, ...texts, openStep, untilMs, atMs, endedAtMs, planId, version];
    yield* statements.put(MOVE_PLAN, values, 1);
    if (isEnd) yield* statements.put(SKIP_LEFT, [atMs, planId]);
    const moved = isMoved ? { from: before.state, why: progress.why } : {};
    const main = events.at(-1) ?? { event: "plan_moved" };
    const sum =
      change.mandate === undefined ? {} : { mandate, sum: planSum(JSON.stringify(after.terms), texts[0] ?? null) };
    const said = { ...main, detail: { ...moved, ...sum, ...main.detail } };
    yield* this.#write(statements, after, [...events.slice(0, -1), said], atMs);
    yield* this.tell(statements, after, notices, atMs);
    return after;
  }

  *addSteps(
    statements: Statements,
    { planId, account }: PlanRecord,
    steps: readonly NewStep[],
    atMs: number,
  ): Work<void> {
    const rows = steps.map((step) => addedCells(planId, account, step, { state: "planned", atMs }));
    yield* together(...rows.map((cells) => statements.put(ADD_STEP, cells, 1)));
  }

  /** @param adds of one that was not planned */
  *claimStep(
    statements: Statements,
    { planId, account }: PlanRecord,
    { step, adds, intentId, atMs }: { step: number; adds: NewStep | undefined; intentId: string; atMs: number },
  ): Work<void> {
    if (adds === undefined) yield* statements.put(CLAIM_STEP, [intentId, atMs, atMs, planId, step], 1);
    else {
      const cells = addedCells(planId, account, adds, { state: "claimed", intentId, atMs });
      yield* statements.put(ADD_STEP, cells, 1);
    }
  }

  *endStep(
    statements: Statements,
    { planId, step, state: from }: Pick<PlanStep, "planId" | "step" | "state">,
    { to, why, atMs }: { readonly to: StepState; readonly why: string | undefined; readonly atMs: number },
  ): Work<void> {
    if (!(STEP_MOVES[from] as readonly StepState[]).includes(to)) throw notAMove("step", from, to);
    yield* statements.put(END_STEP, [to, JSON.stringify({ why }), atMs, planId, step, from], 1);
  }

  *tell(
    { put }: Statements,
    { planId, account }: Pick<PlanRecord, "planId" | "account">,
    notices: readonly NewNotice[],
    atMs: number,
  ): Work<void> {
    for (const { type, key, body } of notices) {
      const values = [noticeIdOf(planId, type, key), account, planId, type, key, JSON.stringify(body), atMs, atMs];
      yield* put(TELL, values);
    }
  }

  *#write(statements: Statements, plan: PlanRecord, events: readonly PlanEvent[], atMs: number): Work<void> {
    const { planId, account, state, version } = plan;
    for (const { event, detail } of events) {
      const said = { plan_id: planId, state, version, ...detail };
      yield* this.#audit.write(statements, { event, account, intentId: planId, detail: said }, atMs);
    }
  }
}

function mayMove(from: PlanState, to: PlanState): boolean {
  return (PLAN_MOVES[from] as readonly PlanState[]).includes(to);
}

function notAMove(what: string, from: string, to: string): StoreInvariantError {
  return new StoreInvariantError(`a ${what} does not move from ${from} to ${to}`);
}

/** A UUID of version 8, whose bits follow from what it names. */
export function noticeIdOf(planId: string, type: string, key: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([planId, type, key]))
    .digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-9${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** The store imports no function of the desk; its kinds are held to be these by the types. */
function isProtecting({ kind }: PlanTerms): boolean {
  const protects: Record<PlanTerms["kind"], boolean> = {
    ...{ stop: true, take_profit: true, trailing_stop: true, oco: true },
    ...{ recurring: false, slices: false, rebalance: false, alert: false },
  };
  return protects[kind];
}

function volumeOf(terms: PlanTerms): string | null {
  if ("volume" in terms) return terms.volume;
  return terms.kind === "slices" && "volume" in terms.size ? terms.size.volume : null;
}

interface Added {
  readonly state: Extract<StepState, "planned" | "claimed">;
  readonly intentId?: string;
  readonly atMs: number;
}

function addedCells(
  planId: string,
  account: string,
  { step, label, symbol, side, dueAtMs, worstValue, unit, volume }: NewStep,
  { state, intentId, atMs }: Added,
): readonly Bindable[] {
  const what = [planId, step, account, label ?? null, symbol, side, state, dueAtMs ?? null];
  const size = [stepsOf(worstValue, unit), unit, volume ?? null];
  return [...what, ...size, intentId ?? null, state === "claimed" ? atMs : null, atMs];
}

function optionalNumber(row: Row, column: string): number | null {
  return row[column] === null ? null : numberCell(row, column);
}

/** Its texts are what this program wrote. */
export function planOf(row: Row): PlanRecord {
  const parsed = <T>(column: string): T | null => {
    const text = optionalTextCell(row, column);
    return text === null ? null : (JSON.parse(text) as T);
  };
  return {
    planId: textCell(row, "plan_id"),
    account: textCell(row, "account"),
    terms: JSON.parse(textCell(row, "terms")) as PlanTerms,
    state: textCell(row, "state") as PlanState,
    version: numberCell(row, "version"),
    mandate: parsed<Mandate>("mandate"),
    progress: JSON.parse(textCell(row, "progress")) as PlanProgress,
    asked: parsed("asked"),
    openStep: optionalNumber(row, "open_step"),
    replaces: optionalTextCell(row, "replaces"),
    untilMs: numberCell(row, "until_ms"),
    createdAtMs: numberCell(row, "created_at_ms"),
    updatedAtMs: numberCell(row, "updated_at_ms"),
    endedAtMs: optionalNumber(row, "ended_at_ms"),
  };
}

export function stepOf(row: Row): PlanStep {
  const unit = unitCell(row, "unit");
  if (unit === undefined) throw new StoreInvariantError("a step is worth something in a unit");
  const { why = null } = JSON.parse(textCell(row, "result")) as { readonly why?: string };
  return {
    planId: textCell(row, "plan_id"),
    step: numberCell(row, "step"),
    label: optionalTextCell(row, "label"),
    symbol: textCell(row, "symbol"),
    side: textCell(row, "side") as PlanStep["side"],
    state: textCell(row, "state") as StepState,
    dueAtMs: optionalNumber(row, "due_at_ms"),
    worstValue: heldText(numberCell(row, "worst_value"), unit),
    unit,
    volume: optionalTextCell(row, "volume"),
    intentId: optionalTextCell(row, "intent_id"),
    why,
    claimedAtMs: optionalNumber(row, "claimed_at_ms"),
    updatedAtMs: numberCell(row, "updated_at_ms"),
  };
}
