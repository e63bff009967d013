/**
 * Owns which requests are let in at all: first those that nobody has read on their way, then those that no page of another site can have
 * made, then those that show that they may.
 *
 * Invariant: a request that is refused is answered here, before anything of its body is read.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { originValidation } from "@modelcontextprotocol/node";
import { localhostAllowedHostnames } from "@modelcontextprotocol/server";
import { isLoopback } from "../wire/address.ts";
import type { Grant } from "../wire/caller.ts";
import { sendRefusal } from "../wire/page.ts";
import type { Peers } from "../wire/peers.ts";
import { pathOf } from "../wire/route.ts";
import type { Access } from "./access.ts";
import type { CrossOrigin } from "./cross-origin.ts";
import { RETURN_PATH } from "./paths.ts";

/** Tells whether the request may be served; it is answered where it may not. */
type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Tells what a request is let in by; undefined where it is not, and was answered. */
export type Admission = (request: IncomingMessage, response: ServerResponse) => Promise<Grant | undefined>;

export interface GuardParts {
  readonly access: Access;
  readonly crossOrigin: CrossOrigin;
  readonly peers: Peers;
  /** The names by which clients know this server. */
  readonly hostnames: string[];
}

export function guardedBy({ access, crossOrigin, peers, hostnames }: GuardParts): Admission {
  const crossSite: Guard = (request, response) => crossOrigin.isOpen(request) || refuseCrossSite(request, response);
  const guards: readonly Guard[] = [refuseOtherHost(hostnames), originValidation(hostnames), crossSite];
  return async (request, response) => {
    const way = peers.wayOf(request);
    if (way === undefined) {
      forbid(request, response, WITHOUT_TLS);
      return undefined;
    }
    // From here on the client's own request is meant, also where a proxy has passed it on.
    request.headers.host = way.host;
    if (!guards.every((admits) => admits(request, response))) return undefined;
    if (crossOrigin.answer(request, response)) return undefined;
    return access.admit(request, response);
  };
}

/** @param resource the URL of MCP as clients know it */
export function hostnamesOf(host: string, resource: string | undefined): string[] {
  const own = isLoopback(host) ? localhostAllowedHostnames() : [];
  return resource === undefined ? own : [...own, new URL(resource).hostname];
}

/** A name or an address, and a port: nothing that a URL could be made of otherwise, such as a user before it or a path behind. */
const HOST = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** Compares text, letter by letter: what a parser would make of other spellings, such as `2130706433` or `x@localhost`, is not asked. */
function refuseOtherHost(hostnames: readonly string[]): Guard {
  return (request, response) => {
    const [, name] = HOST.exec((request.headers.host ?? "").toLowerCase()) ?? [];
    if (name !== undefined && hostnames.includes(name)) return true;
    return forbid(request, response, OTHER_HOST);
  };
}

/** A request for an image or a frame on another site carries no Origin; without this guard it could make us query the exchange at will. */
function refuseCrossSite(request: IncomingMessage, response: ServerResponse): boolean {
  const { "sec-fetch-site": site, "sec-fetch-mode": mode } = request.headers;
  if (site !== "cross-site") return true;
  // Back from signing in, where what the browser shows says whether it began here.
  if (mode === "navigate" && request.method === "GET" && pathOf(request) === RETURN_PATH) return true;
  return forbid(request, response, OTHER_SITE);
}

const WITHOUT_TLS = "This came over the network without TLS: the token may have been read on the way. Use https.";
const OTHER_HOST = "This request is for another host. Use the address that this server is known by.";
const OTHER_SITE = "A page of another site asked for this. Open the address itself.";

function forbid(request: IncomingMessage, response: ServerResponse, why: string): false {
  request.resume();
  sendRefusal(response, 403, -32000, why);
  return false;
}
