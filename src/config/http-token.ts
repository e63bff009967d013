/**
 * Owns the token that lets a client in over HTTP: random, made once by whichever process needs it first, kept in a file that its
 * owner alone can read. Entry point: `httpToken`.
 *
 * Invariants: the file is whole from the moment it has its name, so processes that begin together have one token; a token that
 * others can read is not used; no message holds the token.
 *
 * Source: settings.md#data-directory, decision 0022.
 */
import { randomBytes, randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { ConfigError } from "./config-error.ts";
import { type Home, prepareHome } from "./home.ts";
import { Secret } from "./secret.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;
const OTHERS = 0o077;

/** The token of a data directory, made where there is none. @throws ConfigError where the file cannot be trusted or used */
export function httpToken(home: Home): Secret {
  prepareHome(home);
  const path = home.httpToken;
  const token = stored(path) ?? made(path);
  if (token === undefined) throw unusable(path, "is gone again");
  return new Secret(token);
}

function stored(path: string): string | undefined {
  let file: number;
  try {
    // Not through a link, and without waiting: a pipe in its place has no writer to wait for.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw unusable(path, `cannot be read (${codeOf(error)})`);
  }
  try {
    checkOwner(path, fstatSync(file));
    const text = readFileSync(file, "utf8").trim();
    if (!TOKEN.test(text)) throw unusable(path, "holds no token");
    return text;
  } finally {
    closeSync(file);
  }
}

/** Closing the file now would not help: whoever has read the token has it. */
function checkOwner(path: string, stats: Stats): void {
  const { mode, uid } = stats;
  if (!stats.isFile()) throw unusable(path, "is not a file");
  if (process.platform === "win32") return;
  if (uid !== process.geteuid?.()) throw unusable(path, "belongs to another user");
  if ((mode & OTHERS) !== 0)
    throw unusable(path, `is open to other users of this machine (mode ${(mode & 0o777).toString(8)})`);
}

/** @returns what the file holds then, whoever made it */
function made(path: string): string | undefined {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${randomBytes(TOKEN_BYTES).toString("base64url")}\n`, {
      mode: 0o600,
      flag: "wx",
      flush: true,
    });
    nameFile(draft, path);
  } catch (error) {
    throw unusable(path, `cannot be made (${codeOf(error)})`);
  } finally {
    rmSync(draft, { force: true });
  }
  return stored(path);
}

/** One that came first stays. */
function nameFile(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    // A file system without links, such as that of a memory card.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(codeOf(error))) throw error;
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}

function unusable(path: string, problem: string): ConfigError {
  return new ConfigError(
    `${path}, the token that lets clients in over HTTP, ${problem}.`,
    "Remove it: the next start makes a new one, which then goes into the configuration of each assistant that connects over HTTP.",
  );
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code);
}
