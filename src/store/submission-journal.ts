/**
 * Owns what is sent once, orders and transfers alike: how far each has come, what it counts for in the budgets, and whether its outcome
 * was acknowledged. What it is held against when its request is about to leave is its table's to say.
 *
 * Invariants: a call returns when the fact is on disk, unless `lazy` was asked for; an item moves only from one of the states named, so of
 * two processes one wins; every move stands in the audit log, written in the same transaction. What an item is held against when
 * it begins stays true until its move is on disk, in all processes.
 *
 * Source: architecture.md#rule-1.
 */
import type { Result } from "../contract/index.ts";
import type { AuditDetail, NewSubmission, Submission, SubmissionChange, SubmissionJournal } from "../desk/index.ts";
import { wholeKrw } from "./account-usage.ts";
import type { AuditWriter } from "./audit.ts";
import type { Connection } from "./driver.ts";
import { type Bindable, numberCell, optionalTextCell, type Row, type Statements, textCell } from "./statement.ts";
import { resultOf, StoreInvariantError } from "./store-error.ts";

type AnySubmission = Submission<string, unknown>;

/** What one table of submissions has of its own. */
export interface SubmissionTable<Item extends AnySubmission, Usage, Sent> {
  readonly name: "intents" | "transfers";
  /** The fields that not every submission has, each with its column of text; the id comes first. */
  readonly columns: Readonly<Record<Exclude<keyof Item, keyof AnySubmission>, string>>;
  /** SQL: the item had an effect that nobody has acknowledged. A partial index has the same words. */
  readonly unacknowledged: string;
  /** What its events in the audit log begin with. */
  readonly event: "intent" | "transfer";
  /** Whether the audit log tells its body. */
  readonly tellsBody: boolean;
  /** What the item is held against when it begins, read in the transaction that begins it. */
  heldAgainst(transaction: Reading<Item>, found: Found<Item>, atMs: number): readonly [usage: Usage, sent: Sent];
}

/** Inside a transaction. */
export interface Reading<Item> {
  readonly statements: Statements;
  /** @param condition what follows WHERE */
  readonly list: (condition: string, values: readonly Bindable[]) => readonly Item[];
}

/** An item, and where it stands. */
export interface Found<Item> {
  readonly before: Item;
  readonly bodyText: string;
  readonly rowId: number;
}

/** What the calls that only one table has are made of. `condition`: what follows WHERE. */
export interface TableAccess<Item extends AnySubmission> {
  read<T>(work: (statements: Statements) => T): Promise<Result<T>>;
  one(condition: string, values: readonly Bindable[]): Promise<Result<Item | undefined>>;
  /** @returns undefined when there is another in its place: one that meets the condition */
  record(
    item: NewSubmission<Item>,
    taken: readonly [condition: string, values: readonly Bindable[]],
    detail: AuditDetail,
  ): Promise<Result<Item | undefined>>;
}

/** Connections to one database; `lazy` does not wait for the disk. */
export interface Connections {
  readonly durable: Connection;
  readonly lazy: Connection;
}

export function createSubmissionJournal<Item extends AnySubmission, Change extends SubmissionChange<Item>, Usage, Sent>(
  { durable, lazy }: Connections,
  audit: AuditWriter,
  table: SubmissionTable<Item, Usage, Sent>,
): { readonly journal: SubmissionJournal<Item, Change, Usage, Sent>; readonly access: TableAccess<Item> } {
  const rows = new SubmissionRows(table, audit);
  const { sql } = rows;
  const read = <T>(work: (statements: Statements) => T) => resultOf(durable.single(work));
  const write = <T>(work: (statements: Statements) => T, connection = durable) =>
    resultOf(connection.transaction(work));
  const where = (statements: Statements) => (condition: string, values: readonly Bindable[]) =>
    rows.all(statements, `${sql.select} WHERE ${condition}`, values);
  const list = (query: string, values: readonly Bindable[]) =>
    read((statements) => rows.all(statements, query, values));
  const one = (condition: string, values: readonly Bindable[]) =>
    read((statements) => where(statements)(`${condition} LIMIT 1`, values)[0]);
  const access: TableAccess<Item> = {
    read,
    one,
    record: (item, taken, detail) =>
      write((statements) =>
        where(statements)(...taken).length > 0 ? undefined : rows.insert(statements, item, detail),
      ),
  };
  const journal: SubmissionJournal<Item, Change, Usage, Sent> = {
    advance: (id, change, atMs) =>
      write(
        (statements) => {
          const found = rows.find(statements, id, change);
          return found && rows.move(statements, found, { ...change, atMs });
        },
        change.lazy === true ? lazy : durable,
      ),
    begin: (id, send, admit, now) =>
      write((statements) => {
        const found = rows.find(statements, id, send);
        if (found === undefined) return;
        const atMs = now();
        const refused = admit(...table.heldAgainst({ statements, list: where(statements) }, found, atMs));
        if (refused instanceof Promise) throw new StoreInvariantError("whether a request may leave is said at once");
        if (refused !== undefined) return { refused };
        const hold = { krw: send.heldKrw, isLive: true };
        return { begun: rows.move(statements, found, { ...send, hold, atMs, isSent: true }) };
      }),
    byId: (id) => read((statements) => rows.all(statements, sql.byId, [id])[0]),
    unresolvedOrUnacknowledged: (account, states, limit) =>
      account === undefined
        ? list(sql.unsettledAnywhere, [JSON.stringify(states), limit])
        : list(sql.unsettled, [account, JSON.stringify(states), account, limit]),
    acknowledge: (id) =>
      write(({ run }) => {
        run(sql.acknowledge, [id]);
      }, lazy),
    inStates: (account, states, limit) => list(sql.inStates, [account, JSON.stringify(states), limit]),
    elsewhere: (account, states, limit) => list(sql.elsewhere, [account, JSON.stringify(states), limit]),
  };
  return { journal, access };
}

