/**
 * Owns where a store on a server is: the URL that is connected to, the schema that is the store, and what both are called in messages.
 *
 * Invariant: what is shown holds no user, no password and no option of the URL.
 */
import { StoreError } from "./store-error.ts";

export interface ServerAddress {
  /** With the password, for the driver alone. */
  readonly connectionString: string;
  /** One store; another schema is another store. */
  readonly schema: string;
  readonly shown: string;
}

const DEFAULT_SCHEMA = "hoga";
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const LOCAL = /^(|localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/** @throws StoreError "bad_address", naming what is wrong and never the URL */
export function serverAddress(text: string): ServerAddress {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw badAddress("is not a URL of the form postgres://user:password@host:5432/database", "Correct it.");
  const url = new URL(text);
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  url.searchParams.delete("schema");
  if (!SCHEMA.test(schema) || schema.startsWith("pg_"))
    throw badAddress(
      "names a schema that cannot be used",
      "A schema is of a-z, 0-9 and _, and does not begin with pg_.",
    );
  if (url.searchParams.has("options")) throw badAddress("has options", "Leave options out: they are hoga's own.");
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
  return { connectionString: url.href, schema, shown: `postgres://${host}${port}/${database} (schema ${schema})` };
}

function badAddress(what: string, fix: string): StoreError {
  return new StoreError("bad_address", `The address of the store (HOGA_STORE_URL) ${what}.`, fix);
}
