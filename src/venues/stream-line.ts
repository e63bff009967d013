/**
 * One connection to an exchange's stream at a time, for as long as anything is wanted of it: subscribes to what is wanted, keeps a silent
 * connection up, ends one that shows no sign of life, and follows one that has ended by another after a jittered and growing pause.
 *
 * Invariants: each connection is opened with a signature of its own; nothing that signs, nor an address, is in any notice; after `close` nobody is told
 * anything.
 */
import { setMaxListeners } from "node:events";
import { parseExactJson } from "../contract/index.ts";
import {
  backOffMs,
  type ClientClock,
  Pacer,
  type Redact,
  type SocketFactory,
  type StreamNotice,
  type StreamSocket,
  USER_AGENT,
} from "../transport/index.ts";
import type { LineName, StreamSource, Told, Topic } from "./stream-protocol.ts";

export interface LineParts {
  readonly name: LineName;
  /** May reject, where the exchange cannot be opened now. */
  readonly source: () => Promise<StreamSource>;
  readonly connect: SocketFactory;
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly redact: Redact;
  readonly notify: (notice: StreamNotice) => void;
  readonly wanted: () => readonly Topic[];
  /** What was asked for on this connection, whenever that has changed. */
  readonly onSent: (topics: readonly Topic[]) => void;
  readonly onTold: (told: Told) => void;
  /** Nothing is told any more until there is another connection. */
  readonly onEnded: () => void;
}

/** The exchanges close a connection after a minute of silence. */
const PING_EVERY_MS = 20_000;
/** Two pings without an answer. */
const SILENCE_MS = 50_000;
const WATCH_EVERY_MS = 1_000;
/** A connection that lasted so long was a good one. */
const STABLE_MS = 60_000;
/** Whoever was refused is not let in a moment later either, and may be shut out for asking. */
const REFUSED_MS = 600_000;

interface Ended {
  readonly why: string;
  readonly status?: number | undefined;
}

export class Line {
  readonly #parts: LineParts;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #connection: Connection | undefined;

  constructor(parts: LineParts) {
    this.#parts = parts;
    setMaxListeners(0, this.#closing.signal);
  }

  get isOpen(): boolean {
    return this.#connection?.isOpen === true;
  }

  /** Tells it that what is wanted has changed. */
  changed(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#parts.wanted().length === 0) this.#connection?.end("nothing is wanted");
    else if (this.#running === undefined) this.#running = this.#run();
    else this.#connection?.pump();
  }

  /** For good. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#connection?.end("closed by the client");
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random, notify, wanted } = this.#parts;
    const { signal } = this.#closing;
    for (let failures = 1; !signal.aborted && wanted().length > 0; failures++) {
      const beganMs = clock.now();
      const { why, status = 0 } = await this.#connectOnce();
      if (clock.now() - beganMs >= STABLE_MS) failures = 1;
      if (signal.aborted || wanted().length === 0) break;
      const isRefused = status >= 400 && status < 500;
      const reconnectInMs = isRefused ? REFUSED_MS : backOffMs(failures, random());
      notify({ type: "dropped", why, reconnectInMs });
      await clock.sleep(reconnectInMs, signal);
    }
    this.#running = undefined;
  }

  async #connectOnce(): Promise<Ended> {
    const { source: open, name, onEnded } = this.#parts;
    const source = await open().catch(() => undefined);
    const opening = await source?.opening(name).catch(() => undefined);
    if (source === undefined || opening === undefined || this.#closing.signal.aborted) return { why: "no address" };
    const connection = new Connection(this.#parts, source, opening);
    this.#connection = connection;
    const ended = await connection.ended;
    this.#connection = undefined;
    onEnded();
    return ended;
  }
}

class Connection {
  readonly ended: Promise<Ended>;
  isOpen = false;
  readonly #parts: LineParts;
  readonly #source: StreamSource;
  readonly #ending = new AbortController();
  readonly #socket: StreamSocket;
  readonly #pacer: Pacer;
  #sent: readonly Topic[] = [];
  #heardAtMs: number;
  #pingedAtMs: number;
  #resolveEnded: (ended: Ended) => void = () => {};

  constructor(parts: LineParts, source: StreamSource, { url, headers }: { url: string; headers: object }) {
    const { clock, connect } = parts;
    this.#parts = parts;
    this.#source = source;
    this.#heardAtMs = clock.now();
    this.#pingedAtMs = this.#heardAtMs;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const send = (text: string): void => this.#socket.send(text);
    this.#pacer = new Pacer(clock, this.#ending.signal, send, source.protocol.messagesPerSecond);
    this.#socket = connect(
      url,
      {
        opened: () => this.#open(),
        message: (text) => this.#receive(text),
        alive: () => this.#hear(),
        closed: (why, status) => this.end(why, status),
      },
      { headers: { "user-agent": USER_AGENT, ...headers }, takesBinary: true },
    );
    void this.#watch();
  }

  /** May be called more than once; the first reason counts. */
  end(why: string, status?: number): void {
    if (this.#ending.signal.aborted) return;
    this.isOpen = false;
    this.#ending.abort();
    this.#socket.drop();
    this.#resolveEnded({ why, status });
  }

  /** Sends what brings what is subscribed to nearer to what is wanted, until it is. */
  pump(): void {
    if (this.isOpen) this.#pacer.push(() => this.#next());
  }

  #next(): object | undefined {
    const step = this.#source.protocol.next(this.#parts.wanted(), this.#sent);
    if (step === undefined) return undefined;
    this.#sent = step.sent;
    this.#parts.onSent(step.sent);
    this.pump();
    return step.message;
  }

  #open(): void {
    if (this.#ending.signal.aborted) return;
    this.isOpen = true;
    this.#hear();
    this.pump();
  }

  #hear(): void {
    this.#heardAtMs = this.#parts.clock.now();
  }

  #receive(text: string): void {
    if (this.#ending.signal.aborted) return;
    this.#hear();
    for (const told of this.#source.protocol.read(this.#parts.redact(parsed(text)), this.#heardAtMs))
      this.#parts.onTold(told);
  }

  async #watch(): Promise<void> {
    const { clock } = this.#parts;
    const { ping } = this.#source.protocol;
    for (;;) {
      await clock.sleep(WATCH_EVERY_MS, this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      const now = clock.now();
      if (now - this.#heardAtMs >= SILENCE_MS) this.end("silence");
      else if (this.isOpen && now - this.#pingedAtMs >= PING_EVERY_MS) {
        this.#pingedAtMs = now;
        if (ping === undefined) this.#socket.ping();
        else this.#pacer.push(() => ping, true);
      }
    }
  }
}

/** What is no JSON is of no use, and no reason to hang up: nothing follows from it. */
function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
