/** Owns where the server listens. Invariant: beyond loopback only what is encrypted on its way. */
import type { Server } from "node:http";
import { createServer, type Server as SocketServer } from "node:net";
import { listenError, ServeError } from "./serve-error.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
  /** Says that requests are encrypted: here, or as far as a proxy. */
  readonly isGuarded: boolean;
  readonly scheme: "http" | "https";
}

export function checkAddress({ host, port, isGuarded }: Address): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ServeError("bad_port", `${port} is not a port.`, "Choose a port from 0 (any free one) to 65535.");
  if (!isLoopback(host) && !isGuarded)
    throw new ServeError(
      "host_not_loopback",
      `${host} can be reached from other machines, and nothing here is encrypted: the token would be read on the way.`,
      "Use 127.0.0.1, and reach it from elsewhere through an SSH tunnel; or set tls_cert and tls_key, or trusted_proxies, in [http] of config.toml.",
    );
}

/** @returns the server's URL, without path */
export function listen(server: Server, { host, port, isGuarded, scheme }: Address): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(host, port, error)));
    server.listen(port, host, () => {
      const bound = server.address();
      if (typeof bound !== "object" || bound === null || !(isGuarded || isLoopback(bound.address))) {
        server.close();
        reject(listenError(host, port, new Error("the host name does not lead to this machine's loopback")));
        return;
      }
      resolve(urlOf(scheme, bound.address, bound.port));
    });
  });
}

/**
 * The name by which browsers know a server on this machine's loopback: `localhost`. They look for it at ::1 first, where any user of the machine
 * could listen. So the server listens there too; where another does, it goes by its number.
 */
export class LocalName {
  #url: string | undefined;
  #bound = "";
  #beside: SocketServer | undefined;

  /** @param url where it listens */
  async take(server: Server, url: string): Promise<void> {
    const { protocol, hostname, port } = new URL(url);
    if (protocol !== "http:" || hostname !== "127.0.0.1") return;
    const beside = createServer((socket) => void server.emit("connection", socket));
    const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      beside.once("error", resolve);
      beside.listen({ host: "::1", port, ipv6Only: true }, () => resolve(undefined));
    });
    this.#bound = url;
    if (problem === undefined) this.#beside = beside;
    // Without IPv6 the name leads nowhere else.
    else if (problem.code !== "EADDRNOTAVAIL" && problem.code !== "EAFNOSUPPORT") return;
    this.#url = `http://localhost:${port}`;
  }

  /** An address of the server as browsers are to be given it. */
  of(url: string): string {
    return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, "")) ? (this.#url ?? url) : url;
  }

  /** The same for programs, of which some take no address in brackets: where it listens, for what came in beside. */
  bound(url: string): string {
    return this.#beside !== undefined && new URL(url).hostname === "[::1]" ? this.#bound : url;
  }

  async close(): Promise<void> {
    this.#beside?.close();
  }
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

export function urlOf(scheme: Address["scheme"], address: string, port: number): string {
  return `${scheme}://${address.includes(":") ? `[${address}]` : address}:${port}`;
}
