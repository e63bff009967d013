/**
 * The rows of one table of submissions, inside a transaction: read, inserted, moved, each move with its entry in the audit log.
 */
import { DEFAULT_UNIT, type Unit } from "../../contract/index.ts";
import type { AuditDetail, NewSubmission, StepOfPlan, Submission, SubmissionChange } from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
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
import { heldCell, heldText, stepsOf, unitCell } from "./account-usage.ts";

export type AnySubmission = Submission<string, unknown> & { readonly plan?: StepOfPlan };

/** Names what one table of submissions has of its own. */
export interface TableShape<Item extends AnySubmission> {
  readonly name: "intents" | "transfers";
  readonly idColumn: "intent_id" | "transfer_id";
  /** The fields that not every submission has, each with its column of text; the id is one of them. */
  readonly columns: Readonly<Record<Exclude<keyof Item, keyof AnySubmission>, string>>;
  /** Columns of which the table has every set of values once. */
  readonly unique?: string;
  /** SQL: the item had an effect that nobody has acknowledged. A partial index has the same words. */
  readonly unacknowledged: string;
  /** Begins its events in the audit log. */
  readonly event: "intent" | "transfer";
  /** Says whether its body is in the audit log: not where it may name a person. */
  readonly auditsBody: boolean;
  /** Says whether its items may come of plans, and it has the columns for that. */
  readonly hasPlans?: boolean;
}

/** Holds besides what an item of it is checked against. */
export interface SubmissionTable<Item extends AnySubmission, Usage, Sent> extends TableShape<Item> {
  /** Reads what the item is checked against when it begins, in the transaction that begins it. */
  usageAndSent(transaction: Reading<Item>, found: Found<Item>, atMs: number): Work<readonly [usage: Usage, sent: Sent]>;
}

/** Inside a transaction. */
export interface Reading<Item> {
  readonly statements: Statements;
  /** @param condition what follows WHERE */
  readonly list: (condition: string, values: readonly Bindable[]) => Work<readonly Item[]>;
  /** By how much the exchange's clock is ahead of ours, in milliseconds. */
  readonly offsetMs: number;
  /** Reads `list`, from a moment on, for each of those that will be asked about. */
  readonly listSince: (list: (fromMs: number) => Work<readonly Item[]>) => Work<(sinceMs: number) => readonly Item[]>;
}

/** An item, and where it stands. */
export interface Found<Item> {
  readonly before: Item;
  readonly bodyText: string;
  readonly rowId: number;
}

type Move<Item extends AnySubmission> = Omit<SubmissionChange<Item>, "from" | "ifNonce" | "ifStill" | "lazy"> & {
  readonly nonce?: string;
  /** Of what it holds from now on. */
  readonly unit?: Unit;
  readonly atMs: number;
  /** Its request leaves now. */
  readonly isSent?: boolean;
};

/** The rows of one table, inside a transaction. */
export class SubmissionRows<Item extends AnySubmission> {
  readonly sql: ReturnType<typeof sqlOf>;
  readonly #table: TableShape<Item>;
  readonly #audit: AuditWriter;
  readonly #columns: readonly (readonly [field: string, column: string])[];
  readonly #idField: string | undefined;

  constructor(table: TableShape<Item>, audit: AuditWriter) {
    this.#table = table;
    this.#audit = audit;
    this.#columns = Object.entries<string>(table.columns);
    this.#idField = this.#columns.find(([, column]) => column === table.idColumn)?.[0];
    const columns = this.#columns.map(([, column]) => column);
    this.sql = sqlOf(table, columns);
  }

