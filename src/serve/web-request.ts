/**
 * Owns a request as the SDK takes it, whose body has been read: the body is handed on parsed, and is not written out and streamed a second time, as the
 * SDK's own adapter does.
 */
import type { IncomingMessage } from "node:http";
import { defined } from "../contract/index.ts";

/** @param signal fires when nobody waits for the answer any more */
export function bodiless({ method, url = "/", headers: given }: IncomingMessage, signal?: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (Array.isArray(value)) for (const each of value) headers.append(name, each);
    else if (value !== undefined) headers.set(name, value);
  }
  const init = { method: method ?? "GET", headers, ...defined({ signal }) };
  return new Request(`http://${given.host ?? "localhost"}${url}`, init);
}
