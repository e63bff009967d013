/**
 * Owns that no secret leaves in the body of an HTTP answer, whoever writes it: a page, the SDK's refusals, a message of the
 * protocol, alone or as an event of a stream.
 *
 * Invariant: a message is written in one piece, so a secret cannot lie across two; what holds none is passed on as it came.
 */
import { type IncomingMessage, ServerResponse } from "node:http";
import { scrubber } from "../../config/index.ts";

export class ScrubbedResponse extends ServerResponse<IncomingMessage> {
  override write(chunk: unknown, ...rest: readonly unknown[]): boolean {
    return super.write(scrubbedChunk(chunk), ...(rest as [BufferEncoding]));
  }

  override end(chunk?: unknown, ...rest: readonly unknown[]): this {
    return super.end(scrubbedChunk(chunk), ...(rest as [BufferEncoding]));
  }
}

function scrubbedChunk(chunk: unknown): unknown {
  if (typeof chunk === "string") return scrubbedText(chunk);
  if (!(chunk instanceof Uint8Array)) return chunk;
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("utf8");
  const scrubbed = scrubbedText(text);
  return scrubbed === text ? chunk : Buffer.from(scrubbed, "utf8");
}

function scrubbedText(text: string): string {
  return scrubber.text(text) === text ? text : text.split("\n").map(scrubbedLine).join("\n");
}

/** A message has to stay JSON, so what is hidden in it is hidden string by string. */
function scrubbedLine(line: string): string {
  const [, field = "", json = ""] = /^(data: ?)?(.*)$/s.exec(line) ?? [];
  if (!/^[[{]/.test(json)) return scrubber.text(line);
  try {
    return `${field}${scrubber.json(JSON.parse(json))}`;
  } catch {
    // Only looked like JSON.
    return scrubber.text(line);
  }
}
