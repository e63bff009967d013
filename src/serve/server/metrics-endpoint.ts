/** Owns the figures for a monitoring system, as text that it collects. They are of the account, so a caller needs its scope. */
import type { ServerResponse } from "node:http";
import type { Scope } from "../../mcp/index.ts";
import type { Challenges } from "../access/challenge.ts";
import { sendJson } from "../wire/page.ts";
import type { Routes } from "../wire/route.ts";

/** Hold what the server itself counts at the moment. */
export interface ServerFigures {
  readonly connections: number;
  readonly sessions: number;
  /** Requests that have no whole answer yet, the one that asks included. */
  readonly inFlight: number;
}

export type MetricsText = (figures: ServerFigures) => Promise<{ readonly contentType: string; readonly text: string }>;

const SCOPE: Scope = "account:read";

export function metricsRoutes(
  metrics: MetricsText,
  figures: () => Promise<ServerFigures>,
  challenges: Challenges,
): Routes {
  return {
    "/metrics": {
      GET: async (_, response, { identity: { scopes } }) => {
        if (scopes.includes(SCOPE)) send(response, await metrics(await figures()));
        else refuse(response, challenges.insufficient([...scopes, SCOPE]));
      },
    },
  };
}

function refuse(response: ServerResponse, challenge: string): void {
  sendJson(response, 403, { error: `the token lacks the scope ${SCOPE}` }, { "WWW-Authenticate": challenge });
}

function send(response: ServerResponse, { contentType, text }: Awaited<ReturnType<MetricsText>>): void {
  response.writeHead(200, {
    "Content-Type": contentType,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(text);
}
