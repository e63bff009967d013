/**
 * Owns what a supervisor is told: whether the server lives, and whether it can work. One word each, as anybody may ask.
 *
 * Source: decision 0039.
 */
import type { UnreadyPart } from "../../desk/index.ts";
import { sendJson } from "../wire/page.ts";
import type { Routes } from "../wire/route.ts";

/** Names what keeps a server from working: a part of the desk, or that it begins or ends. */
export type Unready = UnreadyPart | "starting" | "stopping";

export interface Health {
  readonly isStarting: () => boolean;
  readonly isStopping: () => boolean;
  /** Undefined where the desk can work. */
  readonly unready: () => Promise<Unready | undefined>;
}

export function healthRoutes({ isStarting, isStopping, unready }: Health): Routes {
  const problem = async (): Promise<Unready | undefined> => {
    if (isStopping()) return "stopping";
    return isStarting() ? "starting" : unready();
  };
  return {
    "/healthz": { GET: async (_, response) => sendJson(response, 200, { status: "ok" }) },
    "/readyz": {
      GET: async (_, response) => {
        const part = await problem();
        if (part === undefined) sendJson(response, 200, { status: "ready" });
        else sendJson(response, 503, { status: "not ready", part });
      },
    },
  };
}
