/** Callers that mean harm, or are broken: raw sockets, as no client can be made to behave like this. */
import { connect, type Socket } from "node:net";

export interface Target {
  readonly port: number;
  /** A good one, of a caller like any other. */
  readonly token: string;
  /** The owner's. */
  readonly owner: string;
}

export interface Harm {
  readonly kind: keyof typeof ABUSES;
  readonly forMs: number;
  readonly target: Target;
}

/** How often each thing happened, by what it is called. */
export type Tally = Record<string, number>;

type Abuse = (target: Target, untilMs: number) => Promise<Tally>;

const MEGABYTE = 1024 * 1024;
const CROWD = 3_000;
const SESSIONS = 10_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "abuse", version: "1" } },
});

function headOf(token: string, more: readonly string[], path = "POST /mcp"): string {
  const lines = [`${path} HTTP/1.1`, "Content-Type: application/json", "Accept: application/json, text/event-stream"];
  const named = more.some((line) => line.startsWith("Host:")) ? [] : ["Host: 127.0.0.1"];
  return `${[...lines, ...named, `Authorization: Bearer ${token}`, ...more].join("\r\n")}\r\n\r\n`;
}

function count(tally: Tally, what: string): void {
  tally[what] = (tally[what] ?? 0) + 1;
}

/** One socket to its end. @returns the status that it was answered, or how it ended */
function converse(port: number, say: (socket: Socket) => void | Promise<void>, withinMs = 60_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let said = "";
    const end = (how: string): void => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(said)?.[1];
      resolve(status ?? how);
      socket.destroy();
    };
    const timer = setTimeout(() => end("nothing"), withinMs);
    socket.setEncoding("latin1").on("data", (text: string) => {
      said += text;
      // All that is asked for here is short.
      if (said.includes("\r\n\r\n")) end("answered");
    });
    socket.on("error", () => end("cut off"));
    socket.on("close", () => {
      clearTimeout(timer);
      end("closed");
    });
    socket.on("connect", () => void say(socket));
  });
}

async function together(size: number, untilMs: number, one: () => Promise<string>): Promise<Tally> {
  const tally: Tally = {};
  const worker = async (): Promise<void> => {
    while (Date.now() < untilMs) count(tally, await one());
  };
  await Promise.all(Array.from({ length: size }, worker));
  return tally;
}

/** Writes a piece from time to time, until the other end has had enough. */
function drip(socket: Socket, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.on("close", () => clearInterval(timer));
}

/** As much as the other end takes. */
async function pour(socket: Socket, total: number, frame: (bytes: string) => string): Promise<void> {
  const piece = frame("x".repeat(64 * 1024));
  for (let sent = 0; sent < total && !socket.destroyed; sent += 64 * 1024)
    if (!socket.write(piece))
      await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), pause(1_000)]);
}

const chunk = (bytes: string): string => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;

const left = (untilMs: number): number => Math.max(0, untilMs - Date.now());

/** Each refused kind, one after the other. */
const REFUSED: readonly ((target: Target) => readonly [head: string, body: string])[] = [
  ({ token }) => [headOf(token, ["Origin: https://evil.example", "Content-Length: 2"]), "{}"],
  ({ token }) => [headOf(token, ["Host: evil.example", "Content-Length: 2"]), "{}"],
  () => [headOf("none", ["Content-Length: 2"]), "{}"],
  () => [headOf(`hoga_${"A".repeat(43)}`, ["Content-Length: 2"]), "{}"],
  ({ token }) => [headOf(token, ["Mcp-Session-Id: another-callers", "Content-Length: 2"]), "{}"],
  ({ token }) => [headOf(token, ["Content-Length: 99999999999999999999"]), ""],
  ({ token }) => [headOf(token, ["Content-Length: 5"]), '{"a":'],
  ({ token }) => [headOf(token, [`Junk: ${"x".repeat(20_000)}`]), ""],
  () => ["GARBAGE\r\n\r\n", ""],
];

export const ABUSES = {
  silent: ({ port }, untilMs) => together(CROWD, untilMs, () => converse(port, () => undefined, left(untilMs))),
  "slow heads": ({ port }, untilMs) =>
    together(CROWD, untilMs, () =>
      converse(
        port,
        (socket) => {
          socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n");
          drip(socket, "X: y\r\n", 2_000);
        },
        left(untilMs),
      ),
    ),
  "slow bodies": ({ port, token }, untilMs) =>
    together(CROWD / 10, untilMs, () =>
      converse(
        port,
        (socket) => {
          socket.write(headOf(token, ["Content-Length: 1000"]));
          drip(socket, " ", 1_000);
        },
        left(untilMs),
      ),
    ),
  "100 MB, declared": ({ port, token }, untilMs) =>
    together(4, untilMs, () =>
      converse(port, async (socket) => {
        socket.write(headOf(token, [`Content-Length: ${100 * MEGABYTE}`]));
        await pour(socket, 100 * MEGABYTE, (bytes) => bytes);
      }),
    ),
  "100 MB, chunked": ({ port, token }, untilMs) =>
    together(4, untilMs, () =>
      converse(port, async (socket) => {
        socket.write(headOf(token, ["Transfer-Encoding: chunked"]));
        await pour(socket, 100 * MEGABYTE, chunk);
      }),
    ),
  "100 MB, without a token": ({ port }, untilMs) =>
    together(4, untilMs, () =>
      converse(port, async (socket) => {
        socket.write(headOf("none", [`Content-Length: ${100 * MEGABYTE}`]));
        await pour(socket, 100 * MEGABYTE, (bytes) => bytes);
      }),
    ),
  "10 000 sessions, of a caller": ({ port, token }) => sessions(port, token),
  "10 000 sessions, of the owner": ({ port, owner }) => sessions(port, owner),
  "tokens that were guessed": ({ port }, untilMs) => {
    let n = 0;
    return together(64, untilMs, () => {
      n += 1;
      const token = `hoga_${String(n).padStart(43, "A")}`;
      return converse(port, (socket) => void socket.write(`${headOf(token, ["Content-Length: 2"])}{}`));
    });
  },
  "each refused kind": (target, untilMs) => {
    let n = 0;
    return together(32, untilMs, async () => {
      const kind = n++ % REFUSED.length;
      const [head, body] = REFUSED[kind]?.(target) ?? ["", ""];
      return `${kind}: ${await converse(target.port, (socket) => void socket.write(head + body))}`;
    });
  },
} satisfies Record<string, Abuse>;

async function sessions(port: number, token: string): Promise<Tally> {
  const tally: Tally = {};
  let asked = 0;
  const worker = async (): Promise<void> => {
    while (asked++ < SESSIONS) {
      const head = headOf(token, [`Content-Length: ${INITIALIZE.length}`]);
      count(tally, await converse(port, (socket) => void socket.write(head + INITIALIZE)));
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return tally;
}
