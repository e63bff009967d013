/**
 * Owns the token that a client shows to a hoga that runs elsewhere: from `HOGA_TOKEN`, or from a file.
 *
 * Invariants: it is no argument, which every user of this machine could read; a file that others can read is not used; no message
 * holds the token.
 *
 * Source: commands.md#connect.
 */
import { ConfigError } from "../files/config-error.ts";
import type { Environment } from "../files/home.ts";
import { readOwnFile } from "../files/own-file.ts";
import { Secret } from "../secrets/secret.ts";

/** Follows RFC 6750, and is longer than what anybody could guess. */
const TOKEN = /^[\w.~+/-]{16,4096}=*$/;
const FIX = "Put the token alone into it, as whoever runs that hoga has given it.";

/** @param file named by a person; it wins over the environment */
export function clientToken(env: Environment, file?: string): Secret {
  const [name, text] = file === undefined ? ["HOGA_TOKEN", env["HOGA_TOKEN"]] : [file, fromFile(file)];
  if (text === undefined || text.trim() === "") {
    if (file === undefined)
      throw new ConfigError(
        "There is no token to show to that hoga.",
        "Set HOGA_TOKEN to it, or name a file that holds it with --token-file.",
      );
    throw new ConfigError(`${file} holds no token.`, FIX);
  }
  if (!TOKEN.test(text.trim())) throw new ConfigError(`What ${name} holds is no token.`, FIX);
  return new Secret(text.trim());
}

function fromFile(path: string): string {
  const refuse = (problem: string): ConfigError =>
    new ConfigError(
      `${path}, the file of the token, ${problem}.`,
      "Name a file that belongs to you and that nobody else can read (chmod 600). If others could read it, ask for another token.",
    );
  const text = readOwnFile(path, refuse);
  if (text === undefined) throw refuse("does not exist");
  return text;
}
