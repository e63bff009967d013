/**
 * Owns where a store on a server is: the URL that is connected to, the schema that is the store, and what both are called in messages.
 *
 * Invariant: what is shown holds no user, no password and no option of the URL.
 */
import { StoreError } from "./store-error.ts";

export interface ServerAddress {
  /** With the password, for the driver alone. */
  readonly connectionString: string;
  /** Names one store; another schema is another store. */
  readonly schema: string;
  readonly shown: string;
  /** Identifies the store from one start to the next: everything of the address that leads to it, and nothing else. */
  readonly standsAt: string;
  /** Connections at once. */
  readonly poolSize: number;
}

const DEFAULT_SCHEMA = "hoga";
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
/** Lists what a URL may say besides; the driver would take more, and what it does not know it passes over. */
const PARAMETERS: readonly string[] = [
  "schema",
  "host",
  "user",
  "password",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
];
const SSL_MODES: readonly string[] = ["disable", "no-verify", "require", "verify-ca", "verify-full"];
const LOCAL = /^(|localhost|\[::1\]|127(\.\d{1,3}){3})$/;

const DEFAULT_PORT = "5432";

const POOL_SIZE = 5;
/** Less than the operator's, as there may be many. Writes take turns anyway. */
const TENANT_POOL_SIZE = 3;

/**
 * @param tenant whose store it is: its schema begins with the operator's
 * @throws StoreError "bad_address", naming what is wrong and never the URL
 */
export function serverAddress(text: string, tenant?: string): ServerAddress {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw badAddress("is not a URL of the form postgres://user:password@host:5432/database", "Correct it.");
  const url = new URL(text);
  checkParameters(url.searchParams);
  const named = url.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  const schema = tenant === undefined ? named : `${named}_t_${tenant.replaceAll("-", "_")}`;
  url.searchParams.delete("schema");
  if (!SCHEMA.test(schema) || schema.startsWith("pg_"))
    throw badAddress(
      "names a schema that cannot be used",
      "A schema is of a-z, 0-9 and _, and does not begin with pg_.",
    );
  const database = url.pathname.slice(1);
  if (database === "") throw badAddress("names no database", "Add one: postgres://user@host:5432/hoga.");
  // It is shown, and a password that was written with a plain "/" ends up here.
  if (/[/@:]/.test(database))
    throw badAddress("names a database that cannot be", "Write /, @ and : in a password as %2F, %40 and %3A.");
  const socket = url.searchParams.get("host");
  const isLocal = LOCAL.test(url.hostname) && (socket === null || socket.startsWith("/"));
  if (!isLocal && !url.searchParams.has("sslmode"))
    throw badAddress(
      "is of another machine and does not say how the way there is kept safe",
      "Add ?sslmode=verify-full; ?sslmode=disable only where nobody else is on that network.",
    );
  const host = url.hostname === "" ? "this machine" : url.hostname;
  const port = url.port === "" ? "" : `:${url.port}`;
  const shown = `postgres://${host}${port}/${database} (schema ${schema})`;
  const poolSize = tenant === undefined ? POOL_SIZE : TENANT_POOL_SIZE;
  const standsAt = JSON.stringify([
    socket ?? url.hostname,
    url.port === "" ? DEFAULT_PORT : url.port,
    database,
    schema,
  ]);
  return { connectionString: url.href, schema, shown, standsAt, poolSize };
}

function checkParameters(given: URLSearchParams): void {
  const names = [...given.keys()];
  const isKnown = names.every((name) => PARAMETERS.includes(name)) && new Set(names).size === names.length;
  // A name is not quoted: a password that was written with a plain "&" or "?" ends up here.
  if (!isKnown)
    throw badAddress(
      "has a parameter that is not known, or one twice",
      `After the ? there may be ${PARAMETERS.join(", ")}, each once; write ?, & and # in a password as %3F, %26 and %23.`,
    );
  const mode = given.get("sslmode");
  if (mode !== null && !SSL_MODES.includes(mode))
    throw badAddress(
      "has an sslmode that is not known",
      `Set it to one of ${SSL_MODES.join(", ")}; verify-full is best.`,
    );
}

function badAddress(what: string, fix: string): StoreError {
  return new StoreError("bad_address", `The address of the store (HOGA_STORE_URL) ${what}.`, fix);
}
