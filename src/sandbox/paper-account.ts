/**
 * The account and the key that a sandbox comes with: created at the first start in a directory, and read at later ones. Entry
 * points: `readOrCreatePaperKey`, `ensurePaperAccount`, `prepareDir`.
 *
 * Invariants: the key file is written before the key is created in the exchange, and the next start completes what a crash left
 * undone; the file can be read by its owner only (0600).
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Permission, Tier } from "../contract/index.ts";
import type { Command, Millis, Units } from "./model/index.ts";
import { ONE } from "./model/index.ts";
import { makeDirectory, readPrivate, writePrivateFile } from "./private-files.ts";
import type { RandomBytes } from "./service/order-id.ts";
import type { JournaledExchange } from "./service/service.ts";
import { SandboxStartError, systemCode } from "./start-error.ts";

export interface PaperKey {
  readonly accountId: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}

const ACCOUNT_ID = "paper";
/** By the currencies in which its markets are quoted. */
const FIRST_DEPOSITS: Readonly<Record<string, Units>> = { KRW: 10_000_000n * ONE, USDT: 10_000n * ONE };
const PERMISSIONS: readonly Permission[] = ["query", "trade"];
const PERMISSIONS_WITH_TRANSFERS: readonly Permission[] = [...PERMISSIONS, "transfer"];
const TIER: Tier = "pro";
const KEY_ID_BYTES = 16;
const SECRET_BYTES = 64;
const SANDBOX_ID_LETTERS = 32;
const FILE = "key.json";

const keyFile = z.object({ api_key: z.string().min(1), api_secret: z.base64().min(1), account_id: z.string().min(1) });

/** The key of a directory, or a new one; a sandbox in memory has no directory. */
export async function readOrCreatePaperKey(dir: string | undefined, randomBytes: RandomBytes): Promise<PaperKey> {
  const stored = dir === undefined ? undefined : readKeyFile(join(dir, FILE));
  if (stored !== undefined) return stored;
  const key: PaperKey = {
    accountId: ACCOUNT_ID,
    apiKey: Buffer.from(randomBytes(KEY_ID_BYTES)).toString("base64url"),
    apiSecret: Buffer.from(randomBytes(SECRET_BYTES)).toString("base64"),
  };
  if (dir !== undefined) await writeKeyFile(dir, key);
  return key;
}

/** The id of the exchange: the same as long as its directory has the same key, and the key cannot be computed from it. */
export function sandboxIdOf({ apiKey }: PaperKey): string {
  return createHash("sha256").update(`hoga sandbox ${apiKey}`).digest("hex").slice(0, SANDBOX_ID_LETTERS);
}

/**
 * Creates what the exchange lacks of account, deposit and key; a revoked key stays revoked. With `drafts` the key gets the
 * permission for transfers, unless its permissions were changed.
 */
export async function ensurePaperAccount(
  journaled: JournaledExchange,
  key: PaperKey,
  at: Millis,
  { drafts = false }: { readonly drafts?: boolean } = {},
): Promise<void> {
  const { exchange } = journaled;
  const { accountId, apiKey, apiSecret } = key;
  const missing: Command[] = [];
  if (exchange.account(accountId) === undefined)
    missing.push({ type: "createAccount", accountId, krwAccountLinked: true });
  if (exchange.balances(accountId).length === 0)
    for (const [asset, amount] of Object.entries(FIRST_DEPOSITS))
      if (exchange.markets().some(({ quote }) => quote === asset))
        missing.push({ type: "deposit", accountId, asset, amount });
  const known = exchange.key(apiKey);
  const permissions = drafts ? PERMISSIONS_WITH_TRANSFERS : PERMISSIONS;
  if (known !== undefined && drafts && isDeepStrictEqual(known.permissions, PERMISSIONS))
    missing.push({ type: "setKey", keyId: apiKey, change: { permissions } });
  if (known === undefined && !exchange.isRevoked(apiKey)) {
    const rights = { permissions, tier: TIER, ipAllowList: [], rejectDuplicateUserref: false };
    missing.push({ type: "createKey", key: { keyId: apiKey, secret: apiSecret, accountId, ...rights } });
  }
  for (const command of missing) {
    const applied = journaled.apply(command, at);
    if (!applied.ok) throw new Error(`${command.type} was refused: ${applied.message}`);
  }
  if (missing.length > 0) await journaled.durable();
}

/** Creates the directory, for its owner only. */
export function prepareDir(dir: string): void {
  try {
    makeDirectory(dir);
  } catch (error) {
    throw dirUnusable(dir, error);
  }
}

export function dirUnusable(dir: string, cause: unknown): SandboxStartError {
  const why = systemCode(cause) ?? "unknown reason";
  return new SandboxStartError(
    "dir_unusable",
    `the sandbox cannot keep its data in ${dir} (${why})`,
    "choose a directory you may write to, or leave it out to keep everything in memory",
    cause,
  );
}

function readKeyFile(path: string): PaperKey | undefined {
  let text: string;
  try {
    text = readPrivate(path).toString();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw unreadable(path);
  }
  const parsed = keyFile.safeParse(jsonOf(text));
  // Without the cause, which would quote the secret.
  if (!parsed.success) throw unreadable(path);
  const { api_key: apiKey, api_secret: apiSecret, account_id: accountId } = parsed.data;
  return { apiKey, apiSecret, accountId };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(path: string): SandboxStartError {
  return new SandboxStartError(
    "key_file_unreadable",
    `${path} cannot be read as the sandbox's key`,
    "remove it; the sandbox then makes a new key for the same account",
  );
}

async function writeKeyFile(dir: string, { apiKey, apiSecret, accountId }: PaperKey): Promise<void> {
  const fields = { api_key: apiKey, api_secret: apiSecret, account_id: accountId };
  try {
    await writePrivateFile(join(dir, FILE), `${JSON.stringify(fields, undefined, 2)}\n`);
  } catch (error) {
    throw dirUnusable(dir, error);
  }
}
