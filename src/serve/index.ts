/** How the MCP server is reached: stdio for desktop assistants, HTTP for everything else on this machine; and stdio to a server that runs elsewhere. */
import type { Callers, TokenRegister } from "./caller.ts";
import type { Connected, ConnectSettings } from "./connect/bridge.ts";
import type { HttpServing, HttpSettings } from "./http.ts";
import type { OauthSettings } from "./oauth.ts";

export type { AssistantSeat, AssistantWatch } from "./assistant.ts";
export type { ConsoleSettings } from "./console/console-endpoint.ts";
export type { Assistants } from "./console/console-feed.ts";
export type { HttpServing, HttpSettings } from "./http.ts";
export type { MetricsText } from "./metrics-endpoint.ts";
export type { BegunRequest, HttpObserver } from "./observation.ts";
export { readBody } from "./request-body.ts";
export { listenError, ServeError } from "./serve-error.ts";
export { serveOverStdio } from "./stdio.ts";

/** Loaded when used: an assistant that launches hoga over stdio must not wait for an HTTP server to load. */
export async function serveOverHttp(settings: HttpSettings): Promise<HttpServing> {
  const http = await import("./http.ts");
  return http.serveOverHttp(settings);
}

/** Those whom a token was made for. @param now Unix milliseconds */
export async function tokenCallers(register: TokenRegister, now: () => number): Promise<Callers> {
  const caller = await import("./caller.ts");
  return caller.tokenCallers(register, now);
}

/** Loaded when used, too. @throws ServeError where the address cannot be used */
export async function connectOverStdio(settings: ConnectSettings): Promise<Connected> {
  const bridge = await import("./connect/bridge.ts");
  return bridge.connectOverStdio(settings);
}

/** Those to whom an authorization server has given a token. */
export async function oauthCallers(settings: OauthSettings): Promise<Callers> {
  const oauth = await import("./oauth.ts");
  return oauth.oauthCallers(settings);
}
