/** Clients of the 2025 era that lose a connection, and go on where it broke: raw requests, and the real clients behind a line that breaks. */
import { type ClientRequest, request } from "node:http";
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Client as LaterClient, StreamableHTTPClientTransport as LaterTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";
import { LIMIT_BUY } from "../fixture/order-sample.ts";
import { LOOSE } from "../fixture/policy.ts";

const SOON = { timeout: 15_000, interval: 20 };
const ORDERS = "hoga://orders/open";
const BALANCES = "hoga://balances";
const RESTING = { ...LIMIT_BUY, price: "50000000", userref: "w" };
const WAIT = { name: "await_order", arguments: { userref: "w", timeout_s: 50 } };

let exchange: ExchangeFixture;
let http: HttpServing;
let session: Record<string, string>;
let opened: ClientRequest[];

async function serve(desk: Desk): Promise<void> {
  http = await serveOverHttp({ factory: createMcpServer({ desk, version: "0.0.0" }), token: TOKEN, port: 0 });
}

beforeEach(async () => {
  opened = [];
  exchange = await startExchange({ stream: true });
  await serve(exchange.desk);
  session = await begin();
});
afterEach(async () => {
  for (const sent of opened) sent.destroy();
  await http.close();
  await exchange.close();
});

interface Event {
  readonly id: string;
  readonly retry: string | undefined;
  readonly message: Record<string, unknown> | undefined;
}

interface Stream {
  readonly status: number | undefined;
  readonly events: () => readonly Event[];
  readonly isEnded: () => boolean;
  /** The connection is lost. */
  readonly cut: () => void;
}

