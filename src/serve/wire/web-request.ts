/**
 * Owns a request as the SDK takes it, whose body has been read: the body is handed on parsed, and is not written out and streamed a second time, as the
 * SDK's own adapter does.
 */
import type { IncomingMessage } from "node:http";
import { defined } from "../../contract/index.ts";

/** The SDK wants both of its types by name; who takes anything, or says nothing, takes them too. */
function acceptedBy(accept = "*/*"): string {
  return /(^|[\s,])(\*|application|text)\/\*/.test(accept) ? "application/json, text/event-stream" : accept;
}

/** @param signal fires when nobody waits for the answer any more */
export function bodiless({ method, url = "/", headers: given }: IncomingMessage, signal?: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (Array.isArray(value)) for (const each of value) headers.append(name, each);
    else if (value !== undefined) headers.set(name, value);
  }
  headers.set("accept", acceptedBy(given.accept));
  const init = { method: method ?? "GET", headers, ...defined({ signal }) };
  return new Request(`http://${given.host ?? "localhost"}${url}`, init);
}
