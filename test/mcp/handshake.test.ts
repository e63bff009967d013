/**
 * What a client is told without a server is compared with what a server tells it. The bundle has it as a record, which `test/system/start.test.ts`
 * compares with the program's own server.
 */
import { InMemoryTransport, type JSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { describe, expect, it } from "vitest";
import type { Desk, PlanDesk, TransferDesk } from "../../src/desk/index.ts";
import { createMcpServer, handshakeOf, TOOLS, TRANSFER_TOOLS } from "../../src/mcp/index.ts";
import type { Module } from "../../src/mcp/person/module.ts";
import { recorded } from "../../src/mcp/server/record.ts";

const ALL = ["market", "account", "trade", "plans", "safety", "payment", "remittance"] as const;
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
  const desk = { environment, transfers: {} as TransferDesk, plans: {} as PlanDesk } as Desk;
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
  it("stands here as reviewed, but for the tools of which tool-list.test.ts has the text", async () => {
    const { tools, ...others } = await recorded();
    expect(tools.map(({ name }) => name)).toEqual([...TOOLS, ...TRANSFER_TOOLS].map(({ name }) => name));
    const entries = Object.values({ ...others, tools: tools.slice(TOOLS.length) }).flat();
    expect(entries.map((entry) => JSON.stringify(entry)).join("\n")).toMatchSnapshot();
  });

  it("is the same with every setting", async () => {
    const modules: readonly (readonly Module[])[] = [
      ...([["market"], ["trade", "account"], ["plans"], ["safety"], ["payment"], ALL] as const),
    ];
    for (const environment of ["sandbox", "live"] as const)
      for (const readOnly of [true, false])
        for (const offered of modules) {
          const settings = { environment, modules: offered, readOnly };
          const handshake = await handshakeOf({ ...settings, version: "1.2.3" });
          const { serverInfo, capabilities, instructions } = handshake;
          const [first, ...listed] = await results(settings, [initialize("2025-11-25"), ...lists]);
          expect({ protocolVersion: "2025-11-25", serverInfo, capabilities, instructions }).toEqual(first);
          expect(LISTS.map((method) => handshake.lists[method]?.result)).toEqual(listed);
        }
  });

  it("names the protocol versions that are supported", async () => {
    const settings = { environment: "sandbox", modules: ALL, readOnly: false } as const;
    const { versions } = await handshakeOf({ ...settings, version: "1.2.3" });
    expect(versions).toEqual({ negotiated: SUPPORTED_PROTOCOL_VERSIONS, named: NAMED });
    for (const version of versions.negotiated) {
      const [result] = await results(settings, [initialize(version)]);
      expect(result).toMatchObject({ protocolVersion: version });
    }
    const [unknown] = await results(settings, [initialize("2020-01-01")]);
    expect(unknown).toMatchObject({ protocolVersion: SUPPORTED_PROTOCOL_VERSIONS[0] });
  });
});
