/**
 * Owns how an answer of the SDK leaves over Node's HTTP.
 *
 * Invariants: the head of a stream leaves at once, as a client waits for it before it believes that it listens; when the connection
 * has ended the body is cancelled at once, so that whoever writes it stops, and a client may open its stream anew; a reader
 * that is slow is waited for.
 */
import type { ServerResponse } from "node:http";

/** @param onWritten called with each part of the body once it was handed to a connection still open */
export async function sendAnswer(
  response: ServerResponse,
  answer: Response,
  onWritten: (part: Uint8Array) => void = ignored,
): Promise<void> {
  if (response.writableEnded) {
    await answer.body?.cancel();
    return;
  }
  response.writeHead(answer.status, [...answer.headers].flat());
  const reader = answer.body?.getReader();
  if (reader === undefined) {
    response.end();
    return;
  }
  const ended = closed(response);
  ended.then(() => reader.cancel()).catch(ignored);
  // A short answer leaves in one piece with its head.
  const head = setImmediate(() => response.flushHeaders());
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearImmediate(head);
      if (response.writableEnded) break;
      const { value } = part;
      const written = (error?: Error | null): void => {
        if (error === undefined || error === null) onWritten(value);
      };
      if (!response.write(value, written)) await Promise.race([drained(response), ended]);
    }
  } finally {
    clearImmediate(head);
  }
  response.end();
}

/** Holds one for all who wait for the same. */
const ends = new WeakMap<ServerResponse, Promise<void>>();

/** Resolves when its connection has ended, or all of it was sent. */
export function closed(response: ServerResponse): Promise<void> {
  const known = ends.get(response);
  if (known !== undefined) return known;
  const end = new Promise<void>((resolve) => {
    if (response.closed) resolve();
    else response.once("close", resolve);
  });
  ends.set(response, end);
  return end;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
  });
}

function ignored(): void {
  // The body had failed already.
}