type Move<Item extends AnySubmission> = Omit<SubmissionChange<Item>, "from" | "ifNonce" | "ifStill" | "lazy"> & {
  readonly nonce?: string;
  readonly atMs: number;
  /** Its request leaves now. */
  readonly isSent?: boolean;
};

/** The rows of one table, inside a transaction. */
class SubmissionRows<Item extends AnySubmission> {
  readonly sql: ReturnType<typeof sqlOf>;
  readonly #table: SubmissionTable<Item, unknown, unknown>;
  readonly #audit: AuditWriter;
  readonly #columns: readonly (readonly [field: string, column: string])[];

  constructor(table: SubmissionTable<Item, unknown, unknown>, audit: AuditWriter) {
    this.#table = table;
    this.#audit = audit;
    this.#columns = Object.entries<string>(table.columns);
    const columns = this.#columns.map(([, column]) => column);
    this.sql = sqlOf(table.name, columns, table.unacknowledged);
  }

  all({ all }: Statements, query: string, values: readonly Bindable[]): readonly Item[] {
    return all(query, values).map((row) => this.#itemOf(row));
  }

  /** @returns undefined when there is none in one of the `from` states, with that nonce, of which `ifStill` holds */
  find(
    { get }: Statements,
    id: string,
    { from, ifNonce, ifStill }: Pick<SubmissionChange<Item>, "from" | "ifNonce" | "ifStill">,
  ): Found<Item> | undefined {
    const row = get(this.sql.byId, [id]);
    if (row === undefined) return;
    const before = this.#itemOf(row);
    if (!from.includes(before.state)) return;
    if (ifNonce !== undefined && ifNonce !== before.nonce) return;
    if (ifStill?.(before) === false) return;
    return { before, bodyText: textCell(row, "body"), rowId: numberCell(row, "rowid") };
  }

  insert(statements: Statements, item: NewSubmission<Item>, detail: AuditDetail): Item {
    const { account, state, nonce, createdAtMs } = item;
    const text = JSON.stringify(item.body);
    const common = { account, state, nonce, body: text, created_at_ms: createdAtMs, updated_at_ms: createdAtMs };
    const cells: Cells = [...this.#own(item).map(({ cell }) => cell), ...Object.entries(common)];
    const marks = cells.map(() => "?").join(", ");
    const sql = `INSERT INTO ${this.#table.name} (${cells.map(([column]) => column).join(", ")}) VALUES (${marks})`;
    statements.run(sql, valuesOf(cells));
    this.#tell(statements, "recorded", item, { to: state, ...detail }, createdAtMs);
    const counted = { heldKrw: "0", isLive: false, sentAtMs: null, updatedAtMs: createdAtMs };
    return { ...item, ...counted, body: JSON.parse(text) as unknown } as Item;
  }

  move(statements: Statements, { before, bodyText, rowId }: Found<Item>, step: Move<Item>): Item {
    const { to, atMs, hold, nonce = before.nonce, isSent = false, unsend = false } = step;
    const text = step.body === undefined ? bodyText : JSON.stringify(step.body);
    // Only columns that may change, as each is in an index that would be written again.
    const own = this.#own(step);
    const cells: [string, Bindable][] = [
      ...own.map(({ cell }) => cell),
      ...Object.entries({ state: to, nonce, body: text, updated_at_ms: atMs }),
    ];
    if (hold !== undefined)
      cells.push(["held_krw", wholeKrw(hold.krw)], ["held_live", hold.isLive ? 1 : 0], ["held_at_ms", atMs]);
    const sentAtMs = isSent ? atMs : unsend ? null : before.sentAtMs;
    if (isSent || unsend) cells.push(["sent_at_ms", sentAtMs]);
    if (isSent) cells.push(["unheard", 1]);
    const set = cells.map(([column]) => `${column} = ?`).join(", ");
    const sql = `UPDATE ${this.#table.name} SET ${set} WHERE rowid = ? AND state = ?`;
    const { changes } = statements.run(sql, [...valuesOf(cells), rowId, before.state]);
    if (changes !== 1) throw new StoreInvariantError(`${this.#idOf(before)} changed inside a transaction`);
    const body = JSON.parse(text) as unknown;
    const { krw: heldKrw, isLive } = hold ?? { krw: before.heldKrw, isLive: before.isLive };
    const moved = { state: to, nonce, body, heldKrw, isLive, sentAtMs, updatedAtMs: atMs };
    const after = {
      ...before,
      ...Object.fromEntries(own.map(({ field, cell: [, value] }) => [field, value])),
      ...moved,
    };
    const said = {
      from: before.state,
      to,
      nonce: step.nonce,
      held_krw: isSent || heldKrw !== before.heldKrw ? heldKrw : undefined,
      body: this.#table.tellsBody && text !== bodyText ? body : undefined,
      ...step.detail,
    };
    this.#tell(statements, "moved", after, said, atMs);
    return after;
  }

  #tell(statements: Statements, what: string, item: NewSubmission<Item>, detail: AuditDetail, atMs: number): void {
    const orderId = "orderId" in item && typeof item.orderId === "string" ? { orderId: item.orderId } : {};
    const named = { account: item.account, intentId: this.#idOf(item), ...orderId };
    this.#audit.write(statements, { event: `${this.#table.event}_${what}`, ...named, detail }, atMs);
  }

  #idOf(item: object): string {
    return String(this.#own(item)[0]?.cell[1]);
  }

  /** Those of the table's own fields that are given. */
  #own(given: object): readonly { readonly field: string; readonly cell: [column: string, value: string | null] }[] {
    const values = given as Readonly<Record<string, string | null | undefined>>;
    return this.#columns.flatMap(([field, column]) => {
      const value = values[field];
      return value === undefined ? [] : [{ field, cell: [column, value] as [string, string | null] }];
    });
  }

  /** The state and body are what this program wrote, in the types it was instantiated with. */
  #itemOf(row: Row): Item {
    const own = this.#columns.map(([field, column]) => [field, optionalTextCell(row, column)]);
    const common: Submission<string, unknown> = {
      account: textCell(row, "account"),
      state: textCell(row, "state"),
      nonce: optionalTextCell(row, "nonce"),
      body: JSON.parse(textCell(row, "body")) as unknown,
      heldKrw: String(numberCell(row, "held_krw")),
      isLive: numberCell(row, "held_live") === 1,
      sentAtMs: row["sent_at_ms"] === null ? null : numberCell(row, "sent_at_ms"),
      createdAtMs: numberCell(row, "created_at_ms"),
      updatedAtMs: numberCell(row, "updated_at_ms"),
    };
    return { ...Object.fromEntries(own), ...common } as Item;
  }
}

