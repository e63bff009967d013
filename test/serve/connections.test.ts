/** More connections than there may be: who comes to work finds a place, and who has one keeps it. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, type HttpSettings, serveOverHttp } from "../../src/serve/index.ts";
import { connectionsMax } from "../../src/serve/wire/connections.ts";
import { CERT, KEY } from "../fixture/certificate.ts";
import { eventually, freePort } from "../fixture/command.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";

let exchange: ExchangeFixture;
let http: HttpServing;
let port = 0;
let dropped = 0;
let sockets: Socket[] = [];

beforeAll(async () => {
  exchange = await startExchange();
});
afterAll(() => exchange.close());
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await http.close();
});

async function serve(max: number, settings: Partial<HttpSettings> = {}): Promise<void> {
  [dropped, sockets] = [0, []];
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  const observer = {
    around: (_: unknown, run: () => void) => run(),
    ended: () => undefined,
    dropped: () => {
      dropped += 1;
    },
    sessionEnded: () => undefined,
  };
  const given = { factory, token: TOKEN, port: 0, observer, limits: { connectionsMax: max } };
  http = await serveOverHttp({ ...given, ...settings });
  port = Number(new URL(http.pageLink()).port);
}

/** From one of this machine's many addresses. */
async function come(from: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

const isGone = (socket: Socket): Promise<true> => eventually(() => socket.closed || undefined, 5_000);

function ask(socket: Socket, path: string, headers: readonly string[] = []): Promise<string> {
  socket.resume();
  socket.write([`GET ${path} HTTP/1.1`, "Host: localhost", ...headers, "", ""].join("\r\n"));
  const said = once(socket, "data").then(([data]) => String(data));
  return Promise.race([said, once(socket, "close").then(() => "closed")]);
}

/** Answered at once, and kept alive. */
const asOwner = (socket: Socket): Promise<string> =>
  ask(socket, "/metrics", [`Authorization: ${BEARER.Authorization}`]);
/** Open for as long as its client wants. */
const listen = (socket: Socket): Promise<string> => ask(socket, "/sse", [`Authorization: ${BEARER.Authorization}`]);

it("a newcomer takes the place that was silent longest, of the address that holds most of them", async () => {
  await serve(4);
  const alone = await come("127.0.0.3");
  const [first, ...others] = [await come("127.0.0.2"), await come("127.0.0.2"), await come("127.0.0.2")];
  expect(await ask(await come("127.0.0.4"), "/healthz")).toContain(" 200 ");
  await isGone(first as Socket);
  expect([alone, ...others].map(({ closed }) => closed)).toEqual([false, false, false]);
  expect(dropped).toBe(1);
});

it("who was let in stays in the middle of a request, and for strangers also when idle", async () => {
  await serve(2);
  const [listening, idle] = [await come("127.0.0.1"), await come("127.0.0.1")];
  expect(await listen(listening)).toContain(" 200 ");
  expect(await asOwner(idle)).toContain(" 404 ");
  const stranger = await come("127.0.0.1");
  // Nobody is silent who was not let in, so the idle one gives way; then the stranger does.
  await isGone(idle);
  const next = await come("127.0.0.1");
  await isGone(stranger);
  expect(await listen(next)).toContain(" 200 ");
  const oneTooMany = await come("127.0.0.1");
  await isGone(oneTooMany);
  expect([listening.closed, next.closed, dropped]).toEqual([false, false, 3]);
});

it("a probe lets nobody in", async () => {
  await serve(2);
  const [probe, idle] = [await come("127.0.0.2"), await come("127.0.0.2")];
  expect(await asOwner(idle)).toContain(" 404 ");
  expect(await ask(probe, "/healthz")).toContain(" 200 ");
  await come("127.0.0.2");
  await isGone(probe);
  expect(idle.closed).toBe(false);
});

it("who was let in over TLS keeps its place as well", async () => {
  const free = await freePort();
  await serve(2, { tls: { cert: CERT, key: KEY }, port: free, resource: `https://hoga.test:${free}/mcp` });
  const secure = connectTls({ socket: await come("127.0.0.1"), servername: "hoga.test", ca: CERT });
  await once(secure, "secureConnect");
  secure.write(`GET /sse HTTP/1.1\r\nHost: hoga.test:${free}\r\nAuthorization: ${BEARER.Authorization}\r\n\r\n`);
  expect(String((await once(secure, "data"))[0])).toContain(" 200 ");
  const silent = await come("127.0.0.1");
  await come("127.0.0.1");
  await isGone(silent);
  expect(secure.closed).toBe(false);
});

it("there are so many that descriptors are left for the rest", () => {
  expect([Number.POSITIVE_INFINITY, 20_000, 1_024, 256, 64].map((files) => connectionsMax(files))).toEqual([
    1_024, 1_024, 832, 64, 16,
  ]);
});
