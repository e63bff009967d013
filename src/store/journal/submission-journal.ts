/**
 * Owns what is sent once, of either kind: how far each has come, what it counts for in the budgets, and whether its outcome
 * was acknowledged. Each table adds the usage and the earlier submissions that a request is checked against before it leaves.
 *
 * Invariants: a call returns when the fact is on disk, unless `lazy` was asked for; an item moves only from one of the states named, so of
 * two processes one wins; every move but that of a lease stands in the audit log, written in the same transaction. What an item is checked
 * against when it begins stays true until its move is on disk, in all processes.
 *
 * Source: architecture.md#rule-1.
 */
import { ok, type Result } from "../../contract/index.ts";
import type { AuditDetail, NewSubmission, SubmissionChange, SubmissionJournal } from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Connections } from "../sql/connection.ts";
import { type Bindable, type Statements, together, type Work } from "../sql/statement.ts";
import { resultOf, StoreInvariantError } from "../sql/store-error.ts";
import { sentWithin } from "./account-usage.ts";
import { type AnySubmission, type Found, SubmissionRows, type SubmissionTable } from "./submission-rows.ts";

/** Holds what the calls that only one table has are made of. `condition`: what follows WHERE. */
export interface TableAccess<Item extends AnySubmission> {
  readonly rows: Pick<SubmissionRows<Item>, "first" | "move">;
  read<T>(work: (statements: Statements) => Work<T>): Promise<Result<T>>;
  write<T>(work: (statements: Statements) => Work<T>, isLazy: boolean): Promise<Result<T>>;
  one(condition: string, values: readonly Bindable[]): Promise<Result<Item | undefined>>;
  /** @returns undefined when another stands in its way: one that meets the condition, or has what is unique */
  record(
    item: NewSubmission<Item>,
    detail: AuditDetail,
    conflict?: readonly [condition: string, values: readonly Bindable[]],
  ): Promise<Result<Item | undefined>>;
}

export function createSubmissionJournal<Item extends AnySubmission, Change extends SubmissionChange<Item>, Usage, Sent>(
  { durable, lazy }: Connections,
  audit: AuditWriter,
  table: SubmissionTable<Item, Usage, Sent>,
): { readonly journal: SubmissionJournal<Item, Change, Usage, Sent>; readonly access: TableAccess<Item> } {
  const rows = new SubmissionRows(table, audit);
  const { sql } = rows;
  /** What was written last, which may be what begins next. */
  let last: Found<Item> | undefined;
  const read = <T>(work: (statements: Statements) => Work<T>) => resultOf(durable.single(work));
  const write = <T>(work: (statements: Statements) => Work<T>, connection = durable) =>
    resultOf(connection.transaction(work));
  const where = (statements: Statements) => (condition: string, values: readonly Bindable[]) =>
    rows.all(statements, `${sql.select} WHERE ${condition}`, values);
  const query = (text: string, values: readonly Bindable[]) => read((statements) => rows.all(statements, text, values));
  const access: TableAccess<Item> = {
    rows,
    read,
    write: (work, isLazy) => write(work, isLazy ? lazy : durable),
    one: (condition, values) => first(read((statements) => where(statements)(`${condition} LIMIT 1`, values))),
    record: (item, detail, conflict) =>
      write(function* (statements) {
        if (conflict !== undefined && (yield* where(statements)(...conflict)).length > 0) return undefined;
        last = yield* rows.insert(statements, item, detail);
        return last?.before;
      }),
  };
  const journal: SubmissionJournal<Item, Change, Usage, Sent> = {
    advance: (id, change, atMs) =>
      write(
        function* (statements) {
          const [found] = yield* together(rows.find(statements, id, change), audit.prepare(statements));
          last = found;
          return found && (yield* rows.move(statements, found, { ...change, atMs }));
        },
        change.lazy === true ? lazy : durable,
      ),
    begin: (id, send, admit, now) =>
      write(function* (statements) {
        const { sinceMs = [], offsetMs = 0 } = send;
        const asked = { statements, list: where(statements), listSince: sinceEach<Item>(sinceMs, now), offsetMs };
        const against = (item: Found<Item>) => table.usageAndSent(asked, item, now());
        // Its account and row never change: where they are known, all is asked at once. Then the time is a little earlier, so that more counts, not less.
        const known = last !== undefined && rows.idOf(last.before) === id ? against(last) : together();
        const [found, early] = yield* together(rows.find(statements, id, send), known, audit.prepare(statements));
        if (found === undefined) return undefined;
        const facts = early.length === 0 ? yield* against(found) : early;
        const atMs = now();
        const refused = admit(...facts);
        if (refused instanceof Promise) throw new StoreInvariantError("whether a request may leave is said at once");
        if (refused !== undefined) return { refused };
        const hold = { value: send.held, isLive: true };
        return { begun: yield* rows.move(statements, found, { ...send, hold, atMs, isSent: true }) };
      }),
    byId: (id) => first(query(sql.byId, [id])),
    unresolvedOrUnacknowledged: (account, states, limit) =>
      account === undefined
        ? query(sql.ofAllAccounts, [JSON.stringify(states), limit])
        : query(sql.ofAccount, [account, JSON.stringify(states), account, limit]),
    acknowledge: (id) => resultOf(lazy.transaction(({ put }) => put(sql.acknowledge, [id]), { isRepeatable: true })),
    inStates: (account, states, limit) => query(sql.inStates, [account, JSON.stringify(states), limit]),
    elsewhere: (account, states, limit) => query(sql.elsewhere, [account, JSON.stringify(states), limit]),
  };
  return { journal, access };
}

async function first<Item>(listing: Promise<Result<readonly Item[]>>): Promise<Result<Item | undefined>> {
  const listed = await listing;
  return listed.ok ? ok(listed.value[0]) : listed;
}

/** Reads the lists that will be asked for, as whoever admits decides without waiting. `list`: from a moment on, however far ahead. */
function sinceEach<Item extends AnySubmission>(moments: readonly number[], now: () => number) {
  return function* (list: (fromMs: number) => Work<readonly Item[]>): Work<(sinceMs: number) => readonly Item[]> {
    const each = [...new Set(moments)];
    const found = yield* together(...each.map((sinceMs) => list(Math.min(sinceMs, now()))));
    const nowMs = now();
    const lists = new Map(each.map((sinceMs, index) => [sinceMs, found[index]]));
    return (sinceMs) => {
      const found = lists.get(sinceMs);
      if (found === undefined)
        throw new StoreInvariantError("what was sent is asked since a moment that was not named");
      const [first, latest] = sentWithin(sinceMs, nowMs);
      return found.filter(({ sentAtMs }) => sentAtMs !== null && sentAtMs >= first && sentAtMs <= latest);
    };
  };
}
