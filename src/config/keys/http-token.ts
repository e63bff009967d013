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
import { constants, copyFileSync, linkSync, rmSync, writeFileSync } from "node:fs";
import { ConfigError } from "../files/config-error.ts";
import { type Home, prepareHome } from "../files/home.ts";
import { codeOf, readOwnFile } from "../files/own-file.ts";
import { Secret } from "../secrets/secret.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** The token of a data directory, made where there is none. @throws ConfigError where the file cannot be trusted or used */
export function httpToken(home: Home): Secret {
  prepareHome(home);
  const path = home.httpToken;
  const token = stored(path) ?? made(path);
  if (token === undefined) throw unusable(path, "is gone again");
  return new Secret(token);
}

function stored(path: string): string | undefined {
  // One that is open to others is not repaired: whoever has read the token has it.
  const text = readOwnFile(path, (problem) => unusable(path, problem))?.trim();
  if (text !== undefined && !TOKEN.test(text)) throw unusable(path, "holds no token");
  return text;
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

/** Leaves one that came first. */
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
