/**
 * Owns serving over HTTP on this machine: MCP by two transports, health, figures, and the console for people. Entry point: `serveOverHttp`.
 *
 * Invariants: every request passes the guards before anything of it is read; bodies are bounded in size and time; a refused or
 * broken request never stops the server; no answer's body, of ours or of the SDK, holds a secret.
 *
 * Source: decision 0034.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Secret } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import type { Seal } from "../../desk/index.ts";
import type { ServerFactory } from "../../mcp/index.ts";
import { Access } from "../access/access.ts";
import type { TenantLimits } from "../access/caller-limits.ts";
import { Challenges } from "../access/challenge.ts";
import { CrossOrigin } from "../access/cross-origin.ts";
import { Entrance } from "../access/entrance.ts";
import { guardedBy, hostnamesOf } from "../access/guard.ts";
import { PROBES } from "../access/paths.ts";
import type { ConsoleSettings } from "../console/console-endpoint.ts";
import { consoleSite } from "../console/console-site.ts";
import { type EndedSessions, SessionIds } from "../sessions/session-ids.ts";
import type { SessionLimits } from "../sessions/session-table.ts";
import { type Address, checkAddress, isLoopback, LocalName, listen } from "../wire/address.ts";
import { ANYBODY, type Callers, type Excess, OwnerFirst } from "../wire/caller.ts";
import { Connections, connectionsMax } from "../wire/connections.ts";
import { InFlight } from "../wire/in-flight.ts";
import { OpenRequests } from "../wire/open-requests.ts";
import { sendRefusal } from "../wire/page.ts";
import { Peers } from "../wire/peers.ts";
import type { BodyLimits } from "../wire/request-body.ts";
import { pathOf, type Routes, routed } from "../wire/route.ts";
import { ScrubbedResponse } from "../wire/scrubbed-response.ts";
import { ServeError } from "../wire/serve-error.ts";
import { Stamp } from "../wire/stamp.ts";
import { closed } from "../wire/web-answer.ts";
import { healthRoutes, type Unready } from "./health-endpoint.ts";
import { type MetricsText, metricsRoutes, type ServerFigures } from "./metrics-endpoint.ts";
import { type HttpObserver, observedBy, servedAs } from "./observation.ts";
import { pageRoutes } from "./page-endpoint.ts";
import { type RoomLimits, type RoomParts, Rooms, type TenantServers } from "./rooms.ts";

export interface HttpSettings {
  readonly factory: ServerFactory;
  /** The owner's, shown as `Authorization: Bearer`: at least 43 characters that nobody can guess. It opens everything. */
  readonly token: Secret;
  /** Who else may call, by tokens of their own. Default: nobody. */
  readonly callers?: Callers;
  /** Serves callers that are a tenant's. Default: nowhere. */
  readonly tenants?: TenantServers;
  /** The URL of MCP as clients know it, where that is not its address on this machine. */
  readonly resource?: string;
  /** Says where callers get their tokens; they are told, where there is a resource too. */
  readonly issuer?: string;
  /** With which all servers of one store sign what clients keep for them. Default: a key of this server alone. */
  readonly seal?: Pick<Seal, "sign">;
  /** Which sessions were ended at any server of the store. Default: those of this server are known. */
  readonly endedSessions?: EndedSessions;
  /** Makes it a server of HTTPS. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** Addresses of reverse proxies that end TLS. */
  readonly trustedProxies?: readonly string[];
  /** Default 127.0.0.1. Others than loopback need a resource, and TLS or a proxy. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Lets a person steer, at `/`; without it nobody can. */
  readonly console?: ConsoleSettings;
  /** Tells whether nobody is served yet: until it is over there are only the probes. Default: it is over. */
  readonly isStarting?: () => boolean;
  /** Tells what keeps the desk from working, for `/readyz`; undefined where it can work. */
  readonly unready?: () => Promise<Unready | undefined>;
  /** Makes what `GET /metrics` answers; without it there is no such path. */
  readonly metrics?: MetricsText;
  readonly observer?: HttpObserver;
  readonly limits?: Partial<HttpLimits>;
  readonly onError?: (error: unknown) => void;
  /** Milliseconds that only rise; the process's own by default. */
  readonly now?: () => number;
}

export type HttpLimits = BodyLimits &
  SessionLimits &
  RoomLimits &
  TenantLimits & {
    /** For one more another gives way, or it is closed as it comes. */
    readonly connectionsMax: number;
    /** For the head of a request. */
    readonly headersMs: number;
  };

