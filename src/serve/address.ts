/** Owns where the server listens. Invariant: only loopback is served, as nothing is encrypted. */
import type { IncomingMessage, Server } from "node:http";
import { listenError, ServeError } from "./serve-error.ts";

export function checkAddress(host: string, port: number): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ServeError("bad_port", `${port} is not a port.`, "Choose a port from 0 (any free one) to 65535.");
  if (!isLoopback(host))
    throw new ServeError(
      "host_not_loopback",
      `${host} can be reached from other machines, and nothing here is encrypted: the token would be read on the way.`,
      "Use 127.0.0.1, and reach it from elsewhere through an SSH tunnel.",
    );
}

/** @returns the server's URL, without path */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(host, port, error)));
    server.listen(port, host, () => {
      const bound = server.address();
      if (typeof bound !== "object" || bound === null || !isLoopback(bound.address)) {
        server.close();
        reject(listenError(host, port, new Error("the host name does not lead to this machine's loopback")));
        return;
      }
      resolve(urlOf(bound.address, bound.port));
    });
  });
}

/** This server's address as the request found it. */
export function ownUrl({ socket }: IncomingMessage): string {
  return urlOf(socket.localAddress ?? "", socket.localPort ?? 0);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function urlOf(address: string, port: number): string {
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}
