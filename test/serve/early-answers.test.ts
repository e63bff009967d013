/** Whatever a client sends, it gets the same answers whether the first of them come early or all of them from the SDK. */
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { McpServer } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { defined } from "../../src/contract/index.ts";
import type { Desk, PlanDesk, TransferDesk } from "../../src/desk/index.ts";
import {
  type Connection,
  createMcpServer,
  type Handshake,
  handshakeOf,
  type ServerFactory,
} from "../../src/mcp/index.ts";
import { serveOverStdio } from "../../src/serve/index.ts";

const settings = {
  modules: ["market", "account", "trade", "plans", "safety"],
  readOnly: false,
  version: "1.2.3",
} as const;
const stamp = { environment: "sandbox", account: "test", unit: "KRW" } as const;
const desk = {
  ...stamp,
  transfers: {} as TransferDesk,
  plans: {} as PlanDesk,
  markets: async () => ({ ok: true, value: [{ symbol: "BTC/KRW" }] }),
  balances: async () => ({ ok: true, value: { ...stamp, balances: [], value: "0" } }),
} as unknown as Desk;
const factory = createMcpServer({ desk, ...settings });
const handshake = await handshakeOf({ environment: "sandbox", ...settings });
const signals = { once: () => undefined, off: () => undefined };
/** Answers come within a few turns of the loop, as nothing is waited for. */
const TURNS = 40;

// Loaded by the first message otherwise, for as long as that takes.
beforeAll(() =>
  Promise.all([import("../../src/serve/stdio/stdio-session.ts"), import("../../src/serve/wire/message-lines.ts")]),
);

interface Conversation {
  /** In any order: a server may answer a later request first. */
  readonly answers: readonly string[];
  /** Where one was loaded. */
  readonly server?: McpServer["server"];
}

async function conversation(messages: readonly unknown[], handshake?: Handshake): Promise<Conversation> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let text = "";
  let server: McpServer["server"] | undefined;
  stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const make = (connection?: Partial<Connection>) => {
    const made = factory(connection);
    server = made.server;
    return made;
  };
  const load = async (): Promise<ServerFactory> => Object.assign(make, factory);
  const serving = serveOverStdio(load, { stdin, stdout, signals, ...defined({ handshake }) });
  for (const message of messages) stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
  await serving.close();
  const lines = text.split("\n").filter((line) => line !== "");
  return { answers: lines.sort(), ...defined({ server }) };
}

/** One of the usual ones first, which shrinking goes back to. */
const either = (...values: readonly unknown[]) => fc.constantFrom(...values);
const capability = either(
  {},
  { listChanged: true },
  { form: {}, url: {} },
  { form: { applyDefaults: false } },
  true,
  null,
  [],
  {
    listChanged: {},
  },
  { form: true },
  { url: 1 },
  { context: {} },
  { tools: 1 },
  { x: {} },
  { x: 1 },
  { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } },
);
const names = either("roots", "elicitation", "sampling", "experimental", "extensions", "tasks", "tools", "__proto__");
const capabilities = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: fc.dictionary(names as fc.Arbitrary<string>, capability, { maxKeys: 3 }) },
  either(null, [], "x"),
);
const clientInfo = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ name: "test", version: "1" }) },
  either(
    { name: "test", version: "1", title: "Test", websiteUrl: "x", description: "" },
    { name: "test" },
    { name: "test", version: 1 },
    { name: "test", version: "1", icons: [] },
    null,
  ),
);
const version = either(
  "2025-11-25",
  "2025-11-25",
  "2025-11-25",
  "2025-06-18",
  "2024-10-07",
  "2026-07-28",
  "2020-01-01",
  5,
);
const negotiated = fc.record({ protocolVersion: version, capabilities, clientInfo }, { requiredKeys: [] });
const named = fc.record({
  "io.modelcontextprotocol/protocolVersion": either(
    "2026-07-28",
    "2026-07-28",
    "2026-07-28",
    "2026-07-28",
    "2025-11-25",
    5,
  ),
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});
const meta = fc.oneof({ weight: 4, arbitrary: named }, either({}, { progressToken: 1 }, { progressToken: {} }, null));
const params = fc.oneof(
  either({}, {}, {}, { cursor: "x" }, { cursor: "markets:" }, [], null, { name: "get_balances", arguments: {} }),
  fc.record({ _meta: meta }),
);
const method = either(
  "tools/list",
  "server/discover",
  "ping",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "tools/call",
  "completion/complete",
  "no/such",
);
const request = fc.oneof(
  { weight: 4, arbitrary: fc.record({ method, params }, { requiredKeys: ["method"] }) },
  fc.record({ method: fc.constant("initialize"), params: negotiated }),
);
const notification = fc.record(
  { method: either("notifications/initialized", "notifications/roots/list_changed", "no/such"), params },
  { requiredKeys: ["method"] },
);
const opening = fc.oneof(
  fc.record({
    method: fc.constant("initialize"),
    params: fc.record({ protocolVersion: version, capabilities, clientInfo }),
  }),
  fc.record({ method: either("server/discover", "tools/list"), params: fc.record({ _meta: named }) }),
);
const line = either("", "no message", "{}", "[]", '{"jsonrpc":"2.0","id":9,"method":"tools/list","more":1}');
const messages = fc
  .tuple(opening, fc.array(fc.oneof({ weight: 6, arbitrary: request }, { weight: 2, arbitrary: notification }, line)))
  .map(([first, rest]) =>
    [first, ...rest].map((message, id) => {
      if (typeof message !== "object" || message === null) return message;
      const isNotified = String((message as { readonly method: unknown }).method).startsWith("notifications/");
      return { jsonrpc: "2.0", ...(isNotified ? {} : { id }), ...message };
    }),
  );

