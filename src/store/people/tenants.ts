/**
 * Owns who the tenants are, in the operator's store: by which profile each trades, and its sealed key. What a tenant does is not here but in
 * a store of its own.
 *
 * Invariants: a name is one tenant's for good, also after it was removed, as what it has left lies under it; a key of the exchange is one
 * tenant's; a key is sealed before it comes here; what changes is written in the log in the same transaction, without the key.
 *
 * Source: decision 0040.
 */
import { defined, type Result } from "../../contract/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Connection } from "../sql/connection.ts";
import { numberCell, type Row, type Statements, textCell, type Work } from "../sql/statement.ts";
import { peopleLog, peopleTable } from "./people-table.ts";
import { createTenantSubjects, type TenantSubjects } from "./tenant-subjects.ts";

/** Times in Unix milliseconds. */
export interface KeptTenant {
  readonly name: string;
  readonly profile: string;
  readonly createdAtMs: number;
  readonly key?: KeptKey;
}

export interface KeptKey {
  /** SHA-256 of the key at the exchange, in hex: the same for the same key. */
  readonly digest: string;
  /** Under which it is sealed. */
  readonly masterKeyId: string;
  readonly sealed: string;
}

/** `taken`: there is one of this name, or was. `too_many`: one has to be removed first. */
export type TenantCreation = "created" | "taken" | "too_many";
/** `in_use`: it is another tenant's. */
export type KeySetting = "set" | "in_use" | "no_tenant";
export interface Tenants extends TenantSubjects {
  create(tenant: Omit<KeptTenant, "key">): Promise<Result<TenantCreation>>;
  /** Lists them by name. */
  list(): Promise<Result<readonly KeptTenant[]>>;
  find(name: string): Promise<Result<KeptTenant | undefined>>;
  /** With its key, its tokens and its subjects. @returns false where there is none of this name */
  remove(name: string, nowMs: number): Promise<Result<boolean>>;
  setKey(name: string, key: KeptKey, nowMs: number): Promise<Result<KeySetting>>;
  /** The same key under another master key. @returns false where it is not the one that was read any more */
  reseal(name: string, from: KeptKey, to: KeptKey, nowMs: number): Promise<Result<boolean>>;
}

/** Each is a store of its own, which a server keeps open. */
export const TENANTS_MAX = 256;

const FROM = `SELECT tenants.name AS name, profile, created_at_ms, digest, master_key_id, sealed FROM tenants
  LEFT JOIN tenant_keys ON tenant_keys.tenant = tenants.name WHERE removed_at_ms IS NULL`;
const LIST = `${FROM} ORDER BY tenants.name`;
const FIND = `${FROM} AND tenants.name = ?`;
const COUNT = "SELECT count(*) AS count FROM tenants WHERE removed_at_ms IS NULL";
const CREATE = "INSERT INTO tenants (name, profile, created_at_ms) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING";
const REMOVE = "UPDATE tenants SET removed_at_ms = ? WHERE name = ? AND removed_at_ms IS NULL";
const CLEAR = [
  "DELETE FROM tenant_keys WHERE tenant = ?",
  "DELETE FROM tenant_subjects WHERE tenant = ?",
  "DELETE FROM access_tokens WHERE tenant = ?",
];
const SET_KEY = `INSERT INTO tenant_keys (tenant, digest, master_key_id, sealed, sealed_at_ms) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant) DO UPDATE SET digest = excluded.digest, master_key_id = excluded.master_key_id,
  sealed = excluded.sealed, sealed_at_ms = excluded.sealed_at_ms`;
const KEY_OWNER = "SELECT tenant FROM tenant_keys WHERE digest = ?";
const RESEAL = "UPDATE tenant_keys SET master_key_id = ?, sealed = ?, sealed_at_ms = ? WHERE tenant = ? AND sealed = ?";
export function createTenants(connection: Connection, audit: AuditWriter): Tenants {
  const log = peopleLog(audit);
  const isThere = function* ({ get }: Statements, name: string): Work<boolean> {
    return (yield* get(FIND, [name])) !== undefined;
  };
  const create = function* (statements: Statements, { name, profile, createdAtMs }: KeptTenant): Work<TenantCreation> {
    const count = yield* statements.get(COUNT, []);
    if (count !== undefined && numberCell(count, "count") >= TENANTS_MAX) return "too_many";
    if ((yield* statements.run(CREATE, [name, profile, createdAtMs])).changes === 0) return "taken";
    yield* log(statements, "tenant_created", { name, profile }, createdAtMs);
    return "created";
  };
  const remove = function* (statements: Statements, name: string, nowMs: number): Work<boolean> {
    if ((yield* statements.run(REMOVE, [nowMs, name])).changes === 0) return false;
    for (const sql of CLEAR) yield* statements.run(sql, [name]);
    yield* log(statements, "tenant_removed", { name }, nowMs);
    return true;
  };
  const setKey = function* (statements: Statements, name: string, key: KeptKey, nowMs: number): Work<KeySetting> {
    if (!(yield* isThere(statements, name))) return "no_tenant";
    const { digest, masterKeyId, sealed } = key;
    const owner = yield* statements.get(KEY_OWNER, [digest]);
    if (owner !== undefined && textCell(owner, "tenant") !== name) return "in_use";
    yield* statements.run(SET_KEY, [name, digest, masterKeyId, sealed, nowMs]);
    yield* log(statements, "tenant_key_set", { name, master_key: masterKeyId }, nowMs);
    return "set";
  };
  const { read, write } = peopleTable(connection);
  return {
    create: (tenant) => write((statements) => create(statements, tenant)),
    list: () =>
      read(function* ({ all }) {
        return (yield* all(LIST, [])).map(tenantOf);
      }),
    find: (name) =>
      read(function* ({ get }) {
        const row = yield* get(FIND, [name]);
        return row && tenantOf(row);
      }),
    ...createTenantSubjects(connection, audit),
    remove: (name, nowMs) => write((statements) => remove(statements, name, nowMs)),
    setKey: (name, key, nowMs) => write((statements) => setKey(statements, name, key, nowMs)),
    reseal: (name, from, { masterKeyId, sealed }, nowMs) =>
      write(function* (statements) {
        const values = [masterKeyId, sealed, nowMs, name, from.sealed];
        if ((yield* statements.run(RESEAL, values)).changes === 0) return false;
        yield* log(statements, "tenant_key_resealed", { name, master_key: masterKeyId }, nowMs);
        return true;
      }),
  };
}

function tenantOf(row: Row): KeptTenant {
  const key =
    row["sealed"] === null
      ? undefined
      : {
          digest: textCell(row, "digest"),
          masterKeyId: textCell(row, "master_key_id"),
          sealed: textCell(row, "sealed"),
        };
  return {
    name: textCell(row, "name"),
    profile: textCell(row, "profile"),
    createdAtMs: numberCell(row, "created_at_ms"),
    ...defined({ key }),
  };
}
