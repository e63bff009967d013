/**
 * A process that stays: its desk and servers, and how they are served over HTTP until it is asked to stop.
 */
import type { ServerFactory } from "../../mcp/index.ts";
import type { Invocation } from "../invocation.ts";
import { untilStopped } from "../shutdown.ts";
import { type Composition, compose } from "./compose.ts";
import type { ServedProfile } from "./served-profile.ts";

export interface Serving {
  readonly composition: Composition;
  readonly factory: ServerFactory;
}

export interface Addresses {
  readonly exchange: string;
  readonly mcp: string;
  readonly page: string;
}

/** Where to listen, and what to say when and while it is served. */
export interface HttpPlan {
  readonly host: string;
  readonly port: number;
  readonly tell: (message: string) => void;
  readonly announce: (addresses: Addresses) => void;
}

export interface CompositionOptions {
  readonly onNotice: (message: string) => void;
  readonly exchangePort?: number;
}

/** Makes desk and servers; nothing is opened yet. */
export async function serving(run: Invocation, served: ServedProfile, options: CompositionOptions): Promise<Serving> {
  const composition = compositionOf(run, served, options);
  const { factoryOf } = await import("./server-factory.ts");
  return { composition, factory: factoryOf(run, served, composition) };
}

export function compositionOf(
  run: Invocation,
  { home, profile }: ServedProfile,
  options: CompositionOptions,
): Composition {
  const onTrouble = (message: string): void => run.out.notice(message);
  return compose({ home, profile, standBy: true, onTrouble, ...options });
}

/** How often the desk looks after itself while the process stays; where there is nothing to do, only the store is read. */
const UPKEEP_EVERY_MS = 1_000;

/** Opens everything; orders without an answer are settled first of all, and from then on as they come. */
export async function openAndSettle(
  run: Invocation,
  composition: Composition,
  tell: (message: string) => void,
): Promise<void> {
  await composition.open();
  await lookAfter(composition, tell);
  lookAfterLater(run, composition, tell);
}

function lookAfterLater(run: Invocation, composition: Composition, tell: (message: string) => void): void {
  const next = setTimeout(() => {
    if (composition.closing) return;
    // What fails once is tried again: a timer that nobody fires any more would be worse.
    lookAfter(composition, tell)
      .catch((error: unknown) => run.fail(error))
      .finally(() => lookAfterLater(run, composition, tell));
  }, UPKEEP_EVERY_MS);
  next.unref();
}

async function lookAfter({ desk }: Composition, tell: (message: string) => void): Promise<void> {
  const found = await desk.upkeep();
  const settled = found.accepted + found.not_placed;
  if (settled > 0)
    tell(
      `settled ${settled} orders left without an answer: ${found.accepted} placed, ${found.not_placed} not placed, ${found.still_unknown} still unknown`,
    );
}

/** Serves MCP and the page over HTTP until the process is asked to stop. */
export async function untilHttpStopped(
  run: Invocation,
  { composition, factory }: Serving,
  plan: HttpPlan,
): Promise<void> {
  const { createHomePage, serveOverHttp } = await import("../../serve/index.ts");
  try {
    await openAndSettle(run, composition, plan.tell);
    const home = createHomePage(composition.desk);
    const addressesAt = async (url: string): Promise<Addresses> => ({
      exchange: await composition.exchangeUrl(),
      mcp: `${url}/mcp`,
      page: url,
    });
    const { host, port, announce } = plan;
    const http = await serveOverHttp({
      factory,
      host,
      port,
      home: async (url) => {
        const { exchange, mcp, page } = await addressesAt(url);
        return home({ exchange, mcp, console: page });
      },
    });
    // Before anything is said: whoever reads the address may ask the process to stop at once.
    const stopped = untilStopped(run, async () => {
      await http.close();
      await factory.idle();
      await composition.close();
    });
    announce(await addressesAt(http.url));
    await stopped;
  } catch (error) {
    // A paper exchange hosted here would keep the process.
    await composition.close();
    throw error;
  }
}
