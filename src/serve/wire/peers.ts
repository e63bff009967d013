/**
 * Owns by which way a request came: over TLS, from this machine, or through a reverse proxy that ended TLS. Entry point: `Peers`.
 *
 * Invariants: what came over the network was encrypted as far as us or as far as a proxy that the settings name; only what such a proxy
 * says of the client's own request is believed.
 *
 * Source: decision 0035.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, type Socket } from "node:net";
import { isLoopback, urlOf } from "./address.ts";

/** Tells how the client reached us. */
interface Way {
  /** The name that it used; undefined where it said none. */
  readonly host: string | undefined;
  readonly isEncrypted: boolean;
}

export type Arrival = Pick<IncomingMessage, "headers"> & {
  readonly socket: Pick<Socket, "remoteAddress" | "localAddress" | "localPort">;
};

export class Peers {
  /** undefined where there are none: to look an address up costs an object. */
  readonly #proxies: BlockList | undefined;

  /** @param proxies addresses, or ranges of them as `10.0.0.0/24` */
  constructor(proxies: readonly string[]) {
    this.#proxies = proxies.length === 0 ? undefined : new BlockList();
    for (const proxy of proxies) {
      const [address = "", prefix] = proxy.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (prefix === undefined) this.#proxies?.addAddress(address, family);
      else this.#proxies?.addSubnet(address, Number(prefix), family);
    }
  }

  /** @returns undefined for what was read by others on its way, or may have been */
  wayOf({ socket, headers }: Arrival): Way | undefined {
    const address = bare(socket.remoteAddress ?? "");
    const { host } = headers;
    if (this.#isProxy(address)) {
      const scheme = headers["x-forwarded-proto"];
      const named = headers["x-forwarded-host"];
      if (scheme === "https") return { host: typeof named === "string" ? named : host, isEncrypted: true };
      // Programs beside a proxy on this machine come from its address too, and say nothing of a scheme.
      if (scheme !== undefined || !isLoopback(address)) return undefined;
    }
    if ("encrypted" in socket) return { host, isEncrypted: true };
    return isLoopback(address) ? { host, isEncrypted: false } : undefined;
  }

  /** Tells the client's address, for counting and never for letting in: what the last proxy that the settings name says of who asked it. */
  addressOf({ socket, headers }: Arrival): string {
    const own = bare(socket.remoteAddress ?? "");
    if (!this.#isProxy(own)) return own;
    const passed = headers["x-forwarded-for"];
    const named = (typeof passed === "string" ? passed.split(",") : []).map((each) => bare(each.trim()));
    const client = named.reverse().find((each) => !this.#isProxy(each));
    return client !== undefined && isIP(client) !== 0 ? client : own;
  }

  /** This server's address as the request found it. */
  urlOf(request: Arrival): string {
    const way = this.wayOf(request);
    if (way?.isEncrypted === true) return `https://${way.host ?? ""}`;
    const { localAddress = "", localPort = 0 } = request.socket;
    return urlOf("http", localAddress, localPort);
  }

  /** The same as the page knows it that asked. */
  originOf(request: Arrival): string {
    const way = this.wayOf(request);
    return `${way?.isEncrypted === true ? "https" : "http"}://${way?.host ?? ""}`;
  }

  #isProxy(address: string): boolean {
    if (this.#proxies === undefined) return false;
    const family = isIP(address);
    return family !== 0 && this.#proxies.check(address, family === 6 ? "ipv6" : "ipv4");
  }
}

/** Takes an address of IPv4 also where it came as one of IPv6. */
function bare(address: string): string {
  return address.replace(/^::ffff:/i, "");
}
