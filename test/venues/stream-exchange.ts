/** A loopback exchange whose calls are answered as the test says, and on whose stream the test sends every message. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
// Loaded before the first request, whose time it would take.
import "undici";

/** One connection as the exchange sees it. */
export class Line {
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** What the client has said, parsed. */
  readonly said: unknown[] = [];
  pings = 0;
  isOpen = true;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, { url = "", headers }: IncomingMessage) {
    this.path = url;
    this.headers = headers;
    this.#socket = socket;
    // A Buffer, because `binaryType` is the default.
    socket.on("message", (data) => this.said.push(JSON.parse((data as Buffer).toString())));
    socket.on("ping", () => {
      this.pings += 1;
    });
    socket.on("close", () => {
      this.isOpen = false;
    });
  }

  /** As the bytes that the exchange would send, in a frame of its kind. */
  say(message: unknown, binary = false): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message), { binary });
  }

  pong(): void {
    this.#socket.pong();
  }

  end(): void {
    this.#socket.terminate();
  }
}

export interface StreamExchange {
  readonly url: string;
  readonly lines: readonly Line[];
  /** Method and path of each call. */
  readonly calls: readonly string[];
  /** What calls are answered with, by the first part of the path that fits. */
  readonly answers: Record<string, unknown>;
  /** Refuses connections with this status while it is set. */
  refusal: number | undefined;
  close(): Promise<void>;
}

export async function streamExchange(): Promise<StreamExchange> {
  const lines: Line[] = [];
  const calls: string[] = [];
  const answers: Record<string, unknown> = {};
  const sockets = new WebSocketServer({ noServer: true, autoPong: false });
  const server = createServer((request, response) => {
    const { url = "", method = "" } = request;
    calls.push(`${method} ${url}`);
    const [, answer] = Object.entries(answers).find(([path]) => url.startsWith(path)) ?? [];
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const exchange: StreamExchange = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ lines, calls, answers, refusal: undefined },
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on("upgrade", (request, socket, head) => {
    if (exchange.refusal !== undefined) {
      socket.end(`HTTP/1.1 ${exchange.refusal} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => lines.push(new Line(accepted, request)));
  });
  return exchange;
}
