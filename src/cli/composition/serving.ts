/**
 * A process that keeps running: its desk and servers, the desk's maintenance, and serving them over HTTP until it is asked to stop.
 */
import { systemClock } from "../../client/index.ts";
import { type Home, type HttpInForce, httpIn, httpToken, type Secret } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import type { ServerFactory } from "../../mcp/index.ts";
import type { HttpObserver, HttpSettings } from "../../serve/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import { commandLine } from "../command-line.ts";
import type { Invocation } from "../invocation.ts";
import { untilStopped } from "../shutdown.ts";
import { VERSION } from "../version.ts";
import { type ComposeOptions, type Composition, compose } from "./compose.ts";
import { lazyPort } from "./lazy-ports.ts";
import type { ServedProfile } from "./served-profile.ts";

export interface Serving {
  readonly home: Home;
  readonly composition: Composition;
  readonly factory: ServerFactory;
  readonly metrics: Metrics;
  readonly observer: HttpObserver;
}

export interface Addresses {
  readonly exchange: string;
  readonly mcp: string;
  /** Opens the page once. */
  readonly page: string;
}

/** Where to listen, and what to print of it. */
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
}

/** Makes desk and servers, watched for operators; nothing is opened yet. */
export async function serving(run: Invocation, served: ServedProfile, options: CompositionOptions): Promise<Serving> {
  const { factoryOf } = await import("./server-factory.ts");
  // Brings its libraries, so that nothing of it is loaded over stdio.
  const { Metrics, RequestLog, watchedDesk } = await import("../../telemetry/index.ts");
  const { name: account, environment } = served.profile;
  const metrics = new Metrics({ account, environment, version: VERSION });
  const level = run.env["HOGA_LOG_LEVEL"];
  const write = (line: string): void => run.out.writeError(line);
  const log = level === undefined || level === "" ? undefined : new RequestLog({ level, account, write });
  const watch = { onEvent: log?.client(metrics.client) ?? metrics.client, onNotice: metrics.stream };
  const composition = compositionOf(run, served, { ...options, watch });
  const desk = watchedDesk(composition.desk, metrics.order);
  const factory = factoryOf(run, served, { desk, around: log?.around(metrics.around) ?? metrics.around });
  return { home: served.home, composition, factory, metrics, observer: log?.http(metrics.http) ?? metrics.http };
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
    commandLine: commandLine(run, profile),
    ...options,
  });
}

/** Where there is nothing to do, maintenance only reads the store. */
const MAINTENANCE_EVERY_MS = 1_000;

/** Opens everything. Orders without an answer are settled first of all, and from then on as they come. */
export async function openAndSettle(
  run: Invocation,
  composition: Composition,
  onNotice: (message: string) => void,
): Promise<void> {
  await composition.open();
  const missing = await composition.missing();
  if (missing !== undefined) onNotice(missing);
  await maintain(composition, onNotice);
  scheduleMaintenance(run, composition, onNotice);
}

function scheduleMaintenance(run: Invocation, composition: Composition, onNotice: (message: string) => void): void {
  const next = setTimeout(() => {
    if (composition.closing) return;
    // After a failure too: a dead-man's switch that nobody fires any more would be worse.
    maintain(composition, onNotice)
      .catch((error: unknown) => run.fail(error))
      .finally(() => scheduleMaintenance(run, composition, onNotice));
  }, MAINTENANCE_EVERY_MS);
  next.unref();
}

async function maintain({ desk }: Composition, onNotice: (message: string) => void): Promise<void> {
  const found = await desk.upkeep();
  const settled = found.accepted + found.not_placed;
  if (settled > 0)
    onNotice(
      `settled ${settled} orders and transfers without an answer: ${found.accepted} placed, ${found.not_placed} not placed, ${found.still_unknown} still unknown`,
    );
}

const mcpAt = (url: string): string => `${url}/mcp`;

/** What an assistant that connects over HTTP is given. */
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
  const callers = await oauthCallers({ ...oauth, now, onTrouble: onNotice });
  return { callers, issuer: oauth.issuer };
}

/** Serves MCP and the page over HTTP until the process is asked to stop. */
export async function untilHttpStopped(
  run: Invocation,
  { home, composition, factory, metrics, observer }: Serving,
  plan: HttpPlan,
): Promise<void> {
  const { createHomePage, serveOverHttp } = await import("../../serve/index.ts");
  try {
    const settings = httpIn(home);
    const { resource, tls, trustedProxies } = settings;
    const token = httpToken(home);
    await openAndSettle(run, composition, plan.onNotice);
    const page = createHomePage(composition.desk, run.words);
    const { host, port, announce } = plan;
    const http = await serveOverHttp({
      factory,
      token,
      ...(await callersOf(settings, composition, plan)),
      ...defined({ resource, tls, trustedProxies }),
      host,
      port,
      unready: () => composition.desk.unready(),
      metrics: metrics.text(composition.desk),
      observer,
      home: async (url) =>
        page({
          exchange: await composition.exchangeUrl(),
          mcp: mcpAt(url),
          console: url,
          tokenFile: home.httpToken,
        }),
    });
    // Before the address is printed: whoever reads it may ask the process to stop at once.
    const stopped = untilStopped(run, async () => {
      await http.close();
      await factory.idle();
      await composition.close();
    });
    announce({ exchange: await composition.exchangeUrl(), mcp: http.mcpUrl, page: http.pageLink() }, token);
    await stopped;
  } catch (error) {
    // A paper exchange hosted here would keep the process running.
    await composition.close();
    throw error;
  }
}
