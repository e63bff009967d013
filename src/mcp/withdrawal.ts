/**
 * Owns what withdraws a call: the client's word, or in the era without sessions over HTTP the end of the connection, which is the call. The end of
 * any other connection withdraws nothing: the client may come back for the answer.
 *
 * Source: decision 0060.
 */
import { SdkError, SdkErrorCode, type ServerContext } from "@modelcontextprotocol/server";

export function isWithdrawn({ http, mcpReq: { signal, envelope } }: ServerContext): boolean {
  if (!signal.aborted) return false;
  const isOneCall = http !== undefined && envelope !== undefined;
  const reason: unknown = signal.reason;
  return isOneCall || !(reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed);
}

/** Fires when the call is withdrawn. */
export function withdrawalOf(context: ServerContext): AbortSignal {
  const { signal } = context.mcpReq;
  const withdrawn = new AbortController();
  const pass = (): void => {
    if (isWithdrawn(context)) withdrawn.abort();
  };
  if (signal.aborted) pass();
  else signal.addEventListener("abort", pass, { once: true });
  return withdrawn.signal;
}
