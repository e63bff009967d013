/**
 * A process that keeps running: its desk and servers, the desk's maintenance, and serving them over HTTP until it is asked to stop.
 */

import { collectorIn, type Home, type HttpInForce, httpIn, httpToken, type Secret } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import type { Desk } from "../../desk/index.ts";
import type { Pictures, ServerFactory } from "../../mcp/index.ts";
import type { ConsoleSettings, HttpObserver, HttpServing, HttpSettings } from "../../serve/index.ts";
import type { Tenants } from "../../store/index.ts";
import type { Assistants, Metrics, Spans } from "../../telemetry/index.ts";
import { systemClock } from "../../transport/index.ts";
import { commandLine } from "../command-line.ts";
import type { Invocation } from "../invocation.ts";
import { untilStopped } from "../shutdown.ts";
import { VERSION } from "../version.ts";
import { type ComposeOptions, type Composition, compose } from "./compose.ts";
import { byCaller } from "./current-caller.ts";
import { lazyPort } from "./lazy-ports.ts";
import type { ServedProfile } from "./served-profile.ts";
import { ServedTenants } from "./served-tenants.ts";
import { openAndSettle, type UpkeepParts } from "./upkeep.ts";

export interface Serving {
  readonly home: Home;
  readonly composition: Composition;
  /** The same desk, watched for operators. */
  readonly desk: Desk;
  readonly assistants: Assistants;
  readonly factory: ServerFactory;
  readonly tenants: ServedTenants;
  readonly metrics: Metrics;
  readonly observer: HttpObserver;
  readonly spans: Spans | undefined;
  readonly pictures: Pictures;
}

export interface Addresses {
  readonly exchange: string;
  readonly mcp: string;
  /** A new link, which opens the page once. */
  readonly page: () => string;
}

export interface HttpPlan {
  readonly host: string;
  readonly port: number;
  readonly onNotice: (message: string) => void;
  /** @param token to be handed out in the configuration of a client, and nowhere else */
  readonly announce: (addresses: Addresses, token: Secret) => void;
}

export interface CompositionOptions {
  readonly onNotice: (message: string) => void;
  readonly exchangePort?: number;
  readonly watch?: NonNullable<ComposeOptions["watch"]>;
  /** Default: as a notice. */
  readonly onTrouble?: (message: string) => void;
}

/** Makes desk and servers, watched for operators; nothing is opened yet. */
export async function serving(run: Invocation, served: ServedProfile, options: CompositionOptions): Promise<Serving> {
  // Brings its libraries, so that nothing of it is loaded over stdio.
  const { factoryOf, isLook, newPictures } = await import("./server-factory.ts");
  const pictures = newPictures();
  const { Assistants, Metrics, RequestLog, watchedDesk } = await import("../../telemetry/index.ts");
  const { name: account, environment } = served.profile;
  const metrics = new Metrics({ account, environment, version: VERSION });
  const level = run.env["HOGA_LOG_LEVEL"];
  const write = (line: string): void => run.out.writeError(line);
  const log = level === undefined || level === "" ? undefined : new RequestLog({ level, account, write });
  const spans = await spansOf(run, served);
  const assistants = new Assistants(() => systemClock.now());
  const make = (whose: ServedProfile, given: CompositionOptions) => {
    const tenant = whose.home.tenant?.name;
    const [figures, called] = [tenant === undefined ? metrics.own : metrics.of(tenant), defined({ tenant })];
    const onEvent = log?.client(figures.client, called) ?? figures.client;
    const watch = { onEvent: spans?.client(onEvent, called) ?? onEvent, onNotice: figures.stream, ...portsOf(spans) };
    const composition = compositionOf(run, whose, { ...given, watch });
    const watched = watchedDesk(composition.desk, figures.order);
    const desk = spans?.desk(watched) ?? watched;
    const counted = log?.around(figures.around, called) ?? figures.around;
    // A tenant's calls are nobody else's to see.
    const calls = tenant === undefined ? assistants.around(counted) : counted;
    const around = byCaller(spans?.around(calls, called) ?? calls, isLook);
    return { composition, desk, factory: factoryOf(run, whose, { desk, pictures, around }) };
  };
  const { composition, desk, factory } = make(served, options);
  const { onNotice } = options;
  const tenants = new ServedTenants({
    run,
    register: lazyPort(async () => (await composition.store()).tenants),
    make: async (whose, onTrouble) => make(whose, { onNotice: onTrouble, onTrouble }),
    open: (theirs, tell) => openAndSettle(theirs, upkeepOf(run, tell)),
    onNotice,
  });
  const http = log?.http(metrics.http) ?? metrics.http;
  const observer = spans?.http(http) ?? http;
  return { home: served.home, composition, desk, assistants, factory, tenants, metrics, observer, spans, pictures };
}

export function upkeepOf(run: Invocation, onNotice: (message: string) => void): UpkeepParts {
  return { env: run.env, reader: run.words, onNotice, onFailure: (error) => run.fail(error) };
}

/** Undefined where no collector is named: then nothing of it is loaded. */
export async function spansOf(run: Invocation, { profile }: ServedProfile): Promise<Spans | undefined> {
  const onNotice = (message: string): void => run.out.notice(message);
  const url = collectorIn(run.env, onNotice);
  if (url === undefined) return undefined;
  const { openSpans } = await import("../../telemetry/index.ts");
  const { name: account, environment } = profile;
  return openSpans({ url, account, environment, version: VERSION, onNotice });
}

