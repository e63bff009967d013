/**
 * Owns the address of the console, and the one at which its passkeys work: a browser gives them to a host with a name, over TLS or on this machine, and to no IP address.
 *
 * Source: decision 0045; Web Authentication Level 3, section 5.1.3.
 */
import { isIP } from "node:net";

/** Known once the console is served. */
export class ConsoleAddress {
  #url: string | undefined;
  #origin: string | undefined;

  /** @param url as browsers are given it: not by `localhost` where another may listen under that name */
  servedAt(url: string): void {
    this.#url = url;
    this.#origin = passkeyOrigin(url);
  }

  /** The page about what waits under this id, which asks whoever opens it to sign in; undefined before the console is served. */
  approvalPage(id: string): string | undefined {
    return this.#url === undefined ? undefined : `${this.#url}/#/approvals/${id}`;
  }

  /** Names the origin of the pages at which passkeys work; undefined where there are none. */
  get origin(): string | undefined {
    return this.#origin;
  }
}

/** This machine by its name, where it is served at its loopback address. */
function passkeyOrigin(url: string): string | undefined {
  const { protocol, hostname, port, origin } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isHere = host === "localhost" || host === "::1" || /^127\./.test(host);
  if (isHere) return `${protocol}//localhost${port === "" ? "" : `:${port}`}`;
  return isIP(host) === 0 && protocol === "https:" ? origin : undefined;
}
