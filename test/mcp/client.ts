/**
 * Real clients of both protocol eras behind one small face: the SDK's 2.x client speaking 2026-07-28, and the 1.x client.
 */
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as LegacyTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport, type McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { LEGACY_CHECKS, MODERN_CHECKS } from "../fixture/compiled-schemas.ts";
import { type HttpAddress, sseOf } from "../fixture/http-address.ts";

export const ERAS = ["2026-07-28", "2025-11-25"] as const;
export type Era = (typeof ERAS)[number];

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface CallOptions {
  readonly onprogress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface ToolResult {
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly isError: boolean;
}

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations?: object | undefined;
}

export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

export interface TestClient {
  readonly era: Era;
  readonly raw: ModernClient | LegacyClient;
  listTools(): Promise<readonly ListedTool[]>;
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolResult>;
  /** The resource's JSON. */
  read(uri: string): Promise<Record<string, unknown>>;
  /** Asks to be told of these resources, in the way of the era. Whoever follows last is told of all. @returns ends it */
  follow(uris: readonly string[], onUpdate: (uri: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const INFO = { name: "test", version: "1.0.0" };

/** The addresses of every page of the list, each page as it came; a client of the later era puts them into one. */
export async function resourcePages({ raw }: TestClient): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let cursor: string | undefined;
  do {
    const { resources, nextCursor } = await raw.listResources(cursor === undefined ? undefined : { cursor });
    pages.push(resources.map(({ uri }) => uri));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return pages;
}

/** A client connected as over stdio, in memory. @param capabilities that it declares */
export async function connect(era: Era, factory: () => McpServer, capabilities: object = {}): Promise<TestClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(factory, { transport: far });
  return era === "2026-07-28"
    ? modern((client) => client.connect(near), capabilities)
    : legacy((client) => client.connect(near as unknown as LegacyTransport), capabilities);
}

/** A client connected over Streamable HTTP. */
export async function connectHttp(era: Era, { url, headers }: HttpAddress): Promise<TestClient> {
  const settings = { requestInit: { headers } };
  return era === "2026-07-28"
    ? modern((client) => client.connect(new ModernHttp(new URL(url), settings)))
    : legacy((client) => client.connect(new LegacyHttp(new URL(url), settings) as unknown as LegacyTransport));
}

/** A client connected over the older HTTP+SSE. */
export function connectSse({ url, headers }: HttpAddress): Promise<TestClient> {
  return legacy((client) => client.connect(new SSEClientTransport(sseOf(url), { requestInit: { headers } })));
}

/** A client that launches a program and speaks to it over stdio. */
export async function connectProgram(era: Era, program: ProgramCall): Promise<TestClient> {
  const launch = { ...program, args: [...program.args], stderr: "ignore" as const };
  return era === "2026-07-28"
    ? modern((client) => client.connect(new ModernStdio(launch)))
    : legacy((client) => client.connect(new LegacyStdio(launch)));
}

/** A client that is spoken to over the streams of a server in this process, a line for a message. */
export async function connectStreams(era: Era, stdin: Writable, stdout: Readable): Promise<TestClient> {
  const transport = new LineTransport(stdin, stdout);
  return era === "2026-07-28"
    ? modern((client) => client.connect(transport as unknown as InMemoryTransport))
    : legacy((client) => client.connect(transport as unknown as LegacyTransport));
}

class LineTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  readonly #stdin: Writable;
  readonly #stdout: Readable;

  constructor(stdin: Writable, stdout: Readable) {
    this.#stdin = stdin;
    this.#stdout = stdout;
  }

  async start(): Promise<void> {
    createInterface(this.#stdout).on("line", (line) => this.onmessage?.(JSON.parse(line) as never));
  }

  async send(message: unknown): Promise<void> {
    this.#stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#stdin.end();
    this.onclose?.();
  }
}

async function modern(open: (client: ModernClient) => Promise<void>, capabilities = {}): Promise<TestClient> {
  const versionNegotiation = { mode: { pin: "2026-07-28" } };
  const client = new ModernClient(INFO, { capabilities, versionNegotiation, ...MODERN_CHECKS });
  await open(client);
  return {
    era: "2026-07-28",
    raw: client,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, options = {}) =>
      resultOf(await client.callTool({ name, arguments: args as Record<string, unknown> }, options)),
    read: async (uri) => contentOf(await client.readResource({ uri })),
    follow: async (uris, onUpdate) => {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => onUpdate(params.uri));
      const subscription = await client.listen({ resourceSubscriptions: [...uris] });
      return () => subscription.close();
    },
    close: () => client.close(),
  };
}

async function legacy(open: (client: LegacyClient) => Promise<void>, capabilities = {}): Promise<TestClient> {
  const client = new LegacyClient(INFO, { capabilities, ...LEGACY_CHECKS });
  await open(client);
  return {
    era: "2025-11-25",
    raw: client,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, options = {}) =>
      resultOf(await client.callTool({ name, arguments: args as Record<string, unknown> }, undefined, options)),
    read: async (uri) => contentOf(await client.readResource({ uri })),
    follow: async (uris, onUpdate) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdate(params.uri));
      for (const uri of uris) await client.subscribeResource({ uri });
      return async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri });
      };
    },
    close: () => client.close(),
  };
}

function contentOf({ contents }: { readonly contents: readonly object[] }): Record<string, unknown> {
  const [content] = contents as readonly { readonly text?: string }[];
  return JSON.parse(content?.text ?? "") as Record<string, unknown>;
}

function resultOf(result: unknown): ToolResult {
  const { content, structuredContent, isError } = result as {
    content: readonly { type: string; text?: string }[];
    structuredContent?: Record<string, unknown>;
    isError?: boolean;
  };
  return {
    text: content.map((part) => part.text ?? "").join("\n"),
    structured: structuredContent ?? {},
    isError: isError === true,
  };
}
