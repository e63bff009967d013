/** `hoga serve`: MCP over stdio, or over Streamable HTTP. */
import { homeOf, loadProfile } from "../../config/index.ts";
import { createMcpServer, type ServerFactory } from "../../mcp/index.ts";
import { type Composition, compose } from "../compose.ts";
import { fail } from "../failure.ts";
import { notice, print, printJson } from "../output.ts";
import { untilStopped } from "../stopping.ts";
import { VERSION } from "../version.ts";

export interface ServeOptions {
  readonly profile?: string;
  readonly http?: boolean;
  readonly host: string;
  readonly port: number;
  readonly json?: boolean;
}

export async function serve(options: ServeOptions): Promise<void> {
  const { composition, factory } = serving(options.profile, { onNotice: notice });
  if (options.http !== true) return overStdio(composition, factory);
  const { createHomePage, serveOverHttp } = await import("../../serve/index.ts");
  try {
    await openAndSettle(composition, notice);
    const exchange = await composition.exchangeUrl();
    const home = createHomePage(composition.desk);
    const http = await serveOverHttp({
      factory,
      host: options.host,
      port: options.port,
      home: (url) => home({ exchange, mcp: `${url}/mcp`, console: url }),
    });
    const stopped = untilStopped(async () => {
      await http.close();
      await factory.idle();
      await composition.close();
    });
    if (options.json === true) printJson({ mcp_url: `${http.url}/mcp`, page_url: http.url });
    else print(`MCP at ${http.url}/mcp`);
    await stopped;
  } catch (error) {
    // A paper exchange hosted here would keep the process.
    await composition.close();
    throw error;
  }
}

/** A client's first questions need nothing opened, and are answered sooner while nothing is. */
const OPEN_AFTER_MS = 300;

async function overStdio(composition: Composition, factory: ServerFactory): Promise<void> {
  const { serveOverStdio } = await import("../../serve/index.ts");
  const session = serveOverStdio(factory);
  let broken = false;
  const opening = setTimeout(() => {
    openAndSettle(composition, notice).catch((error: unknown) => {
      // A client may be gone before everything is settled; the next process goes on with it.
      if (composition.closing) return;
      broken = true;
      fail(error);
      void session.close();
    });
  }, OPEN_AFTER_MS);
  await untilStopped(async () => {
    clearTimeout(opening);
    await session.close();
    await factory.idle();
    await composition.close();
  }, session.ended);
  if (broken) process.exit();
}

/** Opens everything; orders without an answer are settled first of all. */
export async function openAndSettle(composition: Composition, tell: (message: string) => void): Promise<void> {
  await composition.open();
  const found = await composition.desk.reconcile();
  const settled = found.accepted + found.not_placed;
  if (settled + found.still_unknown > 0)
    tell(
      `settled ${settled} orders left without an answer: ${found.accepted} placed, ${found.not_placed} not placed, ${found.still_unknown} still unknown`,
    );
}

/** Desk and servers of a process that stays. */
export function serving(
  profileName: string | undefined,
  options: { readonly onNotice: (message: string) => void; readonly exchangePort?: number },
): {
  readonly composition: Composition;
  readonly factory: ServerFactory;
} {
  const home = homeOf(process.env);
  const profile = loadProfile(home, process.env, profileName);
  const composition = compose({ home, profile, standBy: true, ...options });
  const factory = createMcpServer({
    desk: composition.desk,
    modules: profile.modules,
    version: VERSION,
    onError: fail,
  });
  return { composition, factory };
}
