/**
 * Owns the token that administers a sandbox: random, kept for its owner alone (0600) beside the exchange it belongs to, compared
 * in constant time.
 *
 * Invariant: no error and no log shows it.
 */
import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { chmod, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { RandomBytes } from "../service/order-id.ts";
import { SandboxStartError, systemCode } from "../start-error.ts";

export const TOKEN_FILE = "admin-token";
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface KeptToken {
  readonly token: string;
  /** Absent for a sandbox in memory, which has a new token every time. */
  readonly tokenFile?: string;
}

/** The token of a directory, or a new one. @throws SandboxStartError */
export async function readToken(dir: string | undefined, randomBytes: RandomBytes): Promise<KeptToken> {
  const made = Buffer.from(randomBytes(TOKEN_BYTES)).toString("base64url");
  if (dir === undefined) return { token: made };
  const path = join(dir, TOKEN_FILE);
  try {
    const kept = await readKept(path);
    if (kept === undefined) await write(path, made);
    else if (!TOKEN.test(kept)) throw unusable(path);
    return { token: kept ?? made, tokenFile: path };
  } catch (error) {
    throw error instanceof SandboxStartError ? error : unusable(path, error);
  }
}

export function isToken(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

async function readKept(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, "utf8");
    // Paper money only, so what others may have read of it is closed, not refused.
    await chmod(path, 0o600);
    return text.trim();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function write(path: string, token: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${token}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

function unusable(path: string, cause?: unknown): SandboxStartError {
  return new SandboxStartError(
    "admin_token_unusable",
    `${path} cannot be read or written as the token of the admin interface (${systemCode(cause) ?? "not a token"})`,
    "remove it; the sandbox then makes a new one",
    cause,
  );
}