type Cells = readonly [column: string, value: Bindable][];

const valuesOf = (cells: Cells): readonly Bindable[] => cells.map(([, value]) => value);

const COMMON = "account, state, nonce, body, held_krw, held_live, sent_at_ms, created_at_ms, updated_at_ms, rowid";
const IN_STATES = "state IN (SELECT value FROM json_each(?))";
const NEWEST_FIRST = "ORDER BY created_at_ms DESC, rowid DESC LIMIT ?";

function sqlOf(name: string, columns: readonly string[], unacknowledged: string) {
  const columnList = `${columns.map((column) => `${name}.${column}`).join(", ")}, ${COMMON}`;
  const select = `SELECT ${columnList} FROM ${name}`;
  // The accounts one by one, as the index has them: the table may be large.
  const eachAccount = `WITH RECURSIVE each(account) AS (SELECT min(account) FROM ${name} UNION ALL
    SELECT (SELECT min(account) FROM ${name} WHERE account > each.account) FROM each WHERE each.account IS NOT NULL)`;
  return {
    select,
    byId: `${select} WHERE ${columns[0] ?? ""} = ?`,
    inStates: `${select} WHERE account = ? AND ${IN_STATES} ORDER BY created_at_ms, rowid LIMIT ?`,
    elsewhere: `${eachAccount} SELECT ${columnList} FROM each JOIN ${name} USING (account)
      WHERE account <> ? AND ${IN_STATES} ORDER BY account, created_at_ms LIMIT ?`,
    unsettled: `${select} WHERE rowid IN (
      SELECT rowid FROM ${name} WHERE account = ? AND ${IN_STATES}
      UNION SELECT rowid FROM ${name} WHERE account = ? AND ${unacknowledged}) ${NEWEST_FIRST}`,
    unsettledAnywhere: `${eachAccount} ${select} WHERE rowid IN (
      SELECT ${name}.rowid FROM each JOIN ${name} USING (account) WHERE ${IN_STATES}
      UNION SELECT rowid FROM ${name} WHERE ${unacknowledged}) ${NEWEST_FIRST}`,
    acknowledge: `UPDATE ${name} SET unheard = 0 WHERE ${columns[0] ?? ""} = ? AND unheard = 1`,
  };
}
