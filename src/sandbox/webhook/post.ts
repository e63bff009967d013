/**
 * Owns one attempt to deliver: one request on a connection of its own. It follows no redirection, and reads nothing of the answer but
 * its status. Entry point: `postOnce`.
 */
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { destinationProblem, guardedLookup } from "./destination.ts";

export interface Attempt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From resolving the name to the status of the answer. */
  readonly timeoutMs: number;
  readonly allowRemote: boolean;
  readonly signal: AbortSignal;
}

/** @returns null for an answer 2xx in time, else why the attempt failed. Never rejects. */
export function postOnce({ url, headers, body, timeoutMs, allowRemote, signal }: Attempt): Promise<string | null> {
  const problem = destinationProblem(url, allowRemote);
  if (problem !== undefined) return Promise.resolve(problem);
  return new Promise((resolve) => {
    const target = new URL(url);
    const send = target.protocol === "https:" ? secureRequest : plainRequest;
    const request = send(target, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "hoga-sandbox",
        ...headers,
        "content-length": Buffer.byteLength(body),
      },
      agent: false,
      lookup: guardedLookup(allowRemote),
    });
    const end = (outcome: string | null): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve(outcome);
      request.destroy();
    };
    const stop = (): void => end("it was broken off");
    const timer = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    request.on("response", ({ statusCode = 0 }) => {
      end(statusCode >= 200 && statusCode < 300 ? null : `answered with status ${statusCode}`);
    });
    request.on("error", (error: NodeJS.ErrnoException) => end(`not reached: ${error.code ?? error.message}`));
    request.end(body);
  });
}
