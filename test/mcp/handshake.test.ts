/** What a server says of itself is recorded in a file, which is compared with the server here, and written by `vitest -u`. */
import { InMemoryTransport, type JSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { describe, expect, it } from "vitest";
import type { Desk, TransferDesk } from "../../src/desk/index.ts";
import { createMcpServer, handshakeOf, TOOLS, TRANSFER_TOOLS } from "../../src/mcp/index.ts";
import type { Module } from "../../src/mcp/person/module.ts";
import { RESOURCE_FAMILIES, RESOURCES } from "../../src/mcp/server/resource.ts";

const ALL = ["market", "account", "trade", "safety", "payment", "remittance"] as const;
const NAMED = ["2026-07-28"];
const LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] as const;
const clientInfo = { name: "test", version: "1.0.0" };

interface Settings {
  readonly environment: "sandbox" | "live";
  readonly modules: readonly Module[];
  readonly readOnly: boolean;
}

/** The results that a server gives to these requests, in turn. */
async function results(settings: Settings, requests: readonly object[]): Promise<readonly Record<string, unknown>[]> {
  const { environment, ...others } = settings;
  const desk = { environment, transfers: {} as TransferDesk } as Desk;
  const factory = createMcpServer({ desk, version: "1.2.3", ...others });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = serveStdio(() => factory(), { transport: far });
  const answers: Record<string, unknown>[] = [];
  await near.start();
  for (const [id, request] of requests.entries()) {
    const answer = new Promise<JSONRPCMessage>((resolve) => {
      near.onmessage = resolve;
    });
    await near.send({ jsonrpc: "2.0", id, ...request } as JSONRPCMessage);
    answers.push((JSON.parse(JSON.stringify(await answer)) as { result: Record<string, unknown> }).result);
  }
  await serving.close();
  return answers;
}

const initialize = (protocolVersion: string) => ({
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo },
});

const lists = LISTS.map((method) => ({ method, params: {} }));

describe("what a server says of itself", () => {
  it("is recorded word by word", async () => {
    const everything = { environment: "sandbox", modules: ALL, readOnly: false } as const;
    const [first = {}, ...listed] = await results(everything, [initialize("2025-11-25"), ...lists]);
    const tools = [...TOOLS, ...TRANSFER_TOOLS];
    const found = [...RESOURCES, ...RESOURCE_FAMILIES];
    const recorded = (list: string, offered: readonly { readonly name: string }[]) =>
      Object.assign({}, ...listed)[list].map((item: { readonly name: string }) => {
        const { module, writes } = {
          module: undefined,
          writes: undefined,
          ...offered.find(({ name }) => name === item.name),
        };
        return { name: item.name, module, writes, listed: item };
      }) as readonly object[];
    const sections = {
      tools: recorded("tools", tools),
      resources: recorded("resources", found),
      resourceTemplates: recorded("resourceTemplates", found),
      prompts: recorded("prompts", []),
    };
    const lines = Object.entries(sections).map(
      ([name, items]) => `"${name}":[\n${items.map((item) => JSON.stringify(item)).join(",\n")}\n]`,
    );
    const others = {
      versions: { negotiated: SUPPORTED_PROTOCOL_VERSIONS, named: NAMED },
      capabilities: first["capabilities"],
      nextCursor: listed.find((list) => "nextCursor" in list)?.["nextCursor"],
    };
    const heads = Object.entries(others).map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
    const text = `{\n${[...heads, ...lines].join(",\n")}\n}\n`;
    await expect(text).toMatchFileSnapshot("../../src/mcp/server/handshake.json");
  });

  it("is the same with every setting", async () => {
    const modules: readonly (readonly Module[])[] = [["market"], ["trade", "account"], ["safety"], ["payment"], ALL];
    for (const environment of ["sandbox", "live"] as const)
      for (const readOnly of [true, false])
        for (const offered of modules) {
          const settings = { environment, modules: offered, readOnly };
          const handshake = handshakeOf({ ...settings, version: "1.2.3" });
          const { serverInfo, capabilities, instructions } = handshake;
          const [first, ...listed] = await results(settings, [initialize("2025-11-25"), ...lists]);
          expect({ protocolVersion: "2025-11-25", serverInfo, capabilities, instructions }).toEqual(first);
          expect(LISTS.map((method) => handshake.lists[method]?.result)).toEqual(listed);
        }
  });

  it("names the protocol versions that are supported", async () => {
    const settings = { environment: "sandbox", modules: ALL, readOnly: false } as const;
    const { versions } = handshakeOf({ ...settings, version: "1.2.3" });
    expect(versions).toEqual({ negotiated: SUPPORTED_PROTOCOL_VERSIONS, named: NAMED });
    for (const version of versions.negotiated) {
      const [result] = await results(settings, [initialize(version)]);
      expect(result).toMatchObject({ protocolVersion: version });
    }
    const [unknown] = await results(settings, [initialize("2020-01-01")]);
    expect(unknown).toMatchObject({ protocolVersion: SUPPORTED_PROTOCOL_VERSIONS[0] });
  });
});
