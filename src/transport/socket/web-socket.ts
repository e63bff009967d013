/** Sockets of the package `ws`, which is loaded with the first connection. */
import type { WebSocket } from "ws";
import type { SocketEvents, SocketFactory, SocketOptions, StreamSocket } from "./ports.ts";

const HANDSHAKE_MS = 10_000;
/** Larger than any book of the contract. A larger frame ends the connection. */
const FRAME_BYTES_MAX = 8 * 1024 * 1024;

export const webSocket: SocketFactory = (url, events, options = {}) => {
  let open: WebSocket | undefined;
  let isClosed = false;
  const close: SocketEvents["closed"] = (why, status) => {
    if (isClosed) return;
    isClosed = true;
    events.closed(why, status);
  };
  const socket: StreamSocket = {
    send: (text) => open?.send(text),
    ping: () => open?.ping(),
    drop: () => {
      open?.terminate();
      close("dropped by the client");
    },
  };
  const connect = async (): Promise<void> => {
    const { WebSocket } = await import("ws");
    if (isClosed) return;
    open = new WebSocket(url, {
      perMessageDeflate: false,
      // Said here, since the environment could else switch it off (NODE_TLS_REJECT_UNAUTHORIZED).
      rejectUnauthorized: true,
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: FRAME_BYTES_MAX,
      ...(options.headers && { headers: options.headers }),
    });
    listen(open, events, close, options);
  };
  // The address is not a URL.
  connect().catch(() => close("cannot connect"));
  return socket;
};

function listen(
  open: WebSocket,
  events: SocketEvents,
  close: SocketEvents["closed"],
  { takesBinary = false }: SocketOptions,
): void {
  open.on("open", () => events.opened());
  open.on("message", (data, isBinary) => {
    // A Buffer, because `binaryType` is the default.
    if (takesBinary || !isBinary) events.message((data as Buffer).toString("utf8"));
  });
  open.on("ping", () => events.alive?.());
  open.on("pong", () => events.alive?.());
  open.on("unexpected-response", (request, { statusCode }) => {
    request.destroy();
    close(`refused with status ${statusCode}`, statusCode);
  });
  // The reason is text of the venue, so only the code is reported.
  open.on("close", (code) => close(`closed with code ${code}`));
  open.on("error", (error: NodeJS.ErrnoException) => close(error.code ?? "connection failed"));
}
