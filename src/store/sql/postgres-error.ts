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

/** Keyed by the first two characters of an SQLSTATE, then by the whole. Source: postgresql.org/docs/15/errcodes-appendix.html. */
const BY_CLASS: Readonly<Record<string, StoreErrorCode>> = {
  "08": "connection_lost",
  "28": "login_refused",
  "57": "connection_lost",
  "58": "io_error",
};
const BY_STATE: Readonly<Record<string, StoreErrorCode>> = {
  "3D000": "no_database",
  "3F000": "no_tables", // no such schema
  "25006": "unwritable",
  "25P03": "connection_lost", // it stood still in a transaction for too long
  "42501": "unwritable",
  "42P01": "no_tables",
  "40001": "busy",
  "40P01": "busy",
  "53100": "disk_full",
  "53300": "no_room",
  "55P03": "busy",
  "57014": "canceled",
  "57P03": "no_server", // starting up, or shutting down
  XX001: "damaged",
  XX002: "damaged",
};
/** A row that the tables do not take, and statements whose text or values are wrong: what we wrote was. */
const OUR_MISTAKES = /^(?:22|23|42601$|42703$)/;

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

/**
 * Tells what an error of the driver means: a `StoreError`, also where it is not known here, or a `StoreInvariantError` for what only a
 * mistake of ours brings about.
 */
export function explainServerError(error: unknown, path: string): unknown {
  if (error instanceof StoreError || error instanceof StoreInvariantError || !(error instanceof Error)) return error;
  const { code, message, errors } = error as ServerFault;
  // Each address of a name was tried.
  if (Array.isArray(errors) && errors.length > 0) return explainServerError(errors[0], path);
  if (typeof code === "string") {
    const state = /^[0-9A-Z]{5}$/.test(code);
    const found = BY_SYSTEM_CODE[code] ?? (state ? (BY_STATE[code] ?? BY_CLASS[code.slice(0, 2)]) : undefined);
    if (found !== undefined) return storeError(found, path, error, ...detailOf(found, code, path));
    if (state && OUR_MISTAKES.test(code))
      return new StoreInvariantError(`PostgreSQL refused a statement (${code})`, { cause: error });
    if (state)
      return storeError("refused", path, error, `The server of the store ${path} refused a statement (${code}).`);
    // TLS: a certificate that is not trusted, for example.
    return storeError("no_server", path, error, `The store ${path} cannot be reached safely (${code}).`, CERTIFICATE);
  }
  if (typeof message !== "string") return error;
  if (/password must be a string/.test(message))
    return storeError(
      "login_refused",
      path,
      error,
      `The store ${path} asks for a password, and none was given.`,
      PASSWORD,
    );
  if (/SASL|SCRAM/.test(message)) return storeError("login_refused", path, error);
  if (/does not support SSL/.test(message))
    return storeError("no_server", path, error, `The server of the store ${path} does not offer TLS.`, NO_TLS);
  if (/timeout exceeded when trying to connect|timeout expired|Query read timeout/.test(message))
    return storeError("no_answer", path, error);
  if (/[Cc]onnection (terminated|ended)|not queryable/.test(message)) return storeError("connection_lost", path, error);
  return error;
}

const CERTIFICATE = "Look at the server's certificate, and at sslmode and sslrootcert in HOGA_STORE_URL.";
const PASSWORD = "Put it into HOGA_STORE_URL, or into PGPASSWORD.";
const NO_TLS = "Switch TLS on there; ?sslmode=disable in HOGA_STORE_URL only where nobody else is on that network.";
const LATER = "Wait until the server has started; nothing has to be restarted here.";
const MAY_LOG_IN = "Look at pg_hba.conf there, and whether the user may log in and to this database.";

/** Says otherwise where more is known than the kind: the sentence, and what to do. */
function detailOf(found: StoreErrorCode, code: string, path: string): [message?: string, fix?: string] {
  switch (code) {
    case "25006":
      return [`The store ${path} takes no writes: its server is a standby, or was set to read only.`];
    case "28000":
      return [`The server of the store ${path} does not let our user in.`, MAY_LOG_IN];
    case "40001":
    case "40P01":
      return [`The server ended a transaction of the store ${path} that stood in another's way (${code}).`];
    case "42501":
      return [`The user of the store ${path} may not do there what a store needs.`];
    case "57P03":
      return [`The server of the store ${path} takes no connections now: it starts, stops or recovers.`, LATER];
    default:
      return found === "no_server" ? [`The store ${path} cannot be reached (${code}).`] : [];
  }
}

/** Tells whether the connection, and with it what was not committed, is gone. */
export function isLost(error: unknown): error is StoreError {
  return error instanceof StoreError && LOST.includes(error.code);
}

const LOST: readonly StoreErrorCode[] = ["connection_lost", "no_server", "no_room", "no_answer"];

/** Tells whether it is the time for an answer that was over. */
export function isSilence(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === "no_answer";
}

/** Tells whether nothing can be asked of the server: what comes next would end the same way. */
export function isAway(error: unknown): error is StoreError {
  return isLost(error) || (error instanceof StoreError && SHUT_OUT.includes(error.code));
}

/** No other attempt would do better, until somebody has put it right. */
const SHUT_OUT: readonly StoreErrorCode[] = ["login_refused", "no_database"];