function eventsIn(text: string): readonly Event[] {
  const field = (event: string, name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(event)?.[1];
  return text
    .split("\n\n")
    .slice(0, -1)
    .filter((event) => !event.startsWith(":"))
    .map((event) => {
      const data = field(event, "data") ?? "";
      const message = data === "" ? undefined : (JSON.parse(data) as Record<string, unknown>);
      return { id: field(event, "id") ?? "", retry: field(event, "retry"), message };
    });
}

const HEADERS = { ...BEARER, "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Over a connection of its own. Resolves with the head of the answer. */
function open(method: "GET" | "POST", headers: object, body?: object): Promise<Stream> {
  return new Promise((resolve, reject) => {
    let text = "";
    let ended = false;
    const all = { ...HEADERS, ...session, ...headers };
    const sent = request(`${http.url}/mcp`, { method, headers: all, agent: false }, (answer) => {
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => {
        ended = true;
      });
      answer.on("error", () => undefined);
      const status = answer.statusCode;
      resolve({ status, events: () => eventsIn(text), isEnded: () => ended, cut: () => sent.destroy() });
    });
    opened.push(sent);
    sent.on("error", reject).end(body && JSON.stringify({ jsonrpc: "2.0", ...body }));
  });
}

const post = (body: object) => open("POST", {}, body);
const listen = () => open("GET", {});
const resume = (id: string | undefined) => open("GET", { "last-event-id": id ?? "" });

async function begin(): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const answer = await fetch(`${http.url}/mcp`, { method: "POST", headers: HEADERS, body });
  await answer.text();
  return { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
}

/** Resolves when the request of this id has its answer: the id can be used again. */
async function ended(id: number): Promise<void> {
  await expect.poll(async () => (await post({ id, method: "ping" })).status, SOON).toBe(200);
}

/** The stream of a call that waits, with its first event, and then without its connection. */
async function lost(params: object = WAIT, method = "tools/call"): Promise<string> {
  const calling = await post({ id: 7, method, params });
  await expect.poll(calling.events, SOON).toHaveLength(1);
  const [first] = calling.events();
  expect(first).toMatchObject({ id: expect.stringMatching(/./), retry: "1000", message: undefined });
  calling.cut();
  return first?.id ?? "";
}

const answersIn = (stream: Stream) => stream.events().filter(({ message }) => message?.["id"] === 7);

describe("a call whose connection is lost", () => {
  it("goes on, and its answer comes once over the stream that is opened again", async () => {
    await exchange.desk.place(RESTING);
    const place = await lost();
    const again = await resume(place);
    expect(again.status).toBe(200);
    await pause(50);
    expect(again.isEnded()).toBe(false);
    await exchange.desk.cancelAll();
    await expect.poll(again.isEnded, SOON).toBe(true);
    expect(answersIn(again)).toMatchObject([{ message: { result: { structuredContent: { reached: true } } } }]);
    // Who has it is not sent it again, and is told to leave it at that.
    expect((await resume(answersIn(again)[0]?.id)).status).toBe(204);
  });

  it("has an answer that was given meanwhile", async () => {
    await exchange.desk.place(RESTING);
    const place = await lost();
    await exchange.desk.cancelAll();
    await ended(7);
    const again = await resume(place);
    await expect.poll(again.isEnded, SOON).toBe(true);
    expect(answersIn(again)).toHaveLength(1);
  });

  it("goes on over the later of two connections", async () => {
    await exchange.desk.place(RESTING);
    const place = await lost();
    const [first, second] = [await resume(place), await resume(place)];
    await expect.poll(first.isEnded, SOON).toBe(true);
    await exchange.desk.cancelAll();
    await expect.poll(second.isEnded, SOON).toBe(true);
    expect([answersIn(first).length, answersIn(second).length]).toEqual([0, 1]);
  });

  it("says nothing more once it was cancelled", async () => {
    await exchange.desk.place(RESTING);
    const place = await lost();
    await post({ method: "notifications/cancelled", params: { requestId: 7 } });
    expect((await resume(place)).status).toBe(204);
    await expect.poll((await post({ id: 7, method: "ping" })).isEnded, SOON).toBe(true);
  });

  it("is told, over the stream that was opened again, that the server stops", async () => {
    await exchange.desk.place(RESTING);
    const again = await resume(await lost());
    const closing = http.close();
    await expect.poll(again.isEnded, SOON).toBe(true);
    const error = { code: -32000, message: expect.stringContaining("The server stops") };
    expect(answersIn(again)).toMatchObject([{ message: { error } }]);
    await closing;
  });

  it("can be gone back to while the server stops", async () => {
    const balances: Desk["balances"] = async () => {
      await pause(800);
      return exchange.desk.balances();
    };
    await http.close();
    await serve({ ...exchange.desk, balances });
    session = await begin();
    const place = await lost({ name: "get_balances", arguments: {} });
    const closing = http.close();
    const again = await resume(place);
    await expect.poll(again.isEnded, SOON).toBe(true);
    expect(answersIn(again)).toMatchObject([
      { message: { result: { structuredContent: { value: expect.anything() } } } },
    ]);
    await closing;
  });

  it("is told where its answer was too much to be kept", async () => {
    const balances: Desk["balances"] = async () => {
      await pause(200);
      const found = await exchange.desk.balances();
      if (!found.ok) return found;
      const [first] = found.value.balances;
      const many = first === undefined ? [] : Array.from({ length: 6_000 }, () => first);
      return { ...found, value: { ...found.value, balances: many } };
    };
    await http.close();
    await serve({ ...exchange.desk, balances });
    session = await begin();
    // A tool's answer is never so long.
    const place = await lost({ uri: BALANCES }, "resources/read");
    await ended(7);
    const again = await resume(place);
    await expect.poll(again.isEnded, SOON).toBe(true);
    const error = { code: -32000, message: expect.stringContaining("look with get_order") };
    expect(answersIn(again)).toMatchObject([{ message: { error } }]);
    expect((await resume(answersIn(again)[0]?.id)).status).toBe(204);
  });
});

describe("the stream for notifications", () => {
  it("goes on with what was missed, of each resource the last change", async () => {
    for (const uri of [ORDERS, BALANCES]) {
      const subscribing = await post({ id: uri, method: "resources/subscribe", params: { uri } });
      await expect.poll(subscribing.isEnded, SOON).toBe(true);
    }
    const first = await listen();
    const changed = (stream: Stream) =>
      stream.events().flatMap(({ message }) => {
        const { uri } = (message?.["params"] ?? {}) as { readonly uri?: string };
        return uri === undefined ? [] : [uri];
      });
    await expect.poll(() => changed(first).sort(), SOON).toEqual([BALANCES, ORDERS]);
    const place = first.events()[0]?.id;
    first.cut();
    const again = await resume(place);
    await expect.poll(() => changed(again).sort(), SOON).toEqual([BALANCES, ORDERS]);
    // And with what comes.
    await exchange.desk.place(RESTING);
    await expect.poll(() => changed(again).length, SOON).toBe(4);
    const last = again.events().at(-1)?.id;
    again.cut();
    const third = await resume(last);
    await pause(200);
    expect(changed(third)).toEqual([]);
  });

  it("begins with its place, for a client that takes events without data", async () => {
    const stream = await listen();
    await expect.poll(stream.events, SOON).toMatchObject([{ retry: "1000", message: undefined }]);
    const older = { ...session, "mcp-protocol-version": "2025-06-18" };
    stream.cut();
    await pause(100);
    const plain = await open("GET", older);
    await pause(100);
    expect([plain.status, plain.events()]).toEqual([200, []]);
  });
});

it("a place that is not known, or that is another session's, is refused", async () => {
  for (const place of ["x", "1_", "1_x", "_GET_stream", "1e3_x", "9".repeat(400)])
    expect({ place, status: (await resume(place)).status }).toEqual({ place, status: 400 });
  const pinging = await post({ id: 1, method: "ping" });
  await expect.poll(pinging.isEnded, SOON).toBe(true);
  const place = pinging.events()[0]?.id;
  session = await begin();
  expect((await resume(place)).status).toBe(400);
});

/** Between a client and the server. */
class Line {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(target: string): Promise<Line> {
    const port = Number(new URL(target).port);
    const server = createServer();
    const line = new Line(server);
    server.on("connection", (near) => {
      const far = dial(port, "127.0.0.1");
      for (const socket of [near, far]) {
        line.#sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => line.#sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

/** What the tests call of the SDK's two clients of this era. */
interface Caller {
  place(): Promise<unknown>;
  close(): Promise<void>;
}

const INFO = { name: "test", version: "1" };
const PLACE = { name: "place_order", arguments: { ...LIMIT_BUY } };
const FORMS = { capabilities: { elicitation: { form: {} } } };
const settings = { requestInit: { headers: BEARER } };

/** @param answer what a person says to a form, and when */
const CLIENTS: readonly (readonly [string, (url: URL, answer: () => Promise<ElicitResult>) => Promise<Caller>])[] = [
  [
    "1.x",
    async (url, answer) => {
      const client = new Client(INFO, FORMS);
      client.setRequestHandler(ElicitRequestSchema, answer);
      await client.connect(new StreamableHTTPClientTransport(url, settings) as unknown as Transport);
      return { place: () => client.callTool(PLACE), close: () => client.close() };
    },
  ],
  [
    "2.x",
    async (url, answer) => {
      const client = new LaterClient(INFO, { ...FORMS, versionNegotiation: { mode: "legacy" } });
      client.setRequestHandler("elicitation/create", answer);
      await client.connect(new LaterTransport(url, settings));
      return { place: () => client.callTool(PLACE), close: () => client.close() };
    },
  ],
];

describe.each(CLIENTS)("the client %s, on a line that breaks,", (_, connected) => {
  it("has the answer of a call that was sent once", async () => {
    const begun = gate();
    const place: Desk["place"] = async (...args) => {
      begun.open();
      await pause(300);
      return exchange.desk.place(...args);
    };
    await http.close();
    await serve({ ...exchange.desk, place });
    const line = await Line.to(http.url);
    const client = await connected(new URL(line.url), () => Promise.reject(new Error("nobody is asked")));
    const placing = client.place();
    await begun.opened;
    // Its stream has begun.
    await pause(100);
    line.cut();
    expect(await placing).toMatchObject({ structuredContent: { outcome: "accepted", state: "open" } });
    expect(exchange.relay.writes()).toEqual(["POST /v1/orders"]);
    await client.close();
    line.close();
  });

  it("asks its person once, and the answer arrives", async () => {
    exchange.policy.value = ok({ ...LOOSE, mode: "confirm", approveBy: ["client"] });
    const line = await Line.to(http.url);
    const asked = gate();
    let times = 0;
    const client = await connected(new URL(line.url), async () => {
      times += 1;
      asked.open();
      await pause(1_500);
      return { action: "accept", content: { approve: true } };
    });
    const placing = client.place();
    await asked.opened;
    line.cut();
    expect(await placing).toMatchObject({ structuredContent: { outcome: "accepted", state: "open" } });
    expect([times, exchange.relay.writes()]).toEqual([1, ["POST /v1/orders"]]);
    await client.close();
    line.close();
  });
});

function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}
