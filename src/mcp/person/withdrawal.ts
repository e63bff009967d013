/**
 * Owns what withdraws a call: the client's word, or in the era without sessions over HTTP the end of the connection, which is the call. The end of
 * any other connection withdraws nothing: the client may come back for the answer.
 *
 * Source: decision 0060.
 */
import { SdkError, SdkErrorCode, type ServerContext } from "@modelcontextprotocol/server";

export function isWithdrawn(context: ServerContext): boolean {
  const { signal } = context.mcpReq;
  if (!signal.aborted) return false;
  const reason: unknown = signal.reason;
  return isOneCall(context) || !(reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed);
}

function isOneCall({ http, mcpReq: { envelope } }: ServerContext): boolean {
  return http !== undefined && envelope !== undefined;
}

export interface Withdrawal {
  /** Fires when the call is withdrawn. */
  readonly signal: AbortSignal;
  /** The call has its answer. A connection that was the call ends with it, which withdraws nothing. */
  answered(): void;
}

export function withdrawalOf(context: ServerContext): Withdrawal {
  const { signal } = context.mcpReq;
  const withdrawn = new AbortController();
  const pass = (): void => {
    if (isWithdrawn(context)) withdrawn.abort();
  };
  if (signal.aborted) pass();
  else signal.addEventListener("abort", pass, { once: true });
  return {
    signal: withdrawn.signal,
    answered: () => {
      if (isOneCall(context)) signal.removeEventListener("abort", pass);
    },
  };
}
