/**
 * Owns serving one client over standard input and output, in either protocol era.
 *
 * Invariants: nothing but the protocol is written to standard output, and no secret with it; an order that is being sent is followed to its outcome
 * before the process may end, within a limit.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { scrubber } from "../config/index.ts";
import type { ServerFactory } from "../mcp/index.ts";
import { OwnKeyLines } from "./own-key.ts";

export interface StdioServing {
  /** Resolves when the client has gone or the process was asked to end, and no write is running any more. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface StdioSettings {
  readonly onError?: (error: Error) => void;
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;
/** Longer than one write may take at the client, so that its answer is not lost to a shutdown. */
const GRACE_MS = 20_000;

/** Begins to serve at once. The caller closes the desk when `ended` resolves. */
export function serveOverStdio(factory: ServerFactory, settings: StdioSettings = {}): StdioServing {
  const { onError } = settings;
  const transport = new WatchedTransport();
  const handle = serveStdio(factory, { transport, ...(onError === undefined ? {} : { onerror: onError }) });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= end();
    return closing;
  };
  const end = async () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    // The answers of running writes still go out, as the connection is closed only afterwards.
    await withinMs(GRACE_MS, factory.idle());
    await handle.close();
  };
  const onSignal = () => {
    close().catch(() => process.exit(1));
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  return { ended: transport.ended.then(close), close };
}

/**
 * Every message leaves here, the SDK's own refusals too. Tells when the connection has ended, for whichever reason: end of
 * input, a broken pipe, or our own close.
 */
class WatchedTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  private tellEnd: () => void = () => {};
  private readonly lines: OwnKeyLines;

  constructor() {
    const lines = new OwnKeyLines();
    process.stdin.setEncoding("utf8").on("error", (error) => lines.destroy(error));
    super(process.stdin.pipe(lines));
    this.lines = lines;
    this.ended = new Promise((resolve) => {
      this.tellEnd = resolve;
    });
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    return super.send(scrubber.value(message));
  }

  override async close(): Promise<void> {
    await super.close();
    process.stdin.unpipe(this.lines).pause();
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
