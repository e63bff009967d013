/**
 * Owns the SDK's end of a pipe on which `MessageLines` has read: each message is checked by the SDK's own schema once, and handed over as it was
 * parsed. The SDK's transport would be handed text, and parse it again.
 *
 * Invariant: what is no message of JSON-RPC goes no further, and an error of the pipe after the end is nobody's.
 */
import { once } from "node:events";
import type { Writable } from "node:stream";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { scrubber } from "../../config/index.ts";
import type { MessageLines } from "./message-lines.ts";

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #lines: MessageLines;
  readonly #stdout: Writable;
  #isClosed = false;

  constructor(lines: MessageLines, stdout: Writable) {
    this.#lines = lines;
    this.#stdout = stdout;
  }

  async start(): Promise<void> {
    const lines = this.#lines;
    if (lines.readableEnded || lines.destroyed) setImmediate(this.#end);
    lines.on("data", this.#read).on("error", this.#failed).on("end", this.#end).on("close", this.#end);
    // Stays, so that what is written when the client has gone ends no process.
    this.#stdout.on("error", this.#broken);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.write(`${scrubber.json(message)}\n`);
  }

  /** Resolves when the client has room for more. @param onWritten called once the line has been handed over */
  protected async write(line: string, onWritten?: () => void): Promise<void> {
    if (this.#isClosed) throw new Error("the connection is closed");
    const written = (error?: Error | null): void => {
      if (error === undefined || error === null) onWritten?.();
    };
    if (!this.#stdout.write(line, written)) await once(this.#stdout, "drain");
  }

  /** Called by the SDK, too. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const lines = this.#lines;
    lines.off("data", this.#read).off("error", this.#failed).off("end", this.#end).off("close", this.#end);
    if (lines.listenerCount("data") === 0) lines.pause();
    this.onclose?.();
  }

  readonly #read = (message: unknown): void => {
    try {
      if (isMessage(message)) this.onmessage?.(message);
      else this.onerror?.(new Error("this is no message of JSON-RPC"));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  };

  readonly #failed = (error: Error): void => {
    this.onerror?.(error);
  };

  readonly #broken = (error: Error): void => {
    if (this.#isClosed) return;
    this.onerror?.(error);
    this.#end();
  };

  readonly #end = (): void => {
    this.close().catch(() => undefined);
  };
}

/** Asks for what it looks like alone: to make out what is wrong with a message takes the SDK long. */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== "object" || value === null) return false;
  if (!("method" in value)) return isJSONRPCResponse(value);
  return "id" in value ? isJSONRPCRequest(value) : isJSONRPCNotification(value);
}
