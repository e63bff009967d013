import { request } from "node:http";
import { connect as connectSocket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, type HttpSettings, ServeError, serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { addressOf, BEARER, TOKEN } from "../fixture/http-address.ts";
import { connectHttp, ERAS } from "../mcp/client.ts";

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Record<string, unknown>;
}

let exchange: ExchangeFixture;
let http: HttpServing;

async function serve(settings: Partial<HttpSettings> = {}): Promise<HttpServing> {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  return serveOverHttp({ factory, token: TOKEN, port: 0, ...settings });
}

beforeEach(async () => {
  exchange = await startExchange();
  http = await serve();
});

afterEach(async () => {
  await http.close();
  await exchange.close();
});

/** A raw request with the token, because a real client cannot be made to send what an attacker sends. */
function ask(path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const sent = request(
      new URL(path, http.url),
      { method, headers: { connection: "close", ...BEARER, ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** A modern tools/call, as one self-contained request. */
function callBody(name: string, args: object): string {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args, _meta: meta },
  });
}

const MODERN = {
  ...JSON_HEADERS,
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "get_balances",
};
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

function readBalances(headers: Record<string, string> = {}): Promise<Answer> {
  return ask("/mcp", { method: "POST", headers: { ...MODERN, ...headers }, body: callBody("get_balances", {}) });
}

const initialize = () => ask("/mcp", { method: "POST", headers: JSON_HEADERS, body: INITIALIZE });
const begin = async () => String((await initialize()).headers["mcp-session-id"]);

async function stillAnswers(): Promise<void> {
  expect((await ask("/healthz")).status).toBe(200);
  const answer = await readBalances();
  expect(answer.status).toBe(200);
  expect(answer.body).toContain('"value"');
}

describe("the entrance", () => {
  it.each([
    ["an evil origin", { origin: "https://evil.example" }],
    ["a null origin", { origin: "null" }],
    ["a picture or a frame in a page of another site", { "sec-fetch-site": "cross-site" }],
    ["a rebinding host", { host: "evil.example" }],
    ["a host that only begins like ours", { host: "127.0.0.1.evil.example" }],
    ["a host that only a parser takes for ours, by a user before it", { host: "evil.example@localhost" }],
    ["one by a path behind it", { host: "localhost/@evil.example" }],
    ["one by its number", { host: "2130706433" }],
    ["one by another spelling", { host: "0x7f.1:80" }],
    ["an origin that only begins like ours", { origin: "http://localhost.evil.example" }],
  ])("stays closed for %s, on every path, before anything reaches the exchange", async (_, headers) => {
    exchange.relay.seen.length = 0;
    const answers = [await readBalances(headers), await ask("/", { headers }), await ask("/healthz", { headers })];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    const body = INITIALIZE;
    expect((await ask("/mcp", { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body })).status).toBe(403);
    expect(exchange.relay.seen).toEqual([]);
    await stillAnswers();
  });

  it("lets pages of this machine and clients without origin in", async () => {
    expect((await readBalances({ origin: "http://localhost:3000" })).status).toBe(200);
    expect((await readBalances()).status).toBe(200);
    for (const site of ["none", "same-origin", "same-site"])
      expect((await ask("/", { headers: { "sec-fetch-site": site } })).status).toBe(200);
  });

  it.each([
    ["a body that is too large", { body: "x".repeat(300 * 1024) }, 413],
    ["a body that is not JSON", { body: "{" }, 400],
    ["another content type", { headers: { "content-type": "text/plain" }, body: "{}" }, 415],
    [
      "an unknown session",
      { headers: { "mcp-session-id": "nope" }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
      404,
    ],
    ["a session id from nowhere and no initialize", { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }, 400],
    ["JSON that is no message", { body: "7" }, 400],
    ["an empty body", { body: "" }, 400],
  ])("refuses %s and goes on", async (_, { headers, body }: { headers?: object; body: string }, status) => {
    const answer = await ask("/mcp", { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body });
    expect(answer.status).toBe(status);
    await stillAnswers();
  });

  it("refuses a large body that is sent in chunks", async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connectSocket(Number(new URL(http.url).port), "127.0.0.1");
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${BEARER.Authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      for (let chunk = 0; chunk < 40; chunk++) socket.write(`4000\r\n${"x".repeat(0x4000)}\r\n`);
      socket.once("data", (data) => resolve(data.toString()));
      socket.on("error", () => undefined);
    });
    expect(answer).toContain(" 413 ");
    await stillAnswers();
  });

  it("does not wait for a body forever", async () => {
    await http.close();
    http = await serve({ limits: { bodyMs: 100 } });
    const answer = await new Promise<string>((resolve) => {
      const socket = connectSocket(Number(new URL(http.url).port), "127.0.0.1");
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${BEARER.Authorization}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
      socket.once("data", (data) => resolve(data.toString()));
    });
    expect(answer).toContain(" 408 ");
    await stillAnswers();
  });

  it("answers its own paths and methods only", async () => {
    expect((await ask("/nothing")).status).toBe(404);
    expect((await ask("/mcp", { method: "PUT" })).status).toBe(405);
    expect((await ask("/healthz", { method: "POST", body: "{}" })).status).toBe(405);
    expect((await ask("/%zz")).status).toBe(404);
    await stillAnswers();
  });
});

