/**
 * Frameworks for assistants, as clients: each connects over stdio, Streamable HTTP and HTTP+SSE, lists the tools, places an order, awaits it and cancels
 * it. Their packages lie beside this file; `npm run frameworks` installs them, which `npm run test:system` does first.
 *
 * Of `@mastra/mcp` it is the last release for Node 20: from 1.0.0 on it asks for 22.13.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useRealPrograms } from "../../fixture/command-line.ts";
import { addressIn, type HttpAddress, sseOf } from "../../fixture/http-address.ts";
import { CLI, cleanUp, environment, start } from "../../fixture/program.ts";
import { decimal, floor, ONE, units } from "../../story/figures.ts";
import { storyHome, TOOL_NAMES } from "../../story/story.ts";
import { sdk } from "../../story/story-client.ts";
import { type BookSeen, type OrderSeen, Teller } from "../../story/teller.ts";

useRealPrograms();

/** What each hands on of an answer: the text, the structured content, or both. */
const FRAMEWORKS = [
  { name: "langchain", hands: ["text", "content"] },
  { name: "ai-sdk", hands: ["text", "content"] },
  { name: "openai-agents", hands: ["text"] },
  { name: "mastra", hands: ["content"] },
] as const;

interface Conversation {
  readonly names: readonly string[];
  readonly orderId: string;
  readonly placed: object;
  readonly awaited: object;
  readonly canceled: object;
}

let home: string;
let address: HttpAddress;
/** Another client on the same account, which sees what became of the orders. */
let witness: Teller;
let price: string;

beforeAll(async () => {
  if (!existsSync(join(import.meta.dirname, "node_modules"))) throw new Error("first run `npm run frameworks`");
  home = await storyHome();
  address = addressIn(await start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home }).firstLine());
  const client = await sdk.overHttp(address);
  witness = new Teller(client);
  await witness.tools();
  const { content } = await witness.tell<BookSeen>("get_orderbook", { symbol: "BTC/KRW", depth: 1 });
  price = decimal(floor((units(content.best_bid) * 90n) / 100n, 100_000n * ONE));
});
afterAll(cleanUp);

const orderOf = (userref: string) => ({
  symbol: "BTC/KRW",
  side: "buy",
  type: "limit",
  base_volume: "0.001",
  price,
  userref,
});

async function converse(name: string): Promise<Readonly<Record<string, Conversation>>> {
  const env = environment({ home });
  const script = join(import.meta.dirname, "conversation.mjs");
  // The framework is not ours to listen to, but the server that it launches is.
  const child = spawn(process.execPath, [script, name], { env: { PATH: env["PATH"], HOME: home }, stdio: "pipe" });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const stdio = { command: process.execPath, args: [CLI, "serve"], env };
  const servers = { stdio, http: address, sse: { ...address, url: sseOf(address.url) } };
  const orders = Object.fromEntries(
    Object.keys(servers).map((transport) => [transport, orderOf(`${name}-${transport}`)]),
  );
  child.stdin.end(JSON.stringify({ servers, orders }));
  const [stdout, stderr] = await said;
  if (!stdout.endsWith("}\n")) throw new Error(`${name} said ${stdout || "nothing"}: ${stderr}`);
  return JSON.parse(stdout) as Readonly<Record<string, Conversation>>;
}

it.each(FRAMEWORKS)("$name lists, places, awaits and cancels, over each transport", async ({ name, hands }) => {
  const handed = (text: string, content: object) => {
    const answer = { text: expect.stringContaining(text), content: expect.objectContaining(content) };
    return Object.fromEntries(hands.map((part) => [part, answer[part]]));
  };
  const all = await converse(name);
  expect(Object.keys(all)).toEqual(["stdio", "http", "sse"]);
  for (const [transport, said] of Object.entries(all)) {
    expect({ transport, ...said }).toEqual({
      transport,
      names: TOOL_NAMES,
      orderId: expect.any(String),
      placed: handed("Accepted: buy 0.001 BTC on BTC/KRW", { outcome: "accepted", state: "open" }),
      awaited: handed("Reached (placed).", { reached: true, state: "open" }),
      canceled: handed("Canceled and verified:", { outcome: "accepted", state: "canceled" }),
    });
    const { content } = await witness.tell<{ order: OrderSeen }>("get_order", { order_id: said.orderId });
    expect(content).toMatchObject({ state: "canceled", order: { userref: `${name}-${transport}`, price } });
  }
});
