/**
 * Owns serving one client over standard input and output, in either protocol era. What every client asks first is answered here;
 * the SDK, the server and its tools are loaded when something else is asked, or for a client that is to hear from it unasked.
 *
 * Invariants: nothing but the protocol is written to standard output; the server is shown every message that it has to know of to
 * go on where the early answers ended; an order that is being sent is followed to its outcome before the process may end, and its
 * answer goes out, within a limit.
 */
import type { Readable, Writable } from "node:stream";
import type { Handshake, ServerFactory } from "../../mcp/index.ts";
import type { MessageLines } from "../wire/message-lines.ts";
import { EarlyAnswers } from "./early-answers.ts";
import type { StdioSession } from "./stdio-session.ts";

export interface StdioServing {
  /** Resolves when the client has gone or the process was asked to end, and no write is running any more. */
  readonly ended: Promise<void>;
  /** Loads the server for a client of the 2025 era that is there and asks nothing: it is told what happens. Another has to ask for that. */
  attend(): void;
  close(): Promise<void>;
}

export interface StdioSettings {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signals: Signals;
  /** Answers what can be said before the server is loaded; without it the server is loaded by the first message. */
  readonly handshake?: Handshake;
  /** Called whenever a client was answered without the server. */
  readonly onEarlyAnswer?: () => void;
  /** Called when the server cannot be loaded; the connection then ends. */
  readonly onError?: (error: unknown) => void;
}

type Signal = (typeof SIGNALS)[number];

interface Signals {
  once(signal: Signal, listener: () => void): unknown;
  off(signal: Signal, listener: () => void): unknown;
}

/** The last is what a program gets whose terminal is closed. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/** Characters of a line without an end; what is longer is no message that is answered here. */
const LINE_MAX = 1_000_000;

/**
 * Begins to serve at once. The caller closes the desk when `ended` resolves.
 * @param load makes the server; called once, by the first message that needs it
 */
export function serveOverStdio(load: () => Promise<ServerFactory>, settings: StdioSettings): StdioServing {
  const { signals } = settings;
  const connection = new StdioConnection(load, settings);
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= end();
    return closing;
  };
  const end = async () => {
    for (const signal of SIGNALS) signals.off(signal, onSignal);
    await connection.close();
  };
  const onSignal = () => {
    close().catch(() => process.exit(1));
  };
  for (const signal of SIGNALS) signals.once(signal, onSignal);
  return { ended: connection.ended.then(close), attend: () => connection.attend(), close };
}

/** Reads what comes in until the SDK does. */
class StdioConnection {
  readonly ended: Promise<void>;
  readonly #load: () => Promise<ServerFactory>;
  readonly #settings: StdioSettings;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #answers: EarlyAnswers | undefined;
  #lines: MessageLines | undefined;
  /** Holds what the server is shown when it is loaded, and the ids in it. */
  readonly #kept: string[] = [];
  readonly #answered = new Set<unknown>();
  /** By `performance.now()`. */
  readonly #connectedMs = performance.now();
  #text = "";
  #isClosed = false;
  #loading: Promise<StdioSession | undefined> | undefined;
  #tellEnd: () => void = () => {};

  constructor(load: () => Promise<ServerFactory>, settings: StdioSettings) {
    const { handshake, stdin, stdout } = settings;
    this.#load = load;
    this.#settings = settings;
    this.#answers = handshake && new EarlyAnswers(handshake);
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    this.#stdin = stdin.setEncoding("utf8");
    this.#stdout = stdout;
    stdin.on("error", (error) => (this.#lines === undefined ? this.#tellEnd() : this.#lines.destroy(error)));
    stdin.on("data", this.#read).on("end", this.#endOfInput).on("close", this.#end);
    stdout.on("error", this.#end);
  }

  attend(): void {
    if (this.#answers?.isInitialized === true && this.#loading === undefined && !this.#isClosed) this.#handOver();
  }

  /** Once every request that was read has its answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = await this.#loading;
    await session?.close();
    this.#stdout.off("error", this.#end);
    this.#stdin.off("data", this.#read).off("end", this.#endOfInput).off("close", this.#end);
    if (this.#lines !== undefined) this.#stdin.unpipe(this.#lines);
    this.#stdin.pause();
    this.#tellEnd();
  }

  readonly #end = (): void => this.#tellEnd();

  /** A last line may have no end of its own. */
  readonly #endOfInput = (): void => {
    if (this.#text.trim() === "") this.#tellEnd();
    else this.#handOver();
  };

  readonly #read = (chunk: string): void => {
    this.#text += chunk;
    let isAnswered = this.#text.length <= LINE_MAX;
    while (isAnswered && this.#text.includes("\n")) {
      const end = this.#text.indexOf("\n");
      isAnswered = this.#answer(this.#text.slice(0, end));
      if (isAnswered) this.#text = this.#text.slice(end + 1);
    }
    if (!isAnswered) this.#handOver();
  };

  /** @returns whether it needs no server */
  #answer(line: string): boolean {
    const message = parsed(line);
    const answer = this.#answers?.to(message);
    if (answer === undefined) return false;
    const { reply, kept } = answer;
    if (kept) this.#kept.push(line);
    if (reply !== undefined) {
      if (kept) this.#answered.add((message as { readonly id: unknown }).id);
      this.#stdout.write(`${JSON.stringify(reply)}\n`);
    }
    this.#settings.onEarlyAnswer?.();
    return true;
  }

  /** From here on the SDK reads. */
  #handOver(): void {
    this.#stdin.off("data", this.#read).off("end", this.#endOfInput).off("close", this.#end);
    this.#stdin.pause();
    this.#loading = this.#loaded().catch((error: unknown) => {
      this.#settings.onError?.(error);
      this.#tellEnd();
      return undefined;
    });
  }

  async #loaded(): Promise<StdioSession> {
    const [{ openSession }, { MessageLines, refusalsTo }, factory] = await Promise.all([
      import("./stdio-session.ts"),
      import("../wire/message-lines.ts"),
      this.#load(),
    ]);
    const lines = new MessageLines(refusalsTo(this.#stdout));
    this.#lines = lines;
    const [stdout, answered, connectedMs] = [this.#stdout, this.#answered, this.#connectedMs];
    const session = openSession(factory, { lines, stdout, answered, connectedMs });
    lines.on("error", this.#end);
    lines.write([...this.#kept, this.#text].join("\n"));
    if (this.#stdin.destroyed) lines.end();
    else this.#stdin.pipe(lines);
    session.ended.then(this.#end, this.#end);
    return session;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
