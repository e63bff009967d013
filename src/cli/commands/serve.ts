/** `hoga serve`: MCP over stdio, or over Streamable HTTP. */
import type { Invocation } from "../invocation.ts";
import { openAndSettle, type Serving, serving, untilHttpStopped } from "../serving.ts";
import { untilStopped } from "../stopping.ts";

export interface ServeOptions {
  readonly profile?: string;
  readonly http?: boolean;
  readonly host: string;
  readonly port: number;
  readonly json?: boolean;
}

export async function serve({ profile, http, host, port, json }: ServeOptions, run: Invocation): Promise<void> {
  const parts = serving(run, { profile, onNotice: (message) => run.out.notice(message) });
  if (http !== true) return overStdio(run, parts);
  return untilHttpStopped(run, parts, {
    host,
    port,
    tell: (message) => run.out.notice(message),
    announce: ({ mcp, page }) => {
      if (json === true) run.out.printJson({ mcp_url: mcp, page_url: page });
      else run.out.print(`MCP at ${mcp}`);
    },
  });
}

/** A client's first questions need nothing opened, and are answered sooner while nothing is. */
const OPEN_AFTER_MS = 300;

async function overStdio(run: Invocation, { composition, factory }: Serving): Promise<void> {
  const { serveOverStdio } = await import("../../serve/index.ts");
  const session = serveOverStdio(factory, run.io);
  let broken = false;
  const opening = setTimeout(() => {
    openAndSettle(run, composition, (message) => run.out.notice(message)).catch((error: unknown) => {
      // A client may be gone before everything is settled; the next process goes on with it.
      if (composition.closing) return;
      broken = true;
      run.fail(error);
      void session.close();
    });
  }, OPEN_AFTER_MS);
  await untilStopped(
    run,
    async () => {
      clearTimeout(opening);
      await session.close();
      await factory.idle();
      await composition.close();
    },
    session.ended,
  );
  if (broken) run.io.exit(run.exitCode);
}
