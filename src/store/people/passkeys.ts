/**
 * Owns the passkeys that persons have enrolled: what each signs with, whom it is for, how often it has signed. No secret is here; whoever could write here could
 * let a passkey of their own in.
 *
 * Invariants: a credential is there once; enrolling, using and removing one stands in the audit log, with its public key, in the transaction that does it, so
 * that the log alone can prove later what was signed; the counter of one that counts never goes back, in any number of processes.
 *
 * Source: decision 0045.
 */
import { defined, type Result } from "../../contract/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Connection } from "../sql/connection.ts";
import { numberCell, type Row, type Statements, textCell, type Work } from "../sql/statement.ts";
import { peopleLog, peopleTable } from "./people-table.ts";

/** Times in Unix milliseconds, bytes as base64url. */
export interface Passkey {
  readonly credentialId: string;
  /** Stands as COSE has it. */
  readonly publicKey: string;
  /** Counts how often it has signed; one that does not count says 0. */
  readonly counter: number;
  /** Say how a browser reaches it, in its words. */
  readonly transports: readonly string[];
  readonly name: string;
  /** The host whose pages may ask it. */
  readonly rpId: string;
  /** Tells whether somebody with the PIN, or with a passkey that is proven, has enrolled it: no other counts for real money. */
  readonly isProven: boolean;
  readonly createdAtMs: number;
  /** Absent where it was not used yet. */
  readonly usedAtMs?: number;
}

/** `taken`: it is enrolled already. `too_many`: one has to be removed first. */
export type PasskeyEnrolment = "enrolled" | "taken" | "too_many";

export interface Passkeys {
  /** @param by what vouched for it, such as the PIN */
  enrol(passkey: Omit<Passkey, "usedAtMs">, by: string): Promise<Result<PasskeyEnrolment>>;
  /** Oldest first. */
  list(): Promise<Result<readonly Passkey[]>>;
  find(credentialId: string): Promise<Result<Passkey | undefined>>;
  /**
   * Counts one signature, once.
   * @param used what it was for
   * @returns false where the passkey is not there any more, or has signed as often before
   */
  use(
    credentialId: string,
    used: { readonly counter: number; readonly purpose: string },
    nowMs: number,
  ): Promise<Result<boolean>>;
  /** @returns false where there is none */
  remove(credentialId: string, nowMs: number, why: string): Promise<Result<boolean>>;
  /** @returns how many there were */
  removeAll(nowMs: number, why: string): Promise<Result<number>>;
}

/** A person has a few. */
export const PASSKEYS_MAX = 32;

const COLUMNS = "credential_id, public_key, counter, transports, name, rp_id, is_proven, created_at_ms, used_at_ms";
const LIST = `SELECT ${COLUMNS} FROM passkeys ORDER BY created_at_ms, credential_id`;
const FIND = `SELECT ${COLUMNS} FROM passkeys WHERE credential_id = ?`;
const COUNT = "SELECT count(*) AS count FROM passkeys";
const ENROL = `INSERT INTO passkeys
  (credential_id, public_key, counter, transports, name, rp_id, is_proven, created_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (credential_id) DO NOTHING`;
/** Leaves one that does not count at 0; one that has counted once has to go on. */
const USE = `UPDATE passkeys SET counter = ?, used_at_ms = ?
  WHERE credential_id = ? AND counter <= ? AND (counter < ? OR counter = 0)`;
const REMOVE = "DELETE FROM passkeys WHERE credential_id = ?";

export function createPasskeys(connection: Connection, audit: AuditWriter): Passkeys {
  const { read, write } = peopleTable(connection);
  const log = peopleLog(audit);
  const find = function* ({ get }: Statements, credentialId: string): Work<Passkey | undefined> {
    const row = yield* get(FIND, [credentialId]);
    return row && passkeyOf(row);
  };
  const list = function* ({ all }: Statements): Work<readonly Passkey[]> {
    return (yield* all(LIST, [])).map(passkeyOf);
  };
  const enrol = function* (
    statements: Statements,
    passkey: Omit<Passkey, "usedAtMs">,
    by: string,
  ): Work<PasskeyEnrolment> {
    const { credentialId, publicKey, counter, transports, name, rpId, isProven, createdAtMs } = passkey;
    const count = yield* statements.get(COUNT, []);
    if (count !== undefined && numberCell(count, "count") >= PASSKEYS_MAX) return "too_many";
    const proven = isProven ? 1 : 0;
    const values = [credentialId, publicKey, counter, transports.join(" "), name, rpId, proven, createdAtMs];
    if ((yield* statements.run(ENROL, values)).changes === 0) return "taken";
    const detail = { name, credential_id: credentialId, public_key: publicKey, rp_id: rpId, proven: isProven, by };
    yield* log(statements, "passkey_enrolled", detail, createdAtMs);
    return "enrolled";
  };
  const remove = function* (statements: Statements, credentialId: string, nowMs: number, why: string): Work<boolean> {
    const passkey = yield* find(statements, credentialId);
    if (passkey === undefined) return false;
    yield* statements.run(REMOVE, [credentialId]);
    const detail = { name: passkey.name, credential_id: credentialId, why };
    yield* log(statements, "passkey_removed", detail, nowMs);
    return true;
  };
  return {
    enrol: (passkey, by) => write((statements) => enrol(statements, passkey, by)),
    list: () => read(list),
    find: (credentialId) => read((statements) => find(statements, credentialId)),
    use: (credentialId, { counter, purpose }, nowMs) =>
      write(function* (statements) {
        const { changes } = yield* statements.run(USE, [counter, nowMs, credentialId, counter, counter]);
        if (changes === 0) return false;
        const detail = { credential_id: credentialId, counter, purpose };
        yield* log(statements, "passkey_used", detail, nowMs);
        return true;
      }),
    remove: (credentialId, nowMs, why) => write((statements) => remove(statements, credentialId, nowMs, why)),
    removeAll: (nowMs, why) =>
      write(function* (statements) {
        const passkeys = yield* list(statements);
        for (const { credentialId } of passkeys) yield* remove(statements, credentialId, nowMs, why);
        return passkeys.length;
      }),
  };
}

function passkeyOf(row: Row): Passkey {
  const usedAtMs = row["used_at_ms"] === null ? undefined : numberCell(row, "used_at_ms");
  return {
    credentialId: textCell(row, "credential_id"),
    publicKey: textCell(row, "public_key"),
    counter: numberCell(row, "counter"),
    transports: textCell(row, "transports")
      .split(" ")
      .filter((word) => word !== ""),
    name: textCell(row, "name"),
    rpId: textCell(row, "rp_id"),
    isProven: numberCell(row, "is_proven") === 1,
    createdAtMs: numberCell(row, "created_at_ms"),
    ...defined({ usedAtMs }),
  };
}
