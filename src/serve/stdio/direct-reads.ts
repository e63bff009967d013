/**
 * Owns the answers to calls of tools that only look, which are given beside the SDK's server: its way of a call takes as long as the call itself.
 *
 * Invariants: an answer is the one that the server would give; a message that is not exactly as expected is left to it, and so is every call of a client of
 * the later protocol era, of one that shows views, and before the server has greeted; what was withdrawn gets no answer, and what an answer tells of is
 * heard when it was handed over.
 *
 * Source: decision 0132.
 */
import type { CallToolResult, JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/server";
import type { Listener } from "../../desk/index.ts";
import { isObject, type Look, progressOf, type ServerFactory, showsViews, type Told } from "../../mcp/index.ts";
import type { Receipts } from "../sessions/receipts.ts";

/** Fields of `_meta` that are for the protocol itself. */
const OF_THE_PROTOCOL = "io.modelcontextprotocol/";

type Send = (message: JSONRPCMessage) => Promise<void>;

export class DirectReads {
  readonly #factory: Pick<ServerFactory, "look">;
  readonly #receipts: Receipts;
  readonly #send: Send;
  readonly #running = new Map<RequestId, DirectRead>();
  /** The request to initialize that has no answer yet. */
  #greeting: RequestId | undefined;
  #isOpen = false;

  constructor(factory: Pick<ServerFactory, "look">, receipts: Receipts, send: Send) {
    this.#factory = factory;
    this.#receipts = receipts;
    this.#send = send;
  }

  /** @returns whether its answer comes from here */
  takes(request: JSONRPCRequest): boolean {
    const { id, method, params } = request;
    if (method === "initialize") this.#greeting = showsViews(params?.["capabilities"]) ? undefined : id;
    if (!this.#isOpen || method !== "tools/call" || !isCall(params) || this.#running.has(id)) return false;
    const read = new DirectRead(params._meta, (notification) => this.#send({ ...notification, jsonrpc: "2.0" }));
    const result = this.#factory.look(params.name, params.arguments ?? {}, read);
    if (result === undefined) return false;
    this.#running.set(id, read);
    void this.#answer(id, read, result);
    return true;
  }

  /** Told of everything that is sent. */
  sent(message: JSONRPCMessage): void {
    if (this.#greeting === undefined || "method" in message || message.id !== this.#greeting) return;
    this.#greeting = undefined;
    this.#isOpen = "result" in message;
  }

  withdrawn(id: RequestId): void {
    this.#running.get(id)?.end();
    this.#running.delete(id);
  }

  /** What still waits has nobody to answer to. */
  close(): void {
    this.#isOpen = false;
    for (const id of [...this.#running.keys()]) this.withdrawn(id);
  }

  async #answer(id: RequestId, read: DirectRead, answered: Promise<CallToolResult>): Promise<void> {
    // A defect, as the SDK's server tells of it.
    const result = await answered.catch((error: unknown): CallToolResult => {
      const text = error instanceof Error ? error.message : String(error);
      return { content: [{ type: "text", text }], isError: true };
    });
    if (this.#running.get(id) !== read) return;
    this.#running.delete(id);
    if (read.told.length > 0) this.#receipts.owe(id, () => read.heard());
    // Where the connection is gone, nobody reads it.
    await this.#send({ result, jsonrpc: "2.0", id }).catch(() => undefined);
  }
}

class DirectRead implements Look, Listener {
  /** To be done once the answer was handed over. */
  readonly told: (() => void)[] = [];
  readonly listener: Listener = this;
  readonly progress: Look["progress"];
  readonly traceparent?: string;
  #stop: AbortController | undefined;
  #isOver = false;

  constructor(meta: Meta | undefined, notify: Told["notify"]) {
    this.progress = progressOf({ notify, _meta: meta });
    if (typeof meta?.["traceparent"] === "string") this.traceparent = meta["traceparent"];
  }

  readonly whenHeard = (heard: () => void): void => void this.told.push(heard);

  get withdrawn(): AbortSignal {
    return this.signal;
  }

  heard(): void {
    for (const each of this.told) each();
  }

  get signal(): AbortSignal {
    this.#stop ??= new AbortController();
    if (this.#isOver) this.#stop.abort();
    return this.#stop.signal;
  }

  end(): void {
    this.#isOver = true;
    this.#stop?.abort();
  }
}

type Meta = NonNullable<Told["_meta"]> & Readonly<Record<string, unknown>>;

interface Call {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly _meta?: Meta;
}

function isCall(params: unknown): params is Call {
  if (!isObject(params)) return false;
  const { name, arguments: given, _meta: meta, ...others } = params;
  const isGiven = given === undefined || isObject(given);
  return (
    typeof name === "string" && isGiven && (meta === undefined || isMeta(meta)) && Object.keys(others).length === 0
  );
}

function isMeta(meta: unknown): meta is Meta {
  if (!isObject(meta)) return false;
  const { progressToken: token } = meta;
  const isToken = token === undefined || typeof token === "string" || Number.isSafeInteger(token);
  return isToken && !Object.keys(meta).some((name) => name.startsWith(OF_THE_PROTOCOL));
}
