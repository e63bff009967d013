/** `hoga serve`: MCP over stdio, or over Streamable HTTP. */
import { fail } from "../failure.ts";
import { notice, print, printJson } from "../output.ts";
import { openAndSettle, type Serving, serving, untilHttpStopped } from "../serving.ts";
import { untilStopped } from "../stopping.ts";

export interface ServeOptions {
  readonly profile?: string;
  readonly http?: boolean;
  readonly host: string;
  readonly port: number;
  readonly json?: boolean;
}

export async function serve({ profile, http, host, port, json }: ServeOptions): Promise<void> {
  const parts = serving(profile, { onNotice: notice });
  if (http !== true) return overStdio(parts);
  return untilHttpStopped(parts, {
    host,
    port,
    tell: notice,
    announce: ({ mcp, page }) => {
      if (json === true) printJson({ mcp_url: mcp, page_url: page });
      else print(`MCP at ${mcp}`);
    },
  });
}

/** A client's first questions need nothing opened, and are answered sooner while nothing is. */
const OPEN_AFTER_MS = 300;

async function overStdio({ composition, factory }: Serving): Promise<void> {
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
