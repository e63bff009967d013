/**
 * Owns the master key, under which the keys of tenants are sealed: 32 random bytes in base64, from a variable, a file or a command, never
 * from the store. While one is replaced the old one is there beside it.
 *
 * Invariants: it comes from one place; it is a `Secret` from the moment it is read; no error shows it, or what a command printed.
 *
 * Source: decision 0040; tenants.md#master-key.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { ConfigError } from "../files/config-error.ts";
import type { Environment } from "../files/environment.ts";
import { readOwnFile } from "../files/own-file.ts";
import { Secret } from "../secrets/secret.ts";

/** The settings of `[tenants]`. */
export const tenantsTable = z.strictObject({
  master_key_command: z.string().min(1).optional(),
  master_key_old_command: z.string().min(1).optional(),
});

type TenantsTable = z.infer<typeof tenantsTable>;

export interface MasterKey {
  /** Says which one it is, and nothing of it. */
  readonly id: string;
  readonly bytes: Buffer;
}

const BYTES = 32;
const MAKE_ONE = "Make one with: openssl rand -base64 32";

export class MasterKeys {
  readonly #env: Environment;
  readonly #table: TenantsTable;
  readonly #where: string;
  #current: Promise<MasterKey | undefined> | undefined;
  #old: Promise<MasterKey | undefined> | undefined;

  /** @param where the file that the table stands in */
  constructor(env: Environment, table: TenantsTable = {}, where: string) {
    this.#env = env;
    this.#table = table;
    this.#where = where;
  }

  /** Seals everything from now on. Rejects with a ConfigError where there is none. */
  async current(): Promise<MasterKey> {
    this.#current ??= this.#read("HOGA_MASTER_KEY", "master_key_command").catch((error: unknown) => {
      // A password manager may be unlocked by then.
      this.#current = undefined;
      throw error;
    });
    const key = await this.#current;
    if (key !== undefined) return key;
    throw new ConfigError(
      "There is no master key, and the keys of tenants are sealed under one.",
      `Set HOGA_MASTER_KEY_FILE, HOGA_MASTER_KEY, or [tenants] master_key_command. ${MAKE_ONE}`,
    );
  }

  /** @returns undefined where neither this one nor the one before is it */
  async find(id: string): Promise<MasterKey | undefined> {
    const current = await this.current();
    if (current.id === id) return current;
    this.#old ??= this.#read("HOGA_MASTER_KEY_OLD", "master_key_old_command").catch((error: unknown) => {
      this.#old = undefined;
      throw error;
    });
    const old = await this.#old;
    return old?.id === id ? old : undefined;
  }

  async #read(variable: string, setting: keyof TenantsTable): Promise<MasterKey | undefined> {
    const { [variable]: text, [`${variable}_FILE`]: path } = this.#env;
    const command = this.#table[setting];
    const given = [
      [variable, text],
      [`${variable}_FILE`, path],
      [`[tenants] ${setting}`, command],
    ].flatMap(([name, value]) => (value === undefined || value === "" ? [] : [name]));
    if (given.length > 1)
      throw new ConfigError(`The master key comes from two places: ${given.join(", ")}.`, "Keep one of them.");
    if (text !== undefined && text !== "") return keyIn(new Secret(text.trim()), variable);
    if (path !== undefined && path !== "") return keyIn(fileAt(path), path);
    if (command === undefined) return undefined;
    // Loaded only where there is one.
    const { printedLines } = await import("./key-command.ts");
    const shown = `${this.#where}: ${setting}`;
    const [line] = await printedLines(command, { shown, count: 1, env: this.#env });
    return line && keyIn(line, `what ${setting} prints`);
  }
}

function fileAt(path: string): Secret {
  const refuse = (problem: string): ConfigError =>
    new ConfigError(
      `${path}, the file of the master key, ${problem}.`,
      `Make it a file of yours alone: chmod 600 "${path}"`,
    );
  const text = readOwnFile(path, refuse);
  if (text === undefined) throw new ConfigError(`${path}, the file of the master key, is not there.`, MAKE_ONE);
  return new Secret(text.trim());
}

function keyIn(text: Secret, shown: string): MasterKey {
  const bytes = Buffer.from(text.reveal(), "base64");
  if (bytes.length !== BYTES || bytes.toString("base64") !== text.reveal())
    throw new ConfigError(`The master key (${shown}) is not ${BYTES} bytes in base64.`, MAKE_ONE);
  // It cannot be guessed by its digest: it is random.
  const id = createHash("sha256").update("hoga master key\n").update(bytes).digest("hex").slice(0, 16);
  return { id, bytes };
}
