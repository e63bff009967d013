/** Owns what of a client's messages is a request, which waits for an answer. */
import type { RequestId } from "@modelcontextprotocol/server";

/** The SDK refuses what is no request beyond that. Its own test parses each message, and makes out at length what is wrong with all others. */
export function isRequest(message: unknown): message is { readonly id: RequestId; readonly method: string } {
  if (typeof message !== "object" || message === null) return false;
  const { jsonrpc, id, method, params = {}, ...more } = message as Readonly<Record<string, unknown>>;
  const isNamed = typeof id === "string" || Number.isSafeInteger(id);
  const isPlain = typeof params === "object" && params !== null && !Array.isArray(params);
  return jsonrpc === "2.0" && isNamed && typeof method === "string" && isPlain && Object.keys(more).length === 0;
}
