/**
 * Owns where the key of a profile comes from: written in the file, in variables that it names, or printed by commands of a password
 * manager. What it signs by may be a private key, in a file of its own, instead of a secret.
 *
 * Invariants: one of the three, never a mixture; a value is a `Secret` from the moment it is read; no error shows a value, a
 * command or what one printed.
 *
 * Source: settings.md#keys, architecture.md#rule-9.
 */
import { dirname } from "node:path";
import { z } from "zod";
import { ConfigError } from "../files/config-error.ts";
import type { Environment } from "../files/environment.ts";
import type { Credentials, ReadCredentials } from "../secrets/read-credentials.ts";
import { Secret } from "../secrets/secret.ts";
import { privateKeyIn } from "./private-key.ts";

const text = z.string().min(1);
const hidden = text.transform((value) => new Secret(value));

/** The settings of a profile that its key comes from. */
export const KEY_SETTINGS = {
  key: hidden.optional(),
  secret: hidden.optional(),
  key_env: text.optional(),
  secret_env: text.optional(),
  key_command: text.optional(),
  secret_command: text.optional(),
  private_key_file: text.optional(),
};

export type KeyTable = z.infer<z.ZodObject<typeof KEY_SETTINGS>>;

/** How an exchange writes its secrets; a private key was looked at where it was read. */
export type SecretForm = "base64" | "text" | "private_key";

const SOURCES = [
  ["key", "secret"],
  ["key_env", "secret_env"],
  ["key_command", "secret_command"],
] as const;

/** Matches what an HTTP header can carry. */
const KEY = /^[\x21-\x7e]{1,256}$/;
const SECRET = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * @param where names the profile in errors.
 * @param config the file it stands in: the path of a private key begins beside it.
 * @returns undefined for a profile without a key.
 * @throws ConfigError for a mixture, a half, or a value that cannot be right. Commands are not run yet.
 */
export function credentialsOf(
  table: KeyTable,
  env: Environment,
  where: string,
  form: SecretForm = "base64",
  config = "",
): ReadCredentials | undefined {
  if (table.private_key_file !== undefined)
    return Object.assign(withPrivateKey(table, env, where, dirname(config)), { signsBy: "private_key" as const });
  const given = SOURCES.flat().filter((setting) => table[setting] !== undefined);
  const sources = SOURCES.filter((settings) => settings.some((setting) => given.includes(setting)));
  if (sources.length > 1)
    throw new ConfigError(
      `${where} takes its key from ${sources.length === 2 ? "two" : "three"} sources: ${listed(given)}.`,
      "Keep key and secret, or key_env and secret_env, or key_command (with secret_command where each prints one half).",
    );
  if (given.length === 0) return undefined;
  const { key_command: keyCommand, secret_command: secretCommand } = table;
  if (keyCommand !== undefined)
    return once((signal) => fromCommands({ keyCommand, secretCommand, env, where, form }, signal));
  if (secretCommand !== undefined) throw halfKey(where, "key_command too; alone it prints the key and the secret");
  const isInFile = table.key !== undefined || table.secret !== undefined;
  const credentials = isInFile
    ? pair(fromFile("key", table.key), fromFile("secret", table.secret), where, form)
    : pair(
        fromVariable("key_env", table.key_env, env, where),
        fromVariable("secret_env", table.secret_env, env, where),
        where,
        form,
      );
  return () => Promise.resolve(credentials);
}

const OTHERS = ["secret", "secret_env", "secret_command"] as const;
const KEYS = ["key", "key_env", "key_command"] as const;