export function portsOf(spans: Spans | undefined): Pick<NonNullable<ComposeOptions["watch"]>, "port"> {
  return spans === undefined ? {} : { port: (name, port) => spans.port(name, port) };
}

export function compositionOf(
  run: Invocation,
  { home, profile }: ServedProfile,
  options: CompositionOptions,
): Composition {
  const onTrouble = (message: string): void => run.out.notice(message);
  const { timeZone } = run.words;
  return compose({
    ...{ home, profile, standBy: true, timeZone, onTrouble },
    commandLine: commandLine(run, { ...profile, tenant: home.tenant?.name }),
    ...options,
  });
}

export interface Printing {
  readonly json?: boolean;
  readonly showToken?: boolean;
}

/**
 * Tells whether the token and a link to the page are printed: to a person at a terminal, or where they are asked for. What else reads
 * stdout keeps it, as containers and services do.
 */
export function isHandedOut({ io }: Invocation, { json, showToken }: Printing): boolean {
  return showToken === true || (json !== true && io.stdout.isTTY === true);
}

/** Gives an assistant what connects it over HTTP. */
export function httpConfiguration(mcp: string, token: string): object {
  return { mcpServers: { hoga: { type: "http", url: mcp, headers: { Authorization: `Bearer ${token}` } } } };
}

/** Who may call besides the owner, and where they get their tokens. */
async function callersOf(
  { oauth }: HttpInForce,
  composition: Composition,
  { onNotice }: HttpPlan,
): Promise<Pick<HttpSettings, "callers" | "issuer">> {
  const { oauthCallers, tokenCallers } = await import("../../serve/index.ts");
  const now = (): number => systemClock.now();
  if (oauth === undefined)
    return {
      callers: await tokenCallers(
        lazyPort(async () => (await composition.store()).tokens),
        now,
      ),
    };
  const subjects = lazyPort<Pick<Tenants, "ownerOf">>(async () => (await composition.store()).tenants);
  const callers = await oauthCallers({ ...oauth, now, onTrouble: onNotice, ownerOf: (who) => subjects.ownerOf(who) });
  return { callers, issuer: oauth.issuer };
}

async function consoleOf({ words }: Invocation, { composition, desk, assistants }: Serving): Promise<ConsoleSettings> {
  return {
    assistants,
    ...{ desk, words, version: VERSION, pinCommand: composition.commandLine("pin") },
    exchangeUrl: () => composition.exchangeUrl(),
    pin: {
      isSet: async () => (await composition.store()).pin.isSet(),
      checkAtConsole: async (...tried) => (await composition.store()).pin.checkAtConsole(...tried),
    },
    checkChain: async () => (await composition.store()).audit.verify(),
    passkeys: await composition.consolePasskeys(),
  };
}

/** Who else may sign in at the console. */
function signInOf(
  { oauth, console: site, resource }: HttpInForce,
  { onNotice }: HttpPlan,
): Pick<ConsoleSettings, "signIn"> {
  if (oauth === undefined || site === undefined || resource === undefined) return {};
  return { signIn: { issuer: oauth.issuer, ...site, origin: new URL(resource).origin, onTrouble: onNotice } };
}

/** Serves MCP and the page over HTTP until the process is asked to stop. */
export async function untilHttpStopped(run: Invocation, served: Serving, plan: HttpPlan): Promise<void> {
  const { serveOverHttp } = await import("../../serve/index.ts");
  const { home, composition, factory, tenants, metrics, observer, spans, pictures } = served;
  let http: HttpServing | undefined;
  try {
    const settings = httpIn(home, run.env);
    const { resource, tls, trustedProxies } = settings;
    const token = httpToken(home);
    let isStarting = true;
    const { host, port, announce } = plan;
    // Before anything is opened: whoever looks after the process is told that it starts.
    const listening = await serveOverHttp({
      factory,
      token,
      seal: lazyPort(async () => (await composition.store()).seal),
      endedSessions: lazyPort(async () => (await composition.store()).endedSessions),
      ...(await callersOf(settings, composition, plan)),
      tenants: (name) => tenants.serversOf(name),
      ...defined({ resource, tls, trustedProxies }),
      host,
      port,
      isStarting: () => isStarting,
      unready: () => composition.desk.unready(),
      metrics: metrics.text(composition.desk, () => tenants.desks),
      observer,
      console: {
        ...(await consoleOf(run, served)),
        stored: lazyPort(async () => (await composition.store()).consoleSessions),
        ...signInOf(settings, plan),
      },
    });
    http = listening;
    composition.consoleAddress().servedAt(listening.consoleUrl);
    await openAndSettle(composition, upkeepOf(run, plan.onNotice));
    isStarting = false;
    // Before the address is printed: whoever reads it may ask the process to stop at once.
    const stopped = untilStopped(run, async () => {
      await listening.close();
      pictures.close();
      await factory.idle();
      await tenants.close();
      await composition.close();
      await spans?.close();
    });
    tenants.follow();
    announce(
      { exchange: await composition.exchangeUrl(), mcp: listening.mcpUrl, page: () => listening.pageLink() },
      token,
    );
    await stopped;
  } catch (error) {
    // It, or a paper exchange hosted here, would keep the process running.
    await http?.close();
    pictures.close();
    await tenants.close();
    await composition.close();
    throw error;
  }
}