export interface HttpServing {
  /** Has no path: `http://127.0.0.1:8421`. */
  readonly url: string;
  /** Goes to clients. */
  readonly mcpUrl: string;
  /** Leads to the console, as a browser is to be given it: by `localhost` only where nobody else can listen under that name. */
  readonly consoleUrl: string;
  /** A link that opens the page for a person: once, within ten minutes. */
  pageLink(): string;
  close(): Promise<void>;
}

const LIMITS: Omit<HttpLimits, "connectionsMax"> = {
  bodyBytesMax: 256 * 1024,
  bodyMs: 10_000,
  sessionsMax: 256,
  callerSessionsMax: 64,
  tenantSessionsMax: 128,
  tenantCallers: 4,
  callerOpenMax: 64,
  callerPerSecond: 50,
  callerBurst: 200,
  sessionIdleMs: 30 * 60_000,
  sessionKeptMs: 10 * 60_000,
  headersMs: 10_000,
};
/** Spaces how often Node looks for heads and bodies that are late; 30 s of its own, during which they would stay. */
const CHECK_MS = 1_000;
/** For clients to read what was written, at the end of all. */
const LAST_WORD_MS = 2_000;
const STARTING =
  "The server starts, and first settles what is without an answer: nothing of this request was done. Send it again.";
/** Equals what 32 random bytes have in base64url. */
const TOKEN_MIN = 43;

/** @throws ServeError with what is wrong and how to fix it. */
export async function serveOverHttp(settings: HttpSettings): Promise<HttpServing> {
  const { token, issuer, resource, metrics, isStarting = () => false, onError = ignored } = settings;
  const address = addressOf(settings);
  checkAddress(address);
  checkToken(token);
  const challenges = new Challenges(issuer === undefined || resource === undefined ? undefined : { issuer, resource });
  const [peers, now] = [new Peers(settings.trustedProxies ?? []), settings.now ?? (() => performance.now())];
  const limits = { connectionsMax: connectionsMax(), ...LIMITS, ...settings.limits };
  const [inFlight, entrance] = [new InFlight<unknown>(), new Entrance(limits, now)];
  const { onUrgent } = entrance;
  const [open, localName] = [new OpenRequests(() => Date.now(), onError), new LocalName()];
  const mcpUrl = (url: string): string => mcpAt(localName.bound(url));
  const common = { stamp: new Stamp("sign-in", settings.seal), peers, token, mcpUrl, inFlight, onUrgent, onError, now };
  const site = consoleSite(settings.console, common);
  const access = new Access(new OwnerFirst(token, settings.callers), challenges, site, now);
  const rooms = new Rooms({ ...roomParts(settings), inFlight, open, challenges, limits, onError });
  const parts = [rooms, open, site, localName];
  const urlOf = (request: IncomingMessage): string => localName.of(peers.urlOf(request));
  const routes: Routes = {
    ...site.routes,
    ...pageRoutes({ access, urlOf, index: site.index }),
    ...rooms.routes,
    ...healthRoutes({ isStarting, isStopping: () => inFlight.isStopping, unready: async () => settings.unready?.() }),
    ...(metrics === undefined ? {} : metricsRoutes(metrics, () => figuresOf({ server, rooms, answering }), challenges)),
    ...challenges.routes,
  };
  const serve = routed(routes);
  const crossOrigin = new CrossOrigin([...Object.keys(rooms.routes), ...Object.keys(challenges.routes)]);
  const admit = guardedBy({ access, crossOrigin, peers, hostnames: hostnamesOf(address.host, resource) });
  const connections = new Connections(limits.connectionsMax, () => settings.observer?.dropped());
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isStarting() && !PROBES.includes(pathOf(request))) return refuseStart(request, response);
    const grant = await admit(request, response);
    if (grant === undefined) return;
    servedAs(response, grant.identity.tenant);
    const ended = closed(response);
    const hasRoom = grant.identity === ANYBODY || connections.letIn(request.socket, ended);
    const entry = entrance.enter(request, grant.identity, { ended, crowded: hasRoom ? undefined : CROWDED });
    if ("pass" in entry) await serve(request, response, { ...grant, entry });
    else refuseExcess(request, response, entry);
  };
  const [answering, observe] = [new Set<ServerResponse>(), observedBy(settings.observer, Object.keys(routes))];
  const server = serverOf(settings, limits, (request, response) => {
    answering.add(response);
    void closed(response).then(() => answering.delete(response));
    observe(request, response, () => {
      answer(request, response).catch((error: unknown) => {
        onError(error);
        if (response.headersSent) response.destroy();
        else sendRefusal(response, 500, -32603, "Internal server error");
      });
    });
  });
  server.headersTimeout = limits.headersMs;
  server.requestTimeout = limits.bodyMs + limits.headersMs;
  server.on("connection", (socket) => connections.take(socket));
  try {
    const bound = await listen(server, address);
    await localName.take(server, bound);
    const isNamed = resource !== undefined && isBehindName(address);
    const [url, ofClients] = isNamed ? [new URL(resource).origin, resource] : [bound, mcpAt(bound)];
    const settle = () => inFlight.settle(() => Promise.all([rooms.idle(), site.idle()]));
    const close = closing({ server, settle, parts, answering });
    const consoleUrl = localName.of(url);
    return { url, mcpUrl: ofClients, consoleUrl, pageLink: () => access.link(consoleUrl, "person"), close };
  } catch (error) {
    await Promise.all(parts.map((part) => part.close()));
    throw error;
  }
}