  *all({ all }: Statements, query: string, values: readonly Bindable[]): Work<readonly Item[]> {
    return (yield* all(query, values)).map((row) => this.#itemOf(row));
  }

  /** @returns undefined when there is none in one of the `from` states, with that nonce, of which `ifStill` holds */
  *find(
    statements: Statements,
    id: string,
    change: Pick<SubmissionChange<Item>, "from" | "ifNonce" | "ifStill">,
  ): Work<Found<Item> | undefined> {
    const found = yield* this.first(statements, `${this.#table.idColumn} = ?`, [id]);
    return found !== undefined && mayMove(found.before, change) ? found : undefined;
  }

  /** @param condition what follows WHERE; at most one row meets it */
  *first({ get }: Statements, condition: string, values: readonly Bindable[]): Work<Found<Item> | undefined> {
    const row = yield* get(`${this.sql.select} WHERE ${condition}`, values);
    return row && { before: this.#itemOf(row), bodyText: textCell(row, "body"), rowId: numberCell(row, "rowid") };
  }

  /** @returns undefined where the table's own rule of what is unique stands in its way */
  *insert(statements: Statements, item: NewSubmission<Item>, detail: AuditDetail): Work<Found<Item> | undefined> {
    const { account, state, nonce, unit, createdAtMs } = item;
    const text = JSON.stringify(item.body);
    const cells = this.#ownCells(this.#ownFields(item));
    if (item.plan !== undefined) cells.push(["plan_id", item.plan.planId], ["plan_step", item.plan.step]);
    cells.push(["account", account], ["state", state], ["nonce", nonce], ["body", text], ["unit", unit]);
    cells.push(["created_at_ms", createdAtMs], ["updated_at_ms", createdAtMs]);
    const marks = cells.map(() => "?").join(", ");
    const { name, unique } = this.#table;
    const unlessThere = unique === undefined ? "" : ` ON CONFLICT (${unique}) DO NOTHING`;
    const columns = cells.map(([column]) => column).join(", ");
    const sql = `INSERT INTO ${name} (${columns}) VALUES (${marks})${unlessThere} RETURNING rowid`;
    const [row] = yield* together(statements.get(sql, valuesOf(cells)), this.#audit.prepare(statements));
    if (row === undefined) return undefined;
    yield* this.#writeAudit(statements, "recorded", item, { to: state, ...detail }, createdAtMs);
    const counted = { held: heldText(0, unit), isLive: false, sentAtMs: null, updatedAtMs: createdAtMs };
    const before = { ...item, ...counted, body: JSON.parse(text) as unknown } as Item;
    return { before, bodyText: text, rowId: numberCell(row, "rowid") };
  }

  *move(statements: Statements, { before, bodyText, rowId }: Found<Item>, step: Move<Item>): Work<Item> {
    const {
      to,
      atMs,
      hold,
      nonce = before.nonce,
      unit = before.unit,
      isSent = false,
      unsend = false,
      isLease = false,
    } = step;
    const text = step.body === undefined ? bodyText : JSON.stringify(step.body);
    const isChanged = text !== bodyText;
    // Only columns that may change, as each is in an index that would be written again.
    const own = this.#ownFields(step);
    const cells = this.#ownCells(own);
    cells.push(["state", to], ["nonce", nonce], ["body", text], ["updated_at_ms", atMs]);
    if (hold !== undefined)
      cells.push(["held", stepsOf(hold.value, unit)], ["held_live", hold.isLive ? 1 : 0], ["held_at_ms", atMs]);
    const sentAtMs = isSent ? atMs : unsend ? null : before.sentAtMs;
    if (isSent || unsend) cells.push(["sent_at_ms", sentAtMs]);
    if (isSent) cells.push(["unit", unit], ["unacknowledged", 1]);
    const set = cells.map(([column]) => `${column} = ?`).join(", ");
    const sql = `UPDATE ${this.#table.name} SET ${set} WHERE rowid = ? AND state = ?`;
    yield* statements.put(sql, [...valuesOf(cells), rowId, before.state], 1);
    const body = isChanged ? (JSON.parse(text) as unknown) : before.body;
    const held = hold === undefined ? before.held : heldText(stepsOf(hold.value, unit), unit);
    const isLive = hold?.isLive ?? before.isLive;
    const moved = { state: to, nonce, body, held, unit, isLive, sentAtMs, updatedAtMs: atMs };
    const after = { ...before, ...moved, ...own };
    if (isLease) return after;
    const detail = {
      from: before.state,
      to,
      nonce: step.nonce,
      held: isSent || held !== before.held ? held : undefined,
      unit: isSent ? unit : undefined,
      body: this.#table.auditsBody && isChanged ? body : undefined,
      ...step.detail,
    };
    yield* this.#writeAudit(statements, "moved", after, detail, atMs);
    return after;
  }

  #writeAudit(
    statements: Statements,
    what: string,
    item: NewSubmission<Item>,
    detail: AuditDetail,
    atMs: number,
  ): Work<void> {
    const orderId = "orderId" in item && typeof item.orderId === "string" ? { orderId: item.orderId } : {};
    const named = { account: item.account, intentId: this.idOf(item), ...orderId };
    const said = item.plan === undefined ? detail : { ...detail, plan_id: item.plan.planId, plan_step: item.plan.step };
    return this.#audit.write(statements, { event: `${this.#table.event}_${what}`, ...named, detail: said }, atMs);
  }

  idOf(item: object): string {
    return String((item as Readonly<Record<string, unknown>>)[this.#idField ?? ""]);
  }

  /** Those of the table's own fields that are given. */
  #ownFields(given: object): OwnFields {
    const own: OwnFields = {};
    for (const [field] of this.#columns) {
      const value = (given as Partial<OwnFields>)[field];
      if (value !== undefined) own[field] = value;
    }
    return own;
  }

  /** Their cells. */
  #ownCells(own: OwnFields): Cells {
    const cells: Cells = [];
    for (const [field, column] of this.#columns) {
      const value = own[field];
      if (value !== undefined) cells.push([column, value]);
    }
    return cells;
  }

  /** The state and body are what this program wrote, in the types it was instantiated with. */
  #itemOf(row: Row): Item {
    // Field by field: spreading an object that was made from entries takes longer than reading the row.
    const own: OwnFields = {};
    for (const [field, column] of this.#columns) own[field] = optionalTextCell(row, column);
    const common: Submission<string, unknown> = {
      ...standingOf(row),
      account: textCell(row, "account"),
      nonce: optionalTextCell(row, "nonce"),
      held: heldCell(row),
      unit: unitCell(row, "unit") ?? DEFAULT_UNIT,
    };
    const planId = row["plan_id"];
    const plan = typeof planId === "string" && { plan: { planId, step: numberCell(row, "plan_step") } };
    return Object.assign(own, common, plan) as unknown as Item;
  }
}

/** Reads what an item is about and how it stands. The state and body are what this program wrote. */
export function standingOf<State extends string, Body>(
  row: Row,
): Omit<Submission<State, Body>, "account" | "nonce" | "held" | "unit"> {
  return {
    state: textCell(row, "state") as State,
    body: JSON.parse(textCell(row, "body")) as Body,
    isLive: numberCell(row, "held_live") === 1,
    sentAtMs: row["sent_at_ms"] === null ? null : numberCell(row, "sent_at_ms"),
    createdAtMs: numberCell(row, "created_at_ms"),
    updatedAtMs: numberCell(row, "updated_at_ms"),
  };
}

/** Tells whether the change is about the item as it is. */
export function mayMove<Item extends AnySubmission>(
  before: Item,
  { from, ifNonce, ifStill }: Pick<SubmissionChange<Item>, "from" | "ifNonce" | "ifStill">,
): boolean {
  const isOfRequest = ifNonce === undefined || ifNonce === before.nonce;
  return from.includes(before.state) && isOfRequest && ifStill?.(before) !== false;
}

type TableNames = Pick<TableShape<never>, "name" | "idColumn" | "unacknowledged" | "hasPlans">;

/** The table's own fields, by name. */
type OwnFields = Record<string, string | null>;

type Cells = [column: string, value: Bindable][];

const valuesOf = (cells: Cells): readonly Bindable[] => cells.map(([, value]) => value);

const COMMON = "account, state, nonce, body, held, unit, held_live, sent_at_ms, created_at_ms, updated_at_ms, rowid";
const IN_STATES = "state IN (SELECT value FROM json_each(?))";
const NEWEST_FIRST = "ORDER BY created_at_ms DESC, rowid DESC LIMIT ?";

function sqlOf({ name, idColumn, unacknowledged, hasPlans = false }: TableNames, columns: readonly string[]) {
  const columnList = `${columns.map((column) => `${name}.${column}`).join(", ")}, ${hasPlans ? "plan_id, plan_step, " : ""}${COMMON}`;
  const select = `SELECT ${columnList} FROM ${name}`;
  // The accounts one by one, as the index has them: the table may be large.
  const eachAccount = `WITH RECURSIVE each(account) AS (SELECT min(account) FROM ${name} UNION ALL
    SELECT (SELECT min(account) FROM ${name} WHERE account > each.account) FROM each WHERE each.account IS NOT NULL)`;
  return {
    select,
    byId: `${select} WHERE ${idColumn} = ?`,
    inStates: `${select} WHERE account = ? AND ${IN_STATES} ORDER BY created_at_ms, rowid LIMIT ?`,
    elsewhere: `${eachAccount} SELECT ${columnList} FROM each JOIN ${name} USING (account)
      WHERE account <> ? AND ${IN_STATES} ORDER BY account, created_at_ms LIMIT ?`,
    ofAccount: `${select} WHERE rowid IN (
      SELECT rowid FROM ${name} WHERE account = ? AND ${IN_STATES}
      UNION SELECT rowid FROM ${name} WHERE account = ? AND ${unacknowledged}) ${NEWEST_FIRST}`,
    ofAllAccounts: `${eachAccount} ${select} WHERE rowid IN (
      SELECT ${name}.rowid FROM each JOIN ${name} USING (account) WHERE ${IN_STATES}
      UNION SELECT rowid FROM ${name} WHERE ${unacknowledged}) ${NEWEST_FIRST}`,
    acknowledge: `UPDATE ${name} SET unacknowledged = 0 WHERE ${idColumn} = ? AND unacknowledged = 1`,
  };
}
