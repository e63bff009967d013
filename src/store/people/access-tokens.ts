/**
 * Owns the tokens that let callers in over HTTP: who each is for, what it may do, and until when. The token itself is not here, only
 * its SHA-256 digest: of 32 random bytes nobody finds the token by it.
 *
 * Invariants: a name is one token's; what is revoked is gone, and was written in the log in the same transaction, as is what is created;
 * being used is noted to the hour, so that a request seldom writes.
 *
 * Source: decision 0035.
 */
import { defined, ok, type Result } from "../../contract/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Connection } from "../sql/connection.ts";
import { numberCell, type Row, type Statements, textCell, type Work } from "../sql/statement.ts";
import { peopleLog, peopleTable } from "./people-table.ts";

/** Times in Unix milliseconds. */
export interface AccessToken {
  readonly name: string;
  /** SHA-256 of the token, in hex. */
  readonly digest: string;
  /** Who it is of; absent: the operator. */
  readonly tenant?: string;
  /** Say what it may do; the words are those of the server. */
  readonly scopes: readonly string[];
  readonly createdAtMs: number;
  /** Absent: never. */
  readonly expiresAtMs?: number;
  /** The hour; absent where it was not used yet. */
  readonly usedAtMs?: number;
}

/** `taken`: there is one of this name. `too_many`: one has to be revoked first. `no_tenant`: there is none of the tenant's name. */
export type TokenCreation = "created" | "taken" | "too_many" | "no_tenant";

export interface AccessTokens {
  create(token: Omit<AccessToken, "usedAtMs">): Promise<Result<TokenCreation>>;
  /** Lists all by name, those that have expired too. */
  list(): Promise<Result<readonly AccessToken[]>>;
  /** Finds one by its digest, also where it has expired. */
  find(digest: string): Promise<Result<AccessToken | undefined>>;
  used(token: AccessToken, nowMs: number): Promise<Result<void>>;
  /** @returns false where there is none of this name */
  revoke(name: string, nowMs: number): Promise<Result<boolean>>;
  /** @returns how many there were */
  revokeAll(nowMs: number, why: string): Promise<Result<number>>;
}

/** Bounds those of the operator, and of each tenant. Each is a person's or a program's; more are a mistake. */
export const TOKENS_MAX = 256;

const HOUR_MS = 3_600_000;

const COLUMNS = "name, digest, tenant, scopes, created_at_ms, expires_at_ms, used_at_ms";
const LIST = `SELECT ${COLUMNS} FROM access_tokens ORDER BY name`;
const FIND = `SELECT ${COLUMNS} FROM access_tokens WHERE digest = ?`;
const COUNT = "SELECT count(*) AS count FROM access_tokens WHERE tenant = ?";
const TENANT = "SELECT 1 AS found FROM tenants WHERE name = ? AND removed_at_ms IS NULL";
const CREATE = `INSERT INTO access_tokens (name, digest, tenant, scopes, created_at_ms, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`;
const USED = "UPDATE access_tokens SET used_at_ms = ? WHERE digest = ?";
const REVOKE = "DELETE FROM access_tokens WHERE name = ?";

export function createAccessTokens(connection: Connection, audit: AuditWriter): AccessTokens {
  const { read, write } = peopleTable(connection);
  const log = peopleLog(audit);
  const list = function* ({ all }: Statements): Work<readonly AccessToken[]> {
    return (yield* all(LIST, [])).map(tokenOf);
  };
  const create = function* (statements: Statements, token: Omit<AccessToken, "usedAtMs">): Work<TokenCreation> {
    const { name, digest, tenant = "", scopes, createdAtMs, expiresAtMs = null } = token;
    if (tenant !== "" && (yield* statements.get(TENANT, [tenant])) === undefined) return "no_tenant";
    const count = yield* statements.get(COUNT, [tenant]);
    if (count !== undefined && numberCell(count, "count") >= TOKENS_MAX) return "too_many";
    const values = [name, digest, tenant, scopes.join(" "), createdAtMs, expiresAtMs];
    const { changes } = yield* statements.run(CREATE, values);
    if (changes === 0) return "taken";
    const expires = expiresAtMs === null ? "never" : new Date(expiresAtMs).toISOString();
    const detail = { name, scopes: scopes.join(" "), expires, ...(tenant === "" ? {} : { tenant }) };
    yield* log(statements, "token_created", detail, createdAtMs);
    return "created";
  };
  const revoke = function* (statements: Statements, name: string, nowMs: number, why?: string): Work<boolean> {
    if ((yield* statements.run(REVOKE, [name])).changes === 0) return false;
    const detail = why === undefined ? { name } : { name, why };
    yield* log(statements, "token_revoked", detail, nowMs);
    return true;
  };
  return {
    create: (token) => write((statements) => create(statements, token)),
    list: () => read(list),
    find: (digest) =>
      read(function* ({ get }) {
        const row = yield* get(FIND, [digest]);
        return row && tokenOf(row);
      }),
    used: async ({ digest, usedAtMs }, nowMs) => {
      const hour = nowMs - (nowMs % HOUR_MS);
      return usedAtMs === hour ? ok(undefined) : write(({ put }) => put(USED, [hour, digest]));
    },
    revoke: (name, nowMs) => write((statements) => revoke(statements, name, nowMs)),
    revokeAll: (nowMs, why) =>
      write(function* (statements) {
        const tokens = yield* list(statements);
        for (const { name } of tokens) yield* revoke(statements, name, nowMs, why);
        return tokens.length;
      }),
  };
}

function tokenOf(row: Row): AccessToken {
  const optional = (column: string) => (row[column] === null ? undefined : numberCell(row, column));
  const tenant = textCell(row, "tenant");
  return {
    name: textCell(row, "name"),
    ...(tenant === "" ? {} : { tenant }),
    digest: textCell(row, "digest"),
    scopes: textCell(row, "scopes").split(" "),
    createdAtMs: numberCell(row, "created_at_ms"),
    ...defined({ expiresAtMs: optional("expires_at_ms"), usedAtMs: optional("used_at_ms") }),
  };
}
