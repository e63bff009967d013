import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { type OpenedExchange, openExchange } from "../../../src/sandbox/engine/index.ts";
import type { Family, Reply } from "../../../src/sandbox/http/family.ts";
import { type ApiServer, createApiServer } from "../../../src/sandbox/http/server.ts";
import { createService, DEFAULT_LIMITS } from "../../../src/sandbox/service/service.ts";
import { send } from "./signed-client.ts";

let opened: OpenedExchange;
let api: ApiServer;
let baseUrl: string;
afterEach(async () => {
  await api.close(100);
  await opened.close();
});

async function open(families: readonly Family[]): Promise<void> {
  opened = await openExchange({ memory: true, seed: 1, marketMaker: false, now: Date.now });
  const service = createService({
    journaled: opened,
    limits: DEFAULT_LIMITS,
    now: Date.now,
    randomBytes,
    onDefect: () => {},
  });
  api = createApiServer(service, families);
  await new Promise<void>((resolve) => api.server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
}

function text(status: number, content: string): Reply {
  return { status, headers: ["Content-Length", String(Buffer.byteLength(content))], text: content };
}

/** A family that answers with its name and what it was sent. */
function echo(prefix: string): Family {
  return {
    serves: (path) => path.startsWith(prefix),
    admit: (head) => (head.headers["api-key"] === "banned" ? text(403, `${prefix} bans`) : undefined),
    answer: (head, body) => ({ reply: text(200, `${prefix} ${head.method} ${head.queryText} ${body.toString()}`) }),
    refuse: ({ status }) => text(status, `${prefix} refuses`),
  };
}

function raw(bytes: string): { socket: Socket; all: Promise<string> } {
  const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.write(bytes);
  return { socket, all: once(socket, "close").then(() => Buffer.concat(chunks).toString()) };
}

it("a path belongs to one family, which answers and refuses in its form; the last family also answers the rest", async () => {
  await open([echo("/a/"), echo("/b/")]);
  const texts = async (method: string, target: string, headers = {}, body = "") => {
    const reply = await send(baseUrl, method, target, headers, body);
    return [reply.status, reply.text];
  };
  expect(await texts("POST", "/a/x?q=1", {}, "body")).toEqual([200, "/a/ POST q=1 body"]);
  expect(await texts("GET", "/b/x")).toEqual([200, "/b/ GET  "]);
  expect(await texts("GET", "/elsewhere")).toEqual([200, "/b/ GET  "]);
  expect(await texts("GET", "/a/x", { "API-Key": "banned" })).toEqual([403, "/a/ bans"]);
  expect(await texts("POST", "/a/x", {}, "x".repeat(DEFAULT_LIMITS.bodyBytesMax + 1))).toEqual([413, "/a/ refuses"]);
  expect(await raw("garbage\r\n\r\n").all).toMatch(/^HTTP\/1.1 400 .*\/b\/ refuses$/s);
});

it("a reply that takes a while is sent once it is ready, and a refusal when it fails", async () => {
  const late = (path: string): Promise<Reply> =>
    path === "/late/ok" ? Promise.resolve(text(200, "made")) : Promise.reject(new Error("not made"));
  await open([{ ...echo("/late/"), answer: ({ path }) => ({ reply: text(500, "refused"), later: late(path) }) }]);
  expect(await send(baseUrl, "GET", "/late/ok")).toMatchObject({ status: 200, text: "made" });
  expect(await send(baseUrl, "GET", "/late/bad")).toMatchObject({ status: 500, text: "refused" });
});

it("a WebSocket goes to the family that accepts it, after its own admission, and ends with the server", async () => {
  const taken: Socket[] = [];
  const stream: Family = {
    ...echo("/a/"),
    upgrade(_head, _request, socket) {
      taken.push(socket as Socket);
      socket.on("error", () => socket.destroy()).write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    },
    close: () => taken.forEach((socket) => void socket.end("bye")),
  };
  await open([stream, echo("/b/")]);
  const offer = "Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  expect(await raw(`GET /a/s HTTP/1.1\r\n${offer}API-Key: banned\r\n\r\n`).all).toMatch(
    /^HTTP\/1.1 403 .*\/a\/ bans$/s,
  );
  const { socket, all } = raw(`GET /a/s HTTP/1.1\r\n${offer}\r\n`);
  await once(socket, "data");
  await api.close(10_000);
  expect(await all).toMatch(/^HTTP\/1.1 101 .*bye$/s);
});

