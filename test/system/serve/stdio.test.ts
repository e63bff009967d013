import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { build } from "rolldown";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { TOOLS } from "../../../src/mcp/index.ts";

const INFO = { name: "test", version: "1.0.0" };
const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };

let dir: string;
let program: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "hoga-stdio-"));
  program = join(dir, "server.mjs");
  // What cannot be bundled is found where a bundle in the repository would find it.
  symlinkSync(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(dir, "node_modules"));
  const input = fileURLToPath(new URL("./stdio-server.ts", import.meta.url));
  await build({
    input,
    platform: "node",
    external: ["@resvg/resvg-js"],
    logLevel: "silent",
    output: { file: program, codeSplitting: false },
  });
}, 60_000);

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Started {
  readonly child: ChildProcess;
  readonly lines: () => readonly { readonly id?: number; readonly result?: unknown }[];
  readonly send: (method: string, params: object, id?: number) => void;
  readonly answer: (id: number) => Promise<unknown>;
}

function start(): Started {
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "pipe"] });
  children.push(child);
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  // Every line must be a message: whatever else stood on stdout would fail here.
  const lines = () =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { id?: number; result?: unknown });
  const answerTo = (id: number) => lines().find((line) => line.id === id)?.result;
  return {
    child,
    lines,
    send: (method, params, id) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
    answer: async (id) => {
      await expect.poll(() => answerTo(id), { timeout: 10_000 }).toBeDefined();
      return answerTo(id);
    },
  };
}

async function initialized(): Promise<Started> {
  const started = start();
  started.send("initialize", INITIALIZE, 1);
  await started.answer(1);
  started.send("notifications/initialized", {});
  return started;
}

it("serves a client of the new era, which first lists the tools with a process of its own", async () => {
  const client = new ModernClient(INFO, { versionNegotiation: { mode: "auto" } });
  await client.connect(new ModernStdio({ command: process.execPath, args: [program], stderr: "ignore" }));
  expect((await client.listTools()).tools).toHaveLength(TOOLS.length);
  const result = await client.callTool({ name: "get_balances", arguments: {} });
  expect(result.structuredContent).toMatchObject({ account: "test" });
  await client.close();
});

it("serves a client of the 2025 era", async () => {
  const client = new LegacyClient(INFO);
  await client.connect(new LegacyStdio({ command: process.execPath, args: [program], stderr: "ignore" }));
  expect((await client.listTools()).tools).toHaveLength(TOOLS.length);
  await client.close();
});

it("survives lines that are no messages", async () => {
  const { child, send, answer } = await initialized();
  child.stdin?.write("this is not JSON\n\n{}\n");
  send("tools/call", { name: "get_balances", arguments: {} }, 2);
  expect(await answer(2)).toMatchObject({ structuredContent: { account: "test" } });
});

it("ends when its client goes", async () => {
  const { child, lines } = await initialized();
  child.stdin?.end();
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
  expect(lines()).toHaveLength(1);
});

it("ends when its client goes without taking the answers", async () => {
  const { child, send } = await initialized();
  child.stdout?.destroy();
  send("tools/list", {}, 2);
  send("tools/list", {}, 3);
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
});

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("follows an order to its end on %s, and answers", async (signal) => {
  const { child, send, answer } = await initialized();
  send("tools/call", { name: "place_order", arguments: { draft_id: "x" } }, 2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const exited = once(child, "exit");
  child.kill(signal);
  expect(await answer(2)).toMatchObject({ structuredContent: { outcome: "accepted" } });
  const [code] = (await exited) as [number];
  expect(code).toBe(0);
});

it.each([0, 100])("answers what was asked %s ms before the end of input", async (waitMs) => {
  const { child, send, answer } = await initialized();
  send("tools/call", { name: "place_order", arguments: { draft_id: "x" } }, 2);
  send("tools/call", { name: "get_balances", arguments: {} }, 3);
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  const exited = once(child, "exit");
  child.stdin?.end();
  expect(await answer(2)).toMatchObject({ structuredContent: { outcome: "accepted" } });
  expect(await answer(3)).toMatchObject({ structuredContent: { account: "test" } });
  const [code] = (await exited) as [number];
  expect(code).toBe(0);
});

it("stops at once when nothing is being sent", async () => {
  const { child } = await initialized();
  const begun = performance.now();
  child.kill("SIGTERM");
  await once(child, "exit");
  expect(performance.now() - begun).toBeLessThan(1_000);
});

it("refuses an argument named __proto__ instead of losing it on the way", async () => {
  const { child, send, answer } = start();
  send("initialize", INITIALIZE, 1);
  await answer(1);
  send("notifications/initialized", {});
  const call = '{"name":"get_markets","arguments":{"__proto__":{"search":"x"}}}';
  child.stdin?.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${call}}\n`);
  const result = (await answer(2)) as {
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
  };
  expect(result.isError).toBe(true);
  expect(result.content[0]?.text).toContain("__proto__");
});
