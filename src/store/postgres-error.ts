/**
 * Owns what can go wrong with a store on a PostgreSQL server, and how it is said.
 *
 * Invariant: a message names host, port, database and schema, and never the user's password.
 */
import { StoreError, type StoreErrorCode, StoreInvariantError, storeError } from "./store-error.ts";

interface ServerFault {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
}

/** By the first two characters of an SQLSTATE, then by the whole. Source: postgresql.org/docs/15/errcodes-appendix.html. */
const BY_CLASS: Readonly<Record<string, StoreErrorCode>> = {
  "08": "connection_lost",
  "28": "login_refused",
  "53": "no_server", // insufficient resources: too many connections
  "57": "connection_lost",
  "58": "io_error",
  XX: "damaged",
};
const BY_STATE: Readonly<Record<string, StoreErrorCode>> = {
  "3D000": "no_database",
  "25006": "unwritable", // a read-only standby
  "25P03": "connection_lost", // it stood still in a transaction for too long
  "42501": "unwritable",
  "40001": "busy",
  "40P01": "busy",
  "53100": "disk_full",
  "55P03": "busy",
  "57014": "busy",
  "57P03": "no_server", // starting up
};

const BY_SYSTEM_CODE: Readonly<Record<string, StoreErrorCode>> = {
  ECONNREFUSED: "no_server",
  EHOSTUNREACH: "no_server",
  ENETUNREACH: "no_server",
  ENOTFOUND: "no_server",
  EAI_AGAIN: "no_server",
  ENOENT: "no_server", // no such socket
  EACCES: "no_server",
  ETIMEDOUT: "no_server",
  ECONNRESET: "connection_lost",
  EPIPE: "connection_lost",
};

/** What an error of the driver means: a `StoreError`, or for a statement that the server refuses a `StoreInvariantError`. */
export function explainServerError(error: unknown, path: string): unknown {
  if (error instanceof StoreError || error instanceof StoreInvariantError || !(error instanceof Error)) return error;
  const { code, message, errors } = error as ServerFault;
  // Each address of a name was tried.
  if (Array.isArray(errors) && errors.length > 0) return explainServerError(errors[0], path);
  if (typeof code === "string") {
    const state = /^[0-9A-Z]{5}$/.test(code);
    const found = BY_SYSTEM_CODE[code] ?? (state ? (BY_STATE[code] ?? BY_CLASS[code.slice(0, 2)]) : undefined);
    if (found !== undefined) return storeError(found, path, error, detailOf(found, code, path));
    if (state) return new StoreInvariantError(`PostgreSQL refused a statement (${code})`, { cause: error });
    // TLS: a certificate that is not trusted, for example.
    return storeError("no_server", path, error, `The store ${path} cannot be reached safely (${code}).`);
  }
  if (typeof message !== "string") return error;
  if (/password must be a string|SASL|SCRAM/.test(message)) return storeError("login_refused", path, error);
  if (/timeout exceeded when trying to connect|does not support SSL|timeout expired/.test(message))
    return storeError("no_server", path, error, `The store ${path} did not let us in: ${message.slice(0, 80)}.`);
  if (/[Cc]onnection (terminated|ended)|Query read timeout|not queryable/.test(message))
    return storeError("connection_lost", path, error);
  return error;
}

function detailOf(found: StoreErrorCode, code: string, path: string): string | undefined {
  if (code === "25006") return `The store ${path} is on a standby server, which takes no writes.`;
  if (code === "42501") return `The user of the store ${path} may not do there what a store needs.`;
  if (code === "53300") return `The server of the store ${path} has no connection left for us.`;
  return found === "no_server" && /^E/.test(code) ? `The store ${path} cannot be reached (${code}).` : undefined;
}

/** Whether the connection, and with it what was not committed, is gone. */
export function isLost(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.code === "connection_lost" || error.code === "no_server");
}
