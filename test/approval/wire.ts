/**
 * JSON-RPC by hand over the product's two transports, in either protocol era: what no client of an SDK would send can be sent here.
 */
import type { Ended, Running } from "../fixture/command.ts";
import { start } from "../fixture/command-line.ts";
import { addressIn, type HttpAddress } from "../fixture/http-address.ts";

export interface RpcAnswer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Wire {
  /** Sends params as they are; in the modern era with the envelope that every request has there. */
  request(method: string, params: object): Promise<RpcAnswer>;
  /** Sends any message, such as an answer to a question that was never put. */
  send(message: object): Promise<void>;
  /** What the server has asked of this client. */
  readonly asked: readonly unknown[];
}

export const ERAS = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];

const INFO = { name: "scripted", version: "1.0.0" };

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What both transports share: ids, the era's manners, and who waits for which answer. */
abstract class RawWire implements Wire {
  readonly asked: unknown[] = [];
  private lastId = 100;
  private readonly waiting = new Map<number, (answer: RpcAnswer) => void>();
  protected readonly era: Era;
  private readonly capabilities: object;

  constructor(era: Era, capabilities: object) {
    this.era = era;
    this.capabilities = capabilities;
  }

  protected abstract post(message: object): Promise<void>;

  async begin(): Promise<this> {
    if (this.era === "2026-07-28") return this;
    const { capabilities } = this;
    await this.request("initialize", { protocolVersion: this.era, capabilities, clientInfo: INFO });
    await this.send({ method: "notifications/initialized" });
    return this;
  }

  async request(method: string, params: object): Promise<RpcAnswer> {
    this.lastId += 1;
    const id = this.lastId;
    const answer = new Promise<RpcAnswer>((resolve) => this.waiting.set(id, resolve));
    await this.post({ jsonrpc: "2.0", id, method, params: this.enveloped(params) });
    return answer;
  }

  send(message: object): Promise<void> {
    return this.post({ jsonrpc: "2.0", ...message });
  }

  protected take(message: Message): void {
    const { id, method, result, error } = message;
    if (method !== undefined) {
      if (id !== undefined) this.asked.push(message);
      return;
    }
    const resolve = id === undefined ? undefined : this.waiting.get(id);
    if (id === undefined || resolve === undefined) return;
    this.waiting.delete(id);
    resolve({ ...(result === undefined ? {} : { result }), ...(error === undefined ? {} : { error }) });
  }

  private enveloped(params: object): object {
    if (this.era === "2025-11-25") return params;
    const given = (params as { readonly _meta?: object })._meta ?? {};
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": this.era,
      "io.modelcontextprotocol/clientInfo": INFO,
      "io.modelcontextprotocol/clientCapabilities": this.capabilities,
      ...given,
    };
    return { ...params, _meta };
  }
}

class StdioWire extends RawWire {
  private readonly running: Running;

  constructor(home: string, era: Era, capabilities: object) {
    super(era, capabilities);
    this.running = start(["serve"], { home });
    let rest = "";
    this.running.onStdout((text) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.take(JSON.parse(line) as Message);
    });
  }

  protected async post(message: object): Promise<void> {
    this.running.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** As a desktop ends its servers. */
  end(): Promise<Ended> {
    this.running.stdin.end();
    return this.running.ended;
  }
}

class HttpWire extends RawWire {
  private readonly address: HttpAddress;
  private session: string | undefined;

  constructor(address: HttpAddress, era: Era, capabilities: object) {
    super(era, capabilities);
    this.address = address;
  }

  protected async post(message: object): Promise<void> {
    const { method, params } = message as { readonly method?: string; readonly params?: { readonly name?: string } };
    const modern = {
      "mcp-protocol-version": this.era,
      ...(method === undefined ? {} : { "mcp-method": method }),
      ...(params?.name === undefined ? {} : { "mcp-name": params.name }),
    };
    const legacy =
      this.session === undefined ? {} : { "mcp-session-id": this.session, "mcp-protocol-version": this.era };
    const response = await fetch(this.address.url, {
      method: "POST",
      headers: {
        ...this.address.headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(this.era === "2026-07-28" ? modern : legacy),
      },
      body: JSON.stringify(message),
    });
    this.session ??= response.headers.get("mcp-session-id") ?? undefined;
    const text = await response.text();
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const parts = isStream ? text.split("\n").flatMap((line) => /^data: (.+)$/.exec(line)?.[1] ?? []) : [text];
    for (const part of parts) if (part !== "") this.take(this.addressed(JSON.parse(part) as Message, message));
  }

  /** A request that was refused before it was read is answered without its id. */
  private addressed(answer: Message, message: { readonly id?: number }): Message {
    return answer.method === undefined && (answer.id === undefined || answer.id === null)
      ? { ...answer, ...(message.id === undefined ? {} : { id: message.id }) }
      : answer;
  }
}

export function openStdioWire(home: string, era: Era, capabilities: object = {}): Promise<StdioWire> {
  return new StdioWire(home, era, capabilities).begin();
}

export function openHttpWire(address: HttpAddress, era: Era, capabilities: object = {}): Promise<Wire> {
  return new HttpWire(address, era, capabilities).begin();
}

/** `hoga serve --http` over a data directory; ends with everything that `cleanUp` ends. */
export async function serveHttp(home: string): Promise<HttpAddress> {
  return addressIn(await start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home }).firstLine());
}