it("an offer to upgrade that no family accepts is ignored: the request and those after it are answered", async () => {
  await open([{ ...echo("/a/"), upgrade: (_head, _request, socket) => socket.destroy() }, echo("/b/")]);
  const http2 = "Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
  const posted = `POST /a/x HTTP/1.1\r\n${http2}Content-Length: 4\r\n\r\nbody`;
  const websocket = "GET /b/x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  const last = "GET /a/y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const answers = await raw(posted + websocket + last).all;
  expect(answers.match(/\/[ab]\/ (GET|POST) {2}(body)?/g)).toEqual(["/a/ POST  body", "/b/ GET  ", "/a/ GET  "]);
});

/** Sockets that the server has accepted, in the order of connecting, at both ends. */
async function connected(count: number): Promise<{ readonly ours: Socket[]; readonly theirs: Socket[] }> {
  const [ours, theirs]: [Socket[], Socket[]] = [[], []];
  api.server.on("connection", (socket: Socket) => theirs.push(socket));
  for (let at = 0; at < count; at += 1) {
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
    ours.push(socket);
    while (theirs.length <= at) await turnOfTheLoop();
  }
  return { ours, theirs };
}

/** The first answer on a socket, which then is closed. */
async function firstOf(socket: Socket): Promise<string> {
  const [bytes] = await once(socket, "data");
  socket.destroy();
  return String(bytes);
}

it("requests that arrived together are carried out before the first of them is answered, then answered in their order", async () => {
  const written: number[] = [];
  let theirs: readonly Socket[] = [];
  const family = echo("/a/");
  await open([
    {
      ...family,
      answer(head, body) {
        written.push(theirs.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0));
        return family.answer(head, body);
      },
    },
  ]);
  const both = await connected(3);
  ({ theirs } = both);
  for (const [at, socket] of both.ours.entries()) socket.write(`GET /a/x?q=${at} HTTP/1.1\r\nHost: h\r\n\r\n`);
  const answers = await Promise.all(both.ours.map(firstOf));
  expect(answers.map((answer) => /\/a\/ GET q=\d/.exec(answer)?.[0])).toEqual([0, 1, 2].map((at) => `/a/ GET q=${at}`));
  expect(written).toEqual([0, 0, 0]);
});

/** Answers of which the second one breaks connections, as the parser does when it finds something malformed. */
async function openBreaking(broken: readonly number[]) {
  const carriedOut: string[] = [];
  let theirs: readonly Socket[] = [];
  const family = echo("/a/");
  await open([
    {
      ...family,
      answer(head, body) {
        carriedOut.push(head.queryText);
        if (head.queryText === "second")
          for (const at of broken) api.server.emit("clientError", new Error("malformed"), theirs[at]);
        return family.answer(head, body);
      },
    },
  ]);
  const both = await connected(3);
  ({ theirs } = both);
  return { carriedOut, ours: both.ours };
}

const get = (name: string): string => `GET /a/x?${name} HTTP/1.1\r\nHost: h\r\n\r\n`;

/** All that arrives on a socket until it is closed, without its headers. */
async function repliesOn(socket: Socket): Promise<readonly string[]> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  await once(socket, "close");
  return (
    Buffer.concat(chunks)
      .toString()
      .match(/HTTP\/1.1 \d+|\/a\/ (GET \w+|refuses)/g) ?? []
  );
}

it("when a connection breaks, what is answered is told first, and what waits has no effect", async () => {
  const { carriedOut, ours } = await openBreaking([2, 0]);
  const replies = ours.map((socket, at) => (at === 1 ? firstOf(socket) : repliesOn(socket)));
  for (const [at, name] of ["first", "second", "third"].entries()) ours[at]?.write(get(name));
  const [first, second, third] = await Promise.all(replies);
  expect(first).toEqual(["HTTP/1.1 200", "/a/ GET first", "HTTP/1.1 400", "/a/ refuses"]);
  expect(second).toMatch(/second/);
  expect(third).toEqual(["HTTP/1.1 400", "/a/ refuses"]);
  expect(carriedOut).toEqual(["first", "second"]);
});

it("a refusal never stands in the place of an answer that the connection has yet to send", async () => {
  const { carriedOut, ours } = await openBreaking([0]);
  const replies = ours.slice(0, 2).map((socket, at) => (at === 1 ? firstOf(socket) : repliesOn(socket)));
  ours[0]?.write(`${get("first")}${get("behind")}`);
  ours[1]?.write(get("second"));
  const [first] = await Promise.all(replies);
  expect(carriedOut).toEqual(["first", "behind", "second"]);
  expect(first).toEqual(["HTTP/1.1 200", "/a/ GET first"]);
});
