/** Owns how a table of people is used: what is asked is answered with a result, and what changes is written in the audit log. */
import type { AuditWriter } from "../audit/audit.ts";
import type { Connection } from "../sql/connection.ts";
import type { Statements, Work } from "../sql/statement.ts";
import { resultOf } from "../sql/store-error.ts";

export function peopleTable(connection: Connection) {
  return {
    read: <T>(work: (statements: Statements) => Work<T>) => resultOf(connection.single(work)),
    write: <T>(work: (statements: Statements) => Work<T>) => resultOf(connection.transaction(work)),
  };
}

/** Writes an entry that is of no account, in the transaction that makes the change. */
export function peopleLog(audit: AuditWriter) {
  return (statements: Statements, event: string, detail: Readonly<Record<string, unknown>>, atMs: number): Work<void> =>
    audit.write(statements, { event, account: "", detail }, atMs);
}