describe("readiness", () => {
  it("is checked for each request", async () => {
    await http.close();
    let up = false;
    http = await serve({ unready: async () => (up ? undefined : "venue") });
    expect((await ask("/readyz")).status).toBe(503);
    up = true;
    expect((await ask("/readyz")).status).toBe(200);
  });

  it("survives a part that throws", async () => {
    await http.close();
    const errors: unknown[] = [];
    http = await serve({
      unready: async () => {
        throw new Error("secret");
      },
      onError: (error) => errors.push(error),
    });
    const answer = await ask("/readyz");
    const error = { code: -32603, message: "Internal server error" };
    expect({ status: answer.status, body: JSON.parse(answer.body) as unknown }).toEqual({
      status: 500,
      body: { jsonrpc: "2.0", error, id: null },
    });
    expect(errors).toHaveLength(1);
    await stillAnswers();
  });
});

describe("the address", () => {
  it.each(["0.0.0.0", "::", "192.168.0.10", "example.com", ""])(
    "may not be %s, as nothing here is encrypted",
    async (host) => {
      const error = await serve({ host }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ServeError);
      expect(error).toMatchObject({ code: "host_not_loopback", fix: expect.stringContaining("127.0.0.1") });
    },
  );

  it("when it is taken, is named with the fix", async () => {
    const error = await serve({ port: Number(new URL(http.url).port) }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "port_in_use", fix: expect.stringContaining("--port") });
    await stillAnswers();
  });

  it("must be a port", async () => {
    await expect(serve({ port: 70_000 })).rejects.toMatchObject({ code: "bad_port" });
  });
});

describe("sessions of 2025-era clients", () => {
  const ping = async (id: string) => {
    const headers = { ...JSON_HEADERS, "mcp-session-id": id };
    return (await ask("/mcp", { method: "POST", headers, body: '{"jsonrpc":"2.0","id":2,"method":"ping"}' })).status;
  };

  it("are bounded, and none that was used lately gives way: first one whose client has only begun", async () => {
    await http.close();
    http = await serve({ limits: { sessionsMax: 2 } });
    const [used, silent] = [await begin(), await begin()];
    expect(await ping(used)).toBe(200);
    const third = await begin();
    expect([await ping(used), await ping(silent), await ping(third)]).toEqual([200, 404, 200]);
    const fourth = await initialize();
    expect([fourth.status, fourth.headers["retry-after"]]).toEqual([503, "60"]);
    expect([await ping(used), await ping(third)]).toEqual([200, 200]);
  });

  it("give way after a while, the one first that was idle longest", async () => {
    await http.close();
    http = await serve({ limits: { sessionsMax: 2, sessionKeptMs: 0 } });
    const [first, second] = [await begin(), await begin()];
    expect([await ping(first), await ping(second)]).toEqual([200, 200]);
    await ping(first);
    const third = await begin();
    expect([await ping(first), await ping(second), await ping(third)]).toEqual([200, 404, 200]);
  });

  it("end when they are unused, and not while a client listens", async () => {
    await http.close();
    http = await serve({ limits: { sessionIdleMs: 600 } });
    const listening = await connectHttp("2025-11-25", addressOf(http));
    const silent = await ask("/mcp", { method: "POST", headers: JSON_HEADERS, body: INITIALIZE });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await listening.call("get_desk_status")).isError).toBe(false);
    const headers = { ...JSON_HEADERS, "mcp-session-id": String(silent.headers["mcp-session-id"]) };
    const gone = await ask("/mcp", { method: "POST", headers, body: '{"jsonrpc":"2.0","id":2,"method":"ping"}' });
    // The exchange had not named the account when it began, so that its id opens nothing anew.
    expect(gone.status).toBe(404);
    await listening.close();
  });

  it("end on request", async () => {
    const begun = await ask("/mcp", { method: "POST", headers: JSON_HEADERS, body: INITIALIZE });
    const headers = { ...JSON_HEADERS, "mcp-session-id": String(begun.headers["mcp-session-id"]) };
    expect((await ask("/mcp", { method: "DELETE", headers })).status).toBe(200);
    expect((await ask("/mcp", { method: "DELETE", headers })).status).toBe(404);
  });
});

