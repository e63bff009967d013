/**
 * What the story needs of an assistant's client, and the real clients behind it. `sdk` is the 1.x client; `client` is the 2.x
 * client, which finds out by itself what the server speaks (`auto`) or keeps to the old protocol (`legacy`).
 */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
  type Transport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as LegacyTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isReal } from "../fixture/command-line.ts";
import { LEGACY_CHECKS, MODERN_CHECKS } from "../fixture/compiled-schemas.ts";
import type { Place } from "../fixture/data-dir.ts";
import { type HttpAddress, sseOf } from "../fixture/http-address.ts";
import { legacyStdio, modernStdio } from "../fixture/stdio-transport.ts";

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface ToolResult {
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly isError: boolean;
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export interface StoryClient {
  /** Absent where the client does not show it. */
  readonly server?: {
    readonly name: string | undefined;
    readonly version: string | undefined;
    readonly instructions: string | undefined;
    readonly protocol: string | undefined;
  };
  /** Whether it can ask for progress. */
  readonly progress: boolean;
  listTools(): Promise<readonly ListedTool[]>;
  call(name: string, args?: object, onProgress?: (progress: Progress) => void): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface ClientKind {
  readonly name: string;
  readonly protocol: string;
  readonly overStdio: (place: Place) => Promise<StoryClient>;
  readonly overHttp: (address: HttpAddress) => Promise<StoryClient>;
}

const INFO = { name: "storyteller", version: "1.0.0" };

export const sdk: ClientKind = {
  name: "sdk 1.x",
  protocol: "2025-11-25",
  overStdio: (place) => openSdk(legacyStdio(place)),
  overHttp: ({ url, headers }) =>
    openSdk(new LegacyHttp(new URL(url), { requestInit: { headers } }) as unknown as LegacyTransport),
};

/** The 1.x client over the older HTTP+SSE, for servers that are looked at by every transport. */
export function overSse({ url, headers }: HttpAddress): Promise<StoryClient> {
  return openSdk(new SSEClientTransport(sseOf(url), { requestInit: { headers } }));
}

async function openSdk(transport: LegacyTransport): Promise<StoryClient> {
  const client = new LegacyClient(INFO, LEGACY_CHECKS);
  await client.connect(transport);
  const version = client.getServerVersion();
  const protocol = (transport as { readonly protocolVersion?: string }).protocolVersion;
  return {
    server: {
      name: version?.name,
      version: version?.version,
      instructions: client.getInstructions(),
      protocol: protocol ?? "2025-11-25",
    },
    progress: true,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, onProgress) =>
      readResult(
        await client.callTool(
          { name, arguments: { ...args } },
          undefined,
          onProgress === undefined ? {} : { onprogress: onProgress },
        ),
      ),
    close: () => client.close(),
  };
}

function modern(name: string, mode: "auto" | "legacy", protocol: string): ClientKind {
  const open = async (transport: ModernTransport): Promise<StoryClient> => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode }, ...MODERN_CHECKS });
    await client.connect(transport);
    const version = client.getServerVersion();
    return {
      server: {
        name: version?.name,
        version: version?.version,
        instructions: client.getInstructions(),
        protocol: client.getNegotiatedProtocolVersion(),
      },
      progress: true,
      listTools: async () => (await client.listTools()).tools,
      call: async (tool, args = {}, onProgress) =>
        readResult(
          await client.callTool(
            { name: tool, arguments: { ...args } },
            onProgress === undefined ? {} : { onprogress: onProgress },
          ),
        ),
      close: () => client.close(),
    };
  };
  return {
    name,
    protocol,
    overStdio: (place) => open(modernStdio(place)),
    overHttp: ({ url, headers }) => open(new ModernHttp(new URL(url), { requestInit: { headers } })),
  };
}

/**
 * By the road an assistant's maker would take today, and by the roads that stay in use; in process one for each era. Asked by each file,
 * as a worker keeps this module for files of both ways.
 */
export const clients = (): readonly ClientKind[] => [
  sdk,
  modern("client 2.x", "auto", "2026-07-28"),
  ...(isReal() ? [modern("client 2.x keeping to the old protocol", "legacy", "2025-11-25")] : []),
];

export function readResult(result: unknown): ToolResult {
  const { content, structuredContent, isError } = result as {
    readonly content: readonly { readonly type: string; readonly text?: string }[];
    readonly structuredContent?: Record<string, unknown>;
    readonly isError?: boolean;
  };
  return {
    text: content.map((part) => part.text ?? "").join("\n"),
    structured: structuredContent ?? {},
    isError: isError === true,
  };
}
