/**
 * Owns a connection over standard input and output once the SDK serves it. Loaded by the first message that needs it.
 *
 * Invariants: every message leaves through one place, the SDK's own refusals too, and no secret with it; what was answered before
 * the SDK was loaded is not answered again; the end of input ends the connection once everything read before it has its answer.
 */
import type { Writable } from "node:stream";
import type { JSONRPCMessage, JSONRPCRequest, McpServer, RequestId } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { scrubber } from "../../config/index.ts";
import type { ServerFactory } from "../../mcp/index.ts";
import { ListenedResources, refusalOf } from "../sessions/listened-resources.ts";
import { Receipts } from "../sessions/receipts.ts";
import { InFlight, STOPPING } from "../wire/in-flight.ts";
import { LineTransport } from "../wire/line-transport.ts";
import type { MessageLines } from "../wire/message-lines.ts";
import { DirectReads } from "./direct-reads.ts";

/** This many messages that have not gone out mean that the client does not read. */
const WAITING_MAX = 16;

export interface SessionSettings {
  readonly lines: MessageLines;
  readonly stdout: Writable;
  /** The ids of requests among the lines whose answers have gone out already. */
  readonly answered: Set<unknown>;
  /** When the client came, by `performance.now()`. */
  readonly connectedMs: number;
}

export interface StdioSession {
  /** Resolves at the end of input, when a pipe is broken, and when it was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export function openSession(factory: ServerFactory, settings: SessionSettings): StdioSession {
  const ready = (): boolean => transport.isFree;
  const receipts = new Receipts();
  let latest: McpServer | undefined;
  // The server that was made last is the one that serves: another may have been made only to answer what this one is.
  const listened = new ListenedResources(factory, ready, (uri) => {
    latest?.server.sendResourceUpdated({ uri }).catch(() => undefined);
  });
  const transport = new WatchedTransport({ listened, factory, receipts }, settings);
  const make = (): McpServer => {
    latest = factory({ ready, receipts, waitedMs: Math.ceil(performance.now() - settings.connectedMs) });
    return latest;
  };
  const handle = serveStdio(make, { transport });
  transport.overhear();
  const close = async (): Promise<void> => {
    await transport.settle();
    await handle.close();
  };
  return { ended: transport.ended, close };
}

/** Among what the SDK has taken for a message: its own tests would parse it again, and make out what is wrong with all others. */
function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return "method" in message && "id" in message;
}

function isListening(message: JSONRPCRequest): boolean {
  return message.method === "subscriptions/listen";
}

interface SessionParts {
  readonly listened: ListenedResources;
  readonly factory: ServerFactory;
  readonly receipts: Receipts;
}

class WatchedTransport extends LineTransport {
  readonly ended: Promise<void>;
  readonly #listened: ListenedResources;
  readonly #answered: Set<unknown>;
  readonly #factory: ServerFactory;
  readonly #receipts: Receipts;
  readonly #inFlight = new InFlight<RequestId>();
  readonly #reads: DirectReads;
  /** Requests to listen of which is being found out whether what they name exists. */
  readonly #held = new Set<RequestId>();
  readonly #stdout: Writable;
  #settled: Promise<void> | undefined;
  #tellEnd: () => void = () => {};
  /** Messages that the client has not made room for. */
  #waiting = 0;

  constructor({ listened, factory, receipts }: SessionParts, { lines, stdout, answered }: SessionSettings) {
    super(lines, stdout);
    this.#stdout = stdout;
    this.#listened = listened;
    this.#factory = factory;
    this.#receipts = receipts;
    this.#answered = answered;
    this.#reads = new DirectReads(factory, receipts, (message) => this.send(message));
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
  }

  /** Once somebody reads what comes in: from now on it passes here first. */
  overhear(): void {
    const read = this.onmessage;
    this.onmessage = (message, ...rest) => {
      this.#listened.received(message);
      this.#received(message);
      if (isRequest(message) && this.#reads.takes(message)) return;
      if (!isRequest(message) || !isListening(message)) read?.(message, ...rest);
      else
        void this.#admits(message).then((isAdmitted) => {
          if (isAdmitted) read?.(message, ...rest);
        });
    };
  }

  /** Answers a request to listen to what does not exist. */
  async #admits(request: JSONRPCRequest): Promise<boolean> {
    this.#held.add(request.id);
    // A defect is the SDK's to answer.
    const refusal = await refusalOf(this.#factory, request).catch(() => undefined);
    const isWanted = this.#held.delete(request.id);
    if (refusal !== undefined && isWanted) await this.send(refusal).catch(() => undefined);
    return refusal === undefined && isWanted;
  }

  #received(message: JSONRPCMessage): void {
    // Whoever listens is not waiting for an answer.
    if (isRequest(message) && !isListening(message))
      this.#inFlight.begin(message.id, () => this.send({ jsonrpc: "2.0", id: message.id, error: STOPPING }));
    // What is cancelled gets none.
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const id = message.params?.["requestId"] as RequestId;
    this.#inFlight.end(id);
    this.#held.delete(id);
    this.#reads.withdrawn(id);
    this.#receipts.withdrawn(id);
  }

  /** Resolves when every request has its answer. */
  settle(): Promise<void> {
    this.#settled ??= this.#inFlight
      .settle(() => this.#factory.idle())
      .catch(() => {
        // Nobody reads the answers any more.
      });
    return this.#settled;
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    this.#reads.sent(message);
    if (!("method" in message)) {
      if (message.id !== undefined) this.#inFlight.end(message.id);
      if (this.#answered.delete(message.id)) return;
    }
    this.#listened.sent(message);
    this.#waiting += 1;
    try {
      await this.write(`${scrubber.json(message)}\n`, () => {
        if (!("method" in message) && message.id !== undefined) this.#receipts.handed(message.id);
      });
    } finally {
      this.#waiting -= 1;
    }
  }

  /** What is sent in one turn of the event loop leaves in one write. */
  protected override write(line: string, onWritten: () => void): Promise<void> {
    if (this.#stdout.writableCorked === 0) {
      this.#stdout.cork();
      setImmediate(() => this.#stdout.uncork());
    }
    return super.write(line, onWritten);
  }

  /** Every message waits for a moment, a few at once too. */
  get isFree(): boolean {
    return this.#waiting < WAITING_MAX;
  }

  /** Called by the SDK, too, at the end of input. */
  override async close(): Promise<void> {
    await this.settle();
    this.#reads.close();
    this.#listened.close();
    this.#stdout.uncork();
    await super.close();
    this.#tellEnd();
  }
}