describe("closing", () => {
  it("is told to who asks whether the server is ready, while what runs ends, and nothing new begins", async () => {
    await http.close();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let began = (): void => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const balances = () => {
      began();
      return released.then(() => exchange.desk.balances());
    };
    http = await serve({ factory: createMcpServer({ desk: { ...exchange.desk, balances }, version: "0.0.0" }) });
    const session = { "mcp-session-id": await begin() };
    const reading = readBalances();
    await begun;
    expect((await ask("/readyz")).status).toBe(200);
    const closed = http.close();
    expect([(await ask("/readyz")).status, (await ask("/healthz")).status]).toEqual([503, 200]);
    const ping = { method: "POST", body: '{"jsonrpc":"2.0","id":9,"method":"ping"}' };
    const refused = [
      await readBalances(),
      await ask("/mcp", { ...ping, headers: { ...JSON_HEADERS, ...session } }),
      await ask("/mcp", { method: "POST", headers: JSON_HEADERS, body: INITIALIZE }),
      await ask("/sse"),
    ];
    for (const { status, headers, body } of refused) {
      expect([status, headers["retry-after"]]).toEqual([503, "5"]);
      expect(JSON.parse(body)).toMatchObject({
        error: { message: expect.stringContaining("nothing of this request") },
      });
    }
    // What belongs to what runs is still taken.
    const note = {
      method: "POST",
      body: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}',
    };
    expect((await ask("/mcp", { ...note, headers: { ...JSON_HEADERS, ...session } })).status).toBe(202);
    release();
    expect((await reading).body).toContain('"value"');
    await closed;
  });

  it("ends waiting calls and open streams at once, and may be asked twice", async () => {
    const client = await connectHttp("2025-11-25", addressOf(http));
    const begun = performance.now();
    await Promise.all([http.close(), http.close()]);
    expect(performance.now() - begun).toBeLessThan(3_000);
    await client.close();
  });

  it("lets a write end and answers it", async () => {
    let began = (): void => {};
    const place = async () => {
      began();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return {
        outcome: "accepted",
        state: "open",
        environment: "sandbox",
        account: "a",
        unit: "KRW",
        warnings: [],
      } as const;
    };
    const stamp = () => ({ environment: "sandbox", account: "a", unit: "KRW" });
    const factory = createMcpServer({
      desk: { environment: "sandbox", unit: "KRW", stamp, place } as unknown as Desk,
      version: "0.0.0",
    });
    for (const era of ERAS) {
      const slow = await serveOverHttp({ factory, token: TOKEN, port: 0 });
      const client = await connectHttp(era, addressOf(slow));
      const begun = new Promise<void>((resolve) => {
        began = resolve;
      });
      const placing = client.call("place_order", { draft_id: "x" });
      await begun;
      await slow.close();
      expect((await placing).structured).toMatchObject({ outcome: "accepted" });
      await client.close();
    }
  });
});
