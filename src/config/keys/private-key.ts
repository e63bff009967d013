/**
 * Owns reading a private key from its file, where an exchange knows the public one: PKCS#8 in PEM, without a passphrase.
 *
 * Invariant: the file is this user's alone and no link; nothing of what stands in it is shown.
 *
 * Source: settings.md#keys, decision 0069, architecture.md#rule-9.
 */
import { createPrivateKey } from "node:crypto";
import { resolve } from "node:path";
import { ConfigError } from "../files/config-error.ts";
import type { Environment } from "../files/environment.ts";
import { withHome } from "../files/home.ts";
import { readOwnFile } from "../files/own-file.ts";
import { Secret } from "../secrets/secret.ts";

const LABEL = /^-----BEGIN PRIVATE KEY-----\s[\s\S]*\s-----END PRIVATE KEY-----$/;

/** @throws ConfigError where there is none, or it is open to others */
export function privateKeyIn(file: string, env: Environment, where: string, dir: string): Secret {
  const path = resolve(dir, withHome(file, env));
  const refuse = (problem: string): ConfigError =>
    new ConfigError(
      `${where}: ${path}, the private_key_file, ${problem}.`,
      `Put the private key alone into it, as PKCS#8 in PEM without a passphrase, and run: chmod 600 "${path}"`,
    );
  const text = readOwnFile(path, refuse)?.trim();
  if (text === undefined) throw refuse("is not there");
  const key = new Secret(text);
  if (!LABEL.test(text) || !isPrivateKey(text)) throw refuse("holds no private key of that form");
  return key;
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === "private";
  } catch {
    // Node's own words may quote it.
    return false;
  }
}