it("gives the answers that the SDK gives", async () => {
  await fc.assert(
    fc.asyncProperty(messages, async (sent) => {
      const [early, whole] = [await conversation(sent, handshake), await conversation(sent)];
      expect(early.answers).toEqual(whole.answers);
    }),
    { numRuns: 100 },
  );
}, 60_000);

const clientOf = { name: "test", version: "1" };
const envelopeOf = (capabilities: object) => ({
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": clientOf,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  },
});
const SHOWS_VIEWS = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

const firstAsked = (capabilities: object) =>
  [
    [
      "a version agreed upon",
      [
        { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities, clientInfo: clientOf } },
        { method: "notifications/initialized" },
        { id: 1, method: "tools/list" },
        { id: 2, method: "resources/list", params: {} },
        { id: 3, method: "resources/templates/list" },
        { id: 4, method: "prompts/list" },
        { id: 5, method: "ping" },
      ],
    ],
    [
      "a version named by each request",
      [
        { id: 0, method: "server/discover", params: envelopeOf(capabilities) },
        { id: 1, method: "tools/list", params: envelopeOf(capabilities) },
        { id: 2, method: "prompts/list", params: envelopeOf(capabilities) },
      ],
    ],
  ] as const;

it.each([
  ...firstAsked({}).map(([name, sent]) => [name, "without views", sent] as const),
  ...firstAsked(SHOWS_VIEWS).map(([name, sent]) => [name, "with views", sent] as const),
])("answers without the server what is asked first, by %s, %s", async (_, shown, sent) => {
  const messages = sent.map((message) => ({ jsonrpc: "2.0", ...message }));
  const early = await conversation(messages, handshake);
  expect(early.server).toBeUndefined();
  expect(early.answers).toEqual((await conversation(messages)).answers);
  expect(early.answers).toHaveLength(sent.filter((message) => "id" in message).length);
  expect(early.answers.join().includes("ui://hoga/")).toBe(shown === "with views");
});

it("passes on to the server what the client said of itself before the server was loaded", async () => {
  const capabilities = { elicitation: { form: {} }, roots: { listChanged: true } };
  const params = { protocolVersion: "2025-06-18", capabilities, clientInfo: clientOf };
  const asked = [
    { id: 0, method: "initialize", params },
    { method: "notifications/initialized" },
    { id: 1, method: "tools/list" },
    { id: 2, method: "tools/call", params: { name: "get_balances", arguments: {} } },
  ];
  const { answers, server } = await conversation(
    asked.map((message) => ({ jsonrpc: "2.0", ...message })),
    handshake,
  );
  expect(new Set(answers.map((answer) => JSON.parse(answer).id))).toEqual(new Set([0, 1, 2]));
  expect(answers).toHaveLength(3);
  expect(server?.getClientCapabilities()).toEqual(capabilities);
  expect(server?.getClientVersion()).toEqual(clientOf);
  expect(server?.getNegotiatedProtocolVersion()).toBe("2025-06-18");
});
