/**
 * The token of the admin interface: random, in a file for its owner only (0600) in the sandbox's directory, compared in constant
 * time. Entry points: `readToken`, `isToken`.
 *
 * Invariant: no error and no log shows the token.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { readPrivate, writePrivateFile } from "../private-files.ts";
import type { RandomBytes } from "../service/order-id.ts";
import { SandboxStartError, systemCode } from "../start-error.ts";

export const TOKEN_FILE = "admin-token";
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface AdminToken {
  readonly token: string;
  /** Absent for a sandbox in memory, which has a new token at every start. */
  readonly tokenFile?: string;
}

/** The token of a directory, or a new one. @throws SandboxStartError */
export async function readToken(dir: string | undefined, randomBytes: RandomBytes): Promise<AdminToken> {
  const fresh = Buffer.from(randomBytes(TOKEN_BYTES)).toString("base64url");
  if (dir === undefined) return { token: fresh };
  const path = join(dir, TOKEN_FILE);
  try {
    const stored = await readStored(path);
    if (stored === undefined) await writePrivateFile(path, `${fresh}\n`);
    else if (!TOKEN.test(stored)) throw unusable(path);
    return { token: stored ?? fresh, tokenFile: path };
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

async function readStored(path: string): Promise<string | undefined> {
  try {
    const text = readPrivate(path).toString();
    // Others may have read the file; as only paper money is at stake, it is closed to them and not refused.
    await chmod(path, 0o600);
    return text.trim();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function unusable(path: string, cause?: unknown): SandboxStartError {
  return new SandboxStartError(
    "admin_token_unusable",
    `${path} cannot be read or written as the token of the admin interface (${systemCode(cause) ?? "not a token"})`,
    "remove it; the sandbox then makes a new one",
    cause,
  );
}
