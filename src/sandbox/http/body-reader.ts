/**
 * Reads a request's body, up to a limit. Entry point: `collectBody`.
 */
import type { IncomingMessage } from "node:http";

const EMPTY = Buffer.alloc(0);

/**
 * Calls `done` once: with the whole body, or with undefined as soon as it is larger than `bytesMax`; not at all when the sender
 * aborts the request.
 */
export function collectBody(
  request: IncomingMessage,
  bytesMax: number,
  done: (body: Buffer | undefined) => void,
): void {
  const { "content-length": declared, "transfer-encoding": chunked } = request.headers;
  if (chunked === undefined && (declared === undefined || declared === "0")) {
    done(EMPTY);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let open = true;
  request.on("data", (chunk: Buffer) => {
    if (!open) return;
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
    else {
      open = false;
      done(undefined);
    }
  });
  request.on("end", () => {
    const [first = EMPTY] = chunks;
    if (open) done(chunks.length === 1 ? first : Buffer.concat(chunks));
  });
}
