/**
 * The clients that exist, with somebody before them: the SDK's 1.x client and the 2.x client in both protocol eras, over stdio,
 * Streamable HTTP and HTTP+SSE. What the person says to a question is the test's to choose.
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
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { isReal, start } from "../fixture/command-line.ts";
import { LEGACY_CHECKS, MODERN_CHECKS } from "../fixture/compiled-schemas.ts";
import { addressIn, type HttpAddress, sseOf } from "../fixture/http-address.ts";
import { legacyStdio, modernStdio } from "../fixture/stdio-transport.ts";
import { readResult, type ToolResult } from "../story/story-client.ts";

export interface Question {
  readonly message: string;
  readonly requestedSchema: Readonly<Record<string, unknown>>;
  /** Where a person is sent instead. */
  readonly url?: string;
}

export type Reply =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, string | number | boolean>> }
  | { readonly action: "decline" | "cancel" };

export const YES: Reply = { action: "accept", content: { approve: true } };
export const NO: Reply = { action: "accept", content: { approve: false } };

/** Closes the form without an answer. */
export const DISMISSED: Reply = { action: "cancel" };

export interface Person {
  /** What the client declares. */
  readonly elicitation?: { readonly form?: object; readonly url?: object };
  readonly answer: (question: Question) => Reply | Promise<Reply>;
}

interface CallOptions {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: object) => void;
}

export interface Asker {
  readonly raw: LegacyClient | ModernClient;
  call(name: string, args: object, options?: CallOptions): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface Kind {
  readonly name: string;
  readonly open: (home: string, person: Person) => Promise<Asker>;
}

const INFO = { name: "asker", version: "1.0.0" };

const addresses = new Map<string, Promise<HttpAddress>>();

/** `hoga serve --http`, one for each data directory; it ends with everything that `cleanUp` ends. */
export function served(home: string): Promise<HttpAddress> {
  const begin = async (): Promise<HttpAddress> =>
    addressIn(await start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home }).firstLine());
  const address = addresses.get(home) ?? begin();
  addresses.set(home, address);
  return address;
}

function capabilities({ elicitation }: Person): object {
  return elicitation === undefined ? {} : { capabilities: { elicitation } };
}

export async function openLegacy(transport: LegacyTransport, person: Person): Promise<Asker> {
  const client = new LegacyClient(INFO, { ...capabilities(person), ...LEGACY_CHECKS });
  if (person.elicitation !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
      ...(await person.answer(params as unknown as Question)),
    }));
  await client.connect(transport);
  return {
    raw: client,
    call: async (name, args, options) =>
      readResult(await client.callTool({ name, arguments: { ...args } }, undefined, options ?? {})),
    close: () => client.close(),
  };
}

export async function openModern(transport: ModernTransport, mode: "auto" | "legacy", person: Person): Promise<Asker> {
  const client = new ModernClient(INFO, { versionNegotiation: { mode }, ...capabilities(person), ...MODERN_CHECKS });
  if (person.elicitation !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      ...(await person.answer(params as unknown as Question)),
    }));
  await client.connect(transport);
  return {
    raw: client,
    call: async (name, args, options) =>
      readResult(await client.callTool({ name, arguments: { ...args } }, options ?? {})),
    close: () => client.close(),
  };
}

const sdk: readonly Kind[] = [
  { name: "sdk 1.x over stdio", open: (home, person) => openLegacy(legacyStdio({ home }), person) },
  {
    name: "sdk 1.x over HTTP",
    open: async (home, person) => {
      const { url, headers } = await served(home);
      const transport = new LegacyHttp(new URL(url), { requestInit: { headers } });
      return openLegacy(transport as unknown as LegacyTransport, person);
    },
  },
];

const sse: Kind = {
  name: "sdk 1.x over SSE",
  open: async (home, person) => {
    const { url, headers } = await served(home);
    return openLegacy(new SSEClientTransport(sseOf(url), { requestInit: { headers } }), person);
  },
};

function client(name: string, mode: "auto" | "legacy"): readonly Kind[] {
  return [
    { name: `${name} over stdio`, open: (home, person) => openModern(modernStdio({ home }), mode, person) },
    {
      name: `${name} over HTTP`,
      open: async (home, person) => {
        const { url, headers } = await served(home);
        return openModern(new ModernHttp(new URL(url), { requestInit: { headers } }), mode, person);
      },
    },
  ];
}

/**
 * One for each transport and era; with real programs the newer client in the older era too, and not the oldest transport again. Asked by
 * each file, as a worker keeps this module for files of both ways.
 */
export const kinds = (): readonly Kind[] => [
  ...sdk,
  ...client("client 2.x", "auto"),
  ...(isReal() ? client("client 2.x keeping to the old protocol", "legacy") : [sse]),
];
