/**
 * Makes the MCP server reachable: stdio for desktop assistants, HTTP for everything else on this machine; and stdio to a server that runs
 * elsewhere.
 */

import type { OauthSettings } from "./access/oauth.ts";
import type { Connected, ConnectSettings } from "./connect/bridge.ts";
import type { HttpServing, HttpSettings } from "./server/http.ts";
import type { Callers, TokenRegister } from "./wire/caller.ts";

export type { ConsoleSettings } from "./console/console-endpoint.ts";
export type { Assistants } from "./console/console-feed.ts";
export type { HttpServing, HttpSettings } from "./server/http.ts";
export type { MetricsText } from "./server/metrics-endpoint.ts";
export type { BegunRequest, HttpObserver } from "./server/observation.ts";
export type { AssistantSeat, AssistantWatch } from "./sessions/assistant.ts";
export { serveOverStdio } from "./stdio/stdio.ts";
export { readBody } from "./wire/request-body.ts";
export { listenError, ServeError } from "./wire/serve-error.ts";

/** Loaded when used: an assistant that launches hoga over stdio must not wait for an HTTP server to load. */
export async function serveOverHttp(settings: HttpSettings): Promise<HttpServing> {
  const http = await import("./server/http.ts");
  return http.serveOverHttp(settings);
}

/** Those whom a token was made for. @param now Unix milliseconds */
export async function tokenCallers(register: TokenRegister, now: () => number): Promise<Callers> {
  const caller = await import("./wire/caller.ts");
  return caller.tokenCallers(register, now);
}

/** Loaded when used, too. @throws ServeError where the address cannot be used */
export async function connectOverStdio(settings: ConnectSettings): Promise<Connected> {
  const bridge = await import("./connect/bridge.ts");
  return bridge.connectOverStdio(settings);
}

/** Those to whom an authorization server has given a token. */
export async function oauthCallers(settings: OauthSettings): Promise<Callers> {
  const oauth = await import("./access/oauth.ts");
  return oauth.oauthCallers(settings);
}
