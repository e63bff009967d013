/** Clients of both SDKs find the authorization server by themselves, and ask for more when they need more. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
  UnauthorizedError as ModernUnauthorized,
} from "@modelcontextprotocol/client";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as LegacyTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type AuthorizationServer,
  agreeTo,
  CLIENT,
  startAuthorizationServer,
} from "../../fixture/authorization-server.ts";
import { freePort, type Running } from "../../fixture/command.ts";
import { widePaperHome } from "../../fixture/home.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { cleanUp, start } from "../../fixture/in-process.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let authorization: AuthorizationServer;
let server: Running;
let resource: string;

beforeAll(async () => {
  const port = await freePort();
  resource = `http://127.0.0.1:${port}/mcp`;
  authorization = await startAuthorizationServer(resource);
  const home = await widePaperHome();
  const settings = ["[http]", 'auth = "oauth"', `issuer = "${authorization.issuer}"`, `resource = "${resource}"`, ""];
  writeFileSync(join(home, "config.toml"), settings.join("\n"), { mode: 0o600 });
  server = start(["serve", "--http", "--port", String(port), "--json", "--show-token"], { home });
  expect(addressIn(await server.firstLine()).url).toBe(resource);
});
afterAll(async () => {
  await server.stop();
  await authorization.close();
  await cleanUp();
});

/** What a client keeps, and the person who is sent to the authorization server. */
class Keeper {
  readonly redirectUrl = CLIENT.redirect_uris[0] ?? "";
  readonly clientMetadata = { client_name: "test", redirect_uris: CLIENT.redirect_uris };
  readonly #kept = new Map<string, unknown>();
  sentTo: URL | undefined;
  clientInformation = () => CLIENT;
  tokens = () => this.#kept.get("tokens") as never;
  saveTokens = (tokens: unknown) => void this.#kept.set("tokens", tokens);
  saveCodeVerifier = (verifier: string) => void this.#kept.set("verifier", verifier);
  codeVerifier = () => this.#kept.get("verifier") as string;
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url;
  };

  get scopes(): unknown {
    return decodeJwt((this.#kept.get("tokens") as { readonly access_token: string }).access_token)["scope"];
  }

  /** The person agrees to what the client has asked for. */
  async agree(): Promise<URLSearchParams> {
    const { sentTo } = this;
    if (sentTo === undefined) throw new Error("nobody was sent anywhere");
    this.sentTo = undefined;
    expect(sentTo.searchParams.get("code_challenge_method")).toBe("S256");
    expect(sentTo.searchParams.get("resource")).toBe(resource);
    return agreeTo(sentTo);
  }
}

/** The same steps with either SDK. */
interface Flow {
  readonly keeper: Keeper;
  connect(): Promise<void>;
  finish(given: URLSearchParams): Promise<void>;
  names(): Promise<readonly string[]>;
  call(name: string, args: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
  readonly unauthorized: new (...given: never[]) => Error;
}

function modern(): Flow {
  const keeper = new Keeper();
  const open = () => new ModernHttp(new URL(resource), { authProvider: keeper });
  let client = new ModernClient(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  let transport = open();
  return {
    keeper,
    unauthorized: ModernUnauthorized,
    connect: async () => {
      client = new ModernClient(
        { name: "test", version: "1" },
        { versionNegotiation: { mode: { pin: "2026-07-28" } } },
      );
      transport = open();
      await client.connect(transport);
    },
    finish: (given) => transport.finishAuth(given),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent,
    close: () => client.close(),
  };
}

function legacy(): Flow {
  const keeper = new Keeper();
  const open = () => new LegacyHttp(new URL(resource), { authProvider: keeper });
  let client = new LegacyClient({ name: "test", version: "1" });
  let transport = open();
  return {
    keeper,
    unauthorized: UnauthorizedError,
    connect: async () => {
      client = new LegacyClient({ name: "test", version: "1" });
      transport = open();
      await client.connect(transport as unknown as LegacyTransport);
    },
    finish: (given) => transport.finishAuth(given.get("code") ?? ""),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent,
    close: () => client.close(),
  };
}

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };

describe.each([
  ["2026-07-28", modern],
  ["2025-11-25", legacy],
])("a client of %s", (_, begin) => {
  it("is sent to the authorization server, reads, and is sent again before it trades", async () => {
    const flow = begin();
    const { keeper } = flow;
    await expect(flow.connect()).rejects.toBeInstanceOf(flow.unauthorized);
    expect(keeper.sentTo?.searchParams.get("scope")).toBe("market:read account:read");
    await flow.finish(await keeper.agree());
    expect(keeper.scopes).toBe("market:read account:read");
    await flow.connect();
    const names = await flow.names();
    expect(names).toContain("get_balances");
    expect(names).not.toContain("place_order");
    // In the same session: the person agrees to more, and the client goes on.
    await expect(flow.call("place_order", ORDER)).rejects.toBeInstanceOf(flow.unauthorized);
    expect(new Set(keeper.sentTo?.searchParams.get("scope")?.split(" "))).toEqual(
      new Set(["market:read", "account:read", "trade:write"]),
    );
    await flow.finish(await keeper.agree());
    expect(await flow.call("place_order", ORDER)).toMatchObject({ outcome: "accepted" });
    expect(await flow.names()).toContain("place_order");
    expect(await flow.names()).not.toContain("halt_trading");
    await flow.close();
  });
});
