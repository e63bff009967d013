/**
 * Owns which subjects of an authorization server are which tenant's.
 *
 * Invariants: a subject is one tenant's; where there are tenants, one that is nobody's is not the operator's either; what changes is written in
 * the log in the same transaction.
 *
 * Source: decision 0040.
 */
import { defined, type Result } from "../../contract/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Connection } from "../sql/connection.ts";
import { numberCell, type Row, type Statements, textCell, type Work } from "../sql/statement.ts";
import { peopleLog, peopleTable } from "./people-table.ts";

/** Names somebody as an authorization server does. */
export interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/** `taken`: it is another tenant's. */
export type Admission = "admitted" | "taken" | "no_tenant";

export interface TenantSubjects {
  admit(name: string, who: Subject, nowMs: number): Promise<Result<Admission>>;
  /** @returns whose it was; undefined where it was nobody's */
  dismiss(who: Subject, nowMs: number): Promise<Result<string | undefined>>;
  /** Lists them by subject. */
  subjects(name: string): Promise<Result<readonly Subject[]>>;
  /** `operator`: nobody's, and there are no tenants. @returns undefined where it is nobody's, and there are some */
  ownerOf(who: Subject): Promise<Result<{ readonly tenant: string } | "operator" | undefined>>;
  /** @returns how many there were */
  dismissAll(nowMs: number, why: string): Promise<Result<number>>;
}

const TENANT = "SELECT 1 AS found FROM tenants WHERE name = ? AND removed_at_ms IS NULL";
const COUNT = "SELECT count(*) AS count FROM tenants WHERE removed_at_ms IS NULL";
const ADMIT = "INSERT INTO tenant_subjects (issuer, subject, tenant, admitted_at_ms) VALUES (?, ?, ?, ?)";
const ADMITTED = "SELECT tenant FROM tenant_subjects WHERE issuer = ? AND subject = ?";
const DISMISS = "DELETE FROM tenant_subjects WHERE issuer = ? AND subject = ?";
const SUBJECTS = "SELECT issuer, subject FROM tenant_subjects WHERE tenant = ? ORDER BY issuer, subject";
const ALL_SUBJECTS = "SELECT issuer, subject FROM tenant_subjects ORDER BY issuer, subject";

export function createTenantSubjects(connection: Connection, audit: AuditWriter): TenantSubjects {
  const log = peopleLog(audit);
  const admit = function* (statements: Statements, name: string, who: Subject, nowMs: number): Work<Admission> {
    const { issuer, subject } = who;
    if ((yield* statements.get(TENANT, [name])) === undefined) return "no_tenant";
    const owner = yield* statements.get(ADMITTED, [issuer, subject]);
    if (owner !== undefined) return textCell(owner, "tenant") === name ? "admitted" : "taken";
    yield* statements.run(ADMIT, [issuer, subject, name, nowMs]);
    yield* log(statements, "subject_admitted", { name, issuer, subject }, nowMs);
    return "admitted";
  };
  const dismiss = function* (statements: Statements, who: Subject, nowMs: number, why?: string) {
    const { issuer, subject } = who;
    const owner = yield* statements.get(ADMITTED, [issuer, subject]);
    if (owner === undefined) return undefined;
    const name = textCell(owner, "tenant");
    yield* statements.run(DISMISS, [issuer, subject]);
    yield* log(statements, "subject_dismissed", { name, issuer, subject, ...defined({ why }) }, nowMs);
    return name;
  };
  const { read, write } = peopleTable(connection);
  return {
    admit: (name, who, nowMs) => write((statements) => admit(statements, name, who, nowMs)),
    dismiss: (who, nowMs) => write((statements) => dismiss(statements, who, nowMs)),
    subjects: (name) =>
      read(function* ({ all }) {
        return (yield* all(SUBJECTS, [name])).map(subjectOf);
      }),
    ownerOf: ({ issuer, subject }) =>
      read(function* ({ get }) {
        const row = yield* get(ADMITTED, [issuer, subject]);
        if (row !== undefined) return { tenant: textCell(row, "tenant") };
        const count = yield* get(COUNT, []);
        return count === undefined || numberCell(count, "count") === 0 ? "operator" : undefined;
      }),
    dismissAll: (nowMs, why) =>
      write(function* (statements) {
        const all = (yield* statements.all(ALL_SUBJECTS, [])).map(subjectOf);
        for (const who of all) yield* dismiss(statements, who, nowMs, why);
        return all.length;
      }),
  };
}

function subjectOf(row: Row): Subject {
  return { issuer: textCell(row, "issuer"), subject: textCell(row, "subject") };
}
