/**
 * Owns what a client is told when its request has no answer of the server: what is known of it, and what to do.
 *
 * Invariant: "nothing was sent" is said only where that is certain; what the server itself says goes through.
 *
 * Source: architecture.md#rule-1, decision 0036.
 */
import { z } from "zod";
import { codeOf, isCertificateProblem, NotSentError, RefusedError } from "./remote-fetch.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Tells whoever still waits that the connection has ended. */
export const ENDING: RpcError = {
  code: -32000,
  message:
    "This connection ends, and did not wait for the answer. A read can be asked again; before an order is placed again, look with get_order whether it is there.",
};

/** The server is another one than the client has begun with. */
export class ReplacedError extends Error {
  override readonly name = "ReplacedError";
}

/** Bounds the server's own words. */
const QUOTED_MAX = 500;

const refusal = z.looseObject({
  error: z.looseObject({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
});

/** @param isWrite whether the request may have changed something */
export function rpcErrorOf(error: unknown, { host, isWrite }: { host: string; isWrite: boolean }): RpcError {
  if (error instanceof NotSentError) return notSent(unreachable(error.code, host));
  if (error instanceof ReplacedError)
    return notSent(
      `The hoga at ${host} is another one since this connection began: another version, or other settings. Nothing was sent. Start this connection again, so that its tools are read anew.`,
    );
  return error instanceof RefusedError ? refused(error, host, isWrite) : unknown(codeOf(error), host, isWrite);
}

/** A request whose stream has ended without its answer. */
export function unknown(why: string, host: string, isWrite: boolean): RpcError {
  const lost = `The connection to the hoga at ${host} broke before the answer came (${why}).`;
  return isWrite
    ? {
        code: -32000,
        message: `${lost} The outcome is unknown: it may have been done. Look with get_order or get_open_orders; never place the order again before that.`,
        data: { outcome: "unknown" },
      }
    : { code: -32000, message: `${lost} Ask again.` };
}

function notSent(message: string): RpcError {
  return { code: -32000, message, data: { outcome: "not_sent" } };
}

/** For the log, too. */
export function unreachable(code: string, host: string): string {
  return isCertificateProblem(code)
    ? `The certificate of ${host} is not accepted (${code}). Nothing was sent. It has to be for this host name, and from an authority that this machine trusts; the file of a private one is named by NODE_EXTRA_CA_CERTS.`
    : `The hoga at ${host} cannot be reached (${code}). Nothing was sent. See that it runs (hoga serve --http) and that the address is right; the next request tries again.`;
}

function refused({ status, text }: RefusedError, host: string, isWrite: boolean): RpcError {
  const said = saidIn(text);
  if (status === 401)
    return notSent(
      `The hoga at ${host} does not accept the token (401). Nothing was done. Give one that it knows in HOGA_TOKEN or by --token-file, and start this connection again.`,
    );
  if (status === 403) {
    const words = said === undefined ? "" : ` It says: ${said.message.slice(0, QUOTED_MAX)}`;
    return notSent(
      `The hoga at ${host} refuses this to the token that was given (403). Nothing was done. Ask whoever runs it for a token that may.${words}`,
    );
  }
  if (said !== undefined) return said;
  // A proxy on the way may have passed it on.
  if (status >= 500) return unknown(`HTTP ${status}`, host, isWrite);
  return notSent(
    `What is at ${host} answers with HTTP ${status} and does not speak MCP. Nothing was done. Check the address: that of hoga ends in /mcp.`,
  );
}

function saidIn(text: string): RpcError | undefined {
  try {
    const { code, message, data } = refusal.parse(JSON.parse(text)).error;
    return data === undefined ? { code, message } : { code, message, data };
  } catch {
    return undefined;
  }
}