/** The key by one of the three ways, and the private key that is read now. */
function withPrivateKey(table: KeyTable, env: Environment, where: string, dir: string): ReadCredentials {
  const { private_key_file: file = "", key, key_env: variable, key_command: command } = table;
  const secret = OTHERS.find((setting) => table[setting] !== undefined);
  if (secret !== undefined)
    throw new ConfigError(
      `${where} signs by two things: private_key_file and ${secret}.`,
      "Keep the one that the exchange knows of this key.",
    );
  const given = KEYS.filter((setting) => table[setting] !== undefined);
  if (given.length > 1)
    throw new ConfigError(
      `${where} takes its key from ${given.length} sources: ${listed(given)}.`,
      "Keep one of them.",
    );
  if (given.length === 0) throw halfKey(where, "key, key_env or key_command too");
  const half = { setting: "private_key_file", shown: "private_key_file", value: privateKeyIn(file, env, where, dir) };
  if (command === undefined) {
    const own = key === undefined ? fromVariable("key_env", variable, env, where) : fromFile("key", key);
    const credentials = pair(own, half, where, "private_key");
    return () => Promise.resolve(credentials);
  }
  return once(async (signal) => {
    const { printedLines } = await import("./key-command.ts");
    const [line] = await printedLines(command, { shown: `${where}: key_command`, count: 1, env, signal });
    return pair({ setting: "key_command", shown: "what key_command prints", value: line }, half, where, "private_key");
  });
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

function once(read: ReadCredentials): ReadCredentials {
  let answer: Promise<Credentials> | undefined;
  return (signal) => {
    answer ??= read(signal);
    return answer;
  };
}

interface Half {
  readonly setting: string;
  readonly shown: string;
  readonly value: Secret | undefined;
}

function fromFile(setting: string, value: Secret | undefined): Half {
  return { setting, shown: setting, value };
}

function fromVariable(setting: string, variable: string | undefined, env: Environment, where: string): Half {
  if (variable === undefined) return { setting, shown: setting, value: undefined };
  const value = env[variable];
  if (value === undefined || value === "")
    throw new ConfigError(`${where} names the variable ${variable}, which is not set.`, `Set ${variable}.`);
  return { setting, shown: `the variable ${variable}`, value: new Secret(value) };
}

interface Commands {
  readonly keyCommand: string;
  readonly secretCommand: string | undefined;
  readonly env: Environment;
  readonly where: string;
  readonly form: SecretForm;
}

async function fromCommands(commands: Commands, signal: AbortSignal | undefined): Promise<Credentials> {
  const { keyCommand, secretCommand, env, where, form } = commands;
  // Loaded only where a profile has commands.
  const { printedLines } = await import("./key-command.ts");
  const lines = (setting: string, command: string, count: 1 | 2): Promise<readonly Secret[]> =>
    printedLines(command, { shown: `${where}: ${setting}`, count, env, signal });
  if (secretCommand === undefined) {
    const [first, second] = await lines("key_command", keyCommand, 2);
    const key = { setting: "key_command", shown: "the first line that key_command prints", value: first };
    return pair(key, { ...key, shown: "the second line that key_command prints", value: second }, where, form);
  }
  // One after the other, as each may ask the person for something.
  const [first] = await lines("key_command", keyCommand, 1);
  const [second] = await lines("secret_command", secretCommand, 1);
  return pair(
    { setting: "key_command", shown: "what key_command prints", value: first },
    { setting: "secret_command", shown: "what secret_command prints", value: second },
    where,
    form,
  );
}

function pair(key: Half, secret: Half, where: string, form: SecretForm = "base64"): Credentials {
  if (key.value === undefined || secret.value === undefined)
    throw halfKey(where, `both ${key.setting} and ${secret.setting}`);
  if (!KEY.test(key.value.reveal()))
    throw new ConfigError(
      `${where}: ${key.shown} is not an API key: it holds a space, a line break or another letter that no key has.`,
      "Give the key again, without anything around it.",
    );
  if (form === "text" && !KEY.test(secret.value.reveal()))
    throw new ConfigError(
      `${where}: ${secret.shown} is not the secret of an API key: it holds a space, a line break or another letter that none has.`,
      "Give the secret again, without anything around it.",
    );
  if (form === "base64" && !SECRET.test(secret.value.reveal()))
    throw new ConfigError(
      `${where}: ${secret.shown} is not base64, which the secret of an API key is.`,
      "Give the secret again, without spaces or line breaks around it.",
    );
  return { apiKey: key.value, apiSecret: secret.value };
}

/** A pair that somebody has typed or piped in. @throws ConfigError where it cannot be one */
export function givenCredentials(
  apiKey: Secret,
  apiSecret: Secret,
  where: string,
  form: SecretForm = "base64",
): Credentials {
  const key = { setting: "key", shown: "the first line, the key,", value: apiKey };
  return pair(key, { setting: "secret", shown: "the second line, the secret,", value: apiSecret }, where, form);
}

function halfKey(where: string, missing: string): ConfigError {
  return new ConfigError(`${where} has only half of a key.`, `Set ${missing}.`);
}
