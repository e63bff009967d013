/**
 * Owns what may be named as the address of a hoga that runs elsewhere.
 *
 * Invariant: no token leaves this machine unencrypted, and none is part of the address.
 *
 * Source: commands.md#connect.
 */
import { ServeError } from "../wire/serve-error.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Makes the address of its MCP endpoint; `/mcp` where only the host is named. @throws ServeError with what is wrong with it */
export function remoteAddress(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw bad("is not the address of a server", "Write it as that hoga printed it, such as http://127.0.0.1:8421/mcp.");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw bad(
      "holds more than host, port and path",
      "Write these alone. A token goes into HOGA_TOKEN or a file (--token-file).",
    );
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname))
    throw new ServeError(
      "not_encrypted",
      `${url.hostname} is another machine, and over http everybody on the way reads the token.`,
      "Use https, or an SSH tunnel: ssh -N -L 8421:127.0.0.1:8421 HOST, and then http://127.0.0.1:8421/mcp.",
    );
  if (url.pathname === "/") url.pathname = "/mcp";
  return url;
}

function bad(problem: string, fix: string): ServeError {
  return new ServeError("bad_url", `What is given as the server ${problem}.`, fix);
}
