/**
 * Owns what is sent once, orders and transfers alike: how far each has come, what it counts for in the budgets, and whether its outcome
 * was acknowledged. Each table adds the usage and the earlier submissions that a request is checked against before it leaves.
 *
 * Invariants: a call returns when the fact is on disk, unless `lazy` was asked for; an item moves only from one of the states named, so of
 * two processes one wins; every move stands in the audit log, written in the same transaction. What an item is checked
 * against when it begins stays true until its move is on disk, in all processes.
 *
 * Source: architecture.md#rule-1.
 */
import type { Result } from "../contract/index.ts";
import type { AuditDetail, NewSubmission, SubmissionChange, SubmissionJournal } from "../desk/index.ts";
import type { AuditWriter } from "./audit.ts";
import type { Connection } from "./driver.ts";
import type { Bindable, Statements } from "./statement.ts";
import { resultOf, StoreInvariantError } from "./store-error.ts";
import { type AnySubmission, SubmissionRows, type SubmissionTable } from "./submission-rows.ts";

/** What the calls that only one table has are made of. `condition`: what follows WHERE. */
export interface TableAccess<Item extends AnySubmission> {
  read<T>(work: (statements: Statements) => T): Promise<Result<T>>;
  one(condition: string, values: readonly Bindable[]): Promise<Result<Item | undefined>>;
  many(condition: string, values: readonly Bindable[]): Promise<Result<readonly Item[]>>;
  /** @returns undefined when another stands in its way: one that meets the condition */
  record(
    item: NewSubmission<Item>,
    conflict: readonly [condition: string, values: readonly Bindable[]],
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
  const query = (text: string, values: readonly Bindable[]) => read((statements) => rows.all(statements, text, values));
  const many = (condition: string, values: readonly Bindable[]) =>
    read((statements) => where(statements)(condition, values));
  const access: TableAccess<Item> = {
    read,
    many,
    one: (condition, values) => read((statements) => where(statements)(`${condition} LIMIT 1`, values)[0]),
    record: (item, conflict, detail) =>
      write((statements) =>
        where(statements)(...conflict).length > 0 ? undefined : rows.insert(statements, item, detail),
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
        const refused = admit(...table.usageAndSent({ statements, list: where(statements) }, found, atMs));
        if (refused instanceof Promise) throw new StoreInvariantError("whether a request may leave is said at once");
        if (refused !== undefined) return { refused };
        const hold = { krw: send.heldKrw, isLive: true };
        return { begun: rows.move(statements, found, { ...send, hold, atMs, isSent: true }) };
      }),
    byId: (id) => read((statements) => rows.all(statements, sql.byId, [id])[0]),
    unresolvedOrUnacknowledged: (account, states, limit) =>
      account === undefined
        ? query(sql.ofAllAccounts, [JSON.stringify(states), limit])
        : query(sql.ofAccount, [account, JSON.stringify(states), account, limit]),
    acknowledge: (id) =>
      write(({ run }) => {
        run(sql.acknowledge, [id]);
      }, lazy),
    inStates: (account, states, limit) => query(sql.inStates, [account, JSON.stringify(states), limit]),
    elsewhere: (account, states, limit) => query(sql.elsewhere, [account, JSON.stringify(states), limit]),
  };
  return { journal, access };
}
