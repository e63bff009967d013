/**
 * Owns a connection over standard input and output once the SDK serves it. Loaded by the first message that needs it.
 *
 * Invariants: every message leaves through one place, the SDK's own refusals too, and no secret with it; what was answered before
 * the SDK was loaded is not answered again.
 */
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { scrubber } from "../config/index.ts";
import type { ServerFactory } from "../mcp/index.ts";
import { ListenedResources } from "./listened-resources.ts";

/** This many messages that have not gone out mean that the client does not read. */
const WAITING_MAX = 16;

export interface SessionSettings {
  readonly lines: Readable;
  readonly stdout: Writable;
  /** The ids of requests among the lines whose answers have gone out already. */
  readonly answered: Set<unknown>;
}

export interface StdioSession {
  /** Resolves at the end of input, when a pipe is broken, and when it was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export function openSession(factory: ServerFactory, settings: SessionSettings): StdioSession {
  const ready = (): boolean => transport.isFree;
  let latest: McpServer | undefined;
  // The server that was made last is the one that serves: another may have been made only to answer what this one is.
  const listened = new ListenedResources(factory, ready, (uri) => {
    latest?.server.sendResourceUpdated({ uri }).catch(() => undefined);
  });
  const transport = new WatchedTransport(listened, settings);
  const make = (): McpServer => {
    latest = factory({ ready });
    return latest;
  };
  const handle = serveStdio(make, { transport });
  transport.overhear();
  return { ended: transport.ended, close: () => handle.close() };
}

class WatchedTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  readonly #listened: ListenedResources;
  readonly #answered: Set<unknown>;
  #tellEnd: () => void = () => {};
  /** Messages that the client has not made room for. */
  #waiting = 0;

  constructor(listened: ListenedResources, { lines, stdout, answered }: SessionSettings) {
    super(lines, stdout);
    this.#listened = listened;
    this.#answered = answered;
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
  }

  /** Once somebody reads what comes in: from now on it passes here first. */
  overhear(): void {
    const read = this.onmessage;
    this.onmessage = (message, ...rest) => {
      this.#listened.received(message);
      read?.(message, ...rest);
    };
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message) && this.#answered.delete(message.id)) return;
    this.#listened.sent(message);
    this.#waiting += 1;
    try {
      await super.send(scrubber.value(message));
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Every message waits for a moment, a few at once too. */
  get isFree(): boolean {
    return this.#waiting < WAITING_MAX;
  }

  override async close(): Promise<void> {
    this.#listened.close();
    await super.close();
    this.#tellEnd();
  }
}