/** Picks what rooms are given of the settings. */
function roomParts(settings: HttpSettings) {
  const { seal, endedSessions, observer, console: site } = settings;
  const ids = new SessionIds(new Stamp("sessions", seal), endedSessions);
  const onSessionEnd: RoomParts["onSessionEnd"] = (why) => observer?.sessionEnded(why);
  return { ...settings, ...defined({ assistants: site?.assistants }), ids, onSessionEnd };
}

const mcpAt = (url: string): string => `${url}/mcp`;

/** Whoever it is: who may come in is known by the store, which is being opened. */
function refuseStart(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  sendRefusal(response, 503, -32000, STARTING, { "Retry-After": "5" });
}

const CROWDED: Excess = { message: "Too many requests of all callers are under way.", retryAfterS: 1 };

/** Its body is not looked at. */
function refuseExcess(request: IncomingMessage, response: ServerResponse, { message, retryAfterS }: Excess): void {
  request.resume();
  sendRefusal(response, 429, -32000, message, { "Retry-After": String(retryAfterS) });
}

function addressOf({ host = "127.0.0.1", port, tls, trustedProxies = [] }: HttpSettings): Address {
  const scheme = tls === undefined ? "http" : "https";
  return { host, port, scheme, isGuarded: tls !== undefined || trustedProxies.length > 0 };
}

/** A certificate is for a name, and `0.0.0.0` is nobody's address. */
function isBehindName({ host, scheme }: Address): boolean {
  return scheme === "https" || !isLoopback(host);
}

function serverOf(
  { tls }: HttpSettings,
  { headersMs }: HttpLimits,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const options = { ServerResponse: ScrubbedResponse, connectionsCheckingInterval: CHECK_MS };
  if (tls === undefined) return createServer(options, listener);
  try {
    return createTlsServer({ ...options, ...tls, handshakeTimeout: headersMs }, listener);
  } catch (error) {
    throw new ServeError(
      "bad_certificate",
      "The TLS certificate and its key cannot be used together.",
      "Give tls_cert the certificate with its chain, and tls_key the key that belongs to it, both as PEM and without a passphrase.",
      error,
    );
  }
}

function checkToken(token: Secret): void {
  if (token.reveal().length < TOKEN_MIN)
    throw new ServeError("weak_token", "The token is too short.", "Take 32 random bytes, as base64url.");
}

interface Running {
  readonly server: Server;
  readonly settle: () => Promise<void>;
  /** Keep streams open. */
  readonly parts: readonly { close(): Promise<void> }[];
  readonly answering: ReadonlySet<ServerResponse>;
}

/**
 * Lets what runs end and answer, then closes what is left. Until then it listens: who has lost a stream opens it again, a person's
 * answer arrives, and who asks whether the server is ready is told that it is not.
 */
function closing({ server, settle, parts, answering }: Running): () => Promise<void> {
  let ending: Promise<void> | undefined;
  const close = async () => {
    await settle();
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.all(parts.map((part) => part.close()));
    const sent = Promise.all([...answering].map(closed));
    await Promise.race([sent, sleep(LAST_WORD_MS, undefined, { ref: false })]);
    server.closeAllConnections();
    await stopped;
  };
  return () => {
    ending ??= close();
    return ending;
  };
}

interface Counted {
  readonly server: Server;
  readonly rooms: Rooms;
  readonly answering: ReadonlySet<ServerResponse>;
}

async function figuresOf({ server, rooms, answering }: Counted): Promise<ServerFigures> {
  const connections = await new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
  return { connections, sessions: rooms.sessions, inFlight: answering.size };
}

function ignored(): void {
  // A caller that wants to see defects passes onError.
}
