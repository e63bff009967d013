/**
 * Owns one cookie of the console: how it is called, how a browser is given it, and which values a browser shows under that name.
 *
 * Invariants: no script reads it. Over TLS only this very server can have set it (`__Host-`); without TLS another port of the host can plant
 * one of the same name, so each that is shown is a value to be tried, and none hides another.
 *
 * Source: RFC 6265bis section 4.1.3.2, decision 0044, decision 0072.
 */
import type { IncomingMessage } from "node:http";
import type { Peers } from "../wire/peers.ts";

interface CookieRules {
  readonly sameSite: "Strict" | "Lax";
  /** Counts without TLS; with it a cookie of this kind is for the whole server. */
  readonly path: string;
}

export class Cookie {
  readonly #name: string;
  readonly #peers: Peers;
  readonly #rules: CookieRules;

  /** @param name to which the port is added: a browser sends cookies to every port of a host */
  constructor(name: string, peers: Peers, rules: CookieRules) {
    this.#name = name;
    this.#peers = peers;
    this.#rules = rules;
  }

  /** The header that gives the browser the cookie. @param seconds 0 takes it away */
  header(request: IncomingMessage, value: string, seconds: number): string {
    const { sameSite, path } = this.#rules;
    const isEncrypted = this.#isEncrypted(request);
    const where = isEncrypted ? "Path=/" : `Path=${path}`;
    const secure = isEncrypted ? "; Secure" : "";
    return `${this.#nameFor(request)}=${value}; HttpOnly; SameSite=${sameSite}; ${where}; Max-Age=${seconds}${secure}`;
  }

  valuesIn(request: IncomingMessage): readonly string[] {
    const begin = `${this.#nameFor(request)}=`;
    const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
    return pairs.filter((pair) => pair.startsWith(begin)).map((pair) => pair.slice(begin.length));
  }

  #nameFor(request: IncomingMessage): string {
    const prefix = this.#isEncrypted(request) ? "__Host-" : "";
    return `${prefix}${this.#name}-${request.socket.localPort ?? 0}`;
  }

  #isEncrypted(request: IncomingMessage): boolean {
    return this.#peers.wayOf(request)?.isEncrypted === true;
  }
}
