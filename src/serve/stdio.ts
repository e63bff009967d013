/**
 * Owns serving one client over standard input and output, in either protocol era.
 *
 * Invariants: nothing but the protocol is written to standard output, and no secret with it; an order that is being sent is followed to its outcome
 * before the process may end, within a limit.
 */
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { scrubber } from "../config/index.ts";
import type { ServerFactory } from "../mcp/index.ts";
import { ListenedResources } from "./listened-resources.ts";
import { OwnKeyLines } from "./own-key.ts";

export interface StdioServing {
  /** Resolves when the client has gone or the process was asked to end, and no write is running any more. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface StdioSettings {
  readonly onError?: (error: Error) => void;
  /** Default: those of the process. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly signals?: Signals;
}

type Signal = (typeof SIGNALS)[number];

interface Signals {
  once(signal: Signal, listener: () => void): unknown;
  off(signal: Signal, listener: () => void): unknown;
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;
/** Longer than one write may take at the client, so that its answer is not lost to a shutdown. */
const GRACE_MS = 20_000;

/** So many messages that have not gone out mean that the client does not read. */
const WAITING_MAX = 16;

/** Begins to serve at once. The caller closes the desk when `ended` resolves. */
export function serveOverStdio(factory: ServerFactory, settings: StdioSettings = {}): StdioServing {
  const { onError, stdin = process.stdin, stdout, signals = process } = settings;
  const ready = (): boolean => transport.isFree;
  let latest: McpServer | undefined;
  // The server that was made last is the one that serves: another may have been made only to answer what this one is.
  const listened = new ListenedResources(factory, ready, (uri) => {
    latest?.server.sendResourceUpdated({ uri }).catch(() => undefined);
  });
  const transport = new WatchedTransport(listened, stdin, stdout);
  const make = (): McpServer => {
    latest = factory({ ready });
    return latest;
  };
  const handle = serveStdio(make, { transport, ...(onError === undefined ? {} : { onerror: onError }) });
  transport.overhear();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= end();
    return closing;
  };
  const end = async () => {
    for (const signal of SIGNALS) signals.off(signal, onSignal);
    // The answers of running writes still go out, as the connection is closed only afterwards.
    await withinMs(GRACE_MS, factory.idle());
    await handle.close();
  };
  const onSignal = () => {
    close().catch(() => process.exit(1));
  };
  for (const signal of SIGNALS) signals.once(signal, onSignal);
  return { ended: transport.ended.then(close), close };
}

/**
 * Every message leaves here, the SDK's own refusals too. Tells when the connection has ended, for whichever reason: end of
 * input, a broken pipe, or our own close.
 */
class WatchedTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  private tellEnd: () => void = () => {};
  private readonly stdin: Readable;
  private readonly lines: OwnKeyLines;
  private readonly listened: ListenedResources;
  /** Messages that the client has not made room for. */
  private waiting = 0;

  constructor(listened: ListenedResources, stdin: Readable, stdout: Writable | undefined) {
    const lines = new OwnKeyLines();
    stdin.setEncoding("utf8");
    stdin.on("error", (error) => lines.destroy(error));
    super(stdin.pipe(lines), stdout);
    this.stdin = stdin;
    this.lines = lines;
    this.listened = listened;
    this.ended = new Promise((resolve) => {
      this.tellEnd = resolve;
    });
  }

  /** Once somebody reads what comes in: from now on it passes here first. */
  overhear(): void {
    const read = this.onmessage;
    this.onmessage = (message, ...rest) => {
      this.listened.received(message);
      read?.(message, ...rest);
    };
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    this.listened.sent(message);
    this.waiting += 1;
    try {
      await super.send(scrubber.value(message));
    } finally {
      this.waiting -= 1;
    }
  }

  /** Every message waits for a moment, a few at once too. */
  get isFree(): boolean {
    return this.waiting < WAITING_MAX;
  }

  override async close(): Promise<void> {
    this.listened.close();
    await super.close();
    this.stdin.unpipe(this.lines).pause();
    this.tellEnd();
  }
}

async function withinMs(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
